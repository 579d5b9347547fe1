/*
 * paint.c - see paint.h.
 *
 * A blank without an underline shows its ground alone, so it is kept as that: fg INK_DEFAULT, no attributes, bg what
 * is seen. (Reversed, that is its foreground; the terminal's own foreground as a ground is GROUND_FG.) Such blanks
 * compare equal however they were made, and any pen with that ground can write them.
 *
 * Erasing uses the pen's ground as it is without reverse; without `bce` only the default ground is erased to.
 */
#include "viewer/term/paint.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"

enum { GROUND_FG = -2 };

struct paint_cell {
    uint32_t glyph;
    bool wide, tail;
    struct paint_look look;
};

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static void put(struct painter *p, const char *s, size_t n)
{
    char *o = p->failed ? NULL : mem_grow(p->out, &p->cap, p->n + n, 1);
    if (!o) {
        p->failed = true;
        return;
    }
    p->out = o;
    memcpy(o + p->n, s, n);
    p->n += n;
}

static int digits(int v)
{
    int n = 1;
    for (; v >= 10; v /= 10)
        n++;
    return n;
}

static void put_csi(struct painter *p, int v, char final) /* CSI v final; 1 is what is left out */
{
    char s[16];
    int n = v == 1 ? snprintf(s, sizeof s, "\033[%c", final) : snprintf(s, sizeof s, "\033[%d%c", v, final);
    put(p, s, (size_t)n);
}

static int csi_len(int v)
{
    return v == 1 ? 3 : 3 + digits(v);
}

/* ---- looks ------------------------------------------------------------------------------------------------ */

static bool same_look(const struct paint_look *a, const struct paint_look *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->attrs == b->attrs;
}

static bool is_blank(const struct paint_cell *c)
{
    return c->glyph == ' ' && !(c->look.attrs & INK_UNDERLINE);
}

static bool same_cell(const struct paint_cell *a, const struct paint_cell *b)
{
    return a->glyph == b->glyph && a->wide == b->wide && a->tail == b->tail && same_look(&a->look, &b->look);
}

static int32_t ground(const struct paint_look *l)
{
    return !(l->attrs & INK_REVERSE) ? l->bg : l->fg == INK_DEFAULT ? GROUND_FG : l->fg;
}

static struct paint_cell cell_of(const struct grid *g, const struct ink *inks, int x, int y, int w)
{
    const struct cell *c = &g->cells[(size_t)y * (size_t)g->w + (size_t)x];
    const struct ink *k = &inks[c->style < STYLE_COUNT ? c->style : STYLE_NORMAL];
    struct paint_cell out = {.glyph = c->glyph >= 0x20 ? c->glyph : ' ', .look = {k->fg, k->bg, k->attrs}};
    if (c->flags & CELL_BOLD)
        out.look.attrs |= INK_BOLD;
    if (c->flags & CELL_UNDERLINE)
        out.look.attrs |= INK_UNDERLINE;
    if (c->flags & CELL_REVERSE)
        out.look.attrs ^= INK_REVERSE;
    out.tail = (c->flags & CELL_TAIL) && x > 0;
    if (out.tail)
        out.glyph = 0;
    out.wide = (c->flags & CELL_WIDE) && x + 1 < w;
    if ((c->flags & CELL_WIDE) && !out.wide)
        out.glyph = ' '; /* its right half would stand outside */
    if (is_blank(&out))
        out.look = (struct paint_look){INK_DEFAULT, ground(&out.look), 0};
    return out;
}

static int put_color(const struct painter *p, char *s, size_t size, int32_t v, bool fg)
{
    int base = fg ? 30 : 40;
    if (v == INK_DEFAULT)
        return snprintf(s, size, "%d;", base + 9);
    if (p->depth == DEPTH_TRUE)
        return snprintf(s, size, "%d;2;%d;%d;%d;", base + 8, v >> 16 & 255, v >> 8 & 255, v & 255);
    if (v < 8)
        return snprintf(s, size, "%d;", base + v);
    if (v < 16)
        return snprintf(s, size, "%d;", base + 60 + v - 8);
    return snprintf(s, size, "%d;5;%d;", base + 8, v);
}

