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
};
_Static_assert(sizeof(struct step) <= sizeof(struct keyed_row), "a step takes the place of a change");
#define SUM_EACH 16 /* steps: of so many one's sum is kept */

struct curve {
    const struct trace *tr;
    unsigned flags;
    int64_t start, end;
    const struct assisted *assisted; /* NULL: to be found out */
    size_t nassisted;
    struct keyed_row *c;
    size_t nc, cap_c;
    struct step *s; /* where the changes stood: there are no more of them than of those */
    size_t ns;
    double *sum; /* integral from the first step to each SUM_EACH-th */
    size_t cap_sum;
};

/* A step, and the integral from the first one to it. */
struct place {
    size_t i;
    double sum;
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
    size_t n = c->flags & MMU_SWEEP ? trace_ranges(c->tr, RANGE_SWEEP, &r) : 0;
    void *room = mem_grow(c->c, &c->cap_c, 2 * (n + c->nassisted) + 2, sizeof *c->c); /* of what there are most */
    bool ok = room != NULL;
    c->c = ok ? room : c->c;
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

/* How much a step holds up to t. */
static double step_to(const struct step *s, int64_t t)
{
    return s->util * (double)(t - s->t);
}

/* The last step, which `next` may yet replace, becomes one of those that stand. false: out of memory. */
static bool step_put(struct curve *c, struct step next, struct step *last, double *sum)
{
    if (c->ns % SUM_EACH == 0) {
        double *x = mem_grow(c->sum, &c->cap_sum, c->ns / SUM_EACH + 1, sizeof *x);
        if (!x) {
            return false;
        }
        c->sum = x;
        x[c->ns / SUM_EACH] = *sum;
    }
    *sum += step_to(last, next.t);
    c->s[c->ns++] = *last;
    *last = next;
    return true;
}

/* A cursor over what GOMAXPROCS was. */
struct procs {
    size_t i, n;
    struct point is, next;
};

/* GOMAXPROCS that holds at t, no earlier than asked before. */
static int64_t procs_at(const struct curve *c, struct procs *p, int64_t t)
{
    while (p->i < p->n && p->next.t <= t) {
        p->is = p->next;
        if (++p->i < p->n) {
            p->next = trace_point(c->tr, METRIC_PROCS, p->i);
        }
    }
    uint64_t v = p->i ? p->is.v : p->n ? p->next.v : trace_info(c->tr)->gomaxprocs;
    if (v == 0) {
        v = trace_nlanes(c->tr, LANE_P);
    }
    return v < 1 ? 1 : v > 1000000 ? 1000000 : (int64_t)v;
}

/* What changes have made of it. */
struct taking {
    int32_t *by, stopped; /* by P: how many take it */
    int64_t n;            /* Ps that are taken */
};

static void taken(struct taking *k, uint32_t np, const struct keyed_row *x)
{
    const uint32_t p = CHANGE_P(x);
    if (p == P_ALL) {
        k->stopped += CHANGE_BY(x);
    } else if (p < np) {
        k->n -= k->by[p] > 0;
        k->by[p] += CHANGE_BY(x);
        k->n += k->by[p] > 0;
    }
}

/* Steps take the place of changes, in order: the last one stands aside, so each stands where a change was that was looked at. */
static bool steps(struct curve *c)
{
    struct procs procs_of = {.n = trace_npoints(c->tr, METRIC_PROCS)};
    size_t i = 0;
    uint32_t np = trace_nlanes(c->tr, LANE_P);
    struct taking k = {mem_zalloc(((size_t)np + 1) * sizeof *k.by), 0, 0};
    struct step last = {c->start, 1};
    double sum = 0;
    unsigned turns = 0;
    if (procs_of.n) {
        procs_of.next = trace_point(c->tr, METRIC_PROCS, 0);
    }
    struct keyed_row *room = mem_grow(c->c, &c->cap_c, c->nc + 1, sizeof *room); /* one more for where it begins */
    c->c = room ? room : c->c;
    c->s = (struct step *)(void *)room;
    bool ok = k.by && room && rows_sort_here(room, c->nc);
    while (ok && i < c->nc) {
        const int64_t t = CHANGE_T(&c->c[i]);
        for (; i < c->nc && CHANGE_T(&c->c[i]) == t; i++) {
            taken(&k, np, &c->c[i]);
        }
        const int64_t procs = procs_at(c, &procs_of, t);
        const double util = k.stopped > 0 || k.n >= procs ? 0 : 1 - (double)k.n / (double)procs;
        if (t == last.t) {
            last.util = util;
        } else if (util != last.util) {
            ok = step_put(c, (struct step){t, util}, &last, &sum);
        }
        ok = ok && (++turns % 1024 || slices_tick());
    }
    mem_free(k.by);
    return ok && step_put(c, last, &last, &sum);
}

/* On to step i. */
static void place_at(const struct curve *c, struct place *p, size_t i)
{
    if (i - p->i > SUM_EACH) {
        p->i = i / SUM_EACH * SUM_EACH;
        p->sum = c->sum[i / SUM_EACH];
    }
    for (; p->i < i; p->i++) {
        p->sum += step_to(&c->s[p->i], c->s[p->i + 1].t);
    }
}

/* The last step holds to the end. */
static double integral(const struct curve *c, struct place *p, int64_t t)
{
    for (; p->i + 1 < c->ns && c->s[p->i + 1].t <= t; p->i++) {
        p->sum += step_to(&c->s[p->i], c->s[p->i + 1].t);
    }
    return p->sum + step_to(&c->s[p->i], t);
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
    struct place l = {0}, r = {0};
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
            place_at(c, &l, step_at(c, l.i, t + safe));
            place_at(c, &r, step_at(c, r.i, t + safe + window));
        }
        if (l.i + 1 < c->ns && c->s[l.i + 1].t < next) {
            next = c->s[l.i + 1].t;
        }
        if (r.i + 1 < c->ns && c->s[r.i + 1].t - window < next) {
            next = c->s[r.i + 1].t - window;
        }
        t = next > t ? next : last;
    }
    best.mmu = best.mmu < 0 ? 0 : best.mmu > 1 ? 1 : best.mmu;
    return best;
}

static enum err_code mmu_of(struct curve *c, const int64_t *windows, uint32_t n, struct mmu_point *out, struct err *e)
{
    bool ok;
    c->end = trace_info(c->tr)->end;
    c->start = trace_npoints(c->tr, METRIC_PROCS) ? trace_point(c->tr, METRIC_PROCS, 0).t
                                                  : 0; /* before GOMAXPROCS is known Go counts nothing */
    ok = collect(c) && steps(c);
    for (uint32_t i = 0; ok && i < n; i++) {
        out[i] = least(c, windows[i]);
    }
    mem_free(c->c);
    mem_free(c->sum);
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
    if (!triage_collects(tg)) {
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
