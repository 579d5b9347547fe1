/*
 * rules_asleep.c - ends behind a sleep: who has begun several waits for the last of them, of another kind than those that are done, and
 * that one has been asleep since before they were. It looks whether it is to end only behind its sleep.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/walk.h"

#define PAIRS 12
#define PARENTS 4     /* goroutines of a group that begin others */
#define KIDS 20000    /* goroutines looked at for each wait */
#define ASKED 64      /* waits of each kind */
#define JUST 2000000  /* ns: so long before a wait begins others may have ended for it */
#define AFTER 1000000 /* ns of what it does behind its sleep */

struct late_end { /* of goroutines of one kind, for those of another that begin them */
    uint32_t kids, n, asked;
    int64_t ns, longest, t0, t1;
    uint32_t g, stack, sleeps; /* the longest; where it is waited for, and where it sleeps */
};

/* When the last of g's other children, of other kinds, was done; NO_TIME: another one is still there, or none was done just then. */
static int64_t others_done(const struct causes *c, uint32_t g, uint32_t kid, const struct span *wait)
{
    const uint32_t kind = gstat_group(c->tg->g, kid);
    const int64_t born = trace_lane(c->tr, (struct lane){LANE_G, kid}).first;
    int64_t last = NO_TIME;
    for (uint32_t k = 0; k < c->tg->ng && k < KIDS; k++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, k});
        const bool before = li.first < born - JUST && !li.ended; /* in the background, not of this lot */
        if (k == kid || li.creator != g || li.first >= wait->t1 || li.last < wait->t0 - JUST || before ||
            c->tg->groups[gstat_group(c->tg->g, k)].is_system) {
            continue;
        }
        if (!li.ended || li.last >= wait->t1 || gstat_group(c->tg->g, k) == kind) {
            return NO_TIME;
        }
        last = last == NO_TIME || li.last > last ? li.last : last;
    }
    return last;
}

/* Does it sleep from before `from` to the wait's end, and end then? */
static bool sleeps_through(const struct causes *c, uint32_t kid, int64_t from, int64_t to, uint32_t *stack)
{
    const struct lane l = {LANE_G, kid};
    const struct lane_info li = trace_lane(c->tr, l);
    struct span s;
    if (!li.ended || li.last > to + AFTER || !trace_span_at(c->tr, l, from, &s) || s.state != ST_WAITING ||
        stacks_wait_kind(c->tr, s.reason, s.stack) != WK_SLEEP) {
        return false;
    }
    *stack = s.stack;
    return s.t0 < from && s.t1 >= to - AFTER;
}

static void wait_ended(const struct causes *c, uint32_t g, uint32_t kid, const struct span *wait, struct late_end *e)
{
    const bool child = trace_lane(c->tr, (struct lane){LANE_G, kid}).creator == g;
    const int64_t done = child && e->asked++ < ASKED ? others_done(c, g, kid, wait) : NO_TIME;
    const int64_t from = done == NO_TIME || done < wait->t0 ? wait->t0 : done;
    uint32_t sleeps;
    if (done == NO_TIME || !sleeps_through(c, kid, from, wait->t1, &sleeps)) {
        return;
    }
    e->n++;
    e->ns = ns_add(e->ns, wait->t1 - from);
    if (wait->t1 - from > e->longest) {
        e->longest = wait->t1 - from;
        e->t0 = from;
        e->t1 = wait->t1;
        e->g = kid;
        e->stack = wait->stack;
        e->sleeps = sleeps;
    }
}

static bool waits_for_end(enum wait_kind k)
{
    return k == WK_WAITGROUP || k == WK_RECV || k == WK_SELECT || k == WK_COND;
}

static void walk(const struct causes *c, uint32_t g, struct late_end *e)
{
    struct walk w;
    struct span wait = {.state = ST_NONE};
    walk_g(&w, c->tr, g, 20000);
    for (const struct span *s; (s = walk_next(&w));) {
        if (wait.state == ST_WAITING && s->state == ST_RUNNABLE && s->who < c->tg->ng &&
            gstat_group(c->tg->g, s->who) == e->kids) {
            wait_ended(c, g, s->who, &wait, e);
        }
        const bool may = s->state == ST_WAITING && waits_for_end(stacks_wait_kind(c->tr, s->reason, s->stack));
        wait = may ? *s : (struct span){.state = ST_NONE};
    }
}

static void finding(struct causes *c, const struct late_end *e)
{
    struct draft d;
    draft_start(&d, RULE_LAST, e->ns);
    draft_about(&d, c->rs, causes_place(c->tr, e->sleeps), e->sleeps);
    draft_at(&d, e->t0, e->t1, LANE_G, e->g);
    d.f.note = d.f.inferred = true; /* what it does behind its sleep may be needed */
    text_dur(&d.amount, e->ns / e->n);
    text_say(&d.text, c->tr, t_place(e->sleeps, 3), ": ", t_place(e->stack, 2), " waits for goroutines of ",
             t_func(c->tg->groups[e->kids].name), " after all others that it started are done, ", e->n, " times, ",
             t_dur(e->ns / e->n), " on average, ", t_share((double)e->ns, (double)c->tg->end),
             " of the trace. They fell asleep there before the others were done and end right after that sleep: they "
             "seem to check only then whether they should stop (inferred).");
    text_lit(&d.next, "Wake them when they should end: select on a timer and on the stop signal (a context's Done, a "
                      "closed channel) instead of sleeping; or don't wait for them.");
    draft_titled(c->rs, &d, "ends only after a sleep");
}

void rules_asleep(struct causes *c)
{
    uint64_t seen[PAIRS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->tg->npairs && i < PAIRS_ASKED && n < PAIRS; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool may = !p->from_scheduler && p->waiter != p->waker && waits_for_end(p->kind);
        const uint32_t a = may ? causes_group(c, p->waiter) : UINT32_MAX,
                       b = may ? causes_group(c, p->waker) : UINT32_MAX;
        const uint64_t key = (uint64_t)a << 32 | b;
        uint32_t k = 0;
        while (k < n && seen[k] != key) {
            k++;
        }
        if (a == UINT32_MAX || b == UINT32_MAX || k < n || !c->life[b].program || !c->life[b].by[WK_SLEEP]) {
            continue;
        }
        seen[n++] = key;
        struct late_end e = {.kids = b};
        for (uint32_t m = 0; m < c->of[a].n && m < PARENTS; m++) {
            walk(c, causes_member(c, a, m, PARENTS), &e);
        }
        if ((double)e.n >= threshold(TH_LAST_TIMES) && threshold_reached(TH_LAST_ASLEEP, e.ns, c->tg->end)) {
            finding(c, &e);
        }
    }
}
