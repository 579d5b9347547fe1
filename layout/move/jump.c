/*
 * jump.c - moving by what is in the trace: spans, collections, wake-ups, lanes, search hits, typed targets.
 *
 * No jump walks a lane from end to end when an index can answer: the next span of a state is found by exact
 * shares (gallop, then halve). view_effect() alone has to look at all that live, in windows that grow, with a
 * limit, and in slices.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "layout/cells/cells.h"
#include "triage/wall.h"
#include "layout/cells/when.h"
#include "triage/query/goto.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"

enum { WALK = 100000, GLANCE = 256, EFFECT_SPANS = 4000000 };

static bool gap(enum lane_kind k, uint8_t state)
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
    if (!gap(k->kind, s->state) && (!k->found || s->t1 - s->t0 > k->s.t1 - k->s.t0)) {
        k->s = *s;
        k->found = true;
    }
    return ++k->seen < 4096;
}

/* The longest span in [t0,t1) that is no gap: the longest of all if it is none,
 * else among ever shorter ones. */
static bool longest_busy(const struct trace *tr, struct lane l, int64_t t0, int64_t t1, struct span *out)
{
    if (!trace_longest(tr, l, t0, t1, out))
        return false;
    if (!gap(l.kind, out->state))
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
                        s); /* or the cursor is beside what begins or ends within the column */
}

/* ---- spans --------------------------------------------------------------------------------------------- */

