/*
 * tested.c - finds the package whose test binary the program is: a function called by testing.tRunner is a
 * test and lies in the package under test. A package of the standard library is then the program itself, not
 * something the program calls.
 */
#include "decode/model/trace_priv.h"

#include <string.h>

/* "go/parser" for test function "go/parser_test.TestParse"; empty for other functions. */
static struct str package_of(struct str f)
{
    uint32_t dot = str_dir(f);
    while (dot < f.len && f.p[dot] != '.')
        dot++;
    const struct str last = {f.p + dot, f.len - dot};
    const bool test =
        str_starts(last, ".Test") || str_starts(last, ".Fuzz") || str_starts(last, ".Benchmark");
    const uint32_t ext = dot >= 5 && memcmp(f.p + dot - 5, "_test", 5) == 0 ? 5 : 0;
    return test ? (struct str){f.p, dot - ext} : (struct str){0};
}

struct str tested_package(const struct trace *tr)
{
    static const char *const runner[] = {"testing.tRunner", "testing.(*B).runN"};
    const uint32_t strs = trace_nstr(tr), stacks = trace_nstacks(tr);
    uint32_t by[2] = {0};
    for (uint32_t i = 1; i < strs; i++) {
        const struct str s = trace_str(tr, i);
        for (int k = 0; k < 2; k++)
            by[k] = str_is(s, runner[k]) ? i : by[k];
    }
    for (uint32_t i = 1; (by[0] || by[1]) && i < stacks; i++) {
        const uint32_t n = trace_stack(tr, i);
        for (uint32_t k = 1; k < n; k++) {
            const uint32_t f = trace_frame(tr, i, k).func;
            const bool runs = f && (f == by[0] || f == by[1]);
            const struct str p =
                runs ? package_of(trace_str(tr, trace_frame(tr, i, k - 1).func)) : (struct str){0};
            if (p.len)
                return p;
        }
    }
    return (struct str){0};
}
