/*
 * top.c - see top.h.
 *
 * The old numbers show until the new ones are counted, so a picture that changes every second doesn't
 * flicker. The cursor stays with its group; on the first row it stays on the first row.
 */
#include "layout/views/top.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/fmt.h"
#include "triage/activity/gstate.h"
#include "triage/activity/tally.h"
#include "layout/views/top_pulse.h"
#include "layout/views/tri_priv.h"

enum col {
    COL_ALL,
    COL_RUN,
    COL_READY,
    COL_BLOCKED,
    COL_CALL,
    COL_RAN,
    COL_ASSIST,
    COL_QUEUED,
    COL_NEW,
    COL_NAME
};
enum { COLS = COL_NAME, NAME_MIN = 20, WHY_SINCE = 110, WHY_W = 46, AT_ONCE_NS = 2000000 };

static const struct {
    const char *head, *what;
    int w, rank; /* the highest ranks are shown on a narrow screen, too */
} cols[COL_NAME + 1] = {
    [COL_ALL] = {"G", "how many there are now", 6, 9},
    [COL_RUN] = {"running", "how many run now", 8, 8},
    [COL_READY] = {"runnable", "how many are runnable now", 9, 5},
    [COL_BLOCKED] = {"waiting", "how many wait now", 8, 7},
    [COL_CALL] = {"syscall", "how many are in system calls now", 8, 4},
    [COL_RAN] = {"ran", "processor time", 6, 6},
    [COL_ASSIST] = {"assist", "processor time in mark assists", 7, 2},
    [COL_QUEUED] = {"runnable", "how many were runnable at once, on average", 9, 3},
    [COL_NEW] = {"new/s", "how many were created a second", 6, 1},
    [COL_NAME] = {"", "name", 0, 0},
};

static const int64_t spans[] = {1000000000, 10000000000, INT64_MAX};
enum { SPANS = sizeof spans / sizeof *spans };

struct top {
    struct tally *shown, *next;
    uint32_t *order;
    int span;
    enum col sort;
    bool invert;
    struct top_pulse *pulse;
    int pulse_lines; /* above the columns */
};

/* ---- which time ---------------------------------------------------------------------------------------- */

static void top_held(const struct view *v, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = trace_info(v->tr)->end;
}

static int64_t top_length(const struct view *v)
{
    int64_t lo, hi, all;
    top_held(v, &lo, &hi);
    all = hi > lo ? hi - lo : 1;
    int64_t want = trace_info(v->tr)->has_clock ? spans[v->top ? v->top->span : 0] : INT64_MAX;
    return want < all ? want : all;
}

/* The interval before the cursor; near the start of the trace, its first part. */
static void top_interval(const struct view *v, int64_t *t0, int64_t *t1, int64_t *at)
{
    int64_t lo, hi, len = top_length(v);
    top_held(v, &lo, &hi);
    *at = v->at.cursor >= hi ? hi - 1 : v->at.cursor;
    *at = *at < lo ? lo : *at;
    *t1 = *at + 1 - lo < len ? lo + len : *at + 1;
    *t0 = *t1 - len;
}

/* ---- the order ----------------------------------------------------------------------------------------- */

static int64_t top_value(const struct tally_row *r, enum col c)
{
    switch (c) {
    case COL_ALL: return r->there;
    case COL_RUN: return r->now[NOW_RUN];
    case COL_READY: return r->now[NOW_READY];
    case COL_BLOCKED: return r->now[NOW_BLOCKED];
    case COL_CALL: return r->now[NOW_CALL];
    case COL_RAN: return r->ns[TIME_RAN];
    case COL_ASSIST: return r->ns[TIME_ASSIST];
    case COL_QUEUED: return r->ns[TIME_READY];
    case COL_NEW: return r->created;
    case COL_NAME: break;
    }
    return 0;
}

static int top_by_name(const struct trace *tr, uint32_t a, uint32_t b)
{
    struct str x = trace_str(tr, a), y = trace_str(tr, b);
    int c = memcmp(x.p, y.p, x.len < y.len ? x.len : y.len);
    return c ? c : x.len < y.len ? -1 : x.len > y.len;
}

static const struct top *sorting; /* qsort() has no context argument, and only one thread draws */

