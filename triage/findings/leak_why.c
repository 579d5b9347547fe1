/* leak_why.c - see leak_why.h. */
#include "triage/findings/leak_why.h"

#define RECEIVERS 64 /* goroutines of one start function */
#define KINDS 8      /* of receivers */

/* ---- no receivers left --------------------------------------------------------------------------------- */

static uint32_t group_of(const struct triage *tg, uint32_t name)
{
    for (uint32_t i = 0; i < tg->ngroups; i++)
        if (tg->groups[i].name == name)
            return i;
    return UINT32_MAX;
}

/* True if all goroutines of p's waiters have ended by `since`. *last: when the last of them ended, *g: its
 * lane. */
static bool over_by(const struct triage *tg, const struct pair_row *p, int64_t since, int64_t *last,
                    uint32_t *g)
{
    const uint32_t group = group_of(tg, p->waiter);
    uint32_t n = 0;
    for (uint32_t i = 0; group != UINT32_MAX && (i = gstats_next(tg->g, i, group)) != NO_LANE; i++) {
        struct lifetime life;
        trace_lives(tg->tr, LANE_G, i, 1, &life);
        if (!life.over || life.last > since || ++n > RECEIVERS)
            return false;
        if (*g == NO_LANE || life.last > *last) {
            *last = life.last;
            *g = i;
        }
    }
    return n > 0;
}

bool leak_gone(const struct triage *tg, uint32_t stack, int64_t since, struct leak_gone *out)
{
    const uint32_t sends = stack ? stacks_user(tg->tr, stack) : 0;
    uint32_t seen[KINDS];
    *out = (struct leak_gone){.g = NO_LANE};
    for (uint32_t i = 0; sends && i < tg->npairs; i++) {
        const struct pair_row *p = &tg->pairs[i];
        bool known = p->from_scheduler || (p->kind != WK_RECV && p->kind != WK_SELECT) || !p->waker_stack ||
                     stacks_user(tg->tr, p->waker_stack) != sends;
        for (uint32_t k = 0; k < out->kinds && !known; k++)
            known = seen[k] == p->waiter;
        if (known)
            continue;
        if (out->kinds == KINDS || !over_by(tg, p, since, &out->last, &out->g))
            return false;
        seen[out->kinds++] = p->waiter;
        out->most = out->most ? out->most : p;
    }
    return out->most != NULL;
}
