/*
 * mmu.c - minimum mutator utilisation.
 *
 * Definition (that of `go tool trace` with its defaults). At each moment the utilisation is the share of GOMAXPROCS
 * processors not taken by the collector: none while the world is stopped for GC; else a P is taken while a mark
 * worker runs on it (idle-time workers aside; one that goes on without a new label goes on as what it was) or a
 * goroutine on it assists. The MMU of a window length is the least mean utilisation over all windows of that length
 * that lie within the trace; a longer window than the trace is the trace.
 *
 * The utilisation is a step function, so its windowed mean is piecewise linear and has its minimum where a window's
 * edge meets a step. Two pointers walk the steps: O(steps) per window length, and where the mean is high they leap.
 */
#include "triage/tri.h"

#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/tables/assists.h"

/*
 * A change: at a time (key) P p has one taker more or less, or the world stops or starts (row). Those of one time count together, so
 * their order doesn't matter.
 */
#define ALL NO_LANE
#define CHANGE_T(x) ((int64_t)((x)->key ^ (uint64_t)1 << 63))
#define CHANGE_P(x) ((x)->row >> 1)
#define CHANGE_BY(x) ((x)->row & 1 ? 1 : -1)
#define P_ALL (UINT32_MAX >> 1)

static struct keyed_row change(int64_t t, uint32_t p, bool more)
{
    return (struct keyed_row){(uint64_t)t ^ (uint64_t)1 << 63, (p < P_ALL ? p : P_ALL) << 1 | more};
}

struct step {
    int64_t t;
    double util;
    double sum; /* integral from the first step to t */
};

struct curve {
    const struct trace *tr;
    unsigned flags;
    int64_t start, end;
    const struct assisted *assisted; /* NULL: to be found out */
    size_t nassisted;
    struct keyed_row *c;
    size_t nc, cap_c;
    struct step *s;
    size_t ns, cap_s;
};

static bool change_add(struct curve *c, int64_t t0, int64_t t1, uint32_t p)
{
    struct keyed_row *x;
    t0 = t0 > c->start ? t0 : c->start;
    t1 = t1 < c->end ? t1 : c->end;
    if (t0 >= t1) {
        return true;
    }
    x = mem_grow(c->c, &c->cap_c, c->nc + 2, sizeof *x);
    if (!x) {
        return false;
    }
    c->c = x;
    x[c->nc++] = change(t0, p, true);
    x[c->nc++] = change(t1, p, false);
    return true;
}

/* A worker takes its P whenever it runs, unless it is one for idle time; it needs no label for that. */
static bool lane_worker(struct curve *c, uint32_t g)
{
    struct span_iter it;
    enum gc_mode mode = GC_UNLABELLED;
    bool known = false, ok = true, go127 = c->flags & MMU_GO127;
    unsigned k = 0;
    if (!span_seek_index(&it, c->tr, (struct lane){LANE_G, g}, 0)) {
        return true;
    }
    do {
        const struct span *s = span_get(&it);
        mode = gc_mode_next(c->tr, mode, &(struct span_tag){s->state, s->reason, s->label});
        if (!tri_is_exec(s->state) || (mode == GC_IDLE && !(known && go127 && s->label))) {
            continue;
        }
        ok = change_add(c, s->t0, known && s->label && mode != GC_IDLE && go127 ? c->end : s->t1, s->who);
        known |= s->label != 0;
    } while (ok && (++k % 128 || slices_tick()) && span_next(&it));
    return ok;
}

/* An assist takes the P while its goroutine runs. */
static bool assist(void *arg, const struct assist_run *a)
{
    const struct range *r = a->r;
    return change_add(arg, a->t0 > r->t0 ? a->t0 : r->t0, a->t1 < r->t1 ? a->t1 : r->t1, a->p);
}

static bool collect_assists(struct curve *c)
{
    bool ok = true;
    if (!c->assisted) {
        return assists_each(c->tr, assist, c);
    }
    for (size_t i = 0; i < c->nassisted && ok; i++) {
        const struct assisted *a = &c->assisted[i];
        ok = change_add(c, a->t0, a->t1, a->p) && (i % 1024 || slices_tick());
    }
    return ok;
}