static int put_attrs(char *s, uint32_t attrs)
{
    static const struct {
        uint32_t attr;
        char digit;
    } of[] = {{INK_BOLD, '1'}, {INK_DIM, '2'}, {INK_UNDERLINE, '4'}, {INK_REVERSE, '7'}};
    int n = 0;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (!(attrs & of[i].attr))
            continue;
        s[n++] = of[i].digit;
        s[n++] = ';';
    }
    return n;
}

/* From the pen as it is, or from nothing: whichever is shorter. */
static void set_pen(struct painter *p, struct paint_look to)
{
    char a[96] = "", b[96] = "0;";
    int na = 0, nb = 2;
    struct paint_look was = p->pen;
    if (same_look(&was, &to))
        return;
    if (was.attrs & ~to.attrs & (INK_BOLD | INK_DIM)) { /* one sequence ends both */
        na += snprintf(a + na, sizeof a - (size_t)na, "22;");
        was.attrs &= ~(unsigned)(INK_BOLD | INK_DIM);
    }
    if (was.attrs & ~to.attrs & INK_UNDERLINE)
        na += snprintf(a + na, sizeof a - (size_t)na, "24;");
    if (was.attrs & ~to.attrs & INK_REVERSE)
        na += snprintf(a + na, sizeof a - (size_t)na, "27;");
    na += put_attrs(a + na, to.attrs & ~was.attrs);
    if (to.fg != was.fg)
        na += put_color(p, a + na, sizeof a - (size_t)na, to.fg, true);
    if (to.bg != was.bg)
        na += put_color(p, a + na, sizeof a - (size_t)na, to.bg, false);
    nb += put_attrs(b + nb, to.attrs);
    if (to.fg != INK_DEFAULT)
        nb += put_color(p, b + nb, sizeof b - (size_t)nb, to.fg, true);
    if (to.bg != INK_DEFAULT)
        nb += put_color(p, b + nb, sizeof b - (size_t)nb, to.bg, false);
    put(p, "\033[", 2);
    if (nb == 2)
        put(p, "m", 1); /* CSI m is CSI 0 m */
    else {
        char *s = nb < na ? b : a;
        int n = nb < na ? nb : na;
        s[n - 1] = 'm';
        put(p, s, (size_t)n);
    }
    p->pen = to;
}

/* A pen that writes blanks with this ground; erasing: without reverse, too. */
static void set_ground(struct painter *p, int32_t bg, bool erasing)
{
    struct paint_look l = p->pen;
    if (ground(&l) == bg && !(l.attrs & INK_UNDERLINE) && !(erasing && (l.attrs & INK_REVERSE)))
        return;
    l.attrs &= ~(unsigned)INK_UNDERLINE;
    if (bg == GROUND_FG) {
        l = (struct paint_look){INK_DEFAULT, INK_DEFAULT, INK_REVERSE};
    } else {
        l.attrs &= ~(unsigned)INK_REVERSE;
        l.bg = bg;
    }
    set_pen(p, l);
}

/* ---- moving ----------------------------------------------------------------------------------------------- */

static void move_to(struct painter *p, int x, int y)
{
    char s[24];
    if (p->x == x && p->y == y)
        return;
    if (p->y == y && p->x >= 0) {
        if (x == 0)
            put(p, "\r", 1);
        else if (x > p->x)
            put_csi(p, x - p->x, 'C');
        else
            put_csi(p, x + 1, 'G');
    } else if (x == 0 && p->y >= 0 && y == p->y + 1) {
        put(p, "\r\n", 2);
    } else {
        int n = x ? snprintf(s, sizeof s, "\033[%d;%dH", y + 1, x + 1) : snprintf(s, sizeof s, "\033[%dH", y + 1);
        put(p, s, (size_t)n);
    }
    p->x = x;
    p->y = y;
}

/* ---- a row ------------------------------------------------------------------------------------------------ */

enum { LAYERS = 30, CLEAN = 255, LOOSE = 254 }; /* LOOSE: a blank that goes with any look of its ground */

struct row {
    struct painter *p;
    struct paint_cell *was, *now;
    int y, w;
    uint8_t *layer;                 /* of each column that changed; CLEAN */
    struct paint_look look[LAYERS]; /* of each layer */
    int count[LAYERS], n;
    bool bare[LAYERS];    /* blanks alone: the ground is all that matters */
    uint8_t rank[LAYERS]; /* which turn a layer has */
    int turn;             /* under way; -1: all at once */
    char keep[8192];
};

