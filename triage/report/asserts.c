/* asserts.c - see asserts.h. */
#include "triage/report/asserts.h"
#include "triage/sentence.h"

#include <string.h>

bool asserts_of(struct asserts *a, const struct loaded *l, struct err *e)
{
    a->path = l->path;
    a->partial = l->partial;
    for (uint32_t i = 0; i < a->n; i++) {
        struct asserted *x = &a->v[i];
        const struct condition *c = &x->cond;
        a->told = i + 1;
        *x = (struct asserted){.said = x->said, .cond = x->cond};
        if (metric_get(l, c->metric, &x->v, e) != ERR_OK)
            return false;
        if (x->v.known && c->unit != x->v.unit && !(c->unit == UNIT_COUNT && c->v == 0)) {
            err_set(e, ERR_ARG, ERR_NO_OFFSET, "the value's unit is not the metric's");
            return false;
        }
        x->held = x->v.known && condition_holds(c, x->v.v);
    }
    return true;
}

bool asserts_broken(const struct asserts *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->told; i++)
        any |= !a->v[i].held;
    return any;
}

void asserts_text(struct text *t, const struct asserts *a)
{
    for (uint32_t i = 0; i < a->told; i++) {
        const struct asserted *x = &a->v[i];
        text_say(t, NULL, x->held ? "held  " : "BROKEN", " ", t_clean(x->said), ": ");
        if (x->v.known)
            metric_text(t, &x->v);
        else
            text_lit(t, "the trace has no such thing");
        text_say(t, NULL, "  ", t_clean(a->path), a->partial ? "  (partial)" : "", "\n");
    }
}
