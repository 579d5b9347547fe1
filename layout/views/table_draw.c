/*
 * table_draw.c - draws a table of things: the spectrum of the rows, below it one line per row, numbers
 * first, then the name, shortened in its middle.
 */
#include <stdio.h>
#include <string.h>

#include "layout/cells/ruler.h"
#include "layout/views/table.h"

enum { COLS_MOST = 63, ASIDE = 28 }; /* ASIDE: columns that are worth more words behind a name */

/* ---- columns ------------------------------------------------------------------------------------------- */

/* Returns whether rows are sorted by an amount. */
static bool has_amount(const struct table *t)
{
    const int by = t->have.sort;
    const enum tcol_kind k = by < table_cols(t, &t->have) - 1 ? table_col(t, &t->have, by).kind : TCOL_NAME;
    return k != TCOL_TIME && k < TCOL_TEXT;
}

/* Chooses the columns that fit, from the left, without those that have no value but with the sort column.
 * Returns their number; *x: where they end. */
static int choose_in(const struct table *t, int room, int out[COLS_MOST], int *x)
{
    enum { CUT = 12 }; /* columns that tell something of a text */
    int n = 0, sorted = t->have.sort, all = table_cols(t, &t->have) - 1;
    bool has = sorted >= all;
    *x = 0;
    for (int c = 0; c < all && n < COLS_MOST; c++) {
        if ((t->empty >> c & 1) && c != sorted)
            continue;
        if (*x + table_col(t, &t->have, c).w >
            room + (t->from->nameless ? table_col(t, &t->have, c).w - CUT : 0))
            break;
        *x += table_col(t, &t->have, c).w;
        has |= c == sorted;
        out[n++] = c;
    }
    if (!has && n) {
        *x += table_col(t, &t->have, sorted).w - table_col(t, &t->have, out[n - 1]).w;
        out[n - 1] = sorted;
    }
    return n;
}

/* How long the longest bar is. */
static int bar_cols(int w)
{
    enum { WIDE = 160 };
    return w < WIDE ? TRI_BAR : 3 * TRI_BAR;
}

/* The same, and columns of the bars with a blank, 0: none. Rows have bars if they are sorted by an amount,
 * and names have room beside them. The last column gives way to them: that of types says least, and things
 * have it where five others stay. */
