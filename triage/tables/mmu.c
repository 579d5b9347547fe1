/*
 * mmu.c - minimum mutator utilisation.
 *
 * Definition (that of `go tool trace` with its defaults). At each moment the utilisation is the share of
 * GOMAXPROCS processors not taken by the collector: none while the world is stopped for GC; else a P is taken
 * while a mark worker runs on it (idle-time workers aside; one that goes on without a new label goes on as
 * what it was) or a goroutine on it assists. The MMU of a window length is the least mean utilisation over
 * all windows of that length that lie within the trace; a longer window than the trace is the trace.
 *
 * Which mode a worker has is known along its own lane alone; when a goroutine assisted its range says.
 *
 * The utilisation is a step function, so its windowed mean is piecewise linear and has its minimum where a
 * window's edge meets a step. Two pointers walk the steps: O(steps) per window length.
 */
#include "triage/tri.h"

#include <math.h>

#include "decode/base/rows.h"
#include "decode/base/mem.h"

/* A change: at this time one P more or less is taken, or the world stops or starts. Changes at one time
 * take effect together, so their order doesn't matter. */
enum { WORLD_BIT = 2, MORE_BIT = 1, TIME_SHIFT = 2 };

struct step { /* from t on */
    int64_t t;
    double util, sum; /* sum: the integral up to t */
};

struct curve {
    const struct trace *tr;
    int64_t start, end;
    uint64_t *change;
    size_t nchanges, cap_changes;
    struct step *step;
    size_t nsteps, cap_steps;
};

static bool change_add(struct curve *c, int64_t t0, int64_t t1, uint64_t what)
{
    t0 = t0 > c->start ? t0 : c->start;
    t1 = t1 < c->end ? t1 : c->end;
    return t0 >= t1 ||
           (mem_add(c->change, c->cap_changes, c->nchanges, (uint64_t)t0 << TIME_SHIFT | what | MORE_BIT) &&
            mem_add(c->change, c->cap_changes, c->nchanges, (uint64_t)t1 << TIME_SHIFT | what));
}

struct ran_in { /* a stretch of the collector, on one lane */
    struct curve *c;
    int64_t t0, t1;
    bool worker;       /* the lane is a mark worker's */
    enum gc_mode mode; /* in which it runs */
    bool ok;
};

static bool spans_ran_in(void *arg, const struct span_run *r)
{
    struct ran_in *x = arg;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n && x->ok; t += r->dur[i++]) {
        const int64_t end = t + r->dur[i];
        const struct span_tag *kind = &r->kind[r->tag[i]];
        x->mode = x->worker ? gc_mode_next(x->c->tr, x->mode, kind) : GC_UNLABELLED;
        if (tri_is_exec(kind->state) && x->mode != GC_IDLE)
            x->ok = change_add(x->c, t > x->t0 ? t : x->t0, end < x->t1 ? end : x->t1, 0);
    }
    return x->ok && slices_tick();
}

/* A worker takes its P whenever it runs, labelled or not, unless it is an idle-time worker: what it does
 * tells its mode. */
static bool g_ran_in(struct curve *c, uint32_t g, int64_t t0, int64_t t1, bool worker)
{
    struct ran_in x = {c, t0, t1, worker, GC_UNLABELLED, true};
    const struct states_ask ask = {.t0 = t0,
                                   .t1 = t1,
                                   .only = worker ? 0 : 1u << ST_RUNNING,
                                   .all = worker,
                                   .f = spans_ran_in,
                                   .arg = &x};
    trace_states(c->tr, lane_g(g), &ask);
    return x.ok && slices_tick();
}

/* Adds when a goroutine ran in an assist, which the range says of most. One that was going on when the trace
 * began counts from where the trace first mentions it, as on the Ps' lanes. */
static bool assist_ran(struct curve *c, const struct range *r)
{
    const int64_t t0 = r->seen > r->t0 ? r->seen : r->t0, t1 = r->t1, ran = (int64_t)r->a - 1,
                  first = (int64_t)r->b - 1;
    if (ran == t1 - t0)
        return change_add(c, t0, t1, 0);
    if (ran > 0 && first > 0)
        return change_add(c, t0, t0 + first, 0) && change_add(c, t1 - (ran - first), t1, 0);
    return g_ran_in(c, r->owner, t0, t1, false);
}

static bool collect(struct curve *c, const struct triage *tg)
{
    const struct range *stw, *assist;
    const size_t nstw = trace_ranges(c->tr, RANGE_STW, &stw), n = trace_ranges(c->tr, RANGE_ASSIST, &assist);
    return !any_of(i, nstw,
                   tri_stop_is_gc(c->tr, stw[i].name) && !change_add(c, stw[i].t0, stw[i].t1, WORLD_BIT)) &&
           !any_of(i, n, !assist_ran(c, &assist[i])) &&
           !any_of(i, tg->nworkers, !g_ran_in(c, tg->workers[i], INT64_MIN, INT64_MAX, true));
}

