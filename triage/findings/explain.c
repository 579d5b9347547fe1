/*
 * explain.c - see explain.h. Levels are kept on an explicit stack and walked backwards in time, since a
 * wait's waker stands in the span behind it, and since a hand-off then needs no return: what is left of a
 * level is to its left.
 */
#include "triage/findings/explain.h"

#include <stdlib.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/tables/slices.h"
#include "triage/text.h"
#include "triage/triage.h"
#include "triage/work/owner.h"

#define BUDGET 4000000
#define LATE 50000 /* ns: so long it may take to wake a processor's thread */

struct level {
    uint32_t g, up;
    int64_t lo, hi; /* what is still to be explained of it */
    int64_t first;  /* its goroutine's birth, INT64_MIN: not come to yet */
    uint32_t creator, create_stack, start_stack;
    bool
        by_timer; /* begun by no goroutine: by a timer that went off (time.AfterFunc, a context's deadline) */
    uint32_t asked;   /* the function its parent waits in */
    uint32_t at_hi;   /* its stack at hi, 0 unknown: where it woke who waited for it */
    bool placed;      /* `it` stands at the span that covers hi - 1 */
    struct span next; /* the span behind, state ST_NONE if there is none */
    struct then then; /* what is done behind it, as far as the level was there */
    struct span_iter it;
};

struct by_g { /* regions by goroutine and begin */
    uint32_t g;
    uint32_t region;
};

struct explainer {
    const struct trace *tr;
    struct level *level[EXPLAIN_DEPTH];
    struct by_g *region;
    size_t nregions;
    uint16_t *user; /* stacks_user_frame() + 1 by stack, 0: not asked yet */
    uint32_t nstacks;
    uint64_t left, placed; /* placed: levels begun so far */
    struct ended ended;
    struct owners *own; /* explain_owners() */
    bool inside;        /* explain_inside() */
    uint32_t ng, np;
    explain_visit *visit;
    void *arg;
    bool cut, failed;
    struct trails *trails; /* once a task was asked for */
    struct legs legs;      /* of the piece that is explained */
};

const char *explain_cat_name(enum explain_cat c)
{
    static const char *const name[EX_CATS] = {
#define CAT(c, key, word, said) [EX_##c] = said,
#include "triage/words.def"
    };
    return (unsigned)c < EX_CATS ? name[c] : "";
}

const char *explain_cat_id(enum explain_cat c)
{
    static const char *const id[EX_CATS] = {
#define CAT(c, key, word, said) [EX_##c] = key,
#include "triage/words.def"
    };
    return (unsigned)c < EX_CATS ? id[c] : "";
}

/* ---- the indices --------------------------------------------------------------------------------------- */

static int cmp_region(const void *a, const void *b, void *arg)
{
    const struct region *r = arg;
    const struct by_g *x = a, *y = b;
    const struct region *p = &r[x->region], *q = &r[y->region];
    return x->g != y->g           ? (x->g > y->g) - (x->g < y->g)
           : p->t0 != q->t0       ? (p->t0 > q->t0) - (p->t0 < q->t0)
           : p->depth != q->depth ? (p->depth > q->depth) - (p->depth < q->depth)
                                  : (x->region > y->region) - (x->region < y->region);
}

struct explainer *explain_new(const struct trace *tr)
{
    struct explainer *x = mem_zalloc(sizeof *x);
    const struct region *r;
    size_t n = trace_regions(tr, &r);
    if (!x)
        return NULL;
    x->tr = tr;
    x->left = BUDGET;
    x->ng = trace_nlanes(tr, LANE_G);
    x->np = trace_nlanes(tr, LANE_P);
    x->nstacks = trace_nstacks(tr);
    x->user = mem_zalloc(((size_t)x->nstacks + 1) * sizeof *x->user);
    x->region = mem_alloc((n + 1) * sizeof *x->region);
    if (!ended_init(&x->ended, tr) || !x->region || !x->user) {
        explain_free(x);
        return NULL;
    }
    for (size_t i = 0; i < n && i < UINT32_MAX; i++)
        if (r[i].stack && r[i].t1 > r[i].t0)
            x->region[x->nregions++] = (struct by_g){r[i].g, (uint32_t)i};
    host_sort(x->region, x->nregions, sizeof *x->region, cmp_region, (void *)(uintptr_t)r);
    return x;
}

