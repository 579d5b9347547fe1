/*
 * rules_path.c - the way that decides how long the trace is: one goroutine that works while the rest has nothing to
 * do, and, where nothing else is told, where the time went.
 *
 * Who is alone is looked up at moments: the buckets of trace_gcounts() in which about one goroutine ran and none was
 * runnable. So a stretch is known to a bucket (a 4096th to an 8192nd of the trace), which is all its length needs.
 */
#include "triage/findings/causes.h"
#include "triage/findings/asks.h"
#include "triage/findings/works.h"
#include "triage/findings/leaves.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/story.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define ALONE_SHARE threshold(TH_SERIAL_SHARE)
#define PARALLEL threshold(TH_SERIAL_MANY)
#define PARALLEL_SHARE threshold(TH_SERIAL_PARALLEL)
#define STRETCH threshold_ns(TH_SERIAL_STRETCH)

#define PROCS_MOST 512 /* each moment asks all their lanes */
#define PROCS_KEPT 64  /* of so many what was unpacked for a moment serves the next ones, too: 5 KB each */
#define WINDOWS 64
#define WINDOW_EVENTS 400000.0 /* so many events of the trace lie within them all */

#define SOME 12 /* stretches explained, the first ones */

struct alone { /* stretches of one group of goroutines */
    uint32_t group, g, most;
    int64_t ns, beside, longest, t0, t1; /* beside: another ran for a moment within these */
    int64_t first, last;                 /* from the first stretch to the last one's end */
    uint64_t stretches;
    struct {
        uint32_t g;
        int64_t t0, t1;
    } some[SOME];
};
#define ALONES 32
#define MOMENTS 256 /* at which is looked who ran beside another */

struct serial {
    struct causes *c;
    struct alone v[ALONES];
    uint32_t n;
    uint32_t g; /* of the stretch under way, NO_LANE none */
    int64_t since, end;
    int64_t beside, maybe; /* within it another ran, too; and behind its end so far */
    int64_t parallel;
    size_t nparallel;
    int64_t some[MOMENTS]; /* moments of these, the gaps between them growing */
    size_t step;
    struct span_iter *at; /* of the first Ps: where they stood at the moment before */
    uint32_t kept;
};

/*
 * Does most of the stretch lie in one running span that the runtime should have stopped long ago? Then the host had
 * the thread elsewhere (host-cpu says so), and what would have run beside it says nothing of the program.
 */
static bool asleep(const struct serial *s)
{
    int64_t most = 0;
    struct span_iter it;
    bool more =
        trace_info(s->c->tr)->version >= 1014 && span_seek(&it, s->c->tr, (struct lane){LANE_G, s->g}, s->since);
    for (int i = 0; more && i < 1000 && span_get(&it)->t0 < s->end; i++, more = span_next(&it)) {
        const struct span *p = span_get(&it);
        most = p->state == ST_RUNNING && p->t1 - p->t0 > most ? p->t1 - p->t0 : most;
    }
    return most >= threshold_ns(TH_HOST_RUN) && most > (s->end - s->since) / 2;
}

static void stretch_end(struct serial *s)
{
    int64_t ns = s->end - s->since - s->beside;
    uint32_t i = 0, group;
    if (s->g == NO_LANE || ns < STRETCH || asleep(s)) {
        s->g = NO_LANE;
        return;
    }
    group = gstat_group(s->c->tg->g, s->g);
    while (i < s->n && s->v[i].group != group) {
        i++;
    }
    if (i < ALONES) {
        struct alone *a = &s->v[i];
        if (i == s->n) {
            s->n++;
            *a = (struct alone){.group = group, .longest = -1, .first = s->since};
        }
        a->last = s->end;
        if (a->stretches < SOME) {
            a->some[a->stretches].g = s->g;
            a->some[a->stretches].t0 = s->since;
            a->some[a->stretches].t1 = s->end;
        }
        a->ns = ns_add(a->ns, ns);
        a->beside = ns_add(a->beside, s->beside);
        a->stretches++;
        if (ns > a->longest) {
            a->longest = ns;
            a->t0 = s->since;
            a->t1 = s->end;
            a->g = s->g;
        }
    }
    s->g = NO_LANE;
}

