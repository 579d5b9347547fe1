/*
 * jump.c - moving by what is in the trace: spans, collections, wake-ups, lanes, search hits, typed targets.
 *
 * No jump walks a lane from end to end when an index can answer: the next span of a state is found by exact shares
 * (gallop, then halve). view_effect() alone has to look at all lanes, in windows that double, with a limit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/cells.h"
#include "layout/when.h"
#include "layout/goto.h"
#include "layout/items.h"
#include "layout/lanes.h"
#include "layout/move.h"
#include "layout/pick.h"
#include "layout/search.h"
#include "layout/split.h"
#include "layout/tri.h"

enum { WALK = 100000, EFFECT_SPANS = 4000000 };

static bool gap(enum lane_kind k, uint8_t state)
{
    return state == ST_NONE || (k != LANE_G && (state == ST_IDLE || state == ST_SCHED));
}

static int times(int n)
{
    return n == 0 ? 1 : n > 10000 ? 10000 : n < -10000 ? -10000 : n;
}

/* ---- the span under the cursor -------------------------------------------------------------------------- */

int view_column(const struct view *v, int64_t *t0, int64_t *t1)
{
    int n = v->plot_w > 0 ? v->plot_w : 1, c = window_col(v->at.win, n, v->at.cursor);
    c = c < 0 ? 0 : c >= n ? n - 1 : c;
    *t0 = window_edge(v->at.win, n, c);
    *t1 = window_edge(v->at.win, n, c + 1);
    if (*t1 <= *t0)
        *t1 = time_add(*t0, 1);
    return c;
}

struct longest {
    enum lane_kind kind;
    bool found;
    struct span s;
    int seen;
};

static bool keep_longest(void *arg, const struct span *s)
{
    struct longest *k = arg;
    if (!gap(k->kind, s->state) && (!k->found || s->t1 - s->t0 > k->s.t1 - k->s.t0)) {
        k->s = *s;
        k->found = true;
    }
    return ++k->seen < 4096;
}

/* The longest span in [t0,t1) that is no gap: the longest of all if it is none, else among ever shorter ones. */
static bool longest_busy(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct span *out)
{
    if (!trace_longest(tr, l, t0, t1, out))
        return false;
    if (!gap(l.kind, out->state))
        return true;
    struct span any = *out;
    struct longest k = {.kind = l.kind};
    for (int64_t min = (t1 - t0) / 2; !k.found && k.seen < 4096; min /= 8) {
        trace_wide(tr, l, t0, t1, min > 0 ? min : 1, keep_longest, &k);
        if (min <= 0)
            break;
    }
    *out = k.found ? k.s : any;
    return true;
}

bool view_span_here(const struct view *v, struct lane *l, struct span *s)
{
    const struct lanes *ls = move_lanes_const(v);
    *l = v->at.focus;
    if (!ls || l->i >= trace_nlanes(v->tr, l->kind))
        return false;
    int64_t t0, t1;
    view_column(v, &t0, &t1);
    if (v->at.exact || trace_count(v->tr, *l, t0, t1) == 1)
        return trace_span_at(v->tr, *l, v->at.cursor, s);
    return longest_busy(v->tr, *l, t0, t1, s);
}

/* ---- spans ---------------------------------------------------------------------------------------------- */

/* The first span that starts behind t (dir > 0) or the last that starts before t, gaps skipped. */
static bool neighbour(const struct view *v, struct lane l, int64_t t, int dir, struct span *out)
{
    struct span_iter it;
    if (!span_seek(&it, v->tr, l, t))
        return false;
    for (int i = 0; i < WALK; i++) {
        const struct span *s = span_get(&it);
        if (!gap(l.kind, s->state) && (dir > 0 ? s->t0 > t : s->t0 < t) && pick_span(v, l, s)) {
            *out = *s;
            return true;
        }
        if (!(dir > 0 ? span_next(&it) : span_prev(&it)))
            return false;
    }
    return false;
}

static bool have_lane(const struct view *v)
{
    return move_lanes_const(v) && v->at.focus.i < trace_nlanes(v->tr, v->at.focus.kind);
}

