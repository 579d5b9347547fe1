/*
 * mmu.c - minimum mutator utilisation.
 *
 * Definition (that of `go tool trace` with its defaults). At each moment the utilisation is the share of
 * GOMAXPROCS processors not taken by the collector: none while the world is stopped for GC; else a P is taken
 * while a mark worker runs on it (idle-time workers aside; one that goes on without a new label goes on as
 * what it was) or a goroutine on it assists. The MMU of a window length is the least mean utilisation over
 * all windows of that length that lie within the trace; a longer window than the trace is the trace.
 *
 * The utilisation is a step function, so its windowed mean is piecewise linear and has its minimum where a
 * window's edge meets a step. Two pointers walk the steps: O(steps) per window length, and where the mean is
 * high they leap.
 */
#include "triage/tri.h"

#include <stdlib.h>

#include "decode/base/mem.h"
#include "triage/tables/assists.h"

/*
 * A change: at a time (key) P p has one taker more or less, or the world stops or starts (row). Those of one
 * time count together, so their order doesn't matter.
 */
#define ALL NO_LANE
#define CHANGE_T(x) ((int64_t)((x)->key ^ (uint64_t)1 << 63))
#define CHANGE_P(x) ((x)->row >> 1)
#define CHANGE_BY(x) ((x)->row & 1 ? 1 : -1)
#define P_ALL (UINT32_MAX >> 1)
#define P_SOME (P_ALL - 1) /* one that isn't known: no other's, for nobody else runs there meanwhile */

static uint32_t one_p(uint32_t p)
{
    return p < P_SOME ? p : P_SOME;
}

static struct keyed_row change(int64_t t, uint32_t p, bool more)
{
    return (struct keyed_row){(uint64_t)t ^ (uint64_t)1 << 63, (p < P_ALL ? p : P_ALL) << 1 | more};
}

#define SUM_EACH 16 /* steps: of so many one's sum is kept */

struct curve {
    const struct trace *tr;
    unsigned flags;
    int64_t start, end;
    const struct assist_times *assisted; /* NULL: to be found out */
    struct keyed_row *c;
    size_t nc, cap_c;
    int64_t *t;      /* when steps begin */
    uint32_t *level; /* and which utilisation each has: there are many steps, and few of these */
    size_t ns;
    double *util, *sum; /* sum: integral from the first step to each SUM_EACH-th */
    size_t nutil, cap_util;
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
    if (t0 >= t1)
        return true;
    if (!mem_room(c->c, c->cap_c, c->nc + 2))
        return false;
    x = c->c;
    x[c->nc++] = change(t0, p, true);
    x[c->nc++] = change(t1, p, false);
    return true;
}

struct worker { /* a mark worker */
    struct curve *c;
    enum gc_mode mode;
    bool known, ok;
};

static bool worker_ran(void *arg, const struct span_run *r)
{
    struct worker *w = arg;
    struct curve *c = w->c;
    const bool go127 = c->flags & MMU_GO127;
    int64_t t = r->t0;
    for (uint32_t i = 0; i < r->n && w->ok; i++) {
        const struct span_tag *kind = &r->kind[r->tag[i]];
        const int64_t t0 = t;
        t += r->dur[i];
        w->mode = gc_mode_next(c->tr, w->mode, kind);
        if (!tri_is_exec(kind->state) || (w->mode == GC_IDLE && !(w->known && go127 && kind->label)))
            continue;
        w->ok = change_add(c, t0, w->known && kind->label && w->mode != GC_IDLE && go127 ? c->end : t,
                           one_p(span_run_who(r, i)));
        w->known |= kind->label != 0;
    }
    return w->ok && slices_tick();
}

/* A worker takes its P whenever it runs, unless it is one for idle time; it needs no label for that. */
static bool lane_worker(struct curve *c, uint32_t g)
{
    struct worker w = {.c = c, .mode = GC_UNLABELLED, .ok = true};
    trace_states(
        c->tr, (struct lane){LANE_G, g},
        &(struct states_ask){.t0 = INT64_MIN, .t1 = INT64_MAX, .all = true, .f = worker_ran, .arg = &w});
    return w.ok && slices_tick();
}

/* An assist takes the P while its goroutine runs. */
static bool assist(void *arg, const struct assist_run *a)
{
    const struct range *r = a->r;
    return change_add(arg, a->t0 > r->t0 ? a->t0 : r->t0, a->t1 < r->t1 ? a->t1 : r->t1, one_p(a->p));
}

/* Lists of assists that are long enough to be told as they are read: there are few, and what they tell need
 * not be sorted. */
enum { LONG_MOST = 64 };
static bool is_long(const struct assist_times *a, const struct assist_list *l)
{
    return (size_t)(l->end - l->at) > a->n / LONG_MOST;
}

