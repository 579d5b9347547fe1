/*
 * test_viewer_paint.c - what paint.c sends, taken by a small terminal of our own, must show the grid: any grid behind
 * any other, with and without the optional sequences. And it must not send much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "viewer/term/paint.h"

static uint64_t seed = 1;

static unsigned rnd(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}

/* ---- a terminal ---- */

struct tcell {
    uint32_t glyph;
    bool wide, tail;
    struct paint_look look;
};
struct tty {
    int w, h, x, y;
    bool bce, rep, shift, scroll, edge; /* edge: behind the last column, where terminals differ */
    int top, end;                       /* rows that a line feed and ESC M scroll */
    struct paint_look pen;
    uint32_t last;
    struct tcell c[60 * 200];
};

static struct tcell blank(const struct tty *t)
{
    struct paint_look l = {INK_DEFAULT, t->bce ? t->pen.bg : INK_DEFAULT, 0};
    return (struct tcell){.glyph = ' ', .look = l};
}

static void set(struct tty *t, int x, struct tcell c)
{
    struct tcell *row = &t->c[t->y * t->w];
    if (row[x].tail && x > 0) /* half of a wide one goes, and with it the other */
        row[x - 1] = (struct tcell){.glyph = ' ', .look = row[x - 1].look};
    if (row[x].wide && x + 1 < t->w && row[x + 1].tail)
        row[x + 1] = (struct tcell){.glyph = ' ', .look = row[x + 1].look};
    row[x] = c;
}

static void put_glyph(struct tty *t, uint32_t cp)
{
    bool wide = cp == 0x4e16;
    assert_false(t->edge);
    assert_true(t->x + wide < t->w);
    set(t, t->x, (struct tcell){.glyph = cp, .wide = wide, .look = t->pen});
    if (wide)
        set(t, t->x + 1, (struct tcell){.tail = true, .look = t->pen});
    if (wide)
        t->c[t->y * t->w + t->x].wide = true;
    t->last = cp;
    t->x += 1 + wide;
    t->edge = t->x >= t->w;
}

static void sgr(struct tty *t, const int *a, int n)
{
    for (int i = 0; i < n; i++) {
        int v = a[i];
        if (v == 0)
            t->pen = (struct paint_look){INK_DEFAULT, INK_DEFAULT, 0};
        else if (v == 1)
            t->pen.attrs |= INK_BOLD;
        else if (v == 2)
            t->pen.attrs |= INK_DIM;
        else if (v == 4)
            t->pen.attrs |= INK_UNDERLINE;
        else if (v == 7)
            t->pen.attrs |= INK_REVERSE;
        else if (v == 22)
            t->pen.attrs &= ~(unsigned)(INK_BOLD | INK_DIM);
        else if (v == 24)
            t->pen.attrs &= ~(unsigned)INK_UNDERLINE;
        else if (v == 27)
            t->pen.attrs &= ~(unsigned)INK_REVERSE;
        else if (v == 39)
            t->pen.fg = INK_DEFAULT;
        else if (v == 49)
            t->pen.bg = INK_DEFAULT;
        else if (v >= 30 && v < 38)
            t->pen.fg = v - 30;
        else if (v >= 40 && v < 48)
            t->pen.bg = v - 40;
        else if (v >= 90 && v < 98)
            t->pen.fg = v - 90 + 8;
        else if (v >= 100 && v < 108)
            t->pen.bg = v - 100 + 8;
        else if (v == 38 || v == 48) {
            int32_t c = -5;
            if (i + 2 < n && a[i + 1] == 5)
                c = a[i + 2], i += 2;
            else if (i + 4 < n && a[i + 1] == 2)
                c = a[i + 2] << 16 | a[i + 3] << 8 | a[i + 4], i += 4;
            assert_int_not_equal(c, -5);
            *(v == 38 ? &t->pen.fg : &t->pen.bg) = c;
        } else {
            fail_msg("SGR %d", v);
        }
    }
}