void explain_free(struct explainer *x)
{
    if (x) {
        for (int i = 0; i < EXPLAIN_DEPTH; i++)
            mem_free(x->level[i]);
        mem_free(x->region);
        mem_free(x->user);
        ended_free(&x->ended);
        trails_free(x->trails);
        legs_free(&x->legs);
        mem_free(x);
    }
}

void explain_budget(struct explainer *x, uint64_t spans)
{
    x->left = spans;
}

void explain_inside(struct explainer *x, bool inside)
{
    x->inside = inside;
}

void explain_owners(struct explainer *x, struct owners *own)
{
    x->own = own;
}

uint64_t explain_left(const struct explainer *x)
{
    return x->left;
}

/* ---- one level ----------------------------------------------------------------------------------------- */

static uint32_t tell(struct explainer *x, const struct level *l, struct explain_part p)
{
    return p.t1 > p.t0 ? x->visit(x->arg, l->up, &p) : l->up;
}

/* Where goroutine g's regions with a begin at or before t end: the last of them. -1: none. */
static ptrdiff_t region_before(const struct explainer *x, const struct region *r, uint32_t g, int64_t t)
{
    size_t lo = 0, hi = x->nregions;
    while (lo < hi) {
        size_t m = lo + (hi - lo) / 2;
        const struct by_g *b = &x->region[m];
        if (b->g < g || (b->g == g && r[b->region].t0 <= t))
            lo = m + 1;
        else
            hi = m;
    }
    return lo && x->region[lo - 1].g == g ? (ptrdiff_t)lo - 1 : -1;
}

/* The innermost region that covers t, and where what it says of t begins. */
static const struct region *region_at(const struct explainer *x, uint32_t g, int64_t t, int64_t *since)
{
    const struct region *r;
    (void)trace_regions(x->tr, &r);
    ptrdiff_t i = region_before(x, r, g, t);
    for (int steps = 0; i >= 0 && x->region[i].g == g && steps < 64; i--, steps++) {
        const struct region *k = &r[x->region[i].region];
        if (k->t1 > t) {
            *since = k->t0 > *since ? k->t0 : *since;
            return k;
        }
        *since = k->t1 > *since ? k->t1 : *since;
    }
    return NULL;
}

static uint32_t user_frame(struct explainer *x, uint32_t stack);

/* Does a stack go through the function of the program that began a region, and further in? */
static bool within_region(struct explainer *x, uint32_t stack, const struct region *r)
{
    const uint32_t began = trace_frame(x->tr, r->stack, user_frame(x, r->stack)).func,
                   n = trace_stack(x->tr, stack);
    for (uint32_t i = user_frame(x, stack) + 1; began && i < n; i++)
        if (trace_frame(x->tr, stack, i).func == began)
            return true;
    return false;
}

/* Running is told by the regions it was in, where there are any; by where it was stopped, if that is further
 * in and asked for. */
static void tell_running(struct explainer *x, const struct level *l, struct explain_part p)
{
    const int64_t t0 = p.t0, stopped = x->inside && p.reason && p.stack_end ? p.t1 : -1;
    const bool resumed = x->inside && p.resumed;
    while (p.t1 > t0) {
        struct explain_part q = p;
        q.t0 = t0;
        const struct region *r = x->nregions ? region_at(x, l->g, p.t1 - 1, &q.t0) : NULL;
        q.resumed = resumed && q.t0 == t0;
        const bool at_end = q.t1 == stopped;
        if (r && !(at_end && within_region(x, p.stack_end, r))) {
            q.region = !q.resumed || !within_region(x, p.stack, r);
            q.stack = q.region ? r->stack : p.stack;
            q.stack_end = 0;
        }
        (void)tell(x, l, q);
        p.t1 = q.t0;
        x->left -= x->left > 0;
    }
}

/* Was a processor idle for more than half of [t0,t1)? */
static bool nobody_ran(const struct explainer *x, int64_t t0, int64_t t1)
{
    int64_t idle = 0;
    if (t1 - t0 < LATE)
        return false;
    for (uint32_t p = 0; p < x->np && p < 256 && idle <= (t1 - t0) / 2; p++) {
        struct shares s;
        trace_shares(x->tr, (struct lane){LANE_P, p}, t0, t1, &s);
        idle = ns_add(idle, s.ns[ST_IDLE]);
    }
    return idle > (t1 - t0) / 2;
}

