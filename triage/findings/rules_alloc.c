/*
 * rules_alloc.c - who feeds the collector, and what makes it run: named in the findings about the collector.
 *
 * A trace records no allocation: who allocates is told by the evidence of triage/tables/allocs.h.
 */
#include "triage/findings/allocs_text.h"
#include "triage/findings/causes.h"
#include "triage/findings/leaves.h"
#include "triage/findings/story.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/retell.h"
#include "triage/tables/slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/round.h"

#define SITES 64

#define CALLEES 4
#define TIMERS_PART 10    /* timers are spoken of if one of so many moments is in making one */
#define TIMERS_FREED 1023 /* from that version on nobody's timer is freed before it fires */

struct site {
    uint32_t func, stack;
    uint64_t n, pooled; /* in millionths of what is allocated; pooled: of these called by sync.Pool, which had none */
    struct {
        uint32_t func; /* of the library, called there */
        uint64_t n;
    } callee[CALLEES], maker[CALLEES]; /* maker: of these the outermost that, by its name, makes something new */
};
enum { CALLED = 64 };
struct sites {
    struct site v[SITES];
    uint32_t n;
    uint64_t all;
    struct called {
        uint32_t func, callee; /* 0: none that is said */
        bool pool;             /* it is a pool's */
    } called[CALLED];          /* functions lately asked for */
};

/* What the language itself does by a function of the runtime that copies. */
static const struct copying {
    const char *func, *words, *advice;
} copying[] = {
    {"runtime.concatstring", "joining strings with +, which copies both",
     "Write into a strings.Builder (or bytes.Buffer) instead of joining with +: each + copies all that is there so "
     "far."},
    {"runtime.growslice", "append, which copies a slice that is full",
     "Allocate the slice with the capacity it will need (make with a capacity), or reuse one."},
    {"runtime.slicebytetostring", "converting bytes to a string, which copies them",
     "Keep the data as bytes, or convert it to a string once."},
    {"runtime.stringtoslicebyte", "converting a string to bytes, which copies it",
     "Keep the data as a string (io.WriteString, strings.Reader), or convert it to bytes once."},
};

static const struct copying *copying_of(const struct trace *tr, uint32_t func)
{
    for (size_t i = 0; i < sizeof copying / sizeof *copying; i++) {
        if (str_starts(trace_str(tr, func), copying[i].func)) {
            return &copying[i];
        }
    }
    return NULL;
}

/* A function as one that is called: itself if it is the library's, or the runtime's for what copies. */
static const struct called *called_of(struct sites *s, const struct trace *tr, uint32_t func)
{
    struct called *k = &s->called[func % CALLED];
    if (k->func != func) {
        const struct str name = trace_str(tr, func);
        const bool is = !str_starts(name, "runtime.") || copying_of(tr, func);
        *k = (struct called){func, is ? func : 0, str_is(name, "sync.(*Pool).Get")};
    }
    return k;
}

/* Of frames below `user` the outermost that makes something anew; 0: none does. */
static uint32_t maker_of(const struct trace *tr, uint32_t stack, uint32_t user)
{
    for (uint32_t i = user; i-- > 0;) {
        const uint32_t func = trace_frame(tr, stack, i).func;
        if (stacks_makes(tr, func)) {
            return func;
        }
    }
    return 0;
}

static void callee_add(struct site *v, uint32_t func, uint32_t maker, uint64_t n)
{
    int i = 0;
    while (i < CALLEES && v->callee[i].func && v->callee[i].func != func) {
        i++;
    }
    if (func && i < CALLEES) {
        v->callee[i].func = func;
        v->callee[i].n += n;
    }
    for (i = 0; i < CALLEES && v->maker[i].func && v->maker[i].func != maker; i++) {
    }
    if (maker && i < CALLEES) {
        v->maker[i].func = maker;
        v->maker[i].n += n;
    }
}

/*
 * What the program makes there of the library, a timer among it? Before Go 1.23 one that has neither fired nor been stopped is alive, with
 * its channel, so a heap that grows may be full of them.
 */