unsigned view_span(struct view *v, int n)
{
    n = times(n);
    int dir = n < 0 ? -1 : 1;
    if (items_shows(v->at.view) || v->at.view == VIEW_LOG)
        return view_lane(v, n);
    if (!have_lane(v))
        return move_fail(v, "no lane here");
    struct span s;
    int64_t t = v->at.cursor;
    bool any = false;
    for (int i = 0; i < n * dir && neighbour(v, v->at.focus, t, dir, &s); i++) {
        if (s.t0 < 0 && t <= 0)
            break;
        t = s.t0 < 0 ? 0 : s.t0;
        any = true;
    }
    if (!any)
        return move_fail(v,
                         dir > 0 ? "no span behind this one on this lane" : "no span before this one on this lane");
    move_push(v, STEP_CURSOR);
    move_to(v, t, true);
    move_settle(v);
    return VR_DRAW;
}

static int64_t share(const struct view *v, struct lane l, enum state st, int64_t t0, int64_t t1)
{
    struct shares sh;
    if (t1 <= t0)
        return 0;
    trace_shares(v->tr, l, t0, t1, &sh);
    return sh.ns[st];
}

/* The next time behind `from` at which the lane is in a state; NO_TIME: never again. */
static int64_t next_in(const struct view *v, struct lane l, enum state st, int64_t from, int64_t end)
{
    int64_t lo = from, step = 1024;
    while (lo < end) {
        int64_t hi = time_add(lo, step) < end ? time_add(lo, step) : end;
        if (share(v, l, st, lo, hi)) {
            while (hi - lo > 1) { /* [from,lo) has none of it, [lo,hi) has */
                int64_t mid = lo + (hi - lo) / 2;
                if (share(v, l, st, lo, mid))
                    hi = mid;
                else
                    lo = mid;
            }
            return lo;
        }
        lo = hi;
        step = step > INT64_MAX / 4 ? step : step * 2;
    }
    return NO_TIME;
}

static int64_t last_in(const struct view *v, struct lane l, enum state st, int64_t until)
{
    int64_t hi = until, step = 1024;
    while (hi > 0) {
        int64_t lo = hi > step ? hi - step : 0;
        if (share(v, l, st, lo, hi)) {
            while (hi - lo > 1) {
                int64_t mid = lo + (hi - lo) / 2;
                if (share(v, l, st, mid, hi))
                    lo = mid;
                else
                    hi = mid;
            }
            return lo;
        }
        hi = lo;
        step = step > INT64_MAX / 4 ? step : step * 2;
    }
    return NO_TIME;
}

unsigned view_same(struct view *v, int n)
{
    n = times(n);
    int dir = n < 0 ? -1 : 1;
    struct lane l;
    struct span s, to;
    if (!view_span_here(v, &l, &s))
        return move_fail(v, "no span under the cursor");
    bool any = false;
    for (int i = 0; i < n * dir; i++) {
        int64_t t = dir > 0 ? next_in(v, l, (enum state)s.state, s.t1, view_end(v))
                            : last_in(v, l, (enum state)s.state, s.t0);
        if (t == NO_TIME || !trace_span_at(v->tr, l, t, &to) || to.state != s.state)
            break;
        s = to;
        any = true;
    }
    if (!any)
        return move_fail(v, "no other span is \"%s\" %s on this lane", state_name((enum state)s.state),
                         dir > 0 ? "behind this one" : "before this one");
    move_push(v, STEP_CURSOR);
    move_to(v, s.t0 < 0 ? 0 : s.t0, true);
    move_settle(v);
    return VR_DRAW;
}

