/*
 * tri_findings.c - view 1: an overview of the trace, the work and where its time goes, and the findings as
 * cards of fields.
 *
 * One plan serves every size (share_rows()): a small screen has fewer rows of the overview, one whole card
 * and a line for each other one; a large one has all cards whole and the work's tree, beside them from WIDE
 * columns on. A field that does not fit is dropped as a whole, the least important first; the pop-up of
 * REQ_READ has all.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/views/page.h"
#include "triage/findings/asked.h"

static uint32_t count(const struct view *v)
{
    return v->tri && v->tri->fs ? v->tri->fs->n : 0;
}

static const struct finding *at_row(const struct view *v)
{
    return v->at.row < count(v) ? &v->tri->fs->f[v->at.row] : NULL;
}

bool tri_lacking(struct text *t, const struct view *v)
{
    const char *why;
    enum { MANY = 10 }; /* below findings fewer are not worth the line that says what stands before each */
    unsigned n = v->tri->tg ? rules_lacking(v->tri->tg, &why) : 0;
    n = count(v) && n < MANY ? 0 : n;
    if (n)
        text_add(t, count(v) ? "; %u checks skipped: %s" : "nothing stands out; %u checks are skipped: %s", n,
                 why);
    return n > 0;
}

/* ---- cards --------------------------------------------------------------------------------------------- */

enum {
    MARK = 3,
    LEAD = 8,
    BASE = 18,
    BASE_FROM = 70,
    TIME_FROM = 110,
    STRIP = 18,
    STRIP_FROM = 100,
    FIELDS = 7,
    LIST_LINES = 2,
    WHOLE_FROM = 44
};

struct card_field {
    const char *name;
    const char *text; /* NULL: the strip */
    uint32_t len;
    enum style style;
    int worth; /* those of least worth go first */
    bool out;
};

static char *gain_words(const struct finding *f, const struct works *w)
{
    struct text t = {0};
    verdict_saves(&t, w, &f->v);
    return text_take(&t);
}

/* Gets the fields in display order. One without words is absent. *own is allocated for this, to be freed. */
static int fields_of(const struct view *v, const struct finding *f, struct card_field *out, char **own)
{
    const bool held = f->v.holder.at.user || f->v.holder.group;
    *own = gain_words(f, &v->tri->fs->works);
    const struct card_field all[FIELDS] = {
        {"line", f->at, 0, STYLE_NORMAL, 6, false},
        {"what", f->what, 0, STYLE_NORMAL, 7, false},
        {held ? "who" : "why", f->why, 0, STYLE_NORMAL, 4, false},
        {"cost", f->harm, 0, STYLE_NORMAL, 2, false},
        {"do", f->next, 0, STYLE_STATUS_KEY, 5, false},
        {"saves", *own, 0, STYLE_STATUS_KEY, 3, false},
        {page_strip_whole(v, f) ? "when" : "one at", NULL, 0, STYLE_NORMAL, 1, false}};
    int n = 0;
    for (int i = 0; i < FIELDS; i++)
        if (i + 1 == FIELDS || (all[i].text && *all[i].text)) {
            out[n] = all[i];
            out[n++].len = all[i].text ? (uint32_t)strlen(all[i].text) : 0;
        }
    return n;
}

static int field_lines(const struct card_field *c, int w)
{
    return c->text ? wrap_lines((struct str){c->text, c->len}, w) : 1;
}

/* Drops its last sentence. Returns false if it has only one. */
static bool shorter(struct card_field *c)
{
    for (uint32_t i = c->len; i > 2; i--)
        if (c->text[i - 2] == '.' && c->text[i - 1] == ' ') {
            c->len = i - 1;
            return true;
        }
    return false;
}

/* Drops the last and lightest item of "45.2% this, 30.8% that, ..". Returns false if there is but one. */
static bool fewer(struct card_field *c)
{
    for (uint32_t i = c->len; i > 2; i--)
        if (c->text && c->text[i - 2] == ',' && c->text[i - 1] == ' ' && isdigit((unsigned char)c->text[i])) {
            c->len = i - 2;
            return true;
        }
    return false;
}

