/*
 * evlog.c - see evlog.h. Events are derived from the lanes' spans: each boundary between two spans is a
 * transition.
 *
 * Within one moment the order is: ranges that end, what goroutines do (in order of their lane), ranges that
 * begin.
 */
#include "layout/views/evlog.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"
#include "triage/query/filter.h"
#include "layout/cells/when.h"
#include "layout/views/tri_priv.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"
#include "layout/move/naming.h"

enum { MOST = 40000, MANY_M = 64, WALK = 300000 };

void evlog_free(struct evlog *l)
{
    if (!l)
        return;
    for (int k = 0; k < EVLOG_ARRAYS; k++)
        mem_free(l->reach[k]);
    mem_free(l->e);
    mem_free(l);
}

/* ---- what the arrays reach ----------------------------------------------------------------------------- */

enum { BLOCK = 256 };

/* How many entries an array has. *e: from when till when entry i is, if there is one. */
static size_t entry(const struct trace *tr, int k, size_t i, struct moments *e)
{
    const struct range *r;
    const struct task *t;
    const struct region *g;
    const struct logmsg *m;
    const struct sample *s;
    size_t n;
    switch (k) {
    case EVLOG_TASKS:
        if (i < (n = trace_tasks(tr, &t)))
            *e = (struct moments){t[i].t0, t[i].t1};
        return n;
    case EVLOG_REGIONS:
        if (i < (n = trace_regions(tr, &g)))
            *e = (struct moments){g[i].t0, g[i].t1};
        return n;
    case EVLOG_LOGS:
        if (i < (n = trace_logs(tr, &m)))
            *e = (struct moments){m[i].t, m[i].t};
        return n;
    case EVLOG_SAMPLES:
        if (i < (n = trace_samples(tr, &s)))
            *e = (struct moments){s[i].t, s[i].t};
        return n;
    default:
        if (i < (n = trace_ranges(tr, (enum range_kind)k, &r)))
            *e = (struct moments){r[i].t0, r[i].t1};
        return n;
    }
}

/* reach_learn - once a trace is loaded its arrays don't change. Without memory all entries are looked at. */
static void reach_learn(struct evlog *l, const struct trace *tr)
{
    l->reach_known = true;
    for (int k = 0; k < EVLOG_ARRAYS; k++) {
        struct moments e = {0};
        const size_t n = entry(tr, k, 0, &e);
        struct moments *b = l->reach[k] = n > BLOCK ? mem_zalloc((n / BLOCK + 1) * sizeof *b) : NULL;
        for (size_t i = 0; b && i < n; i++) {
            struct moments *in = &b[i / BLOCK];
            (void)entry(tr, k, i, &e);
            if (i % BLOCK == 0)
                *in = e;
            in->first = e.first < in->first ? e.first : in->first;
            in->last = e.last > in->last ? e.last : in->last;
        }
    }
}

/* near_from - the first entry from i on that the window may reach. */
static size_t near_from(const struct evlog *l, int k, size_t i, size_t n, struct window w)
{
    const struct moments *b = l->reach[k];
    while (b && i < n && i % BLOCK == 0 && (b[i / BLOCK].last < w.t0 || b[i / BLOCK].first >= w.t1))
        i += BLOCK;
    return i;
}

/* ---- collecting ---------------------------------------------------------------------------------------- */

static void evlog_add(struct evlog *l, struct event e)
{
    if (l->n >= MOST) {
        l->cut = true;
        return;
    }
    struct event *p = mem_grow(l->e, &l->cap, l->n + 1, sizeof *p);
    if (!p) {
        l->oom = true;
        return;
    }
    l->e = p;
    p[l->n++] = e;
}

static bool on_p(uint8_t st)
{
    return st == ST_RUNNING || st == ST_GCWORK || st == ST_ASSIST || st == ST_SWEEP || st == ST_SYSCALL;
}

