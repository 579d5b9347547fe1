/*
 * explain.c - see explain.h. Levels are on an explicit stack and walked backwards in time: the stack in
 * which a waker unblocked is in the span after the wait, and a hand-off then needs no return, as the rest
 * of a level is before it.
 */
#include "triage/findings/explain_priv.h"

#include "decode/base/mem.h"
#include "decode/base/order.h"
#include "triage/findings/trails.h"
#include "triage/tables/slices.h"
#include "triage/tables/tab.h"
#include "triage/triage.h"
#include "triage/work/owner.h"

#define BUDGET 4000000

static const struct {
    const char *id, *name;
} cats[EX_CATS] = {
#define CAT(c, key, word, said) [EX_##c] = {key, said},
#include "triage/words.def"
};

const char *explain_cat_name(enum explain_cat c)
{
    return (unsigned)c < EX_CATS ? cats[c].name : "";
}

const char *explain_cat_id(enum explain_cat c)
{
    return (unsigned)c < EX_CATS ? cats[c].id : "";
}

/* ---- the indices --------------------------------------------------------------------------------------- */

ORDER_AT(cmp_region, struct region, LEAST(r->g) LEAST(r->t0) LEAST(r->depth))

struct explainer *explain_new(const struct trace *tr, struct owners *own)
{
    struct explainer *x = mem_zalloc(sizeof *x);
    const struct region *r;
    const struct range *assist;
    size_t n = trace_regions(tr, &r);
    if (!x)
        return NULL;
    x->tr = tr;
    x->left = BUDGET;
    x->ng = trace_nlanes(tr, LANE_G);
    x->np = trace_nlanes(tr, LANE_P);
    x->region = mem_alloc((n + 1) * sizeof *x->region);
    x->nassists = trace_ranges(tr, RANGE_ASSIST, &assist);
    x->assist = lane_order(assist, sizeof *assist, x->nassists, offsetof(struct range, owner),
                           offsetof(struct range, t0));
    ended_init(&x->ended, tr);
    x->own = own ? own : (x->own_made = owners_new(tr));
    if (!x->region || !x->assist || !x->own) {
        explain_free(x);
        return NULL;
    }
    for (size_t i = 0; i < n && i < UINT32_MAX; i++)
        if (r[i].stack && r[i].t1 > r[i].t0)
            x->region[x->nregions++] = (uint32_t)i;
    sort_at(x->region, x->nregions, r, cmp_region);
    return x;
}

void explain_free(struct explainer *x)
{
    if (x) {
        for (int i = 0; i < EXPLAIN_DEPTH; i++)
            mem_free(x->level[i]);
        mem_free(x->region);
        mem_free(x->assist);
        owners_free(x->own_made);
        trails_free(x->trails);
        untimed_free(x->untimed);
        legs_free(&x->legs);
        mem_free(x);
    }
}

void explain_budget(struct explainer *x, uint64_t spans)
{
    x->left = spans;
}

struct owners *explain_owners(const struct explainer *x)
{
    return x->own;
}

uint64_t explain_left(const struct explainer *x)
{
    return x->left;
}

/* ---- one level ----------------------------------------------------------------------------------------- */

static void level_set(struct level *l, uint32_t g, int64_t lo, int64_t hi, uint32_t at_hi)
{
    l->g = g;
    l->lo = lo;
    l->hi = hi;
    l->first = INT64_MIN;
    l->at_hi = at_hi;
    l->placed = false;
    l->then = (struct then){ST_NONE, 0};
}

/* Begin a level: what explains `up`, a wait in the function `asked`. Returns false if out of memory. */
static bool level_begin(struct explainer *x, int depth, uint32_t up, uint32_t asked, uint32_t g, int64_t lo,
                        int64_t hi, uint32_t at_hi)
{
    struct level *l = x->level[depth];
    if (!l && (l = x->level[depth] = mem_alloc(sizeof *l)))
        l->it.tr = NULL;
    if (l) {
        l->up = up;
        l->asked = asked;
        level_set(l, g, lo, hi, at_hi);
    }
    return l;
}

static bool level_place(struct explainer *x, struct level *l)
{
    struct lane lane = lane_g(l->g);
    x->left -= x->left > 0;
    x->placed++;
    if (!span_seek_on(&l->it, x->tr, lane, l->hi - 1))
        return false;
    l->next = (struct span){.state = ST_NONE, .who = NO_LANE};
    if (span_next(&l->it)) {
        l->next = *span_get(&l->it);
        (void)span_prev(&l->it);
    }
    l->placed = true;
    return true;
}

/* Where the level's goroutine did not exist: before its creation its creator explains the time. */
static void step_unborn(struct explainer *x, struct level *l, int depth, struct explain_part p)
{
    const struct lane lane = lane_g(l->g);
    const struct lane_info li = trace_lane_who(x->tr, lane);
    if (depth && li.created && li.creator < x->ng && li.creator != l->g && x->left) {
        level_set(l, li.creator, l->lo, l->hi, li.create_stack);
        x->left--;
        return;
    }
    p.t0 = l->lo;
    p.cat = depth && tri_by_timer(x->tr, lane, &li) ? EX_TIMER : EX_ABSENT;
    (void)explain_tell(x, l, p);
    l->hi = l->lo;
}

