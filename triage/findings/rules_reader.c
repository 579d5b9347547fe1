/*
 * rules_reader.c - the network waited for through another goroutine: who waits is let go on by one that reads what comes over a connection.
 *
 * Such a wait is one on a condition or a channel; what ends it came from outside. Whether that is leave to send more (a window of what
 * may be under way), the answer to a question, or news shows in what the waiter sends. Who asks sends once before each wait. Who waits for
 * leave hands over a token, which is taken when something has come; or it is woken in vain for what another took, and at first sends
 * without waiting. What could as well be news, each answered, is not told.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define PLACES 16
#define WALKED 32   /* goroutines of a group */
#define STEPS 20000 /* spans of each */
#define SEEN 24     /* waits explained */

struct through { /* waits of a group at one place that a reader ended */
    struct waits_at p;
    uint32_t reader;               /* group */
    uint64_t waits, sends, unsent; /* unsent: waits before which it had sent nothing */
    uint64_t members,
        lead; /* goroutines, begun in the trace, that waited so; what they had sent before the first time */
};

/* Is most of what they wait for the network that the other side takes what they write? Nothing comes to them, then. */
static bool mostly_writes(const struct causes *c, uint32_t group)
{
    int64_t all = 0, writes = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        if (p->kind == WK_NET && p->waiter == c->tg->groups[group].name) {
            all = ns_add(all, p->total);
            writes = causes_writes(c->tr, p->stack) ? ns_add(writes, p->total) : writes;
        }
    }
    return writes > all / 2;
}

/* Goroutines of the program that wait for what comes over the network most of their lives, not for questions. */
static bool is_reader(const struct causes *c, uint32_t group)
{
    const struct group_life *l = &c->life[group];
    const uint32_t g = c->of[group].n ? causes_nth(c, group, 0) : NO_LANE;
    return l->program && l->life > 0 && g != NO_LANE && threshold_reached(TH_READER_LIFE, l->by[WK_NET], l->life) &&
           !calls_questions(c, g) && !mostly_writes(c, group);
}

static bool by_reader(const struct causes *c, const struct pair_row *p, uint32_t *reader)
{
    const bool may = !p->from_scheduler && p->waker != p->waiter && (wait_on_channel(p->kind) || p->kind == WK_COND);
    *reader = may ? causes_group(c, p->waker) : UINT32_MAX;
    return *reader != UINT32_MAX && is_reader(c, *reader);
}

bool reader_ends(const struct causes *c, const struct pair_row *p)
{
    uint32_t reader;
    return by_reader(c, p, &reader);
}

static bool ended_there(const struct causes *c, const struct span *s, const struct span *next,
                        const struct through *t)
{
    return next->state == ST_RUNNABLE && next->who < c->tg->ng && gstat_group(c->tg->g, next->who) == t->reader &&
           causes_place(c->tr, s->stack) == t->p.place;
}

static void walk(const struct causes *c, uint32_t g, struct through *t)
{
    struct walk w;
    uint64_t sent = 0, waits = 0;
    uint32_t known = 0;
    bool sends = false;
    const bool born = trace_lane(c->tr, (struct lane){LANE_G, g}).created;
    const struct span *next = walk_first(&w, c->tr, g, STEPS);
    for (struct span s; walk_pair(&w, &s, &next);) {
        if (s.state == ST_SYSCALL && s.stack) {
            sends = s.stack == known ? sends : causes_sends(c->tr, s.stack);
            known = s.stack;
            sent += sends;
        } else if (s.state == ST_WAITING && next && s.stack && ended_there(c, &s, next, t)) {
            t->lead += born && !waits ? sent : 0;
            t->unsent += sent == 0;
            t->sends += sent;
            sent = 0;
            waits++;
        }
    }
    t->waits += waits;
    t->sends += sent;
    t->members += waits && born;
}