static void timers_text(struct text *t, struct text *next, const struct causes *c, const struct sites *s)
{
    static const char *const makes[] = {"time.After", "time.NewTimer", "time.NewTicker", "time.Tick"};
    const struct site *most = NULL;
    uint32_t func = 0;
    uint64_t n = 0, all = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        for (int k = 0; k < CALLEES && s->v[i].callee[k].func; k++) {
            for (size_t j = 0; j < sizeof makes / sizeof *makes; j++) {
                if (str_is(trace_str(c->tr, s->v[i].callee[k].func), makes[j])) {
                    all += s->v[i].callee[k].n;
                    func = s->v[i].callee[k].n > n ? s->v[i].callee[k].func : func;
                    most = s->v[i].callee[k].n > n ? &s->v[i] : most;
                    n = s->v[i].callee[k].n > n ? s->v[i].callee[k].n : n;
                }
            }
        }
    }
    if (!most || all * TIMERS_PART < s->all || trace_info(c->tr)->version >= TIMERS_FREED) {
        return;
    }
    text_say(t, c->tr, " Of all that is allocated ", t_share((double)all, (double)s->all),
             " is timers, mostly made by ", t_func(func), " in ", t_func(most->func),
             ": up to Go 1.22 each stays alive until it fires or is stopped, so long ones made again and again add "
             "up (inferred).");
    text_say(next, c->tr, "If the timers of ", t_func(most->func),
             " are long, make one (time.NewTimer) and Reset it, or Stop each that is no longer needed. Otherwise "
             "compare two heap profiles.");
}

/* Is it a sync.Pool's New that allocates most? Then the pool has none of what was taken. */
static bool pool_text(struct text *t, struct text *next, const struct trace *tr, const struct site *v)
{
    if (v->pooled * 2 <= v->n) {
        return false;
    }
    text_say(t, tr, " A sync.Pool (Get) calls ", t_func(v->func),
             ": the pool is empty then, because objects are not put back, are taken faster than they come back, or "
             "were dropped by the collector.");
    text_lit(
        next,
        "Make sure each object taken is put back (Put) on every return path, as soon as it is no longer needed. If "
        "so, allocate less, or give the heap more room: a higher GOGC, or GOMEMLIMIT where memory is bounded.");
    return true;
}

/* Is most of it in one that makes something anew? Then that is said, and may be kept. */
static bool maker_text(struct text *t, struct text *next, const struct trace *tr, const struct site *v)
{
    for (int i = 0; i < CALLEES; i++) {
        if (v->maker[i].n * 2 > v->n) {
            text_say(t, tr, " Of what ", t_func(v->func), " allocates ", t_share((double)v->maker[i].n, (double)v->n),
                     " is made in ", t_func(v->maker[i].func), ", whose name says that it makes something new.");
            text_say(next, tr, "Reuse what ", t_func(v->maker[i].func),
                     " makes (a sync.Pool, Reset, one for all), if it is much the same each time and nothing still "
                     "reads it. Otherwise allocate less, or give the heap more room: a higher GOGC, or GOMEMLIMIT "
                     "where memory is bounded.");
            return true;
        }
    }
    return false;
}

/* "mostly by regexp.MustCompile, which it calls". Of what copies also what to do instead. */
static void callee_text(struct text *t, struct text *next, const struct trace *tr, const struct site *v)
{
    for (int i = 0; i < CALLEES; i++) {
        const struct copying *k = v->callee[i].n * 2 > v->n ? copying_of(tr, v->callee[i].func) : NULL;
        if (k) {
            text_add(t, " (mostly by %s)", k->words);
            text_add(next,
                     "%s If that is not enough, give the heap more room: a higher GOGC, or GOMEMLIMIT where memory "
                     "is bounded.",
                     k->advice);
        } else if (v->callee[i].n * 2 > v->n) {
            text_say(t, tr, " (mostly by ", t_func(v->callee[i].func), ", which it calls)");
        }
    }
}