/* A wait: the goroutine that ended it explains its time, one level deeper. Returns false if out of memory. */
static bool step_wait(struct explainer *x, struct level *l, int *depth, struct explain_part p,
                      const struct span *s, const struct span *next)
{
    p.cat = ended_how(&x->ended, l->g, s, next, l->then, &p.kind);
    then_is(&l->then, s);
    p.stack_end = 0;
    if (p.cat != EX_WAIT) {
        p.by = p.cat == EX_GC && next->who < x->ng ? next->who : NO_LANE;
        (void)explain_tell(x, l, p);
        return true;
    }
    p.by = next->who;
    p.by_stack = next->stack;
    /* of the program, not of a library: who queues in a library's lock for all of an operation is not who
     * queues for a part of it */
    const uint32_t func = owner_func(x->own, s->stack);
    const bool room = *depth + 1 < EXPLAIN_DEPTH && x->left > 0, tail = p.t0 <= l->lo;
    if (tail && *depth && func && func == l->asked && x->left > 0) { /* the one before it in the queue */
        level_set(l, p.by, p.t0, p.t1, p.by_stack);
        return true;
    }
    p.followed = room;
    x->cut |= !room;
    const uint32_t tag = explain_tell(x, l, p);
    return !room || level_begin(x, ++*depth, tag, func, p.by, p.t0, p.t1, p.by_stack);
}

/* Runnable: the place is its own, where it was preempted or had waited. */
static void step_runnable(struct explainer *x, struct level *l, struct explain_part p, const struct span *s,
                          bool more)
{
    p.stack = p.stack_end = 0;
    if (more) {
        const struct span *b = span_get(&l->it);
        p.stack = b->state == ST_WAITING || b->state == ST_SYSCALL ? b->stack
                  : s->who == NO_LANE                              ? s->stack
                                                                   : 0;
    }
    p.cat = x->visit && explain_nobody_ran(x, p.t0, p.t1) ? EX_NOBODY : EX_RUNNABLE;
    explain_tell_unless_stopped(x, l, p, s);
}

/* Sets *is: whether running after `before` is the rest of that call, which has no end in the trace. Returns
 * false if out of memory. */
static bool in_call(struct explainer *x, const struct span *before, bool *is)
{
    *is = before->state == ST_SYSCALL && before->stack && tri_untimed(x->tr, before->t1 - before->t0);
    if (*is && !x->untimed)
        x->untimed = untimed_new(x->tr);
    const bool ok = !*is || x->untimed;
    *is = *is && ok && untimed_lasts(x->untimed, before->stack);
    return ok;
}

/* The call and what runs after it, as one. */
static void step_call(struct explainer *x, struct level *l, struct explain_part p, const struct span *call)
{
    p.t0 = call->t0 > l->lo ? call->t0 : l->lo;
    p.cat = EX_SYSCALL;
    p.stack = call->stack;
    p.stack_end = 0;
    l->hi = p.t0;
    l->next = *call;
    then_is(&l->then, call);
    if (!span_prev(&l->it))
        l->first = p.t0;
    (void)explain_tell(x, l, p);
}

/* Running: between the place where it was before and the one where it stopped. Returns false if out of
 * memory. */
static bool step_running(struct explainer *x, struct level *l, struct explain_part p, const struct span *s,
                         const struct span *next, bool more)
{
    const struct span before = more ? *span_get(&l->it) : (struct span){0};
    bool is_call;
    if (!in_call(x, &before, &is_call))
        return false;
    if (is_call) {
        step_call(x, l, p, &before);
        return true;
    }
    p.cat = EX_RUN;
    p.stack = 0;
    if (before.state == ST_SYSCALL || before.state == ST_WAITING) {
        p.stack = before.stack;
    } else if (before.state == ST_RUNNABLE) {
        p.stack = before.who == NO_LANE ? before.stack : 0;
        if (before.who != NO_LANE && span_prev(&l->it)) {
            p.stack = span_get(&l->it)->state == ST_WAITING ? span_get(&l->it)->stack : 0;
            (void)span_next(&l->it);
        }
    }
    p.reason = next->state == ST_RUNNABLE && s->t1 == p.t1 ? next->reason : 0;
    p.stack_end = s->t1 > p.t1 && l->at_hi ? l->at_hi : p.stack_end;
    if (!p.stack && !p.stack_end)
        p.stack = trace_lane_who(x->tr, lane_g(l->g)).start_stack;
    explain_tell_unless_stopped(x, l, p, s);
    return true;
}

