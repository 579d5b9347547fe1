/*
 * rules_put_off.c - waits for what a timer begins (time.AfterFunc) that comes at uneven distances: it is set anew each time something comes,
 * it seems, so what has waited longest waits on as long as more comes (a debounce without a bound).
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#include <stdlib.h>

#define MOST 512 /* goroutines of a group looked at */

struct begins { /* of a group that timers begin: when */
    int64_t at[MOST];
    uint32_t n;
};

static bool by_timers(const struct causes *c, uint32_t group, struct begins *b)
{
    b->n = 0;
    for (uint32_t i = 0; i < c->of[group].n && i < MOST; i++) {
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, causes_nth(c, group, i)});
        if (li.created && (li.creator != NO_LANE || li.create_stack)) {
            return false;
        }
        if (li.created) {
            b->at[b->n++] = li.first;
        }
    }
    return (double)b->n >= threshold(TH_LINGER_TIMES) && c->of[group].n <= MOST;
}

/* The distances between them, in order of length, in place of the moments. Are many far from the usual one? */
static bool uneven(struct begins *b)
{
    uint32_t far = 0;
    qsort(b->at, b->n, sizeof b->at[0], cmp_ns);
    for (uint32_t i = 0; i + 1 < b->n; i++) {
        b->at[i] = b->at[i + 1] - b->at[i];
    }
    b->n--;
    qsort(b->at, b->n, sizeof b->at[0], cmp_ns);
    const int64_t usual = b->at[b->n / 2];
    for (uint32_t i = 0; i < b->n; i++) {
        far += b->at[i] * 2 < usual || b->at[i] * 2 > usual * 3;
    }
    return threshold_reached(TH_LINGER_UNEVEN, far, b->n);
}

/* One that begins so long behind the first that waits for it comes no sooner behind the one before: nobody waits longer than that. */
static bool outlasts(const struct pair_row *p, const struct begins *b)
{
    return (double)(p->longest.t1 - p->longest.t0) >= threshold(TH_LINGER_OUTLASTS) * (double)b->at[0];
}

/* Do others of them begin while it waits, so that there are several timers? One that is put off begins nothing before it ends the wait. */
static bool others_begin(const struct pair_row *p, const struct begins *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        n += b->at[i] > p->longest.t0 && b->at[i] < p->longest.t1;
    }
    return n > 1;
}

static void put_off_finding(struct causes *c, const struct pair_row *p, const struct begins *b, double share)
{
    struct draft d;
    draft_start(&d, RULE_LINGER, (int64_t)(share * (double)c->tg->end));
    d.f.note = true;
    d.f.inferred = true;
    draft_about(&d, c->rs, causes_place(c->tr, p->stack), p->stack);
    draft_moment(&d, &p->longest);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " waits for ", t_func(p->waker),
             ", which a timer starts (time.AfterFunc): ", p->count, " waits of ", t_dur(p->total / (int64_t)p->count),
             " on average, ", t_share(share, 1), " of the lives of goroutines of ", t_func(p->waiter),
             ". It started ", (uint64_t)b->n + 1, " times, ", t_dur(b->at[0]), " to ", t_dur(b->at[b->n - 1]),
             " apart, and the longest waits ", t_dur(p->longest.t1 - p->longest.t0),
             ": that is no fixed pace. The timer seems to be reset again and again before it fires (inferred).");
    text_lit(&d.next, "Bound how long it may be put off: let it fire a fixed time after the first waiter came, "
                      "whatever else has come by then.");
    draft_titled(c->rs, &d, "waits for a timer that keeps being reset");
}

void rules_put_off(struct causes *c)
{
    struct begins b;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool may = !p->from_scheduler && p->waker != p->waiter && p->kind != WK_NET && p->kind != WK_LOCK &&
                         (double)p->count >= threshold(TH_LINGER_TIMES) && causes_place(c->tr, p->stack);
        const uint32_t by = may ? causes_group(c, p->waker) : UINT32_MAX,
                       of = may ? causes_group(c, p->waiter) : UINT32_MAX;
        if (by == UINT32_MAX || of == UINT32_MAX || !c->life[by].program || c->life[of].life <= 0) {
            continue;
        }
        const double share = (double)p->total / (double)c->life[of].life;
        if (share >= threshold(TH_LINGER_PUT_OFF) && by_timers(c, by, &b) && !others_begin(p, &b) && uneven(&b) &&
            outlasts(p, &b)) {
            put_off_finding(c, p, &b, share < 1 ? share : 1);
            return;
        }
    }
}
