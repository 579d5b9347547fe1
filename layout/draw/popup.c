/*
 * popup.c - the content of a pop-up is a list of lines that is never stored: it is produced twice, once to
 * count the lines and once to draw the visible part. Each line asks for its position and gets one, or none.
 */
#include "layout/draw/popup.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layout/cells/when.h"
#include "layout/move/move.h"
#include "triage/activity/gstate.h"
#include "layout/cells/rich.h"
#include "triage/activity/samples.h"
#include "layout/cells/wrap.h"
#include "triage/tables/stacks.h"
#include "triage/triage.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"

struct box {
    struct grid *g;
    struct view *v;
    bool dry;         /* only count */
    bool plain;       /* for text: all parts one below the other, nothing right-aligned */
    int x, y, w, h;   /* the area inside the border */
    int top, n;       /* first visible line, number of lines so far */
    int col, col_w;   /* column of text within the box */
    struct lane lane; /* the span's lane and time */
    int64_t t;
};

/* Starts a line: returns its row on the grid, or -1 if it isn't visible. */
static int next_row(struct box *b)
{
    int i = b->n++ - b->top;
    return b->dry || i < 0 || i >= b->h ? -1 : b->y + i;
}

static int popup_put(struct box *b, int y, int x, enum style s, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static int popup_put(struct box *b, int y, int x, enum style s, const char *fmt, ...)
{
    char buf[600];
    va_list ap;
    if (y < 0)
        return x;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    int end = b->col + b->col_w;
    return x >= end ? x : grid_str(b->g, x, y, end - x, buf, s);
}

static int put_g(struct box *b, int y, int x, uint32_t g)
{
    char buf[600];
    int room = b->col + b->col_w - x;
    if (y < 0 || room <= 0)
        return x;
    name_goroutine(b->v, g, room, buf, sizeof buf);
    return grid_str(b->g, x, y, room, buf, STYLE_POPUP_HEAD);
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

static struct str base_name(struct str path)
{
    for (uint32_t i = path.len; i > 0; i--)
        if (path.p[i - 1] == '/')
            return (struct str){path.p + i, path.len - i};
    return path;
}

/* Writes "file:line": the whole path if it fits, else the file's name. */
static void popup_place(const struct view *v, struct frame f, int room, char *out, size_t size)
{
    struct str path = trace_str(v->tr, f.file);
    char safe[400];
    out[0] = 0;
    if (!f.file)
        return;
    for (int i = 0; i < 2; i++) {
        str_safe(i ? base_name(path) : path, safe, sizeof safe);
        snprintf(out, size, "%s:%" PRIu64, safe, f.line);
        if (str_width(str_of(out), room + 1) <= room)
            return;
    }
    str_tail(base_name(path), room > 8 ? room - 8 : 1, glyph_dots(v->scr.tier), safe, sizeof safe);
    snprintf(out, size, "%s:%" PRIu64, safe, f.line);
}

static void frame_line(struct box *b, struct frame f)
{
    int y = next_row(b);
    if (y < 0)
        return;
    const struct view *v = b->v;
    bool ascii = glyph_dots(v->scr.tier);
    char name[600], where[512];
    int w = b->col_w - 1;
    struct str func = trace_str(v->tr, f.func);
    if (f.func)
        str_safe(func, name, sizeof name);
    else
        snprintf(name, sizeof name, "0x%" PRIx64, f.pc);
    int need = str_width(str_of(name), w);
    if (b->plain) {
        popup_place(v, f, w, where, sizeof where);
        popup_put(b, y, popup_put(b, y, b->col + 1, STYLE_POPUP, "%s", name), STYLE_POPUP_DIM, "  %s", where);
        return;
    }
    popup_place(v, f, w - need - 2 > w / 2 ? w - need - 2 : w / 2, where, sizeof where);
    int ww = str_width(str_of(where), w);
    int room = w - ww - (ww ? 2 : 0);
    if (need > room && f.func)
        str_shorten(func, room, ascii, name, sizeof name);
    grid_str(b->g, b->col + 1, y, room > 0 ? room : 0, name, STYLE_POPUP);
    grid_str(b->g, b->col + 1 + w - ww, y, ww, where, STYLE_POPUP_DIM);
}

static void stack_lines(struct box *b, uint32_t stack)
{
    uint32_t n = name_any(b->v, stack) ? trace_stack(b->v->tr, stack) : 0;
    if (!n)
        popup_put(b, next_row(b), b->col + 1, STYLE_POPUP_DIM, "no stack recorded");
    for (uint32_t i = 0; i < n && i < 4096; i++)
        frame_line(b, trace_frame(b->v->tr, stack, i));
}

/* ---- a goroutine's span -------------------------------------------------------------------------------- */

struct side { /* one of the two stacks and its title */
    const char *title;
    uint32_t who, stack;
    int64_t t; /* time of the unblock */
};

static const char by_timer[] = TRI_BY_TIMER; /* title for a goroutine without creator and stack */

struct sides {
    struct side a, b;
    bool two;
};

static const struct span *popup_step(struct span_iter *it, bool forward)
{
    return (forward ? span_next(it) : span_prev(it)) ? span_get(it) : NULL;
}

static uint32_t stack_before(const struct view *v, struct lane l, uint64_t index)
{
    struct span_iter it;
    if (!span_seek_index(&it, v->tr, l, index))
        return 0;
    const struct span *s = popup_step(&it, false);
    if (s && s->state == ST_RUNNABLE) {
        if (s->who == NO_LANE && s->stack)
            return s->stack;
        s = popup_step(&it, false);
    }
    return s && (s->state == ST_WAITING || s->state == ST_SYSCALL || s->state == ST_RUNNABLE) ? s->stack : 0;
}

static void sides_of(const struct view *v, struct lane l, const struct span *s, struct sides *out)
{
    struct span_iter it;
    struct span next = {.who = NO_LANE};
    bool has_next = span_seek_index(&it, v->tr, l, s->index) && span_next(&it);
    if (has_next)
        next = *span_get(&it);
    struct lane_info li = trace_lane_who(v->tr, l);
    *out = (struct sides){.a = {"stack at its start", NO_LANE, s->stack, 0},
                          .b = {"stack at its end", NO_LANE, s->stack_end, 0}};
    out->two = true;
    switch (s->state) {
    case ST_WAITING:
        out->a.title = "waits at";
        if (has_next && next.who != NO_LANE)
            out->b = (struct side){"woken by", next.who, s->stack_end, next.t0};
        else
            out->b.title = !has_next                  ? "not woken in this trace"
                           : next.state == ST_UNKNOWN ? "how it ended: not recorded"
                                                      : "woken at (by whom: not recorded)";
        break;
    case ST_SYSCALL: out->a.title = "in a system call at"; break;
    case ST_RUNNABLE:
        if (s->index == 0 && tri_by_timer(v->tr, l, &li))
            out->a = (struct side){by_timer, NO_LANE, 0, 0};
        else if (s->index == 0 && li.created)
            out->a = (struct side){"created by", li.creator, s->stack ? s->stack : li.create_stack, 0};
        else if (s->who != NO_LANE)
            out->a = (struct side){"woken by", s->who, s->stack, s->t0};
        else
            out->a.title = "stopped or woken at";
        out->b = (struct side){"probably resumes at", NO_LANE, stack_before(v, l, s->index + 1), 0};
        if (!out->b.stack)
            out->b = (struct side){"starts at", NO_LANE, li.start_stack, 0};
        break;
    default:
        out->a = (struct side){"probably runs on from", NO_LANE, stack_before(v, l, s->index), 0};
        if (!out->a.stack && s->index <= 1 && li.start_stack)
            out->a = (struct side){"starts at", NO_LANE, li.start_stack, 0};
        out->b.title = has_next && next.state == ST_WAITING   ? "until it waits at"
                       : has_next && next.state == ST_SYSCALL ? "until its system call at"
                                                              : "until";
    }
}

/* Tells the waker's part: what it did before it unblocked this goroutine. The trace records the order, not
 * the holder. */
static void waker_lines(struct box *b, uint32_t who, int64_t t)
{
    const struct view *v = b->v;
    struct span s;
    struct span_iter it;
    char d[FMT_MAX], why[100];
    if (who == NO_LANE || t <= 0 || !trace_span_at(v->tr, (struct lane){LANE_G, who}, t - 1, &s) ||
        !span_seek_index(&it, v->tr, (struct lane){LANE_G, who}, s.index))
        return;
    for (int i = 0; i < 4 && (s.state == ST_RUNNING || s.state == ST_RUNNABLE) && span_prev(&it); i++)
        s = *span_get(&it);
    if (s.state != ST_WAITING && s.state != ST_SYSCALL)
        return;
    str_safe(stacks_reason(v->tr, s.reason, s.stack), why, sizeof why);
    popup_put(b, next_row(b), b->col + 1, STYLE_POPUP_DIM, "before that %s%s%s%s for %s",
              state_name((enum state)s.state), *why ? " (" : "", why, *why ? ")" : "",
              when_dur(v->tr, time_sub(s.t1, s.t0), d));
}

static void side_lines(struct box *b, const struct side *s)
{
    int y = next_row(b), x = popup_put(b, y, b->col + 1, STYLE_POPUP_HEAD, "%s", s->title);
    if (s->who != NO_LANE)
        put_g(b, y, x + 1, s->who);
    if (s->t)
        waker_lines(b, s->who, s->t);
    if (s->title != by_timer)
        stack_lines(b, s->stack);
}

/* Adds words to the line, or to a new line if they don't fit. */
struct words {
    struct box *b;
    int y, used; /* its row; columns used */
};

static void popup_say(struct words *l, enum style s, const char *gap, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static void popup_say(struct words *l, enum style s, const char *gap, const char *fmt, ...)
{
    char buf[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    int w = str_width(str_of(buf), 600), gw = l->used ? (int)strlen(gap) : 0;
    if (!l->used || (l->used + gw + w > l->b->col_w - 1 && !l->b->plain)) {
        l->y = next_row(l->b);
        l->used = gw = 0;
    }
    popup_put(l->b, l->y, l->b->col + 1 + l->used + gw, s, "%s", buf);
    l->used += gw + w;
}

static void span_who(struct box *b, struct lane l, const struct lane_info *li)
{
    char name[600];
    struct words line = {.b = b};
    name_goroutine(b->v, l.i, b->col_w - 1, name, sizeof name);
    popup_say(&line, STYLE_POPUP_HEAD, "", "%s", name);
    if (li->name_inferred)
        popup_say(&line, STYLE_POPUP_DIM, " ", "(likely)");
    if (tri_by_timer(b->v->tr, l, li))
        popup_say(&line, STYLE_POPUP_DIM, "  ", TRI_BY_TIMER);
    if (li->creator == NO_LANE)
        return;
    int room = b->col_w - 1 - line.used - (int)strlen("  created by ");
    if (room < 12 && !b->plain) {
        room = b->col_w - 1 - (int)strlen("created by ");
        line.used = 0;
    }
    name_goroutine(b->v, li->creator, room, name, sizeof name);
    popup_say(&line, STYLE_POPUP_DIM, "  ", "created by");
    popup_say(&line, STYLE_POPUP_HEAD, " ", "%s", name);
}

static void span_head(struct box *b, struct lane l, const struct span *s)
{
    const struct view *v = b->v;
    char t0[FMT_MAX], t1[FMT_MAX], d[WHEN_LENGTH], id[32], why[200];
    struct lane_info li = trace_lane_who(v->tr, l);
    struct words line = {.b = b};
    const unsigned open = record_open(v, l, s);
    span_who(b, l, &li);
    const enum state is = record_state(v, l, s);
    popup_say(&line, (enum style)(STYLE_STATE + (int)is), "", "%s", state_name(is));
    if (s->reason || s->label) {
        str_safe(name_bracketed(stacks_reason(v->tr, s->reason ? s->reason : s->label, s->stack)), why,
                 sizeof why);
        popup_say(&line, STYLE_POPUP, " ", "(%s)", why);
    }
    if (s->state != ST_RUNNABLE && s->state != ST_WAITING && s->who != NO_LANE) {
        name_lane(v, (struct lane){LANE_P, s->who}, id);
        popup_say(&line, STYLE_POPUP, " ", "on %s", id);
    }
    const bool untimed = record_untimed(v, s);
    popup_say(&line, STYLE_POPUP, "  ", "%s",
              untimed ? TRI_NOT_TIMED : when_length(v->tr, time_sub(s->t1, s->t0), open, true, d));
    if (!b->plain && b->w < 72) /* narrow: the times in full, on a line of their own */
        line.used = 0;
    popup_say(&line, STYLE_POPUP, "  ", "%s%s%s", when_exact(v->tr, s->t0, t0), untimed ? "" : " .. ",
              untimed ? "" : when_exact(v->tr, s->t1, t1));
    if (open)
        popup_put(b, next_row(b), b->col + 1, STYLE_POPUP_DIM, "%s",
                  s->open_start && s->open_end ? "both its ends lie outside the trace"
                  : s->open_start              ? "it began before it was first seen"
                  : s->open_end                ? "it was not over at the trace's end"
                  : open & OPEN_END            ? "when it was over is not recorded"
                                               : "when it began is not recorded");
    next_row(b);
}

/* Lists what else happened in it: GC, CPU samples. */
static void span_notes(struct box *b, struct lane l, const struct span *s)
{
    const struct view *v = b->v;
    char d[FMT_MAX], p[FMT_MAX], name[300];
    struct shares sh;
    const struct sample *all;
    const uint32_t *list;
    int64_t t0 = s->t0 < 0 ? 0 : s->t0;
    bool any = false;
    if (l.kind == LANE_G && s->state == ST_RUNNING && gstate_any(v->cache.gstate, v->tr, l.i, t0, s->t1)) {
        gstate_shares(v->cache.gstate, v->tr, l, t0, s->t1, &sh);
        if (sh.ns[ST_ASSIST])
            popup_put(b, next_row(b), b->col + 1, STYLE_ASSIST, "mark assist for %s of it (%s)",
                      fmt_percent(sh.ns[ST_ASSIST], s->t1 - t0, p), when_dur(v->tr, sh.ns[ST_ASSIST], d));
        any = sh.ns[ST_ASSIST] > 0;
    }
    if (s->t1 > t0 && trace_nlanes(v->tr, LANE_BAND) > BAND_STW) {
        enum { BOTH = 72 }; /* columns they take side by side */
        const bool narrow = !b->plain && b->col_w < BOTH;
        int y = -2, x = 0;
        for (int band = BAND_GC; band <= BAND_STW; band++) {
            enum state st = band == BAND_GC ? ST_GC : ST_STW;
            trace_shares(v->tr, (struct lane){LANE_BAND, (uint32_t)band}, t0, s->t1, &sh);
            if (!sh.ns[st])
                continue;
            if (y == -2 || narrow)
                y = next_row(b), x = b->col + 1;
            x = popup_put(b, y, x, STYLE_POPUP, "%s %s%s of it (%s)  ",
                          band == BAND_GC ? "GC" : "stop-the-world", narrow ? "" : "during ",
                          fmt_percent(sh.ns[st], s->t1 - t0, p), when_dur(v->tr, sh.ns[st], d));
            any = true;
        }
    }
    size_t n = samples_in(v->cache.samples, v->tr, l, t0, s->t1, &list);
    trace_samples(v->tr, &all);
    if (n)
        popup_put(b, next_row(b), b->col + 1, STYLE_POPUP, "%zu CPU sample%s in it%s", n, n == 1 ? "" : "s",
                  n > 3 ? "; three of them" : "");
    for (size_t i = 0; i < n && i < 3; i++) {
        const struct sample *smp = &all[list[n > 3 ? i * (n - 1) / 2 : i]];
        uint32_t stack = smp->stack, f = stacks_function(v->tr, stack, true);
        str_shorten(trace_str(v->tr, f), b->col_w / 2, glyph_dots(v->scr.tier), name, sizeof name);
        int y = next_row(b),
            x = popup_put(b, y, b->col + 3, STYLE_SAMPLE, "%s ", when_exact(v->tr, smp->t, d));
        x = popup_put(b, y, x, STYLE_POPUP, "%s", name);
        uint32_t top = trace_frame(v->tr, stack, 0).func;
        str_shorten(trace_str(v->tr, top), b->col_w / 3, glyph_dots(v->scr.tier), name, sizeof name);
        if (top && top != f)
            popup_put(b, y, x, STYLE_POPUP_DIM, "  (in %s)", name);
    }
    if (any || n)
        next_row(b);
}

static void span_lines(struct box *b)
{
    const struct view *v = b->v;
    struct lane l = b->lane;
    struct span s;
    struct sides sides;
    char id[32];
    if (l.kind != LANE_G) { /* on a processor, the span of its goroutine */
        name_lane(v, l, id);
        uint32_t g = move_goroutine(v, l, b->t);
        if (g == NO_LANE || !trace_span_at(v->tr, (struct lane){LANE_G, g}, b->t, &s)) {
            if (trace_span_at(v->tr, l, b->t, &s))
                popup_put(b, next_row(b), b->col + 1, STYLE_POPUP, "%s: %s, no goroutine: no stack", id,
                          state_name((enum state)s.state));
            return;
        }
        l = (struct lane){LANE_G, g};
    } else if (!trace_span_at(v->tr, l, b->t, &s)) {
        popup_put(b, next_row(b), b->col + 1, STYLE_POPUP, "nothing here");
        return;
    }
    span_head(b, l, &s);
    span_notes(b, l, &s);
    sides_of(v, l, &s, &sides);
    if (b->plain || b->w < 72) { /* one below the other */
        side_lines(b, &sides.a);
        next_row(b);
        side_lines(b, &sides.b);
        return;
    }
    int from = b->n, half = b->w / 2;
    b->col_w = half - 1;
    side_lines(b, &sides.a);
    int left = b->n;
    b->n = from;
    b->col += half;
    b->col_w = b->w - half;
    side_lines(b, &sides.b);
    b->n = b->n > left ? b->n : left;
    b->col -= half;
    b->col_w = b->w;
}

/* ---- given lines --------------------------------------------------------------------------------------- */

/* Wraps long lines; continued lines are indented like the line's second column, or a little. */
static void given_lines(struct box *b)
{
    enum { IN = 4 };
    const struct rich *r = b->v->popup.rich;
    for (uint32_t at = 0, from, len; r && rich_line(r, b->col_w - 2, &at, &from, &len);) {
        int y = next_row(b);
        if (y >= 0)
            rich_put(r, b->g, b->col + 1, y, b->col_w - 2, from, len);
    }
    if (r)
        next_row(b);
    for (size_t i = 0; i < b->v->popup.ntext && i < 100000; i++) {
        const bool hit = i + 1 == b->v->popup.find.hit;
        if (hit)
            b->v->popup.find.line = b->n;
        struct str rest = str_of(b->v->popup.text[i]);
        int x = b->col + 1, w = b->col_w - 2;
        do {
            uint32_t next = 0, len = rest.len ? wrap_next(rest, w, &next) : 0;
            int y = next_row(b);
            if (y >= 0)
                grid_text(b->g, x, y, w, (struct str){rest.p, len}, hit ? STYLE_POPUP_HEAD : STYLE_POPUP);
            rest = (struct str){rest.p + next, rest.len - next};
            x = b->col + 1 + IN;
            w = b->col_w - 2 - IN;
        } while (rest.len && w > IN);
    }
}

static int widest(const struct view *v)
{
    int w = v->popup.title ? str_width(str_of(v->popup.title), 200) + 4 : 20;
    for (size_t i = 0; i < v->popup.ntext; i++) {
        int k = str_width(str_of(v->popup.text[i]), 200);
        w = k > w ? k : w;
    }
    return w + 2;
}

/* ---- the box ------------------------------------------------------------------------------------------- */

static void content(struct box *b)
{
    b->n = 0;
    b->col = b->x;
    b->col_w = b->w;
    if (b->v->popup.kind == POPUP_SPAN)
        span_lines(b);
    else
        given_lines(b);
}

static void border(struct grid *g, const struct view *v, const struct box *b)
{
    enum tier t = v->scr.tier;
    int x0 = b->x - 1, x1 = b->x + b->w, y0 = b->y - 1, y1 = b->y + b->h;
    grid_fill(g, x0, y0, b->w + 2, b->h + 2, ' ', STYLE_POPUP);
    for (int x = b->x; x < x1; x++) {
        grid_put(g, x, y0, glyph_mark(t, MARK_H), STYLE_POPUP_BORDER);
        grid_put(g, x, y1, glyph_mark(t, MARK_H), STYLE_POPUP_BORDER);
    }
    for (int y = b->y; y < y1; y++) {
        grid_put(g, x0, y, glyph_mark(t, MARK_V), STYLE_POPUP_BORDER);
        grid_put(g, x1, y, glyph_mark(t, MARK_V), STYLE_POPUP_BORDER);
    }
    grid_put(g, x0, y0, glyph_mark(t, MARK_TL), STYLE_POPUP_BORDER);
    grid_put(g, x1, y0, glyph_mark(t, MARK_TR), STYLE_POPUP_BORDER);
    grid_put(g, x0, y1, glyph_mark(t, MARK_BL), STYLE_POPUP_BORDER);
    grid_put(g, x1, y1, glyph_mark(t, MARK_BR), STYLE_POPUP_BORDER);
}

static void captions(struct grid *g, const struct view *v, const struct box *b)
{
    char buf[80];
    const char *title = v->popup.kind == POPUP_SPAN ? "span" : v->popup.title ? v->popup.title : "";
    if (*title) {
        snprintf(buf, sizeof buf, " %.70s ", title);
        grid_str(g, b->x + 1, b->y - 1, b->w - 2, buf, STYLE_POPUP_HEAD);
    }
    grid_str(g, b->x + 1, b->y + b->h, b->w - 2, " Esc close ", STYLE_POPUP_BORDER);
    if (v->popup.lines > b->h) {
        snprintf(buf, sizeof buf, " lines %d-%d of %d: up, down ", b->top + 1, b->top + b->h, v->popup.lines);
        if ((int)strlen(buf) >= b->w - 12)
            snprintf(buf, sizeof buf, " %d-%d of %d ", b->top + 1, b->top + b->h, v->popup.lines);
        if ((int)strlen(buf) < b->w - 12)
            grid_right(g, b->x, b->y + b->h, b->w - 1, buf, STYLE_POPUP_BORDER);
    }
}

/* Places the box where it hides the least of the lane: below it, above it, or in the middle of the screen. */
static int above_or_below(const struct grid *g, const struct view *v, int h)
{
    for (int y = 0; v->popup.kind == POPUP_SPAN && v->scr.gutter > 0 && y < g->h; y++) {
        if (grid_at(g, v->scr.gutter - 1, y)->style != STYLE_LANE_FOCUS)
            continue;
        if (y + 1 + h + 2 <= g->h - 1)
            return y + 2;
        if (y - h - 2 >= 1)
            return y - h - 1;
    }
    return (g->h - h) / 2;
}

void popup_span(struct grid *g, struct view *v, struct lane l, int64_t t, int y, int h)
{
    struct box b = {.g = g, .v = v, .x = 0, .y = y, .w = g->w, .h = h, .lane = l, .t = t};
    b.col_w = b.w;
    span_lines(&b);
}

void popup_print(struct view *v, FILE *out)
{
    enum { WIDE = 1000, HIGH = 1000 };
    struct grid g = {0};
    char line[4 * WIDE + 1];
    struct box b = {.g = &g,
                    .v = v,
                    .dry = true,
                    .plain = true,
                    .lane = v->popup.lane,
                    .t = v->popup.t,
                    .w = WIDE,
                    .h = HIGH};
    if (v->popup.kind == POPUP_LINES && v->popup.rich)
        for (uint32_t at = 0, from, len; rich_line(v->popup.rich, WIDE, &at, &from, &len);)
            fprintf(out, "%.*s\n", (int)len, v->popup.rich->text + from);
    for (size_t i = 0; v->popup.kind == POPUP_LINES && i < v->popup.ntext; i++)
        fprintf(out, "%s\n", v->popup.text[i]);
    if (v->popup.kind != POPUP_SPAN)
        return;
    content(&b);
    if (!grid_resize(&g, WIDE, b.n < HIGH ? b.n : HIGH))
        return;
    b.dry = false;
    content(&b);
    for (int y = 0; y < g.h; y++) {
        grid_line(&g, y, line, sizeof line);
        fprintf(out, "%s\n", line + (line[0] == ' '));
    }
    grid_free(&g);
}

/* Returns its size on the view's screen. */
static struct box measured(struct grid *g, struct view *v)
{
    struct box b = {.g = g, .v = v, .dry = true, .lane = v->popup.lane, .t = v->popup.t};
    int want = v->popup.kind == POPUP_SPAN ? 130 : widest(v);
    b.w = want + 4 > v->scr.w - 2 ? v->scr.w - 2 : want; /* leave no strip of the view visible */
    if (b.w < 1)
        b.w = 1;
    content(&b);
    int most = v->scr.h - 4 > 1 ? v->scr.h - 4 : 1; /* keep the title and the footer visible */
    b.h = b.n < 1 ? 1 : b.n > most ? most : b.n;
    v->popup.lines = b.n;
    v->popup.rows = b.h;
    return b;
}

void popup_measure(struct view *v)
{
    struct grid none = {0};
    if (v->popup.kind)
        (void)measured(&none, v);
}

void popup_draw(struct grid *g, struct view *v)
{
    if (!v->popup.kind)
        return;
    struct box b = measured(g, v);
    b.x = (g->w - b.w) / 2;
    b.y = above_or_below(g, v, b.h);
    if (b.x < 1 && g->w > 2)
        b.x = 1;
    if (b.y < 1 && g->h > 2)
        b.y = 1;
    int last = b.n > b.h ? b.n - b.h : 0;
    if (v->popup.find.show && (v->popup.find.line < v->popup.top || v->popup.find.line >= v->popup.top + b.h))
        v->popup.top = v->popup.find.line - b.h / 3;
    v->popup.find.show = false;
    v->popup.top = v->popup.top > last ? last : v->popup.top < 0 ? 0 : v->popup.top;
    b.top = v->popup.top;
    b.dry = false;
    border(g, v, &b);
    content(&b);
    captions(g, v, &b);
}