static const struct range *stop_at_or_before(const struct explainer *x, int64_t t)
{
    const struct range *r;
    size_t n = trace_ranges(x->tr, RANGE_STW, &r), lo = 0, hi = n;
    while (lo < hi) {
        size_t m = lo + (hi - lo) / 2;
        if (r[m].t0 <= t)
            lo = m + 1;
        else
            hi = m;
    }
    return lo ? &r[lo - 1] : NULL;
}

/* What stops of the world took of runnable time, and of running that went right through one, is theirs. */
static void tell_unless_stopped(struct explainer *x, const struct level *l, struct explain_part p,
                                const struct span *s)
{
    const struct range *stops;
    int64_t t0 = p.t0;
    (void)trace_ranges(x->tr, RANGE_STW, &stops);
    const struct range *r = stop_at_or_before(x, p.t1 - 1);
    for (; r && r >= stops && p.t1 > t0 && x->left; r--, x->left--) {
        int64_t a = r->t0 > t0 ? r->t0 : t0, z = r->t1 < p.t1 ? r->t1 : p.t1;
        bool through = s->state == ST_RUNNABLE || (s->t0 <= r->t0 && s->t1 >= r->t1);
        if (r->t1 <= t0)
            break; /* stops don't overlap, so none before does */
        if (z <= a || r->scope_p || r->owner == l->g || !through)
            continue;
        struct explain_part after = p, stop = p;
        after.t0 = z;
        stop.t0 = a;
        stop.t1 = z;
        stop.cat = EX_STOPPED;
        stop.by = r->owner;
        stop.by_stack = r->stack;
        stop.reason = r->name;
        if (p.cat == EX_RUN)
            tell_running(x, l, after);
        else
            (void)tell(x, l, after);
        (void)tell(x, l, stop);
        p.t1 = a;
    }
    p.t0 = t0;
    if (p.cat == EX_RUN)
        tell_running(x, l, p);
    else
        (void)tell(x, l, p);
}

static uint32_t user_frame(struct explainer *x, uint32_t stack)
{
    if (stack >= x->nstacks)
        return stacks_user_frame(x->tr, stack);
    if (!x->user[stack]) {
        uint32_t f = stacks_user_frame(x->tr, stack);
        x->user[stack] = (uint16_t)(f < UINT16_MAX ? f + 1 : 1);
    }
    return x->user[stack] - 1u;
}

static uint32_t place_func(struct explainer *x, uint32_t stack)
{
    return trace_frame(x->tr, stack, x->own ? owner_user(x->own, stack) : user_frame(x, stack)).func;
}

/* false: out of memory. */
static bool level_room(struct explainer *x, int depth)
{
    if (!x->level[depth] && (x->level[depth] = mem_alloc(sizeof *x->level[depth])))
        x->level[depth]->it.tr = NULL;
    return x->level[depth] != NULL;
}

static void level_set(const struct explainer *x, struct level *l, uint32_t g, int64_t lo, int64_t hi,
                      uint32_t at_hi)
{
    const struct lane_info li = trace_lane_who(x->tr, (struct lane){LANE_G, g});
    l->g = g;
    l->lo = lo;
    l->hi = hi;
    l->first = INT64_MIN;
    l->creator = li.created ? li.creator : NO_LANE;
    l->by_timer = tri_by_timer(x->tr, (struct lane){LANE_G, g}, &li);
    l->create_stack = li.create_stack;
    l->start_stack = li.start_stack;
    l->at_hi = at_hi;
    l->placed = false;
    l->then = (struct then){ST_NONE, 0};
}