/* Adds a step: from t on the utilisation has this value. Skips steps of no length and of no change. */
static bool step_add(struct curve *c, int64_t t, double util)
{
    const struct step *last = c->nsteps ? &c->step[c->nsteps - 1] : NULL;
    if (last && last->util == util)
        return true;
    if (last && last->t == t) {
        c->step[c->nsteps - 1].util = util;
        return true;
    }
    const double sum = last ? last->sum + last->util * (double)(t - last->t) : 0;
    return mem_add(c->step, c->cap_steps, c->nsteps, (struct step){t, util, sum});
}

/* Adds all steps, and one behind the last that never comes, so that there is always a next one. */
static bool curve_steps(struct curve *c)
{
    const int64_t np = trace_nlanes(c->tr, LANE_P);
    int64_t taken = 0, stopped = 0, procs = 0, until = INT64_MIN;
    ns_sort((int64_t *)c->change, c->nchanges);
    bool ok = step_add(c, c->start, 1);
    for (size_t i = 0; ok && i < c->nchanges;) {
        const uint64_t at = c->change[i] >> TIME_SHIFT;
        for (; i < c->nchanges && c->change[i] >> TIME_SHIFT == at; i++)
            *(c->change[i] & WORLD_BIT ? &stopped : &taken) += c->change[i] & MORE_BIT ? 1 : -1;
        const int64_t n = taken < np ? taken : np;
        procs = (int64_t)at >= until ? tri_procs_at(c->tr, (int64_t)at, &until) : procs;
        ok = step_add(c, (int64_t)at, stopped > 0 || n >= procs ? 0 : 1 - (double)n / (double)procs) &&
             (i % 1024 || slices_tick());
    }
    return ok && mem_add(c->step, c->cap_steps, c->nsteps, (struct step){.t = INT64_MAX});
}

/* Returns the integral up to t, which is in step s. The last step holds to the end. */
static inline double integral(const struct step *s, int64_t t)
{
    return s->sum + s->util * (double)(t - s->t);
}

static struct mmu_point least_share(const struct curve *c, int64_t window)
{
    struct mmu_point best = {window, 2, c->start};
    const struct step *l = c->step, *r = c->step;
    window = window < c->end - c->start ? window : c->end - c->start;
    if (window <= 0)
        return (struct mmu_point){best.window, 1, c->start};
    const int64_t last = c->end - window;
    int64_t t = c->start;
    double least = INFINITY; /* integral of the best one: without a division it says that few are better */
    for (unsigned turns = 1; best.mmu > 0; turns++) { /* no value is smaller than 0 */
        for (; r[1].t <= t + window; r++) {
        }
        for (; l[1].t <= t; l++) {
        }
        const double of = integral(r, t + window) - integral(l, t);
        if (of < least && of / (double)window < best.mmu) {
            least = of;
            best.mmu = of / (double)window;
            best.at = t;
        }
        int64_t next = l[1].t < last ? l[1].t : last;
        next = r[1].t - window < next ? r[1].t - window : next;
        if (t >= last || (turns % 1024 == 0 && !slices_tick()))
            break;
        t = next > t ? next : last;
    }
    best.mmu = best.mmu < 0 ? 0 : best.mmu > 1 ? 1 : best.mmu;
    return best;
}

enum err_code triage_mmu(const struct triage *tg, const int64_t *windows, uint32_t n, struct mmu_point *out,
                         struct err *e)
{
    const struct trace *tr = tg->tr;
    struct curve c = {.tr = tr, .end = trace_info(tr)->end};
    if (trace_npoints(tr, METRIC_PROCS)) /* before GOMAXPROCS is known Go counts nothing */
        c.start = trace_point(tr, METRIC_PROCS, 0).t;
    c.start = c.start > 0 ? c.start : 0;
    const bool ok = collect(&c, tg) && curve_steps(&c);
    mem_free(c.change);
    for (uint32_t i = 0; ok && i < n; i++)
        out[i] = least_share(&c, windows[i]);
    mem_free(c.step);
    return ok ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the mutator utilisation");
}

bool triage_mmu_curve(struct triage *tg)
{
    int64_t w[MMU_POINTS], x = 10000;
    uint32_t n = 0;
    for (; n < MMU_POINTS - 1 && x < tg->end; n++) {
        int64_t lead = x;
        w[n] = x;
        while (lead >= 10)
            lead /= 10;
        x = lead == 2 ? x / 2 * 5 : x * 2;
    }
    w[n++] = tg->end;
    tg->nmmu = n;
    return triage_mmu(tg, w, n, tg->mmu, NULL) == ERR_OK;
}