unsigned view_gc(struct view *v, int n)
{
    static const enum range_kind kinds[] = {RANGE_GC, RANGE_STW};
    n = times(n);
    int dir = n < 0 ? -1 : 1;
    int64_t t = v->at.cursor;
    struct range best = {0};
    bool any = false;
    for (int i = 0; i < n * dir; i++) {
        bool found = false;
        for (int k = 0; k < 2; k++) {
            const struct range *r;
            size_t nr = trace_ranges(v->tr, kinds[k], &r); /* unsorted while loading: look at all */
            for (size_t j = 0; j < nr; j++)
                if ((dir > 0 ? r[j].t0 > t : r[j].t0 < t) &&
                    (!found || (dir > 0 ? r[j].t0 < best.t0 : r[j].t0 > best.t0))) {
                    best = r[j];
                    found = true;
                }
        }
        if (!found)
            break;
        t = best.t0;
        any = true;
    }
    if (!any)
        return move_fail(v, "no GC cycle or stop-the-world %s", dir > 0 ? "behind the cursor" : "before the cursor");
    move_push(v, STEP_JUMP);
    move_to(v, best.t0, true);
    move_settle(v);
    char d[FMT_MAX], what[80];
    when_exact(v->tr, time_sub(best.t1, best.t0), d);
    str_safe(trace_str(v->tr, best.name), what, sizeof what);
    view_message(v, false, "%s%s%s%s: %s%s", best.kind == RANGE_GC ? "GC cycle" : "stop-the-world", *what ? " (" : "",
                 what, *what ? ")" : "", d, best.open_end ? ", not over at the end of the trace" : "");
    return VR_DRAW;
}

/* ---- goroutines, processors, wake-ups ------------------------------------------------------------------- */

static bool on_p(const struct span *s)
{
    return s->state == ST_RUNNING || s->state == ST_GCWORK || s->state == ST_ASSIST || s->state == ST_SWEEP;
}

bool move_running(const struct view *v, uint32_t g, int64_t t, struct span *out)
{
    struct span_iter it;
    if (g == NO_LANE || !span_seek(&it, v->tr, (struct lane){LANE_G, g}, t))
        return false;
    for (int i = 0; i < WALK; i++) {
        const struct span *s = span_get(&it);
        if (s->t0 <= t && on_p(s)) {
            *out = *s;
            return true;
        }
        if (!span_prev(&it))
            return false;
    }
    return false;
}

uint32_t move_goroutine(const struct view *v, struct lane l, int64_t t)
{
    struct span s;
    if (l.kind == LANE_G)
        return l.i;
    return trace_span_at(v->tr, l, t, &s) ? s.who : NO_LANE;
}

/* If the span that the status line speaks of isn't at the cursor, bring the cursor to it. */
static void onto(struct view *v, const struct span *s)
{
    if (v->at.cursor < s->t0)
        v->at.cursor = s->t0;
    else if (v->at.cursor >= s->t1 && s->t1 > s->t0)
        v->at.cursor = s->t1 - 1;
    v->at.exact = true;
}

unsigned view_swap(struct view *v)
{
    struct lane l;
    struct span s;
    if (items_shows(v->at.view) && v->at.row < v->items.n) { /* from a thing to its goroutine */
        uint32_t g = items_goroutine(v, &v->items.row[v->at.row]);
        return g == NO_LANE ? move_fail(v, "no goroutine belongs to this") : view_focus(v, (struct lane){LANE_G, g});
    }
    if (!view_span_here(v, &l, &s))
        return move_fail(v, "no span under the cursor");
    if (l.kind != LANE_G) {
        if (s.who == NO_LANE)
            return move_fail(v, "no goroutine runs here");
        move_push(v, STEP_JUMP);
        v->last_focus[l.kind] = l.i;
        onto(v, &s);
        move_lane(v, (struct lane){LANE_G, s.who});
        move_settle(v);
        return VR_DRAW;
    }
    struct span run = s;
    if (!(on_p(&s) && s.who != NO_LANE) && !(move_running(v, l.i, v->at.cursor, &run) && run.who != NO_LANE))
        return move_fail(v, "it has not run on a processor before");
    bool now = on_p(&s);
    move_push(v, STEP_JUMP);
    v->last_focus[l.kind] = l.i;
    if (now)
        onto(v, &s);
    move_lane(v, (struct lane){LANE_P, run.who});
    move_settle(v);
    if (!now)
        view_message(v, false, "it does not run here (%s): this is the processor it ran on last",
                     state_name((enum state)s.state));
    return VR_DRAW;
}

