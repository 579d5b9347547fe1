/*
 * slots.c - whether waits end at a limit because goroutines never release their slots. See verdict.h.
 *
 * Up to a moment pieces pass the place, with or without a wait. After it none does: each one that comes
 * waits until its limit, and none that had passed is still in what follows. So nobody holds a slot, and
 * nobody will release one.
 */
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { STEPS = 256, WALKED = 400000 };

struct gate {
    const struct causes *c;
    const struct works *w;
    uint32_t user,
        /* strings: the function that waits; the outermost function of the program's own on that stack */
        root;
    uint32_t asked, in; /* cache: a stack, and whether it is of the root */
};

/* Returns the outermost function of the program's own in a stack. */
static uint32_t root_of(const struct works *w, uint32_t stack)
{
    for (uint32_t i = trace_stack(w->tr, stack); i-- > 0;) {
        const struct frame f = trace_frame(w->tr, stack, i);
        if (owner_of(w->own, &f) == OWNER_PROGRAM)
            return f.func;
    }
    return 0;
}

enum at_gate { ELSEWHERE, AT, BEHIND };

/* Whether a waiter is at the gate, or elsewhere in what passes it and so past the gate. */
static enum at_gate gate_at(struct gate *k, uint32_t stack)
{
    if (stack != k->asked) {
        k->asked = stack;
        k->in = verdict_place(k->w, stack).user == k->user ? AT
                : root_of(k->w, stack) == k->root          ? BEHIND
                                                           : ELSEWHERE;
    }
    return (enum at_gate)k->in;
}

struct passage {   /* of one piece */
    bool vain;     /* its last wait at the gate failed */
    bool passed;   /* it waited past the gate, most recently at `at` */
    bool answered; /* goroutines of another group ended its wait at the gate: an answer, not a slot */
    int64_t t0, at;
};

static struct passage passage_of(struct gate *k, const struct workpiece *p, uint32_t *left)
{
    struct passage a = {.vain = false};
    struct walk w;
    struct span wait = {.state = ST_NONE};
    walk_at(&w, k->c->tr, p->g, p->t0, STEPS);
    for (const struct span *s; *left && (s = walk_next(&w)) && s->t0 < p->t1; --*left) {
        if (wait.state == ST_WAITING && s->state == ST_RUNNABLE && gate_at(k, wait.stack) == AT) {
            a.vain = verdict_by_timer(k->c->tr, s->who);
            a.answered |= !a.vain && gstat_group(k->c->tg->g, s->who) != gstat_group(k->c->tg->g, p->g);
            a.t0 = wait.t0;
        } else if (wait.state == ST_WAITING && gate_at(k, wait.stack) == BEHIND) {
            a.passed = true;
            a.at = wait.t1;
        }
        wait = s->state == ST_WAITING && s->stack ? *s : (struct span){.state = ST_NONE};
    }
    a.passed &= !a.vain || a.at < a.t0;
    return a;
}

/* Whether any goroutine is past the gate until the end: it has the slot then. */
static bool held(struct gate *k)
{
    for (uint32_t i = 0; i < k->c->tg->nwaits; i++) {
        const struct wait_row *r = &k->c->tg->waits[i];
        if (r->open && r->stack && r->longest.t1 >= k->c->tg->end - 1 && gate_at(k, r->stack) == BEHIND)
            return true;
    }
    return false;
}

/* Whether any piece passes after t. Tested first because for most limits one does, which settles the
 * question. */
static bool passes_after(struct gate *k, const struct work *w, int64_t t, uint32_t *left)
{
    for (uint32_t i = 0; i < w->looked && *left; i++)
        if (w->v[i].t1 > t) {
            const struct passage a = passage_of(k, &w->v[i], left);
            if (a.passed && a.at > t)
                return true;
        }
    return false;
}

bool verdict_slots_lost(const struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    struct gate k = {.c = c, .w = all, .user = v->where.user, .root = root_of(all, v->where.stack)};
    uint32_t passed = 0, answered = 0, vain = 0, left = WALKED;
    int64_t last = 0;
    if (!v->where.stack || !k.root || w->kind == WORK_TASKS)
        return false;
    if (passes_after(&k, w, c->tg->end - (int64_t)(threshold(TH_DOUBLE) * v->ev[EV_EACH]), &left))
        return false;
    left = WALKED;
    /* Finds when the last piece passed, and which ones have waited in vain since. */
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < w->looked; i++) {
            const struct passage a = passage_of(&k, &w->v[i], &left);
            passed += round == 0 && a.passed;
            answered += round == 0 && a.passed && a.answered;
            last = round == 0 && a.passed && a.at > last ? a.at : last;
            vain += round == 1 && a.vain && a.t0 >= last;
        }
    }
    if (!left || passed < threshold(TH_PIECES) || answered * 2 > passed || vain < threshold(TH_MANY) ||
        held(&k) || (double)(c->tg->end - last) < threshold(TH_DOUBLE) * v->ev[EV_EACH])
        return false;
    verdict_ev(v, EV_SINCE, (double)last);
    verdict_ev(v, EV_COUNT, vain);
    return true;
}
