/*
 * top.c - see top.h. A table (table.h) of the groups of a tally; the thing of a group is its goroutine that
 * ran most.
 */
#include "layout/views/top.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/views/table.h"
#include "triage/activity/gstate.h"
#include "triage/activity/tally.h"
#include "triage/work/pulse.h"

enum { COL_ALL, COL_RUN, COL_READY, COL_BLOCKED, COL_CALL, COL_RAN, COL_ASSIST, COL_QUEUED, COL_NEW, COLS };

static const struct tcol top_cols[COLS] = {
    [COL_ALL] = {"G", "how many there are now", TCOL_COUNT, 6, STYLE_LANE},
    [COL_RUN] = {"running", "how many run now", TCOL_COUNT, 9, STYLE_RUNNING},
    [COL_READY] = {"runnable", "how many are runnable now", TCOL_COUNT, 9, STYLE_RUNNABLE},
    [COL_BLOCKED] = {"waiting", "how many wait now", TCOL_COUNT, 9, STYLE_WAITING},
    [COL_CALL] = {"syscall", "how many are in system calls now", TCOL_COUNT, 9, STYLE_SYSCALL},
    [COL_RAN] = {"ran", "processor time", TCOL_SHARE, 8, STYLE_RUNNING},
    [COL_ASSIST] = {"assist", "processor time in mark assists", TCOL_SHARE, 8, STYLE_ASSIST},
    [COL_QUEUED] = {"queued", "how many were runnable at once, on average", TCOL_MEAN, 8, STYLE_RUNNABLE},
    [COL_NEW] = {"new/s", "how many were created a second", TCOL_MEAN, 8, STYLE_LANE},
};

static const int64_t spans[] = {1000000000, 10000000000, INT64_MAX};
enum { SPANS = sizeof spans / sizeof *spans };

/* ---- how long the program's repeated work takes -------------------------------------------------------- */

/* The pieces of work (triage/work/pulse.h) that ended in the view's interval. They are counted in slices, and
 * a growing trace is counted only once. */
#define ANEW_NS INT64_C(30000000000) /* how often to ask which goroutines work in pieces */
enum { WORKS = 3, ROWS_LEAST = 12, CELL = 8, CELLS = 6, NAME_LEAST = 20 };

struct top {
    int span;
    int64_t t0, t1; /* the range that view_sums() asked for, which shows while the cursor is in it */
    struct pulse *pulse;
    const struct findings *learned; /* the tables whose works were last read, and when */
    int64_t heard_ns;               /* the trace's clock; NO_TIME: never */
    uint64_t events;                /* of the trace, when that was counted */
    const struct trace *tr;
    bool walking, failed;
    int lines; /* above the columns */
    /* of the time that was asked for last */
    int64_t from, to, upto; /* the trace's clock */
    struct dist d[PULSE_ROWS];
    uint32_t row[WORKS];
    int n;
};

static void pulse_anew(struct top *t)
{
    pulse_free(t->pulse);
    t->pulse = pulse_new();
    t->learned = NULL;
    t->heard_ns = NO_TIME;
    t->tr = NULL;
    t->walking = false;
    t->from = t->to = t->upto = 0;
    t->n = 0;
    t->failed = !t->pulse;
}

/* Follows the trace; from the start if it doesn't include the moment up to which was counted, since it is
 * another program's, and once the works are known for the first time. */
static void top_pulse_follow(struct top *t, const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    const struct findings *fs = v->tri ? v->tri->fs : NULL;
    const int64_t now = ti->first_ns + ti->end;
    if (!t->pulse ||
        (t->tr && !t->walking && (pulse_end(t->pulse) < ti->first_ns || pulse_end(t->pulse) > now)))
        pulse_anew(t);
    if (!t->failed && ti->done && ti->has_clock && fs && fs != t->learned && t->heard_ns == NO_TIME && t->tr)
        pulse_anew(t);
    if (t->failed || !ti->done || !ti->has_clock)
        return;
    if (fs && fs != t->learned) {
        t->failed |= !pulse_learn(t->pulse, v->tr, &fs->works);
        t->heard_ns = now;
    }
    t->learned = fs;
    if (t->tr == v->tr && (t->walking || t->events == ti->events))
        return; /* complete the count in progress first */
    if (t->tr)
        pulse_forget(t->pulse, ti->first_ns);
    t->tr = v->tr;
    t->events = ti->events;
    t->walking = true;
    pulse_begin(t->pulse, v->tr);
}

static bool top_pulse_pending(const struct top *t)
{
    return t && t->walking && !t->failed;
}

