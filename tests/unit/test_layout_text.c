/* test_layout_text.c - text into cells: what a trace's strings hold never breaks a column or reaches a
 * terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/cells/cells.h"
#include "layout/cells/glyphs.h"
#include "layout/cells/legend.h"
#include "layout/cells/wrap.h"

static struct str bytes(const char *p, size_t n)
{
    return (struct str){p, (uint32_t)n};
}

/* Every cell is printable, wide characters have their tail, nothing is out of place. */
static void assert_sane(const struct grid *g)
{
    for (int y = 0; y < g->h; y++)
        for (int x = 0; x < g->w; x++) {
            const struct cell *c = grid_at(g, x, y);
            if (c->flags & CELL_TAIL) {
                assert_true(x > 0 && (grid_at(g, x - 1, y)->flags & CELL_WIDE));
                assert_int_equal(c->glyph, 0);
                continue;
            }
            assert_true(c->glyph >= 0x20 && c->glyph != 0x7F && !(c->glyph >= 0x80 && c->glyph < 0xA0));
            assert_false(c->glyph >= 0x300 && c->glyph < 0x370);   /* combining */
            assert_false(c->glyph >= 0x590 && c->glyph < 0x900);   /* right to left */
            assert_false(c->glyph >= 0x200B && c->glyph < 0x2010); /* zero width, direction marks */
            assert_false(c->glyph >= 0x202A && c->glyph < 0x202F); /* direction overrides */
            assert_false(c->glyph >= 0xD800 && c->glyph < 0xE000);
            if (c->flags & CELL_WIDE)
                assert_true(x + 1 < g->w && (grid_at(g, x + 1, y)->flags & CELL_TAIL));
        }
}

static void row_is(const struct grid *g, int y, const char *want)
{
    char buf[4096];
    grid_line(g, y, buf, sizeof buf);
    assert_string_equal(buf, want);
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        const char *p;
        size_t n;
        const char *want;
    } cases[] = {
        {"a\x1b[31mb", 7, "a?[31mb"},
        {"a\0b\rc\nd\x7f", 8, "a?b?c?d?"},
        {"\xc2\x9b"
         "31m",
         5, "<9B>31m"}, /* C1 control: CSI in 8 bits */
        {"\xff\xfe"
         "x",
         3, "\xef\xbf\xbd\xef\xbf\xbdx"},
        {"\xe4\xb8", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                 /* cut short */
        {"\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
        {"e\xcc\x81", 3, "e<301>"}, /* combining acute; another mark is another text */
        {"e\xcc\x80", 3, "e<300>"},
        {"\xe2\x80\xae"
         "abc",
         6, "<202E>abc"},                                            /* right-to-left override */
        {"\xd7\x90", 2, "<5D0>"},                                    /* Hebrew would turn the line */
        {"\xe4\xb8\x96\xe7\x95\x8c", 6, "\xe4\xb8\x96\xe7\x95\x8c"}, /* two wide ones */
        {"\xc2\xb5s \xce\xbb", 6, "\xc2\xb5s \xce\xbb"},
    };
    struct grid g = {0};
    assert_true(grid_resize(&g, 20, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        grid_clear(&g);
        grid_text(&g, 0, 0, 20, bytes(cases[i].p, cases[i].n), STYLE_NORMAL);
        assert_sane(&g);
        row_is(&g, 0, cases[i].want);
    }
    grid_free(&g);
}

/* What stands as its code point is as wide as that, wherever widths are asked for, and is cut whole. */
static void test_codes(void **state)
{
    (void)state;
    const struct str s = str_of("ab\xd7\x90\xd7\x91"), far = str_of("\xf4\x8f\xbf\xbd");
    struct grid g = {0};
    char out[80];
    assert_int_equal(str_width(s, 100), 12);
    assert_int_equal(str_width(far, 100), 8);
    (void)str_safe(s, out, sizeof out);
    assert_string_equal(out, "ab<5D0><5D1>");
    assert_int_equal(str_head(s, 9, out, sizeof out), 7);
    assert_string_equal(out, "ab<5D0>");
    (void)str_tail(s, 9, true, out, sizeof out);
    assert_string_equal(out, "..<5D1>");
    assert_true(grid_resize(&g, 20, 1));
    assert_int_equal(grid_text(&g, 0, 0, 9, s, STYLE_NORMAL), 9);
    assert_sane(&g);
    row_is(&g, 0, "ab<5D0>");
    uint32_t next;
    assert_int_equal(wrap_next(s, 8, &next), 4); /* one of them has room */
    grid_free(&g);
}

/* Of a call in a place both ends are told: the package of what is called goes first, then that; the place's
 * end stays. */
static void test_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int w;
        const char *want;
    } cases[] = {
        {"lock at sync.(*Mutex).Lock in main.run", 60, "lock at sync.(*Mutex).Lock in main.run"},
        {"lock at sync.(*Mutex).Lock in main.run", 37, "lock at (*Mutex).Lock in main.run"},
        {"lock at sync.(*Mutex).Lock in main.run", 30, "lock in main.run"},
        {"lock at sync.(*Mutex).Lock in a/net.(*Server).Serve", 27, "lock in net.(*Server).Serve"},
        {"lock at sync.(*Mutex).Lock in a/net.(*Server).Serve", 22, "lock in ..erver).Serve"},
        {"syscall.read in a/net.(*Server).Serve", 26, "read in (*Server).Serve"},
        {"syscall.read in a/net.(*Server).Serve", 21, "read in ..rver).Serve"},
        {"a.long(text).without in", 12, "..without in"},
        {"G9 a.b in syscall.read in main.serve", 30, "G9 a.b in read in main.serve"},
        {"G9 a.b in syscall.read in main.serve", 22, "G9 a.b in main.serve"},
        {"main.(*bank).clerk: lock in main.(*bank).clerk", 34, "clerk: lock in (*bank).clerk"},
        {"read a.b/c/ in main.serve", 23, "read b/c/ in main.serve"},
    };
    char out[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int used = str_where(str_of(cases[i].text), cases[i].w, true, out, sizeof out);
        assert_string_equal(out, cases[i].want);
        assert_int_equal(used, str_width(str_of(out), 200));
        assert_true(used <= cases[i].w);
    }
}