static void site_add(struct sites *s, const struct trace *tr, uint32_t stack, uint64_t n)
{
    const struct stack_told told = stacks_told(tr, stack);
    const uint32_t func = told.place, user = told.user_frame;
    uint32_t i = 0;
    if (!func) {
        return;
    }
    s->all += n;
    while (i < s->n && s->v[i].func != func) {
        i++;
    }
    if (i == SITES) {
        return;
    }
    if (i == s->n) {
        s->v[s->n++] = (struct site){.func = func, .stack = stack};
    }
    s->v[i].n += n;
    uint32_t near[3] = {0}; /* what the program called there, the function itself, who called that */
    (void)trace_funcs(tr, stack, user ? user - 1 : 0, near + !user, 2 + (user > 0));
    s->v[i].pooled += called_of(s, tr, near[2])->pool ? n : 0;
    callee_add(&s->v[i], called_of(s, tr, near[0])->callee, told.marks & STACK_MAKES ? maker_of(tr, stack, user) : 0,
               n);
}

static int cmp_site(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->func > y->func) - (x->func < y->func);
}

#define NOT_MEASURED \
    "Nothing to change: a benchmark's own time leaves them out. To see what the program's own collections cost, " \
    "run " \
    "one benchmark for longer (-bench, -benchtime)."
#define LEAVE_IT "Leave collecting to the runtime; where memory must be returned, set a memory limit instead."

/* What is asked once, however many findings tell of it. */
struct caught {
    bool wanted; /* a finding of the collector will ask */
    bool has_sites, has_forced, has_room;
    struct sites sites;
    struct allocs allocs;
    uint64_t calls, cycles; /* cycles: that they began */
    uint32_t stack;         /* of one of them */
    const char *what;
    bool others;     /* not all of the calls are in the function of that stack */
    bool benchmarks; /* package testing asks for most of them, before each run of a benchmark */
    double room;
    uint64_t goal;
    bool below;
};

struct caught *caught_new(const struct findings *told)
{
    struct caught *k = mem_zalloc(sizeof *k);
    for (uint32_t i = 0; k && i < told->n; i++) {
        const enum rule r = told->f[i].rule;
        k->wanted |= r == RULE_GC_SHARE || r == RULE_GC_ASSIST || r == RULE_HEAP;
    }
    return k;
}

void caught_free(struct caught *k)
{
    if (k) {
        allocs_free(&k->allocs);
    }
    mem_free(k);
}

static void sites_of(const struct causes *c, struct caught *k)
{
    if (!allocs_of(c->tr, &k->allocs)) {
        c->rs->failed = true;
        return;
    }
    for (uint32_t i = 0; i < k->allocs.n && i < SITES; i++) { /* by share: those have a place here first */
        k->sites.v[k->sites.n++] = (struct site){.func = k->allocs.row[i].func, .stack = k->allocs.row[i].stack};
    }
    for (uint32_t i = 0; i < k->allocs.nat; i++) {
        site_add(&k->sites, c->tr, k->allocs.at[i].stack, (uint64_t)llround(k->allocs.at[i].share * 1e6));
    }
    if (k->sites.n) {
        qsort(k->sites.v, k->sites.n, sizeof k->sites.v[0], cmp_site);
    }
}

static const struct sites *sites_once(const struct causes *c)
{
    struct caught *k = c->caught;
    if (!k->has_sites) {
        k->has_sites = true;
        sites_of(c, k);
    }
    return &k->sites;
}

/* Collections that package testing began, of whose asking there are so many waits: a call waits twice, at times. */
static uint64_t of_benchmarks(const struct causes *c, uint64_t waits)
{
    const struct range *gc;
    const size_t n = trace_ranges(c->tr, RANGE_GC, &gc);
    uint64_t begun = 0;
    for (size_t i = 0; i < n; i++) {
        begun += stacks_of_benchmarks(c->tr, gc[i].stack);
    }
    return begun ? begun : waits;
}