static int top_pulse_lines(struct top *t, const struct view *v, int64_t t0, int64_t t1, int rows)
{
    uint32_t order[PULSE_ROWS];
    if (!t->pulse || t->failed || rows < ROWS_LEAST || v->scr.w < NAME_LEAST + CELL * CELLS)
        return 0;
    const int64_t zero = trace_info(v->tr)->first_ns;
    t0 += zero;
    t1 += zero;
    if (!t->walking && (t->from != t0 || t->to != t1 || t->upto != pulse_end(t->pulse))) {
        if (!pulse_of(t->pulse, t0, t1, t->d))
            return 0;
        t->from = t0;
        t->to = t1;
        t->upto = pulse_end(t->pulse);
        pulse_order(t->pulse, t->d, order);
        t->n = 0;
        for (uint32_t i = 0; i < pulse_rows(t->pulse) && t->n < WORKS; i++)
            if (t->d[order[i]].n)
                t->row[t->n++] = order[i];
    }
    return t->n ? t->n + 1 : 0;
}

static void pulse_line(const struct top *t, struct grid *g, const struct view *v, int y, uint32_t row)
{
    const struct pulse_row *w = pulse_row(t->pulse, row);
    const struct dist *d = &t->d[row];
    const int64_t since = pulse_since(t->pulse), from = since > t->from ? since : t->from;
    const int64_t ns[] = {d->p50, d->p95, d->p99, d->p999, d->max};
    const double rate = t->to > from ? (double)d->n * 1e9 / (double)(t->to - from) : 0;
    int x = g->w - CELL * CELLS;
    char buf[FMT_MAX];
    struct text name = {0};
    const char *slash = strrchr(w->handler, '/'), *of = slash ? slash + 1 : w->handler;
    text_add(&name, "%s ", work_kind_name(w->kind));
    text_tail(&name, of, strlen(of), (size_t)(x - 1) - name.n);
    tri_say(g, 0, y, x - 1, STYLE_NORMAL, "%s", name.p ? name.p : "");
    text_free(&name);
    snprintf(buf, sizeof buf, rate < 10 ? "%.1f" : "%.0f", rate);
    grid_right(g, x, y, CELL, buf, STYLE_NORMAL);
    for (int i = 0; i < 5; i++)
        grid_right(g, x += CELL, y, CELL, when_dur(v->tr, ns[i], buf), STYLE_NORMAL);
}

static void top_pulse_draw(const struct top *t, struct grid *g, const struct view *v, int y, int n,
                           const char *when)
{
    static const char *const title[CELLS] = {"per s", "p50", "p95", "p99", "p99.9", "most"};
    int x = g->w - CELL * CELLS;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    tri_say(g, 0, y, x, STYLE_RULER, "work, %s", when);
    for (int i = 0; i < CELLS; i++, x += CELL)
        grid_right(g, x, y, CELL, title[i], STYLE_RULER);
    for (int i = 0; i + 1 < n && i < t->n; i++)
        pulse_line(t, g, v, y + 1 + i, t->row[i]);
}

/* ---- which time ---------------------------------------------------------------------------------------- */

static bool top_of_range(const struct view *v)
{
    return v->top && v->at.cursor >= v->top->t0 && v->at.cursor < v->top->t1;
}

static int64_t top_length(const struct view *v)
{
    const int64_t end = trace_info(v->tr)->end, all = end > 0 ? end : 1;
    if (top_of_range(v))
        return v->top->t1 - v->top->t0;
    const int64_t want = trace_info(v->tr)->has_clock ? spans[v->top ? v->top->span : 0] : INT64_MAX;
    return want < all ? want : all;
}

/* Gets the range, else the interval before the cursor, or near the start of the trace its first part. */
static void top_interval(const struct view *v, int64_t *t0, int64_t *t1, int64_t *at)
{
    const int64_t end = trace_info(v->tr)->end, len = top_length(v);
    if (top_of_range(v)) {
        *t0 = v->top->t0;
        *t1 = v->top->t1;
        *at = v->at.cursor;
        return;
    }
    *at = v->at.cursor >= end ? end - 1 : v->at.cursor;
    *at = *at < 0 ? 0 : *at;
    *t1 = *at + 1 < len ? len : *at + 1;
    *t0 = *t1 - len;
}

/* ---- the rows ------------------------------------------------------------------------------------------ */

static void top_drop(void *own)
{
    tally_free(own);
}

static bool top_take(struct table *t, struct view *v)
{
    return (t->own = tally_new(v->tr, t->t0, t->t1, t->at)) != NULL;
}