/* Those of the others. */
static bool collect_assists(struct curve *c)
{
    bool ok = true;
    if (!c->assisted)
        return assists_each(c->tr, assist, c);
    for (size_t i = 0; i < c->assisted->nlists && ok; i++) {
        struct assist_list l = assist_list(c->assisted, i);
        struct assist_time x;
        while (!is_long(c->assisted, &l) && ok && assist_list_next(&l, &x))
            ok = change_add(c, x.t0, x.t1, one_p(x.p));
        ok = ok && (i % 1024 || slices_tick());
    }
    return ok;
}

static bool collect(struct curve *c)
{
    const struct range *r;
    bool ok = true;
    const size_t sweeps = c->flags & MMU_SWEEP ? trace_ranges(c->tr, RANGE_SWEEP, &r) : 0;
    size_t n = c->flags & MMU_STW ? trace_ranges(c->tr, RANGE_STW, &r) : 0;
    if (!mem_room(c->c, c->cap_c, 2 * (n + sweeps) + 1))
        return false;
    for (size_t i = 0; i < n && ok; i++) {
        struct str kind = trace_str(c->tr, r[i].name);
        if (kind.len == 0 || str_starts(kind, "GC"))
            ok = change_add(c, r[i].t0, r[i].t1, ALL);
    }
    n = c->flags & MMU_SWEEP ? trace_ranges(c->tr, RANGE_SWEEP, &r) : 0;
    for (size_t i = 0; i < n && ok; i++)
        ok = change_add(c, r[i].t0, r[i].t1, r[i].owner) && (i % 1024 || slices_tick());
    ok = ok && (!(c->flags & MMU_ASSIST) || collect_assists(c));
    for (uint32_t g = 0; c->flags & MMU_WORKERS && ok && (g = trace_next_worker(c->tr, g)) != NO_LANE; g++)
        ok = lane_worker(c, g);
    return ok;
}

static inline double util_of(const struct curve *c, size_t i)
{
    return c->util[c->level[i]];
}

/* How much step i holds up to t. */
static inline double step_to(const struct curve *c, size_t i, int64_t t)
{
    return util_of(c, i) * (double)(t - c->t[i]);
}

/* Room for n steps. */
static bool steps_room(struct curve *c, size_t n)
{
    c->t = mem_alloc(n * sizeof *c->t);
    c->level = mem_alloc(n * sizeof *c->level);
    c->sum = mem_alloc((n / SUM_EACH + 1) * sizeof *c->sum);
    return c->t && c->level && c->sum && mem_room(c->util, c->cap_util, 1);
}

/* One that stands: with it is known what the one before it holds. */
static void step_put(struct curve *c, int64_t t, uint32_t level, double *sum)
{
    const size_t i = c->ns++;
    *sum += i ? step_to(c, i - 1, t) : 0;
    if (i % SUM_EACH == 0)
        c->sum[i / SUM_EACH] = *sum;
    c->t[i] = t;
    c->level[i] = level;
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
        if (++p->i < p->n)
            p->next = trace_point(c->tr, METRIC_PROCS, p->i);
    }
    uint64_t v = p->i ? p->is.v : p->n ? p->next.v : trace_info(c->tr)->gomaxprocs;
    if (v == 0)
        v = trace_nlanes(c->tr, LANE_P);
    return v < 1 ? 1 : v > 1000000 ? 1000000 : (int64_t)v;
}

/* What changes have made of it. */
struct taking {
    uint32_t np;
    int32_t *by, stopped; /* by P: how many take it */
    int64_t n, some;      /* Ps that are taken, those that aren't known apart */
    struct {
        int64_t procs; /* GOMAXPROCS, 0 = not yet */
        uint32_t level;
    } * of; /* so many taken: the level last found */
};

static void taken(struct taking *k, uint32_t p, int by)
{
    if (p == P_ALL) {
        k->stopped += by;
    } else if (p == P_SOME) {
        k->some += by;
    } else if (p < k->np) {
        const int32_t was = k->by[p];
        k->by[p] = was + by;
        k->n += (was + by > 0) - (was > 0);
    }
}

static bool level_add(struct curve *c, double util, uint32_t *level)
{
    if (!mem_room(c->util, c->cap_util, c->nutil + 1))
        return false;
    *level = (uint32_t)c->nutil;
    c->util[c->nutil++] = util;
    return true;
}

enum { LEVEL_ALL, LEVEL_NONE }; /* the first two: all processors, none */