/* What P p does at t. */
static bool p_at(const struct serial *s, uint32_t p, int64_t t, struct span *is)
{
    const struct lane l = {LANE_P, p};
    if (p >= s->kept) {
        return trace_span_at(s->c->tr, l, t, is);
    }
    const bool told = span_seek_at(&s->at[p], s->c->tr, l, t);
    *is = *span_get(&s->at[p]);
    return told;
}

/* How many goroutines of the program run at t, to two of them; *g: the first, NO_LANE none. */
static unsigned running_at(const struct serial *at, int64_t t, uint32_t *g)
{
    const struct causes *c = at->c;
    unsigned n = 0;
    *g = NO_LANE;
    for (uint32_t p = 0; p < c->tg->np; p++) {
        struct span s;
        if (!p_at(at, p, t, &s) || s.state != ST_RUNNING || s.who >= c->tg->ng) {
            continue;
        }
        if (c->tg->groups[gstat_group(c->tg->g, s.who)].is_system) {
            continue;
        }
        if (n++) {
            return n;
        }
        *g = s.who;
    }
    return n;
}

/* Of a damaged trace it isn't known of each processor what it does: then nobody is known to be alone. */
static bool all_told_at(const struct serial *at, int64_t t)
{
    const struct causes *c = at->c;
    struct span s;
    bool told = !c->tg->lost || c->tg->np >= rules_procs(c->rs);
    for (uint32_t p = 0; c->tg->lost && told && p < c->tg->np; p++) {
        told = p_at(at, p, t, &s) && s.state != ST_NONE;
    }
    return told;
}

/* The goroutine of the program that runs at t if it is the only one. */
static uint32_t alone_at(const struct serial *s, int64_t t)
{
    uint32_t g;
    return running_at(s, t, &g) == 1 && all_told_at(s, t) ? g : NO_LANE;
}

/* Does that goroutine run at t? */
static bool runs_at(const struct serial *s, uint32_t g, int64_t t)
{
    struct span is;
    return g != NO_LANE && trace_span_at(s->c->tr, (struct lane){LANE_G, g}, t, &is) && is.state == ST_RUNNING;
}

/* A moment at which three or more ran: of many every second, fourth, .. is kept. */
static void parallel_add(struct serial *s, int64_t t0, int64_t t1)
{
    s->parallel = ns_add(s->parallel, t1 - t0);
    if (s->nparallel++ % s->step) {
        return;
    }
    const size_t at = (s->nparallel - 1) / s->step;
    s->some[at] = t0 + (t1 - t0) / 2;
    if (at + 1 == MOMENTS) {
        for (size_t i = 0; i < MOMENTS / 2; i++) {
            s->some[i] = s->some[2 * i];
        }
        s->step *= 2;
    }
}

/* How long three or more ran, two of the program's among them: the collector's workers make no program parallel. */
static double parallel(const struct serial *s)
{
    const size_t n = (s->nparallel + s->step - 1) / s->step;
    size_t own = 0;
    for (size_t i = 0; i < n && i < MOMENTS; i++) {
        uint32_t g;
        own += running_at(s, s->some[i], &g) > 1;
    }
    return n ? (double)s->parallel * (double)own / (double)n : 0;
}

/*
 * Does it wait for timers between its stretches, for half as long as these or longer? Then it has room: work done
 * sooner waits longer.
 */