static void add_state(const struct view *v, struct evlog *l, uint32_t g, const struct span *before,
                      const struct span *s)
{
    const struct lane lane = {LANE_G, g};
    if (!pick_span(v, lane, s, NULL) && !(before && pick_span(v, lane, before, NULL)))
        return;
    struct event e = {.t = s->t0,
                      .kind = EV_STATE,
                      .from = before ? before->state : ST_NONE,
                      .to = s->state,
                      .g = g,
                      .p = NO_LANE,
                      .who = NO_LANE,
                      .reason = s->reason ? s->reason : s->label,
                      .stack = s->stack};
    e.inferred = s->open_start;
    if (on_p(s->state))
        e.p = s->who;
    else if (before && on_p(before->state))
        e.p = before->who;
    if (s->state == ST_RUNNABLE)
        e.who = s->who;
    if (e.t < 0)
        e.t = 0;
    evlog_add(l, e);
}

/*
 * Windows around one moment are collected one wider than the other. Of a goroutine that had nothing to tell
 * it is known from when till when it has nothing: the one span that covered the window. Until a window
 * reaches beyond, it isn't looked up again.
 */
struct still {
    uint32_t g;
    int64_t t0, t1;
};
struct reach {
    struct still *was, *now; /* of the window before, of this one: by goroutine */
    size_t nwas, nnow, capwas, capnow, at;
};

static void reach_free(struct reach *x)
{
    mem_free(x->was);
    mem_free(x->now);
}

static void reach_wider(struct reach *x)
{
    const struct reach had = *x;
    *x = (struct reach){had.now, had.was, had.nnow, 0, had.capnow, had.capwas, 0};
}

static void reach_note(struct reach *x, struct still s)
{
    enum { MANY = 1 << 16 };
    if (x->nnow < MANY && mem_room(x->now, x->capnow, x->nnow + 1)) /* else it is looked up again */
        x->now[x->nnow++] = s;
}

/* Goroutines are asked for in order. */
static bool is_still(struct reach *x, uint32_t g, struct window w)
{
    while (x->at < x->nwas && x->was[x->at].g < g)
        x->at++;
    if (x->at == x->nwas || x->was[x->at].g != g || x->was[x->at].t0 >= w.t0 || x->was[x->at].t1 < w.t1)
        return false;
    reach_note(x, x->was[x->at]);
    return true;
}

static bool in(struct window w, int64_t t)
{
    return t >= w.t0 && t < w.t1;
}

/* Behind a goroutine's last span: it is over, if it is. */
static void add_end(const struct view *v, struct evlog *l, uint32_t g, struct window w,
                    const struct span *last)
{
    if (!in(w, last->t1))
        return;
    const struct lane_info li = trace_lane(v->tr, (struct lane){LANE_G, g});
    if (li.ended && in(w, li.last))
        evlog_add(l, (struct event){.t = li.last,
                                    .kind = EV_STATE,
                                    .from = last->state,
                                    .to = ST_NONE,
                                    .g = g,
                                    .p = on_p(last->state) ? last->who : NO_LANE,
                                    .who = NO_LANE});
}

static void goroutine(const struct view *v, struct evlog *l, uint32_t g, struct window w, struct reach *reach)
{
    if (v->filters.all && !filter_shows(v->filters.all, g))
        return;
    if (is_still(reach, g, w)) {
        l->walked++;
        return;
    }
    struct lane lane = {LANE_G, g};
    struct span_iter it;
    struct span before;
    bool has = false;
    if (!span_seek(&it, v->tr, lane, w.t0))
        return;
    while (span_get(&it)->t0 >= w.t0 && span_prev(&it)) /* spans of no length share their moment */
        ;
    if (span_get(&it)->t0 < w.t0 && span_get(&it)->t1 >= w.t1)
        reach_note(reach, (struct still){g, span_get(&it)->t0, span_get(&it)->t1});
    for (;;) {
        const struct span *s = span_get(&it);
        int64_t t = s->t0 < 0 ? 0 : s->t0;
        if (t >= w.t1 || l->cut)
            return;
        if (t >= w.t0)
            add_state(v, l, g, has ? &before : NULL, s);
        before = *s;
        has = true;
        l->walked++;
        if (!span_next(&it))
            break;
    }
    add_end(v, l, g, w, &before);
}