static bool collect(struct curve *c)
{
    const struct range *r;
    size_t n;
    bool ok = true;
    n = c->flags & MMU_STW ? trace_ranges(c->tr, RANGE_STW, &r) : 0;
    for (size_t i = 0; i < n && ok; i++) {
        struct str kind = trace_str(c->tr, r[i].name);
        if (kind.len == 0 || str_starts(kind, "GC")) {
            ok = change_add(c, r[i].t0, r[i].t1, ALL);
        }
    }
    n = c->flags & MMU_SWEEP ? trace_ranges(c->tr, RANGE_SWEEP, &r) : 0;
    for (size_t i = 0; i < n && ok; i++) {
        ok = change_add(c, r[i].t0, r[i].t1, r[i].owner) && (i % 1024 || slices_tick());
    }
    ok = ok && (!(c->flags & MMU_ASSIST) || collect_assists(c));
    for (uint32_t g = 0; c->flags & MMU_WORKERS && ok && (g = trace_next_worker(c->tr, g)) != NO_LANE; g++) {
        ok = lane_worker(c, g) && slices_tick();
    }
    return ok;
}

static bool step_add(struct curve *c, int64_t t, double util)
{
    struct step *x;
    double sum = 0;
    if (c->ns && c->s[c->ns - 1].t == t) {
        c->s[c->ns - 1].util = util;
        return true;
    }
    if (c->ns && c->s[c->ns - 1].util == util) {
        return true;
    }
    x = mem_grow(c->s, &c->cap_s, c->ns + 1, sizeof *x);
    if (!x) {
        return false;
    }
    c->s = x;
    if (c->ns) {
        sum = x[c->ns - 1].sum + x[c->ns - 1].util * (double)(t - x[c->ns - 1].t);
    }
    x[c->ns++] = (struct step){t, util, sum};
    return true;
}

/* GOMAXPROCS that holds at t; *i is a cursor over the points. */
static int64_t procs_at(const struct curve *c, const struct point *pt, size_t n, size_t *i, int64_t t)
{
    uint64_t v;
    while (*i < n && pt[*i].t <= t) {
        (*i)++;
    }
    v = *i ? pt[*i - 1].v : n ? pt[0].v : trace_info(c->tr)->gomaxprocs;
    if (v == 0) {
        v = trace_nlanes(c->tr, LANE_P);
    }
    return v < 1 ? 1 : v > 1000000 ? 1000000 : (int64_t)v;
}

static bool steps(struct curve *c)
{
    const struct point *pt;
    size_t n = trace_points(c->tr, METRIC_PROCS, &pt), cur = 0, i = 0;
    uint32_t np = trace_nlanes(c->tr, LANE_P);
    int32_t *taken = mem_zalloc(((size_t)np + 1) * sizeof *taken), stopped = 0;
    int64_t ntaken = 0, procs;
    unsigned turns = 0;
    bool ok = taken && rows_sort(c->c, c->nc) && step_add(c, c->start, 1);
    while (ok && i < c->nc) {
        const int64_t t = CHANGE_T(&c->c[i]);
        for (; i < c->nc && CHANGE_T(&c->c[i]) == t; i++) {
            const uint32_t p = CHANGE_P(&c->c[i]);
            const int by = CHANGE_BY(&c->c[i]);
            if (p == P_ALL) {
                stopped += by;
            } else if (p < np) {
                ntaken -= taken[p] > 0;
                taken[p] += by;
                ntaken += taken[p] > 0;
            }
        }
        procs = procs_at(c, pt, n, &cur, t);
        ok = step_add(c, t, stopped > 0 || ntaken >= procs ? 0 : 1 - (double)ntaken / (double)procs) &&
             (++turns % 1024 || slices_tick());
    }
    mem_free(taken);
    mem_free(c->c);
    c->c = NULL;
    return ok;
}

/* The last step holds to the end. */
static double integral(const struct curve *c, size_t *i, int64_t t)
{
    while (*i + 1 < c->ns && c->s[*i + 1].t <= t) {
        (*i)++;
    }
    return c->s[*i].sum + c->s[*i].util * (double)(t - c->s[*i].t);
}