static int top_compare(const void *pa, const void *pb)
{
    static const enum col then[] = {COL_RAN, COL_READY, COL_ALL};
    const struct tally *t = sorting->shown;
    const struct tally_row *a = &t->row[*(const uint32_t *)pa], *b = &t->row[*(const uint32_t *)pb];
    int64_t x = top_value(a, sorting->sort), y = top_value(b, sorting->sort);
    int c = sorting->sort == COL_NAME ? top_by_name(t->tr, a->name, b->name) : x > y ? -1 : x < y;
    if (sorting->invert)
        c = -c;
    for (size_t i = 0; !c && i < sizeof then / sizeof *then; i++)
        c = top_value(a, then[i]) > top_value(b, then[i]) ? -1
                                                          : top_value(a, then[i]) < top_value(b, then[i]);
    return c ? c : top_by_name(t->tr, a->name, b->name);
}

/* Keeps the cursor on its group. */
static void sort_rows(struct view *v)
{
    struct top *t = v->top;
    uint32_t n = t->shown->n;
    uint32_t focus = v->at.row && v->at.row < n && t->order ? t->order[v->at.row] : NO_LANE;
    sorting = t;
    qsort(t->order, n, sizeof *t->order, top_compare);
    sorting = NULL;
    for (uint32_t i = 0; i < n && focus != NO_LANE; i++)
        if (t->order[i] == focus) {
            v->at.row = i;
            break;
        }
}

/* Shows what was counted. */
static void top_take(struct view *v)
{
    struct top *t = v->top;
    uint32_t name = NO_LANE, *order = mem_alloc(((size_t)t->next->n + 1) * sizeof *order);
    if (!order) {
        t->next->failed = true;
        return;
    }
    if (t->shown && v->at.row && v->at.row < t->shown->n)
        name = t->shown->row[t->order[v->at.row]].name;
    tally_free(t->shown);
    mem_free(t->order);
    t->shown = t->next;
    t->next = NULL;
    t->order = order;
    for (uint32_t i = 0; i < t->shown->n; i++)
        order[i] = i;
    sort_rows(v);
    for (uint32_t i = 0; i < t->shown->n && name != NO_LANE; i++)
        if (t->shown->row[order[i]].name == name)
            v->at.row = i;
}

static bool top_is(const struct tally *t, const struct view *v)
{
    int64_t t0, t1, at;
    top_interval(v, &t0, &t1, &at);
    return t && t->tr == v->tr && t->t0 == t0 && t->t1 == t1 && t->at == at &&
           t->events == trace_info(v->tr)->events;
}

static bool count_on(struct view *v, int64_t budget_ns)
{
    struct top *t = v->top;
    if (!tally_step(t->next, &v->lanes[LANE_G].alive, v->cache.gstate, budget_ns))
        return false;
    if (!t->next->failed)
        top_take(v);
    return true;
}

/* Starts counting unless the wanted interval is shown or being counted. While the trace grows, the count in
 * progress is completed first, so that there is always something to show. */
static void top_follow(struct view *v)
{
    int64_t t0, t1, at;
    if (!v->top) {
        if (!(v->top = mem_zalloc(sizeof *v->top)))
            return;
        v->top->sort = COL_RAN;
    }
    struct top *t = v->top;
    top_pulse_follow(&t->pulse, v);
    if (top_is(t->shown, v) || top_is(t->next, v) || !gstate_update(&v->cache.gstate, v->tr))
        return;
    if (t->next && t->next->tr == v->tr && !t->next->failed && t->next->events != trace_info(v->tr)->events)
        return;
    top_interval(v, &t0, &t1, &at);
    tally_free(t->next);
    if ((t->next = tally_new(v->tr, t0, t1, at)))
        (void)count_on(v, AT_ONCE_NS);
}

static bool top_pending(const struct view *v)
{
    return v->top && trace_info(v->tr)->done &&
           ((v->top->next && !v->top->next->failed) || top_pulse_pending(v->top->pulse));
}