/* Counts by the view's indexes, which change with the trace. Returns false when out of memory, or stopped. */
static bool top_count(const struct table *t)
{
    enum { STEP_NS = 1000000 };
    struct view *v = t->view;
    struct tally *c = t->own;
    for (bool done = false; !done;) {
        if (!gstate_update(&v->cache.gstate, t->tr))
            return false;
        done = tally_step(c, &v->lanes[LANE_G].alive, v->cache.gstate, STEP_NS);
        if (!done && !slices_tick())
            return false;
    }
    return !c->failed;
}

/* Adds the groups, those that ran most first: of rows that are alike they stay the first. */
static bool top_list(struct table *t)
{
    const struct tally *c = t->own;
    if (!top_count(t))
        return false;
    struct keyed_row *k = mem_alloc(((size_t)c->n + 1) * sizeof *k);
    for (uint32_t i = 0; k && i < c->n; i++)
        k[i] = (struct keyed_row){most_first(c->row[i].ns[TIME_RAN]), i};
    bool ok = k && rows_sort(k, c->n);
    for (uint32_t i = 0; ok && i < c->n; i++) {
        const struct tally_row *r = &c->row[k[i].row];
        ok = table_add(t, table_type(t, r->name, 0),
                       (struct thing){.t0 = c->t0, .t1 = c->t1, .g = r->most, .index = k[i].row});
    }
    mem_free(k);
    return ok;
}

static const struct tally_row *top_row(const struct table *t, const struct ttype *k)
{
    return &((const struct tally *)t->own)->row[t->thing[k->longest].index];
}

static int64_t top_value(const struct table *t, const struct ttype *k, int c)
{
    const struct tally_row *r = top_row(t, k);
    const int64_t len = ((const struct tally *)t->own)->t1 - ((const struct tally *)t->own)->t0;
    int64_t x = 0, whole = 1, unit = 1;
    switch (c) {
    case COL_ALL: return r->there;
    case COL_RUN: x = r->now[NOW_RUN]; break;
    case COL_READY: x = r->now[NOW_READY]; break;
    case COL_BLOCKED: x = r->now[NOW_BLOCKED]; break;
    case COL_CALL: x = r->now[NOW_CALL]; break;
    case COL_RAN: x = r->ns[TIME_RAN], whole = len, unit = SHARE_WHOLE; break;
    case COL_ASSIST: x = r->ns[TIME_ASSIST], whole = len, unit = SHARE_WHOLE; break;
    case COL_QUEUED: x = r->ns[TIME_READY], whole = len, unit = SHARE_WHOLE; break;
    default: x = r->created, whole = len, unit = SHARE_WHOLE * INT64_C(1000000000);
    }
    if (!x)
        return -1;
    const int64_t v = time_muldiv(x, unit, whole > 0 ? whole : 1);
    return v ? v : 1;
}

/* ---- words --------------------------------------------------------------------------------------------- */

static void top_name(struct text *out, const struct table *t, const struct ttype *k)
{
    tri_func(out, t->tr, (uint32_t)k->a, 0);
}

static void the_time(const struct view *v, const struct table *t, char *out, size_t size)
{
    char d[FMT_MAX], from[FMT_MAX];
    const int64_t res = (t->t1 - t->t0) / 20 + 1;
    if (t->t0 == 0 && t->t1 == trace_info(v->tr)->end)
        snprintf(out, size, "all %s", when_dur(v->tr, t->t1 - t->t0, d));
    else if (t->t1 == t->at + 1)
        snprintf(out, size, "the last %s", when_dur(v->tr, t->t1 - t->t0, d));
    else if (t->t0 == 0)
        snprintf(out, size, "the first %s", when_dur(v->tr, t->t1 - t->t0, d));
    else
        snprintf(out, size, "%s from %s on", when_dur(v->tr, t->t1 - t->t0, d),
                 when_time(v->tr, t->t0, res, from));
}

/* Writes how long they were in each state. System calls without a length say nothing (tri_untimed()). */
static void top_times(struct text *b, const struct trace *tr, const struct tally_row *r)
{
    static const char *const word[TIME_COUNT] = {"ran ", "; mark assist ", "; runnable for ",
                                                 "; waiting for ", "; in system calls for "};
    for (int k = 0; k < TIME_COUNT; k++) {
        const bool untimed = k == TIME_CALLED && !trace_info(tr)->second_family;
        if (k && (!r->ns[k] || untimed))
            continue;
        text_say(b, NULL, word[k], t_dur(r->ns[k]));
    }
}

