/*
 * moments.c - where what runs is inside its runs: a trace has no stacks between two waits, but for the moments at which a goroutine
 * was stopped, or had to do the collector's work while it allocated. Of many of these most are where most is done.
 */
#include "triage/findings/causes.h"
#include "triage/findings/works.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/walk.h"

#define MEMBERS 32  /* goroutines looked at */
#define STEPS 20000 /* spans of each */
#define FUNCS 128   /* functions told apart */
#define DEEP 64     /* frames of a stack looked at */
#define CALLEES 6
#define CALLED_BY 8

/* A function among the moments: how often it was at work, itself or in what it called, and how far from its stack's end on average. */
struct seen {
    uint32_t func, n;
    uint32_t panics; /* of these with a panic under way */
    uint64_t depth;
    struct {
        uint32_t func, n;
    } callee[CALLEES]; /* of the library's, called there */
    struct {
        uint32_t func, n, stack, by; /* by: who called that one; 0: it began there */
        bool mixed;                  /* others did, too */
    } caller[CALLED_BY];             /* of the program */
};
struct moments {
    struct seen v[FUNCS];
    uint32_t n, all;
};

static struct seen *seen_of(struct moments *m, uint32_t func)
{
    uint32_t i = 0;
    while (i < m->n && m->v[i].func != func) {
        i++;
    }
    if (i == m->n && m->n < FUNCS) {
        m->v[m->n++] = (struct seen){.func = func};
    }
    return i < m->n ? &m->v[i] : NULL;
}

static void callee(struct seen *v, const struct trace *tr, uint32_t stack, uint32_t frame)
{
    const uint32_t func = frame ? trace_frame(tr, stack, frame - 1).func : 0;
    int i = 0;
    if (!func || stacks_is_program(tr, func) || str_starts(trace_str(tr, func), "runtime.")) {
        return;
    }
    while (i < CALLEES && v->callee[i].n && v->callee[i].func != func) {
        i++;
    }
    if (i < CALLEES) {
        v->callee[i].func = func;
        v->callee[i].n++;
    }
}

/* The next function of the program further out, other than `from`, 0 if there is none. */
static uint32_t outwards(const struct trace *tr, uint32_t stack, uint32_t *frame, uint32_t from)
{
    const uint32_t n = trace_stack(tr, stack);
    while (++*frame < n) {
        const uint32_t func = trace_frame(tr, stack, *frame).func;
        if (func != from && stacks_is_program(tr, func)) {
            return func;
        }
    }
    return 0;
}

/* Who called it there: the first eight that do, among which is one that mostly does. */
static void caller(struct seen *v, const struct trace *tr, uint32_t stack, uint32_t frame)
{
    const uint32_t func = outwards(tr, stack, &frame, v->func), by = outwards(tr, stack, &frame, func);
    uint32_t i = 0;
    while (i < CALLED_BY && v->caller[i].n && v->caller[i].func != func) {
        i++;
    }
    if (i < CALLED_BY) {
        v->caller[i].mixed |= v->caller[i].n && v->caller[i].by != by;
        v->caller[i].func = func;
        v->caller[i].by = by;
        v->caller[i].stack = stack;
        v->caller[i].n++;
    }
}

/* Is a panic under way? What it runs is deferred, and stands above what panicked. */
static bool panicking(const struct trace *tr, uint32_t stack, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        if (str_is(trace_str(tr, trace_frame(tr, stack, i).func), "runtime.gopanic")) {
            return true;
        }
    }
    return false;
}

/* Each function of the program counts once for a stack, where it is innermost. */
static void moment(struct moments *m, const struct trace *tr, uint32_t stack)
{
    const uint32_t n = stack && causes_place(tr, stack) ? trace_stack(tr, stack) : 0, most = n < DEEP ? n : DEEP;
    const bool panics = panicking(tr, stack, most);
    uint32_t had[DEEP], k = 0;
    m->all += n > 0;
    for (uint32_t i = 0; i < most; i++) {
        const uint32_t func = trace_frame(tr, stack, i).func;
        bool again = !stacks_is_program(tr, func);
        for (uint32_t j = 0; j < k && !again; j++) {
            again = had[j] == func;
        }
        struct seen *v = again ? NULL : seen_of(m, func);
        if (v) {
            had[k++] = func;
            v->depth += n - i;
            v->n++;
            v->panics += panics;
            callee(v, tr, stack, i);
            caller(v, tr, stack, i);
        }
    }
}