/* Drops what does not fit `room` lines: items of long lists, fields, or sentences from the end of the last
 * one. Returns the lines of the rest. */
static int fit(struct card_field *c, int n, int w, int room)
{
    int lines = 0, left = n;
    for (int i = 0; i < n; i++)
        lines += field_lines(&c[i], w);
    for (int i = 0, was; i < n; i++)
        while (lines > room && (was = field_lines(&c[i], w)) > LIST_LINES && fewer(&c[i]))
            lines += field_lines(&c[i], w) - was;
    while (lines > room) {
        int least = -1;
        for (int i = 0; i < n; i++)
            if (!c[i].out && (least < 0 || c[i].worth < c[least].worth))
                least = i;
        lines -= field_lines(&c[least], w);
        c[least].out = left > 1 || !shorter(&c[least]);
        left -= c[least].out;
        lines += c[least].out ? 0 : field_lines(&c[least], w);
    }
    for (int worth = FIELDS; worth > 0; worth--) /* those that fit after all */
        for (int i = 0; i < n; i++)
            if (c[i].worth == worth && c[i].out && lines + field_lines(&c[i], w) <= room) {
                c[i].out = false;
                lines += field_lines(&c[i], w);
            }
    return lines;
}

/* Shortens "sync.(*Mutex).Lock in main.(*ledger).append": the function called gives way before the user's. */
static int where_in(struct grid *g, const struct view *v, const struct finding *f, int x, int y, int w,
                    enum style s)
{
    struct text t = {.ticks = when_ticks(v->tr)};
    char name[600];
    if (f->v.culprit.user)
        site_text(&t, v->tr, &f->v.culprit);
    else if (f->v.kind) /* of several kinds of stops */
        text_str(&t, v->tr, f->v.kind);
    const struct str all = str_of(t.p ? t.p : "");
    if (w >= 12 && all.len) {
        if (str_width(all, w + 1) <= w)
            x = grid_text(g, x, y, w, all, s);
        else {
            str_shorten(trace_str(v->tr, f->v.culprit.user ? f->v.culprit.user : f->v.kind), w,
                        glyph_dots(v->scr.tier), name, sizeof name);
            x = grid_str(g, x, y, w, name, s);
        }
    }
    text_free(&t);
    return x;
}

static enum style mark_style(const struct finding *f)
{
    return f->v.level == LEVEL_SEVERE ? STYLE_ERROR : f->v.level == LEVEL_WARN ? STYLE_WARN : STYLE_DIM;
}

/* Draws mark and share, and what it is a share of; returns the column behind them. Where there is no room for
 * that, shares of something else than the first finding's are left out: numbers in a column are compared. */
static int card_lead(struct grid *g, const struct view *v, const struct finding *f, struct box b,
                     enum style s)
{
    const bool room = b.w >= BASE_FROM;
    const int to = b.x + MARK + LEAD + (room ? BASE : 0);
    struct text t = {0}, first = {0};
    verdict_base(&t, &v->tri->fs->works, &f->v);
    verdict_base(&first, &v->tri->fs->works, &v->tri->fs->f[0].v);
    grid_fill(g, b.x, b.y, MARK - 1, 1, ' ', mark_style(f));
    grid_str(g, b.x, b.y, MARK, level_mark(f->v.level), mark_style(f));
    if (room || !t.p || (first.p && strcmp(t.p, first.p) == 0)) {
        const int x = grid_str(g, b.x + MARK, b.y, LEAD - 1, f->amount, s);
        if (room && t.p)
            grid_str(g, x + 1, b.y, to - x - 2, t.p, s);
    }
    text_free(&t);
    text_free(&first);
    return to;
}