static void test_wide(void **state)
{
    (void)state;
    struct grid g = {0};
    assert_true(grid_resize(&g, 6, 1));
    assert_int_equal(grid_str(&g, 0, 0, 5, "\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96", STYLE_NORMAL),
                     5); /* 2 fit in 5 */
    assert_sane(&g);
    row_is(&g, 0, "\xe4\xb8\x96\xe7\x95\x8c");
    grid_put(&g, 1, 0, 'x', STYLE_NORMAL); /* the right half of the first */
    assert_sane(&g);
    row_is(&g, 0, " x\xe7\x95\x8c");
    grid_put(&g, 2, 0, 'y', STYLE_NORMAL); /* the left half of the second */
    assert_sane(&g);
    row_is(&g, 0, " xy");
    g.ascii = true;
    grid_str(&g, 0, 0, 6,
             "\xe4\xb8\x96"
             "a\xc2\xb5",
             STYLE_NORMAL);
    row_is(&g, 0, "??a?");
    grid_free(&g);
}

static void test_clipping(void **state)
{
    (void)state;
    struct grid g = {0};
    assert_true(grid_resize(&g, 4, 2));
    for (int x = -10; x < 10; x++)
        for (int y = -3; y < 5; y++)
            for (int w = -2; w < 12; w++) {
                grid_str(&g, x, y, w,
                         "\xe4\xb8\x96"
                         "bc\xe4\xb8\x96",
                         STYLE_NORMAL);
                grid_right(&g, x, y, w, "ab\xe4\xb8\x96", STYLE_NORMAL);
                grid_fill(&g, x, y, w, 2, '#', STYLE_NORMAL);
                grid_flags(&g, x, y, w, w, CELL_BOLD);
                grid_toggle(&g, x, y, CELL_REVERSE);
                grid_str(&g, x, y, w, "\xe4\xb8\x96\xe4\xb8\x96", STYLE_NORMAL);
                assert_sane(&g);
            }
    grid_free(&g);
}

static void test_random_bytes(void **state)
{
    (void)state;
    struct grid g = {0};
    char buf[64], line[512], safe[100];
    unsigned seed = 7;
    assert_true(grid_resize(&g, 33, 1));
    for (int i = 0; i < 50000; i++) {
        size_t n = 0;
        for (; n < sizeof buf; n++) {
            seed = seed * 1103515245u + 12345u;
            unsigned r = seed >> 16;
            buf[n] = r % 5 ? (char)(r >> 3) : "\xe2\x80\xf0\x9f\x1b"[r / 5 % 5];
        }
        grid_clear(&g);
        grid_text(&g, (int)(seed >> 8) % 5 - 2, 0, 40, bytes(buf, n), STYLE_NORMAL);
        assert_sane(&g);
        grid_line(&g, 0, line, sizeof line);
        size_t k = str_safe(bytes(buf, n), safe, sizeof safe); /* safe text stays as it is */
        assert_true(k < sizeof safe && strlen(safe) == k);
        char again[100];
        str_safe(bytes(safe, k), again, sizeof again);
        assert_string_equal(safe, again);
    }
    grid_free(&g);
}

