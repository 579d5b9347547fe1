/*
 * gc.c - the collector: cycles, stops of the world by kind, which P was the last to stop, heap against goal.
 * (Worker time by mode is counted with the goroutines' lanes.)
 */
#include "triage/tri.h"

#include "decode/base/order.h"

bool tri_stop_is_gc(const struct trace *tr, uint32_t kind)
{
    const struct str s = trace_str(tr, kind);
    return s.len == 0 || str_starts(s, "GC");
}

const char *gc_mode_name(enum gc_mode m)
{
    static const char *const name[GC_MODES] = {"dedicated", "fractional", "idle", "unlabelled"};
    return name[m];
}

enum gc_mode gc_mode_next(const struct trace *tr, enum gc_mode mode, const struct span_tag *s)
{
    if (s->state == ST_WAITING) {
        struct str why = trace_str(tr, s->reason);
        return why.len == 0 || str_starts(why, "system goroutine") ? GC_UNLABELLED : mode;
    }
    const struct str l = s->label ? trace_str(tr, s->label) : (struct str){0};
    return l.len == 0                     ? mode
           : str_is(l, "GC (dedicated)")  ? GC_DEDICATED
           : str_is(l, "GC (fractional)") ? GC_FRACTIONAL
           : str_is(l, "GC (idle)")       ? GC_IDLE
                                          : GC_UNLABELLED;
}

static bool note_stw(struct triage *tg, struct tab *by_kind, const struct range *r)
{
    int64_t ns = r->t1 - r->t0;
    struct stw_row *p = tab_row_with(by_kind, tg->stw, tg->nstw, r->name, 0, .kind = r->name,
                                     .is_gc = tri_stop_is_gc(tg->tr, r->name));
    if (!p)
        return false;
    p->count++;
    p->total = ns_add(p->total, ns);
    if (p->count == 1 || ns > p->longest.t1 - p->longest.t0)
        p->longest = stop_moment(r);
    hist_add(&tg->stw_all, ns);
    if (p->is_gc)
        hist_add(&tg->stw_gc, ns);
    return true;
}

/* Returns when a P stopped within [t0,t1): the end of its last busy span there; NO_TIME if it was idle
 * throughout or never stopped. A span that starts in the later half comes from the restart of the world,
 * which happens before the end of the stop is recorded. */
static int64_t stopped_at(const struct trace *tr, uint32_t p, const struct moment *m, struct span *what)
{
    struct span_iter it;
    int64_t at = NO_TIME;
    bool mine = false;
    each_span(s, it, tr, lane_p(p), m->t0) {
        if (s->t0 >= m->t1 || s->t0 > m->t0 + (m->t1 - m->t0) / 2)
            break;
        if (s->state == ST_IDLE || s->state == ST_NONE || s->t1 <= m->t0)
            continue;
        if (tri_is_exec(s->state) && s->who == m->g && m->g != NO_LANE)
            mine = true; /* the P that stops the world keeps running */
        at = s->t1;
        if (s->who != NO_LANE)
            *what = *s;
    }
    return mine || at >= m->t1 ? NO_TIME : at;
}

uint32_t triage_last_to_stop(const struct trace *tr, const struct moment *m, struct span *what,
                             int64_t *after)
{
    uint32_t last = NO_LANE, np = trace_nlanes(tr, LANE_P);
    int64_t best = NO_TIME;
    for (uint32_t p = 0; p < np; p++) {
        struct span s = {.who = NO_LANE};
        int64_t at = slices_tick() ? stopped_at(tr, p, m, &s) : NO_TIME;
        if (at == NO_TIME || at <= best || p == m->p)
            continue;
        best = at;
        last = p;
        *what = s;
        *after = at - m->t0;
    }
    return last;
}

ORDER(cmp_stw, struct stw_row, MOST(r->longest.t1 - r->longest.t0) LEAST(r->kind))

/* Finds the largest heap, the largest goal, and the heap's largest excess over the goal of its time. */
static void heap_most(struct triage *tg, struct heap_stat *s)
{
    const size_t n = trace_npoints(tg->tr, METRIC_HEAP), ng = trace_npoints(tg->tr, METRIC_GOAL);
    struct point goal = {0}, heap = n ? trace_point(tg->tr, METRIC_HEAP, 0) : goal,
                 next = ng ? trace_point(tg->tr, METRIC_GOAL, 0) : goal;
    for (size_t i = 0, j = 0; i < n || j < ng;) {
        if (j < ng && (i == n || next.t <= heap.t)) {
            goal = next;
            s->max_goal = !goal_none(goal.v) && goal.v > s->max_goal ? goal.v : s->max_goal;
            next = ++j < ng ? trace_point(tg->tr, METRIC_GOAL, j) : next;
            continue;
        }
        s->max_at = heap.v > s->max ? heap.t : s->max_at;
        s->max = heap.v > s->max ? heap.v : s->max;
        const double over = !goal_none(goal.v) && heap.v > goal.v ? (double)heap.v / (double)goal.v - 1 : 0;
        s->over = over > s->over ? over : s->over;
        heap = ++i < n ? trace_point(tg->tr, METRIC_HEAP, i) : heap;
    }
}

/* Stores the heap at the end of a cycle, 0 if unknown. Returns false if the cycle does not end within the
 * trace's range. */
static bool heap_behind(const struct triage *tg, const struct range *gc, uint64_t *heap)
{
    uint64_t least = 0, most = 0;
    const bool ends = !gc->open_end && gc->t1 > 0 && gc->t1 <= tg->end;
    if (ends) {
        trace_minmax(tg->tr, METRIC_HEAP, gc->t1, gc->t1 + 1, &least, &most);
        *heap = most;
    }
    return ends;
}

static void heap_sums(struct triage *tg, const struct range *gc, size_t ngc)
{
    const size_t n = trace_npoints(tg->tr, METRIC_HEAP);
    struct heap_stat *s = &tg->heap;
    s->known = n > 0;
    s->last = n ? trace_point(tg->tr, METRIC_HEAP, n - 1).v : 0;
    heap_most(tg, s);
    for (size_t i = 0; i < ngc && !s->low_first; i++)
        (void)heap_behind(tg, &gc[i], &s->low_first);
    for (size_t i = ngc; i > 0 && !heap_behind(tg, &gc[i - 1], &s->low_last);)
        i--;
}

bool triage_gc(struct triage *tg)
{
    const struct range *r;
    struct tab by_kind = {0};
    size_t n = trace_ranges(tg->tr, RANGE_STW, &r);
    bool ok = true;
    for (size_t i = 0; i < n && ok;) {
        struct range x;
        i = trace_stop(r, n, i, &x);
        ok = !tri_clip(tg, &x.t0, &x.t1) || note_stw(tg, &by_kind, &x);
    }
    tab_free(&by_kind);
    if (!ok)
        return false;
    sort(tg->stw, tg->nstw, cmp_stw);
    n = trace_ranges(tg->tr, RANGE_GC, &r);
    for (size_t i = 0; i < n; i++) {
        int64_t t0 = r[i].t0, t1 = r[i].t1;
        if (tri_clip(tg, &t0, &t1)) {
            tg->gc_mark_ns = ns_add(tg->gc_mark_ns, t1 - t0);
            tg->gc_cycles++;
        }
    }
    heap_sums(tg, r, n);
    return (!tg->gc_cycles && !tg->stw_gc.n) || triage_mmu_curve(tg); /* without a collection it says 100 % */
}
