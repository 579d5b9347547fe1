/*
 * rules_finalizers.c - goroutines that wait for what only a finalizer or a cleanup gives back: it comes after the
 * next collection that finds the thing unused, however long ago that was.
 */
#include "triage/findings/causes.h"
#include "triage/findings/waits_at.h"
#include "triage/findings/thresholds.h"

#include "decode/base/mem.h"

#define PLACES 16

/* Did the goroutine that runs finalizers or cleanups end these waits? */
static bool by_finalizer(const struct causes *c, const struct pair_row *p)
{
    static const char *const name[] = {"runtime.runfinq", "runtime.runFinalizers", "runtime.runCleanups"};
    const struct str waker = p->from_scheduler ? (struct str){0} : trace_str(c->tr, p->waker);
    for (size_t i = 0; i < sizeof name / sizeof *name && str_starts(waker, "runtime.run"); i++) {
        if (str_is(waker, name[i])) {
            return causes_place(c->tr, p->waker_stack) != 0;
        }
    }
    return false;
}

static void finalizer_finding(struct causes *c, const struct waits_at *k, uint64_t all, uint32_t group, double share)
{
    const struct group_life *l = &c->life[group];
    const struct pair_row *p = k->most;
    struct draft d;
    draft_start(&d, RULE_FINALIZERS, (int64_t)(share * (double)(l->last - l->first)));
    draft_about(&d, c->rs, k->place, p->stack);
    draft_moment(&d, &p->longest);
    text_share(&d.amount, share, 1);
    text_say(&d.text, c->tr, t_place(p->stack, 3), " waits for what finalizers release: ", k->count, " of ", all,
             " waits there (", t_dur(k->total / (int64_t)k->count), " on average, ", t_share(share, 1),
             " of the lives of goroutines of ", t_func(p->waiter), ") were ended by ", t_func(p->waker), ", in ",
             t_place(p->waker_stack, 2), ". A finalizer runs only after a collection finds the object unused (",
             c->tg->gc_cycles, " in the trace).");
    text_lit(
        &d.next,
        "Release it explicitly after its last use (defer Close()); a finalizer or cleanup is only a safety net.");
    draft_end(c->rs, &d);
}

void rules_finalizers(struct causes *c)
{
    struct waits_at v[PLACES];
    const uint32_t n = waits_at_rows(c, v, PLACES, PAIRS_ALL, by_finalizer);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t g = causes_group(c, v[k].most->waiter);
        const double share = waits_at_share(c, &v[k]);
        uint64_t all = 0;
        for (uint32_t i = 0; i < c->tg->npairs; i++) {
            all += causes_place(c->tr, c->tg->pairs[i].stack) == v[k].place ? c->tg->pairs[i].count : 0;
        }
        if ((double)v[k].count >= threshold(TH_FINAL_WAITS) && share >= threshold(TH_FINAL_LIFE)) {
            finalizer_finding(c, &v[k], all, g, share < 1 ? share : 1);
        }
    }
}