/* A processor's own news: it starts and stops. */
static void processor(const struct view *v, struct evlog *l, uint32_t p, struct window w)
{
    struct span_iter it;
    struct span before = {0};
    if (!span_seek(&it, v->tr, (struct lane){LANE_P, p}, w.t0))
        return;
    bool has = span_prev(&it);
    if (has) {
        before = *span_get(&it);
        span_next(&it);
    }
    for (; !l->cut; has = true) {
        const struct span *s = span_get(&it);
        if (s->t0 >= w.t1)
            return;
        bool idle = s->state == ST_IDLE || s->state == ST_NONE;
        bool was = before.state == ST_IDLE || before.state == ST_NONE;
        if (s->t0 >= w.t0 && s->t0 >= 0 && has && idle != was)
            evlog_add(l, (struct event){.t = s->t0,
                                        .kind = EV_PROC,
                                        .from = before.state,
                                        .to = s->state,
                                        .g = NO_LANE,
                                        .p = p,
                                        .who = NO_LANE});
        before = *s;
        if (!span_next(&it))
            return;
    }
}

static bool evlog_wanted(const struct view *v, uint32_t g)
{
    return !v->filters.all || (g != NO_LANE && filter_shows(v->filters.all, g));
}

/* The arrays of ranges and the like: those that begin or end in the window. They are looked at one by one. */
static void evlog_ranges(const struct view *v, struct evlog *l, struct window w)
{
    for (int k = 0; k < RANGE_KINDS; k++) {
        const struct range *all;
        size_t n = trace_ranges(v->tr, (enum range_kind)k, &all);
        for (size_t i = near_from(l, k, 0, n, w); i < n; i = near_from(l, k, i + 1, n, w)) {
            const struct range *r = &all[i];
            if (r->t0 >= w.t1 && trace_info(v->tr)->done)
                break; /* sorted */
            if (!in(w, r->t0) && !in(w, r->t1))
                continue;
            bool of_p = k == RANGE_SWEEP || r->scope_p;
            struct event e = {.to = (uint8_t)k,
                              .g = of_p || k == RANGE_GC ? NO_LANE : r->owner,
                              .p = of_p ? r->owner : NO_LANE,
                              .who = NO_LANE,
                              .reason = r->name,
                              .stack = r->stack};
            if (k != RANGE_GC && k != RANGE_STW && !evlog_wanted(v, e.g))
                continue;
            if (in(w, r->t0) && !r->open_start) {
                e.t = r->t0;
                e.kind = EV_RANGE_BEGIN;
                evlog_add(l, e);
            }
            if (in(w, r->t1) && !r->open_end) {
                e.t = r->t1;
                e.kind = EV_RANGE_END;
                e.stack = 0;
                evlog_add(l, e);
            }
        }
    }
}

static void add_at(const struct view *v, struct evlog *l, struct window w, int64_t t, enum event_kind k,
                   uint32_t g, uint32_t name, uint32_t stack)
{
    if (in(w, t) && evlog_wanted(v, g))
        evlog_add(l, (struct event){.t = t,
                                    .kind = (uint8_t)k,
                                    .g = g,
                                    .p = NO_LANE,
                                    .who = NO_LANE,
                                    .reason = name,
                                    .stack = stack});
}

