/*
 * jump.c - moving to what is in the trace: spans, collections, wake-ups, lanes, search hits, typed targets.
 *
 * No jump walks a whole lane if an index can answer (triage/activity/wakeups.h).
 */
#include <inttypes.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/cells.h"
#include "triage/activity/wakeups.h"
#include "triage/wall.h"
#include "layout/cells/fmt.h"
#include "triage/query/goto.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "layout/move/naming.h"
#include "layout/move/pick.h"

enum { WALK = 100000, GLANCE = 256 };

static bool is_gap(enum lane_kind k, uint8_t state)
{
    return state == ST_NONE || (k != LANE_G && (state == ST_IDLE || state == ST_SCHED));
}

/* ---- the span under the cursor ------------------------------------------------------------------------- */

int view_column(const struct view *v, int64_t *t0, int64_t *t1)
{
    int n = v->scr.plot_w > 0 ? v->scr.plot_w : 1, c = window_col(v->at.win, n, v->at.cursor);
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
    if (!is_gap(k->kind, s->state) && (!k->found || s->t1 - s->t0 > k->s.t1 - k->s.t0)) {
        k->s = *s;
        k->found = true;
    }
    return ++k->seen < 4096;
}

/* Finds the longest span in [t0,t1) that is not a gap. Looks at ever shorter spans; if all are gaps,
 * returns the longest. */
static bool longest_busy(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct span *out)
{
    if (!trace_longest(tr, l, t0, t1, out))
        return false;
    if (!is_gap(l.kind, out->state))
        return true;
    struct span any = *out;
    struct longest k = {.kind = l.kind};
    for (int64_t min = (t1 - t0) / 2; !k.found && k.seen < 4096; min /= 8) {
        trace_wide(tr, l, &(struct wide_ask){t0, t1, min > 0 ? min : 1, keep_longest, &k, 0});
        if (min <= 0)
            break;
    }
    *out = k.found ? k.s : any;
    return true;
}

bool view_span_longest(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct span *s)
{
    return longest_busy(v->tr, l, t0, t1, s);
}

bool view_span_here(const struct view *v, struct lane *l, struct span *s)
{
    const struct lanes *ls = move_lanes_const(v);
    *l = v->at.focus;
    if (!ls || l->i >= trace_nlanes(v->tr, l->kind))
        return false;
    int64_t t0, t1;
    view_column(v, &t0, &t1);
    const bool one = v->at.exact || trace_count(v->tr, *l, t0, t1) == 1;
    if (one && trace_span_at(v->tr, *l, v->at.cursor, s))
        return true;
    return longest_busy(v->tr, *l, t0, t1,
                        s); /* or the cursor is next to a span that starts or ends within the column */
}

/* ---- spans --------------------------------------------------------------------------------------------- */