static size_t csi(struct tty *t, const char *s, size_t n)
{
    int a[32] = {0}, k = 0, digits = 0;
    size_t i = 0;
    bool private = n && s[0] == '?';
    for (i += private; i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'); i++) {
        if (s[i] == ';') {
            k++;
            digits = 0;
            assert_true(k < 31);
        } else {
            a[k] = a[k] * 10 + s[i] - '0';
            digits++;
        }
    }
    (void)digits;
    assert_true(i < n);
    int v = a[0] ? a[0] : 1;
    switch (s[i]) {
    case 'm': sgr(t, a, k + 1); break;
    case 'H':
        t->y = v - 1;
        t->x = a[1] ? a[1] - 1 : 0;
        t->edge = false;
        break;
    case 'C':
        assert_false(t->edge);
        t->x += v;
        assert_true(t->x < t->w);
        break;
    case 'G':
        assert_false(t->edge);
        t->x = v - 1;
        break;
    case 'K':
        assert_false(t->edge);
        for (int x = t->x; x < t->w; x++)
            set(t, x, blank(t));
        assert_false(t->pen.attrs & (INK_REVERSE | INK_UNDERLINE)); /* terminals differ in what that leaves */
        break;
    case 'X':
        assert_false(t->edge);
        assert_true(t->x + v <= t->w);
        for (int x = t->x; x < t->x + v; x++)
            set(t, x, blank(t));
        assert_false(t->pen.attrs & (INK_REVERSE | INK_UNDERLINE));
        break;
    case 'b':
        assert_true(t->rep);
        for (int j = 0; j < v; j++)
            put_glyph(t, t->last);
        break;
    case 'P':
    case '@': {
        struct tcell *row = &t->c[t->y * t->w];
        assert_true(t->shift && !t->edge && t->x + v <= t->w);
        assert_int_equal(t->pen.attrs, 0);
        for (int x = t->x; x < t->w; x++) /* terminals differ in what is left of a torn one */
            assert_false(row[x].wide || row[x].tail);
        if (s[i] == 'P')
            memmove(row + t->x, row + t->x + v, (size_t)(t->w - t->x - v) * sizeof *row);
        else
            memmove(row + t->x + v, row + t->x, (size_t)(t->w - t->x - v) * sizeof *row);
        for (int x = 0; x < v; x++)
            row[s[i] == 'P' ? t->w - v + x : t->x + x] = blank(t);
        break;
    }
    case 'B':
        assert_false(t->edge);
        t->y += v;
        assert_true(t->y < t->h);
        break;
    case 'r':
        assert_true(t->scroll);
        t->top = a[0] ? a[0] - 1 : 0;
        t->end = a[1] ? a[1] : t->h;
        assert_true(t->top + 1 < t->end && t->end <= t->h);
        t->x = t->y = 0;
        t->edge = false;
        break;
    case 'h':
    case 'l': assert_true(private && a[0] == 2026); break;
    default: fail_msg("CSI %c", s[i]);
    }
    return i + 1;
}

/* The region up or down by one row. */
static void scroll(struct tty *t, bool up)
{
    struct tcell *from = &t->c[(t->top + up) * t->w], *to = &t->c[(t->top + !up) * t->w];
    assert_true(t->scroll && !t->pen.attrs);
    memmove(to, from, (size_t)(t->end - t->top - 1) * (size_t)t->w * sizeof *to);
    for (int x = 0; x < t->w; x++)
        t->c[(up ? t->end - 1 : t->top) * t->w + x] = blank(t);
}

static void take(struct tty *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        if (c == 27 && i + 1 < n && s[i + 1] == 'M') {
            if (t->y == t->top)
                scroll(t, false);
            else
                t->y--;
            i += 2;
        } else if (c == 27) {
            assert_true(i + 1 < n && s[i + 1] == '[');
            i += 2;
            i += csi(t, s + i, n - i);
        } else if (c == '\r') {
            t->x = 0;
            t->edge = false;
            i++;
        } else if (c == '\n') {
            if (t->y + 1 == t->end && t->scroll)
                scroll(t, true);
            else
                t->y++;
            assert_true(t->y < t->h);
            i++;
        } else {
            uint32_t at = 0;
            int width;
            assert_true(c >= 0x20);
            put_glyph(t, str_next((struct str){s + i, (uint32_t)(n - i)}, &at, &width));
            i += at;
        }
    }
}