static void annotations(const struct view *v, struct evlog *l, struct window w)
{
    const struct task *t;
    const struct region *r;
    const struct logmsg *m;
    const struct sample *s;
    size_t n = trace_tasks(v->tr, &t);
    for (size_t i = near_from(l, EVLOG_TASKS, 0, n, w); i < n; i = near_from(l, EVLOG_TASKS, i + 1, n, w)) {
        if (!t[i].open_start)
            add_at(v, l, w, t[i].t0, EV_TASK_BEGIN, t[i].g, t[i].name, t[i].stack);
        if (!t[i].open_end)
            add_at(v, l, w, t[i].t1, EV_TASK_END, t[i].g_end, t[i].name, 0);
    }
    n = trace_regions(v->tr, &r);
    for (size_t i = near_from(l, EVLOG_REGIONS, 0, n, w); i < n;
         i = near_from(l, EVLOG_REGIONS, i + 1, n, w)) {
        if (!r[i].open_start)
            add_at(v, l, w, r[i].t0, EV_REGION_BEGIN, r[i].g, r[i].name, r[i].stack);
        if (!r[i].open_end)
            add_at(v, l, w, r[i].t1, EV_REGION_END, r[i].g, r[i].name, r[i].stack_end);
    }
    n = trace_logs(v->tr, &m);
    for (size_t i = near_from(l, EVLOG_LOGS, 0, n, w); i < n; i = near_from(l, EVLOG_LOGS, i + 1, n, w))
        add_at(v, l, w, m[i].t, EV_LOG, m[i].g, m[i].message, m[i].stack);
    n = trace_samples(v->tr, &s);
    for (size_t i = near_from(l, EVLOG_SAMPLES, 0, n, w); i < n; i = near_from(l, EVLOG_SAMPLES, i + 1, n, w))
        add_at(v, l, w, s[i].t, EV_SAMPLE, s[i].g, 0, s[i].stack);
}

static int evlog_rank(const struct event *e)
{
    return e->kind == EV_RANGE_END ? 0 : e->kind == EV_RANGE_BEGIN ? 3 : e->kind == EV_PROC ? 1 : 2;
}

static int evlog_by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (evlog_rank(x) != evlog_rank(y))
        return evlog_rank(x) - evlog_rank(y);
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->to == ST_NONE ? 1 : y->to == ST_NONE ? -1 : 0;
}

/* About so many spans begin on processors within w; of very many processors some are asked. */
static uint64_t density(const struct view *v, struct window w)
{
    uint64_t sum = 0;
    uint32_t n = trace_nlanes(v->tr, LANE_P), each = n / 128 + 1;
    for (uint32_t p = 0; p < n; p += each) {
        uint64_t k = trace_count(v->tr, (struct lane){LANE_P, p}, w.t0, w.t1);
        sum += k > 1 ? k - 1 : 0;
    }
    return sum * each;
}

static struct window around(int64_t t, int64_t half, struct window all)
{
    struct window w = window_of(t > half ? t - half : 0, t < INT64_MAX - half ? t + half + 1 : INT64_MAX);
    w.t0 = w.t0 < all.t0 ? all.t0 : w.t0;
    w.t1 = w.t1 > all.t1 ? all.t1 : w.t1;
    return w;
}

static void goroutines(struct view *v, struct evlog *l, struct window w, struct reach *reach)
{
    const struct alive_ask in = {v->tr, LANE_G, w.t0, w.t1, trace_nlanes(v->tr, LANE_G)};
    struct alive *alive = &v->lanes[LANE_G].alive;
    for (uint32_t g = 0; !l->cut && (g = alive_next(alive, &in, g)) != NO_LANE; g++)
        goroutine(v, l, g, w, reach);
}

static void evlog_collect(struct view *v, struct evlog *l, struct window w, struct reach *reach)
{
    reach_wider(reach);
    l->n = 0;
    l->walked = 0;
    l->cut = l->oom = false;
    l->win = w;
    goroutines(v, l, w, reach);
    for (uint32_t p = 0, n = trace_nlanes(v->tr, LANE_P); p < n && !l->cut && !v->filters.all; p++)
        processor(v, l, p, w);
    evlog_ranges(v, l, w);
    annotations(v, l, w);
    if (l->n)
        qsort(l->e, l->n, sizeof *l->e, evlog_by_time);
}

static size_t at_or_after(const struct evlog *l, int64_t t)
{
    size_t lo = 0;
    bisect(lo, l->n, i, l->e[i].t < t);
    return lo;
}

