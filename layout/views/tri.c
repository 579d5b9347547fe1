/*
 * tri.c - what the views of triage's tables share: a list of rows with a cursor, and going from a row to
 * the lanes and back.
 *
 * Layout of the screen, from the top: head lines (numbers, column titles), scrolling rows, status lines
 * about the row under the cursor. v->at.row is clamped here before anything reads it, so missing tables, an
 * undo into a longer table, and a resize need no special care.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "layout/views/table.h"

static bool tri_counted(const struct view_kind *k)
{
    return k->things && k->things->counted;
}

bool tri_shows(int view)
{
    const struct view_kind *k = kind_of(view);
    return k->table && (!k->ready || tri_counted(k));
}

static bool kind_ready(const struct view *v)
{
    const struct view_kind *k = kind_here(v);
    return k->ready ? k->ready(v) : !k->table || (v->tri && v->tri->tg);
}

static int tri_head_lines(const struct view *v, int rows)
{
    const struct view_kind *k = kind_here(v);
    return k->head_lines ? k->head_lines(v, rows) : 0;
}

bool tri_lacks(const struct view *v)
{
    return tri_shows(v->at.view) && !kind_ready(v);
}

bool tri_makes(const struct view *v)
{
    const struct view_kind *k = kind_here(v);
    return tri_shows(v->at.view) && v->tri && v->tri->tg && k->pending && k->pending(v);
}

int tri_status_most(const struct view *v)
{
    enum { USUAL = PLAN_STATUS, MOST = 7, FRAME = 2, ROWS_MOST = 1000 };
    if (!kind_here(v)->rows || !kind_ready(v))
        return USUAL;
    const uint32_t n = kind_here(v)->rows(v);
    const int rows = v->scr.h - FRAME - USUAL,
              spare = rows < 1 ? 0 : rows - tri_head_lines(v, rows) - (n < ROWS_MOST ? (int)n : ROWS_MOST);
    return spare <= 1 ? USUAL : spare > MOST - USUAL ? MOST : USUAL + spare - 1;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

void tri_init(struct tri *t, const struct trace *tr)
{
    *t = (struct tri){.tr = tr, .finding = UINT32_MAX};
    t->flame.kind = SW_ONCPU;
}

void tri_free(struct tri *t)
{
    flame_free(&t->flame);
    *t = (struct tri){0};
}

void tri_ready(struct tri *t, const struct triage *tg, const struct findings *fs)
{
    t->tg = tg;
    t->fs = fs;
}

/* ---- helpers ------------------------------------------------------------------------------------------- */