static void clear(struct tty *t, int w, int h)
{
    t->w = w;
    t->h = h;
    t->x = t->y = 0;
    t->top = 0;
    t->end = h;
    t->edge = false;
    t->pen = (struct paint_look){INK_DEFAULT, INK_DEFAULT, 0};
    for (int i = 0; i < w * h; i++)
        t->c[i] = blank(t);
}

/* What is seen of a blank is its ground. -3: the terminal's own foreground as ground. */
static int32_t ground(const struct paint_look *l)
{
    return !(l->attrs & INK_REVERSE) ? l->bg : l->fg == INK_DEFAULT ? -3 : l->fg;
}

static void shows(const struct tty *t, const struct grid *g, const struct ink *inks)
{
    for (int y = 0; y < t->h; y++)
        for (int x = 0; x < t->w; x++) {
            const struct cell *c = grid_at(g, x, y);
            const struct tcell *s = &t->c[y * t->w + x];
            struct paint_look l = {INK_DEFAULT, INK_DEFAULT, 0};
            uint32_t glyph = ' ';
            bool tail = false;
            if (c) {
                l = (struct paint_look){inks[c->style].fg, inks[c->style].bg, inks[c->style].attrs};
                l.attrs |= (c->flags & CELL_BOLD ? INK_BOLD : 0u) | (c->flags & CELL_UNDERLINE ? INK_UNDERLINE : 0u);
                l.attrs ^= c->flags & CELL_REVERSE ? INK_REVERSE : 0u;
                glyph = c->glyph;
                tail = c->flags & CELL_TAIL;
            }
            if (tail ? !s->tail : s->glyph != glyph)
                fail_msg("%d,%d: shows %x, shall %x", x, y, s->glyph, glyph);
            if (tail)
                continue;
            if (glyph == ' ' && !(l.attrs & INK_UNDERLINE)) {
                if (ground(&l) != ground(&s->look) || s->look.attrs & INK_UNDERLINE)
                    fail_msg("%d,%d: the ground of a blank is wrong", x, y);
            } else if (l.fg != s->look.fg || l.bg != s->look.bg || l.attrs != s->look.attrs) {
                fail_msg("%d,%d: fg %d bg %d attrs %u, shall %d %d %u", x, y, s->look.fg, s->look.bg, s->look.attrs,
                         l.fg, l.bg, l.attrs);
            }
        }
}

/* ---- pictures ---- */

static void some_inks(struct ink inks[STYLE_COUNT], enum depth d)
{
    int n = d == DEPTH_TRUE ? 0x1000000 : d == DEPTH_256 ? 256 : d == DEPTH_16 ? 16 : 8;
    for (int i = 0; i < STYLE_COUNT; i++) {
        bool none = d == DEPTH_MONO;
        inks[i] = (struct ink){none || rnd(4) == 0 ? INK_DEFAULT : (int32_t)rnd((unsigned)n),
                               none || rnd(3) ? INK_DEFAULT : (int32_t)rnd((unsigned)n), rnd(4) ? 0 : rnd(16)};
    }
    inks[STYLE_NORMAL] = (struct ink){INK_DEFAULT, INK_DEFAULT, 0};
}