static bool enough(const struct evlog *l, int64_t t, size_t rows, struct window all)
{
    size_t before = at_or_after(l, t), behind = l->n - before;
    return (before >= rows || l->win.t0 <= all.t0) && (behind > rows || l->win.t1 >= all.t1);
}

static void fill(struct view *v, struct evlog *l, size_t rows, struct window all)
{
    int64_t t = v->at.cursor, half = 500, end = all.t1;
    struct reach reach = {.at = 0};
    while (half < end && density(v, around(t, half, all)) < rows * 2)
        half *= 2;
    evlog_collect(v, l, around(t, half, all), &reach);
    for (int i = 0; i < 24 && l->cut && half > 0; i++) { /* many events of goroutines that did not run */
        half /= 4;
        evlog_collect(v, l, around(t, half, all), &reach);
    }
    /* With a filter, or where processors rest, the counts mislead: widen while that finds more. */
    for (int i = 0; i < 6 && !l->cut && half < end && l->walked < WALK / 8 && !enough(l, t, rows, all); i++) {
        half = half > INT64_MAX / 16 ? INT64_MAX / 2 : half * 8;
        evlog_collect(v, l, around(t, half, all), &reach);
    }
    if (l->cut && half > 0) /* the last step was too wide */
        evlog_collect(v, l, around(t, half / 8, all), &reach);
    reach_free(&reach);
}

/* Is the cursor on this event? What happens at the trace's very end is a
 * nanosecond behind the last moment. */
static bool stands(const struct view *v, const struct event *e)
{
    int64_t last = move_last(v);
    return (e->t > last ? last : e->t) == v->at.cursor;
}

/* The log around the cursor, with at least `rows` events on both sides, if there are. */
static void evlog_update(struct view *v, int rows)
{
    struct evlog *l = v->cache.log;
    const struct trace_info *ti = trace_info(v->tr);
    int64_t t = v->at.cursor;
    struct window all = window_of(0, time_add(ti->end, 1));
    uint64_t version = v->filters.all ? filter_version(v->filters.all) + 1 : 0;
    size_t want = rows > 0 ? (size_t)rows : 1;
    if (!l) {
        l = v->cache.log = mem_zalloc(sizeof *l);
        if (!l)
            return;
        l->all.t1 = -1;
    }
    bool same = l->all.t0 == all.t0 && l->all.t1 == all.t1 && l->filter == version;
    if (!same || t < l->win.t0 || t >= l->win.t1 ||
        (!enough(l, t, want, all) && !l->cut && l->n < MOST / 2)) {
        if (!same || l->tried != t || l->tried_rows < want) { /* once more would find no more */
            l->cur = SIZE_MAX;
            if (ti->done && !l->reach_known)
                reach_learn(l, v->tr);
            fill(v, l, want * 3, all);
            l->tried = t;
            l->tried_rows = want;
        }
        l->all = all;
        l->filter = version;
    }
    if (l->cur >= l->n || !stands(v, &l->e[l->cur])) {
        size_t i = at_or_after(l, t);
        l->cur = i < l->n && stands(v, &l->e[i]) ? i : i ? i - 1 : 0;
    }
}

/* ---- text ---------------------------------------------------------------------------------------------- */

enum { NAME_WIDE = 44, NAME_NARROW = 18 };
struct out {
    char *p;
    size_t n, size;
    int name_w; /* columns that a name takes at most */
};