/* Writes what all do now, and did in that time. */
static void top_totals(struct grid *g, const struct view *v, int y, int n)
{
    const struct table *t = v->table;
    const struct tally *c = t->own;
    const uint32_t *now = c->all.now;
    char at[FMT_MAX], ran[FMT_MAX], time[2 * FMT_MAX + 20];
    int x = tri_say(g, 0, y, g->w, STYLE_STATUS_KEY,
                    "At %s: ", when_time(v->tr, c->at, (c->t1 - c->t0) / 20 + 1, at));
    x = tri_say(g, x, y, g->w - x, STYLE_NORMAL, "%u running, %u runnable, %u waiting, %u in system calls",
                now[NOW_RUN], now[NOW_READY], now[NOW_BLOCKED], now[NOW_CALL]);
    if (now[NOW_OTHER])
        (void)tri_say(g, x, y, g->w - x, STYLE_NORMAL, ", %u not recorded", now[NOW_OTHER]);
    if (n < 2)
        return;
    the_time(v, t, time, sizeof time);
    x = tri_say(g, 0, y + 1, g->w, STYLE_STATUS_KEY, "In %s: ", time);
    (void)tri_say(g, x, y + 1, g->w - x, STYLE_NORMAL, "%s of one processor used, %u goroutines created",
                  share_of((double)c->all.ns[TIME_RAN], (double)(c->t1 - c->t0), ran), c->all.created);
}

static void top_head(struct grid *g, struct view *v, int y, int n)
{
    char time[2 * FMT_MAX + 20];
    const int work = v->top && v->top->lines < n ? v->top->lines : 0;
    if (n - work > 0)
        top_totals(g, v, y, n - work);
    if (!work)
        return;
    the_time(v, v->table, time, sizeof time);
    top_pulse_draw(v->top, g, v, y + n - work, work, time);
}

static int top_above(const struct view *v, int rows)
{
    struct top *t = v->top;
    if (t)
        t->lines = top_pulse_lines(t, v, v->table->t0, v->table->t1, rows);
    return (rows > 8 ? 2 : rows > 5 ? 1 : 0) + (t ? t->lines : 0);
}

static void say_why(struct text *t, const struct trace *tr, const struct tally_why *w, size_t room)
{
    static const char own[] = "runtime."; /* where one of the runtime's own goroutines parks means nothing */
    struct str f = trace_str(tr, w->func);
    text_wait(t, tr, w->reason, 0);
    if (f.len && (f.len < sizeof own - 1 || memcmp(f.p, own, sizeof own - 1) != 0))
        text_say(t, tr, " in ", t_func_cut(w->func, room));
}

static void top_note(struct text *out, const struct table *t, const struct ttype *k)
{
    const struct tally_row *r = top_row(t, k);
    if (r->nwhy)
        say_why(out, t->tr, &((const struct tally *)t->own)->why[r->why], 40);
}

static void detail_now(struct text *b, const struct table *t, const struct tally_row *r)
{
    enum { PLACES = 3 };
    tri_func(b, t->tr, r->name, 60);
    text_add(b, ": %u now", r->there);
    for (uint32_t i = 0; i < r->nwhy && i < PLACES; i++) {
        const struct tally_why *w = &((const struct tally *)t->own)->why[r->why + i];
        text_add(b, "%s%u ", i ? ", " : "; waiting: ", w->n);
        say_why(b, t->tr, w, 50);
    }
    if (r->nwhy > PLACES)
        text_add(b, ", and at %u more place%s", r->nwhy - PLACES, r->nwhy - PLACES == 1 ? "" : "s");
}

