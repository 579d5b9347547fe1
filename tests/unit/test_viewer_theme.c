/*
 * test_viewer_theme.c - every style looks like something in every palette, and what must differ does.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "triage/views.h"
#include <stdio.h>
#include "viewer/command/cmdline.h"
#include "viewer/term/theme.h"

static bool same(struct ink a, struct ink b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs;
}

/* A style without a row would be black on black. */
static void test_all_rows(void **state)
{
    (void)state;
    for (enum palette p = 0; p < PALETTE_COUNT; p++) {
        for (enum style s = 0; s < STYLE_COUNT; s++) {
            struct ink k = theme_ink(p, DEPTH_TRUE, s);
            if (k.fg == k.bg && k.fg != INK_DEFAULT)
                fail_msg("%s: style %s is invisible", palette_name(p), style_name(s));
            for (enum depth d = DEPTH_MONO; d <= DEPTH_TRUE; d++) {
                static const int most[] = {-1, 7, 15, 255, 0xffffff};
                k = theme_ink(p, d, s);
                assert_true(k.fg >= -1 && k.fg <= most[d] && k.bg >= -1 && k.bg <= most[d]);
                if (k.fg == k.bg && k.fg != INK_DEFAULT)
                    fail_msg("%s/%d: style %s is invisible", palette_name(p), d, style_name(s));
            }
        }
    }
}

static void test_states_differ(void **state)
{
    (void)state;
    static const enum style busy[] = {STYLE_RUNNING, STYLE_GCWORK,   STYLE_ASSIST,  STYLE_SWEEP,
                                      STYLE_SYSCALL, STYLE_RUNNABLE, STYLE_WAITING, STYLE_STW};
    for (enum palette p = 0; p < PALETTE_COUNT; p++)
        for (size_t i = 0; i < sizeof busy / sizeof busy[0]; i++)
            for (size_t j = 0; j < i; j++)
                for (enum depth d = DEPTH_8; d <= DEPTH_TRUE; d++)
                    if (same(theme_ink(p, d, busy[i]), theme_ink(p, d, busy[j])))
                        fail_msg("%s/%d: %s looks like %s", palette_name(p), d, style_name(busy[i]),
                                 style_name(busy[j]));
}

/* ---- contrast and colour blindness, computed ----------------------------------------------------------- */

