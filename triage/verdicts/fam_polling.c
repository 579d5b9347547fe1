/*
 * fam_polling.c - who sleeps instead of waiting for what it handed over. That it sleeps is no fault: it does
 * where nothing can be waited for. It is one where the goroutine that has the work is done, and goes back to
 * wait for more, while the sleep goes on.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { MEMBERS = 16, STEPS = 4000 };

struct polled {
    const struct causes *c;
    const struct works *w;
    const struct verdict *v;
    uint32_t looked, done; /* things handed over; done while the one that handed them over slept */
    double asleep, late;   /* ns of these sleeps, and since they were done */
};

/* Is g asleep there at t, since it handed something over at `since`? */
static bool sleeps(struct polled *p, uint32_t g, int64_t since, int64_t t)
{
    struct span s;
    if (!trace_span_at(p->c->tr, (struct lane){LANE_G, g}, t, &s) || s.state != ST_WAITING || s.t0 < since ||
        stacks_wait_kind(p->c->tr, s.reason, s.stack) != WK_SLEEP ||
        verdict_place(p->w, s.stack).user != p->v->where.user)
        return false;
    p->asleep += (double)(s.t1 - s.t0);
    p->late += (double)(s.t1 - t);
    return true;
}

/* One of those that are handed something: from a wake-up to where it waits for the next one. */
static void look_at(struct polled *p, uint32_t g)
{
    uint32_t rest = 0, from = NO_LANE;
    int64_t since = 0;
    struct walk k;
    walk_g(&k, p->c->tr, g, STEPS);
    for (const struct span *s; (s = walk_next(&k));) {
        if (s->state == ST_NONE) {
            rest = 0;
            from = NO_LANE;
        } else if (s->state == ST_WAITING && from != NO_LANE && s->stack == rest) {
            p->looked++;
            p->done += sleeps(p, from, since, s->t0);
            from = NO_LANE;
        } else if (s->state == ST_WAITING && from == NO_LANE) {
            rest = s->stack;
        } else if (s->state == ST_RUNNABLE && from == NO_LANE && rest && s->who < p->c->tg->ng &&
                   trace_g_name(p->c->tr, s->who) == p->v->waiter.group) {
            from = s->who;
            since = s->t0;
        }
    }
}

double verdict_polls(const struct causes *c, const struct works *w, const struct verdict *v)
{
    struct polled p = {.c = c, .w = w, .v = v};
    for (uint32_t i = 0; i < works_pairs(c); i++) {
        const struct pair_row *r = &c->tg->pairs[i];
        const uint32_t group = causes_group(c, r->waiter);
        if (r->waker != v->waiter.group || r->waiter == r->waker || r->from_scheduler ||
            (double)r->count < threshold(TH_SEVERAL) || !wait_passes_on(r->kind) || group == UINT32_MAX)
            continue;
        const uint32_t looked = p.looked, done = p.done;
        for (uint32_t k = 0; k < c->of[group].n && k < MEMBERS; k++)
            look_at(&p, causes_member(c, group, k, MEMBERS));
        if (p.looked - looked >= threshold(TH_SEVERAL) && (p.done - done) * 2 >= p.looked - looked)
            return p.asleep > 0 ? p.late / p.asleep : 0;
        p.asleep = p.late = 0;
    }
    return 0;
}