static bool level_place(struct explainer *x, struct level *l)
{
    struct lane lane = {LANE_G, l->g};
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

/* Where the level's goroutine was not there: before it was born its creator had the word. */
static void step_unborn(struct explainer *x, struct level *l, int depth, struct explain_part p)
{
    if (depth && l->creator < x->ng && l->creator != l->g && x->left) {
        level_set(x, l, l->creator, l->lo, l->hi, l->create_stack);
        x->left--;
        return;
    }
    p.t0 = l->lo;
    p.cat = depth && l->by_timer ? EX_TIMER : EX_ABSENT;
    (void)tell(x, l, p);
    l->hi = l->lo;
}

/* A wait: who ended it has the word for its time, one level further in. false: out of memory. */
static bool step_wait(struct explainer *x, struct level *l, int *depth, struct explain_part p,
                      const struct span *s, const struct span *next)
{
    p.cat = ended_how(&x->ended, l->g, s, next, l->then, &p.kind);
    then_is(&l->then, s);
    p.stack_end = 0;
    if (p.cat != EX_WAIT) {
        p.by = p.cat == EX_GC && next->who < x->ng ? next->who : NO_LANE;
        (void)tell(x, l, p);
        return true;
    }
    p.by = next->who;
    p.by_stack = next->stack;
    const uint32_t func = place_func(x, s->stack);
    const bool room = *depth + 1 < EXPLAIN_DEPTH && x->left > 0, tail = p.t0 <= l->lo;
    if (tail && *depth && func && func == l->asked && x->left > 0) { /* the one before it in the queue */
        level_set(x, l, p.by, p.t0, p.t1, p.by_stack);
        return true;
    }
    p.followed = room;
    x->cut |= !room;
    const uint32_t tag = tell(x, l, p);
    if (room) {
        if (!level_room(x, *depth + 1))
            return false;
        struct level *d = x->level[++*depth];
        d->up = tag;
        d->asked = func;
        level_set(x, d, p.by, p.t0, p.t1, p.by_stack);
    }
    return true;
}

/* It could run: the place is its own, where it was stopped or had waited. */
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
    p.cat = nobody_ran(x, p.t0, p.t1) ? EX_NOBODY : EX_SCHED;
    tell_unless_stopped(x, l, p, s);
}

/* It ran: between the place where it had stood and the one where it stopped. */
static void step_running(struct explainer *x, struct level *l, struct explain_part p, const struct span *s,
                         const struct span *next, bool more)
{
    const struct span before = more ? *span_get(&l->it) : (struct span){0};
    p.cat = EX_RUN;
    p.stack = 0;
    if (before.state == ST_SYSCALL || before.state == ST_WAITING) {
        p.stack = before.stack;
    } else if (before.state == ST_RUNNABLE) {
        p.stack = before.who == NO_LANE ? before.stack : 0;
        p.resumed = p.stack != 0;
        if (before.who != NO_LANE && span_prev(&l->it)) {
            p.stack = span_get(&l->it)->state == ST_WAITING ? span_get(&l->it)->stack : 0;
            (void)span_next(&l->it);
        }
    }
    p.reason = next->state == ST_RUNNABLE && s->t1 == p.t1 ? next->reason : 0;
    p.stack_end = s->t1 > p.t1 && l->at_hi ? l->at_hi : p.stack_end;
    p.stack = p.stack || p.stack_end ? p.stack : l->start_stack;
    tell_unless_stopped(x, l, p, s);
}

/* One span of the top level, from behind. *depth: of the top level. */
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
        (void)tell(x, l, p);
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
    case ST_GCWORK: step_running(x, l, p, &s, &next, more); return true;
    case ST_SYSCALL:
        then_is(&l->then, &s);
        p.cat = EX_SYSCALL;
        p.stack_end = 0;
        break;
    case ST_ASSIST: p.cat = EX_ASSIST; break;
    default: p.cat = EX_UNKNOWN; then_is(&l->then, &s);
    }
    (void)tell(x, l, p);
    return true;
}

/* Goroutine g's [a,b), from a depth on, as what explains `up`. false: out of memory. */
static bool walk_from(struct explainer *x, int depth, uint32_t up, uint32_t g, int64_t a, int64_t b)
{
    const int top = depth;
    if (!level_room(x, top))
        return false;
    x->level[top]->up = up;
    x->level[top]->asked = 0;
    level_set(x, x->level[top], g, a, b, 0);
    while (depth >= top)
        if (!slices_tick() || !step(x, &depth))
            return false;
    return true;
}

static bool walk_leg(struct explainer *x, const struct leg *l)
{
    struct explain_part p = {l->t0, l->t1, .cat = EX_QUEUED, .g = l->g, .by = l->g};
    p.stack = trace_lane_who(x->tr, (struct lane){LANE_G, l->g}).start_stack;
    if (l->g >= x->ng || !l->queued)
        return l->g >= x->ng || walk_from(x, 0, 0, l->g, l->t0, l->t1);
    p.followed = x->left > 0;
    x->cut |= !p.followed;
    const uint32_t tag = x->visit(x->arg, 0, &p);
    return !p.followed || walk_from(x, 1, tag, l->g, l->t0, l->t1);
}