int tri_say(struct grid *g, int x, int y, int w, enum style s, const char *fmt, ...)
{
    char buf[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    struct str all = str_of(buf);
    enum { MARKED = 14 }; /* a shorter text would lose too much to the mark */
    if (w < MARKED || str_width(all, w + 1) <= w)
        return w > 0 ? grid_str(g, x, y, w, buf, s) : x;
    uint32_t cut = wrap_cut(all, w);
    int to = cut ? grid_text(g, x, y, w, (struct str){buf, cut}, s) : grid_str(g, x, y, w - 2, buf, s);
    to += cut > 0;
    return grid_str(g, to, y, x + w - to, grid_cut(g), s); /* a single word is cut anywhere */
}

void tri_bar(struct grid *g, const struct view *v, int x, int y, int w, int64_t n, int64_t most, enum style s)
{
    grid_fill(g, x, y, w, 1, ' ', STYLE_NORMAL);
    glyph_bar(g, v->scr.tier, x, y, w, n > 0 ? (uint64_t)n : 0, most > 0 ? (uint64_t)most : 0, s);
}

void tri_note(struct grid *g, int x, int y, int n, const char *text)
{
    wrap_draw(g, x, y, g->w - x, n > 1 ? n : 1, STYLE_DIM, str_of(text));
}

void tri_func(struct text *t, const struct trace *tr, uint32_t name, size_t max)
{
    if (trace_str(tr, name).len)
        text_func(t, tr, name, max);
    else
        text_lit(t, TRI_UNNAMED);
}

uint32_t tri_rows(const struct view *v)
{
    const struct view_kind *k = kind_here(v);
    return k->rows && kind_ready(v) ? k->rows(v) : 0;
}

void tri_set_row(struct view *v, uint32_t row)
{
    const uint32_t n = tri_rows(v);
    v->at.row = row < n ? row : n ? n - 1 : 0;
}

static void tri_leave(struct view *v)
{
    if (!v->tri || !kind_here(v)->table)
        return;
    v->tri->row[v->at.view] = v->at.row;
    v->tri->top[v->at.view] = v->at.top;
}

unsigned tri_goto(struct view *v, struct lane l, int64_t t0, int64_t t1)
{
    const struct place from = v->at;
    tri_leave(v);
    move_push(v, STEP_JUMP);
    if (l.kind >= LANE_BAND || l.i >= trace_nlanes(v->tr, l.kind)) {
        l = lane_p(v->trail.focus[LANE_P]);
        if (l.i >= trace_nlanes(v->tr, LANE_P))
            l.i = 0;
    }
    v->trail.focus[v->at.focus.kind < LANE_KINDS ? v->at.focus.kind : LANE_P] = v->at.focus.i;
    v->at.win = t1 > t0 ? window_fit(t0, t1) : window_fit(time_sub(t0, 500000), time_add(t0, 500000));
    v->at.top = 0;
    move_lane(v, l);
    move_to(v, t0, true);
    move_settle(v);
    kind_leads(v, &from);
    v->trail.shown.lane = l;
    v->trail.shown.t0 = t0;
    v->trail.shown.t1 = t1;
    v->trail.shown.cursor = v->at.cursor;
    return VR_DRAW;
}

struct longest { /* the longest span of a processor in [t0,t1) */
    int64_t t0, t1, at, most;
};

static bool tri_longest(void *arg, const struct span *s)
{
    struct longest *b = arg;
    const int64_t from = s->t0 > b->t0 ? s->t0 : b->t0, len = time_sub(s->t1 < b->t1 ? s->t1 : b->t1, from);
    b->at = len > b->most ? from : b->at;
    b->most = len > b->most ? len : b->most;
    return true;
}

/* The band of the collector has no lane: goes to the processor that worked longest for it, and to the longest
 * span there. */
static void onto_band(struct view *v, const struct finding *f)
{
    struct longest x = {f->v.t0, f->v.t1, f->v.t0, 0};
    uint32_t p = NO_LANE;
    int64_t most = 0;
    for (uint32_t i = 0, n = trace_nlanes(v->tr, LANE_P); i < n; i++) {
        const int64_t ns = time_add(trace_ns(v->tr, lane_p(i), ST_GCWORK, x.t0, x.t1),
                                    trace_ns(v->tr, lane_p(i), ST_ASSIST, x.t0, x.t1));
        p = ns > most ? i : p;
        most = ns > most ? ns : most;
    }
    if (p == NO_LANE)
        return;
    trace_wide(v->tr, lane_p(p),
               &(struct wide_ask){x.t0, x.t1, 1, tri_longest, &x, 1u << ST_GCWORK | 1u << ST_ASSIST});
    move_lane(v, lane_p(p));
    move_to(v, x.at, true);
    move_settle(v);
}

unsigned tri_evidence(struct view *v, const struct finding *f)
{
    struct lane l = f->lane;
    unsigned flags = tri_goto(v, l, f->v.t0, f->v.t1);
    if (l.kind == LANE_BAND)
        onto_band(v, f);
    return flags;
}

unsigned tri_cause(struct view *v, int n)
{
    const struct place from = v->at;
    uint32_t g;
    int64_t t0, t1;
    if (!view_cause_word(v) || !kind_here(v)->about(v, &g, &t0, &t1))
        return move_fail(v, "nobody in this trace ended a wait that this row is about");
    const unsigned f = tri_goto(v, lane_g(g), t0, t1) | view_do(v, REQ_CAUSE, n);
    kind_leads(v, &from);
    return f;
}

/* ---- moving -------------------------------------------------------------------------------------------- */

void move_switch(struct view *v, int no)
{
    tri_leave(v);
    move_push(v, STEP_JUMP);
    if (v->at.focus.kind < LANE_KINDS)
        v->trail.focus[v->at.focus.kind] = v->at.focus.i;
    v->at.view = (uint8_t)no;
}

unsigned tri_open(struct view *v, int no)
{
    move_switch(v, no);
    v->at.row = v->tri ? v->tri->row[no] : 0;
    v->at.top = v->tri ? v->tri->top[no] : 0;
    move_settle(v);
    tri_set_row(v, v->at.row);
    return VR_DRAW;
}

/* Returns the text shown while its tables are missing. */
static unsigned not_yet(struct view *v)
{
    if (v->tri && v->tri->trouble && !kind_here(v)->ready)
        return move_fail(v, "%s", v->tri->trouble);
    return move_not_yet(v, "the tables are not done yet");
}

unsigned tri_hold(struct view *v)
{
    return kind_ready(v) ? VR_NONE : not_yet(v);
}

unsigned tri_move(struct view *v, int n)
{
    uint32_t all = tri_rows(v), from = v->at.row;
    if (!all)
        return move_fail(v, "nothing here");
    int64_t r = (int64_t)v->at.row + n;
    r = r < 0 ? 0 : r >= all ? (int64_t)all - 1 : r;
    if (r == from) { /* nothing further in that direction: stay at the end */
        if (n < 0)
            v->at.top = 0;
        return move_fail(v, n < 0 ? "this is the first row" : "this is the last row");
    }
    move_push(v, move_rows(n));
    v->at.row = (uint32_t)r;
    return VR_DRAW;
}

unsigned tri_enter(struct view *v, int n)
{
    (void)n;
    tri_set_row(v, v->at.row);
    return tri_rows(v) ? kind_here(v)->enter(v) : move_fail(v, "nothing here to look at");
}

/* ---- walking the findings ------------------------------------------------------------------------------ */

static unsigned none_stands_out(struct view *v)
{
    struct text t = {0};
    const bool lacks = v->tri->fs && tri_lacking(&t, v);
    const unsigned f = move_fail(v, "%s", lacks && t.p ? t.p : "nothing stands out in this trace");
    text_free(&t);
    return f;
}

unsigned tri_walk(struct view *v, int n)
{
    struct tri *t = v->tri;
    if (!t || (!t->tg && !t->fs))
        return not_yet(v);
    if (!t->fs || !t->fs->n)
        return none_stands_out(v);
    int64_t at = t->finding;
    if (v->at.view == VIEW_TRIAGE) /* the row under the cursor is the next finding */
        at = (int64_t)v->at.row - (n < 0 ? 0 : 1);
    else if (at == UINT32_MAX)
        at = n < 0 ? (int64_t)t->fs->n : -1;
    at += move_times(n);
    if (at < 0 || at >= t->fs->n)
        return move_fail(v, at < 0 ? "this is the first finding" : "this was the last finding");
    t->finding = (uint32_t)at;
    const struct finding *f = &t->fs->f[at];
    tri_leave(v);
    t->row[VIEW_TRIAGE] = (uint32_t)at;
    unsigned flags = tri_evidence(v, f);
    char before[64];
    snprintf(before, sizeof before, "%d/%" PRIu32 "%s ", (int)at + 1, t->fs->n, t->so_far ? " so far:" : "");
    tri_message(v, (uint32_t)at, before);
    return flags;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static void waiting(struct grid *g, const struct view *v, int y, int h)
{
    const struct tri *t = v->tri;
    const struct view_kind *k = kind_here(v);
    const bool own = k->ready && (!tri_counted(k) || (t && t->tg)), early = k->things && k->things->early;
    if (k->none && !k->has(v))
        tri_note(g, 0, y, h, k->none);
    else if (k->soon)
        tri_note(g, 0, y, h, k->soon);
    else if (own ? v->table && v->table->failed : t && t->trouble)
        tri_say(g, 0, y, g->w, STYLE_WARN, "%s", own ? "out of memory for the table" : t->trouble);
    else if (!trace_info(v->tr)->done && !(t && t->so_far) && !early) /* what runs has no end */
        tri_note(g, 0, y, h, "gotop still reads the trace; the tables come after that.");
    else if (own)
        tri_say(g, 0, y, g->w, STYLE_DIM, "Looking through the trace..");
    else
        tri_say(g, 0, y, g->w, STYLE_DIM, "Working on the tables: %d%%", t ? (int)(t->progress * 100) : 0);
}

bool tri_begin(struct grid *g, const struct view *v, int y, int h)
{
    if (!kind_ready(v))
        waiting(g, v, y, h);
    return kind_ready(v);
}

void tri_where(const struct view *v, const struct plan *p, char *out, size_t size)
{
    const uint32_t n = tri_rows(v);
    (void)p;
    if (n)
        snprintf(out, size, "row %" PRIu32 " of %" PRIu32, v->at.row + 1, n);
}

void tri_draw(struct grid *g, struct view *v, const struct plan *p)
{
    const struct view_kind *k = kind_here(v);
    int y = p->y[ROW_LANES], h = p->n[ROW_LANES];
    if (!tri_begin(g, v, y, h))
        return;
    tri_set_row(v, v->at.row);
    int head = tri_head_lines(v, h);
    if (head > 0)
        k->head(g, v, y, head);
    int n = h - head;
    uint32_t all = tri_rows(v), room = n > 1 ? (uint32_t)n : 1;
    v->scr.rows = (int)room;
    move_top(v, v->at.row, all, false);
    for (int i = 0; i < n && v->at.top + (uint32_t)i < all; i++) {
        uint32_t row = v->at.top + (uint32_t)i;
        k->row(g, v, row, y + head + i, row == v->at.row);
        kind_listed(v, row, y + head + i, 1);
    }
}

unsigned tri_touch(struct view *v, const struct plan *p, int x, int y)
{
    const struct view_kind *k = kind_here(v);
    const int head = k->titled && kind_ready(v) ? tri_head_lines(v, p->n[ROW_LANES]) : 0;
    return head > 0 && y == p->y[ROW_LANES] + head - 1 ? k->titled(v, x) : VR_NONE;
}

/* Lines 0 and 1 of `detail`, once the tables are ready. */
void tri_speak(const struct view *v, int w, struct rich *out)
{
    const struct view_kind *k = kind_here(v);
    (void)w;
    for (int i = 0; i < 2 && kind_ready(v); i++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        rich_para(out);
        if (k->detail && (!k->rows || v->at.row < tri_rows(v)))
            k->detail(&t, v, v->at.row, i);
        if (t.p)
            rich_str(out, i ? STYLE_STATUS : STYLE_STATUS_KEY, (struct str){t.p, (uint32_t)t.n});
        text_free(&t);
    }
}
