/*
 * popup.c - a pop-up is a box over the view with a text (rich.h). The text of a span is made whenever it is
 * drawn, for the width that there is; any other one is given.
 */
#include "layout/draw/popup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/cells/fmt.h"
#include "layout/move/move.h"
#include "triage/activity/gstate.h"
#include "layout/cells/rich.h"
#include "triage/activity/samples.h"
#include "triage/tables/stacks.h"
#include "triage/triage.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"

enum {
    BOTH = 71,
    PLAIN = 1000
}; /* columns that two stacks take side by side; that nothing is shortened for */

/* This is a text about a span, for w columns. */
struct about {
    struct rich *r;
    const struct view *v;
    int w;
};

static void about_g(const struct about *a, uint32_t g, int room)
{
    rich_add(a->r, STYLE_POPUP_HEAD, "%s", name_g(a->v, g, room).s);
}

/* Adds a text behind two blanks, on a line of its own where it does not fit this one. */
static void about_whole(const struct about *a, enum style s, const char *text)
{
    const int used = str_width(rich_last(a->r), a->w);
    if (used && used + 2 + str_width(str_of(text), a->w) > a->w)
        rich_para(a->r);
    rich_add(a->r, s, "%s%s", rich_last(a->r).len ? "  " : "", text);
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

static struct str path_end(struct str path)
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
        str_safe(i ? path_end(path) : path, safe, sizeof safe);
        snprintf(out, size, "%s:%" PRIu64, safe, f.line);
        if (str_width(str_of(out), room + 1) <= room)
            return;
    }
    str_tail(path_end(path), room > 8 ? room - 8 : 1, glyph_dots(v->scr.tier), safe, sizeof safe);
    snprintf(out, size, "%s:%" PRIu64, safe, f.line);
}

/* Adds the function at the left and the place at the right, or beside it in a text without shortening. */
static void frame_line(const struct about *a, struct frame f)
{
    const bool ascii = glyph_dots(a->v->scr.tier);
    const int w = a->w;
    char name[600], where[512];
    const struct str func = trace_str(a->v->tr, f.func);
    if (f.func)
        str_safe(func, name, sizeof name);
    else
        snprintf(name, sizeof name, "0x%" PRIx64, f.pc);
    int need = str_width(str_of(name), w);
    popup_place(a->v, f, w - need - 2 > w / 2 ? w - need - 2 : w / 2, where, sizeof where);
    const int ww = str_width(str_of(where), w), room = w - ww - (ww ? 2 : 0);
    if (need > room && f.func)
        need = str_shorten(func, room, ascii, name, sizeof name);
    rich_add(a->r, STYLE_POPUP, "%s%*s", name, w == PLAIN ? 2 : w - need - ww, "");
    rich_add(a->r, STYLE_POPUP_DIM, "%s", where);
    rich_para(a->r);
}