static bool paced(const struct causes *c, const struct alone *a)
{
    struct span_iter it;
    int64_t ns = 0;
    bool more = a->stretches > 1 && span_seek(&it, c->tr, (struct lane){LANE_G, a->g}, a->first);
    for (int i = 0; more && i < 20000 && span_get(&it)->t0 < a->last; i++) {
        const struct span s = *span_get(&it);
        more = span_next(&it);
        if (s.state == ST_WAITING && s.t1 <= a->last && more && span_get(&it)->state == ST_RUNNABLE &&
            span_get(&it)->who == NO_LANE && stacks_wait_kind(c->tr, s.reason, s.stack) != WK_NET) {
            ns = ns_add(ns, s.t1 - s.t0);
        }
    }
    return (double)ns >= threshold(TH_SERIAL_PACED) * (double)a->ns;
}

/* A bucket of trace_gcounts(): where it ends; how many ran in it, and were runnable. */
struct bucket {
    int64_t t0, t1;
    double run, ready;
};

static struct bucket bucket_of(const struct causes *c, const struct gbucket *b, size_t i, int64_t width)
{
    const int64_t t0 = (int64_t)i * width, t1 = t0 + width < c->tg->end ? t0 + width : c->tg->end;
    const double len = (double)(t1 - t0);
    return len > 0 ? (struct bucket){t0, t1, (double)b[i].ns[GC_RUNNING] / len, (double)b[i].ns[GC_RUNNABLE] / len}
                   : (struct bucket){.t1 = t0};
}

static bool maybe_alone(const struct bucket *b)
{
    return b->run > threshold(TH_SERIAL_LEAST) && b->run < threshold(TH_SERIAL_MOST) &&
           b->ready < threshold(TH_SERIAL_READY);
}

/* Do the buckets leave room for a finding? Who it was that ran is asked only then. */
static bool may_tell(const struct causes *c, const struct gbucket *b, size_t n, int64_t width)
{
    int64_t alone = 0, parallel = 0;
    for (size_t i = 0; i < n; i++) {
        const struct bucket x = bucket_of(c, b, i, width);
        alone += maybe_alone(&x) ? x.t1 - x.t0 : 0;
        parallel += x.run >= PARALLEL ? x.t1 - x.t0 : 0;
    }
    return (double)alone >= ALONE_SHARE * (double)c->tg->end &&
           (double)parallel >= PARALLEL_SHARE * (double)c->tg->end;
}

static void sweep(struct serial *s)
{
    const struct gbucket *b;
    int64_t width;
    const size_t n = trace_gcounts(s->c->tr, &width, &b);
    if (width <= 0 || !may_tell(s->c, b, n, width)) {
        return;
    }
    const uint32_t np = s->c->tg->np;
    s->at = mem_zalloc((np < PROCS_KEPT ? np : PROCS_KEPT) * sizeof *s->at);
    s->kept = !s->at ? 0 : np < PROCS_KEPT ? np : PROCS_KEPT;
    for (size_t i = 0; i < n; i++) {
        const struct bucket x = bucket_of(s->c, b, i, width);
        if (x.t1 <= x.t0) {
            continue;
        }
        if (x.run >= PARALLEL) {
            parallel_add(s, x.t0, x.t1);
        }
        const int64_t mid = x.t0 + (x.t1 - x.t0) / 2;
        const uint32_t g = maybe_alone(&x) ? alone_at(s, mid) : NO_LANE;
        if (g == s->g && g != NO_LANE) {
            s->beside += s->maybe;
            s->maybe = 0;
            s->end = x.t1;
            continue;
        }
        s->maybe += x.t1 - x.t0;
        if ((double)(s->beside + s->maybe) <= threshold(TH_SERIAL_BESIDE) * (double)(x.t1 - s->since) &&
            runs_at(s, s->g, mid)) {
            continue; /* a heartbeat, a log's writer: it goes on, and is alone again soon */
        }
        stretch_end(s);
        s->g = g;
        s->since = x.t0;
        s->end = x.t1;
        s->beside = s->maybe = 0;
    }
    stretch_end(s);
}