/* Draws mark, share, title and place; at the right the time, as a strip if the line is `alone`. */
static void card_head(struct grid *g, const struct view *v, const struct finding *f, struct box b, bool focus,
                      bool alone)
{
    char at[FMT_MAX], when[FMT_MAX + 3];
    const enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    const int strip = alone && b.w >= STRIP_FROM ? STRIP + 1 : 0,
              right = b.w >= TIME_FROM ? 12 + strip : strip;
    if (focus)
        grid_fill(g, b.x, b.y, b.w, 1, ' ', s);
    const int from = card_lead(g, v, f, b, focus ? s : mark_style(f)), room = b.x + b.w - right - from;
    int x = grid_str(g, from, b.y, room, f->title, focus ? s : STYLE_STATUS_KEY);
    x = where_in(g, v, f, x + 2, b.y, from + room - x - 3, s);
    if (f->inferred && x + 12 < from + room)
        grid_str(g, x + 2, b.y, 10, "(likely)", focus ? s : STYLE_DIM);
    if (strip)
        page_strip(g, v, f, (struct box){b.x + b.w - right, b.y, STRIP, 1});
    if (right) {
        snprintf(when, sizeof when, "at %s", when_dur(v->tr, f->v.t0, at));
        grid_right(g, b.x + b.w - 11, b.y, 11, when, s);
    }
}

/* Draws the card in at most .h lines (g NULL: only counts them); *cut: something is dropped. Returns the
 * lines. */
static int card(struct grid *g, const struct view *v, const struct finding *f, struct box b, bool focus,
                bool *cut)
{
    struct card_field c[FIELDS];
    char *own;
    const int x = b.x + page_label(b.w), w = b.w - page_label(b.w) - 1, n = fields_of(v, f, c, &own),
              lines = fit(c, n, w, b.h - 1);
    if (g)
        card_head(g, v, f, b, focus, false);
    for (int i = 0, y = b.y + 1; i < n; i++) {
        *cut |= c[i].text && (c[i].out || c[i].text[c[i].len]);
        if (c[i].out || !g)
            continue;
        grid_right(g, b.x, y, page_label(b.w) - 1, c[i].name, STYLE_DIM);
        if (c[i].text) {
            y += wrap_draw(g, x, y, w, 1000, c[i].style, (struct str){c[i].text, c[i].len});
        } else {
            struct box axis = page_axis(b); /* the columns of the curves above */
            axis.y = y++;
            page_strip(g, v, f, axis);
            char whole[FMT_MAX], of[FMT_MAX + 3];
            snprintf(of, sizeof of, "of %s", when_dur(v->tr, view_end(v), whole));
            grid_str(g, axis.x + axis.w + 1, axis.y, b.x + b.w - axis.x - axis.w - 1, of, STYLE_DIM);
        }
    }
    mem_free(own);
    return lines + 1;
}

/* ---- the list ------------------------------------------------------------------------------------------ */

static int lines_whole(const struct view *v, uint32_t i, struct box b)
{
    bool cut = false;
    return card(NULL, v, &v->tri->fs->f[i], (struct box){b.x, b.y, b.w, 1000}, false, &cut);
}

/* Returns the first card shown, so that the one with the cursor has `sel` lines and each before it one. */
static uint32_t first_card(const struct view *v, int sel, int h)
{
    const uint32_t n = count(v), row = v->at.row;
    uint32_t top = v->at.top > row ? row : v->at.top;
    while (top < row && (int)(row - top) + sel > h)
        top++;
    while (top > 0 && (int)(n - top) + sel <= h)
        top--;
    return top;
}

/* Draws the card with the cursor whole, as far as there is room for it, and a line for each other; then whole
 * as many of these as fit. Returns the lines. */
static int cards(struct grid *g, struct view *v, struct box b)
{
    enum { OTHERS = 2, OTHERS_FROM = 9 };
    const int n = (int)count(v), others = n - 1 < OTHERS ? n - 1 : OTHERS,
              room = b.h - (b.h >= OTHERS_FROM ? others : 0);
    int sel = n ? lines_whole(v, v->at.row, b) : 0, y = 0;
    sel = sel > room ? room : sel;
    int spare = b.h - sel - (n - 1);
    v->at.top = n ? first_card(v, sel, b.h) : 0;
    for (uint32_t i = v->at.top; i < count(v) && y < b.h; i++) {
        const bool focus = i == v->at.row;
        const struct finding *f = &v->tri->fs->f[i];
        int used = focus ? sel : spare > 0 ? lines_whole(v, i, b) : 1;
        used = focus || used - 1 <= spare ? used : 1;
        spare -= focus ? 0 : used - 1;
        const struct box at = {b.x, b.y + y, b.w, used};
        if (used > 1)
            used = card(g, v, f, at, focus, &v->msg.cut);
        else
            card_head(g, v, f, at, focus, true);
        kind_listed(v, i, at.y, used);
        y += used;
    }
    v->scr.rows = n > 1 ? n : 1;
    return y > b.h ? b.h : y;
}