unsigned view_switch(struct view *v, int no)
{
    if (no < 1 || no >= VIEW_END)
        return move_fail(v, "there is no view %d", no);
    if (tri_shows(no))
        return tri_switch(v, no);
    tri_leave(v);
    if (no != VIEW_PROCS && no != VIEW_GOROUTINES && no != VIEW_THREADS && !items_shows(no) && no != VIEW_LOG)
        return move_fail(v, "view %d is not in this version: 2 processors, 3 goroutines, 4 threads, 7 tasks, 8 GC",
                         no);
    if (no == v->at.view)
        return VR_NONE;
    if (items_shows(no)) {
        move_push(v, STEP_JUMP);
        v->at.view = (uint8_t)no;
        v->at.top = v->at.row = 0;
        move_settle(v); /* makes the rows */
        v->at.row = items_near(&v->items, v->at.cursor);
        v->recenter = true;
        move_settle(v);
        return VR_DRAW;
    }
    if (no == VIEW_LOG) {
        move_push(v, STEP_JUMP);
        if (v->at.focus.kind < LANE_KINDS)
            v->last_focus[v->at.focus.kind] = v->at.focus.i;
        v->at.view = VIEW_LOG;
        move_settle(v);
        return VR_DRAW;
    }
    enum lane_kind k = no == VIEW_PROCS ? LANE_P : no == VIEW_GOROUTINES ? LANE_G : LANE_M;
    struct lane from = v->at.focus;
    struct span s;
    uint32_t to = NO_LANE;
    if (have_lane(v) && view_span_here(v, &from, &s)) {
        if (k == LANE_G)
            to = s.who;
        else if (k == LANE_P)
            to = from.kind == LANE_M ? s.proc : on_p(&s) ? s.who : NO_LANE;
    }
    move_push(v, STEP_JUMP);
    if (from.kind < LANE_KINDS)
        v->last_focus[from.kind] = from.i;
    if (to == NO_LANE)
        to = v->last_focus[k] < trace_nlanes(v->tr, k) ? v->last_focus[k] : 0;
    v->at.top = 0;
    move_lane(v, (struct lane){k, to});
    move_settle(v);
    return VR_DRAW;
}

static unsigned to_goroutine(struct view *v, uint32_t g, int64_t t)
{
    struct span run;
    move_push(v, STEP_JUMP);
    move_to(v, t, true);
    if (v->at.view == VIEW_PROCS && move_running(v, g, t, &run) && run.t1 >= t && run.who != NO_LANE)
        move_lane(v, (struct lane){LANE_P, run.who});
    else
        move_lane(v, (struct lane){LANE_G, g});
    move_settle(v);
    return VR_DRAW;
}

static void name_of(const struct view *v, uint32_t g, char *out, size_t size)
{
    str_shorten(trace_str(v->tr, trace_lane(v->tr, (struct lane){LANE_G, g}).name), 40, true, out, size);
}

/* The runnable span through which goroutine g came to what it does at t, or leaves it: see view_cause(). */
static bool wake_of(const struct view *v, uint32_t g, int64_t t, struct span *out)
{
    struct span_iter it;
    if (!span_seek(&it, v->tr, (struct lane){LANE_G, g}, t))
        return false;
    uint8_t st = span_get(&it)->state;
    bool back = st != ST_WAITING && st != ST_SYSCALL; /* a wait ends by its wake-up, the rest began with one */
    for (int i = 0; i < WALK; i++) {
        const struct span *s = span_get(&it);
        if (s->state == ST_RUNNABLE && s->who != NO_LANE) {
            *out = *s;
            return true;
        }
        if (!back && i > 0 && s->state != ST_RUNNABLE)
            return false;
        if (!(back ? span_prev(&it) : span_next(&it)))
            return false;
    }
    return false;
}