static unsigned top_work(struct view *v, int64_t budget_ns)
{
    if (!top_pending(v))
        return VR_NONE;
    if (v->top->next && !v->top->next->failed)
        return count_on(v, budget_ns) && !top_pulse_pending(v->top->pulse) ? VR_DRAW : VR_DRAW | VR_WORK;
    return top_pulse_work(v->top->pulse, budget_ns) ? VR_DRAW : VR_DRAW | VR_WORK;
}

bool top_asks(const struct view *v)
{
    return top_pulse_asks(v->top ? v->top->pulse : NULL, v);
}

void top_forget(struct top *t)
{
    if (!t)
        return;
    tally_free(t->shown);
    tally_free(t->next);
    mem_free(t->order);
    t->shown = t->next = NULL;
    t->order = NULL;
}

void top_free(struct top *t)
{
    top_forget(t);
    if (t)
        top_pulse_free(t->pulse);
    mem_free(t);
}

/* ---- cells --------------------------------------------------------------------------------------------- */

/* Of one processor: may be more than all of it. */
static char *top_share(int64_t ns, int64_t whole, char out[FMT_MAX])
{
    return share_of(whole > 0 ? (double)ns : 0, whole > 0 ? (double)whole : 1, out);
}

/* A count that leaves a blank beside its neighbour: five characters at most. */
static void top_narrow(uint64_t n, char out[FMT_MAX])
{
    if (n >= 100000 && n < 1000000)
        snprintf(out, FMT_MAX, "%uk", (unsigned)(n / 1000));
    else
        fmt_count(n, out);
}

static void top_cell(const struct view *v, const struct tally_row *r, enum col c, char out[FMT_MAX])
{
    const struct tally *t = v->top->shown;
    int64_t x = top_value(r, c), len = t->t1 - t->t0;
    if (!x && c != COL_ALL)
        strcpy(out, "-");
    else if (c == COL_RAN || c == COL_ASSIST)
        top_share(x, len, out);
    else if (c == COL_QUEUED)
        snprintf(out, FMT_MAX, x < len / 200 ? "<0.01" : "%.*f", x / len < 100 ? 2 : 0,
                 (double)x / (double)len);
    else if (c == COL_NEW && (double)x * 1e9 / (double)len < 10)
        snprintf(out, FMT_MAX, "%.1f", (double)x * 1e9 / (double)len);
    else
        top_narrow(c == COL_NEW ? (uint64_t)((double)x * 1e9 / (double)len + 0.5) : (uint64_t)x, out);
}

/* Chooses the columns that fit; returns the width that remains for the name. */
static int top_choose(const struct view *v, int w, bool on[COLS])
{
    int room = w - (w >= WHY_SINCE ? WHY_W : 0) - 1;
    memset(on, 0, COLS * sizeof *on);
    for (int rank = 9; rank > 0; rank--)
        for (int c = 0; c < COLS; c++)
            if (cols[c].rank == rank && room - cols[c].w >= NAME_MIN) {
                on[c] = true;
                room -= cols[c].w;
            }
    if ((int)v->top->sort < COLS && !on[v->top->sort]) /* what rows are sorted by always shows */
        for (int c = COLS; c-- > 0;)
            if (on[c] && cols[c].w >= cols[v->top->sort].w - 1) {
                on[c] = false;
                on[v->top->sort] = true;
                room += cols[c].w - cols[v->top->sort].w;
                break;
            }
    enum { NAME_MOST = 90 }; /* the numbers beside a name, not a hand's breadth away */
    return room > NAME_MOST ? NAME_MOST : room > 1 ? room : 1;
}

static void the_time(const struct view *v, const struct tally *t, char *out, size_t size)
{
    char d[FMT_MAX], from[FMT_MAX];
    int64_t res = (t->t1 - t->t0) / 20 + 1, lo, hi;
    top_held(v, &lo, &hi);
    if (t->t0 == lo && t->t1 == hi)
        snprintf(out, size, "all %s", when_dur(v->tr, t->t1 - t->t0, d));
    else if (t->t1 == t->at + 1)
        snprintf(out, size, "the last %s", when_dur(v->tr, t->t1 - t->t0, d));
    else if (t->t0 == lo)
        snprintf(out, size, "the first %s", when_dur(v->tr, t->t1 - t->t0, d));
    else
        snprintf(out, size, "%s from %s on", when_dur(v->tr, t->t1 - t->t0, d),
                 when_time(v->tr, t->t0, res, from));
}