/* Of some of the waits, followed: how much was the network's? */
static double from_network(struct causes *c, const struct through *t, uint32_t group)
{
    struct explain_tree e;
    struct leaves v = {0};
    int64_t net = 0;
    uint32_t seen = 0;
    bool ok = explain_tree_init(&e, c->tr);
    for (uint32_t m = 0; ok && m < c->of[group].n && m < 8; m++) {
        struct walk w;
        const struct span *next = walk_first(&w, c->tr, causes_member(c, group, m, 8), STEPS);
        int k = 0;
        for (struct span s; ok && k < SEEN / 8 && seen < SEEN && walk_pair(&w, &s, &next);) {
            if (s.state == ST_WAITING && next && s.t1 - s.t0 >= t->p.total / (int64_t)t->p.count &&
                ended_there(c, &s, next, t)) {
                ok = explain_add(c->x, &e, causes_member(c, group, m, 8), s.t0, s.t1);
                k++;
                seen++;
            }
        }
    }
    if (ok) {
        causes_leaves(&e, &v);
    }
    c->rs->failed |= !ok;
    explain_tree_free(&e);
    for (uint32_t i = 0; i < v.n; i++) {
        net = explain_waits_outside(v.v[i].cat) ? ns_add(net, v.v[i].ns) : net;
    }
    return v.all > 0 ? (double)net / (double)v.all : 0;
}

static void reader_finding(struct causes *c, const struct through *t, uint32_t group, double share)
{
    const struct group_life *l = &c->life[group];
    const struct pair_row *p = t->p.most;
    struct draft d;
    draft_start(&d, RULE_READER, (int64_t)(share * (double)(l->last - l->first)));
    draft_about(&d, c->rs, t->p.place, p->stack);
    draft_moment(&d, &p->longest);
    d.f.inferred = true;
    text_dur(&d.amount, t->p.total / (int64_t)t->p.count);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " waits until it may send more: ", t->p.count, " waits of ",
             t_dur(t->p.total / (int64_t)t->p.count), " on average end when something comes over the network to ",
             t_where(p->waker_stack, 0), ". That is ", t_share(share, 1), " of the lives of goroutines of ",
             t_func(c->tg->groups[group].name), ", which send ", t_f1((double)t->sends / (double)t->waits),
             " times for each such wait");
    if (p->kind != WK_SEND) {
        text_say(&d.text, c->tr, ", and have sent nothing before ", t_share((double)t->unsent, (double)t->waits),
                 " of them");
    }
    text_add(&d.text,
             ": they seem to wait not for answers but for permission to send more (a flow-control window, credit; "
             "inferred). %.1f of %.0f processors were idle.",
             c->idle, c->procs);
    text_lit(
        &d.next,
        "Allow more in flight (a larger window), let the other side acknowledge earlier, or send more with each.");
    draft_end(c->rs, &d);
}

static bool for_room(const struct through *t)
{
    const bool shared =
        t->p.most->kind == WK_COND && (double)t->unsent >= threshold(TH_READER_UNSENT) * (double)t->waits;
    return t->waits && (double)t->sends >= threshold(TH_READER_SENDS) * (double)t->waits &&
           (t->p.most->kind == WK_SEND || (shared && t->lead > t->members));
}

void rules_reader(struct causes *c)
{
    struct through v[PLACES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        uint32_t reader, k = 0;
        const uint32_t place = by_reader(c, p, &reader) ? causes_place(c->tr, p->stack) : 0;
        while (k < n && (v[k].p.place != place || v[k].reader != reader || v[k].p.most->waiter != p->waiter)) {
            k++;
        }
        if (!place || k == PLACES) {
            continue;
        }
        uint32_t one = k < n;
        if (k == n) {
            v[n++] = (struct through){.reader = reader};
        }
        waits_at_add(&v[k].p, &one, 1, place, p);
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t group = causes_group(c, v[k].p.most->waiter);
        const struct group_life *l = group == UINT32_MAX ? NULL : &c->life[group];
        if (!l || !l->program || l->life <= 0 || (double)v[k].p.count < threshold(TH_READER_WAITS) ||
            !threshold_reached(TH_READER_WAITED, v[k].p.total, l->life) || c->idle < causes_idle_least(c)) {
            continue;
        }
        for (uint32_t m = 0; m < c->of[group].n && m < WALKED; m++) {
            walk(c, causes_member(c, group, m, WALKED), &v[k]);
        }
        const struct through *t = &v[k];
        const double share = (double)t->p.total / (double)l->life;
        if (for_room(t) && from_network(c, t, group) >= threshold(TH_READER_NETWORK)) {
            reader_finding(c, t, group, share < 1 ? share : 1);
        }
    }
}