unsigned view_cause(struct view *v)
{
    struct lane l;
    struct span s, wake;
    if (!view_span_here(v, &l, &s))
        return move_fail(v, "no span under the cursor");
    uint32_t g = l.kind == LANE_G ? l.i : s.who;
    int64_t t = v->at.cursor < s.t0 || v->at.cursor >= s.t1 ? s.t0 : v->at.cursor;
    if (g == NO_LANE)
        return move_fail(v, "no goroutine runs here");
    struct lane_info li = trace_lane(v->tr, (struct lane){LANE_G, g});
    char who[200], whom[200];
    name_of(v, g, whom, sizeof whom);
    if (wake_of(v, g, t, &wake)) {
        uint64_t id = trace_lane(v->tr, (struct lane){LANE_G, wake.who}).id;
        name_of(v, wake.who, who, sizeof who);
        unsigned r = to_goroutine(v, wake.who, wake.t0);
        view_message(v, false, "G%" PRIu64 " %s woke G%" PRIu64 " %s here", id, who, li.id, whom);
        return r;
    }
    if (li.creator != NO_LANE) {
        uint64_t id = trace_lane(v->tr, (struct lane){LANE_G, li.creator}).id;
        name_of(v, li.creator, who, sizeof who);
        unsigned r = to_goroutine(v, li.creator, li.first < 0 ? 0 : li.first);
        view_message(v, false, "G%" PRIu64 " %s created G%" PRIu64 " %s here", id, who, li.id, whom);
        return r;
    }
    return move_fail(v, "G%" PRIu64 ": who woke it is not in the trace (a timer, the network poller or the runtime)",
                     li.id);
}

struct effect {
    uint32_t g;
    int64_t t;
    bool found, created;
    int64_t spans; /* looked at */
};

/* Among the spans of one lane in [t0,t1): is one a wake-up by g, earlier than the best? */
static void effect_in(const struct view *v, struct lane l, uint32_t by, int64_t t0, int64_t t1, struct effect *e)
{
    struct lane_info li = trace_lane(v->tr, l);
    if (li.last <= t0 || li.first >= t1)
        return;
    if (li.creator == by && li.created && li.first >= t0 && li.first < t1 && (!e->found || li.first < e->t))
        *e = (struct effect){l.i, li.first, true, true, e->spans};
    if (!share(v, l, ST_RUNNABLE, t0, t1))
        return;
    struct span_iter it;
    if (!span_seek(&it, v->tr, l, t0))
        return;
    for (; e->spans < EFFECT_SPANS; e->spans++) {
        const struct span *s = span_get(&it);
        if (s->t0 >= t1 || (e->found && s->t0 >= e->t))
            return;
        if (s->t0 >= t0 && s->state == ST_RUNNABLE && s->who == by) {
            *e = (struct effect){l.i, s->t0, true, false, e->spans};
            return;
        }
        if (!span_next(&it))
            return;
    }
}

unsigned view_effect(struct view *v)
{
    struct lane l;
    struct span s;
    if (!view_span_here(v, &l, &s))
        return move_fail(v, "no span under the cursor");
    uint32_t by = l.kind == LANE_G ? l.i : s.who;
    if (by == NO_LANE)
        return move_fail(v, "no goroutine runs here");
    struct lane_info li = trace_lane(v->tr, (struct lane){LANE_G, by});
    int64_t t = v->at.cursor, end = view_end(v), len = 100000, from = t;
    uint32_t n = trace_nlanes(v->tr, LANE_G);
    struct effect e = {0};
    while (!e.found && from < end && e.spans < EFFECT_SPANS) {
        int64_t to = time_add(from, len) < end ? time_add(from, len) : end;
        for (uint32_t i = 0; i < n && e.spans < EFFECT_SPANS; i++, e.spans++)
            effect_in(v, (struct lane){LANE_G, i}, by, from, to, &e);
        from = to;
        len = len > INT64_MAX / 8 ? len : len * 4;
    }
    char who[200], whom[200];
    name_of(v, by, who, sizeof who);
    if (!e.found)
        return move_fail(v, "G%" PRIu64 " %s wakes and creates nobody %s", li.id, who,
                         e.spans >= EFFECT_SPANS ? "soon behind the cursor (search cut short)" : "behind the cursor");
    uint64_t id = trace_lane(v->tr, (struct lane){LANE_G, e.g}).id;
    name_of(v, e.g, whom, sizeof whom);
    move_push(v, STEP_JUMP);
    move_to(v, e.t, true);
    move_lane(v, (struct lane){LANE_G, e.g});
    move_settle(v);
    view_message(v, false, "G%" PRIu64 " %s, %s here by G%" PRIu64 " %s", id, whom, e.created ? "created" : "woken",
                 li.id, who);
    return VR_DRAW;
}

