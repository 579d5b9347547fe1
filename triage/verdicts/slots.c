/*
 * slots.c - whether waits end at a limit, or never, as goroutines never release their slots. See verdict.h.
 *
 * Up to a moment pieces pass the place, with or without a wait. After it none does: each one that comes
 * waits until its limit, or for good, and none that had passed is still in what follows. So nobody holds a
 * slot, and nobody will release one.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { STEPS = 256, WALKED = 200000 };

struct gate {
    const struct causes *c;
    const struct works *w;
    /* strings: the function that waits; the outermost function of the program's own on that stack */
    uint32_t user, root;
    int32_t left;              /* so many spans may be read yet */
    int64_t last;              /* when somebody passed */
    uint32_t passed, answered; /* waits of those who passed; answered: by goroutines of another group, it
                                * is no slot */
    uint32_t vain;             /* waits in vain since `last` */
};

enum at_gate { ELSEWHERE, AT, BEHIND };

/* Whether a waiter is at the gate, or elsewhere in what passes it and so past the gate. */
static enum at_gate gate_at(const struct gate *k, uint32_t stack)
{
    return verdict_place(k->w, stack).user == k->user ? AT
           : owner_root(k->w->own, stack) == k->root  ? BEHIND
                                                      : ELSEWHERE;
}

/* Whether a time limit ended that wait: a timer, or the context's. What else a timer begins does something
 * for it. */
static bool in_vain_by(const struct trace *tr, uint32_t who)
{
    return who == NO_LANE ||
           (verdict_by_timer(tr, who) && str_starts(trace_str(tr, trace_g_name(tr, who)), "context."));
}

/* Reads a piece: who is let in at the gate, or waits past it, has passed. What waits there in vain counts
 * from `since` on. */
static void gate_read(struct gate *k, const struct workpiece *p, int64_t since)
{
    const struct trace *tr = k->c->tr;
    bool vain = false;
    each_pair_between(s, next, tr, p->g, p->t0, p->t1, STEPS) {
        k->left--;
        if (s->state != ST_WAITING || !s->stack || next->state != ST_RUNNABLE)
            continue;
        const enum at_gate at = gate_at(k, s->stack);
        vain = at == AT ? in_vain_by(tr, next->who) : vain;
        k->vain += at == AT && vain && s->t0 >= since;
        if (at == ELSEWHERE || vain)
            continue;
        k->passed++;
        k->answered += at == AT && k->c->tg->group_of[next->who] != k->c->tg->group_of[p->g];
        k->last = s->t1 > k->last ? s->t1 : k->last;
    }
}

bool verdict_slots_lost(const struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const bool reads = v->ndoing && v->doing[0].cat == EX_DEADLINE; /* which is no wait for a slot */
    struct gate k = {.c = c, .w = all, .user = v->where.user, .left = WALKED};
    uint32_t stand = 0;
    k.root = v->where.stack ? owner_root(all->own, v->where.stack) : 0;
    if (!k.root || w->kind == WORK_TASKS || w->job || reads)
        return false;
    each_of(s, all->stand, all->nstands) {
        const enum at_gate at = gate_at(&k, s->stack);
        if (at == BEHIND) /* it has the slot */
            return false;
        stand += at == AT;
    }
    k.vain = stand;
    for (uint32_t i = 0; i < w->looked && k.left > 0; i++)
        if (w->v[i].t1 > k.last)
            gate_read(&k, &w->v[i], INT64_MAX);
    const uint32_t passed = k.passed, answered = k.answered;
    for (uint32_t i = 0; i < w->looked && k.left > 0; i++)
        if (w->v[i].t1 > k.last)
            gate_read(&k, &w->v[i], k.last);
    const int64_t ns = c->tg->end - k.last;
    if (k.left <= 0 || passed < threshold(TH_PIECES) || answered * 2 > passed ||
        (k.vain < threshold(TH_MANY) && stand < threshold(TH_SEVERAL)) ||
        !threshold_reached(TH_STUCK_PART, ns, c->tg->end) ||
        (double)ns < threshold(TH_DOUBLE) * v->ev[EV_EACH])
        return false;
    verdict_ev(v, EV_SINCE, (double)k.last);
    verdict_ev(v, EV_COUNT, k.vain);
    return true;
}
