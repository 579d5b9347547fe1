/*
 * late.c - whether pieces of a work wait for a goroutine that takes what has come only when its timer fires:
 * it sleeps and then looks (a poll), or it is handed something and waits for more until a limit is up (a
 * batch). A goroutine that is woken and then sleeps is different: that sleep may be its work. See verdict.h.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { PIECES = 48, LOOKED = 256, STEPS = 2000, BACK = 12 };

/* Finds g's last wait before t. *z receives it. Returns whether it is at the verdict's place. */
static bool last_wait(const struct causes *c, const struct works *w, const struct verdict *v, uint32_t g,
                      int64_t t, struct span *z)
{
    struct span_iter it = {.tr = NULL};
    bool more = span_seek_at(&it, c->tr, (struct lane){LANE_G, g}, t);
    for (int i = 0; i < BACK && more; i++, more = span_prev(&it)) {
        *z = *span_get(&it);
        if (z->state == ST_WAITING && z->t1 <= t)
            return z->stack && verdict_place(w, z->stack).user == v->where.user;
    }
    return false;
}

/* Whether nobody ended that wait of g. */
static bool by_timer(const struct causes *c, uint32_t g, const struct span *z)
{
    struct span after;
    return trace_span_at(c->tr, (struct lane){LANE_G, g}, z->t1, &after) && after.state == ST_RUNNABLE &&
           verdict_by_timer(c->tr, after.who);
}

/* Whether goroutine `by` wakes g in [t0,t1): it hands something over. */
static bool hands_over(const struct causes *c, uint32_t by, uint32_t g, int64_t t0, int64_t t1)
{
    struct walk w;
    bool is = false;
    walk_at(&w, c->tr, g, t0, STEPS);
    for (const struct span *s; !is && (s = walk_next(&w)) && s->t0 < t1;)
        is = s->state == ST_RUNNABLE && s->who == by && s->t0 >= t0;
    return is;
}

bool verdict_found_late(const struct causes *c, const struct works *all, const struct verdict *v)
{
    const struct work *k = &all->v[v->harm.work];
    uint32_t looked = 0, late = 0;
    for (uint32_t i = 0; i < k->looked; i += k->looked / PIECES + 1) {
        const struct workpiece *p = &k->v[i];
        struct walk w;
        struct span s, z;
        walk_at(&w, c->tr, p->g, p->t0, STEPS);
        const struct span *next = walk_next(&w);
        while (looked < LOOKED && walk_pair(&w, &s, &next) && s.t0 < p->t1) {
            if (s.state != ST_WAITING || !next || next->state != ST_RUNNABLE || next->who >= c->tg->ng ||
                trace_g_name(c->tr, next->who) != v->waiter.group)
                continue;
            looked++;
            late += last_wait(c, all, v, next->who, s.t1, &z) && by_timer(c, next->who, &z) && z.t1 > s.t0 &&
                    (v->rule == RULE_SLEEP ? z.t0 < s.t0 : hands_over(c, p->g, next->who, p->t0, s.t1));
        }
    }
    return late >= threshold(TH_SEVERAL) && late * 2 >= looked;
}