/* ---- typed targets -------------------------------------------------------------------------------------- */

unsigned view_goto(struct view *v, const char *line)
{
    struct target g;
    if (!goto_parse(line, &g))
        return move_fail(v, "not a place: %.60s (1.25s, 300us, 1.2s..1.3s, g123, p4, m7)", line);
    uint32_t lane = NO_LANE;
    if (g.has_lane) {
        lane = trace_find_lane(v->tr, g.kind, g.id);
        if (lane == NO_LANE)
            return move_fail(v, "no %s %" PRIu64 " in this trace%s",
                             g.kind == LANE_G ? "goroutine" : g.kind == LANE_P ? "processor" : "thread", g.id,
                             !trace_info(v->tr)->done ? " as far as it is loaded" :
                             trace_info(v->tr)->bounded ? ", in the detail that is held of it" : "");
    }
    int64_t end = trace_info(v->tr)->end;
    if ((g.has_time || g.has_range) && g.t0 > end && end > 0) {
        char a[FMT_MAX];
        return move_fail(v, "the trace ends at %s", when_exact(v->tr, end, a));
    }
    struct place before = v->at;
    move_push(v, STEP_JUMP);
    if (lane != NO_LANE) {
        v->last_focus[before.focus.kind] = before.focus.i;
        move_lane(v, (struct lane){g.kind, lane});
    }
    if (g.has_range)
        v->at.win = (struct window){g.t0, g.t1 > view_end(v) ? view_end(v) : g.t1};
    if (g.has_range && v->at.win.t1 <= v->at.win.t0)
        v->at.win.t1 = v->at.win.t0 + 1;
    if (g.has_time || g.has_range)
        move_to(v, g.t0, g.has_time);
    if (lane != NO_LANE && !g.has_time && !g.has_range && g.kind == LANE_G) { /* where it lives */
        struct lane_info li = trace_lane(v->tr, (struct lane){LANE_G, lane});
        if (v->at.cursor < li.first || v->at.cursor >= li.last)
            move_to(v, li.first, true);
    }
    move_settle(v);
    return VR_DRAW;
}

/* ---- search --------------------------------------------------------------------------------------------- */

static void hit_name(const struct view *v, const struct hit *h, char *out, size_t size)
{
    char what[120] = "";
    struct lane_info li = {0};
    if (h->g != NO_LANE)
        li = trace_lane(v->tr, (struct lane){LANE_G, h->g});
    str_shorten(trace_str(v->tr, h->what ? h->what : li.name), 60, true, what, sizeof what);
    if (h->g != NO_LANE)
        snprintf(out, size, "G%" PRIu64 " %s", li.id, what);
    else
        snprintf(out, size, "%s", what);
}

static void hit_place(struct view *v, const struct hit *h)
{
    struct span run;
    if (!v->search->typing)
        move_push(v, STEP_JUMP);
    move_to(v, h->t, true);
    if (h->g != NO_LANE && v->at.view == VIEW_LOG)
        v->at.focus = (struct lane){LANE_G, h->g};
    else if (h->g != NO_LANE && v->at.view != VIEW_PROCS)
        move_lane(v, (struct lane){LANE_G, h->g});
    else if (h->g != NO_LANE && move_running(v, h->g, h->t, &run) && run.who != NO_LANE)
        move_lane(v, (struct lane){LANE_P, run.who});
    move_settle(v);
}

/* A hit, shown while the others are still being counted. */
static void to_uncounted(struct view *v, const struct hit *h)
{
    struct search *s = v->search;
    char what[200];
    s->first = *h;
    hit_place(v, h);
    s->found = s->jumped = true;
    s->cur_t = v->at.cursor;
    hit_name(v, h, what, sizeof what);
    view_message(v, false, "%s; counting", what);
}

