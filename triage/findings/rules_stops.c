/*
 * rules_stops.c - who runs on while the world is to stop: where long stops of the collector wait for goroutines of one
 * kind, which stop at the same line each time, something there can't be interrupted.
 *
 * Threads that the host holds up make long stops, too, but of any goroutine, wherever it happens to be. Of stops that the program asks
 * for: who does.
 */
#include "triage/findings/causes.h"
#include "triage/findings/story.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/retell.h"

#include <string.h>

#include "decode/base/mem.h"

#define KINDS 16
#define STOPS_LOOKED_AT 400

struct last { /* to stop */
    uint32_t name, stack;
    uint64_t n;
    int64_t ns; /* after the stops began */
};
struct stops {
    struct last v[KINDS];
    uint32_t n;
    uint64_t all; /* stops looked at */
    int64_t ns;
};

static bool by_collector(const struct causes *c, uint32_t kind)
{
    for (uint32_t i = 0; i < c->tg->nstw; i++) {
        if (c->tg->stw[i].kind == kind) {
            return c->tg->stw[i].is_gc;
        }
    }
    return false;
}

/* Where a goroutine stood when it stopped running at t: 0 unknown. */
static uint32_t stood_at(const struct trace *tr, uint32_t g, int64_t t)
{
    struct span s;
    const bool told = trace_span_at(tr, (struct lane){LANE_G, g}, t, &s) &&
                      (s.state == ST_RUNNABLE || s.state == ST_WAITING || s.state == ST_SYSCALL);
    return told ? s.stack : 0;
}

static void stop_add(const struct causes *c, struct stops *k, const struct range *r)
{
    const struct moment m = {r->t0, r->t1, r->scope_p ? NO_LANE : r->owner, r->scope_p ? r->owner : NO_LANE};
    struct span what = {.who = NO_LANE};
    int64_t after = 0;
    uint32_t i = 0;
    k->all++;
    k->ns = ns_add(k->ns, r->t1 - r->t0);
    if (triage_last_to_stop(c->tr, &m, &what, &after) == NO_LANE || what.who >= c->tg->ng) {
        return;
    }
    const struct last x = {trace_g_name(c->tr, what.who), stood_at(c->tr, what.who, what.t1), 0, 0};
    while (i < k->n && !(k->v[i].name == x.name && k->v[i].stack == x.stack)) {
        i++;
    }
    if (i == KINDS) {
        return;
    }
    if (i == k->n) {
        k->v[k->n++] = x;
    }
    k->v[i].n++;
    k->v[i].ns = ns_add(k->v[i].ns, after);
}

static struct stops stops_of(const struct causes *c)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_STW, &r);
    struct stops k = {.n = 0};
    for (size_t i = 0; i < n && k.all < STOPS_LOOKED_AT;) {
        struct range x;
        i = trace_stop(r, n, i, &x);
        if (x.t1 - x.t0 >= threshold_ns(TH_STW_LONGEST) && by_collector(c, x.name)) {
            stop_add(c, &k, &x);
        }
    }
    return k;
}

bool stops_held(struct causes *c, struct finding *f)
{
    const struct stops k = stops_of(c);
    struct text before = {0};
    const struct last *x = NULL;
    for (uint32_t i = 0; i < k.n; i++) {
        x = !x || k.v[i].ns > x->ns ? &k.v[i] : x;
    }
    if (!x || !causes_place(c->tr, x->stack) || (double)x->n < threshold(TH_STW_HELD) ||
        !threshold_reached(TH_STW_HELD_SHARE, x->ns, k.ns)) {
        return false;
    }
    text_say(&before, c->tr, t_place(x->stack, 3), " is what the stops wait for (inferred): in ", x->n, " of the ",
             k.all, " that took ", t_dur(threshold_ns(TH_STW_LONGEST)), " or more a goroutine of ", t_func(x->name),
             " was the last to stop, after ", t_dur(x->ns / (int64_t)x->n),
             " on average, at the same line each time. ");
    retell_next(c->rs, f,
                "What it runs before that line can't be preempted: a large copy, a loop in assembly, a raw system "
                "call. Do it in pieces, with a function call in between; fewer collections only make it rarer.");
    f->stack = x->stack;
    f->inferred = true;
    retell_before(c->rs, f, &before);
    return true;
}