/* The last step not behind t, from step i on: nearby, as a rule. */
static size_t step_at(const struct curve *c, size_t i, int64_t t)
{
    size_t by = 1, hi;
    while (i + by < c->ns && c->s[i + by].t <= t) {
        i += by;
        by *= 2;
    }
    hi = i + by < c->ns ? i + by : c->ns; /* behind t */
    while (i + 1 < hi) {
        const size_t mid = i + (hi - i) / 2;
        if (c->s[mid].t <= t) {
            i = mid;
        } else {
            hi = mid;
        }
    }
    return i;
}

/*
 * How far a window whose mean is so much above the least can be moved before it may be below it: each nanosecond changes what
 * it holds by one at most. A little less, for what sums are rounded by.
 */
static int64_t safe_ns(double above, int64_t window)
{
    const double ns = above * (double)window * 0.95 - 16;
    return ns < 0 ? 0 : ns > (double)window ? window : (int64_t)ns;
}

static struct mmu_point least(const struct curve *c, int64_t window)
{
    struct mmu_point best = {window, 2, c->start};
    int64_t t = c->start, last;
    size_t l = 0, r = 0;
    unsigned turns = 0;
    if (window > c->end - c->start) {
        window = c->end - c->start;
    }
    if (window <= 0) {
        best.mmu = 1;
        return best;
    }
    last = c->end - window;
    for (;;) {
        double right = integral(c, &r, t + window), mean = (right - integral(c, &l, t)) / (double)window;
        int64_t next = last;
        if (++turns % 1024 == 0 && !slices_tick()) {
            break;
        }
        if (mean < best.mmu) {
            best.mmu = mean;
            best.at = t;
        }
        if (t >= last || best.mmu <= 0) { /* nothing is less */
            break;
        }
        int64_t safe = safe_ns(mean - best.mmu, window);
        safe = safe < last - t ? safe : last - t;
        if (safe) {
            l = step_at(c, l, t + safe);
            r = step_at(c, r, t + safe + window);
        }
        if (l + 1 < c->ns && c->s[l + 1].t < next) {
            next = c->s[l + 1].t;
        }
        if (r + 1 < c->ns && c->s[r + 1].t - window < next) {
            next = c->s[r + 1].t - window;
        }
        t = next > t ? next : last;
    }
    best.mmu = best.mmu < 0 ? 0 : best.mmu > 1 ? 1 : best.mmu;
    return best;
}

static enum err_code mmu_of(struct curve *c, const int64_t *windows, uint32_t n, struct mmu_point *out, struct err *e)
{
    const struct point *pt;
    size_t np = trace_points(c->tr, METRIC_PROCS, &pt);
    bool ok;
    c->end = trace_info(c->tr)->end;
    c->start = np ? pt[0].t : 0; /* before GOMAXPROCS is known Go counts nothing */
    ok = collect(c) && steps(c);
    for (uint32_t i = 0; ok && i < n; i++) {
        out[i] = least(c, windows[i]);
    }
    mem_free(c->c);
    mem_free(c->s);
    return ok ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the mutator utilisation");
}

enum err_code triage_mmu(const struct trace *tr, unsigned flags, const int64_t *windows, uint32_t n,
                         struct mmu_point *out, struct err *e)
{
    return mmu_of(&(struct curve){.tr = tr, .flags = flags}, windows, n, out, e);
}

bool triage_mmu_curve(struct triage *tg)
{
    int64_t w[MMU_POINTS], x = 10000;
    uint32_t n = 0;
    if (tg->gc_cycles == 0 && tg->stw_gc.n == 0) {
        return true; /* no collection, no curve: it would say 100 % */
    }
    for (; n < MMU_POINTS - 1 && x < tg->end; n++) {
        int64_t lead = x;
        w[n] = x;
        while (lead >= 10) {
            lead /= 10;
        }
        x = lead == 2 ? x / 2 * 5 : x * 2;
    }
    w[n++] = tg->end;
    tg->nmmu = n;
    struct curve c = {
        .tr = tg->tr, .flags = MMU_DEFAULT, .assisted = tg->work->assisted, .nassisted = tg->work->nassisted};
    return mmu_of(&c, w, n, tg->mmu, NULL) == ERR_OK;
}