static bool hit_passes(const struct view *v, const struct hit *h);

/* n and N before all are known. */
static unsigned next_uncounted(struct view *v, int n)
{
    struct search *s = v->search;
    struct hit h;
    unsigned r = VR_DRAW | VR_WORK;
    for (int i = 0; i < (n < 0 ? -n : n); i++) {
        int64_t from = v->at.cursor;
        int tries = 0;
        while (search_nearest(s, v->tr, from, n < 0 ? -1 : 1, 60000000, &h) && !hit_passes(v, &h) && ++tries < 50)
            from = h.t;
        if (!search_nearest(s, v->tr, from, n < 0 ? -1 : 1, 60000000, &h)) {
            view_message(v, false, "searching %d%%: no further hit is known yet", search_share(s, v->tr));
            break;
        }
        to_uncounted(v, &h);
    }
    return r;
}

const char *move_part(const struct view *v, char out[MOVE_PART])
{
    const struct trace_info *ti = trace_info(v->tr);
    char from[FMT_MAX], to[FMT_MAX];
    int64_t res = (ti->detail_t1 - ti->detail_t0) / 20 + 1;
    out[0] = 0;
    if (ti->bounded)
        snprintf(out, MOVE_PART, " in %.30s..%.30s (held in detail)", when_time(v->tr, ti->detail_t0, res, from),
                 when_time(v->tr, ti->detail_t1, res, to));
    return out;
}

/* All are known: which one is it that the cursor went to? */
static bool same_hit(struct view *v)
{
    struct search *s = v->search;
    for (size_t i = search_from(s, s->first.t); i < s->nhits && s->hits[i].t == s->first.t; i++)
        if (s->hits[i].g == s->first.g) {
            char what[200], where[MOVE_PART];
            s->cur = i;
            hit_name(v, &s->hits[i], what, sizeof what);
            view_message(v, false, "%zu of %zu%s%s: %s", i + 1, s->nhits, s->full ? "+" : "", move_part(v, where), what);
            return true;
        }
    return false;
}

/* With a filter, n and N stop at what passes it. */
static bool hit_passes(const struct view *v, const struct hit *h)
{
    struct span sp;
    struct lane l = {LANE_G, h->g};
    return !v->filter || h->g == NO_LANE || (trace_span_at(v->tr, l, h->t, &sp) && pick_span(v, l, &sp));
}

static void to_hit(struct view *v, size_t i, bool wrapped)
{
    struct search *s = v->search;
    const struct hit *h = &s->hits[i];
    s->cur = i;
    s->hidden = false;
    hit_place(v, h);
    char what[200], where[MOVE_PART];
    hit_name(v, h, what, sizeof what);
    s->cur_t = v->at.cursor;
    view_message(v, false, "%s%zu of %zu%s%s: %s", wrapped ? "from the other end: " : "", i + 1, s->nhits,
                 s->full ? "+" : "", move_part(v, where), what);
}

static unsigned jump_hit(struct view *v, int64_t from, int dir, bool at_too)
{
    struct search *s = v->search;
    char where[MOVE_PART];
    if (!s->nhits)
        return move_fail(v, "not found%s: %.100s", move_part(v, where), s->query);
    size_t i;
    bool wrapped = false;
    if (!at_too && s->cur < s->nhits && s->cur_t == from)
        i = dir > 0 ? s->cur + 1 : s->cur ? s->cur - 1 : s->nhits; /* several hits may share a moment */
    else if (dir > 0)
        i = search_from(s, at_too ? from : time_add(from, 1));
    else
        i = search_from(s, from) ? search_from(s, from) - 1 : s->nhits;
    for (size_t tries = 0;; tries++) {
        if (i >= s->nhits) {
            i = dir > 0 ? 0 : s->nhits - 1;
            wrapped = true;
        }
        if (hit_passes(v, &s->hits[i]))
            break;
        if (tries > s->nhits || tries > WALK)
            return move_fail(v, "no hit passes the filter: %.60s", s->query);
        i = dir > 0 ? i + 1 : i ? i - 1 : s->nhits;
    }
    to_hit(v, i, wrapped);
    return VR_DRAW;
}