/* Is it all within one piece at the trace's beginning? */
static bool starts_up(const struct causes *c, const struct alone *a)
{
    return (double)a->first <= threshold(TH_SERIAL_START) * (double)c->tg->end &&
           (double)(a->last - a->first) <= (1 + threshold(TH_SERIAL_START)) * (double)a->ns;
}

/* The outermost region that a goroutine was in all of the time. */
static void within_text(struct text *t, const struct causes *c, uint32_t g, int64_t t0, int64_t t1)
{
    const struct region *r, *best = NULL;
    const size_t n = trace_regions(c->tr, &r);
    for (size_t i = 0; i < n; i++) {
        const bool in = r[i].g == g && r[i].t0 <= t0 && r[i].t1 >= t1;
        best = in && (!best || r[i].t1 - r[i].t0 > best->t1 - best->t0) ? &r[i] : best;
    }
    if (best) {
        text_say(t, c->tr, " (in the region \"", t_str(best->name), "\")");
    }
}

/* What it did alone: the first of the largest that is more than the goroutines' own start. NULL: not known. */
static const struct leaf *alone_doing(struct causes *c, const struct alone *a, uint32_t start, struct leaves *v)
{
    struct explain_tree t;
    bool ok = explain_tree_init(&t, c->tr);
    *v = (struct leaves){0};
    explain_inside(c->x, true);
    for (uint64_t i = 0; ok && i < a->stretches && i < SOME; i++) {
        ok = explain_add(c->x, &t, a->some[i].g, a->some[i].t0, a->some[i].t1);
    }
    explain_inside(c->x, false);
    if (ok) {
        causes_leaves(&t, v);
    }
    explain_tree_free(&t);
    for (uint32_t i = 0; i < v->n && i < 3; i++) {
        if (v->v[i].stack && v->v[i].func != start) {
            return &v->v[i];
        }
    }
    return NULL;
}

static void serial_finding(struct serial *s, const struct alone *a)
{
    static const char *const around[RAN_HOWS] = {
        "", "In or below ", "In or around ", "In or after ", "In or before ", "Between waits in ", "For "};
    struct causes *c = s->c;
    const struct group *grp = &c->tg->groups[a->group];
    struct leaves v;
    struct draft d;
    int64_t gain = (int64_t)((double)a->ns * (1 - 1 / c->procs));
    const struct leaf *is = alone_doing(c, a, grp->name, &v);
    if (is && is->cat == EX_RUN && untimed_keeps(c, is->func)) {
        return; /* before Go 1.22, such calls look like running: the device worked */
    }
    draft_start(&d, RULE_SERIAL, gain);
    draft_subject(&d, c->rs, grp->name);
    draft_at(&d, a->t0, a->t1, LANE_G, a->g);
    text_share(&d.amount, (double)a->ns, (double)c->tg->end);
    if (is) {
        text_add(&d.text, "%s", around[ran_how(&is->ran)]);
        causes_calls_text(&d.text, c->tr, is);
        text_lit(&d.text, ": ");
    }
    if (grp->name) {
        text_say(&d.text, c->tr, t_func(grp->name));
    } else {
        text_lit(&d.text, "Goroutines whose function is not recorded");
    }
    text_say(&d.text, c->tr, " ran alone for ", a->stretches > 1 ? "" : "one stretch of ", t_dur(a->ns), ", ",
             t_share((double)a->ns, (double)c->tg->end), " of the trace");
    if (a->stretches > 1) {
        text_say(&d.text, c->tr, ", in ", a->stretches, " stretches of up to ", t_dur(a->longest));
    }
    if (starts_up(c, a)) {
        text_lit(&d.text, ", at the beginning of the trace");
    }
    within_text(&d.text, c, a->g, a->t0, a->t1);
    text_add(
        &d.text,
        ", while %s and the other processors idled (there are %.0f). Elsewhere the program does run in parallel.",
        a->beside ? "hardly any other goroutine ran" : "no other goroutine was runnable", c->procs);
    text_add(
        &d.next, "%s",
        starts_up(c, a)
            ? "If this is startup: initialise independent parts in parallel, or later, when they are first needed."
            : "Let several goroutines share this work, or do it while the others are busy.");
    draft_end(c->rs, &d);
}