static void top_say(struct text *b, const struct view *v, const struct ttype *k, int line)
{
    const struct tally_row *r = top_row(v->table, k);
    char time[2 * FMT_MAX + 20];
    if (line == 0) {
        detail_now(b, v->table, r);
        return;
    }
    the_time(v, v->table, time, sizeof time);
    text_add(b, "%u in %s: ", r->g, time);
    top_times(b, v->tr, r);
    if (r->g > 1 && r->most_ns > 0)
        text_say(b, v->tr, "; ", t_who(r->most), " ran most, ", t_dur(r->most_ns));
    text_add(b, "; %u created", r->created);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* Goes to the lanes at that moment, to the group's goroutine that ran most. */
static unsigned top_enter(struct view *v)
{
    const struct table *t = v->table;
    const struct tally_row *r = top_row(t, &t->type[t->row[v->at.row]]);
    const int64_t t0 = t->t0, t1 = t->t1, at = t->at;
    struct text b = {0};
    text_who(&b, v->tr, r->most);
    if (r->g > 1)
        text_add(&b, r->most_ns ? " ran most of the %u" : " is one of the %u", r->g);
    unsigned f = tri_goto(v, lane_g(r->most), t0, t1);
    (void)view_at(v, at);
    view_message(v, false, "%s", b.p ? b.p : "");
    text_free(&b);
    return f;
}

static bool top_follow(struct view *v)
{
    if (!v->top)
        v->top = mem_zalloc(sizeof *v->top);
    if (v->top)
        top_pulse_follow(v->top, v);
    return top_pulse_pending(v->top);
}

static bool top_pending(const struct view *v)
{
    return table_pending(v) || (trace_info(v->tr)->done && top_pulse_pending(v->top));
}

static unsigned top_work(struct view *v, int64_t budget_ns)
{
    if (table_pending(v))
        return table_work(v, budget_ns) | (top_pending(v) ? VR_WORK : VR_NONE);
    bool failed = false;
    if (!top_pending(v))
        return VR_NONE;
    v->top->walking = !pulse_step(v->top->pulse, budget_ns, &failed);
    v->top->failed |= failed;
    return top_pulse_pending(v->top) ? VR_DRAW | VR_WORK : VR_DRAW;
}

bool top_asks(const struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    const struct top *t = v->top;
    return ti->has_clock &&
           (!t || (!t->failed && (t->heard_ns == NO_TIME || ti->first_ns + ti->end - t->heard_ns > ANEW_NS)));
}

void top_free(struct top *t)
{
    if (t)
        pulse_free(t->pulse);
    mem_free(t);
}

static unsigned top_open(struct view *v, int no)
{
    const unsigned f = table_open(v, no);
    return f | (top_follow(v) ? VR_WORK : VR_NONE);
}

unsigned view_sums(struct view *v)
{
    const int64_t end = trace_info(v->tr)->end;
    int64_t t0 = v->sel.stands ? v->sel.t0 : v->at.win.t0, t1 = v->sel.stands ? v->sel.t1 : v->at.win.t1;
    t0 = t0 > 0 ? t0 : 0;
    t1 = t1 > end && end > t0 ? end : t1;
    const unsigned f = view_show(v, VIEW_TOP);
    if (!v->top)
        return f | move_fail(v, "out of memory");
    v->top->t0 = t0;
    v->top->t1 = t1;
    if (v->at.cursor < t0 || v->at.cursor >= t1)
        (void)view_at(v, t1 - 1);
    return f | VR_DRAW | VR_WORK;
}

static void top_draw(struct grid *g, struct view *v, const struct plan *p)
{
    (void)top_follow(v);
    table_draw(g, v, p);
}

static unsigned span_to(struct view *v, int to)
{
    if (top_of_range(v)) { /* back to the time before the cursor */
        v->top->t1 = 0;
        return VR_DRAW | VR_WORK;
    }
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

/* Goes to another moment: steps are parts of the time. */
static unsigned top_go(struct view *v, int n, int64_t part)
{
    const int64_t step = top_length(v) / part, end = trace_info(v->tr)->end;
    if (v->top)
        v->top->t1 = 0;
    int64_t to = time_add(v->at.cursor, time_muldiv(step > 0 ? step : 1, n, 1));
    to = to < 0 ? 0 : to >= end ? end - 1 : to;
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

static const struct table_from top_from = {
    .types = "start functions",
    .none = "no goroutines in this trace",
    .type_col = top_cols,
    .ntype_cols = COLS,
    .type_first = COL_RAN,
    .early = true,
    .asks = top_interval,
    .above = top_above,
    .head = top_head,
    .take = top_take,
    .list = top_list,
    .drop = top_drop,
    .type_value = top_value,
    .type_name = top_name,
    .type_note = top_note,
    .type_say = top_say,
};

const struct view_kind kind_top = {
    TABLE_ROWS(&top_from),
    .over = true,
    .open = top_open,
    .draw = top_draw,
    .enter = top_enter,
    .pending = top_pending,
    .work = top_work,
    .refuse = "Enter opens the lanes first",
    .answer = {ANSWER_TABLE, [REQ_CURSOR] = top_cursor, [REQ_PAN] = top_pan, [REQ_PAGE] = top_page,
               [REQ_ZOOM] = top_zoom, [REQ_ZOOM_ALL] = top_all},
    .refusal = {REFUSE_SELECT},
    .word =
        {[REQ_ZOOM] = "1s 10s all", [REQ_DETAILS] = "lanes", [REQ_CURSOR] = "moment", [REQ_PAN] = "moment"},
};