static void scribble(struct grid *g, unsigned styles)
{
    static const uint32_t glyphs[] = {' ', ' ', 'x', 0x2588, 0x2500, 0x2581};
    for (int k = 0, n = (int)rnd(60); k < n; k++) {
        int x = (int)rnd((unsigned)g->w), y = (int)rnd((unsigned)g->h), w = 1 + (int)rnd(rnd(3) ? 4 : 40);
        enum style s = (enum style)rnd(styles);
        if (rnd(12) == 0)
            grid_str(g, x, y, w, "\xe4\xb8\x96\xe4\xb8\x96 ab", s);
        else
            grid_fill(g, x, y, w, 1, glyphs[rnd(6)], s);
        if (rnd(5) == 0)
            grid_flags(g, x, y, w, 1, (uint16_t)(1u << rnd(3)));
        if (rnd(9) == 0) { /* colours by turns, as lanes have them */
            uint32_t a = glyphs[2 + rnd(4)], b = glyphs[rnd(6)];
            for (int i = 0; i < w * 3; i++)
                grid_put(g, x + i, y, i % 3 ? a : b, (enum style)(i % 3 ? s : STYLE_NORMAL));
        }
    }
}

/* Move what stands from column x0 on left by n, in most rows. */
static void move_left(struct grid *g, int x0, int n)
{
    for (int y = 0; y < g->h; y++) {
        struct cell *row = &g->cells[y * g->w], copy[100];
        if (rnd(8) == 0)
            continue;
        memcpy(copy, row, (size_t)g->w * sizeof *row);
        for (int x = x0; x < g->w; x++)
            grid_put(g, x, y,
                     x + n >= x0 && x + n < g->w && !(copy[x + n].flags & (CELL_WIDE | CELL_TAIL)) ? copy[x + n].glyph
                                                                                                   : 'x',
                     x + n >= x0 && x + n < g->w ? (enum style)copy[x + n].style : STYLE_NORMAL);
    }
    g->moved_x = x0;
    g->moved = n;
}

/* Move rows from y0 on up by n, the rest stays. */
static void move_up(struct grid *g, int y0, int n)
{
    for (int i = 0; i < g->h; i++) {
        int y = n > 0 ? i : g->h - 1 - i;
        if (y >= y0 && y + n >= y0 && y + n < g->h && rnd(20))
            memcpy(&g->cells[y * g->w], &g->cells[(y + n) * g->w], (size_t)g->w * sizeof *g->cells);
    }
}

static void any_picture(void **state)
{
    static const enum depth depths[] = {DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE};
    static struct tty t;
    struct ink inks[STYLE_COUNT];
    (void)state;
    for (int round = 0; round < 240; round++) {
        struct painter p = {.depth = depths[round % 5],
                            .rep = rnd(2),
                            .bce = rnd(2),
                            .sync = rnd(2),
                            .shift = rnd(3),
                            .scroll = rnd(3)};
        struct grid g = {0};
        int w = 1 + (int)rnd(round % 3 ? 90 : 12), h = 1 + (int)rnd(12);
        some_inks(inks, p.depth);
        t.rep = p.rep;
        t.bce = p.bce;
        t.shift = p.shift;
        t.scroll = p.scroll;
        clear(&t, w, h);
        assert_true(paint_blank(&p, w, h));
        assert_true(grid_resize(&g, w + (int)rnd(3), h > 1 ? h - (int)rnd(2) : h)); /* it need not fit */
        for (int step = 0; step < 12; step++) {
            if (rnd(6) == 0)
                grid_clear(&g);
            g.moved = 0;
            if (rnd(3) == 0)
                move_left(&g, (int)rnd((unsigned)w), (int)rnd((unsigned)w) - w / 2);
            else if (rnd(2))
                move_up(&g, (int)rnd((unsigned)h), (int)rnd((unsigned)h) - h / 2);
            if (rnd(9) == 0) /* the hint may be wrong */
                g.moved_x = (int)rnd(100) - 5, g.moved = (int)rnd(100) - 50;
            if (step < 2 || rnd(2))
                scribble(&g, 2 + rnd(STYLE_COUNT - 2));
            struct grid cut = g; /* a wide one at the edge has no room for its right half */
            for (int y = 0; y < g.h; y++)
                for (int x = 0; x < g.w; x++)
                    if (x == w - 1 && g.cells[y * g.w + x].flags & CELL_WIDE)
                        grid_put(&g, x, y, ' ', STYLE_NORMAL);
            assert_true(paint_grid(&p, &cut, inks, -1, -1));
            take(&t, p.out, p.n);
            shows(&t, &g, inks);
            assert_true(t.pen.fg == INK_DEFAULT && t.pen.bg == INK_DEFAULT && !t.pen.attrs);
            assert_true(paint_grid(&p, &g, inks, -1, -1)); /* nothing has changed: nothing is sent */
            assert_int_equal(p.n, 0);
        }
        assert_true(paint_grid(&p, &g, inks, w - 1, h - 1));
        take(&t, p.out, p.n);
        assert_true(t.x == w - 1 && t.y == h - 1);
        grid_free(&g);
        paint_free(&p);
    }
}