/* ---- who asks for them ----------------------------------------------------------------------------------------------- */

/*
 * Before Go 1.22 a stop has no stack. Who asks for one while another is under way waits for its turn, and that wait has one:
 * through the function of the runtime that makes stops of this kind. 0: none.
 */
static uint32_t asks_for_stops(const struct causes *c, struct str kind)
{
    static const struct {
        const char *kind, *func;
    } by[] = {
        {"read mem stats", "runtime.ReadMemStats"}, {"GOMAXPROCS", "runtime.GOMAXPROCS"},
        {"stopTheWorldGC", "runtime.GC"},           {"goroutine profile", "oroutineProfile"},
        {"all goroutine", "runtime.Stack"}, /* "stack trace" of them: 1.21's tools and later runtimes spell it differently */
        {"write heap dump", "debug.WriteHeapDump"}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        for (uint32_t k = 0; str_starts(kind, by[i].kind) && k < c->tg->nwaits && k < 4096; k++) {
            uint32_t stack = c->tg->waits[k].stack;
            if (stacks_has(c->tr, stack, by[i].func) && causes_place(c->tr, stack)) {
                return stack;
            }
        }
    }
    return 0;
}

/* Without any stack: which goroutine stopped the world is known. The start function of nine of ten, if it is the program's. 0: none. */
static uint32_t asks_among(const struct causes *c, const struct range *r, size_t n, uint32_t kind)
{
    uint32_t lead = UINT32_MAX;
    uint64_t all = 0, same = 0, votes = 0;
    for (size_t i = 0; i < n; i++) { /* a majority comes out in the lead */
        if (r[i].name == kind && !r[i].scope_p && r[i].owner < c->tg->ng) {
            const uint32_t group = gstat_group(c->tg->g, r[i].owner);
            lead = votes ? lead : group;
            votes = lead == group ? votes + 1 : votes - 1;
        }
    }
    for (size_t i = 0; lead < c->tg->ngroups && i < n; i++) {
        const bool told = r[i].name == kind && !r[i].scope_p && r[i].owner < c->tg->ng;
        all += r[i].name == kind;
        same += told && gstat_group(c->tg->g, r[i].owner) == lead;
    }
    return all && same * 10 >= all * 9 && c->life[lead].program ? c->tg->groups[lead].name : 0;
}

/* Who asks for it is named: nobody need look for that. To set GOMAXPROCS stops the world as well. func: only what its goroutine runs is known. */
static void caller_told(struct rules *rs, struct finding *f, struct str kind, uint32_t func)
{
    static const char look[] = "find the caller (view 8) and call it less often";
    const char *at = f->next ? strstr(f->next, look) : NULL;
    const bool procs = str_starts(kind, "GOMAXPROCS");
    struct text next = {0};
    if (at) {
        text_add(&next, "%.*s", (int)(at - f->next), f->next);
        if (func) {
            text_say(&next, rs->tr, "find the call in what ", t_func(func), procs ? " runs; " : " runs, and ");
        }
        text_add(&next, "%s%s",
                 procs ? "set it once, at the start, and limit how many goroutines work instead"
                       : "call it less often, or cache its result for a while",
                 at + sizeof look - 1);
        retell_advice(rs, f, &next);
        text_free(&next);
    }
}

/* Stops of a kind that one function asked for, and the way by which it was called: of most of them, if one way is. */
struct asker {
    uint32_t func, stack; /* stack: one of these that came by the way in lead */
    uint64_t n, way, lead;
};

/* Which functions called it, two of them at most. */
static uint64_t way_of(const struct trace *tr, uint32_t stack)
{
    const uint32_t at = stacks_user_frame(tr, stack);
    return (uint64_t)text_caller(tr, stack, at, 1) << 32 | text_caller(tr, stack, at, 2);
}