static void wrote(struct painter *p, int n)
{
    p->x += n;
    if (p->x >= p->w)
        p->x = p->y = -1; /* behind the last column: terminals differ */
}

static bool fits(const struct paint_cell *blank, const struct paint_look *l)
{
    return ground(l) == blank->look.bg && !(l->attrs & INK_UNDERLINE);
}

static bool erasable(const struct painter *p, int32_t bg)
{
    return bg == INK_DEFAULT || (p->bce && bg != GROUND_FG);
}

/* How many columns from x on can be written as this one is: equal ones, and what is painted over later. */
static int run_from(const struct row *r, int x)
{
    const struct paint_cell *c = &r->now[x];
    uint8_t layer = r->layer[x];
    int n = 1, len = c->glyph < 0x80 ? 1 : 3;
    bool cheap = is_blank(c) ? erasable(r->p, c->look.bg) : r->p->rep;
    for (;;) {
        while (x + n < r->w && r->layer[x + n] == layer && same_cell(&r->now[x + n], c))
            n++;
        int over = 0;
        for (; x + n + over < r->w; over++) {
            uint8_t l = r->layer[x + n + over];
            if (l == CLEAN ? !same_cell(&r->now[x + n + over], c) : r->rank[l] <= r->rank[layer])
                break;
        }
        if (!over || x + n + over >= r->w || r->layer[x + n + over] != layer ||
            !same_cell(&r->now[x + n + over], c) ||
            (!cheap && len > 1)) /* (stepping over that is cheaper: bridge()) */
            return n;
        n += over;
    }
}

static void put_blanks(const struct row *r, int x, int n)
{
    struct painter *p = r->p;
    int32_t bg = r->now[x].look.bg;
    bool can = erasable(p, bg), to_end = true;
    for (int k = x + n; k < r->w && to_end; k++)
        to_end = same_cell(&r->now[k], &r->now[x]);
    bool erase = can && (n > 9 || (to_end && n > 3));
    set_ground(p, bg, erase);
    if (erase && to_end) {
        put(p, "\033[K", 3);
    } else if (erase) {
        put_csi(p, n, 'X'); /* the cursor stays */
    } else {
        for (int i = 0; i < n; i++)
            put(p, " ", 1);
        wrote(p, n);
    }
}

/* Write the cell at x, and what can go with it. Returns how many columns are done. */
static int write_run(const struct row *r, int x)
{
    struct painter *p = r->p;
    const struct paint_cell *c = &r->now[x];
    char utf8[4];
    if (c->wide || c->tail) { /* (a half that stands alone is written as a blank) */
        int n = c->wide ? str_utf8(c->glyph, utf8) : 1;
        set_pen(p, c->look);
        put(p, c->wide ? utf8 : " ", (size_t)n);
        wrote(p, c->wide ? 2 : 1);
        return c->wide ? 2 : 1;
    }
    int n = run_from(r, x), len = str_utf8(c->glyph, utf8), more = n - 1;
    if (is_blank(c)) {
        put_blanks(r, x, n);
        return n;
    }
    set_pen(p, c->look);
    put(p, utf8, (size_t)len);
    if (p->rep && more * len > csi_len(more) + len) {
        int rep = x + n < p->w ? more : more - 1; /* not into the last column */
        put_csi(p, rep, 'b');
        more -= rep;
    }
    for (int i = 0; i < more; i++)
        put(p, utf8, (size_t)len);
    wrote(p, n);
    return n;
}

/* What is painted in a later turn: until then it may show anything. */
static bool later(const struct row *r, int x)
{
    return r->turn >= 0 && r->layer[x] != CLEAN && r->rank[r->layer[x]] > r->turn;
}

/* Is [from,to) cheaper written again, or with blanks that are painted over, than stepped over? Only with this pen. */
static bool bridge(const struct row *r, int from, int to)
{
    struct painter *p = r->p;
    int bytes = 0, most = csi_len(to - from);
    char utf8[4];
    for (int x = from; x < to && bytes <= most; x++) {
        const struct paint_cell *c = &r->now[x];
        if (later(r, x)) {
            bytes++;
            continue;
        }
        if (c->wide || c->tail || !same_cell(c, &r->was[x]))
            return false;
        if (is_blank(c) ? !fits(c, &p->pen) : !same_look(&c->look, &p->pen))
            return false;
        bytes += str_utf8(c->glyph, utf8);
    }
    return bytes <= most;
}

