/*
 * test_any_cpu.c - the same trace on processors of several kinds: what is packed and read with their vectors,
 * and what is without, is the same.
 */
#include "tests/unit/decode_help.h"

#if defined(__x86_64__) && defined(__GNUC__)
/*
 * What __builtin_cpu_supports() looks at, the compilers' own: in __cpu_model, behind vendor, type, subtype.
 * Clang 14 dies of a declaration of it.
 */
static unsigned *cpu_features(void)
{
    unsigned *p;
    __asm__("lea __cpu_model+12(%%rip), %0" : "=r"(p));
    return p;
}
#define HAS_FEATURES 1
enum { SSE4_1 = 7, AVX2 = 10 }; /* bits, since GCC 4.8 and LLVM 5 */
#endif

static char *all_of(const char *path)
{
    struct trace_opts o = {.threads = 1};
    struct tracegen_buf b = {0};
    struct trace *tr;
    struct err e;
    size_t n;
    if (trace_open(path, &o, &tr, &e))
        fail_msg("%s: %s", path, e.what);
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    char *dump = dump_text(tr, &n);
    tracegen_put(&b, dump, n);
    free(dump);
    for (int k = 0; k < LANE_KINDS; k++)
        for (uint32_t i = 0; i < trace_nlanes(tr, (enum lane_kind)k); i++) {
            const struct lane l = {(enum lane_kind)k, i};
            struct shares sh;
            lane_text(&b, tr, l);
            for (int part = 1; part < 16; part++) {
                trace_shares(tr, l, trace_info(tr)->end * part / 17, trace_info(tr)->end * (part + 1) / 17,
                             &sh);
                for (size_t s = 0; s < sizeof sh.ns / sizeof *sh.ns; s++)
                    tracegen_printf(&b, "%" PRId64 " ", sh.ns[s]);
            }
        }
    trace_close(tr);
    return (char *)b.p;
}

static void test_same(void **state)
{
    (void)state;
#ifdef HAS_FEATURES
    static const char *const paths[] = {"samples/http-long-1.27.trace", "samples/http-1.26.trace",
                                        "samples/http-1.21.trace"};
    unsigned *features = cpu_features();
    const unsigned has = *features, few = has & ~(1u << AVX2), with[] = {few, few & ~(1u << SSE4_1)};
    if (!(has >> SSE4_1 & 1))
        skip();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *best = all_of(paths[i]);
        for (int k = 0; k < 2; k++) {
            *features = with[k];
            __asm__ volatile("" ::: "memory"); /* the compiler has a declaration of its own */
            assert_int_equal(!__builtin_cpu_supports("sse4.1"), k);
            assert_false(__builtin_cpu_supports("avx2"));
            char *is = all_of(paths[i]);
            *features = has;
            if (strcmp(is, best) != 0)
                fail_msg("%s, features %x: not what %x gives", paths[i], with[k], has);
            free(is);
        }
        free(best);
    }
#else
    (void)all_of;
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