bool explain_legs(struct explainer *x, const struct workpiece *p, struct legs *out)
{
    if (p->task != NO_TASK && !x->trails) {
        x->trails = trails_new(x->tr);
        if (!x->trails)
            return false;
    }
    return legs_of(x->trails, p, &x->left, out);
}

bool explain_piece(struct explainer *x, const struct workpiece *p, explain_visit *visit, void *arg, bool *cut)
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

bool explain_walk(struct explainer *x, uint32_t g, int64_t a, int64_t b, explain_visit *visit, void *arg,
                  bool *cut)
{
    const struct workpiece p = workpiece_of_g(g, a, b);
    return explain_piece(x, &p, visit, arg, cut);
}

/* ---- a long life --------------------------------------------------------------------------------------- */

static uint32_t passed(void *arg, uint32_t up, const struct explain_part *p)
{
    (void)arg;
    (void)p;
    return up;
}

/* How g's [a,b) is cut to find what it costs. */
struct probes {
    uint32_t g;
    int64_t a, step, each;
};
enum { PROBES = 16, PART = 64 /* so much of it they are */, LEAST = 64 /* spans a stretch, at least */ };

/* What explaining a life costs, in spans, by short stretches of it, spread over all of it from the first few
 * on. They end once they cost as much as may be explained. false: out of memory. */
static bool cost_of(struct explainer *x, const struct probes *k, uint64_t most, uint64_t *all)
{
    static const uint8_t at[PROBES] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    const uint64_t left = x->left, begun = x->placed;
    bool ok = true, cut = false;
    int n = 0;
    while (ok && n < PROBES && k->each > 0 && (n < 4 || left - x->left < most)) {
        const int64_t t0 = k->a + at[n++] * k->step;
        ok = explain_walk(x, k->g, t0, t0 + k->each, passed, NULL, &cut);
    }
    /* A level costs a span to find and one to be in, wherever it is cut: what more there is are bounds. */
    const uint64_t cost = left - x->left, found = 2 * (x->placed - begun);
    *all = PART * (cost > found ? cost - found : 0);
    *all = n ? *all / (uint64_t)n * PROBES + *all % (uint64_t)n * PROBES / (uint64_t)n : 0;
    return ok;
}

bool explain_stretches(struct explainer *x, uint32_t g, int64_t a, int64_t b, uint64_t most,
                       struct stretches *out)
{
    const int64_t step = (b - a) / PROBES;
    const struct probes k = {g, a, step, step / PART};
    uint64_t all;
    const bool ok = cost_of(x, &k, most, &all);
    *out = (struct stretches){1, b - a, b - a};
    if (all > most) {
        out->n = most < LEAST * STRETCHES ? (int)(most / LEAST) + 1 : STRETCHES;
        out->step = (b - a) / out->n;
        out->each = (int64_t)((double)out->step * (double)most / (double)all);
    }
    return ok;
}

/* ---- places -------------------------------------------------------------------------------------------- */

uint32_t explain_place(const struct trace *tr, struct explainer *x, const struct explain_part *p,
                       uint32_t *stack, uint32_t *frame, struct ran *ran)
{
    const bool preempted = p->cat == EX_RUN && p->reason && p->stack_end;
    const bool came = p->cat == EX_RUN && !preempted && !p->region && p->stack && p->stack_end &&
                      !stacks_place(tr, p->stack) &&
                      stacks_place(tr, p->stack_end); /* from the library's to the program's */
    *stack = p->stack_end && (preempted || came || !p->stack) ? p->stack_end : p->stack;
    *frame = x ? user_frame(x, *stack) : stacks_user_frame(tr, *stack);
    *ran = (struct ran){.how = came ? RAN_BEFORE : RAN_IN};
    if (p->cat == EX_RUN && *stack && !preempted && !came && !p->region) {
        uint32_t end = p->stack_end && p->stack_end != *stack
                           ? (x ? user_frame(x, p->stack_end) : stacks_user_frame(tr, p->stack_end))
                           : *frame;
        *ran = ran_between(tr, p->stack, *frame, p->stack_end, end, frame);
    }
    ran_lasts(ran, p->t1 - p->t0);
    return *stack ? trace_frame(tr, *stack, *frame).func : 0;
}