/* A lane whose colours change at every other column: a sequence each would be some 1300 bytes. */
static void colours_by_turns(void **state)
{
    struct painter p = {.depth = DEPTH_256, .rep = true, .bce = true};
    struct ink inks[STYLE_COUNT];
    struct grid g = {0};
    (void)state;
    for (int i = 0; i < STYLE_COUNT; i++)
        inks[i] = (struct ink){100 + i, INK_DEFAULT, 0};
    assert_true(paint_blank(&p, 120, 2) && grid_resize(&g, 120, 2));
    for (int x = 0; x < 120; x++)
        grid_put(&g, x, 0, 0x2581, x % 2 ? STYLE_RUNNING : STYLE_RUNNABLE);
    assert_true(paint_grid(&p, &g, inks, -1, -1));
    assert_in_range(p.n, 1, 480);
    grid_fill(&g, 0, 1, 120, 1, 0x2500, STYLE_WAITING); /* a run */
    assert_true(paint_grid(&p, &g, inks, -1, -1));
    assert_in_range(p.n, 1, 40);
    grid_fill(&g, 0, 1, 120, 1, ' ', STYLE_RUNNING); /* blanks of whatever colour */
    assert_true(paint_grid(&p, &g, inks, -1, -1));
    assert_in_range(p.n, 1, 12);
    grid_fill(&g, 0, 1, 120, 1, ' ', STYLE_WAITING);
    assert_true(paint_grid(&p, &g, inks, -1, -1));
    assert_int_equal(p.n, 0);
    grid_free(&g);
    paint_free(&p);
}

/* A full picture that moves as a whole: what comes in is sent, not what was there. */
static void moved_pictures(void **state)
{
    static struct tty t;
    struct painter p = {.depth = DEPTH_256, .bce = true, .shift = true, .scroll = true};
    struct ink inks[STYLE_COUNT];
    struct grid g = {0};
    (void)state;
    some_inks(inks, DEPTH_256);
    t.bce = t.shift = t.scroll = true;
    clear(&t, 90, 12);
    assert_true(paint_blank(&p, 90, 12) && grid_resize(&g, 90, 12));
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 90; x++)
            grid_put(&g, x, y, 0x2581 + rnd(8), (enum style)rnd(STYLE_COUNT));
    assert_true(paint_grid(&p, &g, inks, -1, -1));
    take(&t, p.out, p.n);
    size_t full = p.n;
    for (int k = 0; k < 4; k++) {
        g.moved = 0;
        if (k < 2) {
            for (int y = 0; y < 12; y++) {
                struct cell *row = &g.cells[y * 90 + 20];
                if (k)
                    memmove(row + 7, row, 63 * sizeof *row);
                else
                    memmove(row, row + 7, 63 * sizeof *row);
            }
            g.moved_x = 20;
            g.moved = k ? -7 : 7;
        } else if (k == 2) {
            memmove(g.cells + 90, g.cells + 180, 900 * sizeof *g.cells);
        } else {
            memmove(g.cells + 270, g.cells + 90, 720 * sizeof *g.cells);
        }
        assert_true(paint_grid(&p, &g, inks, -1, -1));
        assert_in_range(p.n, 1, full / 4);
        take(&t, p.out, p.n);
        shows(&t, &g, inks);
    }
    grid_free(&g);
    paint_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_picture), cmocka_unit_test(colours_by_turns),
                                       cmocka_unit_test(moved_pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
