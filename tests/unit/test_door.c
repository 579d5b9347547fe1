/*
 * test_door.c - what is never shown, by one table, wherever text goes: messages, the grid, reports, exports,
 * dump.
 */
#include "decode/base/door.h"
#include "decode/base/utf8.h"
#include "layout/cells/cells.h"
#include "tests/unit/decode_help.h"
#include "triage/exports/export_out.h"
#include "triage/text.h"

/* Does text hold what may not be shown? Its own line feeds and tabs aside. */
static bool clean(const char *p, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = 0;
        len = utf8_read(p + i, n - i, &c);
        if (!len || (utf8_hidden(c) && c != '\n' && c != '\t'))
            return false;
    }
    return true;
}

static void test_table(void **state)
{
    (void)state;
    static const uint32_t never[] = {0,      7,      0x1b,   0x7f,    0x80,    0x9b,    0x9f,    0xad,
                                     0x61c,  0x200b, 0x200e, 0x200f,  0x2028,  0x2029,  0x202a,  0x202e,
                                     0x2060, 0x2066, 0x2069, 0x206a,  0x206f,  0x180e,  0xfeff,  0xfff9,
                                     0xfffb, 0xfe0f, 0xe000, 0xe0001, 0xe0041, 0xe007f, 0xf0000, 0x10fffd};
    static const uint32_t fine[] = {' ',   '~',    0xa0,    0xa9,   0xe9,   0x3b1, 0x416,
                                    0x5d0, 0x4e2d, 0x1f600, 0x2500, 0x28ff, 0xfffd};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (!utf8_hidden(never[i]))
            fail_msg("U+%04X is shown", never[i]);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (utf8_hidden(fine[i]))
            fail_msg("U+%04X is not shown", fine[i]);
}

static void test_strict(void **state)
{
    (void)state;
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf0\x80\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xc3",
                                      "\xe2\x82"};
    uint32_t c;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(utf8_read(bad[i], strlen(bad[i]), &c), 0);
    for (uint32_t cp = 1; cp < 0x110000; cp += cp < 0x3000 ? 1 : 97) {
        char b[4];
        size_t n = (size_t)utf8_write(cp, b);
        bool half = cp >= 0xd800 && cp < 0xe000;
        assert_int_equal(utf8_read(b, n, &c), half ? 0 : n);
        assert_true(half || c == cp);
        assert_true(n == 1 || !utf8_read(b, n - 1, &c));
    }
}

/* A small letter is none's capital, and takes the bytes of its capital, which are exchanged in place. */
static void small_letters(void **state)
{
    (void)state;
    unsigned capitals = 0;
    for (uint32_t cp = 1; cp < 0x11000; cp++) {
        char b[5] = "", low[5] = "";
        if (cp >= 0xd800 && cp < 0xe000)
            continue;
        const uint32_t small = utf8_lower(cp);
        const size_t n = (size_t)utf8_write(cp, b);
        assert_int_equal(utf8_write(small, low), n);
        assert_int_equal(utf8_lower(small), small);
        assert_int_equal(utf8_lower_at(b, n), n);
        assert_string_equal(b, low);
        capitals += small != cp;
    }
    assert_true(capitals > 500);
    assert_int_equal(utf8_lower('Z'), 'z');
    assert_int_equal(utf8_lower(0xc9), 0xe9);
    assert_int_equal(utf8_lower(0x416), 0x436);
    assert_int_equal(utf8_lower(0xd7), 0xd7); /* a sign between capitals */
}

static char *printed(const char *a, const char *b)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    door_printf(f, "gotop: %s: %s\n", a, b);
    fclose(f);
    return text;
}

static void expect_door(bool utf8, const char *a, const char *want)
{
    door_utf8(utf8);
    char *text = printed(a, "x");
    char all[200];
    snprintf(all, sizeof all, "gotop: %s: x\n", want);
    assert_string_equal(text, all);
    free(text);
}

static void test_door(void **state)
{
    (void)state;
    expect_door(true, "a\x1b[2Jb\nc\td\re", "a?[2Jb?c?d?e");
    expect_door(true,
                "\xc2\x9b"
                "31m\x9b"
                "31m",
                "?31m?31m");
    expect_door(true,
                "\xe2\x80\xae"
                "cba\xe2\x81\xa6",
                "?cba?");
    expect_door(true,
                "gr\xc3\xbc\xc3\x9f"
                "e \xe4\xb8\xad",
                "gr\xc3\xbc\xc3\x9f"
                "e \xe4\xb8\xad");
    expect_door(false,
                "gr\xc3\xbc\xc3\x9f"
                "e \xe4\xb8\xad",
                "gr??e ?"); /* in Latin-1 a byte of it might be a control */
    char longer[20000];
    memset(longer, 0x1b, sizeof longer);
    longer[sizeof longer - 1] = 0;
    char *text = printed(longer, "end");
    assert_true(strlen(text) < 8300 && text[strlen(text) - 1] == '\n' && clean(text, strlen(text)));
    free(text);
    text = printed("a", "\n");
    assert_string_equal(text, "gotop: a: ?\n");
    free(text);
    door_utf8(false);
}

/* Every code point and every byte, and random ones, through each way a name takes. */
static void check_ways(const char *p, size_t n)
{
    char safe[64];
    struct text t = {0}, a = {.ascii = true}, name = {0};
    size_t k = str_safe((struct str){p, (uint32_t)n}, safe, sizeof safe);
    assert_true(clean(safe, k));
    text_clean(&t, p, n, 0);
    text_clean(&a, p, n, 0);
    out_name(&name, (struct str){p, (uint32_t)n});
    assert_true(clean(t.p, t.n) && clean(a.p, a.n) && clean(name.p, name.n));
    for (size_t i = 0; i < a.n; i++)
        assert_true(a.p[i] >= 0x20 && a.p[i] < 0x7f);
    text_free(&t);
    text_free(&a);
    text_free(&name);
}

static void test_ways(void **state)
{
    (void)state;
    struct rng rng = {5};
    char b[40];
    for (uint32_t cp = 0; cp < 0x110000; cp += cp < 0x3000 || (cp > 0xdf00 && cp < 0x10100) ? 1 : 101)
        if (cp < 0xd800 || cp >= 0xe000)
            check_ways(b, (size_t)utf8_write(cp, b));
    for (int i = 0; i < 256; i++) {
        b[0] = (char)i;
        check_ways(b, 1);
    }
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + below(&rng, sizeof b);
        for (size_t i = 0; i < n; i++)
            b[i] = (char)(below(&rng, 3) ? 0x80 + below(&rng, 0x80) : below(&rng, 256));
        check_ways(b, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_letters), cmocka_unit_test(test_table), cmocka_unit_test(test_strict),
        cmocka_unit_test(test_door),     cmocka_unit_test(test_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