/* Draws what can't be found: with the reason, without it, or not at all, depending on the room. */
static void title_line(struct grid *g, struct view *v, struct box b)
{
    const char *why = "";
    struct text t = {0};
    const unsigned n = v->tri->tg ? rules_lacking(v->tri->tg, &why) : 0;
    const bool lacks = count(v) && tri_lacking(&t, v);
    const char *so_far = v->tri->so_far ? " so far" : "";
    const uint32_t notes = findings_notes(v->tri->fs), found = count(v) - notes;
    char head[80], all[500], noted[40] = "";
    if (notes)
        snprintf(noted, sizeof noted, "%u note%s", notes, notes == 1 ? "" : "s");
    if (found)
        snprintf(head, sizeof head, " %u finding%s%s%s", found, found == 1 ? "" : "s", notes ? ", " : "",
                 noted);
    else if (notes && findings_stand_out(v->tri->fs))
        snprintf(head, sizeof head, " %s", noted);
    else
        snprintf(head, sizeof head, " nothing stands out%s%s%s", so_far, notes ? ": " : "", noted);
    snprintf(all, sizeof all, "%s%s ", head, lacks && t.p ? t.p : "");
    if (str_width(str_of(all), b.w) > b.w - 4)
        snprintf(all, sizeof all, "%s; %u checks skipped ", head, n);
    if (str_width(str_of(all), b.w) > b.w - 4)
        snprintf(all, sizeof all, "%s ", head);
    v->msg.cut |= lacks && !strstr(all, why);
    grid_fill(g, b.x, b.y, b.w, 1, glyph_mark(v->scr.tier, MARK_H), STYLE_DIM);
    grid_str(g, b.x + 2, b.y, b.w - 4, all, lacks ? STYLE_WARN : STYLE_STATUS_KEY);
    text_free(&t);
}

/* Draws "── 2 findings ─────": their number, or that nothing stands out, and what cannot be
 * found. Returns the lines. */