/* Calls of runtime.GC and debug.FreeOSMemory: how many cycles they began, one of their stacks, and which it was. */
static uint64_t forced_calls(const struct causes *c, uint32_t *stack, const char **what, bool *benchmarks)
{
    uint64_t calls = 0, tests = 0;
    uint32_t of_tests = 0;
    *what = "runtime.GC";
    for (uint32_t i = 0; i < c->tg->nwaits; i++) {
        const struct wait_row *w = &c->tg->waits[i];
        struct stack_funcs of;
        if (i + STACKS_AHEAD < c->tg->nwaits) {
            stacks_ahead(c->tr, w[STACKS_AHEAD].stack);
        }
        if (!stacks_may(c->tr, w->stack, STACK_COLLECTS)) {
            continue;
        }
        if (stacks_of_benchmarks(c->tr, w->stack)) {
            tests += w->count;
            of_tests = w->stack;
            continue;
        }
        stack_funcs_of(&of, c->tr, w->stack);
        for (uint32_t k = 0; k < of.n && k < 6; k++) {
            struct str f = trace_str(c->tr, stack_func(&of, k));
            const bool gives_back = str_is(f, "runtime/debug.FreeOSMemory");
            if ((gives_back || str_is(f, "runtime.GC")) && w->count >= calls) {
                calls = w->count;
                *stack = w->stack;
                *what = gives_back ? "debug.FreeOSMemory" : "runtime.GC";
            }
        }
    }
    tests = tests ? of_benchmarks(c, tests) : 0;
    *benchmarks = tests > calls;
    if (*benchmarks) {
        *stack = of_tests;
        *what = "runtime.GC";
    }
    return *benchmarks ? tests : calls;
}

/* "go runtime.GC()": nothing of the program is in its stack, but in that of its creation. */
static uint32_t who_asks(const struct causes *c, uint32_t stack)
{
    const uint32_t n = trace_stack(c->tr, stack), root = n ? trace_frame(c->tr, stack, n - 1).func : 0;
    if (!root || stacks_is_program(c->tr, causes_place(c->tr, stack))) {
        return stack;
    }
    const uint32_t group = causes_group(c, root);
    const struct lane l = {LANE_G, group != UINT32_MAX ? c->tg->groups[group].first_member : NO_LANE};
    const uint32_t begun = l.i < c->tg->ng ? trace_lane_who(c->tr, l).create_stack : 0;
    return begun ? begun : stack;
}

/*
 * Cycles that a call began, of package testing or not: of all calls together; 0 where who began them is not recorded. *others: some
 * of them are not of the function that asks at `stack`.
 */
static uint64_t cycles_asked_for(const struct causes *c, bool benchmarks, uint32_t stack, bool *others)
{
    const struct range *gc;
    const size_t n = trace_ranges(c->tr, RANGE_GC, &gc);
    uint64_t asked = 0;
    for (size_t i = 0; i < n && (i % 256 || slices_tick()); i++) {
        const uint32_t at = gc_begun_at(c->tr, &gc[i]);
        if (at && stacks_may(c->tr, at, STACK_COLLECTS) && stacks_of_benchmarks(c->tr, at) == benchmarks) {
            asked++;
            *others |= causes_place(c->tr, who_asks(c, at)) != causes_place(c->tr, stack);
        }
    }
    return asked;
}

static uint64_t forced(const struct causes *c, uint32_t *stack, const char **what)
{
    struct caught *k = c->caught;
    if (!k->has_forced) {
        k->has_forced = true;
        k->calls = forced_calls(c, &k->stack, &k->what, &k->benchmarks);
        k->stack = k->calls && !k->benchmarks ? who_asks(c, k->stack) : k->stack;
        const uint64_t cycles = k->calls ? cycles_asked_for(c, k->benchmarks, k->stack, &k->others) : 0;
        k->cycles = cycles ? cycles : k->calls; /* a call may find one under way and begin none */
        k->calls = cycles > k->calls ? cycles : k->calls;
    }
    *stack = k->stack;
    *what = k->what;
    return k->calls;
}