static void paint_at(struct row *r, int x)
{
    struct painter *p = r->p;
    if (p->y == r->y && p->x >= 0 && p->x < x && bridge(r, p->x, x))
        for (; p->x < x; p->x++) {
            char utf8[4];
            if (later(r, p->x))
                put(p, " ", 1);
            else
                put(p, utf8, (size_t)str_utf8(r->now[p->x].glyph, utf8));
        }
    move_to(p, x, r->y);
}

static uint8_t layer_of(struct row *r, const struct paint_look *l, bool bare)
{
    int i = 0;
    while (i < r->n && (!same_look(&r->look[i], l) || r->bare[i] != bare))
        i++;
    if (i == r->n && i < LAYERS) {
        r->look[i] = *l;
        r->bare[i] = bare;
        r->count[i] = 0;
        r->n++;
    }
    if (i < LAYERS)
        r->count[i]++;
    return i < LAYERS ? (uint8_t)i : 0;
}

/* Which look each changed column is written with; blanks go with a neighbour. false: nothing has changed. */
static bool sort_out(struct row *r)
{
    bool any = false;
    r->n = 0;
    for (int x = 0; x < r->w; x++) {
        const struct paint_cell *c = &r->now[x];
        bool dirty = !same_cell(&r->was[x], c);
        if (dirty && c->tail && x > 0 && r->now[x - 1].wide &&
            r->layer[x - 1] == CLEAN) /* its left half writes both */
            r->layer[x - 1] = layer_of(r, &r->now[x - 1].look, false);
        if (x > 0 && c->tail && r->now[x - 1].wide && r->layer[x - 1] != CLEAN)
            r->layer[x] = r->layer[x - 1];
        else if (!dirty)
            r->layer[x] = CLEAN;
        else if (!is_blank(c))
            r->layer[x] = layer_of(r, &c->look, false);
        else if (x > 0 && r->layer[x - 1] < LOOSE && fits(c, &r->look[r->layer[x - 1]]))
            r->layer[x] = r->layer[x - 1];
        else
            r->layer[x] = LOOSE;
        any |= r->layer[x] != CLEAN;
    }
    for (int x = r->w - 1; x >= 0; x--) {
        if (r->layer[x] != LOOSE)
            continue;
        if (x + 1 < r->w && r->layer[x + 1] < LOOSE && fits(&r->now[x], &r->look[r->layer[x + 1]]))
            r->layer[x] = r->layer[x + 1];
        else
            r->layer[x] = layer_of(r, &r->now[x].look, true);
    }
    return any;
}

/* The order of layers, the largest first; false: there is nothing to gain from one after another. */
static bool rank_layers(struct row *r)
{
    int changes = 0;
    uint8_t last = CLEAN;
    for (int x = 0; x < r->w; x++) {
        if (r->layer[x] == CLEAN)
            continue;
        changes += r->layer[x] != last;
        last = r->layer[x];
    }
    for (int i = 0; i < r->n; i++) {
        r->rank[i] = 0;
        for (int k = 0; k < r->n; k++)
            r->rank[i] += r->count[k] > r->count[i] || (k < i && r->count[k] == r->count[i]);
    }
    return r->n < LAYERS && changes > r->n + 1;
}

/* turn -1: from left to right, whatever the layer. */
static void paint_turn(struct row *r, int turn)
{
    r->turn = turn;
    for (int x = 0; x < r->w;) {
        if (r->layer[x] == CLEAN || (turn >= 0 && r->rank[r->layer[x]] != turn)) {
            x++;
            continue;
        }
        paint_at(r, x);
        x += write_run(r, x);
    }
}