/* One more, by a way: the one that more than half take stays in the lead. */
static void asker_put(struct asker *v, const struct trace *tr, uint32_t stack)
{
    const uint64_t way = way_of(tr, stack);
    v->n++;
    if (v->lead == 0 || v->way == way) {
        v->stack = v->lead ? v->stack : stack;
        v->way = way;
        v->lead++;
    } else {
        v->lead--;
    }
}

/* How many functions of its stack say who asks: three where nine of ten came by that way, else the first alone. */
static unsigned asker_calls(const struct asker *v, const struct trace *tr, const struct range *r, size_t n,
                            uint32_t kind)
{
    uint64_t same = 0;
    for (size_t i = 0; i < n; i++) {
        same += r[i].name == kind && causes_place(tr, r[i].stack) == v->func && way_of(tr, r[i].stack) == v->way;
    }
    return same * 10 >= v->n * 9 ? 3 : 1;
}

/* Most are package testing's: it reads the memory's numbers before and behind each run of a benchmark. */
static void tests_ask(struct causes *c, struct finding *f, uint32_t stack, uint64_t times)
{
    struct text before = {0};
    text_say(&before, c->tr, "Package testing asks, around each run of a benchmark (", times, " times): ");
    f->stack = stack;
    f->note = true;
    f->severity_ns = 0;
    retell_next(c->rs, f, "Nothing to change: a benchmark's own time leaves that out.");
    retell_before(c->rs, f, &before);
}

#define ASKERS 16
struct askers {
    struct asker v[ASKERS];
    uint32_t n, tests;      /* tests: a stack of package testing's */
    uint64_t all, of_tests; /* stops of that kind with a stack; of these, package testing's */
};

/* Who asked for stops of a kind. Of more than there is room for, who asked least gives way: who asks for most stays. */
static struct askers askers_of(const struct causes *c, const struct range *r, size_t n, uint32_t kind)
{
    struct askers k = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t func = r[i].name == kind ? causes_place(c->tr, r[i].stack) : 0;
        uint32_t at = 0, least = 0;
        k.all += r[i].name == kind && r[i].stack;
        if (r[i].name == kind && stacks_of_benchmarks(c->tr, r[i].stack)) {
            k.tests = r[i].stack;
            k.of_tests++;
            continue;
        }
        for (; at < k.n && k.v[at].func != func; at++) {
            least = k.v[at].n < k.v[least].n ? at : least;
        }
        if (!func) {
            continue;
        }
        at = at < ASKERS ? at : least;
        if (at == k.n || k.v[at].func != func) {
            k.n += at == k.n;
            k.v[at] = (struct asker){.func = func};
        }
        asker_put(&k.v[at], c->tr, r[i].stack);
    }
    return k;
}

void stops_asked(struct causes *c, struct finding *f)
{
    const struct range *r;
    const size_t n = trace_ranges(c->tr, RANGE_STW, &r);
    uint32_t kind = 0, best = 0, of;
    struct text before = {0};
    for (size_t i = 0; i < n; i++) {
        kind = r[i].t0 == f->t0 && r[i].t1 == f->t1 ? r[i].name : kind;
    }
    const struct askers k = askers_of(c, r, n, kind);
    for (uint32_t i = 1; i < k.n; i++) {
        best = k.v[i].n > k.v[best].n ? i : best;
    }
    if (k.of_tests * 2 > k.all) {
        tests_ask(c, f, k.tests, k.of_tests);
        return;
    }
    const uint32_t stack = k.n ? k.v[best].stack : asks_for_stops(c, trace_str(c->tr, kind));
    if (stack) {
        text_say(&before, c->tr, t_place(stack, k.n ? asker_calls(&k.v[best], c->tr, r, n, kind) : 3));
        if (k.n && k.v[best].n * 10 < k.all * 9) {
            text_say(&before, c->tr, " (", k.v[best].n, " of ", k.all, " times)");
        }
        text_lit(&before, ": ");
        f->stack = stack;
        caller_told(c->rs, f, trace_str(c->tr, kind), 0);
    } else if ((of = asks_among(c, r, n, kind))) {
        text_say(&before, c->tr, "Goroutines of ", t_func(of), " ask for it: ");
        caller_told(c->rs, f, trace_str(c->tr, kind), of);
    }
    retell_before(c->rs, f, &before);
}