static void top_totals(struct grid *g, const struct view *v, int y)
{
    static const char unit[] = " (100%: a processor)";
    const struct tally *t = v->top->shown;
    const uint32_t *n = t->all.now;
    char at[FMT_MAX], ran[FMT_MAX];
    int x = tri_say(g, 0, y, g->w, STYLE_STATUS_KEY,
                    "Now @%s: ", when_time(v->tr, t->at, (t->t1 - t->t0) / 20 + 1, at));
    x = tri_say(g, x, y, g->w - x, STYLE_NORMAL, "%u running, %u runnable, %u waiting, %u in system calls",
                n[NOW_RUN], n[NOW_READY], n[NOW_BLOCKED], n[NOW_CALL]);
    if (n[NOW_OTHER])
        x = tri_say(g, x, y, g->w - x, STYLE_NORMAL, ", %u not recorded", n[NOW_OTHER]);
    x = tri_say(g, x, y, g->w - x, STYLE_NORMAL, "; ran %s",
                top_share(t->all.ns[TIME_RAN], t->t1 - t->t0, ran));
    if (g->w - x >= (int)sizeof unit - 1)
        (void)tri_say(g, x, y, g->w - x, STYLE_NORMAL, "%s", unit);
}

/* Above the columns: which are of now, which of the time. */
static void spans_head(struct grid *g, const struct view *v, int y, const bool *on, int name)
{
    int x = name + 1, now = 0, then = 0;
    char time[2 * FMT_MAX + 20];
    for (int c = 0; c < COLS; c++)
        *(c < COL_RAN ? &now : &then) += on[c] ? cols[c].w : 0;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    the_time(v, v->top->shown, time, sizeof time);
    if ((int)strlen(time) > then - 2)
        when_dur(v->tr, v->top->shown->t1 - v->top->shown->t0, time);
    if (now)
        tri_cell(g, x, y, now - ((int)strlen(time) >= then), STYLE_RULER, "now"); /* not "now33.3ms" */
    if (then)
        tri_cell(g, x + now, y, then, STYLE_RULER, time);
}

static void top_titles(struct grid *g, const struct view *v, int y, const bool *on, int name)
{
    const struct top *t = v->top;
    int x = name + 1;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    tri_say(g, 0, y, name, t->sort == COL_NAME ? STYLE_STATUS_KEY : STYLE_RULER, "%s",
            name >= 28 ? "goroutines by start function" : "start function");
    for (int c = 0; c < COLS; c++) {
        char head[24], mark[5] = "";
        if (!on[c])
            continue;
        bool key = (enum col)c == t->sort;
        if (key)
            mark[utf8_write(tri_order_mark(v->scr.tier, !t->invert), mark)] = 0;
        snprintf(head, sizeof head, "%s%s", mark, cols[c].head);
        tri_cell(g, x, y, cols[c].w, key ? STYLE_STATUS_KEY : STYLE_RULER, head);
        x += cols[c].w;
    }
    if (g->w >= WHY_SINCE)
        tri_say(g, x + 2, y, g->w - x - 2, STYLE_RULER, "most wait for");
}

static void top_head(struct grid *g, struct view *v, int y, int n)
{
    bool on[COLS];
    if (n < 1 || !v->top || !v->top->shown)
        return;
    int name = top_choose(v, g->w, on);
    const int work = v->top->pulse_lines < n ? v->top->pulse_lines : 0;
    if (n > 2)
        top_totals(g, v, y);
    if (work) {
        char time[2 * FMT_MAX + 20];
        the_time(v, v->top->shown, time, sizeof time);
        top_pulse_draw(v->top->pulse, g, v, y + 1, work, time);
    }
    if (n > 1)
        spans_head(g, v, y + n - 2, on, name);
    top_titles(g, v, y + n - 1, on, name);
}

static int top_head_lines(const struct view *v, int rows)
{
    struct top *t = v->top;
    if (t)
        t->pulse_lines = t->shown ? top_pulse_lines(t->pulse, v, t->shown->t0, t->shown->t1, rows) : 0;
    return (rows > 8 ? 3 : rows > 5 ? 2 : rows > 2 ? 1 : 0) + (t ? t->pulse_lines : 0);
}