/* Finds the first span that starts after t (dir > 0), or the last that starts before t; skips gaps. */
static bool neighbour(const struct view *v, struct lane l, int64_t t, int dir, struct span *out)
{
    struct span_iter it;
    if (!span_seek(&it, v->tr, l, t))
        return false;
    for (int i = 0; i < WALK; i++) {
        const struct span *s = span_get(&it);
        if (!is_gap(l.kind, s->state) && (dir > 0 ? s->t0 > t : s->t0 < t) && pick_span(v, l, s)) {
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

unsigned move_span(struct view *v, int n)
{
    n = move_times(n);
    int dir = n < 0 ? -1 : 1;
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
        return move_fail(v, v->at.focus.kind == LANE_G ? dir > 0 ? "no span behind this one on this lane"
                                                                 : "no span before this one on this lane"
                            : dir > 0                  ? "nothing runs behind this on this lane"
                                                       : "nothing runs before this on this lane");
    return move_at(v, t, STEP_CURSOR);
}

unsigned view_same(struct view *v, int n)
{
    n = move_times(n);
    int dir = n < 0 ? -1 : 1;
    struct lane l;
    struct span s, to;
    if (!view_span_here(v, &l, &s))
        return move_fail(v, "no span under the cursor");
    bool any = false;
    int64_t most = view_end(v);
    for (int i = 0; i < n * dir; i++) {
        int64_t t = dir > 0    ? wakeups_state(v->tr, l, (enum state)s.state, s.t1, most)
                    : s.t0 > 0 ? wakeups_state(v->tr, l, (enum state)s.state, s.t0, 0)
                               : NO_TIME;
        if (t == NO_TIME || !trace_span_at(v->tr, l, t, &to) || to.state != s.state)
            break;
        s = to;
        any = true;
    }
    if (!any)
        return move_fail(v, "no other span is \"%s\" %s on this lane", state_name((enum state)s.state),
                         dir > 0 ? "behind this one" : "before this one");
    return move_at(v, s.t0 < 0 ? 0 : s.t0, STEP_CURSOR);
}

unsigned view_gc(struct view *v, int n)
{
    static const enum range_kind kinds[] = {RANGE_GC, RANGE_STW};
    n = move_times(n);
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
        return move_fail(v, "no GC cycle or stop-the-world %s",
                         dir > 0 ? "behind the cursor" : "before the cursor");
    (void)view_at(v, best.t0);
    char d[FMT_MAX], what[80];
    when_exact(v->tr, time_sub(best.t1, best.t0), d);
    str_safe(trace_str(v->tr, best.name), what, sizeof what);
    return view_message(v, false, "%s%s%s%s: %s%s", best.kind == RANGE_GC ? "GC cycle" : "stop-the-world",
                        *what ? " (" : "", what, *what ? ")" : "", d,
                        best.open_end ? ", not over at the end of the trace" : "");
}

/* ---- goroutines, processors, wake-ups ------------------------------------------------------------------ */

static bool on_p(const struct span *s)
{
    return s->state == ST_RUNNING || s->state == ST_GCWORK || s->state == ST_ASSIST || s->state == ST_SWEEP;
}

bool move_running(const struct view *v, uint32_t g, int64_t t, struct span *out)
{
    struct span_iter it;
    if (g == NO_LANE || !span_seek(&it, v->tr, lane_g(g), t))
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

/* If the span of the status line is not at the cursor, moves the cursor to it. */
static void onto(struct view *v, const struct span *s)
{
    if (v->at.cursor < s->t0)
        v->at.cursor = s->t0;
    else if (v->at.cursor >= s->t1 && s->t1 > s->t0)
        v->at.cursor = s->t1 - 1;
    v->at.exact = true;
}

unsigned move_swap(struct view *v, int n)
{
    (void)n;
    struct lane l;
    struct span s;
    if (!view_span_here(v, &l, &s))
        return move_fail(v, "no span under the cursor");
    if (l.kind != LANE_G) {
        if (s.who == NO_LANE)
            return move_fail(v, "no goroutine runs here");
        move_push(v, STEP_JUMP);
        v->trail.focus[l.kind] = l.i;
        onto(v, &s);
        move_lane(v, lane_g(s.who));
        return move_settle(v);
    }
    struct span run = s;
    if (!(on_p(&s) && s.who != NO_LANE) && !(move_running(v, l.i, v->at.cursor, &run) && run.who != NO_LANE))
        return move_fail(v, "it has not run on a processor before");
    bool now = on_p(&s);
    move_push(v, STEP_JUMP);
    v->trail.focus[l.kind] = l.i;
    if (now)
        onto(v, &s);
    move_lane(v, lane_p(run.who));
    move_settle(v);
    if (!now)
        return view_message(v, false,
                            "it does not run here (%s): the cursor is on the processor it ran on last",
                            state_name((enum state)s.state));
    return VR_DRAW;
}

static unsigned to_goroutine(struct view *v, uint32_t g, int64_t t)
{
    move_push(v, STEP_JUMP);
    move_to(v, t, true);
    kind_show(v, g, t);
    return move_settle(v);
}

/* Returns the goroutine or processor that a view of lanes shows first: that of the span under the cursor,
 * or the last one with the focus. */
uint32_t move_arrive(const struct view *v, enum lane_kind k)
{
    struct lane from = v->at.focus;
    struct span s;
    uint32_t to = NO_LANE;
    if (have_lane(v) && view_span_here(v, &from, &s)) {
        if (k == LANE_G)
            to = s.who;
        else if (k == LANE_P)
            to = from.kind == LANE_M ? s.proc : on_p(&s) ? s.who : NO_LANE;
    }
    if (to == NO_LANE)
        to = v->trail.focus[k] < trace_nlanes(v->tr, k) ? v->trail.focus[k] : 0;
    return to;
}

enum { NAMED = 48 }; /* columns of a goroutine in a message */

/* Jumps to the goroutine that unblocked or created g, at that moment. */
static unsigned to_cause(struct view *v, const struct wakeup *w)
{
    const int64_t t = w->t < 0 ? 0 : w->t;
    unsigned r = to_goroutine(v, w->by, t);
    if (kind_here(v)->lanes == LANE_G) { /* both stay in sight */
        view_guest(v, w->g, t);
        move_settle(v);
    }
    view_message(v, false, "%s %s %s here", name_g(v, w->by, NAMED).s, w->created ? "created" : "woke",
                 name_g(v, w->g, NAMED).s);
    return r;
}

/* Gets a goroutine and a moment of it: those under the cursor, or the wait of a table's row. *g may be
 * NO_LANE. Returns false if there is no span. */
static bool asked_of(const struct view *v, uint32_t *g, int64_t *t)
{
    struct lane l;
    struct span s;
    int64_t end;
    if (kind_here(v)->about)
        return kind_here(v)->about(v, g, t, &end) && *g < trace_nlanes(v->tr, LANE_G) &&
               trace_span_at(v->tr, lane_g(*g), *t, &s) && s.state == ST_WAITING;
    if (!view_span_here(v, &l, &s))
        return false;
    *g = l.kind == LANE_G ? l.i : s.who;
    *t = v->at.cursor >= s.t0 && v->at.cursor < s.t1 ? v->at.cursor : s.t0;
    return true;
}

/* Gets the cause of that goroutine's state; *most: see wakeups_cause(). Returns false as asked_of() does. */
static bool cause_here(const struct view *v, int *most, struct wakeup *w)
{
    uint32_t g;
    int64_t t;
    *w = (struct wakeup){NO_LANE, NO_LANE, 0, false};
    if (!asked_of(v, &g, &t))
        return false;
    if (g != NO_LANE)
        *w = wakeups_cause(v->tr, g, t, most);
    return true;
}

const char *view_cause_word(const struct view *v)
{
    struct wakeup w;
    int most = GLANCE; /* called for each frame */
    if (!cause_here(v, &most, &w) || (w.by == NO_LANE && most))
        return NULL;
    if (kind_here(v)->about)
        return w.created ? NULL : "who ended it";
    return w.created && most ? "created by" : "woken by";
}

unsigned view_cause(struct view *v)
{
    struct wakeup w;
    int most = WALK;
    if (!cause_here(v, &most, &w))
        return move_fail(v, "no span under the cursor");
    if (w.g == NO_LANE)
        return move_fail(v, "no goroutine runs here");
    if (w.by != NO_LANE)
        return to_cause(v, &w);
    return move_fail(
        v, "G%" PRIu64 ": who woke it is not in the trace (a timer, the network poller or the runtime)",
        trace_lane(v->tr, lane_g(w.g)).id);
}

struct effect {
    struct job job;
    struct wakeups_next next;
};

static bool effect_step(struct view *v, struct job *j, int64_t budget_ns)
{
    return wakeups_step(&((struct effect *)j)->next, v->tr, &v->lanes[LANE_G].alive, budget_ns);
}

static unsigned effect_over(struct view *v, struct job *j)
{
    const struct wakeups_next *e = &((const struct effect *)j)->next;
    const struct wakeup *w = &e->w;
    if (!e->found)
        return move_fail(v, "%s wakes and creates nobody %s", name_g(v, e->by, NAMED).s,
                         e->cut ? "soon behind the cursor (search cut short)" : "behind the cursor");
    move_push(v, STEP_JUMP);
    move_to(v, w->t, true);
    move_lane(v, lane_g(w->g));
    move_settle(v);
    return view_message(v, false, "%s, %s here by %s", name_g(v, w->g, NAMED).s,
                        w->created ? "created" : "woken", name_g(v, e->by, NAMED).s);
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
    struct effect *e = mem_zalloc(sizeof *e);
    if (e)
        *e = (struct effect){.job = {.step = effect_step,
                                     .over = effect_over,
                                     .soon = "whom it woke next is being looked for"},
                             .next = {.by = by, .from = v->at.cursor, .len = 100000}};
    return job_begin(v, e ? &e->job : NULL);
}

/* ---- typed targets ------------------------------------------------------------------------------------- */

static const char *lanes_word(enum lane_kind k)
{
    return k == LANE_G ? "goroutine" : k == LANE_P ? "processor" : "thread";
}

static unsigned to_place(struct view *v, const struct target *g, uint32_t lane)
{
    struct place before = v->at;
    unsigned f = VR_DRAW;
    /* A table shows no lanes, so a view that does is opened. */
    if (lane == NO_LANE && kind_here(v)->table && v->at.view != VIEW_TOP)
        f = kind_of(move_view_of(before.focus.kind))->open(v, move_view_of(before.focus.kind));
    else
        move_push(v, STEP_JUMP);
    if (lane != NO_LANE) {
        v->trail.focus[before.focus.kind] = before.focus.i;
        move_lane(v, (struct lane){g->kind, lane});
    }
    if (g->has_range)
        v->at.win = window_of(g->t0, g->t1 > view_end(v) ? view_end(v) : g->t1);
    if (g->has_range && v->at.win.t1 <= v->at.win.t0)
        v->at.win.t1 = v->at.win.t0 + 1;
    if (g->has_time || g->has_range)
        move_to(v, g->t0, g->has_time);
    if (lane != NO_LANE && !g->has_time && !g->has_range && g->kind == LANE_G) { /* where it lives */
        struct lane_info li = trace_lane(v->tr, lane_g(lane));
        if (v->at.cursor < li.first || v->at.cursor >= li.last)
            move_to(v, li.created ? li.seen : li.first, true);
    }
    move_settle(v);
    return f;
}

unsigned view_goto(struct view *v, const char *line)
{
    struct target g;
    const char *why;
    char clock[WALL_MAX];
    const bool is = goto_parse(v->tr, line, &g, &why);
    if (why)
        return move_fail(v, wall_known(v->tr) && strchr(line, ':') ? "%s: %s" : "%s", why,
                         wall_time(v->tr, 0, clock));
    if (!is)
        return move_fail(v, "not a place: %.60s (1.25s, 300us, 50%%, 1.2s..1.3s, g123, p4, m7)", line);
    const struct trace_info *ti = trace_info(v->tr);
    uint32_t lane = g.has_lane ? trace_find_lane(v->tr, g.kind, g.id) : NO_LANE;
    if ((g.has_time || g.has_range) && g.t0 > ti->end && ti->end > 0) {
        char a[FMT_MAX];
        const bool wall = strchr(line, ':') != NULL;
        return move_fail(v, "the trace ends at %s",
                         wall ? wall_time(v->tr, ti->end, clock) : when_exact(v->tr, ti->end, a));
    }
    if (g.has_lane && lane == NO_LANE)
        return move_fail(v, "no %s %" PRIu64 " in this trace%s", lanes_word(g.kind), g.id,
                         !ti->done ? " as far as it is loaded" : "");
    unsigned r = to_place(v, &g, lane);
    if (g.has_time && g.t0 && line[strspn(line, " 0123456789_")] == 0 && !(r & VR_BELL))
        view_message(v, false, "a bare number is %s",
                     trace_info(v->tr)->has_clock ? "nanoseconds: say 500us, 500ms or 1.5s for longer ones"
                                                  : "ticks");
    return r;
}