static unsigned search_work(struct view *v, int64_t budget_ns)
{
    struct search *s = v->search;
    if (!s || s->done)
        return VR_NONE;
    bool done = search_step(s, v->tr, budget_ns), first = s->found && !s->jumped;
    if (first) {
        if (hit_passes(v, &s->first))
            to_uncounted(v, &s->first);
        s->jumped = true;
        done = search_step(s, v->tr, budget_ns); /* small traces: all at once */
    }
    if (!done) {
        if (s->cur_t == v->at.cursor && s->found)
            return first ? VR_DRAW | VR_WORK : VR_WORK; /* the hit's own message stands */
        view_message(v, false, "searching %d%%: %.100s", search_share(s, v->tr), s->query);
        return VR_DRAW | VR_WORK;
    }
    v->message[0] = 0;
    if (s->oom)
        return move_fail(v, "out of memory: not all hits are known");
    if (s->found && s->jumped && s->cur_t != v->at.cursor)
        return VR_DRAW; /* the reader went on meanwhile */
    if (s->found && s->jumped && same_hit(v))
        return VR_DRAW;
    if (s->jump)
        return jump_hit(v, s->origin, s->jump, s->at_too);
    return VR_DRAW;
}

unsigned view_work(struct view *v, int64_t budget_ns)
{
    unsigned r = search_work(v, budget_ns);
    r |= pick_work(v, budget_ns) | tri_work(v, budget_ns);
    return r | split_work(v, budget_ns);
}

bool view_pending(const struct view *v)
{
    return tri_pending(v) || split_pending(v);
}

static unsigned begin(struct view *v, const char *text, int dir, bool at_too)
{
    char why[120];
    struct search *s = search_new(v->tr, text, why, sizeof why);
    if (!s)
        return move_fail(v, "no search: %s", why);
    search_free(v->search);
    v->search = s;
    s->alive = &v->lanes[LANE_G].alive;
    s->jump = dir;
    s->at_too = at_too;
    s->origin = v->at.cursor;
    s->cur_t = NO_TIME;
    return v->prompt == PROMPT_SEARCH ? VR_DRAW | VR_WORK : view_work(v, 50000000);
}

/* The line behind '/' changed: search for it at once, from where the prompt was opened. */
unsigned move_typed(struct view *v)
{
    if (v->prompt != PROMPT_SEARCH)
        return VR_DRAW;
    v->at = v->prompt_from;
    search_free(v->search);
    v->search = NULL;
    v->message[0] = 0;
    move_settle(v);
    if (v->text_len < 2)
        return VR_DRAW;
    unsigned r = begin(v, v->text, 1, true);
    if (v->search)
        v->search->typing = true;
    return r & ~(unsigned)VR_BELL; /* half an expression is no mistake yet */
}

/* Enter: what was found while typing stands, as one step to undo. */
bool move_typed_done(struct view *v, const char *line)
{
    struct search *s = v->search;
    if (!s || !s->typing || strcmp(s->query, line))
        return false;
    s->typing = false;
    struct place to = v->at;
    v->at = v->prompt_from;
    move_push(v, STEP_JUMP);
    v->at = to;
    return true;
}

unsigned view_search(struct view *v, const char *text)
{
    if (!*text)
        return view_search_next(v, 1);
    return begin(v, text, 1, true);
}

unsigned view_search_next(struct view *v, int n)
{
    n = times(n);
    struct search *s = v->search;
    if (!s)
        return move_fail(v, "nothing to search for yet: / begins a search");
    if (!s->done)
        return next_uncounted(v, n);
    if (s->old) {
        char again[VIEW_TEXT];
        memcpy(again, s->query, sizeof again);
        return begin(v, again, n < 0 ? -1 : 1, false);
    }
    unsigned r = VR_NONE;
    for (int i = 0; i < (n < 0 ? -n : n); i++)
        r = jump_hit(v, v->at.cursor, n < 0 ? -1 : 1, false);
    return r;
}
