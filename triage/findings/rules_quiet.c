/*
 * rules_quiet.c - the rule about goroutines that wait for the network, come all along and stay: nothing has come for them for long.
 *
 * Whoever is at the other end may be meant to stay, silent, so it is a note. Connections that were there before, that end now and then,
 * or that something comes over again and again do not grow into trouble, and are not told.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/thresholds.h"

#define ROWS 64 /* of those that are left, the largest */

struct quiet { /* goroutines of one creation that are left at one place */
    const struct leak_row *r;
    uint32_t begun, quarter[4];
    uint32_t silent;        /* they have waited longer than any wait there that ended, and much longer than usual */
    uint64_t ended;         /* waits there that did */
    int64_t longest, usual; /* of these; usual: their mean */
    uint32_t creator;       /* of one of them, NO_LANE: nobody's */
};

static void ended_waits(const struct causes *c, struct quiet *q)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->stack == q->r->stack && p->waiter == q->r->name) {
            q->ended += p->count;
            total = ns_add(total, p->total);
            const int64_t ns = p->longest.t1 - p->longest.t0;
            q->longest = ns > q->longest ? ns : q->longest;
        }
    }
    q->usual = q->ended ? total / (int64_t)q->ended : 0;
}

/* Has it waited for so long at the end, a 20th of the trace or more, that what it waits for may not come? */
static bool is_silent(const struct causes *c, const struct quiet *q, uint32_t g, const struct lane_info *li)
{
    struct span s;
    if (li->ended || !trace_span_at(c->tr, (struct lane){LANE_G, g}, li->last - 1, &s) || s.state != ST_WAITING ||
        s.stack != q->r->stack) {
        return false;
    }
    const int64_t ns = s.t1 - s.t0;
    return ns >= c->tg->end / 20 && (double)ns >= threshold(TH_LEAK_LONGER) * (double)q->longest &&
           (double)ns >= threshold(TH_LEAK_AGAIN) * (double)q->usual;
}

static void quiet_of(const struct causes *c, uint32_t group, struct quiet *q)
{
    ended_waits(c, q);
    for (uint32_t i = 0; i < c->of[group].n; i++) {
        const uint32_t g = c->member[c->of[group].at + i];
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        if (!li.created || li.create_stack != q->r->create_stack) {
            continue;
        }
        const int64_t at = li.first / (c->tg->end / 4 + 1);
        q->begun++;
        q->quarter[at < 0 ? 0 : at > 3 ? 3 : at]++;
        q->silent += is_silent(c, q, g, &li);
        q->creator = li.creator;
    }
}

/* They come in each quarter, (nearly) none ends, and most have been silent for longer than any that was answered. */
static bool piles_up(const struct quiet *q, int64_t end)
{
    const int64_t share = (int64_t)(threshold(TH_LEAK_SHARE) * (double)end), time = threshold_ns(TH_LEAK_TIME);
    bool steady = q->r->oldest >= (share < time ? share : time);
    for (int i = 0; i < 4; i++) {
        steady &= q->quarter[i] >= threshold(TH_LEAK_QUARTER) * q->begun;
    }
    return steady && (double)q->silent >= threshold(TH_LEAK_SILENT) * q->r->count &&
           (double)q->silent >= threshold(TH_LEAK_QUIET);
}

static void quiet_finding(struct causes *c, const struct quiet *q)
{
    const struct leak_row *r = q->r;
    struct draft d;
    draft_start(&d, RULE_LEAK, 0);
    d.f.note = true;
    draft_about(&d, c->rs, r->name, r->stack);
    draft_at(&d, c->tg->end - r->oldest, c->tg->end, LANE_G, r->example);
    text_add(&d.amount, "+%u", r->created - r->ended);
    text_say(&d.text, c->tr, t_place(r->create_stack, 3), " begins goroutines of ", t_func(r->name),
             " that wait for the network and stay: ", q->begun, " begun (", q->quarter[0], ", ", q->quarter[1], ", ",
             q->quarter[2], ", ", q->quarter[3], " in the quarters of the trace, ",
             t_f0((double)q->begun / (double)c->tg->end * 1e9), " a second), ", r->ended, " ended. ", q->silent,
             " of them wait at the end at ", t_where(r->stack, 0), ", up to ", t_dur(r->oldest));
    if (q->ended) {
        text_say(&d.text, c->tr, ", though the ", q->ended, " waits there that ended took ", t_dur(q->longest),
                 " at most: nothing has come for them since.");
    } else {
        text_lit(&d.text, ", and nothing has ever come for one of them.");
    }
    const bool accepts = q->creator < c->tg->ng && calls_accept(c);
    text_add(&d.next,
             "Unless they are meant to stay: limit how long each waits (SetReadDeadline before each read, %s), and "
             "close the connection when the time is up. Each that stays keeps a goroutine, its buffers and a file "
             "descriptor.",
             accepts ? "an idle time limit" : "a context, a client's Timeout");
    draft_titled(c->rs, &d, "goroutines pile up");
}

void rules_quiet(struct causes *c)
{
    for (uint32_t i = 0; i < c->tg->nleaks && i < ROWS; i++) {
        struct quiet q = {.r = &c->tg->leaks[i], .creator = NO_LANE};
        const uint32_t g = q.r->kind == WK_NET ? causes_group(c, q.r->name) : UINT32_MAX;
        if (g == UINT32_MAX || !c->life[g].program || (double)q.r->count < threshold(TH_LEAK_QUIET) ||
            (double)q.r->ended > threshold(TH_LEAK_LEFT) * q.r->created) {
            continue;
        }
        quiet_of(c, g, &q);
        if (piles_up(&q, c->tg->end)) {
            quiet_finding(c, &q);
        }
    }
}