static void rule_serial(struct causes *c)
{
    struct serial s = {.c = c, .g = NO_LANE, .step = 1};
    if (c->procs < 2 || c->idle < 1 || c->tg->np > PROCS_MOST) {
        return;
    }
    sweep(&s);
    for (uint32_t i = 0; i < s.n; i++) {
        const struct alone *a = &s.v[i];
        const double often =
            a->beside ? threshold(TH_SERIAL_OFTEN) : PARALLEL_SHARE; /* those beside it meet by chance */
        if ((double)a->ns >= ALONE_SHARE * (double)c->tg->end && a->ns / (int64_t)a->stretches >= STRETCH &&
            (double)s.parallel >= often * (double)c->tg->end && parallel(&s) >= often * (double)c->tg->end &&
            !paced(c, a)) {
            serial_finding(&s, a);
        }
    }
    mem_free(s.at);
}

/* ---- where the time went --------------------------------------------------------------------------------------- */

static uint32_t main_goroutine(const struct causes *c)
{
    uint32_t g = trace_find_lane(c->tr, LANE_G, 1);
    return g != NO_LANE && g < c->tg->ng && !c->tg->groups[gstat_group(c->tg->g, g)].is_system ? g : NO_LANE;
}

/* Of a long trace windows spread evenly over it, so that the work stays bounded. */
static bool explain_windows(struct causes *c, struct explain_tree *t, uint32_t g, int64_t a, int64_t b)
{
    double events = (double)trace_info(c->tr)->events, part = events > WINDOW_EVENTS ? WINDOW_EVENTS / events : 1;
    int n = part < 1 ? WINDOWS : 1;
    int64_t step = (b - a) / n, width = (int64_t)((double)step * part);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        ok = explain_add(c->x, t, g, a + i * step, n == 1 ? b : a + i * step + width);
    }
    return ok;
}

bool causes_main_tree(struct causes *c, struct explain_tree *t)
{
    const uint32_t g = main_goroutine(c);
    if (g == NO_LANE || !explain_tree_init(t, c->tr)) {
        return false;
    }
    const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
    if (!explain_windows(c, t, g, li.first, li.last)) {
        explain_tree_free(t);
        c->rs->failed = true;
        return false;
    }
    return true;
}

bool causes_main_way(struct causes *c, struct leaves *out, struct leaves *by)
{
    struct explain_tree t;
    if (!causes_main_tree(c, &t)) {
        return false;
    }
    causes_leaves(&t, out);
    if (by) {
        causes_leaves_of(&t, by);
    }
    explain_tree_free(&t);
    return out->all > 0;
}

static bool told(const struct causes *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->rs->out->n; i++) {
        const struct finding *f = &c->rs->out->f[i];
        const bool counts = threshold_reached(TH_TIME_FINDING, f->severity_ns, c->tg->end) || f->rule == RULE_STUCK;
        any |= !f->note && counts && !story_is_sign(c->rs, f); /* what costs less will be a note */
    }
    return any;
}

/*
 * A timer that decides how long all takes may be what it is for (the pace of the work, a service that has nothing to
 * do), or longer than what it is waited for. Only who wrote it knows.
 */
static void timers_text(struct text *t, const struct leaves *v)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        ns = v->v[i].cat == EX_TIMER ? ns_add(ns, v->v[i].ns) : ns;
    }
    if (ns > 0 && (double)ns >= threshold(TH_TIME_TIMERS) * (double)v->all) {
        text_lit(t, " A trace cannot tell whether a timer is an intended pace or longer than needed.");
    }
}

