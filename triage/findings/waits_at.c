/*
 * waits_at.c - see waits_at.h.
 */
#include "triage/findings/leaves.h"
#include "triage/findings/waits_at.h"

void waits_at_add(struct waits_at *v, uint32_t *n, uint32_t most, uint32_t place, const struct pair_row *p)
{
    uint32_t k = 0;
    while (k < *n && v[k].place != place) {
        k++;
    }
    if (k == most) {
        return;
    }
    if (k == *n) {
        v[(*n)++] = (struct waits_at){.place = place, .most = p};
    }
    v[k].total = ns_add(v[k].total, p->total);
    v[k].count += p->count;
    v[k].most = p->total > v[k].most->total ? p : v[k].most;
}

#define CALLS_SAID 4
#define NEARLY_ALL 0.95

void waits_at_text(struct text *t, const struct causes *c, const struct waits_at *p)
{
    const uint32_t stack = p->most->stack, frame = stacks_user_frame(c->tr, stack);
    int64_t alike[CALLS_SAID + 1] = {0}, all = 0; /* [k]: of those whose first k functions are the same */
    struct callers by = {0};
    unsigned said = CALLS_SAID;
    for (uint32_t i = 0; i < c->tg->npairs; i++) {
        const struct pair_row *q = &c->tg->pairs[i];
        if (q->kind != p->most->kind || causes_place(c->tr, q->stack) != p->place) {
            continue;
        }
        const uint32_t its = stacks_user_frame(c->tr, q->stack), caller = text_caller(c->tr, q->stack, its, 1);
        all = ns_add(all, q->total);
        for (unsigned k = 1; k <= CALLS_SAID && text_calls_alike(c->tr, stack, frame, q->stack, its, k); k++) {
            alike[k] = ns_add(alike[k], q->total);
        }
        if (caller) {
            callers_add(&by, caller, q->total);
        }
    }
    while (said > 1 && (double)alike[said] < NEARLY_ALL * (double)all) {
        said--;
    }
    text_calls(t, c->tr, stack, frame, said);
    if (said == 1) {
        const struct caller most = callers_most(&by, all);
        caller_text(t, c->tr, &most);
    }
}