static int cmp_double(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

#define SMALL_HEAP (6u << 20)

/* By how much the heap may grow from the end of a collection to the goal of the next: the median over cycles, -1 unknown. */
static double median_room(const struct causes *c, uint64_t *goal, bool *below)
{
    const struct range *gc;
    size_t n = trace_ranges(c->tr, RANGE_GC, &gc), k = 0;
    double *v = mem_alloc((n + 1) * sizeof *v), r = -1;
    size_t under = 0, cycles = 0;
    *goal = 0;
    for (size_t i = 0; v && i < n; i++) {
        uint64_t h0, h1, g0, g1;
        int64_t until = i + 1 < n ? gc[i + 1].t0 : trace_info(c->tr)->end;
        if (gc[i].t1 < until && trace_minmax(c->tr, METRIC_HEAP, gc[i].t1, gc[i].t1 + 1, &h0, &h1) &&
            trace_minmax(c->tr, METRIC_GOAL, until - 1, until, &g0, &g1) && h0 > 0) {
            cycles++;
            under += g1 < h0; /* also 0, where no goal is possible at all */
            if (g1 > 0) {
                v[k++] = (double)g1 / (double)h0 - 1;
                *goal = g1;
            }
        }
    }
    if (k) {
        qsort(v, k, sizeof *v, cmp_double);
        r = v[k / 2] > 0 ? v[k / 2] : 0;
    }
    mem_free(v);
    *below = cycles > 0 && under * 2 > cycles;
    return *below ? 0 : r;
}

static double room(const struct causes *c, uint64_t *goal, bool *below)
{
    struct caught *k = c->caught;
    if (!k->has_room) {
        k->has_room = true;
        k->room = median_room(c, &k->goal, &k->below);
    }
    *goal = k->goal;
    *below = k->below;
    return k->room;
}

/* Where a setting makes collections frequent, and no other does, it comes first. */
static void room_advice(const struct causes *c, struct finding *f)
{
    uint64_t goal;
    bool below;
    const double r = room(c, &goal, &below);
    if (f->rule == RULE_GC_SHARE && r >= 0 && (below || (r < 0.01 && goal >= SMALL_HEAP))) {
        struct text next = {0};
        text_lit(&next, "Raise the memory limit, or keep less memory alive; a higher GOGC gains nothing below that "
                        "limit. Then allocate less.");
        retell_advice(c->rs, f, &next);
    }
}

static void room_text(struct text *t, const struct causes *c)
{
    uint64_t goal;
    bool below;
    double r = room(c, &goal, &below);
    if (r < 0) {
        return;
    }
    if (below) {
        text_lit(t, " After most collections the next goal lay below what was alive: only a memory limit "
                    "(GOMEMLIMIT, SetMemoryLimit) too low for the live heap does that.");
        return;
    }
    text_say(t, c->tr, " After a collection the heap may grow by ", t_f0(r * 100), " % (median) to the next goal, ",
             t_bytes(goal));
    if (goal < SMALL_HEAP) {
        text_lit(t, ", close to the minimum: the heap is small, so collections are frequent.");
    } else if (r < 0.01) {
        text_lit(t, ": a memory limit (GOMEMLIMIT, SetMemoryLimit) keeps it from growing further.");
    } else if (r < 0.6) {
        text_add(t,
                 ": because of a GC percent (GOGC, SetGCPercent) of about %.0f, or of a memory limit (GOMEMLIMIT, "
                 "SetMemoryLimit) just above what is alive.",
                 r * 100);
    } else {
        text_lit(t, ": that is not a tight setting; the program allocates that fast.");
    }
}

/* Returns a stack of who allocates most, 0: not known. */
static uint32_t sites_text(struct text *before, struct text *behind, struct text *next, const struct causes *c)
{
    const struct sites *s = sites_once(c);
    if (s->n == 0) {
        return 0;
    }
    const bool clear = allocs_clear(&c->caught->allocs); /* of little evidence no more is told */
    text_place(before, c->tr, s->v[0].stack, 3);
    struct text copies = {0};
    if (clear) {
        callee_text(before, &copies, c->tr, &s->v[0]);
    }
    text_add(before, "%s", clear ? " allocates most: " : " is one of those that allocate: ");
    allocs_text(behind, c->tr, &c->caught->allocs);
    if (clear && s->v[0].n * 2 > s->all && !pool_text(behind, next, c->tr, &s->v[0]) &&
        !maker_text(behind, next, c->tr, &s->v[0])) {
        text_raw(next, copies.p, copies.n);
    }
    text_free(&copies);
    return s->v[0].stack;
}

/* How many goroutines of the program run or are ready to, on average. */
static double at_work(const struct causes *c)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < c->tg->ngroups; i++) {
        const struct group *g = &c->tg->groups[i];
        ns = c->life[i].program ? ns_add(ns, ns_add(g->d[GM_EXEC].total, g->d[GM_SCHED].total)) : ns;
    }
    return c->tg->end > 0 ? (double)ns / (double)c->tg->end : 0;
}