/* The largest parts, where no place has much: by whose time they are. */
static void spread_text(struct text *t, const struct causes *c, const struct leaves *by)
{
    text_lit(t, "The main goroutine's critical path is spread over many places; by goroutines: ");
    for (uint32_t i = 0; i < by->n && i < 5 && (i == 0 || by->v[i].ns > by->all / 20); i++) {
        text_raw(t, "; ", i ? 2 : 0);
        text_say(t, c->tr, t_func(by->v[i].func), " ");
        causes_what_text(t, c->tr, (enum explain_cat)by->v[i].cat, &(struct told_at){0});
        text_say(t, c->tr, " ", t_share((double)by->v[i].ns, (double)by->all));
    }
    text_lit(t, "; most at one place: ");
}

/*
 * Does the main goroutine only wait for others, outside or in the same process? Then its way tells of them, not of
 * the work.
 */
static bool main_waits(const struct causes *c, const struct leaves *v)
{
    const uint32_t own = c->tg->groups[gstat_group(c->tg->g, main_goroutine(c))].name;
    const bool serves = calls_accept(c);
    int64_t ns = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct leaf *l = &v->v[i];
        const bool outside =
            explain_waits_outside(l->cat) || l->cat == EX_TIMER || l->cat == EX_OPEN || l->cat == EX_GC;
        const bool one = threshold_reached(TH_TIME_WAITS, l->t1 - l->t0, v->all);   /* that lasts (standard input) */
        const bool call = l->cat == EX_SYSCALL && (serves || one) && l->who == own; /* for another process */
        ns = call || (outside && (serves || l->who == own)) ? ns_add(ns, l->ns) : ns;
    }
    return threshold_reached(TH_TIME_WAITS, ns, v->all);
}

/*
 * Does running, or waiting for a turn to, come first? Then what those that run most are in is said first, else last.
 */
static bool runs(const struct leaf *l)
{
    return l->cat == EX_RUN || l->cat == EX_SCHED || l->cat == EX_NOBODY || l->cat == EX_ASSIST;
}

static void busy_text(struct text *t, const struct causes *c)
{
    const double had = c->busy - c->looks;
    if (had < 0.05) { /* at least 0.0 says nothing */
        if (!c->tg->lost) {
            text_add(t, " On average less than 0.1 of %.0f processor%s had work.", c->procs,
                     c->procs < 1.5 ? "" : "s");
        }
        return;
    }
    text_add(t, " On average %s%.1f of %.0f processor%s had work", c->tg->lost ? "at least " : "", had, c->procs,
             c->procs < 1.5 ? "" : "s");
    if (c->looks >= 0.05) {
        text_add(t, " (%.1f more looked for some)", c->looks);
    }
    text_lit(t, ".");
}

/*
 * Does the program itself make that call, past the library, which knows what blocks? It may last: a lock, a device,
 * C.
 */
static bool past_library(const struct trace *tr, uint32_t stack)
{
    static const char *const kernel[] = {"syscall.", "runtime.", "internal/runtime", "golang.org/x/sys/"};
    const uint32_t n = stacks_user_frame(tr, stack);
    bool past = true;
    for (uint32_t i = 0; i < n && past; i++) {
        const struct str f = trace_str(tr, trace_frame(tr, stack, i).func);
        past = false;
        for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
            past |= str_starts(f, kernel[k]);
        }
    }
    return past;
}

