/*
 * status.c - what is under the cursor, in words. Times and lengths here are exact: the picture rounds, this line
 * does not. It never guesses: what the trace does not hold is said to be unknown.
 */
#include "layout/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layout/evlog.h"
#include "layout/when.h"
#include "layout/items.h"
#include "layout/move.h"
#include "layout/tri.h"

/* ---- names ---------------------------------------------------------------------------------------------- */

void status_lane(const struct view *v, struct lane l, char out[32])
{
    static const char letter[LANE_KINDS] = {'P', 'G', 'M', 'B'};
    if (l.i == NO_LANE)
        snprintf(out, 32, "%c?", letter[l.kind]);
    else
        snprintf(out, 32, "%c%" PRIu64, letter[l.kind], trace_lane(v->tr, l).id);
}

void status_name(const struct view *v, uint32_t g, int w, char *out, size_t size)
{
    char id[32];
    status_lane(v, (struct lane){LANE_G, g}, id);
    int n = (int)strlen(id);
    snprintf(out, size, "%s", n <= w ? id : "");
    struct str name =
        g == NO_LANE ? (struct str){"", 0} : trace_str(v->tr, trace_lane(v->tr, (struct lane){LANE_G, g}).name);
    if (n + 5 > w || !name.len || (size_t)n + 2 > size)
        return;
    out[n] = ' ';
    str_shorten(name, w - n - 1, v->tier == TIER_ASCII, out + n + 1, size - (size_t)n - 1);
}

static bool begins(struct str s, const char *with)
{
    size_t n = strlen(with);
    return s.len >= n && !memcmp(s.p, with, n);
}

/* 0: anything, 1: not the inside of the runtime, 2: not the library calls that only block */
static bool telling(struct str s, int level)
{
    if (level > 0 && (begins(s, "runtime.") || begins(s, "internal/")))
        return false;
    return level < 2 || !(begins(s, "syscall.") || begins(s, "sync.") || begins(s, "time.Sleep"));
}

static uint32_t function_at(const struct view *v, uint32_t stack, int level)
{
    uint32_t n = trace_stack(v->tr, stack), first = 0;
    for (uint32_t i = 0; i < n && i < 64; i++) {
        uint32_t f = trace_frame(v->tr, stack, i).func;
        if (!first)
            first = f;
        if (f && telling(trace_str(v->tr, f), level))
            return f;
    }
    return first;
}

uint32_t status_function(const struct view *v, uint32_t stack)
{
    return function_at(v, stack, 2);
}

/* ---- a line of styled pieces ---------------------------------------------------------------------------- */

struct line {
    struct grid *g;
    int x, y;
};