/* Who asks for collections. */
static void forced_by(struct text *t, const struct causes *c, uint32_t stack)
{
    if (c->caught->benchmarks) {
        text_lit(t, "Package testing asks for a collection before each run of a benchmark");
    } else {
        text_say(t, c->tr, t_place(stack, 3),
                 c->caught->others ? " and others ask for collections" : " asks for collections");
    }
}

/*
 * A function that asks for collections and calls what allocates measures it, it seems, if hardly anything else runs: what that costs is what
 * it is to tell.
 */
static bool measures(const struct causes *c, uint64_t calls, uint32_t asks, uint32_t allocates)
{
    return at_work(c) < threshold(TH_FORCED_ALONE) && (double)calls >= threshold(TH_FORCED_CALLS) &&
           stacks_passes(c->tr, allocates, causes_place(c->tr, asks));
}

void causes_tell_gc(struct causes *c, uint32_t i)
{
    struct finding *f = &c->rs->out->f[i];
    struct text before = {0}, behind = {0};
    uint32_t stack = 0;
    const char *what = "";
    uint64_t calls = f->rule == RULE_HEAP ? 0 : forced(c, &stack, &what);
    if (calls * 2 > c->tg->gc_cycles) {
        struct text next = {0};
        text_add(&next, "%s", c->caught->benchmarks ? NOT_MEASURED : LEAVE_IT);
        retell_advice(c->rs, f, &next);
        forced_by(&before, c, stack);
        text_say(&before, c->tr, " (", what, ", ", calls, " times): ");
        f->note |= c->caught->benchmarks;
        f->stack = stack;
    } else {
        struct text next = {0};
        const uint32_t allocates = sites_text(&before, &behind, &next, c);
        if (f->rule == RULE_HEAP) {
            struct text reset = {0};
            timers_text(&behind, &reset, c, sites_once(c));
            if (reset.n) {
                retell_advice(c->rs, f, &reset);
            }
            text_free(&reset);
        } else {
            if (next.n && f->rule != RULE_STW) {
                retell_advice(c->rs, f, &next);
            }
            room_text(&behind, c);
            room_advice(c, f);
        }
        text_free(&next);
        if (c->caught->benchmarks && (double)calls >= threshold(TH_FORCED_CALLS)) {
            text_say(&behind, c->tr, " ", c->caught->cycles, " of the ", c->tg->gc_cycles,
                     " cycles were asked for by package testing, before each run of a benchmark.");
        } else if (measures(c, calls, stack, allocates)) {
            f->note = true;
            text_say(&behind, c->tr, " ", c->caught->cycles, " of the ", c->tg->gc_cycles, " cycles were asked for (",
                     what, ") by ", t_func(causes_place(c->tr, stack)), c->caught->others ? " and others" : "",
                     ", which calls the allocating code: if this is a measurement, it is a result, not a fault.");
        } else if ((double)calls >= threshold(TH_FORCED_CALLS) &&
                   threshold_reached(TH_FORCED_PART, (int64_t)calls, (int64_t)c->tg->gc_cycles)) {
            text_say(&behind, c->tr, " ", c->caught->cycles, " of the ", c->tg->gc_cycles, " cycles were asked for (",
                     what, ") by ", t_func(causes_place(c->tr, stack)), c->caught->others ? " and others" : "",
                     ": without these calls the runtime would collect when the heap reaches its goal.");
        }
    }
    retell(c->rs, f, &before, &behind);
}

