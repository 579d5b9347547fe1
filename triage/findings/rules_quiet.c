/*
 * rules_quiet.c - the rule about goroutines that wait for the network, come all along and stay: nothing has come for them for long.
 *
 * Whoever is at the other end may be meant to stay, silent, so it is a note. Connections that were there before, that end now and then,
 * or that something comes over again and again do not grow into trouble, and are not told.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/growth.h"
#include "triage/findings/thresholds.h"

struct quiet { /* goroutines of one creation that are left at one place */
    const struct leak_row *r;
    struct growth w;        /* still: longer than any wait there that ended, and much longer than usual */
    uint64_t ended;         /* waits there that did */
    int64_t longest, usual; /* of these; usual: their mean */
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

/* What waits so long that what it waits for may not come. */
static double silent_from(const struct quiet *q)
{
    const double longer = threshold(TH_LEAK_LONGER) * (double)q->longest,
                 again = threshold(TH_LEAK_AGAIN) * (double)q->usual;
    return longer > again ? longer : again;
}

/* They come in each quarter, (nearly) none ends, and most have been silent for longer than any that was answered. */
static bool piles_up(const struct quiet *q, int64_t end)
{
    const int64_t share = (int64_t)(threshold(TH_LEAK_SHARE) * (double)end), time = threshold_ns(TH_LEAK_TIME);
    bool steady = q->r->oldest >= (share < time ? share : time);
    for (int i = 0; i < 4; i++) {
        steady &= q->w.quarter[i] >= threshold(TH_LEAK_QUARTER) * q->w.begun;
    }
    return steady && (double)q->w.still >= threshold(TH_LEAK_SILENT) * q->r->count &&
           (double)q->w.still >= threshold(TH_LEAK_QUIET);
}

static void quiet_finding(struct causes *c, const struct quiet *q)
{
    const struct leak_row *r = q->r;
    struct draft d;
    draft_start(&d, RULE_LEAK, 0);
    d.f.note = true;
    draft_about(&d, c->rs, r->name, r->stack);
    draft_at(&d, r->since, r->since + r->oldest, LANE_G, r->example);
    text_add(&d.amount, "+%u", r->created - r->ended);
    text_say(&d.text, c->tr, t_place(r->create_stack, 3), " starts goroutines of ", t_func(r->name),
             " that wait for the network and stay, ", t_f0((double)q->w.begun / (double)c->tg->end * 1e9),
             " a second: ");
    growth_begun(&d, c, &q->w);
    text_say(&d.text, c->tr, q->w.still, " of them wait at the end at ", t_where(r->stack, 0), ", up to ",
             t_dur(r->oldest));
    if (q->ended) {
        text_say(&d.text, c->tr, ", though the ", q->ended, " waits there that ended took ", t_dur(q->longest),
                 " at most: none has gone on since.");
    } else {
        text_lit(&d.text, ", and none has ever gone on there.");
    }
    const bool accepts = trace_lane(c->tr, (struct lane){LANE_G, r->example}).creator != NO_LANE && calls_accept(c);
    text_add(&d.next,
             "Unless they are meant to stay: limit how long each waits (%s, %s), and close the connection at the "
             "timeout. Each that stays keeps a goroutine, its buffers and a file descriptor.",
             causes_writes(c->tr, r->stack) ? "SetWriteDeadline before each write"
                                            : "SetReadDeadline before each read",
             accepts ? "an idle timeout" : "a context, a client's Timeout");
    draft_titled(c->rs, &d, "goroutines pile up");
}

void rules_quiet(struct causes *c)
{
    struct growths known = {0};
    for (uint32_t i = 0; i < c->tg->nleaks && i < GROWTH_ROWS; i++) {
        struct quiet q = {.r = &c->tg->leaks[i]};
        const uint32_t g = q.r->kind == WK_NET ? causes_group(c, q.r->name) : UINT32_MAX;
        if (g == UINT32_MAX || !c->life[g].program || (double)q.r->count < threshold(TH_LEAK_QUIET) ||
            (double)q.r->ended > threshold(TH_LEAK_LEFT) * q.r->created) {
            continue;
        }
        ended_waits(c, &q);
        q.w = growth_of(&known, c, q.r, g, silent_from(&q));
        if (piles_up(&q, c->tg->end)) {
            quiet_finding(c, &q);
        }
    }
    growths_free(&known);
}