/* The first span that starts behind t (dir > 0) or the last that starts before t, gaps skipped. */
static bool neighbour(const struct view *v, struct lane l, int64_t t, int dir, struct span *out)
{
    struct span_iter it;
    struct pick_hand hand;
    if (!span_seek(&it, v->tr, l, t))
        return false;
    pick_hand_empty(&hand);
    for (int i = 0; i < WALK; i++) {
        const struct span *s = span_get(&it);
        if (!gap(l.kind, s->state) && (dir > 0 ? s->t0 > t : s->t0 < t) && pick_span(v, l, s, &hand)) {
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
    move_push(v, STEP_CURSOR);
    move_to(v, t, true);
    move_settle(v);
    return VR_DRAW;
}

static int64_t jump_share(const struct view *v, struct lane l, enum state st, int64_t t0, int64_t t1)
{
    struct shares sh;
    if (t1 <= t0)
        return 0;
    trace_shares(v->tr, l, t0, t1, &sh);
    return sh.ns[st];
}

/* The first or the last moment in [lo,hi) at which the lane is in a state; there is one. */
static int64_t moment_in(const struct view *v, struct lane l, enum state st, int64_t lo, int64_t hi,
                         bool last)
{
    while (hi - lo > 1) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (last == (jump_share(v, l, st, last ? mid : lo, last ? hi : mid) != 0))
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The next time behind `from` at which the lane is in a state; NO_TIME: never again. */
static int64_t next_in(const struct view *v, struct lane l, enum state st, int64_t from, int64_t end)
{
    int64_t lo = from, step = 1024;
    while (lo < end) {
        int64_t hi = time_add(lo, step) < end ? time_add(lo, step) : end;
        if (jump_share(v, l, st, lo, hi))
            return moment_in(v, l, st, lo, hi, false);
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
        if (jump_share(v, l, st, lo, hi))
            return moment_in(v, l, st, lo, hi, true);
        hi = lo;
        step = step > INT64_MAX / 4 ? step : step * 2;
    }
    return NO_TIME;
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
        int64_t t = dir > 0 ? next_in(v, l, (enum state)s.state, s.t1, most)
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
    move_push(v, STEP_JUMP);
    move_to(v, best.t0, true);
    move_settle(v);
    char d[FMT_MAX], what[80];
    when_exact(v->tr, time_sub(best.t1, best.t0), d);
    str_safe(trace_str(v->tr, best.name), what, sizeof what);
    view_message(v, false, "%s%s%s%s: %s%s", best.kind == RANGE_GC ? "GC cycle" : "stop-the-world",
                 *what ? " (" : "", what, *what ? ")" : "", d,
                 best.open_end ? ", not over at the end of the trace" : "");
    return VR_DRAW;
}

/* ---- goroutines, processors, wake-ups ------------------------------------------------------------------ */

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
        move_lane(v, (struct lane){LANE_G, s.who});
        move_settle(v);
        return VR_DRAW;
    }
    struct span run = s;
    if (!(on_p(&s) && s.who != NO_LANE) && !(move_running(v, l.i, v->at.cursor, &run) && run.who != NO_LANE))
        return move_fail(v, "it has not run on a processor before");
    bool now = on_p(&s);
    move_push(v, STEP_JUMP);
    v->trail.focus[l.kind] = l.i;
    if (now)
        onto(v, &s);
    move_lane(v, (struct lane){LANE_P, run.who});
    move_settle(v);
    if (!now)
        view_message(v, false, "it does not run here (%s): the cursor is on the processor it ran on last",
                     state_name((enum state)s.state));
    return VR_DRAW;
}

static unsigned to_goroutine(struct view *v, uint32_t g, int64_t t)
{
    move_push(v, STEP_JUMP);
    move_to(v, t, true);
    kind_here(v)->show(v, g, t);
    move_settle(v);
    return VR_DRAW;
}

/* The goroutine, or processor, that a view of lanes shows first: that of the span one comes from, or the last
 * one. */
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

static void jump_name_of(const struct view *v, uint32_t g, char *out, size_t size)
{
    str_shorten(trace_str(v->tr, trace_g_name(v->tr, g)), 40, true, out, size);
}

/*
 * The runnable span through which goroutine g came to what it does at t, or leaves it: see view_cause().
 * *most: how many spans to look at; 0 then: they ended first.
 */
static bool wake_of(const struct view *v, uint32_t g, int64_t t, int *most, struct span *out)
{
    struct span_iter it;
    if (!span_seek(&it, v->tr, (struct lane){LANE_G, g}, t))
        return false;
    uint8_t st = span_get(&it)->state;
    bool back =
        st != ST_WAITING && st != ST_SYSCALL; /* a wait ends by its wake-up, the rest began with one */
    for (int i = 0; *most > 0; i++, --*most) {
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

/* To who woke goroutine g, or created it, at that moment. */
static unsigned to_cause(struct view *v, uint32_t g, uint32_t by, int64_t t, const char *did)
{
    char who[200], whom[200];
    uint64_t id = trace_lane_who(v->tr, (struct lane){LANE_G, g}).id,
             by_id = trace_lane_who(v->tr, (struct lane){LANE_G, by}).id;
    jump_name_of(v, g, whom, sizeof whom);
    jump_name_of(v, by, who, sizeof who);
    unsigned r = to_goroutine(v, by, t < 0 ? 0 : t);
    if (kind_here(v)->lanes == LANE_G) { /* both stay in sight */
        view_guest(v, g, t < 0 ? 0 : t);
        move_settle(v);
    }
    view_message(v, false, "G%" PRIu64 " %s %s G%" PRIu64 " %s here", by_id, who, did, id, whom);
    return r;
}

bool view_newborn(const struct view *v, uint32_t g, const struct span *s)
{
    return s->index == 0 && trace_lane_who(v->tr, (struct lane){LANE_G, g}).created;
}

/* Who did what to the goroutine under the cursor, and when. */
struct cause {
    uint32_t g, by; /* by NO_LANE: the trace doesn't say; both: there is no goroutine */
    int64_t t;
    bool created; /* not woken */
};

/* *most: as of wake_of(). false: there is no span */
static bool cause_here(const struct view *v, int *most, struct cause *c)
{
    struct lane l;
    struct span s, wake;
    *c = (struct cause){NO_LANE, NO_LANE, 0, false};
    if (!view_span_here(v, &l, &s))
        return false;
    c->g = l.kind == LANE_G ? l.i : s.who;
    if (c->g == NO_LANE)
        return true;
    int64_t t = v->at.cursor < s.t0 || v->at.cursor >= s.t1 ? s.t0 : v->at.cursor;
    if (wake_of(v, c->g, t, most, &wake)) {
        c->by = wake.who;
        c->t = wake.t0;
        c->created = view_newborn(v, c->g, &wake);
        return true;
    }
    struct lane_info li = trace_lane(v->tr, (struct lane){LANE_G, c->g});
    c->by = li.creator;
    c->t = li.seen;
    c->created = true;
    return true;
}

const char *view_cause_word(const struct view *v)
{
    struct cause c;
    int most = GLANCE; /* it is asked for each frame */
    if (!cause_here(v, &most, &c) || (c.by == NO_LANE && most))
        return NULL;
    return c.created && most ? "created by" : "woken by";
}

unsigned view_cause(struct view *v)
{
    struct cause c;
    int most = WALK;
    if (!cause_here(v, &most, &c))
        return move_fail(v, "no span under the cursor");
    if (c.g == NO_LANE)
        return move_fail(v, "no goroutine runs here");
    if (c.by != NO_LANE)
        return to_cause(v, c.g, c.by, c.t, c.created ? "created" : "woke");
    return move_fail(
        v, "G%" PRIu64 ": who woke it is not in the trace (a timer, the network poller or the runtime)",
        trace_lane(v->tr, (struct lane){LANE_G, c.g}).id);
}

/* Whom a goroutine woke first: looked for in windows that grow, in slices. */
struct effect {
    struct job job;
    uint32_t by, g;
    int64_t t;
    bool found, created;
    int64_t spans;     /* looked at */
    int64_t from, len; /* of the window */
    uint32_t next;     /* goroutine to look at in it */
};

static void effect_is(struct effect *e, uint32_t g, int64_t t, bool created)
{
    e->g = g;
    e->t = t;
    e->created = created;
    e->found = true;
}

/* Among the spans of one lane in [t0,t1): is one a wake-up by g, earlier than the best? */
static void effect_in(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct effect *e)
{
    const uint32_t by = e->by;
    struct lane_info li = trace_lane(v->tr, l);
    if (li.last <= t0 || li.first >= t1)
        return;
    if (li.creator == by && li.created && li.seen >= t0 && li.seen < t1 && (!e->found || li.seen < e->t))
        effect_is(e, l.i, li.seen, true);
    if (!jump_share(v, l, ST_RUNNABLE, t0, t1))
        return;
    struct span_iter it;
    if (!span_seek(&it, v->tr, l, t0))
        return;
    for (; e->spans < EFFECT_SPANS; e->spans++) {
        const struct span *s = span_get(&it);
        if (s->t0 >= t1 || (e->found && s->t0 >= e->t))
            return;
        if (s->t0 >= t0 && s->state == ST_RUNNABLE && s->who == by) {
            effect_is(e, l.i, s->t0, false);
            return;
        }
        if (!span_next(&it))
            return;
    }
}

/* false: there is more to look at. */
static bool effect_step(struct view *v, struct job *j, int64_t budget_ns)
{
    struct effect *e = (struct effect *)j;
    enum { LOOK = 1024 }; /* at so many goroutines, then at the clock */
    const int64_t until = budget_ns == INT64_MAX ? INT64_MAX : host_now() + budget_ns, end = view_end(v);
    const uint32_t n = trace_nlanes(v->tr, LANE_G);
    struct alive *alive = &v->lanes[LANE_G].alive;
    for (unsigned looked = 1; e->from < end && e->spans < EFFECT_SPANS; looked++) {
        const int64_t to = time_add(e->from, e->len) < end ? time_add(e->from, e->len) : end;
        e->next = alive_next(alive, &(struct alive_ask){v->tr, LANE_G, e->from, to, n}, e->next);
        if (e->next != NO_LANE) {
            effect_in(v, (struct lane){LANE_G, e->next++}, e->from, to, e);
            e->spans++;
        } else if (e->found) {
            return true;
        } else {
            e->next = 0;
            e->from = to;
            e->len = e->len > INT64_MAX / 8 ? e->len : e->len * 4;
        }
        if (looked % LOOK == 0 && until != INT64_MAX && host_now() >= until)
            return false;
    }
    return true;
}

static unsigned effect_over(struct view *v, struct job *j)
{
    const struct effect *e = (const struct effect *)j;
    char who[200], whom[200];
    const uint64_t by_id = trace_lane_who(v->tr, (struct lane){LANE_G, e->by}).id;
    jump_name_of(v, e->by, who, sizeof who);
    if (!e->found)
        return move_fail(v, "G%" PRIu64 " %s wakes and creates nobody %s", by_id, who,
                         e->spans >= EFFECT_SPANS ? "soon behind the cursor (search cut short)"
                                                  : "behind the cursor");
    jump_name_of(v, e->g, whom, sizeof whom);
    move_push(v, STEP_JUMP);
    move_to(v, e->t, true);
    move_lane(v, (struct lane){LANE_G, e->g});
    move_settle(v);
    view_message(v, false, "G%" PRIu64 " %s, %s here by G%" PRIu64 " %s",
                 trace_lane_who(v->tr, (struct lane){LANE_G, e->g}).id, whom,
                 e->created ? "created" : "woken", by_id, who);
    return VR_DRAW;
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
                             .by = by,
                             .from = v->at.cursor,
                             .len = 100000};
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
    if (lane == NO_LANE && kind_here(v)->table && v->at.view != VIEW_TOP) /* nothing would show it there */
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
        struct lane_info li = trace_lane(v->tr, (struct lane){LANE_G, lane});
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
