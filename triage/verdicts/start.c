/*
 * start.c - whether main's calls, one after the other, are the startup of the program: they begin with the
 * trace, main waits for hardly anything else until the last one, and waits for something else afterwards. See
 * verdict.h.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { STEPS = 200000 };

bool verdict_starts_up(const struct causes *c, const struct works *w, const struct verdict *v, int64_t *ns,
                       uint32_t *n)
{
    const struct work *k = &w->v[v->harm.work];
    int64_t first = NO_TIME, last = 0, here = 0, others = 0, before = 0;
    *n = 0;
    if (k->kind != WORK_MAIN || !k->looked)
        return false;
    each_walked(s, c->tr, k->v[0].g, STEPS) {
        if (s->state != ST_WAITING || !s->stack)
            continue;
        if (verdict_place(w, s->stack).user == v->where.user) {
            first = first == NO_TIME ? s->t0 : first;
            last = s->t1;
            here = ns_add(here, s->t1 - s->t0);
            others = ns_add(others, before); /* between two of them */
            before = 0;
            ++*n;
        } else {
            before = ns_add(before, s->t1 - s->t0);
        }
    }
    *ns = last;
    const int64_t tenth = (int64_t)(threshold(TH_SHARE) * (double)c->tg->end);
    return *n >= threshold(TH_PIECES) && first < tenth && last < c->tg->end - tenth && before >= tenth &&
           here * 2 > last - first && others < tenth;
}