/* Of calls in that function (or, past the library, in what it calls), or of syncs anywhere. */
static const struct syscall_row *untimed(const struct causes *c, uint32_t func, uint64_t *calls)
{
    const struct syscall_row *most = NULL;
    *calls = 0;
    for (uint32_t i = 0; i < c->tg->nsyscalls && tri_untimed(c->tr, 1); i++) {
        const struct syscall_row *r = &c->tg->syscalls[i];
        const bool more = !most || r->count - r->blocking > most->count - most->blocking;
        const uint32_t place = more || func ? causes_place(c->tr, r->stack) : 0;
        const bool keeps = place && (!func || place == func) && each_keeps(c->tr, r->stack),
                   past = place && func && stacks_passes(c->tr, r->stack, func) && past_library(c->tr, r->stack);
        if (keeps || past) {
            most = more ? r : most;
            *calls += r->count - r->blocking;
        }
    }
    return most && (double)(most->count - most->blocking) >= threshold(TH_CALLS_WAITS) ? most : NULL;
}

uint64_t untimed_calls(const struct causes *c, uint32_t func)
{
    uint64_t calls;
    return untimed(c, func, &calls) ? calls : 0;
}

bool untimed_keeps(const struct causes *c, uint32_t func)
{
    uint64_t calls;
    const struct syscall_row *most = untimed(c, func, &calls);
    return most && each_keeps(c->tr, most->stack);
}

void untimed_text(struct text *t, const struct causes *c, uint32_t func)
{
    uint64_t calls;
    const struct syscall_row *most = untimed(c, func, &calls);
    if (most) {
        const uint32_t call = trace_frame(c->tr, most->stack, 0).func;
        text_say(t, c->tr, " ", most->count - most->blocking);
        if (stacks_is_program(c->tr, call)) {
            text_lit(t, " system calls");
        } else {
            text_say(t, c->tr, " calls of ", t_func(call));
        }
        text_say(t, c->tr, " in ", t_place(most->stack, 1),
                 " kept their processor: this trace doesn't record when those end, so their time counts as running.");
    }
}

static void most_text(struct draft *d, const struct causes *c, bool first)
{
    const uint32_t group = moments_most(c);
    struct inside in;
    if (!moments_inside(c, group, &in) || (double)in.all < threshold(TH_TIME_MOMENTS)) {
        return;
    }
    text_raw(&d->text, " ", first ? 0 : 1);
    inside_text(&d->text, c, group, &in);
    text_raw(&d->text, " ", first ? 1 : 0);
    d->f.stack = first ? in.stack : d->f.stack;
    d->f.queued |= first; /* who has the processors that others wait for */
}

static void time_begin(struct draft *d, const struct leaf *most)
{
    draft_start(d, RULE_TIME, 0);
    d->f.note = true;
    d->f.stack = most->stack;
}

/* false: nothing is told of it. */
static bool tell_work(struct causes *c, const struct leaves *v)
{
    struct work_kind w[WORKS];
    struct draft d;
    uint32_t n;
    if (!works_of(c, w, &n)) {
        c->rs->failed = true;
        return false;
    }
    if (n == 0) {
        return false;
    }
    (void)each_finding(c, &w[0]);
    if (full_finding(c, w, n)) {
        return true;
    }
    const bool first = runs(&w[0].v.v[0]), hot = hot_begin(&d, c, w[0].group, &w[0].v, work_in_flight(&w[0]));
    if (!hot) {
        time_begin(&d, &w[0].v.v[0]);
        text_share(&d.amount, (double)w[0].v.v[0].ns, (double)w[0].v.all);
    }
    draft_at(&d, w[0].v.v[0].t0, w[0].v.v[0].t1, LANE_G, w[0].v.v[0].g);
    if (first && !hot) {
        most_text(&d, c, true);
    }
    text_lit(&d.text, "What the program did many times: ");
    work_text(&d.text, c, w, n);
    busy_text(&d.text, c);
    text_lit(&d.text, " The main goroutine's critical path is ");
    causes_leaf_text(&d.text, c->tr, &v->v[0], v->all);
    text_lit(&d.text, ".");
    untimed_text(&d.text, c, 0);
    if (!first && !hot) {
        most_text(&d, c, false);
    }
    text_add(&d.next, "%s",
             hot ? ""
                 : "gotop explain shows the same for any goroutine, task or region; for what is done many times it "
                   "shows the slow ones beside the usual ones.");
    draft_end(c->rs, &d);
    return true;
}