static double linear(unsigned c)
{
    double v = c / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

struct rgb {
    double r, g, b; /* linear light */
};

static struct rgb rgb_of(int32_t c)
{
    return (struct rgb){linear((unsigned)c >> 16 & 255), linear((unsigned)c >> 8 & 255),
                        linear((unsigned)c & 255)};
}

static double luminance(struct rgb c)
{
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static double contrast(struct rgb a, struct rgb b)
{
    double x = luminance(a), y = luminance(b);
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* What someone without one kind of cone sees: through the cones' responses, the missing one's from the other
 * two. */
static struct rgb without(struct rgb c, int cone)
{
    double l = 0.31399 * c.r + 0.63951 * c.g + 0.04650 * c.b,
           m = 0.15537 * c.r + 0.75789 * c.g + 0.08670 * c.b,
           s = 0.01775 * c.r + 0.10945 * c.g + 0.87257 * c.b;
    if (cone == 0)
        l = 1.05118 * m - 0.05117 * s;
    if (cone == 1)
        m = 0.95131 * l + 0.04866 * s;
    if (cone == 2)
        s = -0.86745 * l + 1.86727 * m;
    return (struct rgb){5.47221 * l - 4.64196 * m + 0.16963 * s, -1.12524 * l + 2.29317 * m - 0.16790 * s,
                        0.02980 * l - 0.19318 * m + 1.16365 * s};
}

/* How far apart two colours look: distance in CIE L*a*b*. */
static void lab(struct rgb c, double out[3])
{
    double xyz[3] = {(0.4124 * c.r + 0.3576 * c.g + 0.1805 * c.b) / 0.9505, luminance(c),
                     (0.0193 * c.r + 0.1192 * c.g + 0.9505 * c.b) / 1.089};
    for (int i = 0; i < 3; i++) {
        double v = xyz[i] < 0 ? 0 : xyz[i];
        xyz[i] = v > 0.008856 ? cbrt(v) : 7.787 * v + 16.0 / 116;
    }
    out[0] = 116 * xyz[1] - 16;
    out[1] = 500 * (xyz[0] - xyz[1]);
    out[2] = 200 * (xyz[1] - xyz[2]);
}

static double apart(struct rgb a, struct rgb b)
{
    double x[3], y[3], sum = 0;
    lab(a, x);
    lab(b, y);
    for (int i = 0; i < 3; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* The grounds of terminals, and on which of them a palette is used that leaves theirs. */
static const int32_t grounds[] = {[GROUND_DARK] = 0x101418, [GROUND_LIGHT] = 0xffffff};

static bool used_on(enum palette p, enum ground g)
{
    return p == PALETTE_NEUTRAL || p == PALETTE_CONTRAST || palette_on(p, g) == p;
}

/* A colour as a depth shows it. */
static struct rgb shown(int32_t c, enum depth d)
{
    static const int32_t level[] = {0, 95, 135, 175, 215, 255};
    if (d == DEPTH_256 && c >= 232)
        c = (8 + 10 * (c - 232)) * 0x10101;
    else if (d == DEPTH_256)
        c = level[(c - 16) / 36] << 16 | level[(c - 16) / 6 % 6] << 8 | level[(c - 16) % 6];
    return rgb_of(c);
}

static struct rgb fg_of(enum palette p, enum style s)
{
    return rgb_of(theme_ink(p, DEPTH_TRUE, s).fg);
}

/* How much a style stands out: text that must be read 4.5 to 1, what goes with it 3.5, what is only looked
   at 2.9, the faintest 1.7. Every style has a row. */
static double least(enum style s)
{
    switch (s) {
    case STYLE_NONE:
    case STYLE_IDLE:
    case STYLE_LOADING: return 1.7;
    case STYLE_DIM:
    case STYLE_LANE_NOTE: return 3.5;
    case STYLE_SCHED:
    case STYLE_RUNNING:
    case STYLE_GCWORK:
    case STYLE_ASSIST:
    case STYLE_SWEEP:
    case STYLE_SYSCALL:
    case STYLE_RUNNABLE:
    case STYLE_WAITING:
    case STYLE_UNKNOWN:
    case STYLE_GC:
    case STYLE_STW:
    case STYLE_HEAP:
    case STYLE_HEAP_OVER:
    case STYLE_RUNQ:
    case STYLE_RUNQ_OVER:
    case STYLE_POPUP_BORDER: return 2.9;
    default: return 4.4;
    }
}

static void check_contrast(enum palette p, enum ground g, enum depth d, enum style s)
{
    const struct ink k = theme_ink(p, d, s);
    if (k.fg == INK_DEFAULT && k.bg == INK_DEFAULT)
        return; /* the terminal's own two */
    const struct rgb letter = rgb_of(g == GROUND_LIGHT ? 0x202020 : 0xd8d8d8),
                     fg = k.fg == INK_DEFAULT ? letter : shown(k.fg, d),
                     bg = k.bg == INK_DEFAULT ? rgb_of(grounds[g]) : shown(k.bg, d);
    const double is = contrast(fg, bg),
                 most = k.fg == INK_DEFAULT    ? 2.7
                        : p == PALETTE_NEUTRAL ? 3.4
                                               : 21,
                 want = least(s) < most ? least(s) : most; /* nothing is 4.5 to 1 on both grounds */
    if (is < want)
        fail_msg("%s, %s ground, %d colours: %s has a contrast of %.2f, %.1f is the least", palette_name(p),
                 g == GROUND_LIGHT ? "light" : "dark", d == DEPTH_256 ? 256 : 1 << 24, style_name(s), is,
                 want);
}

/* What must be read can be: each style of each palette, on each ground that it is used on. */
static void test_contrast(void **state)
{
    (void)state;
    for (enum palette p = 0; p < PALETTE_COUNT; p++)
        for (enum ground g = GROUND_DARK; g <= GROUND_LIGHT; g++)
            for (enum style s = 0; s < STYLE_COUNT && used_on(p, g); s++) {
                check_contrast(p, g, DEPTH_TRUE, s);
                check_contrast(p, g, DEPTH_256, s);
            }
}

/* Each ground has palettes for readers of each kind; nobody's own ground is written on in white or black. */
static void test_grounds(void **state)
{
    (void)state;
    assert_int_equal(palette_on(PALETTE_NEUTRAL, GROUND_UNKNOWN), PALETTE_NEUTRAL);
    assert_int_equal(palette_on(PALETTE_NEUTRAL, GROUND_DARK), PALETTE_DARK);
    assert_int_equal(palette_on(PALETTE_NEUTRAL, GROUND_LIGHT), PALETTE_LIGHT);
    assert_int_equal(palette_on(PALETTE_BLIND, GROUND_LIGHT), PALETTE_BLIND_LIGHT);
    assert_int_equal(palette_on(PALETTE_BLIND, GROUND_DARK), PALETTE_BLIND);
    assert_int_equal(palette_on(PALETTE_CONTRAST, GROUND_LIGHT), PALETTE_CONTRAST);
    for (enum style s = 0; s < STYLE_COUNT; s++)
        for (enum depth d = DEPTH_8; d <= DEPTH_16; d++) {
            const struct ink k = theme_ink(PALETTE_NEUTRAL, d, s);
            if (k.bg == INK_DEFAULT && (k.fg == 0 || k.fg == 7 || k.fg == 15))
                fail_msg("%s is %d on a ground that nobody knows", style_name(s), (int)k.fg);
        }
    static const struct {
        const char *says;
        enum ground is;
    } answers[] = {{"11;rgb:0000/0000/0000", GROUND_DARK},
                   {"11;rgb:ffff/ffff/ffff", GROUND_LIGHT},
                   {"11;rgb:fd/f6/e3", GROUND_LIGHT},
                   {"11;rgb:0000/2b2b/3636", GROUND_DARK},
                   {"11;rgb:f/f/f", GROUND_LIGHT},
                   {"11;rgb:FFFF/FD00/0", GROUND_LIGHT},
                   {"10;rgb:ffff/ffff/ffff", GROUND_UNKNOWN},
                   {"11;rgb:ffff/ffff", GROUND_UNKNOWN},
                   {"11;rgb:", GROUND_UNKNOWN},
                   {"11;rgb:fffff/0/0", GROUND_UNKNOWN},
                   {"11;rgb:ff/ff/ff/ff", GROUND_UNKNOWN},
                   {"", GROUND_UNKNOWN},
                   {"11;rgb://", GROUND_UNKNOWN},
                   {"11;rgba:ff/ff/ff", GROUND_UNKNOWN},
                   {"11;rgba:ffff/ffff/ffff/cccc", GROUND_LIGHT},
                   {"11;rgba:0000/0000/0000/cccc", GROUND_DARK}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (ground_of(answers[i].says) != answers[i].is)
            fail_msg("'%s' is %d", answers[i].says, (int)ground_of(answers[i].says));
}

/* States that stand beside each other as full cells: told apart by everyone;
 * by glyph too, where only near. */
static void test_told_apart(void **state)
{
    (void)state;
    static const enum style full[] = {STYLE_RUNNING, STYLE_GCWORK, STYLE_ASSIST, STYLE_SWEEP, STYLE_SYSCALL};
    static const char *const cones[] = {"protanopia", "deuteranopia", "tritanopia", "full sight"};
    enum { N = sizeof full / sizeof *full };
    for (enum palette p = 0; p < PALETTE_COUNT; p++)
        for (int cone = 0; cone < 4; cone++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < i; j++) {
                    struct rgb a = fg_of(p, full[i]), b = fg_of(p, full[j]);
                    double d = cone == 3 ? apart(a, b) : apart(without(a, cone), without(b, cone));
                    double least = cone == 3 ? 25 : p == PALETTE_BLIND || p == PALETTE_BLIND_LIGHT ? 18 : 9;
                    if (d < least)
                        fail_msg("%s: with %s %s and %s are %.1f apart, %.0f is the least", palette_name(p),
                                 cones[cone], style_name(full[i]), style_name(full[j]), d, least);
                }
}

/* Context is quieter than what costs: nearer to the ground than assists, stops,
 * and goroutines kept waiting. */
static void test_quiet(void **state)
{
    (void)state;
    static const enum style context[] = {STYLE_HEAP, STYLE_RUNQ, STYLE_GC},
                            cost[] = {STYLE_STW, STYLE_RUNNABLE, STYLE_ASSIST, STYLE_HEAP_OVER,
                                      STYLE_RUNQ_OVER};
    for (enum palette p = 0; p < PALETTE_CONTRAST; p++)
        for (size_t i = 0; i < sizeof context / sizeof *context; i++)
            for (size_t j = 0; j < sizeof cost / sizeof *cost; j++)
                for (enum ground g = GROUND_DARK; g <= GROUND_LIGHT; g++) {
                    double quiet = apart(fg_of(p, context[i]), rgb_of(grounds[g])),
                           loud = apart(fg_of(p, cost[j]), rgb_of(grounds[g]));
                    if (quiet >= loud && used_on(p, g))
                        fail_msg("%s: %s (%.0f) is as loud as %s (%.0f)", palette_name(p),
                                 style_name(context[i]), quiet, style_name(cost[j]), loud);
                }
}

/* Colour-blind: what runs and what waits for a processor differ in blue, not in red against green alone. */
static void test_blind(void **state)
{
    (void)state;
    struct ink run = theme_ink(PALETTE_BLIND, DEPTH_TRUE, STYLE_RUNNING);
    struct ink late = theme_ink(PALETTE_BLIND, DEPTH_TRUE, STYLE_RUNNABLE);
    assert_true(abs((run.fg & 255) - (late.fg & 255)) > 100);
}

static void test_depth(void **state)
{
    (void)state;
    unsetenv("NO_COLOR");
    assert_int_equal(theme_depth(COLOR_AUTO, 256, false), DEPTH_256);
    assert_int_equal(theme_depth(COLOR_AUTO, 16, false), DEPTH_16);
    assert_int_equal(theme_depth(COLOR_AUTO, 8, false), DEPTH_8);
    assert_int_equal(theme_depth(COLOR_AUTO, -1, false), DEPTH_MONO);
    assert_int_equal(theme_depth(COLOR_AUTO, 1 << 24, true), DEPTH_TRUE);
    assert_int_equal(theme_depth(COLOR_NEVER, 256, true), DEPTH_MONO);
    setenv("NO_COLOR", "1", 1);
    assert_int_equal(theme_depth(COLOR_AUTO, 256, false), DEPTH_MONO);
    assert_int_equal(theme_depth(COLOR_ALWAYS, 256, false), DEPTH_256);
    setenv("NO_COLOR", "", 1); /* empty is as if it were not set */
    assert_int_equal(theme_depth(COLOR_AUTO, 256, false), DEPTH_256);
    unsetenv("NO_COLOR");
}

static void test_256(void **state)
{
    (void)state;
    assert_int_equal(theme_256(0x000000), 16);
    assert_int_equal(theme_256(0xffffff), 231);
    assert_int_equal(theme_256(0xff0000), 196);
    assert_int_equal(theme_256(0x5f87af), 67);
    assert_int_equal(theme_256(0x080808), 232);
    assert_int_equal(theme_256(0xeeeeee), 255);
    assert_int_equal(theme_256(0x808080), 244);
}

static bool parse(struct cmdline *o, const char *line)
{
    static char copy[256];
    char *argv[16] = {"gotop"}, *save = NULL;
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    return cmdline_parse(argc, argv, o);
}

static void test_options(void **state)
{
    (void)state;
    struct cmdline o;
    assert_true(
        parse(&o, "--headless --size 200x60 --keys=w --glyphs ascii --color=never --palette color-blind x"));
    assert_true(o.o.headless && o.w == 200 && o.h == 60 && o.tier_given && o.tier == TIER_ASCII);
    assert_int_equal(o.color, COLOR_NEVER);
    assert_string_equal(o.o.palette, "color-blind");
    assert_string_equal(o.o.keys, "w");
    assert_string_equal(o.o.path, "x");
    assert_true(parse(&o, "x.trace --max-memory 2G --threads 3 --strict --ticks-per-second 2.5e9"));
    assert_true(o.o.trace.max_memory == 2ull << 30 && o.o.trace.threads == 3 && o.o.trace.strict);
    assert_true(o.o.trace.ticks_per_second == 2.5e9);
    assert_true(parse(&o, "--max-memory 512MiB -"));
    assert_true(o.o.trace.max_memory == 512ull << 20 && strcmp(o.o.path, "-") == 0);
    assert_true(parse(&o, "a b c"));
    assert_string_equal(o.o.path, "a");
    assert_int_equal(o.o.trace.more.n, 2);
    assert_string_equal(o.o.trace.more.path[1], "c");
    assert_true(parse(&o, "-- --odd-name"));
    assert_string_equal(o.o.path, "--odd-name");
    assert_true(parse(&o, "--view 3 --at 1.2s..1.3s --lane g12@1.25s x"));
    assert_int_equal(o.view, 3);
    assert_true(parse(&o, "--view findings x") && o.view == VIEW_TRIAGE);
    assert_true(parse(&o, "--view 9 x") && o.view == VIEW_LOG);
    static const char *const wrong[] = {"--view 0",
                                        "--view 10",
                                        "--view 12",
                                        "--view 3x",
                                        "--at g5",
                                        "--at soon",
                                        "--lane 5ms",
                                        "--lane x",
                                        "--nope",
                                        "--size",
                                        "--size 0x5",
                                        "--size 80",
                                        "--size 9999x9999",
                                        "--headless=1",
                                        "--glyphs wingdings",
                                        "--color=maybe",
                                        "--threads 0",
                                        "--max-memory 5Q",
                                        "--max-memory -1",
                                        "--max-memory 99999999999T",
                                        "--ticks-per-second 0",
                                        "--ticks-per-second nan",
                                        "-x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (parse(&o, wrong[i]))
            fail_msg("'%s' is taken", wrong[i]);
}

struct heard {
    int n, line;
    char what[200];
};

static void hear(void *arg, bool error, const char *file, int line, const char *what)
{
    struct heard *h = arg;
    (void)file, (void)error;
    if (!h->n++) {
        h->line = line;
        snprintf(h->what, sizeof h->what, "%s", what);
    }
}

/* A reader's palette: what it says counts, the rest is dark's; a mistake is told with its line and changes
 * nothing. */
static void test_palette_text(void **state)
{
    (void)state;
    struct heard h = {0};
    struct file_say say = {hear, &h};
    static const char good[] = "# mine\ninclude light\n\nrunning #102030 - 3 - bold underline # busy\n";
    assert_int_equal(palette_read(good, sizeof good - 1, "/x/mine.palette", &say), 0);
    assert_true(palette_loaded());
    assert_string_equal(palette_name(PALETTE_USER), "mine");
    struct ink k = theme_ink(PALETTE_USER, DEPTH_TRUE, STYLE_RUNNING);
    assert_true(k.fg == 0x102030 && k.bg == INK_DEFAULT && k.attrs == (INK_BOLD | INK_UNDERLINE));
    assert_int_equal(theme_ink(PALETTE_USER, DEPTH_16, STYLE_RUNNING).fg, 3);
    struct ink a = theme_ink(PALETTE_USER, DEPTH_TRUE, STYLE_GC),
               b = theme_ink(PALETTE_LIGHT, DEPTH_TRUE, STYLE_GC);
    assert_true(a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs);
    static const char *const bad[] = {
        "\nrunnin - - - -",           "\nrunning - - -",    "\nrunning red - - -",
        "\nrunning #12345 - - -",     "\nrunning - - 16 -", "\nrunning - - -1 -",
        "\nrunning - - - - blinking", "\ninclude mine",     "\ninclude",
        "\nrunning #12345g - - -",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        h = (struct heard){0};
        if (palette_read(bad[i], strlen(bad[i]), "bad", &say) != 1)
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(h.line, 2);
    }
    enum palette p;
    assert_int_equal(palette_load("no-such-palette", &p, NULL), ERR_IO);
    assert_int_equal(palette_load("contrast", &p, NULL), ERR_OK);
    assert_int_equal(p, PALETTE_CONTRAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rows), cmocka_unit_test(test_states_differ),
        cmocka_unit_test(test_contrast), cmocka_unit_test(test_told_apart),
        cmocka_unit_test(test_quiet),    cmocka_unit_test(test_blind),
        cmocka_unit_test(test_depth),    cmocka_unit_test(test_256),
        cmocka_unit_test(test_options),  cmocka_unit_test(test_palette_text),
        cmocka_unit_test(test_grounds),
    };
    return cmocka_run_group_tests_name("viewer", tests, NULL, NULL);
}