static int table_choose(const struct table *t, int w, int out[COLS_MOST], int *bar)
{
    enum { NAMES = 28, ENDS = 40, OF_TYPES = 3, OF_THINGS = 5 };
    const int cols = bar_cols(w) + 1;
    const int usual = w < 60 ? w * 3 / 5 : w * 3 / 8, most = w * 3 / 4, least = t->from->link ? ENDS : NAMES,
              name = least <= usual ? usual
                     : least < most ? least
                                    : most;
    const int fewest = t->have.open == TABLE_TYPES ? OF_TYPES : OF_THINGS;
    int fewer[COLS_MOST], x, n = choose_in(t, t->from->nameless ? w : w - name, out, &x);
    *bar = has_amount(t) && w - x - 2 >= least + cols ? cols : 0;
    if (*bar || !has_amount(t) || choose_in(t, x - 1, fewer, &x) < fewest || w - x - 2 < least + cols)
        return n;
    memcpy(out, fewer, sizeof fewer);
    *bar = cols;
    return n - 1;
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* Returns whether names have two ends here: those of types may have one. */
static bool two_ends(const struct table *t)
{
    struct text name = {0};
    if (t->from->link && t->nrows)
        table_name(&name, t, &t->have, t->row[0]);
    const bool two = name.n && strstr(name.p, t->from->link);
    text_free(&name);
    return two;
}

/* Draws a name, its two ends in columns of their own; returns the column behind it. */
static int draw_name(struct grid *g, const struct view *v, struct str name, int x, int y, enum style s)
{
    char buf[1200];
    const char *link = v->table->from->link, *at = link ? memmem(name.p, name.len, link, strlen(link)) : NULL;
    enum { WIDEST = 48 };
    const int room = g->w - x, half = room / 2 < WIDEST ? room / 2 : WIDEST;
    if (at) {
        const struct str left = {name.p, (uint32_t)(at - name.p)};
        str_where(left, half - 1, glyph_dots(v->scr.tier), buf, sizeof buf);
        grid_str(g, x, y, half - 1, buf, s);
        at += strlen(link);
        name = (struct str){at, name.len - (uint32_t)(at - name.p)};
        x += half + 1;
    }
    str_where(name, g->w - x, glyph_dots(v->scr.tier), buf, sizeof buf);
    return grid_str(g, x, y, g->w - x, buf, s);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void draw_number(const struct view *v, enum tcol_kind k, int64_t x, char out[FMT_MAX])
{
    if (x <= TABLE_UNTIMED && k == TCOL_DUR)
        snprintf(out, FMT_MAX, TRI_UNTIMED);
    else if (x < 0 && k != TCOL_TIME)
        snprintf(out, FMT_MAX, "-");
    else if (k == TCOL_DUR)
        when_dur(v->tr, x, out);
    else if (k == TCOL_TIME)
        when_time(v->tr, x, trace_info(v->tr)->end / 100000 + 1, out);
    else if (k == TCOL_BYTES)
        fmt_bytes((uint64_t)x, out);
    else if (k == TCOL_MEAN && x)
        snprintf(out, FMT_MAX, x < 5000 ? "<0.01" : "%.*f",
                 x < 10000000    ? 2
                 : x < 100000000 ? 1
                                 : 0,
                 (double)x / SHARE_WHOLE);
    else if (k == TCOL_SHARE)
        share_of((double)x, SHARE_WHOLE, out);
    else
        fmt_count((uint64_t)x, out);
}

/* Draws a text in a column from x on: the first column has no blanks before it. */
static void in_column(struct grid *g, const struct tcol *k, int x, int y, enum style s, const char *text,
                      int mark)
{
    const bool left = k->kind == TCOL_TEXT;
    const int lead = x && left ? 2 - mark : 0, w = (k->w < g->w - x ? k->w : g->w - x) - lead;
    if (left)
        grid_str(g, x + lead, y, w, text, s);
    else
        grid_right(g, x, y, w, text, s);
}

/* The mark before the name of the sort column; it can't be mistaken for a letter of the name. */
static uint32_t order_mark(enum tier t, bool down)
{
    if (t == TIER_ASCII)
        return down ? '\\' : '/';
    return glyph_mark(t, down ? MARK_MORE_DOWN : MARK_MORE_UP);
}

static void table_titles(struct grid *g, const struct view *v, int y)
{
    const struct table *t = v->table;
    int c[COLS_MOST], bar, n = table_choose(t, g->w, c, &bar), x = 0;
    char mark[5], head[80];
    mark[utf8_write(order_mark(v->scr.tier, table_down(t, &t->have)), mark)] = 0;
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_RULER);
    for (int i = 0; i < n; i++) {
        struct tcol k = table_col(t, &t->have, c[i]);
        bool by = c[i] == t->have.sort;
        snprintf(head, sizeof head, "%s%s", by ? mark : "", k.head);
        in_column(g, &k, x, y, by ? STYLE_STATUS_KEY : STYLE_RULER, head, by);
        x += k.w;
    }
    bool by = t->have.sort == table_cols(t, &t->have) - 1;
    if (two_ends(t))
        snprintf(head, sizeof head, "%s%s%s%s", by ? mark : "", t->from->ends[0], t->from->link,
                 t->from->ends[1]);
    else
        snprintf(head, sizeof head, "%s%s", by ? mark : "",
                 t->have.open == TABLE_TYPES ? t->from->types : "what");
    x += bar;
    if (!t->from->nameless)
        draw_name(g, v, str_of(head), x + 2, y, by ? STYLE_STATUS_KEY : STYLE_RULER);
}

/* Sorts by the clicked column; if it is the sort column already, inverts the order. */
unsigned table_titled(struct view *v, int x)
{
    const struct table *t = v->table;
    int c[COLS_MOST], bar, n = table_choose(t, v->scr.w, c, &bar), i = 0;
    while (i < n && x >= table_col(t, &t->have, c[i]).w)
        x -= table_col(t, &t->have, c[i++]).w;
    const int col = i < n ? c[i] : table_cols(t, &t->have) - 1;
    return col == t->want.sort ? table_invert(v, 1) : table_sort(v, col - t->want.sort);
}

/* Returns the colour of a column's numbers, the same as its bars. */
static enum style colour_of(const struct table *t, int col)
{
    return table_col(t, &t->have, col).bar ? table_col(t, &t->have, col).bar
           : t->from->bar                  ? t->from->bar
                                           : STYLE_RUNNING;
}

/* Draws the row's sort value as a bar relative to the largest. */
static void draw_bar(struct grid *g, const struct view *v, uint32_t row, int x, int y)
{
    const struct table *t = v->table;
    const int by = t->have.sort;
    const int64_t a = table_value(t, &t->have, t->row[0], by),
                  b = table_value(t, &t->have, t->row[t->nrows - 1], by),
                  n = table_value(t, &t->have, t->row[row], by), most = a > b ? a : b;
    tri_bar(g, v, x, y, bar_cols(g->w), n, most, colour_of(t, by));
}

void table_row(struct grid *g, struct view *v, uint32_t row, int y, bool focus)
{
    const struct table *t = v->table;
    enum style s = focus ? STYLE_LANE_FOCUS : STYLE_NORMAL;
    int c[COLS_MOST], bar, n = table_choose(t, g->w, c, &bar), x = 0;
    char buf[FMT_MAX];
    struct text whole = {.ticks = when_ticks(v->tr)};
    if (focus)
        grid_fill(g, 0, y, g->w, 1, ' ', s);
    for (int i = 0; i < n; i++) {
        struct tcol k = table_col(t, &t->have, c[i]);
        whole.n = 0;
        const bool cell = table_cell(&whole, t, &t->have, t->row[row], c[i]);
        if (!cell)
            draw_number(v, k.kind, table_value(t, &t->have, t->row[row], c[i]), buf);
        in_column(g, &k, x, y, s, !cell ? buf : whole.n ? whole.p : "", 0);
        x += k.w;
    }
    if (bar)
        draw_bar(g, v, row, x + 2, y);
    x += bar;
    whole.n = 0;
    if (!t->from->nameless)
        table_name(&whole, t, &t->have, t->row[row]);
    x = draw_name(g, v, (struct str){whole.p ? whole.p : "", (uint32_t)whole.n}, x + 2, y, s);
    whole.n = 0;
    if (t->from->type_note && g->w - x >= ASIDE)
        t->from->type_note(&whole, t, &t->type[t->row[row]]);
    if (whole.n)
        (void)tri_say(g, x + 2, y, g->w - x - 2, focus ? s : STYLE_DIM, "%s", whole.p);
    text_free(&whole);
}

/* ---- the spectrum -------------------------------------------------------------------------------------- */

/*
 * Of what: of types the things of the one under the cursor, and how long these took; of things the column
 * they are sorted by, if it is a quantity.
 */
struct plot {
    const struct table *t;
    uint32_t first; /* of the type */
    int col;        /* -1: of a type's things */
};

static struct plot plot_of(const struct view *v, uint32_t *n)
{
    const struct table *t = v->table;
    if (t->have.open == TABLE_TYPES) {
        const struct ttype *k = v->at.row < t->nrows ? &t->type[t->row[v->at.row]] : NULL;
        *n = k ? k->kept : 0;
        return (struct plot){t, k ? k->first : 0, -1};
    }
    enum tcol_kind kind = table_col(t, &t->have, t->have.sort).kind;
    *n = t->nrows;
    return (struct plot){t, 0, kind == TCOL_TIME || kind == TCOL_NAME ? THING_TOOK : t->have.sort};
}

static void table_point(void *arg, uint32_t i, int64_t *at, int64_t *value)
{
    enum { AHEAD = 24 }; /* rows and things are ordered differently, so each access misses the cache */
    const struct plot *p = arg;
    if (p->col >= 0 && i + AHEAD < p->t->nrows)
        __builtin_prefetch(&p->t->thing[p->t->row[i + AHEAD]]);
    const struct thing *x = &p->t->thing[p->col < 0 ? p->first + i : p->t->row[i]];
    *at = x->t0;
    *value = p->col <= THING_TOOK ? x->t1 - x->t0 : p->t->sorted[i];
}

/* Blank lines below few rows make it taller. */
static int spectrum_rows(int h, uint32_t rows)
{
    int least = h >= 44 ? 14 : h >= 32 ? 10 : h >= 24 ? 8 : h >= 16 ? 6 : h >= 13 ? 4 : 0;
    int left = least ? h - 3 - least - (int)(rows < 1000 ? rows : 1000) : 0, most = least * 2;
    return left <= 0              ? least
           : least + left < most  ? least + left
           : most < SPECTRUM_ROWS ? most
                                  : SPECTRUM_ROWS;
}

static const struct spectrum *spectrum(const struct view *v, int h)
{
    struct table *t = v->table;
    struct spectrum *s = &t->spectrum;
    int most = spectrum_rows(h, t->nrows), columns = v->scr.w - spectrum_gutter(v->scr.w);
    uint32_t n;
    struct plot p = plot_of(v, &n);
    struct window win = t->have.windowed ? t->have.win : window_of(0, view_end(v));
    uint64_t key[4] = {t->made, (uint64_t)p.first << 32 | n, (uint64_t)most << 32 | (uint32_t)columns,
                       (uint64_t)win.t0 ^ (uint64_t)win.t1 << 1};
    if (!most || !n || (t->have.open == TABLE_TYPES && t->type_col))
        return NULL;
    if (memcmp(key, s->seen, sizeof key) == 0)
        return s;
    memcpy(s->seen, key, sizeof key);
    return spectrum_make(s, n, table_point, &p, most, columns, win) ? s : NULL;
}

struct labels {
    const struct view *v;
    enum tcol_kind kind;
    bool untimed; /* what is in the lowest row */
};

static void draw_label(void *arg, int64_t value, char *out, size_t size)
{
    const struct labels *l = arg;
    char buf[FMT_MAX];
    draw_number(l->v, l->kind, value, buf);
    if (l->untimed && !value) {
        snprintf(out, size, TRI_UNTIMED);
        return;
    }
    if (l->kind == TCOL_SHARE) /* rows may be smaller than what a cell tells apart */
        snprintf(buf, sizeof buf, "%.3g%%", 100.0 * (double)value / SHARE_WHOLE);
    snprintf(out, size, *buf == '<' ? "%.30s" : ">%.30s", fmt_round(buf));
}

static void draw_spectrum(const struct spectrum *s, struct grid *g, struct view *v, int y)
{
    const struct table *t = v->table;
    int x = spectrum_gutter(g->w);
    uint32_t n;
    struct plot p = plot_of(v, &n);
    struct labels l = {v, p.col < 0 ? TCOL_DUR : table_col(t, &t->have, p.col).kind, false};
    uint32_t type = t->have.open == TABLE_TYPES && v->at.row < t->nrows ? t->row[v->at.row] : t->have.open;
    l.untimed = p.col <= THING_TOOK && type < t->ntypes && t->type[type].untimed;
    int64_t at = NO_TIME, value = 0;
    if (p.col >= 0 && v->at.row < t->nrows)
        table_point(&p, v->at.row, &at, &value);
    const enum style colour = colour_of(t, p.col < 0 ? t->have.sort : p.col);
    spectrum_draw(s, g, x, y, &(struct spectrum_look){v->scr.tier, colour, draw_label, &l, at, value});
    grid_fill(g, 0, y + s->rows, g->w, 1, ' ', STYLE_RULER);
    ruler_draw(g, v->tr, v->scr.tier, s->win, x, y + s->rows, g->w - x, v->scr.clock);
}

/* ---- above the rows ------------------------------------------------------------------------------------ */

int table_head_lines(const struct view *v, int rows)
{
    if (v->table->from->above)
        return rows < 3 ? 0 : 1 + v->table->from->above(v, rows);
    const struct spectrum *s = spectrum(v, rows);
    return rows < 3 ? 0 : rows < 6 ? 1 : 2 + (s ? s->rows + 1 : 0);
}

/* Describes the rows: how many of how many, of which type, where; brief: in fewer words. */
static void about_text(struct text *line, const struct view *v, bool brief)
{
    const struct table *t = v->table;
    const struct table_order *o = &t->have;
    char n[FMT_MAX], m[FMT_MAX], a[FMT_MAX], b[FMT_MAX];
    if (o->open == TABLE_TYPES) {
        text_add(line, "%s: %s", t->from->types, fmt_count(t->nrows, n));
        if (t->from->things)
            text_add(line, "; %s: %s", t->from->things, fmt_count(t->all, m));
        else if (t->nrows < t->ntypes)
            text_add(line, " of %s", fmt_count(t->ntypes, m));
        if (t->cut)
            text_lit(line, ", the first of more");
    } else {
        uint64_t all = t->from->types && o->open < t->ntypes ? t->type[o->open].n : t->all;
        uint32_t listed = t->from->types && o->open < t->ntypes ? t->type[o->open].kept : t->n;
        text_say(line, NULL, t->from->things, t->from->types && o->open < t->ntypes ? " of " : "");
        if (t->from->types && o->open < t->ntypes)
            t->from->type_name(line, t, &t->type[o->open]);
        text_say(line, NULL, ": ", fmt_count(t->nrows, n));
        if (listed < all) {
            text_say(line, NULL, " of ", fmt_count(all, m), brief ? " from " : "; only those from ",
                     t_dur(t->least), brief ? " on" : " on are listed");
        } else if (t->nrows < all) {
            text_add(line, " of %s", fmt_count(all, m));
        }
    }
    if (o->windowed)
        text_add(line, ", within %s..%s", when_dur(v->tr, o->win.t0, a), when_dur(v->tr, o->win.t1, b));
    if (o->filter[0])
        text_add(line, ", filter: %s", o->filter);
}

static void table_about(struct grid *g, const struct view *v, int y)
{
    struct text line = {.ticks = when_ticks(v->tr)};
    char safe[1200];
    about_text(&line, v, false);
    if (line.n > (size_t)g->w) {
        line.n = 0;
        about_text(&line, v, true);
    }
    str_middle((struct str){line.p ? line.p : "", (uint32_t)line.n}, g->w, glyph_dots(v->scr.tier), safe,
               sizeof safe);
    grid_fill(g, 0, y, g->w, 1, ' ', STYLE_NORMAL);
    grid_str(g, 0, y, g->w, safe, STYLE_STATUS_KEY);
    text_free(&line);
}

void table_head(struct grid *g, struct view *v, int y, int n)
{
    const struct spectrum *s = &v->table->spectrum;
    const struct table_from *from = v->table->from;
    if (from->head)
        from->head(g, v, y, n - 1);
    if (n > 1 && (!from->head || v->table->have.filter[0]))
        table_about(g, v, y);
    if (n > 2 && !from->head)
        draw_spectrum(s, g, v, y + 1);
    table_titles(g, v, y + n - 1);
    if (!v->table->nrows)
        tri_note(g, 2, y + n, 3, v->table->all ? "nothing here passes the filter" : from->none);
}