/* From left to right, or one layer after another: both are tried. */
static void paint_row(struct row *r)
{
    /* cppcheck-suppress ctuuninitvar ; what isn't set yet sort_out() and rank_layers() fill: all of it is 9 KiB */
    struct painter *p = r->p;
    if (!sort_out(r))
        return;
    if (rank_layers(r)) {
        struct painter before = *p;
        for (int i = 0; i < r->n; i++)
            paint_turn(r, i);
        size_t layered = p->n;
        struct paint_look pen = p->pen;
        int x = p->x, y = p->y;
        char *keep = layered - before.n <= sizeof r->keep && !p->failed ? r->keep : NULL;
        if (keep) {
            memcpy(keep, p->out + before.n, layered - before.n);
            p->n = before.n;
            p->pen = before.pen;
            p->x = before.x;
            p->y = before.y;
            memset(r->rank, 0, sizeof r->rank);
            paint_turn(r, -1);
            if (p->n > layered && !p->failed) {
                memcpy(p->out + before.n, keep, layered - before.n);
                p->n = layered;
                p->pen = pen;
                p->x = x;
                p->y = y;
            }
        }
    } else {
        memset(r->rank, 0, sizeof r->rank);
        paint_turn(r, -1);
    }
    memcpy(r->was, r->now, (size_t)r->w * sizeof *r->was);
}

/* ---- what has moved --------------------------------------------------------------------------------------- */

static const struct paint_cell nothing = {.glyph = ' ', .look = {INK_DEFAULT, INK_DEFAULT, 0}};

static struct paint_cell *row_of(struct painter *p, struct paint_cell *rows, int y)
{
    return rows + (size_t)y * (size_t)p->w;
}

static uint64_t row_hash(const struct paint_cell *c, int w)
{
    uint64_t h = 1;
    for (int x = 0; x < w; x++) {
        h = (h ^ c[x].glyph ^ (uint64_t)(uint32_t)c[x].look.fg << 21) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29 ^ (uint64_t)(uint32_t)c[x].look.bg << 8 ^ c[x].look.attrs;
    }
    return h;
}

/* Rows [y0,y1) go up by n (< 0: down); those that come in are blank. */
static void scroll(struct painter *p, int y0, int y1, int n)
{
    char s[32];
    int k = n < 0 ? -n : n, stay = y1 - y0 - k;
    int len = snprintf(s, sizeof s, "\033[%d;%dr", y0 + 1, y1);
    put(p, s, (size_t)len);
    len = snprintf(s, sizeof s, "\033[%dH", n > 0 ? y1 : y0 + 1);
    put(p, s, (size_t)len);
    for (int i = 0; i < k; i++)
        put(p, n > 0 ? "\n" : "\033M", n > 0 ? 1 : 2);
    put(p, "\033[r", 3);
    p->x = p->y = -1;
    memmove(row_of(p, p->shown, n > 0 ? y0 : y0 + k), row_of(p, p->shown, n > 0 ? y0 + k : y0),
            (size_t)stay * (size_t)p->w * sizeof *p->shown);
    struct paint_cell *in = row_of(p, p->shown, n > 0 ? y1 - k : y0);
    for (int i = 0; i < k * p->w; i++)
        in[i] = nothing;
}

/* Have rows moved up or down, most of them by the same number? */
static void scroll_rows(struct painter *p, struct paint_cell *now)
{
    enum { ROWS = 256 };
    uint64_t was[ROWS], is[ROWS], bare = 0;
    int h = p->h, best = 0, gain = 3, top = 0, end = 0;
    if (h > ROWS || h < 4)
        return;
    int differ = 0;
    for (int y = 0; y < h; y++) {
        was[y] = row_hash(row_of(p, p->shown, y), p->w);
        is[y] = row_hash(row_of(p, now, y), p->w);
        differ += was[y] != is[y];
    }
    for (int x = 0; x < p->w; x++)
        row_of(p, p->shown, h)[x] = nothing;
    bare = row_hash(row_of(p, p->shown, h), p->w);
    for (int d = 1 - h; d < h && differ > gain; d++) {
        int won = 0, first = -1, last = -1;
        for (int y = d < 0 ? -d : 0; y < h && y + d < h && d; y++)
            if (is[y] == was[y + d] && is[y] != was[y] && is[y] != bare) {
                won++;
                first = first < 0 ? y : first;
                last = y;
            }
        for (int y = d < 0 ? first + d : first; won > gain && y <= (d > 0 ? last + d : last); y++) /* what would go */
            won -= is[y] == was[y] && is[y] != bare && (y < first || y > last || is[y] != was[y + d]);
        if (won > gain) {
            gain = won;
            best = d;
            top = first;
            end = last + 1;
        }
    }
    if (best > 0)
        scroll(p, top, end + best, best);
    else if (best < 0)
        scroll(p, top + best, end, best);
}