static void shortens(const char *name, int w, const char *want)
{
    char out[256];
    int used = str_shorten(str_of(name), w, false, out, sizeof out);
    assert_string_equal(out, want);
    assert_int_equal(used, str_width(str_of(want), 1000));
    assert_true(used <= w || !*want);
}

static void test_shorten(void **state)
{
    (void)state;
    shortens("net/http.(*conn).serve", 40, "net/http.(*conn).serve");
    shortens("net/http.(*conn).serve", 22, "net/http.(*conn).serve");
    shortens("net/http.(*conn).serve", 21, "http.(*conn).serve");
    shortens("net/http.(*conn).serve", 17, "(*conn).serve");
    shortens("net/http.(*conn).serve", 12,
             "\xe2\x80\xa6"
             "conn).serve");
    shortens("net/http.(*conn).serve", 1, "\xe2\x80\xa6");
    shortens("net/http.(*conn).serve", 0, "");
    shortens("github.com/a/b.c/pkg.(*T[go.shape.int]).M", 35, "pkg.(*T[go.shape.int]).M");
    shortens("github.com/a/b.Map[github.com/x/y.Z]", 33, "b.Map[github.com/x/y.Z]");
    shortens("main.main", 5, "main");
    shortens("main.main", 3, "\xe2\x80\xa6in");
    shortens("", 5, "");
    shortens("x", 5, "x");
    char out[64];
    assert_int_equal(str_shorten(str_of("net/http.(*conn).serve"), 12, true, out, sizeof out), 12);
    assert_string_equal(out, "..onn).serve");
}

static void test_shorten_any(void **state)
{
    (void)state;
    char *big = malloc(10001), out[300];
    for (int i = 0; i < 10000; i++)
        big[i] = "ab/.([\xe4\xb8\x96\x1b)"[i * 7 % 11];
    big[10000] = 0;
    for (int n = 0; n < 10000; n += n < 100 ? 1 : 997)
        for (int w = 0; w < 90; w += 3) {
            int used = str_shorten(bytes(big, (size_t)n), w, w & 1, out, sizeof out);
            assert_true(used <= w);
            assert_int_equal(used, str_width(str_of(out), 1000));
        }
    for (size_t size = 0; size < 20; size++) { /* tiny buffers: cut, never overrun */
        memset(out, 'Z', sizeof out);
        str_shorten(str_of("net/http.(*conn).serve"), 10, false, out, size);
        assert_true(!size || memchr(out, 0, size));
        assert_int_equal(out[size], 'Z');
    }
    free(big);
}

static void test_styles_distinct(void **state)
{
    (void)state;
    bool seen[256] = {false};
    for (int i = 0; i < STYLE_COUNT; i++) {
        unsigned char c = (unsigned char)style_letter((enum style)i);
        assert_true(c > 0x20 && c < 0x7F);
        assert_false(seen[c]);
        seen[c] = true;
    }
    assert_int_equal(STYLE_STATE + ST_STW, STYLE_STW);
    assert_int_equal(STYLE_STATE + ST_RUNNING, STYLE_RUNNING);
    assert_int_equal(STYLE_STATE + ST_UNKNOWN, STYLE_UNKNOWN);
}

/* In every tier what is there shows, what is not is blank, and goroutine states
 * differ (ascii: all of them). */
static void test_glyphs(void **state)
{
    (void)state;
    for (int t = 0; t < TIER_COUNT; t++) {
        assert_int_equal(glyph_level((enum tier)t, 0, 100), ' ');
        assert_int_not_equal(glyph_level((enum tier)t, 1, INT64_MAX), ' ');
        assert_int_equal(glyph_level((enum tier)t, INT64_MAX, INT64_MAX), glyph_height((enum tier)t, 8));
        assert_int_not_equal(glyph_level((enum tier)t, 1, INT64_MAX), glyph_height((enum tier)t, 8));
        static const enum state live[] = {ST_RUNNING, ST_RUNNABLE, ST_WAITING,
                                          ST_SYSCALL, ST_UNKNOWN,  ST_NONE};
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < a; b++)
                assert_int_not_equal(glyph_state((enum tier)t, live[a]), glyph_state((enum tier)t, live[b]));
        for (int m = 0; m < MARK_COUNT; m++)
            assert_true(glyph_mark((enum tier)t, (enum mark)m) > ' ');
        enum tier back;
        assert_true(tier_parse(tier_name((enum tier)t), &back) && (int)back == t);
    }
    for (int s = 0; s < ST_COUNT; s++)
        assert_true(glyph_state(TIER_ASCII, (enum state)s) < 0x7F);
}