static void say_why(struct text *t, const struct view *v, const struct tally_why *w, size_t room)
{
    static const char own[] = "runtime."; /* where one of the runtime's own goroutines parks means nothing */
    struct str f = trace_str(v->tr, w->func);
    text_reason(t, v->tr, w->reason);
    if (f.len && (f.len < sizeof own - 1 || memcmp(f.p, own, sizeof own - 1) != 0)) {
        text_lit(t, " in ");
        text_func(t, v->tr, w->func, room);
    }
}

static void top_row(struct grid *g, struct view *v, uint32_t i, int y, bool focus)
{
    const struct tally *t = v->top->shown;
    const struct tally_row *r = &t->row[v->top->order[i]];
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    bool on[COLS];
    int name = top_choose(v, g->w, on), x = name + 1;
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    tri_name(g, v, 0, y, name, s, r->name);
    for (int c = 0; c < COLS; c++) {
        char buf[FMT_MAX];
        if (!on[c])
            continue;
        top_cell(v, r, (enum col)c, buf);
        tri_cell(g, x, y, cols[c].w, s, buf);
        x += cols[c].w;
    }
    if (g->w >= WHY_SINCE && r->nwhy) {
        struct text b = {0};
        say_why(&b, v, &t->why[r->why], 40);
        if (b.p)
            grid_str(g, x + 2, y, g->w - x - 2, b.p, s);
        text_free(&b);
    }
}

/* ---- status -------------------------------------------------------------------------------------------- */

static void detail_now(struct text *b, const struct view *v, const struct tally_row *r)
{
    enum { PLACES = 3 };
    const struct tally *t = v->top->shown;
    tri_func(b, v->tr, r->name, 60);
    text_add(b, ": %u now", r->there);
    for (uint32_t i = 0; i < r->nwhy && i < PLACES; i++) {
        text_add(b, "%s%u ", i ? ", " : "; waiting: ", t->why[r->why + i].n);
        say_why(b, v, &t->why[r->why + i], 50);
    }
    if (r->nwhy > PLACES)
        text_add(b, ", and at %u more place%s", r->nwhy - PLACES, r->nwhy - PLACES == 1 ? "" : "s");
}