/* Handle one span of the top level, last first. *depth: of the top level. */
static bool step(struct explainer *x, int *depth)
{
    struct level *l = x->level[*depth];
    struct explain_part p = {.t1 = l->hi, .depth = (uint8_t)*depth, .g = l->g, .by = NO_LANE};
    if (l->hi <= l->lo) {
        --*depth;
        return true;
    }
    if (l->hi <= l->first || (!l->placed && !level_place(x, l)) || span_get(&l->it)->t0 >= l->hi) {
        step_unborn(x, l, *depth, p);
        return true;
    }
    const struct span s = *span_get(&l->it);
    if (s.t1 < l->hi) { /* it is over */
        p.t0 = s.t1 > l->lo ? s.t1 : l->lo;
        p.cat = EX_ABSENT;
        (void)explain_tell(x, l, p);
        l->hi = p.t0;
        return true;
    }
    const struct span next = l->next;
    p.t0 = s.t0 > l->lo ? s.t0 : l->lo;
    p.reason = s.reason;
    p.stack = s.stack;
    p.stack_end = s.stack_end;
    l->hi = p.t0;
    l->next = s;
    x->left -= x->left > 0;
    const bool more = span_prev(&l->it);
    if (!more)
        l->first = p.t0;
    switch (s.state) {
    case ST_WAITING: return step_wait(x, l, depth, p, &s, &next);
    case ST_RUNNABLE: step_runnable(x, l, p, &s, more); return true;
    case ST_RUNNING:
    case ST_GCWORK: return step_running(x, l, p, &s, &next, more);
    case ST_SYSCALL:
        then_is(&l->then, &s);
        p.cat = EX_SYSCALL;
        p.stack_end = 0;
        break;
    default: p.cat = EX_UNKNOWN; then_is(&l->then, &s);
    }
    (void)explain_tell(x, l, p);
    return true;
}

/* Explain [a,b) of goroutine g, from a depth on, as what explains `up`. Returns false if out of memory. */
static bool walk_from(struct explainer *x, int depth, uint32_t up, uint32_t g, int64_t a, int64_t b)
{
    const int top = depth;
    if (!level_begin(x, top, up, 0, g, a, b, 0))
        return false;
    while (depth >= top)
        if (!slices_tick() || !step(x, &depth))
            return false;
    return true;
}

static bool walk_leg(struct explainer *x, const struct leg *l)
{
    struct explain_part p = {l->t0, l->t1, .cat = EX_QUEUED, .g = l->g, .by = l->g};
    p.stack = trace_lane_who(x->tr, lane_g(l->g)).start_stack;
    if (l->g >= x->ng || !l->queued)
        return l->g >= x->ng || walk_from(x, 0, 0, l->g, l->t0, l->t1);
    p.followed = x->left > 0;
    x->cut |= !p.followed;
    const uint32_t tag = x->visit ? x->visit(x->arg, 0, &p) : 0;
    return !p.followed || walk_from(x, 1, tag, l->g, l->t0, l->t1);
}

bool explain_legs(struct explainer *x, struct workpiece p, struct legs *out)
{
    if (p.task != NO_TASK && !x->trails) {
        x->trails = trails_new(x->tr);
        if (!x->trails)
            return false;
    }
    return legs_of(x->trails, &p, &x->left, out);
}

bool explain_walk(struct explainer *x, struct workpiece p, explain_visit *visit, void *arg, bool *cut)
{
    struct legs *l = &x->legs;
    if (!explain_legs(x, p, l))
        return false;
    x->visit = visit;
    x->arg = arg;
    x->cut = l->cut;
    for (size_t i = l->n; i-- > 0;)
        if (!walk_leg(x, &l->v[i]))
            return false;
    *cut |= x->cut;
    return true;
}

bool explain_handed(const struct explainer *x)
{
    return x->legs.n > 1;
}

/* ---- places -------------------------------------------------------------------------------------------- */

uint32_t explain_place(const struct trace *tr, const struct explain_part *p, uint32_t *stack, uint32_t *frame,
                       struct ran *ran)
{
    const bool preempted = p->cat == EX_RUN && p->reason && p->stack_end;
    const bool came = p->cat == EX_RUN && !preempted && !p->region && p->stack && p->stack_end &&
                      !stacks_place(tr, p->stack) &&
                      stacks_place(tr, p->stack_end); /* from the library's to the program's */
    *stack = p->stack_end && (preempted || came || !p->stack) ? p->stack_end : p->stack;
    *frame = stacks_user_frame(tr, *stack);
    *ran = (struct ran){.how = came ? RAN_BEFORE : RAN_IN};
    if (p->cat == EX_RUN && *stack && !preempted && !came && !p->region) {
        const uint32_t end =
            p->stack_end && p->stack_end != *stack ? stacks_user_frame(tr, p->stack_end) : *frame;
        *ran = ran_between(tr, p->stack, *frame, p->stack_end, end, frame);
    }
    ran_lasts(ran, p->t1 - p->t0);
    return *stack ? trace_frame(tr, *stack, *frame).func : 0;
}