/* Each state that a lane can show stands in the legend, in its own style, with the glyph that lanes have for
 * it. */
static void test_legend(void **state)
{
    (void)state;
    static const enum state shown[] = {ST_RUNNING,  ST_GCWORK,  ST_ASSIST,  ST_SWEEP, ST_SYSCALL, ST_SCHED,
                                       ST_RUNNABLE, ST_WAITING, ST_UNKNOWN, ST_GC,    ST_STW};
    static struct rich r;
    for (int t = 0; t < TIER_COUNT; t++)
        for (int mono = 0; mono < 2; mono++) {
            rich_clear(&r);
            legend_all((enum tier)t, mono, &r);
            for (uint32_t i = 0; i < r.n && t == TIER_ASCII; i++)
                assert_true(r.text[i] >= ' ' && r.text[i] < 0x7F);
            for (size_t s = 0; s < sizeof shown / sizeof *shown; s++) {
                uint32_t at = 0;
                while (at < r.n && r.style[at] != STYLE_STATE + (int)shown[s])
                    at++;
                assert_true(at < r.n);
            }
        }
    rich_free(&r);
}

static void row_text(const struct grid *g, int y, char *out)
{
    for (int x = 0; x < g->w; x++)
        *out++ = (char)grid_at(g, x, y)->glyph;
    *out = 0;
}

/* A text that is too long begins as it begins, and its last line ends with a mark. */
static void test_cut_lines(void **state)
{
    char text[900], row[400];
    struct grid g = {0};
    (void)state;
    assert_true(grid_resize(&g, 130, 12));
    for (int w = 14; w < 130; w += 11)
        for (int n = 1; n < 9; n++)
            for (int words = 1; words < 120; words += 5) {
                int len = 0;
                for (int i = 0; i < words; i++)
                    len += snprintf(text + len, sizeof text - (size_t)len, "%sw%d", i ? " " : "", i);
                const struct str s = {text, (uint32_t)len};
                g.ascii = true;
                grid_clear(&g);
                const int used = wrap_draw(&g, 0, 0, w, n, STYLE_NORMAL, s);
                assert_true(used >= 1 && used <= n);
                assert_int_equal(used, wrap_lines(s, w) < n ? wrap_lines(s, w) : n);
                const bool cut = wrap_lines(s, w) > n;
                row_text(&g, used - 1, row);
                assert_int_equal(cut, strstr(row, " ..") != NULL);
                row_text(&g, 0, row);
                assert_int_equal(strncmp(row, "w0", 2), 0);
            }
    grid_free(&g);
}

/* A cut line keeps items whole, does not end in a word that leads on, nor within brackets. */
static void test_cut(void **state)
{
    static const struct {
        const char *text;
        int w;
        const char *left;
    } of[] = {
        {"49.7% idle, 1.7% system call, 46.8% running", 36, "49.7% idle, 1.7% system call,"},
        {"1 stop, longest 12.9us @6.85us by G1 main.main, total 12.9us", 34,
         "1 stop, longest 12.9us @6.85us"},
        {"143us with 1 to 6 runnable (longest G19 33.2us) of all", 44, "143us with 1 to 6 runnable"},
        {"waited for a lock in main.clerk", 24, "waited for a lock"},
        {"what moved most: waits (network, channels, sleep) in main.grow: 186.4 a second", 60,
         "what moved most: waits (network, channels, sleep)"},
        {"nothing", 5, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        uint32_t cut = wrap_cut(str_of(of[i].text), of[i].w);
        if (cut != strlen(of[i].left) || strncmp(of[i].text, of[i].left, cut) != 0)
            fail_msg("'%s' was cut to '%.*s'", of[i].text, (int)cut, of[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_lines),    cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_codes),        cmocka_unit_test(test_where),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_clipping),
        cmocka_unit_test(test_random_bytes), cmocka_unit_test(test_shorten),
        cmocka_unit_test(test_shorten_any),  cmocka_unit_test(test_styles_distinct),
        cmocka_unit_test(test_glyphs),       cmocka_unit_test(test_legend),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests_name("layout text", tests, NULL, NULL);
}