static int cards_title(struct grid *g, struct view *v, struct box b)
{
    struct text t = {0};
    int lines = 1;
    if (!trace_info(v->tr)->has_clock) {
        lines = wrap_draw(
            g, b.x, b.y, b.w, 3, STYLE_WARN,
            str_of("the file has no clock rate: its end is missing. Times are ticks, nothing can be "
                   "called long; " CLOCK_HINT));
    } else if (!count(v) && tri_lacking(&t, v)) {
        lines = wrap_draw(g, b.x, b.y, b.w, 3, STYLE_WARN, str_of(t.p ? t.p : ""));
    } else {
        title_line(g, v, b);
    }
    text_free(&t);
    return lines;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

enum { WIDE = 160, TREE_LEAST = 4, PART_LEAST = 3, LANES_FROM = 60 };

/* Finds which part has how many lines of h. */
static void share_rows(int h, bool wide, int *curves, int *work, int *numbers, int *blank)
{
    *curves = h >= 80 ? 15 : h >= 56 ? 9 : h >= 44 ? 6 : h >= 17 ? 3 : h >= 14 ? 2 : h >= 11 ? 1 : 0;
    *work = h >= 13 ? 3 : h >= 6 ? 1 : 0;
    *numbers = h >= 19;
    *blank = h >= 30 || (wide && h >= 24);
}

/* Below each other from line y of b on; returns the first line that is free. */
static int page_column(struct grid *g, struct view *v, struct box b, bool wide)
{
    const struct finding *f = at_row(v);
    const int end = b.y + b.h;
    int curves, work, numbers, blank, y = b.y;
    share_rows(b.h, wide, &curves, &work, &numbers, &blank);
    y += page_notes(g, v, (struct box){b.x, y, b.w, b.h / 4});
    y += page_curves(g, v, (struct box){b.x, y, b.w, curves});
    if (!v->tri || !tri_begin(g, v, y, end - y))
        return end;
    if (numbers)
        y += page_numbers(g, v, (struct box){b.x, y, b.w, 1});
    const struct work *w = v->tri->fs ? page_work_of(v, f) : NULL;
    if (w && work) {
        y += blank;
        y += page_work(g, v, w, (struct box){b.x, y, b.w, work});
    }
    y += blank;
    if (end - y > 1 || !count(v))
        y += cards_title(g, v, (struct box){b.x, y, b.w, end - y});
    return y + cards(g, v, (struct box){b.x, y, b.w, end - y});
}

/* Draws the trees: of the work of the finding under the cursor, then of the other works that count. Returns
 * the lines used. */
static int trees(struct grid *g, const struct view *v, const struct work *first, uint32_t user, struct box b)
{
    const struct works *all = &v->tri->fs->works;
    int y =
        b.x ? page_work(g, v, first, (struct box){b.x, b.y, b.w, 1}) : 0; /* beside it: whose tree it is */
    y += page_tree(g, v, first, user, (struct box){b.x, b.y + y, b.w, b.h - y});
    for (uint32_t i = 0; i < all->n && b.h - y > TREE_LEAST + 3; i++) {
        const struct work *w = &all->v[i];
        if (w == first || !page_counts(w))
            continue;
        y++;
        y += page_work(g, v, w, (struct box){b.x, b.y + y, b.w, 3});
        y += page_tree(g, v, w, 0, (struct box){b.x, b.y + y, b.w, b.h - y});
    }
    return y;
}

/* Draws what a finding is about: its goroutines. */
static int lanes(struct grid *g, struct view *v, struct box b)
{
    const struct finding *f = at_row(v);
    return f ? page_lanes(g, v, f, b) : 0;
}

static int its_trees(struct grid *g, struct view *v, struct box b)
{
    const struct finding *f = at_row(v);
    const struct work *w = v->tri->fs ? page_work_of(v, f) : NULL;
    return w && b.h > TREE_LEAST ? trees(g, v, w, f ? f->v.where.user : 0, b) : 0;
}

/* These parts fill the lines that the cards do not use, each below a blank line: lanes on the axis below the
 * cards, trees and tables below or, on a wide screen, beside them. */
static const struct {
    int (*draw)(struct grid *g, struct view *v, struct box b); /* returns the lines used */
    bool beside;
    int from; /* columns */
} parts[] = {{lanes, false, LANES_FROM},
             {its_trees, true, 0},
             {page_procs, false, LANES_FROM},
             {page_busiest, false, LANES_FROM},
             {page_places, true, 0},
             {page_groups, true, 0},
             {page_all, true, 0}};

static void draw_plan(struct grid *g, struct view *v, const struct plan *p)
{
    const bool wide = v->scr.w >= WIDE, ready = v->tri && v->tri->tg;
    const int width = wide ? v->scr.w * 11 / 20 : v->scr.w;
    struct box b = {0, p->y[ROW_LANES], width, p->n[ROW_LANES]},
               beside = {width + 2, b.y - 1, v->scr.w - width - 2, b.h + 1};
    if (ready)
        tri_set_row(v, v->at.row);
    int used = page_column(g, v, b, wide) - b.y;
    b.y += used;
    b.h -= used;
    for (size_t i = 0; ready && i < sizeof parts / sizeof *parts; i++) {
        struct box *to = wide && parts[i].beside ? &beside : &b;
        if (to->w < parts[i].from || to->h <= PART_LEAST)
            continue;
        used = parts[i].draw(g, v, (struct box){to->x, to->y + 1, to->w, to->h - 1});
        to->y += used ? used + 1 : 0;
        to->h -= used ? used + 1 : 0;
    }
}

/* ---- what else a view answers -------------------------------------------------------------------------- */

static void detail(struct text *t, const struct view *v, uint32_t i, int line)
{
    const struct finding *f = &v->tri->fs->f[i];
    const char *s = line ? f->next : f->text;
    text_clean(t, s, strlen(s), 0);
    if (line && f->won)
        text_add(t, " %s", f->won);
}

bool tri_read_finding(const struct view *v, uint32_t i, struct rich *out)
{
    if (!v->tri || i >= count(v))
        return false;
    const struct finding *f = &v->tri->fs->f[i];
    const char *const said[] = {f->text, f->next, f->won ? f->won : ""};
    char at[FMT_MAX];
    rich_say(out, STYLE_POPUP_HEAD, "%s  %s%s  at %s", f->amount, f->title, f->inferred ? " (likely)" : "",
             when_dur(v->tr, f->v.t0, at));
    for (int k = 0; k < 3; k++) {
        struct text t = {.ticks = when_ticks(v->tr)};
        text_clean(&t, said[k], strlen(said[k]), 0);
        if (t.n)
            rich_say(out, STYLE_POPUP, "%s", t.p);
        text_free(&t);
    }
    return true;
}

/* Writes the finding with the cursor, then the numbers. */
static void read_page(const struct view *v, struct rich *out)
{
    struct text t = {.ticks = when_ticks(v->tr)};
    if (!v->tri || !v->tri->tg)
        return;
    if (tri_read_finding(v, v->at.row, out))
        rich_blank(out);
    if (tri_lacking(&t, v)) {
        rich_say(out, STYLE_POPUP, "%s", t.p + strspn(t.p, "; "));
        rich_blank(out);
    }
    text_free(&t);
    page_read(v, out);
}

/* Says share and title; where, and what it saves, as whole fields where a line has room. */
void tri_message(struct view *v, uint32_t i, const char *before)
{
    const int more = v->scr.w < 60 ? 6 : 12; /* columns of the key that shows all */
    const struct finding *f = &v->tri->fs->f[i];
    struct text all = {.ticks = when_ticks(v->tr)}, part[2] = {{.ticks = all.ticks}, {.ticks = all.ticks}};
    text_add(&all, "%s%s %s", before, f->amount, f->title);
    while (all.p && str_width(str_of(all.p), v->scr.w) > v->scr.w - more && strrchr(all.p, ' ')) {
        all.n = (size_t)(strrchr(all.p, ' ') - all.p); /* words of the title */
        all.p[all.n] = '\0';
    }
    if (f->v.culprit.user)
        text_func(&part[0], v->tr, f->v.culprit.user, 0);
    if (f->v.gain.known) {
        text_lit(&part[1], "saves ");
        verdict_saves(&part[1], &v->tri->fs->works, &f->v);
    }
    for (int k = 0; k < 2; k++) {
        const int used = str_width(str_of(all.p ? all.p : ""), v->scr.w) + 2;
        if (part[k].n &&
            used + str_width((struct str){part[k].p, (uint32_t)part[k].n}, v->scr.w) <= v->scr.w - more)
            text_add(&all, "  %s", part[k].p);
        text_free(&part[k]);
    }
    view_message(v, false, "%s", all.p ? all.p : "");
    v->msg.of = i + 1;
    text_free(&all);
}

static unsigned open_finding(struct view *v)
{
    v->tri->finding = v->at.row;
    const unsigned flags = tri_evidence(v, &v->tri->fs->f[v->at.row]);
    tri_message(v, v->at.row, "");
    return flags;
}

static bool about(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct findings *fs = v->tri ? v->tri->fs : NULL;
    if (!fs || v->at.row >= fs->n)
        return false;
    const struct finding *f = &fs->f[v->at.row];
    *g = f->lane.kind == LANE_G ? f->lane.i : NO_LANE;
    *t0 = f->v.t0;
    *t1 = f->v.t1;
    return true;
}

#define BESIDE "up and down walk the findings, Enter looks there"
const struct view_kind kind_triage = {
    IS_TIMELESS,
    .open = tri_open,
    .draw = draw_plan,
    .touch = tri_touch,
    .speak = tri_speak,
    .refuse = "Enter opens the lanes first",
    .plan = PLAN_FINDINGS,
    .rows = count,
    .detail = detail,
    .enter = open_finding,
    .about = about,
    .silent = true,
    .read = read_page,
    .answer = {ANSWER_ROWS, [REQ_CAUSE] = tri_cause},
    .refusal = {REFUSE_ZOOM, REFUSE_SORT, REFUSE_SELECT, ANSWER_SIDE(BESIDE)},
};
