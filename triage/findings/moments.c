/*
 * moments.c - where what runs is inside its runs: a trace has no stacks between two waits, but for the moments at which a goroutine
 * was stopped, or had to do the collector's work while it allocated. Of many of these most are where most is done.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"

#define MEMBERS 32  /* goroutines looked at */
#define STEPS 20000 /* spans of each */
#define PLACES 64

struct moments {
    struct {
        uint32_t func, stack, n;
    } v[PLACES];
    uint32_t n, all;
};

static void moment(struct moments *m, const struct trace *tr, uint32_t stack)
{
    const uint32_t func = stack ? causes_place(tr, stack) : 0;
    uint32_t i = 0;
    if (!func) {
        return;
    }
    m->all++;
    while (i < m->n && m->v[i].func != func) {
        i++;
    }
    if (i == PLACES) {
        return;
    }
    if (i == m->n) {
        m->v[m->n].func = func;
        m->v[m->n].stack = stack;
        m->v[m->n++].n = 0;
    }
    m->v[i].n++;
}

static void stopped(const struct causes *c, uint32_t group, struct moments *m)
{
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS; i++) {
        struct span_iter it;
        bool more = span_seek_index(&it, c->tr, (struct lane){LANE_G, causes_member(c, group, i, MEMBERS)}, 0);
        for (int k = 0; more && k < STEPS; k++, more = span_next(&it)) {
            const struct span *s = span_get(&it);
            if (s->state == ST_RUNNABLE && s->who == NO_LANE) {
                moment(m, c->tr, s->stack);
            }
        }
    }
}

static void allocating(const struct causes *c, uint32_t group, enum range_kind kind, struct moments *m)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, kind, &r), step = n / STEPS + 1;
    for (size_t i = 0; i < n; i += step) {
        if (r[i].owner < c->tg->ng && gstat_group(c->tg->g, r[i].owner) == group) {
            moment(m, c->tr, r[i].stack);
        }
    }
}

uint32_t moments_most(const struct causes *c)
{
    uint32_t group = UINT32_MAX;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const bool more =
            group == UINT32_MAX || c->tg->groups[i].d[GM_EXEC].total > c->tg->groups[group].d[GM_EXEC].total;
        group = !c->tg->groups[i].is_system && more ? i : group;
    }
    return group;
}

bool moments_text(struct text *t, const struct causes *c, uint32_t group, double least, uint32_t *stack)
{
    struct moments m = {0};
    uint32_t best = 0;
    if (group == UINT32_MAX || c->running < threshold(TH_TIME_BUSY) * c->procs) {
        return false;
    }
    stopped(c, group, &m);
    allocating(c, group, RANGE_ASSIST, &m);
    allocating(c, group, RANGE_STW, &m);
    for (uint32_t i = 1; i < m.n; i++) {
        best = m.v[i].n > m.v[best].n ? i : best;
    }
    if ((double)m.all < least || (double)m.v[best].n < threshold(TH_TIME_INSIDE) * (double)m.all ||
        m.v[best].func == c->tg->groups[group].name) { /* or just in what they began with */
        return false;
    }
    const bool few = (double)m.all < threshold(TH_TIME_MOMENTS);
    *stack = m.v[best].stack;
    text_calls(t, c->tr, *stack, stacks_user_frame(c->tr, *stack), 3);
    text_lit(t, " is where goroutines of ");
    text_func(t, c->tr, c->tg->groups[group].name, 0);
    text_add(t, "%s were at ", few ? "" : ", which run most,");
    if (m.all == 1) {
        text_lit(t, "the only moment inside their runs that the trace has");
    } else {
        text_add(t, "%u of %u moments inside their runs that the trace has", m.v[best].n, m.all);
    }
    text_add(t, " (when they were stopped, or allocated for the collector)%s", few ? ": few to go by." : ".");
    return true;
}