void caught_ahead(struct causes *c)
{
    const char *what;
    uint64_t goal;
    uint32_t stack;
    bool below;
    if (c->caught->wanted && forced(c, &stack, &what) * 2 <= c->tg->gc_cycles) {
        (void)sites_once(c);
        (void)room(c, &goal, &below);
    }
}

/* Of the main goroutine's way, what is spent in that function: who asks for a collection waits for all of it. */
static int64_t waited_for_it(struct causes *c, uint32_t place)
{
    struct leaves way;
    int64_t ns = 0;
    if (!place || !causes_main_way(c, &way, NULL) || way.all <= 0) {
        return 0;
    }
    for (uint32_t i = 0; i < way.n; i++) {
        ns = way.v[i].func == place ? ns_add(ns, way.v[i].ns) : ns;
    }
    return (int64_t)((double)ns / (double)way.all * (double)c->tg->end); /* of a long trace parts are looked at */
}

/* Collections that the program asks for, where the collector is no finding otherwise. */
void rule_forced(struct causes *c)
{
    uint32_t stack = 0;
    const char *what;
    int64_t workers = c->tg->p_sum.ns[ST_GCWORK] - c->tg->label_ns[GC_IDLE], stopped = 0;
    struct draft d;
    for (uint32_t i = 0; i < c->tg->nstw; i++) {
        stopped = ns_add(stopped, c->tg->stw[i].is_gc ? c->tg->stw[i].total : 0);
    }
    int64_t cost = ns_add(to_i64((double)ns_add(workers, c->tg->p_sum.ns[ST_ASSIST]) / c->procs), stopped);
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        enum rule r = c->rs->out->f[i].rule;
        if (r == RULE_GC_SHARE || r == RULE_GC_ASSIST) {
            return;
        }
    }
    const uint64_t calls = forced(c, &stack, &what);
    if ((double)calls < threshold(TH_FORCED_CALLS) ||
        (double)calls <= threshold(TH_FORCED_CYCLES) * (double)c->tg->gc_cycles ||
        !threshold_reached(TH_FORCED_SHARE, cost, c->tg->end)) {
        return;
    }
    const bool tests = c->caught->benchmarks;
    draft_start(&d, RULE_FORCED, tests ? 0 : cost);
    d.f.note = tests;
    d.f.won_hi = tests ? 0 : waited_for_it(c, causes_place(c->tr, stack));
    d.f.won_hi = tests || d.f.won_hi > cost ? d.f.won_hi : cost;
    draft_about(&d, c->rs, causes_place(c->tr, stack), stack);
    draft_at(&d, 0, c->tg->end, LANE_BAND, BAND_GC);
    text_add(&d.amount, "%llu x", (unsigned long long)calls);
    forced_by(&d.text, c, stack);
    text_say(&d.text, c->tr, " (", what, "): ", calls, " times in ", c->tg->gc_cycles, " cycles. Marking took ",
             t_dur(workers), " of processor time, assists ", t_dur(c->tg->p_sum.ns[ST_ASSIST]),
             ", its stops of the world ", t_dur(stopped), ".");
    text_add(&d.next, "%s", tests ? NOT_MEASURED : LEAVE_IT);
    draft_end(c->rs, &d);
}