static void stopped(const struct causes *c, uint32_t group, struct moments *m)
{
    for (uint32_t i = 0; i < c->of[group].n && i < MEMBERS; i++) {
        struct walk w;
        walk_g(&w, c->tr, causes_member(c, group, i, MEMBERS), STEPS);
        for (const struct span *s; (s = walk_next(&w));) {
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

/* Of the functions that enough moments are in the one farthest in; NULL: only what they began with. */
static const struct seen *innermost(const struct moments *m, uint32_t begin)
{
    const struct seen *best = NULL;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct seen *v = &m->v[i];
        if (v->func != begin && (double)v->n >= threshold(TH_TIME_INSIDE) * (double)m->all &&
            (!best || (double)v->depth / v->n > (double)best->depth / best->n)) {
            best = v;
        }
    }
    return best;
}

bool moments_inside(const struct causes *c, uint32_t group, struct inside *out)
{
    struct moments m = {.n = 0};
    if (group == UINT32_MAX || c->running < threshold(TH_TIME_BUSY) * c->procs) {
        return false;
    }
    stopped(c, group, &m);
    allocating(c, group, RANGE_ASSIST, &m);
    allocating(c, group, RANGE_STW, &m);
    const struct seen *best = innermost(&m, c->tg->groups[group].name);
    if (!best) {
        return false;
    }
    int by = 0;
    for (int i = 1; i < CALLED_BY; i++) {
        by = best->caller[i].n > best->caller[by].n ? i : by;
    }
    *out = (struct inside){.func = best->func,
                           .stack = best->caller[by].stack,
                           .caller = best->caller[by].func,
                           .called = best->caller[by].n,
                           .n = best->n,
                           .all = m.all,
                           .panics = best->panics,
                           .mixed = best->caller[by].mixed};
    for (int i = 0; i < CALLEES; i++) {
        out->callee = best->callee[i].n * 2 > best->n ? best->callee[i].func : out->callee;
    }
    return true;
}

static uint32_t inside_frame(const struct causes *c, const struct inside *v)
{
    uint32_t frame = 0;
    while (trace_frame(c->tr, v->stack, frame).func != v->func) {
        frame++;
    }
    return frame;
}

void inside_name(struct text *t, const struct causes *c, const struct inside *v, uint32_t functions)
{
    if (v->called == v->n) {
        const uint32_t most = v->mixed && functions > 2 ? 2 : functions;
        text_say(t, c->tr, t_calls(v->stack, inside_frame(c, v), most));
        return;
    }
    text_say(t, c->tr, t_func(v->func));
    if (v->caller) {
        text_say(t, c->tr, " (", t_share((double)v->called, (double)v->n), " of that called by ", t_func(v->caller),
                 ")");
    }
}

void inside_text(struct text *t, const struct causes *c, uint32_t group, const struct inside *v)
{
    const bool few = (double)v->all < threshold(TH_TIME_MOMENTS);
    inside_name(t, c, v, 3);
    text_say(t, c->tr, " is where goroutines of ", t_func(c->tg->groups[group].name),
             few || group != moments_most(c) ? "" : ", which run most,", " were at ");
    if (v->all == 1) {
        text_lit(t, "the only moment inside their runs that the trace has");
    } else {
        text_add(t, "%u of %u moments inside their runs that the trace has", v->n, v->all);
    }
    text_lit(t, " (when they were stopped, or had to work for the collector)");
    if (v->callee) {
        text_say(t, c->tr, ", mostly in ", t_func(v->callee), ", which it calls");
    }
    text_add(t, "%s", few ? ": too few to be sure." : ".");
    if (inside_panics(v)) {
        text_say(t, c->tr, " In ", t_share((double)v->panics, (double)v->n),
                 " of these a panic was under way (runtime.gopanic): what runs there is deferred, or what it calls.");
    }
}