/* The level, while so many are there. false: out of memory. */
static bool level_of(struct curve *c, struct taking *k, int64_t procs, uint32_t *level)
{
    int64_t n = k->n + k->some;
    if (k->stopped > 0 || n >= procs) {
        *level = LEVEL_NONE;
        return true;
    }
    n = n < k->np ? n : k->np;
    if (k->of[n].procs != procs) {
        if (!level_add(c, 1 - (double)n / (double)procs, &k->of[n].level))
            return false;
        k->of[n].procs = procs;
    }
    *level = k->of[n].level;
    return true;
}

/* The long lists of assists: which changes next, and when. Of time x of one its beginning or, if that has
 * been, its end. */
struct merge {
    const struct curve *c;
    unsigned n; /* lists that aren't at their end */
    struct merge_next {
        int64_t t;
        unsigned list;
    } next[LONG_MOST + 1]; /* a heap */
    struct merged {
        struct assist_list at;
        struct assist_time x;
    } of[LONG_MOST + 1];
};

/* The list's next time that lies in the curve. false: none is left. */
static bool merged_next(const struct curve *c, struct merged *m)
{
    while (assist_list_next(&m->at, &m->x)) {
        m->x.t0 = m->x.t0 > c->start ? m->x.t0 : c->start;
        m->x.t1 = m->x.t1 < c->end ? m->x.t1 : c->end;
        if (m->x.t0 < m->x.t1)
            return true;
    }
    return false;
}

static void merge_sift(struct merge *m, unsigned i)
{
    const struct merge_next x = m->next[i];
    for (unsigned k; (k = 2 * i + 1) < m->n; i = k) {
        k += k + 1 < m->n && m->next[k + 1].t < m->next[k].t;
        if (x.t <= m->next[k].t)
            break;
        m->next[i] = m->next[k];
    }
    m->next[i] = x;
}

static void merge_begin(struct merge *m, const struct curve *c)
{
    const struct assist_times *a = c->flags & MMU_ASSIST ? c->assisted : NULL;
    m->c = c;
    m->n = 0;
    for (size_t i = 0; a && i < a->nlists; i++) {
        struct merged *x = &m->of[m->n];
        x->at = assist_list(a, i);
        if (is_long(a, &x->at) && merged_next(c, x)) {
            m->next[m->n] = (struct merge_next){x->x.t0, m->n};
            m->n++;
        }
    }
    for (unsigned i = m->n; i-- > 0;)
        merge_sift(m, i);
}

/* Its next change is one of k. */
static void merge_take(struct merge *m, struct taking *k)
{
    struct merge_next *next = &m->next[0];
    struct merged *x = &m->of[next->list];
    const bool ends = next->t == x->x.t1;
    taken(k, one_p(x->x.p), ends ? -1 : 1);
    if (!ends)
        next->t = x->x.t1;
    else if (merged_next(m->c, x))
        next->t = x->x.t0;
    else
        *next = m->next[--m->n];
    merge_sift(m, 0);
}

static inline int64_t change_at(const struct curve *c, size_t i)
{
    return i < c->nc ? CHANGE_T(&c->c[i]) : INT64_MAX;
}

static inline int64_t merge_at(const struct merge *m)
{
    return m->n ? m->next[0].t : INT64_MAX;
}

/* All but the first, which is when the curve starts; those of one time
 * together. A step of no time is none. */
static bool steps_of(struct curve *c, struct merge *m, struct taking *k)
{
    struct procs procs_of = {.n = trace_npoints(c->tr, METRIC_PROCS)};
    int64_t begun = c->start;
    uint32_t last = LEVEL_ALL; /* since `begun`, if nothing else is so at that time, too */
    double sum = 0;
    unsigned turns = 0;
    bool ok = true;
    if (procs_of.n)
        procs_of.next = trace_point(c->tr, METRIC_PROCS, 0);
    for (size_t i = 0; ok && (i < c->nc || m->n);) {
        uint32_t level;
        int64_t a = change_at(c, i), b = merge_at(m);
        const int64_t t = a < b ? a : b;
        for (; i < c->nc && a == t; a = change_at(c, i)) {
            taken(k, CHANGE_P(&c->c[i]), CHANGE_BY(&c->c[i]));
            i++;
        }
        for (; m->n && b == t; b = merge_at(m))
            merge_take(m, k);
        ok = level_of(c, k, procs_at(c, &procs_of, t), &level) && (++turns % 1024 || slices_tick());
        if (ok && t != begun && level != last && c->util[level] != c->util[last]) {
            step_put(c, begun, last, &sum);
            begun = t;
            last = level;
        } else if (ok && t == begun) {
            last = level;
        }
    }
    if (ok)
        step_put(c, begun, last, &sum);
    return ok;
}

