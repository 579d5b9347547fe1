/*
 * slots.c - whether waits end at a limit, or never, as goroutines never release their slots. See verdict.h.
 *
 * Up to a moment pieces pass the place, with or without a wait. After it none does: each one that comes
 * waits until its limit, or for good, and none that had passed is still in what follows. So nobody holds a
 * slot, and nobody will release one.
 */
#include "decode/base/mem.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"
#include "triage/verdicts/verdict.h"

enum { STEPS = 256, WALKED = 200000 };

struct gate {
    const struct causes *c;
    const struct works *w;
    /* strings: the function that waits; the outermost function of the program's own on that stack */
    uint32_t user, root;
};

enum at_gate { ELSEWHERE, AT, BEHIND };

/* Whether a waiter is at the gate, or elsewhere in what passes it and so past the gate. */
static enum at_gate gate_at(const struct gate *k, uint32_t stack)
{
    return verdict_place(k->w, stack).user == k->user ? AT
           : owner_root(k->w->own, stack) == k->root  ? BEHIND
                                                      : ELSEWHERE;
}

struct passage {   /* of one piece */
    bool vain;     /* its last wait at the gate failed */
    bool passed;   /* it waited past the gate, most recently at `at` */
    bool answered; /* goroutines of another group ended its wait at the gate: an answer, not a slot */
    int64_t t0, at;
    int64_t let_in; /* its last wait there that did not fail ended */
};

/* Whether a time limit ended that wait: a timer, or the context's. What else a timer begins does something
 * for it. */
static bool in_vain_by(const struct trace *tr, uint32_t who)
{
    return who == NO_LANE ||
           (verdict_by_timer(tr, who) && str_starts(trace_str(tr, trace_g_name(tr, who)), "context."));
}

static struct passage passage_of(const struct gate *k, const struct workpiece *p, uint32_t *left)
{
    struct passage a = {.vain = false};
    struct walk w;
    struct span wait = {.state = ST_NONE};
    walk_at(&w, k->c->tr, p->g, p->t0, STEPS);
    for (const struct span *s; *left && (s = walk_next(&w)) && s->t0 < p->t1; --*left) {
        if (wait.state == ST_WAITING && s->state == ST_RUNNABLE && gate_at(k, wait.stack) == AT) {
            a.vain = in_vain_by(k->c->tr, s->who);
            a.answered |= !a.vain && k->c->tg->group_of[s->who] != k->c->tg->group_of[p->g];
            a.let_in = a.vain ? a.let_in : wait.t1;
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

static struct gate gate_of(const struct causes *c, const struct works *w, const struct verdict *v)
{
    return (struct gate){.c = c, .w = w, .user = v->where.user, .root = owner_root(w->own, v->where.stack)};
}

/* Whether any goroutine is past the gate until the end: it has the slot then. */
static bool held(const struct gate *k)
{
    return any_of(i, k->w->nstands, gate_at(k, k->w->stand[i].stack) == BEHIND);
}

/* Returns how many pieces waited in vain since `last`. */
static uint32_t in_vain(const struct passage *v, uint32_t n, int64_t last)
{
    return (uint32_t)sum_over(a, v, n, a->vain && a->t0 >= last);
}

/* Reads the pieces, those that end last first, while they can be slots lost. In most programs one of the
 * first few passes late, which settles the question. */
static bool are_lost(const struct gate *k, const struct work *w, const struct keyed_row *late,
                     struct passage *v, struct verdict *out)
{
    const double least = threshold(TH_DOUBLE) * out->ev[EV_EACH]; /* from the last passage to the end */
    uint32_t passed = 0, answered = 0, left = WALKED;
    int64_t last = 0;
    bool since = true; /* pieces may have waited since the last passage */
    for (uint32_t i = 0; i < w->looked; i++) {
        const struct workpiece *p = &w->v[late[i].row];
        if (since && p->t1 <= last && in_vain(v, i, last) < threshold(TH_MANY))
            return false;
        since = p->t1 > last;
        v[i] = passage_of(k, p, &left);
        passed += v[i].passed;
        answered += v[i].passed && v[i].answered;
        last = v[i].passed && v[i].at > last ? v[i].at : last;
        if (!left || (double)(k->c->tg->end - last) < least)
            return false;
    }
    const uint32_t vain = in_vain(v, w->looked, last);
    if (passed < threshold(TH_PIECES) || answered * 2 > passed || vain < threshold(TH_MANY))
        return false;
    verdict_ev(out, EV_SINCE, (double)last);
    verdict_ev(out, EV_COUNT, vain);
    return true;
}

bool verdict_slots_lost(const struct causes *c, const struct works *all, struct verdict *v)
{
    const struct work *w = &all->v[v->harm.work];
    const struct gate k = gate_of(c, all, v);
    const bool reads = v->ndoing && v->doing[0].cat == EX_DEADLINE; /* which is no wait for a slot */
    if (!v->where.stack || !k.root || w->kind == WORK_TASKS || reads || held(&k))
        return false;
    struct keyed_row *late = mem_alloc((w->looked + 1) * sizeof *late);
    struct passage *passages = mem_alloc((w->looked + 1) * sizeof *passages);
    for (uint32_t i = 0; late && i < w->looked; i++)
        late[i] = (struct keyed_row){most_first(w->v[i].t1), i};
    const bool lost = late && passages && rows_sort(late, w->looked) && are_lost(&k, w, late, passages, v);
    mem_free(late);
    mem_free(passages);
    return lost;
}

/* When the last piece was let in; 0: none was. */
static int64_t last_let_in(const struct gate *k, const struct work *w)
{
    uint32_t left = WALKED;
    int64_t last = 0;
    for (uint32_t i = 0; i < w->looked && left; i++) {
        const int64_t in = w->v[i].t1 > last ? passage_of(k, &w->v[i], &left).let_in : 0;
        last = in > last ? in : last;
    }
    return last;
}

bool verdict_slots_gone(const struct causes *c, const struct works *all, struct verdict *v)
{
    const struct gate k = gate_of(c, all, v);
    const struct stand *first = NULL;
    const uint32_t group = causes_group(c, v->holder.group);
    uint32_t n = 0, stand = 0;
    if (!v->where.stack || !k.root || group == UINT32_MAX || held(&k))
        return false;
    each_of(s, all->stand, all->nstands) {
        const bool at = gate_at(&k, s->stack) == AT;
        n += at;
        stand += c->tg->group_of[s->g] == group;
        first = at && (!first || s->since < first->since) ? s : first;
    }
    const int64_t in = first ? last_let_in(&k, &all->v[v->harm.work]) : 0,
                  since = first && first->since > in ? first->since : in, ns = first ? c->tg->end - since : 0;
    const uint32_t alive = c->tg->groups[group].count - c->tg->groups[group].ended;
    if (n < threshold(TH_SEVERAL) || stand < alive /* one that runs may have it */ ||
        !threshold_reached(TH_STUCK_PART, ns, c->tg->end) ||
        (double)ns < threshold(TH_LEAK_AGAIN) * v->ev[EV_EACH])
        return false;
    verdict_ev(v, EV_SINCE, (double)since);
    verdict_ev(v, EV_COUNT, n);
    return true;
}