static void top_detail(struct text *b, const struct view *v, uint32_t i, int line)
{
    const struct tally *t = v->top->shown;
    const struct tally_row *r = &t->row[v->top->order[i]];
    char time[2 * FMT_MAX + 20];
    if (line == 0) {
        detail_now(b, v, r);
        return;
    }
    the_time(v, t, time, sizeof time);
    text_add(b, "%u lived in %s: ran ", r->g, time);
    text_dur(b, r->ns[TIME_RAN]);
    if (r->g > 1 && r->most_ns > 0) {
        text_lit(b, ", most ");
        text_who(b, v->tr, r->most);
        text_lit(b, " ");
        text_dur(b, r->most_ns);
    }
    text_lit(b, "; runnable for ");
    text_dur(b, r->ns[TIME_READY]);
    if (r->ns[TIME_ASSIST]) {
        text_lit(b, "; mark assist ");
        text_dur(b, r->ns[TIME_ASSIST]);
    }
    text_add(b, "; %u created", r->created);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

static uint32_t top_count(const struct view *v)
{
    return v->top && v->top->shown && v->top->shown->tr == v->tr ? v->top->shown->n : 0;
}

/* Goes to the lanes at that moment, to the group's goroutine that ran most. */
static unsigned top_enter(struct view *v)
{
    const struct tally *t = v->top->shown;
    const struct tally_row *r = &t->row[v->top->order[v->at.row]];
    int64_t t0 = t->t0, t1 = t->t1, at = t->at;
    struct text b = {0};
    text_who(&b, v->tr, r->most);
    if (r->g > 1)
        text_add(&b, r->most_ns ? " ran most of the %u" : " is one of the %u", r->g);
    unsigned f = tri_goto(v, tri_g(r->most), t0, t1);
    (void)view_at(v, at);
    view_message(v, false, "%s", b.p ? b.p : "");
    text_free(&b);
    return f;
}

static bool top_ready(const struct view *v)
{
    (void)v;
    return true;
}

static unsigned top_open(struct view *v, int no)
{
    unsigned f = tri_open(v, no);
    top_follow(v);
    return f | (top_pending(v) ? VR_WORK : VR_NONE);
}

static void top_draw(struct grid *g, struct view *v, const struct plan *p)
{
    top_follow(v);
    if (!v->top || !v->top->shown) {
        bool bad = !v->top || !v->top->next || v->top->next->failed;
        tri_say(g, 0, p->y[ROW_LANES], g->w, bad ? STYLE_WARN : STYLE_DIM, "%s",
                bad ? "out of memory for the table" : "counting goroutines");
        return;
    }
    tri_draw(g, v, p);
}

static unsigned top_sort(struct view *v, int n)
{
    if (!v->top || !v->top->shown)
        return move_fail(v, "nothing to sort yet");
    int to = ((int)v->top->sort + n) % (COL_NAME + 1);
    v->top->sort = (enum col)(to < 0 ? to + COL_NAME + 1 : to);
    sort_rows(v);
    view_message(v, false, "sorted by %s", cols[v->top->sort].what);
    return VR_DRAW;
}

static unsigned top_invert(struct view *v, int n)
{
    (void)n;
    if (!v->top || !v->top->shown)
        return move_fail(v, "nothing to sort yet");
    v->top->invert = !v->top->invert;
    sort_rows(v);
    return VR_DRAW;
}

static unsigned span_to(struct view *v, int to)
{
    if (!v->top || to < 0 || to >= SPANS || to == v->top->span)
        return move_fail(v, to < 0 ? "a second is the shortest" : "this is all there is");
    const int was = v->top->span;
    const int64_t before = top_length(v);
    v->top->span = to;
    if (to < was || before < top_length(v))
        return VR_DRAW | VR_WORK;
    v->top->span = was; /* the trace is shorter than that */
    return move_fail(v, "this is all there is");
}

static unsigned top_zoom(struct view *v, int n)
{
    return span_to(v, v->top ? v->top->span - (n < 0 ? -1 : 1) : 0);
}

static unsigned top_all(struct view *v, int n)
{
    (void)n;
    return span_to(v, SPANS - 1);
}

/* Another moment: steps are parts of the time. */
static unsigned top_go(struct view *v, int n, int64_t part)
{
    int64_t lo, hi, step = top_length(v) / part, to;
    top_held(v, &lo, &hi);
    to = time_add(v->at.cursor, time_muldiv(step > 0 ? step : 1, n, 1));
    to = to < lo ? lo : to >= hi ? hi - 1 : to;
    if (to == v->at.cursor)
        return move_fail(v, n < 0 ? "this is the beginning" : "this is the end");
    return view_at(v, to) | VR_WORK;
}

static unsigned top_cursor(struct view *v, int n)
{
    return top_go(v, n, 100);
}

static unsigned top_pan(struct view *v, int n)
{
    return top_go(v, n, 8);
}

static unsigned top_page(struct view *v, int n)
{
    return top_go(v, n, 1);
}

const struct view_kind kind_top = {
    TIMELESS_PLAN,
    .over = true,
    .open = top_open,
    .draw = top_draw,
    .speak = tri_speak,
    .pending = top_pending,
    .work = top_work,
    .refuse = "Enter opens the lanes first",
    .rows = top_count,
    .head = top_head,
    .head_lines = top_head_lines,
    .row = top_row,
    .detail = top_detail,
    .enter = top_enter,
    .ready = top_ready,
    .answer =
        {ANSWER_ROWS, [REQ_CURSOR] = top_cursor, [REQ_PAN] = top_pan, [REQ_PAGE] = top_page,
         [REQ_ZOOM] = top_zoom, [REQ_ZOOM_ALL] = top_all, [REQ_SORT] = top_sort, [REQ_INVERT] = top_invert},
    .refusal = {REFUSE_SELECT},
    .word =
        {[REQ_ZOOM] = "1s 10s all", [REQ_DETAILS] = "lanes", [REQ_CURSOR] = "moment", [REQ_PAN] = "moment"},
};