static bool steps(struct curve *c)
{
    const uint32_t np = trace_nlanes(c->tr, LANE_P);
    struct taking k = {.np = np, .by = mem_zalloc(((size_t)np + 1) * sizeof *k.by)};
    struct merge m;
    uint32_t level;
    merge_begin(&m, c);
    k.of = mem_zalloc(((size_t)np + 1) * sizeof *k.of);
    const bool ok = k.by && k.of && steps_room(c, c->nc + (m.n ? 2 * c->assisted->ntimes : 0) + 1) &&
                    level_add(c, 1, &level) && level_add(c, 0, &level) && rows_sort(c->c, c->nc) &&
                    steps_of(c, &m, &k);
    mem_free(k.by);
    mem_free(k.of);
    return ok;
}

/* On to step i. */
static void place_at(const struct curve *c, struct place *p, size_t i)
{
    if (i - p->i > SUM_EACH) {
        p->i = i / SUM_EACH * SUM_EACH;
        p->sum = c->sum[i / SUM_EACH];
    }
    for (; p->i < i; p->i++)
        p->sum += step_to(c, p->i, c->t[p->i + 1]);
}

/* The last step holds to the end. */
static double integral(const struct curve *c, struct place *p, int64_t t)
{
    for (; p->i + 1 < c->ns && c->t[p->i + 1] <= t; p->i++)
        p->sum += step_to(c, p->i, c->t[p->i + 1]);
    return p->sum + step_to(c, p->i, t);
}

/* The last step not behind t, from step i on: nearby, as a rule. */
static size_t step_at(const struct curve *c, size_t i, int64_t t)
{
    size_t by = 1, hi;
    while (i + by < c->ns && c->t[i + by] <= t) {
        i += by;
        by *= 2;
    }
    hi = i + by < c->ns ? i + by : c->ns; /* behind t */
    while (i + 1 < hi) {
        const size_t mid = i + (hi - i) / 2;
        if (c->t[mid] <= t)
            i = mid;
        else
            hi = mid;
    }
    return i;
}

/*
 * How far a window whose mean is so much above the least can be moved before it may be below it: each
 * nanosecond changes what it holds by one at most. A little less, for what sums are rounded by.
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
    if (window > c->end - c->start)
        window = c->end - c->start;
    if (window <= 0) {
        best.mmu = 1;
        return best;
    }
    last = c->end - window;
    for (;;) {
        double right = integral(c, &r, t + window), mean = (right - integral(c, &l, t)) / (double)window;
        int64_t next = last;
        if (++turns % 1024 == 0 && !slices_tick())
            break;
        if (mean < best.mmu) {
            best.mmu = mean;
            best.at = t;
        }
        if (t >= last || best.mmu <= 0) /* nothing is less */
            break;
        int64_t safe = safe_ns(mean - best.mmu, window);
        safe = safe < last - t ? safe : last - t;
        if (safe) {
            place_at(c, &l, step_at(c, l.i, t + safe));
            place_at(c, &r, step_at(c, r.i, t + safe + window));
        }
        if (l.i + 1 < c->ns && c->t[l.i + 1] < next)
            next = c->t[l.i + 1];
        if (r.i + 1 < c->ns && c->t[r.i + 1] - window < next)
            next = c->t[r.i + 1] - window;
        t = next > t ? next : last;
    }
    best.mmu = best.mmu < 0 ? 0 : best.mmu > 1 ? 1 : best.mmu;
    return best;
}

static enum err_code mmu_of(struct curve *c, const int64_t *windows, uint32_t n, struct mmu_point *out,
                            struct err *e)
{
    bool ok;
    c->end = trace_info(c->tr)->end;
    c->start = trace_npoints(c->tr, METRIC_PROCS) ? trace_point(c->tr, METRIC_PROCS, 0).t
                                                  : 0; /* before GOMAXPROCS is known Go counts nothing */
    ok = collect(c) && steps(c);
    mem_free(c->c);
    for (uint32_t i = 0; ok && i < n; i++)
        out[i] = least(c, windows[i]);
    mem_free(c->t);
    mem_free(c->level);
    mem_free(c->util);
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
    if (!triage_collects(tg))
        return true; /* no collection, no curve: it would say 100 % */
    for (; n < MMU_POINTS - 1 && x < tg->end; n++) {
        int64_t lead = x;
        w[n] = x;
        while (lead >= 10)
            lead /= 10;
        x = lead == 2 ? x / 2 * 5 : x * 2;
    }
    w[n++] = tg->end;
    tg->nmmu = n;
    struct curve c = {.tr = tg->tr, .flags = MMU_DEFAULT, .assisted = &tg->work->assisted};
    return mmu_of(&c, w, n, tg->mmu, NULL) == ERR_OK;
}