static void stack_lines(const struct about *a, uint32_t stack)
{
    const uint32_t n = name_any(a->v, stack) ? trace_stack(a->v->tr, stack) : 0;
    if (!n)
        rich_say(a->r, STYLE_POPUP_DIM, "no stack recorded");
    for (uint32_t i = 0; i < n && i < 4096; i++)
        frame_line(a, trace_frame(a->v->tr, stack, i));
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

static void popup_sides(const struct view *v, struct lane l, const struct span *s, struct sides *out)
{
    struct span_iter it;
    struct span next = {.who = NO_LANE};
    bool has_next = span_seek_index(&it, v->tr, l, s->index) && span_next(&it);
    if (has_next)
        next = *span_get(&it);
    struct lane_info li = trace_lane_who(v->tr, l);
    *out = (struct sides){.a = {"stack at its start", NO_LANE, s->stack, 0},
                          .b = {"stack at its end", NO_LANE, s->stack_end, 0}};
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
static void waker_lines(const struct about *a, uint32_t who, int64_t t)
{
    const struct view *v = a->v;
    struct span s;
    struct span_iter it;
    char d[FMT_MAX], why[100];
    if (who == NO_LANE || t <= 0 || !trace_span_at(v->tr, lane_g(who), t - 1, &s) ||
        !span_seek_index(&it, v->tr, lane_g(who), s.index))
        return;
    for (int i = 0; i < 4 && (s.state == ST_RUNNING || s.state == ST_RUNNABLE) && span_prev(&it); i++)
        s = *span_get(&it);
    if (s.state != ST_WAITING && s.state != ST_SYSCALL)
        return;
    str_safe(stacks_reason(v->tr, s.reason, s.stack), why, sizeof why);
    rich_say(a->r, STYLE_POPUP_DIM, "before that %s%s%s%s for %s", state_name((enum state)s.state),
             *why ? " (" : "", why, *why ? ")" : "", when_dur(v->tr, time_sub(s.t1, s.t0), d));
}

static void side_lines(const struct about *a, const struct side *s)
{
    rich_para(a->r);
    rich_add(a->r, STYLE_POPUP_HEAD, "%s ", s->title);
    if (s->who != NO_LANE)
        about_g(a, s->who, a->w - (int)strlen(s->title) - 1);
    rich_para(a->r);
    if (s->t)
        waker_lines(a, s->who, s->t);
    if (s->title != by_timer)
        stack_lines(a, s->stack);
}

/* Puts two texts side by side, the second one from column `half` on. */
static void put_beside(struct rich *out, const struct rich *left, const struct rich *right, int half, int w)
{
    struct rich_row l = {0}, r = {0};
    for (;;) {
        const bool one = rich_row(left, half - 2, &l), two = rich_row(right, w - half, &r);
        if (!one && !two)
            return;
        const int used = one ? rich_copy(out, left, &l) : 0;
        if (two) {
            rich_add(out, STYLE_POPUP, "%*s", half - used, "");
            (void)rich_copy(out, right, &r);
        }
        rich_para(out);
    }
}

static void both_sides(const struct about *a, const struct sides *s)
{
    struct rich left = {0}, right = {0};
    const int half = (a->w + 1) / 2;
    if (a->w < BOTH || a->w == PLAIN) { /* one below the other */
        side_lines(a, &s->a);
        rich_blank(a->r);
        side_lines(a, &s->b);
        return;
    }
    side_lines(&(struct about){&left, a->v, half - 2}, &s->a);
    side_lines(&(struct about){&right, a->v, a->w - half}, &s->b);
    put_beside(a->r, &left, &right, half, a->w);
    a->r->oom |= left.oom || right.oom;
    rich_free(&left);
    rich_free(&right);
}

static void span_who(const struct about *a, struct lane l, const struct lane_info *li)
{
    enum { CREATOR = 25 }; /* columns that tell something of it */
    about_g(a, l.i, a->w);
    if (li->name_inferred)
        rich_add(a->r, STYLE_POPUP_DIM, " (likely)");
    if (tri_by_timer(a->v->tr, l, li))
        about_whole(a, STYLE_POPUP_DIM, TRI_BY_TIMER);
    if (li->creator != NO_LANE) {
        if (a->w - str_width(rich_last(a->r), a->w) < CREATOR)
            rich_para(a->r);
        about_whole(a, STYLE_POPUP_DIM, "created by ");
        about_g(a, li->creator, a->w - str_width(rich_last(a->r), a->w) - 1);
    }
    rich_para(a->r);
}

static void span_head(const struct about *a, struct lane l, const struct span *s)
{
    const struct view *v = a->v;
    char t0[FMT_MAX], t1[FMT_MAX], d[WHEN_LENGTH], why[200], times[2 * FMT_MAX + 4];
    const struct lane_info li = trace_lane_who(v->tr, l);
    const unsigned open = record_open(v, l, s);
    span_who(a, l, &li);
    const enum state is = record_state(v, l, s);
    rich_add(a->r, (enum style)(STYLE_STATE + (int)is), "%s", state_name(is));
    if (s->reason || s->label) {
        str_safe(name_bracketed(stacks_reason(v->tr, s->reason ? s->reason : s->label, s->stack)), why,
                 sizeof why);
        rich_add(a->r, STYLE_POPUP, " (%s)", why);
    }
    if (s->state != ST_RUNNABLE && s->state != ST_WAITING && s->who != NO_LANE)
        rich_add(a->r, STYLE_POPUP, " on %s", name_lane(v, lane_p(s->who)).s);
    const bool untimed = record_untimed(v, s);
    about_whole(a, STYLE_POPUP,
                untimed ? TRI_NOT_TIMED : when_length(v->tr, time_sub(s->t1, s->t0), open, true, d));
    snprintf(times, sizeof times, "%s%s%s", when_exact(v->tr, s->t0, t0), untimed ? "" : " .. ",
             untimed ? "" : when_exact(v->tr, s->t1, t1));
    about_whole(a, STYLE_POPUP, times);
    if (open)
        rich_say(a->r, STYLE_POPUP_DIM, "%s",
                 s->open_start && s->open_end ? "both its ends lie outside the trace"
                 : s->open_start              ? "it began before it was first seen"
                 : s->open_end                ? "it was not over at the trace's end"
                 : open & OPEN_END            ? "when it was over is not recorded"
                                              : "when it began is not recorded");
    rich_blank(a->r);
}

static void span_samples(const struct about *a, const uint32_t *list, size_t n)
{
    const struct view *v = a->v;
    const struct sample *all;
    char t[FMT_MAX], name[300];
    trace_samples(v->tr, &all);
    rich_say(a->r, STYLE_POPUP, "%zu CPU sample%s in it%s", n, n == 1 ? "" : "s",
             n > 3 ? "; three of them" : "");
    for (size_t i = 0; i < n && i < 3; i++) {
        const struct sample *s = &all[list[n > 3 ? i * (n - 1) / 2 : i]];
        const uint32_t f = name_function(v->tr, s->stack, true), top = trace_frame(v->tr, s->stack, 0).func;
        str_shorten(trace_str(v->tr, f), a->w / 2, glyph_dots(v->scr.tier), name, sizeof name);
        rich_add(a->r, STYLE_SAMPLE, "  %s ", when_exact(v->tr, s->t, t));
        rich_add(a->r, STYLE_POPUP, "%s", name);
        str_shorten(trace_str(v->tr, top), a->w / 3, glyph_dots(v->scr.tier), name, sizeof name);
        if (top && top != f)
            rich_add(a->r, STYLE_POPUP_DIM, "  (in %s)", name);
        rich_para(a->r);
    }
}

/* Lists what else happened in it: GC, CPU samples. */
static void span_notes(const struct about *a, struct lane l, const struct span *s)
{
    const struct view *v = a->v;
    char d[FMT_MAX], p[FMT_MAX];
    struct shares sh;
    const uint32_t *list;
    const int64_t t0 = s->t0 < 0 ? 0 : s->t0;
    const size_t before = a->r->n;
    if (l.kind == LANE_G && s->state == ST_RUNNING && gstate_any(v->cache.gstate, v->tr, l.i, t0, s->t1)) {
        gstate_shares(v->cache.gstate, v->tr, l, t0, s->t1, &sh);
        if (sh.ns[ST_ASSIST])
            rich_say(a->r, STYLE_ASSIST, "mark assist for %s of it (%s)",
                     fmt_percent(sh.ns[ST_ASSIST], s->t1 - t0, p), when_dur(v->tr, sh.ns[ST_ASSIST], d));
    }
    for (int band = BAND_GC; band <= BAND_STW; band++) {
        const int64_t ns = tri_in_band(v->tr, (enum band)band, t0, s->t1);
        if (ns)
            rich_add(a->r, STYLE_POPUP, "%s during %s of it (%s)  ",
                     band == BAND_GC ? "GC" : "stop-the-world", fmt_percent(ns, s->t1 - t0, p),
                     when_dur(v->tr, ns, d));
    }
    rich_para(a->r);
    const size_t n = samples_in(v->cache.samples, v->tr, l, t0, s->t1, &list);
    if (n)
        span_samples(a, list, n);
    if (a->r->n > before)
        rich_blank(a->r);
}

static void span_text(struct rich *out, const struct view *v, struct lane l, int64_t t, int w)
{
    const struct about a = {out, v, w};
    struct span s;
    struct sides sides;
    if (l.kind != LANE_G) { /* on a processor, the span of its goroutine */
        const uint32_t g = move_goroutine(v, l, t);
        if (g == NO_LANE || !trace_span_at(v->tr, lane_g(g), t, &s)) {
            if (trace_span_at(v->tr, l, t, &s))
                rich_say(out, STYLE_POPUP, "%s: %s, no goroutine: no stack", name_lane(v, l).s,
                         state_name((enum state)s.state));
            return;
        }
        l = lane_g(g);
    } else if (!trace_span_at(v->tr, l, t, &s)) {
        rich_say(out, STYLE_POPUP, "nothing here");
        return;
    }
    span_head(&a, l, &s);
    span_notes(&a, l, &s);
    popup_sides(v, l, &s, &sides);
    both_sides(&a, &sides);
}

/* ---- the box ------------------------------------------------------------------------------------------- */

struct box { /* inside the border */
    int x, y, w, h;
    int in; /* columns of its text */
};

/* Draws what the box shows of the text, from line `top` on. Returns the number of all lines; g NULL: only
 * that. */
static int text_draw(struct grid *g, struct view *v, const struct rich *text, struct box b, int top)
{
    const size_t hit = v->popup.kind == POPUP_LINES ? v->popup.find.hit : 0;
    struct rich_row row = {0};
    int n = 0;
    for (size_t was = 0; rich_row(text, b.in, &row); n++, was = row.para) {
        if (row.para == hit && was != hit)
            v->popup.find.line = n;
        if (g && n >= top && n < top + b.h)
            rich_put(text, &row, g, b.x + 1, b.y + n - top, b.in,
                     row.para == hit ? STYLE_POPUP_HEAD : STYLE_COUNT);
    }
    return n;
}

static void border(struct grid *g, const struct view *v, const struct box *b)
{
    enum tier t = v->scr.tier;
    int x0 = b->x - 1, x1 = b->x + b->w, y0 = b->y - 1, y1 = b->y + b->h;
    grid_fill(g, x0, y0, b->w + 2, b->h + 2, ' ', STYLE_POPUP);
    grid_fill(g, b->x, y0, b->w, 1, glyph_mark(t, MARK_H), STYLE_POPUP_BORDER);
    grid_fill(g, b->x, y1, b->w, 1, glyph_mark(t, MARK_H), STYLE_POPUP_BORDER);
    grid_fill(g, x0, b->y, 1, b->h, glyph_mark(t, MARK_V), STYLE_POPUP_BORDER);
    grid_fill(g, x1, b->y, 1, b->h, glyph_mark(t, MARK_V), STYLE_POPUP_BORDER);
    grid_put(g, x0, y0, glyph_mark(t, MARK_TL), STYLE_POPUP_BORDER);
    grid_put(g, x1, y0, glyph_mark(t, MARK_TR), STYLE_POPUP_BORDER);
    grid_put(g, x0, y1, glyph_mark(t, MARK_BL), STYLE_POPUP_BORDER);
    grid_put(g, x1, y1, glyph_mark(t, MARK_BR), STYLE_POPUP_BORDER);
}

static void captions(struct grid *g, const struct view *v, const struct box *b, int top)
{
    char buf[80];
    const char *title = v->popup.kind == POPUP_SPAN ? "span" : v->popup.title ? v->popup.title : "";
    if (*title) {
        snprintf(buf, sizeof buf, " %.70s ", title);
        grid_str(g, b->x + 1, b->y - 1, b->w - 2, buf, STYLE_POPUP_HEAD);
    }
    grid_str(g, b->x + 1, b->y + b->h, b->w - 2, " Esc close ", STYLE_POPUP_BORDER);
    if (v->popup.lines > b->h) {
        snprintf(buf, sizeof buf, " lines %d-%d of %d: up, down ", top + 1, top + b->h, v->popup.lines);
        if ((int)strlen(buf) >= b->w - 12)
            snprintf(buf, sizeof buf, " %d-%d of %d ", top + 1, top + b->h, v->popup.lines);
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
    struct rich r = {0};
    span_text(&r, v, l, t, g->w - 1);
    (void)text_draw(g, v, &r, (struct box){0, y, g->w, h, g->w - 1}, 0);
    rich_free(&r);
}

void popup_print(struct view *v, struct text *out)
{
    struct rich r = {0};
    if (v->popup.kind == POPUP_SPAN)
        span_text(&r, v, v->popup.lane, v->popup.t, PLAIN);
    if (v->popup.kind)
        rich_print(v->popup.kind == POPUP_SPAN ? &r : v->popup.text, out);
    rich_free(&r);
}

/* Returns its size on the view's screen, and its text, which is in *own or given. */
static struct box measured(struct view *v, struct rich *own, const struct rich **text)
{
    enum { SPAN = 130, READS = 110 }; /* columns that are easily read */
    const bool span = v->popup.kind == POPUP_SPAN;
    const int title = span ? 0 : str_width(str_of(v->popup.title), READS) + 4,
              widest = span ? 0 : rich_width(v->popup.text, READS), want = title > widest ? title : widest;
    struct box b = {.w = span ? SPAN : want + 2};
    b.w = b.w + 4 > v->scr.w - 2 ? v->scr.w - 2 : b.w; /* leave no strip of the view visible */
    b.w = b.w < 1 ? 1 : b.w;
    b.in = b.w - (span ? 1 : 2);
    if (span)
        span_text(own, v, v->popup.lane, v->popup.t, b.in);
    *text = span ? own : v->popup.text;
    const int n = text_draw(NULL, v, *text, b, 0),
              most = v->scr.h - 4 > 1 ? v->scr.h - 4 : 1; /* keep the title and the footer visible */
    b.h = n < 1 ? 1 : n > most ? most : n;
    v->popup.lines = n;
    v->popup.rows = b.h;
    return b;
}

void popup_measure(struct view *v)
{
    struct rich own = {0};
    const struct rich *text;
    if (v->popup.kind)
        (void)measured(v, &own, &text);
    rich_free(&own);
}

void popup_draw(struct grid *g, struct view *v)
{
    struct rich own = {0};
    const struct rich *text;
    if (!v->popup.kind)
        return;
    struct box b = measured(v, &own, &text);
    b.x = (g->w - b.w) / 2;
    b.y = above_or_below(g, v, b.h);
    if (b.x < 1 && g->w > 2)
        b.x = 1;
    if (b.y < 1 && g->h > 2)
        b.y = 1;
    const int last = v->popup.lines - b.h;
    if (v->popup.find.show && (v->popup.find.line < v->popup.top || v->popup.find.line >= v->popup.top + b.h))
        v->popup.top = v->popup.find.line - b.h / 3;
    v->popup.find.show = false;
    v->popup.top = v->popup.top > last ? last : v->popup.top;
    v->popup.top = v->popup.top < 0 ? 0 : v->popup.top;
    border(g, v, &b);
    (void)text_draw(g, v, text, b, v->popup.top);
    captions(g, v, &b, v->popup.top);
    rich_free(&own);
}