static void evlog_say(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void evlog_say(struct out *o, const char *fmt, ...)
{
    va_list ap;
    if (o->n + 1 >= o->size)
        return;
    va_start(ap, fmt);
    int k = vsnprintf(o->p + o->n, o->size - o->n, fmt, ap);
    va_end(ap);
    o->n = k < 0 ? o->n : (size_t)k < o->size - o->n ? o->n + (size_t)k : o->size - 1;
}

static void say_str(struct out *o, const struct view *v, uint32_t s, int w)
{
    char buf[400];
    str_head(trace_str(v->tr, s), w, buf, sizeof buf);
    evlog_say(o, "%s", buf);
}

static void say_func(struct out *o, const struct view *v, const char *word, uint32_t stack, int w)
{
    char buf[400];
    uint32_t f = stacks_function(v->tr, stack, true);
    if (!f)
        return;
    str_shorten(trace_str(v->tr, f), w, glyph_dots(v->scr.tier), buf, sizeof buf);
    evlog_say(o, "%s %s", word, buf);
}

static void say_g(struct out *o, const struct view *v, uint32_t g, int w)
{
    char buf[400];
    name_goroutine(v, g, w, buf, sizeof buf);
    evlog_say(o, "%s", buf);
}

static void state_words(struct out *o, const struct view *v, const struct event *e)
{
    bool ran = on_p(e->from) && e->from != ST_SYSCALL;
    const char *what;
    switch (e->to) {
    case ST_NONE: what = "ends"; break;
    case ST_RUNNABLE:
        what = e->from == ST_NONE  ? "created"
               : ran               ? "stops, runnable"
               : e->who != NO_LANE ? "is woken"
                                   : "wakes up";
        break;
    case ST_WAITING: what = "blocks"; break;
    case ST_SYSCALL: what = "enters a system call"; break;
    case ST_RUNNING:
        what = e->from == ST_SYSCALL ? "leaves its system call" : ran ? "runs on" : "starts running";
        break;
    case ST_GCWORK: what = "starts GC work"; break;
    case ST_ASSIST: what = "starts a mark assist"; break;
    default: what = state_name((enum state)e->to);
    }
    const struct str why = e->to == ST_WAITING ? stacks_reason(v->tr, e->reason, e->stack)
                                               : trace_str(v->tr, e->reason),
                     kind = name_bracketed(why);
    if (e->to == ST_RUNNING && kind.len < why.len) /* a mark worker's label */
        what = "starts GC work";
    if (e->inferred)
        evlog_say(o, "was %s%s already (inferred)", e->to == ST_SYSCALL ? "in a " : "",
                  state_name((enum state)e->to));
    else
        evlog_say(o, "%s", what);
    if (e->reason) {
        char said[100];
        str_head(kind, 40, said, sizeof said);
        evlog_say(o, " (%s)", said);
    }
    if (e->to == ST_RUNNABLE && e->who != NO_LANE) {
        evlog_say(o, " by ");
        say_g(o, v, e->who, o->name_w);
        say_func(o, v, " in", e->stack, o->name_w);
    } else if (e->stack && e->to != ST_NONE) {
        say_func(o, v, " in", e->stack, o->name_w);
    }
}

static void words(struct out *o, const struct view *v, const struct event *e)
{
    static const char *const range_names[RANGE_KINDS] = {"GC mark phase", "stop-the-world", "sweep",
                                                         "mark assist"};
    switch ((enum event_kind)e->kind) {
    case EV_STATE: state_words(o, v, e); return;
    case EV_PROC:
        evlog_say(o, "%s",
                  e->to == ST_IDLE || e->to == ST_NONE ? "processor stops: idle" : "processor starts");
        return;
    case EV_RANGE_BEGIN:
    case EV_RANGE_END:
        evlog_say(o, "%s %s", range_names[e->to % RANGE_KINDS],
                  e->kind == EV_RANGE_BEGIN ? "begins" : "ends");
        break;
    case EV_TASK_BEGIN: evlog_say(o, "task begins"); break;
    case EV_TASK_END: evlog_say(o, "task ends"); break;
    case EV_REGION_BEGIN: evlog_say(o, "region begins"); break;
    case EV_REGION_END: evlog_say(o, "region ends"); break;
    case EV_LOG: evlog_say(o, "log:"); break;
    case EV_SAMPLE: evlog_say(o, "CPU sample"); break;
    }
    if (e->reason) {
        evlog_say(o, e->kind == EV_LOG ? " " : ": ");
        say_str(o, v, e->reason, 120);
    }
    say_func(o, v, " in", e->stack, o->name_w);
}

/* The thread that has processor p at t: one look per thread, only where they are few. */
static uint32_t thread_of(const struct view *v, uint32_t p, int64_t t)
{
    uint32_t n = trace_nlanes(v->tr, LANE_M);
    struct span s;
    for (uint32_t m = 0; p != NO_LANE && n <= MANY_M && m < n; m++)
        if (trace_span_at(v->tr, (struct lane){LANE_M, m}, t, &s) && s.proc == p)
            return m;
    return NO_LANE;
}

static void columns(const struct view *v, const struct event *e, char p[32], char m[32], char t[FMT_MAX])
{
    p[0] = m[0] = 0;
    if (e->p != NO_LANE)
        name_lane(v, (struct lane){LANE_P, e->p}, p);
    uint32_t thread = thread_of(v, e->p, e->t);
    if (thread != NO_LANE)
        name_lane(v, (struct lane){LANE_M, thread}, m);
    when_exact(v->tr, e->t, t);
}

void evlog_line(const struct view *v, size_t i, int name_w, char *out, size_t size)
{
    char p[32], m[32], t[FMT_MAX], raw[1500];
    struct out o = {raw, 0, sizeof raw, name_w};
    const struct event *e = &v->cache.log->e[i];
    columns(v, e, p, m, t);
    evlog_say(&o, "%s", t);
    if (*p)
        evlog_say(&o, *m ? "  %s (%s)" : "  %s", p, m);
    evlog_say(&o, "  ");
    if (e->g != NO_LANE) {
        say_g(&o, v, e->g, name_w);
        evlog_say(&o, " ");
    }
    words(&o, v, e);
    str_safe(str_of(raw), out, size);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static enum style style_of(const struct event *e)
{
    switch ((enum event_kind)e->kind) {
    case EV_STATE: return e->to == ST_NONE ? STYLE_DIM : (enum style)(STYLE_STATE + e->to);
    case EV_PROC: return STYLE_IDLE;
    case EV_RANGE_BEGIN:
    case EV_RANGE_END:
        return e->to == RANGE_STW     ? STYLE_STW
               : e->to == RANGE_GC    ? STYLE_GC
               : e->to == RANGE_SWEEP ? STYLE_SWEEP
                                      : STYLE_ASSIST;
    case EV_LOG: return STYLE_SAMPLE;
    default: return STYLE_NORMAL;
    }
}

/* What happened in w columns: names give way until it fits. */
static void draw_words(struct grid *g, const struct view *v, const struct event *e, int x, int y, int w)
{
    static const int name_w[] = {NAME_WIDE, 28, 20, 14};
    char raw[1500] = "";
    for (size_t k = 0; k < sizeof name_w / sizeof *name_w; k++) {
        struct out o = {raw, 0, sizeof raw, name_w[k]};
        raw[0] = 0;
        words(&o, v, e);
        if (str_width(str_of(raw), w + 1) <= w)
            break;
    }
    tri_say(g, x, y, w, style_of(e), "%s", raw);
}

static void draw_line(struct grid *g, const struct view *v, size_t i, int y, bool focus)
{
    const struct event *e = &v->cache.log->e[i];
    char p[32], m[32], t[FMT_MAX], d[FMT_MAX], name[400] = "";
    int w = g->w, x = 0;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_LANE;
    columns(v, e, p, m, t);
    grid_put(g, 0, y, focus ? '>' : ' ', s);
    if (w >= 60)
        x = grid_str(g, 2, y, 15, t, s) < 17 ? 17 : 18;
    else
        x = grid_str(g, 1, y, 9, when_dur(v->tr, e->t, d), s) < 10 ? 10 : 11;
    if (w >= 100) { /* how long after the event above */
        int64_t gap = i ? e->t - v->cache.log->e[i - 1].t : 0;
        if (i)
            grid_right(g, x, y, 8, when_dur(v->tr, gap, d), STYLE_LANE_NOTE);
        x += 9;
    }
    grid_str(g, x, y, 4, p, STYLE_LANE_NOTE);
    x += 5;
    if (w >= 100) {
        grid_str(g, x, y, 9, m, STYLE_LANE_NOTE);
        x += 10;
    }
    int gw = w >= 160 ? 40 : w >= 100 ? 30 : w >= 60 ? 22 : 7;
    if (e->g != NO_LANE)
        name_goroutine(v, e->g, gw - 1, name, sizeof name);
    grid_str(g, x, y, gw - 1, name, s);
    x += gw;
    draw_words(g, v, e, x, y, w - x);
    if (focus && w > x)
        grid_flags(g, x, y, w - x, 1, CELL_BOLD);
}

void evlog_draw(struct grid *g, struct view *v, int y, int rows)
{
    if (rows < 1)
        return;
    evlog_update(v, rows);
    const struct evlog *l = v->cache.log;
    if (!l || !l->n) {
        grid_str(g, 0, y, g->w,
                 v->filters.all ? "no event near the cursor passes the filter" : "no events here", STYLE_DIM);
        return;
    }
    size_t half = (size_t)rows / 2, top = l->cur > half ? l->cur - half : 0;
    if (top + (size_t)rows > l->n)
        top = l->n > (size_t)rows ? l->n - (size_t)rows : 0;
    for (int i = 0; i < rows && top + (size_t)i < l->n; i++)
        draw_line(g, v, top + (size_t)i, y + i, top + (size_t)i == l->cur);
}

uint32_t evlog_goroutine(const struct view *v)
{
    const struct evlog *l = v->cache.log;
    return l && l->cur < l->n ? l->e[l->cur].g : NO_LANE;
}

void evlog_status(const struct view *v, int w, struct rich *out)
{
    const struct evlog *l = v->cache.log;
    char line[1600];
    if (!l || l->cur >= l->n)
        return;
    evlog_line(v, l->cur, w < 60 ? NAME_NARROW : NAME_WIDE, line, sizeof line);
    rich_str(out, STYLE_STATUS, str_of(line));
    rich_para(out);
    if (l->cut)
        rich_add(out, STYLE_WARN, "too many events at this moment: not all are listed");
}

unsigned evlog_move(struct view *v, int n)
{
    int rows = v->scr.rows > 4 ? v->scr.rows : 4;
    bool any = false;
    evlog_update(v, rows);
    while (n && v->cache.log && v->cache.log->n) {
        struct evlog *l = v->cache.log;
        int64_t to = (int64_t)l->cur + n;
        if (n > 0 && l->e[l->cur].t > v->at.cursor && !stands(v, &l->e[l->cur])) /* before the first one */
            to--;
        to = to < 0 ? 0 : to >= (int64_t)l->n ? (int64_t)l->n - 1 : to;
        int64_t done = to - (int64_t)l->cur;
        if (!done && stands(v, &l->e[l->cur]))
            break;
        if (!any)
            move_push(v, STEP_CURSOR);
        any = true;
        const struct event *e = &l->e[to];
        move_to(v, e->t, true);
        if (e->g != NO_LANE)
            v->at.focus = (struct lane){LANE_G, e->g};
        l->cur = (size_t)to;
        n -= done > n || -done > -(int64_t)n ? n : (int)done;
        int64_t t0 = l->win.t0, t1 = l->win.t1, t = e->t;
        size_t at = at_or_after(l, t), nth = l->cur - at; /* the same one after a new reading */
        evlog_update(v, rows);
        l = v->cache.log;
        if (l->win.t0 != t0 || l->win.t1 != t1) {
            at = at_or_after(l, t);
            l->cur = at + nth < l->n ? at + nth : at < l->n ? at : l->n ? l->n - 1 : 0;
        }
        if (!done)
            break;
    }
    if (!any)
        return move_fail(v, n > 0 ? "no event behind this one" : "no event before this one");
    move_settle(v);
    return VR_DRAW;
}
