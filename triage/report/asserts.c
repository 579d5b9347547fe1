/* asserts.c - see asserts.h. */
#include "triage/report/asserts.h"
#include "triage/sentence.h"

#include <string.h>

bool asserts_of(struct asserts *a, const struct loaded *l, const struct assert_on *on, uint32_t n,
                uint32_t *which, struct err *e)
{
    *a = (struct asserts){.path = l->path, .partial = l->partial};
    for (uint32_t i = 0; i < n && i < ASSERTS_MOST; i++) {
        struct asserted *x = &a->v[a->n++];
        const struct condition *c = &on[i].cond;
        *which = i;
        x->on = &on[i];
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
    for (uint32_t i = 0; i < a->n; i++)
        any |= !a->v[i].held;
    return any;
}

static void put_value(struct text *t, const struct asserted *x)
{
    if (x->v.known)
        metric_text(t, &x->v);
    else
        text_lit(t, "the trace has no such thing");
}

void asserts_text(struct text *t, const struct asserts *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct asserted *x = &a->v[i];
        text_say(t, NULL, x->held ? "held  " : "BROKEN", " ", t_clean(x->on->said), ": ");
        put_value(t, x);
        text_say(t, NULL, "  ", t_clean(a->path), a->partial ? "  (partial)" : "", "\n");
    }
}