/* How many cells from x0 on differ if the row goes left by n first. */
static int differing(const struct painter *p, const struct paint_cell *was, const struct paint_cell *now, int x0,
                     int n)
{
    int k = 0;
    for (int x = x0; x < p->w; x++) {
        const struct paint_cell *c = x + n < x0 || x + n >= p->w ? &nothing : &was[x + n];
        if (was[x].wide || was[x].tail)
            return p->w; /* halves would be torn apart */
        k += !same_cell(c, &now[x]);
    }
    return k;
}

/* The right part of rows, from x0 on, has gone left by n, it is said. */
static void shift_rows(struct painter *p, struct paint_cell *now, int x0, int n)
{
    int k = n < 0 ? -n : n;
    if (!n || x0 < 0 || k > (p->w - x0) / 2)
        return; /* beyond half of it CSI @ leaves old cells in between in some tmux */
    for (int y = 0; y < p->h; y++) {
        struct paint_cell *was = row_of(p, p->shown, y), *is = row_of(p, now, y);
        if (differing(p, was, is, x0, n) + 6 > differing(p, was, is, x0, 0))
            continue;
        if (p->x == x0 && p->y == y - 1)
            put(p, "\033[B", 3);
        else {
            p->x = -1;
            move_to(p, x0, y);
        }
        p->x = x0;
        p->y = y;
        put_csi(p, k, n > 0 ? 'P' : '@'); /* the cursor stays */
        struct paint_cell *to = was + x0 + (n < 0 ? k : 0), *in = n > 0 ? was + p->w - k : was + x0;
        memmove(to, was + x0 + (n > 0 ? k : 0), (size_t)(p->w - x0 - k) * sizeof *was);
        for (int i = 0; i < k; i++)
            in[i] = nothing;
    }
}

/* ---- a picture -------------------------------------------------------------------------------------------- */

bool paint_blank(struct painter *p, int w, int h)
{
    struct paint_cell *c = mem_grow(p->shown, &p->cap_shown, (size_t)(2 * h + 1) * (size_t)w, sizeof *c);
    uint8_t *l = mem_grow(p->layer, &p->cap_layer, (size_t)w, 1);
    p->w = p->h = 0;
    if (c)
        p->shown = c;
    if (l)
        p->layer = l;
    if (!c || !l)
        return false;
    p->w = w;
    p->h = h;
    for (size_t i = 0; i < (size_t)w * (size_t)h; i++)
        c[i] = nothing;
    p->pen = (struct paint_look){INK_DEFAULT, INK_DEFAULT, 0};
    p->x = p->y = -1;
    return true;
}

bool paint_grid(struct painter *p, const struct grid *g, const struct ink inks[STYLE_COUNT], int cx, int cy)
{
    struct paint_cell *now = row_of(p, p->shown, p->h + 1); /* behind what is shown, and one row between */
    size_t begun;
    p->n = 0;
    p->failed = false;
    p->x = p->y = -1; /* others may have moved it */
    if (p->sync)
        put(p, "\033[?2026h", 8);
    begun = p->n;
    for (int y = 0; y < p->h; y++) {
        struct paint_cell *row = row_of(p, now, y);
        int w = y < g->h ? (g->w < p->w ? g->w : p->w) : 0;
        for (int x = 0; x < w; x++)
            row[x] = cell_of(g, inks, x, y, w);
        for (int x = w; x < p->w; x++)
            row[x] = nothing;
    }
    if (p->shift)
        shift_rows(p, now, g->moved_x, g->moved);
    if (p->scroll && !g->moved)
        scroll_rows(p, now);
    for (int y = 0; y < p->h && !p->failed; y++) {
        struct row r;
        r.p = p;
        r.was = row_of(p, p->shown, y);
        r.now = row_of(p, now, y);
        r.y = y;
        r.w = p->w;
        r.layer = p->layer;
        paint_row(&r);
    }
    set_pen(p, (struct paint_look){INK_DEFAULT, INK_DEFAULT, 0});
    if (cx >= 0 && cy >= 0 && cx < p->w && cy < p->h)
        move_to(p, cx, cy);
    if (p->n == begun)
        p->n = 0;
    else if (p->sync)
        put(p, "\033[?2026l", 8);
    return !p->failed;
}

void paint_free(struct painter *p)
{
    mem_free(p->shown);
    mem_free(p->layer);
    mem_free(p->out);
    *p = (struct painter){0};
}