static void add(struct line *l, enum style s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(struct line *l, enum style s, const char *fmt, ...)
{
    char buf[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    l->x = grid_str(l->g, l->x, l->y, l->g->w - l->x, buf, s);
}

/* A trace's string: through the gate of cells.h, not through printf. */
static void add_name(struct line *l, struct str name, int w, bool ascii, enum style s)
{
    char buf[600];
    int room = l->g->w - l->x;
    str_shorten(name, w < room ? w : room, ascii, buf, sizeof buf);
    l->x = grid_str(l->g, l->x, l->y, room, buf, s);
}

static void add_g(struct line *l, const struct view *v, uint32_t g, int w, enum style s)
{
    char buf[600];
    int room = l->g->w - l->x;
    status_name(v, g, w < room ? w : room, buf, sizeof buf);
    l->x = grid_str(l->g, l->x, l->y, room, buf, s);
}

static int name_width(const struct line *l)
{
    int w = l->g->w * 2 / 5;
    return w > 60 ? 60 : w < 10 ? 10 : w;
}

/* ---- a mixture ------------------------------------------------------------------------------------------ */

static void add_shares(struct line *l, const struct view *v, struct lane lane, int64_t t0, int64_t t1)
{
    struct shares sh;
    char p[FMT_MAX];
    trace_shares(v->tr, lane, t0, t1, &sh);
    bool done[ST_COUNT] = {false};
    for (int k = 0; k < ST_COUNT; k++) {
        int best = -1;
        for (int s = 0; s < ST_COUNT; s++)
            if (!done[s] && sh.ns[s] > 0 && (best < 0 || sh.ns[s] > sh.ns[best]))
                best = s;
        if (best < 0)
            return;
        done[best] = true;
        add(l, STYLE_STATUS, "  %s ", fmt_percent(sh.ns[best], time_sub(t1, t0), p));
        add(l, (enum style)(STYLE_STATE + best), "%s", best == ST_NONE ? "not there" : state_name((enum state)best));
    }
}

static void add_count(struct line *l, const struct view *v, struct lane lane, int64_t t0, int64_t t1)
{
    char n[FMT_MAX];
    uint64_t count = trace_count(v->tr, lane, t0, t1);
    add(l, STYLE_STATUS, "  %s span%s", fmt_count(count, n), count == 1 ? "" : "s");
}

static void mixture(struct line *l, const struct view *v, struct lane lane, int64_t t0, int64_t t1, const char *word)
{
    char id[32], a[FMT_MAX], d[FMT_MAX];
    status_lane(v, lane, id);
    add(l, STYLE_STATUS_KEY, "%s ", id);
    add(l, STYLE_STATUS, "%s%s +%s", word, when_time(v->tr, t0, (t1 - t0) / 4, a), when_dur(v->tr, t1 - t0, d));
    add_shares(l, v, lane, t0, t1);
    add_count(l, v, lane, t0, t1);
}

/* ---- one span ------------------------------------------------------------------------------------------- */

static void add_state(struct line *l, const struct view *v, const struct span *s)
{
    enum style st = (enum style)(STYLE_STATE + s->state);
    add(l, st, "%s", state_name((enum state)s->state));
    uint32_t why = s->reason ? s->reason : s->label;
    if (why) {
        add(l, STYLE_STATUS, " (");
        add_name(l, trace_str(v->tr, why), 32, v->tier == TIER_ASCII, STYLE_STATUS);
        add(l, STYLE_STATUS, ")");
    }
}

static void add_when(struct line *l, const struct view *v, const struct span *s)
{
    char a[FMT_MAX], d[FMT_MAX];
    bool open = s->open_start || s->open_end;
    if (l->g->w < 60) {
        add(l, STYLE_STATUS, " %s%s", open ? ">" : "", when_dur(v->tr, time_sub(s->t1, s->t0), d));
        return;
    }
    add(l, STYLE_STATUS, "  %s%s", open ? "at least " : "", when_exact(v->tr, time_sub(s->t1, s->t0), d));
    add(l, STYLE_STATUS, " from %s", when_exact(v->tr, s->t0, a));
}

static void describe(struct line *l, const struct view *v, struct lane lane, const struct span *s)
{
    char id[32];
    if (lane.kind != LANE_G) {
        status_lane(v, lane, id);
        add(l, STYLE_STATUS_KEY, "%s ", id);
        if (s->who != NO_LANE) {
            add_g(l, v, s->who, name_width(l), STYLE_STATUS_KEY);
            add(l, STYLE_STATUS, " ");
        }
    } else {
        add_g(l, v, lane.i, name_width(l), STYLE_STATUS_KEY);
        add(l, STYLE_STATUS, " ");
    }
    add_state(l, v, s);
    if (lane.kind == LANE_M && s->proc != NO_LANE) {
        status_lane(v, (struct lane){LANE_P, s->proc}, id);
        add(l, STYLE_STATUS, " on %s", id);
    }
    add_when(l, v, s);
}

static void add_frame(struct line *l, const struct view *v, const char *word, uint32_t stack)
{
    if (!stack || !trace_stack(v->tr, stack))
        return;
    uint32_t f = function_at(v, stack, 1), user = function_at(v, stack, 2);
    if (f) {
        add(l, STYLE_STATUS, "%s ", word);
        add_name(l, trace_str(v->tr, f), name_width(l), v->tier == TIER_ASCII, STYLE_STATUS);
        if (user != f && l->g->w >= 60) {
            add(l, STYLE_STATUS, " from ");
            add_name(l, trace_str(v->tr, user), name_width(l), v->tier == TIER_ASCII, STYLE_STATUS);
        }
    } else {
        add(l, STYLE_STATUS, "%s 0x%" PRIx64, word, trace_frame(v->tr, stack, 0).pc);
    }
    add(l, STYLE_STATUS, "  ");
}

static void add_waker(struct line *l, const struct view *v, uint32_t who, const char *word)
{
    if (who == NO_LANE)
        return;
    add(l, STYLE_STATUS, "%s ", word);
    add_g(l, v, who, name_width(l), STYLE_STATUS_KEY);
    add(l, STYLE_STATUS, "  ");
}

/* The second line: where in the program, who woke it, what was around it. */
static void around_g(struct line *l, const struct view *v, uint32_t g, const struct span *s)
{
    struct lane lane = {LANE_G, g};
    struct span_iter it;
    char d[FMT_MAX], id[32];
    bool have = span_seek_index(&it, v->tr, lane, s->index);
    switch (s->state) {
    case ST_WAITING: case ST_SYSCALL:
        add_frame(l, v, "in", s->stack);
        if (have && span_next(&it)) {
            const struct span *next = span_get(&it);
            if (next->state == ST_RUNNABLE && next->who != NO_LANE)
                add_waker(l, v, next->who, "woken by");
            else if (next->state == ST_RUNNABLE && s->state == ST_WAITING)
                add(l, STYLE_DIM, "woken by: not recorded");
        }
        break;
    case ST_RUNNABLE:
        if (s->who != NO_LANE)
            add_waker(l, v, s->who, "woken by");
        else
            add_frame(l, v, "stopped in", s->stack);
        break;
    default:
        if (s->state != ST_UNKNOWN && s->who != NO_LANE) {
            status_lane(v, (struct lane){LANE_P, s->who}, id);
            add(l, STYLE_STATUS, "on %s  ", id);
        }
        if (have && span_prev(&it) && span_get(&it)->state == ST_RUNNABLE) {
            const struct span *wake = span_get(&it);
            add(l, STYLE_STATUS, "after %s runnable  ", when_dur(v->tr, time_sub(wake->t1, wake->t0), d));
            add_waker(l, v, wake->who, "woken by");
        }
        add_frame(l, v, "ends in", s->stack_end);
    }
}

/* Beside an idle processor: was there something to run? */
static void around_idle(struct line *l, const struct view *v, const struct span *s)
{
    const struct gbucket *b;
    int64_t width;
    size_t n = trace_gcounts(v->tr, &width, &b);
    if (!n || width <= 0 || v->at.cursor < 0 || (uint64_t)(v->at.cursor / width) >= n)
        return;
    const struct gbucket *k = &b[v->at.cursor / width];
    char d[FMT_MAX];
    if (k->max[GC_RUNNABLE])
        add(l, STYLE_STATUS, "within %s around here up to %" PRIu32 " goroutines were runnable at a time",
            when_dur(v->tr, width, d), k->max[GC_RUNNABLE]);
    else
        add(l, STYLE_STATUS, "nothing to run: no goroutine was runnable within %s around here",
            when_dur(v->tr, width, d));
    (void)s;
}

static void around(struct line *l, const struct view *v, struct lane lane, const struct span *s)
{
    uint32_t g = lane.kind == LANE_G ? lane.i : s->who;
    struct span gs;
    if (lane.kind == LANE_G)
        around_g(l, v, g, s);
    else if (g == NO_LANE)
        around_idle(l, v, s);
    else if (trace_span_at(v->tr, (struct lane){LANE_G, g}, s->t0 < 0 ? 0 : s->t0, &gs))
        around_g(l, v, g, &gs);
}

/* ---- all together --------------------------------------------------------------------------------------- */

/* The selected range instead of the column [*t0,*t1), if there is one. */
static bool selection(const struct view *v, int64_t *t0, int64_t *t1)
{
    int64_t a = v->sel0, b = v->sel1;
    if (v->selecting) {
        a = v->at.cursor < v->sel0 ? v->at.cursor : v->sel0;
        b = v->at.cursor < v->sel0 ? v->sel0 : *t1;
    }
    if ((!v->selecting && !v->selected) || b <= a)
        return false;
    *t0 = a;
    *t1 = b;
    return true;
}

void status_draw(struct grid *g, const struct view *v, int y, int n)
{
    struct line one = {g, 0, y}, two = {g, 0, y + 1};
    struct lane lane = v->at.focus;
    const struct trace_info *ti = trace_info(v->tr);
    struct span s;
    int64_t t0, t1;
    char a[FMT_MAX];
    if (tri_shows(v->at.view)) {
        tri_status(g, v, y, n);
        return;
    }
    if (v->at.view == VIEW_LOG) {
        evlog_status(g, v, y, n);
        return;
    }
    if (items_shows(v->at.view)) {
        items_status(g, v, y, n);
        return;
    }
    if (!move_lanes_const(v) || lane.i >= trace_nlanes(v->tr, lane.kind)) {
        add(&one, STYLE_STATUS, "no lane");
        return;
    }
    view_column(v, &t0, &t1);
    if (v->at.cursor > ti->end || (v->at.cursor == ti->end && !ti->done)) {
        add(&one, STYLE_STATUS, "%s: not decoded yet", when_time(v->tr, v->at.cursor, 1000, a));
        return;
    }
    bool here = view_span_here(v, &lane, &s);
    if (!here && ti->bounded && (lane.kind == LANE_G || lane.kind == LANE_M) &&
        (v->at.cursor < ti->detail_t0 || v->at.cursor >= ti->detail_t1)) {
        add(&one, STYLE_STATUS, "%s: not in the detail that is held", when_time(v->tr, v->at.cursor, 1000, a));
        return;
    }
    if (selection(v, &t0, &t1)) {
        mixture(&one, v, lane, t0, t1, "range ");
    } else if (here && (v->at.exact || trace_count(v->tr, lane, t0, t1) == 1)) {
        describe(&one, v, lane, &s);
        if (n > 1)
            around(&two, v, lane, &s);
        return;
    } else {
        mixture(&one, v, lane, t0, t1, "");
    }
    if (n > 1 && here) {
        add(&two, STYLE_STATUS, "longest: ");
        describe(&two, v, lane, &s);
    }
}

void status_text(const struct view *v, char *out, size_t size)
{
    struct grid g = {0};
    char second[VIEW_TEXT];
    if (!size)
        return;
    out[0] = 0;
    if (!grid_resize(&g, 400, 2))
        return;
    status_draw(&g, v, 0, 2);
    grid_line(&g, 0, out, size);
    grid_line(&g, 1, second, sizeof second);
    size_t n = strlen(out);
    if (*second && n + 4 < size)
        snprintf(out + n, size - n, "  %s", second);
    char safe[VIEW_TEXT];
    str_safe(str_of(out), safe, sizeof safe < size ? sizeof safe : size); /* snprintf may have cut a character */
    memcpy(out, safe, strlen(safe) + 1);
    grid_free(&g);
}
