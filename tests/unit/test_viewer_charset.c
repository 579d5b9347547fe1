/*
 * test_viewer_charset.c - what the environment's names say of the terminal's characters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "viewer/term/charset.h"

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *lc_all, *lc_ctype, *lang;
        enum charset want;
    } rows[] = {
        {NULL, NULL, NULL, CHARSET_UNSAID},
        {"", "", "", CHARSET_UNSAID},
        {NULL, NULL, "C", CHARSET_ASCII},
        {NULL, NULL, "POSIX", CHARSET_ASCII},
        {NULL, NULL, "en_US", CHARSET_ASCII},
        {NULL, NULL, "en_US.UTF-8", CHARSET_UTF8},
        {NULL, NULL, "C.utf8", CHARSET_UTF8},
        {NULL, NULL, "de_DE.UTF-8@euro", CHARSET_UTF8},
        {NULL, NULL, "de_DE.ISO-8859-15@euro", CHARSET_ASCII},
        {NULL, NULL, "x.UTF-80", CHARSET_ASCII},
        {NULL, NULL, "x.UTF", CHARSET_ASCII},
        /* the first that is not empty counts */
        {"C", "C.UTF-8", "C.UTF-8", CHARSET_ASCII},
        {"", "C.UTF-8", "C", CHARSET_UTF8},
        {NULL, "C", "C.UTF-8", CHARSET_ASCII},
        {"C.UTF-8", "C", "C", CHARSET_UTF8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (charset_of(rows[i].lc_all, rows[i].lc_ctype, rows[i].lang) != rows[i].want)
            fail_msg("row %zu", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