/* Is it the main goroutine, or does it end a wait of that one? Others may only wait for more to do. */
static bool on_the_way(const struct causes *c, uint32_t name)
{
    const uint32_t own = c->tg->groups[gstat_group(c->tg->g, main_goroutine(c))].name;
    bool is = name == own;
    for (uint32_t i = 0; i < c->tg->npairs && !is; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        is = p->waiter == own && p->waker == name && !p->from_scheduler;
    }
    return is;
}

/* Where most of the way is what another goroutine waits for, who asks it, again and again, is what to look at. */
static void asks_text(struct text *t, const struct causes *c, const struct leaf *l)
{
    const struct pair_row *most = NULL;
    const bool waits = l->cat == EX_TIMER || explain_waits_outside(l->cat);
    for (uint32_t i = 0; i < c->tg->npairs && waits; i++) {
        const struct pair_row *p = &c->tg->pairs[i];
        const bool asks = !p->from_scheduler && p->waker == l->who && p->waiter != l->who &&
                          wait_on_channel(p->kind) && (double)p->count >= threshold(TH_CALLS_WAITS);
        most = asks && (!most || p->total > most->total) ? p : most;
    }
    if (most && most->total > l->ns / 2 && causes_place(c->tr, most->stack) && on_the_way(c, most->waiter)) {
        text_say(t, c->tr, " ", t_place(most->stack, 3), " waits for ", t_func(l->who), ", ", most->count,
                 " times for ", t_dur(most->total / (int64_t)most->count), " on average.");
    }
}

/* The group whose work that is: who waits for a processor waits for those that have them all. */
static uint32_t works_at(const struct causes *c, const struct leaf *l)
{
    return l->cat == EX_SCHED && c->busy >= threshold(TH_FULL_BUSY) * c->procs ? moments_most(c)
                                                                               : causes_group(c, l->who);
}

static void rule_time(struct causes *c)
{
    struct leaves v, by;
    struct draft d;
    if (told(c) || !causes_main_way(c, &v, &by) || v.n == 0 || v.v[0].cat == EX_UNKNOWN) {
        return; /* it is told, or not known (a killed program's trace) */
    }
    if (main_waits(c, &v) && tell_work(c, &v)) {
        return;
    }
    (void)each_on_way(c, &v);
    nested_on_way(c, &v.v[0], v.all);
    const bool spread = !threshold_reached(TH_TIME_PLACE, v.v[0].ns, v.all);
    const bool hot = hot_begin(&d, c, works_at(c, &v.v[0]), &v, (double)c->tg->end);
    if (!hot) {
        time_begin(&d, &v.v[0]);
        text_share(&d.amount, (double)(spread ? by.v[0].ns : v.v[0].ns), (double)v.all);
    }
    draft_at(&d, v.v[0].t0, v.v[0].t1, LANE_G, v.v[0].g);
    if (runs(&v.v[0]) && !hot) {
        most_text(&d, c, true);
    }
    if (spread) {
        spread_text(&d.text, c, &by);
    } else {
        text_lit(&d.text, "The main goroutine's critical path: ");
    }
    leaves_text(&d.text, c->tr, &v, 4, 20);
    text_lit(&d.text, ".");
    asks_text(&d.text, c, &v.v[0]);
    busy_text(&d.text, c);
    timers_text(&d.text, &v);
    untimed_text(&d.text, c, 0);
    if (!runs(&v.v[0]) && !hot) {
        most_text(&d, c, false);
    }
    text_add(&d.next, "%s", hot ? "" : "gotop explain shows the same for any goroutine, task or region.");
    draft_end(c->rs, &d);
}

void rules_path(struct causes *c)
{
    rule_serial(c);
    rule_time(c);
}
