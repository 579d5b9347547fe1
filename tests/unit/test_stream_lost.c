/*
 * test_stream_lost.c - a trace that arrives damaged (decode/input/stream.h): what is said, where, and which
 * generations are whole.
 */
#include "decode/input/stream.h"
#include "tests/unit/decode_help.h"

#define GEN(n) "batch gen=" n " m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
#define END "end\nraw 34\n"

/* Each generation stands in the input where it says. */
static void stands(const struct stream *st, const char *text)
{
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    for (size_t k = 0; k < st->ngen; k++) {
        const struct stream_gen *g = &st->gen[k];
        assert_true(g->offset + g->n - STREAM_HEADER <= n);
        assert_memory_equal(p + g->offset, g->p + STREAM_HEADER, g->n - STREAM_HEADER);
    }
    free(p);
}

/* In pieces of any size the same. */
static void put(struct stream *st, const char *text, size_t piece, struct err *e)
{
    size_t n;
    uint8_t *p = tracegen_bytes(text, &n);
    *e = (struct err){0};
    for (size_t at = 0; at < n && !e->code; at += piece)
        (void)stream_put(st, p + at, n - at < piece ? n - at : piece, e);
    free(p);
}

static void test_lost(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t whole, broken; /* how many of the generations */
        bool torn;
        const char *what;
    } cases[] = {
        {"go 1.26\nnoauto\n" GEN("1") END GEN("2") END, 2, 0, false, ""},
        {"go 1.26\nnoauto\n" GEN("1") "end\nraw 34 34 34\n" GEN("2") END, 2, 0, false, ""},
        {"go 1.26\nnoauto\n" GEN("1") "expbatch exp=1 gen=1 m=7 t=100\nraw 01 02 03\n" END, 1, 0, false, ""},
        {"go 1.26\nnoauto\n" GEN("1") GEN("2") END, 2, 1, false, "generation 1 has no end"},
        {"go 1.25\nnoauto\n" GEN("1") GEN("2"), 2, 0, false, ""},
        {"go 1.26\nnoauto\n" GEN("1") GEN("7") GEN("1") END GEN("2") END, 2, 1, false,
         "a batch of generation 7 out of its place"},
        /* Two in a row are believed. */
        {"go 1.26\nnoauto\n" GEN("1") END GEN("7") GEN("7") END GEN("8") END, 3, 1, false,
         "a batch of generation 7 out of"},
        {"go 1.25\nnoauto\n" GEN("1") GEN("1") GEN("7") GEN("7") GEN("8"), 3, 2, false,
         "a batch of generation 7 out of its place"},
        /* Of a generation's first batch the two behind it know better. */
        {"go 1.25\nnoauto\n" GEN("1") GEN("7") GEN("7") GEN("8"), 2, 1, false,
         "a batch of generation 7 out of its place"},
        {"go 1.25\nnoauto\n" GEN("0") GEN("1") GEN("1") GEN("2"), 2, 1, false,
         "a batch of generation 0 out of its place"},
        {"go 1.25\nnoauto\n" GEN("1") GEN("1") GEN("6") GEN("2") GEN("2") GEN("3"), 3, 1, false,
         "a batch of generation 6 out of its place"},
        {"go 1.25\nnoauto\n" GEN("2") GEN("2") GEN("1") GEN("3") GEN("3") GEN("4"), 3, 1, false,
         "a batch of generation 1 out of its place"},
        {"go 1.26\nnoauto\n" GEN("6") GEN("2") GEN("2") END GEN("3") END, 2, 1, false,
         "a batch of generation 2 out of its place"},
        {"go 1.26\nnoauto\n" GEN("1") END GEN("6") GEN("2") GEN("2") END GEN("3") END, 3, 1, false,
         "a batch of generation 6 out of its place"},
        {"go 1.26\nnoauto\n" GEN("1") END GEN("2") GEN("3") GEN("2") END GEN("3") END, 4, 3, false,
         "generation 2 has no end"},
        {"go 1.26\nnoauto\n" GEN("1") GEN("1") GEN("2") GEN("2") END GEN("3") END, 3, 1, false,
         "generation 1 has no end"},
        {"go 1.26\nnoauto\n" GEN("1") GEN("4") END GEN("2") END, 2, 1, false,
         "a batch of generation 4 out of its place"},
        {"go 1.25\nnoauto\n" GEN("1") GEN("1") GEN("4"), 1, 1, false,
         "a batch of generation 4 out of its place"},
        {"go 1.26\nnoauto\n" GEN("1") "end\nraw 77 78 79\n" GEN("1") END GEN("2") END, 2, 1, false,
         "expected a batch here, found a byte 119"},
        {"go 1.26\nnoauto\n" GEN("1") END "raw 77 78 79\n" GEN("2") END, 2, 1, false,
         "expected a batch here, found a byte 119"},
        {"go 1.26\nnoauto\n" GEN("1") "end\nraw 01 ff ff ff ff ff ff ff ff ff ff ff\n" GEN("1") END, 1, 1,
         false, "found a byte 1"},
        {"go 1.26\nnoauto\n" GEN("1") "end\nraw 01 01 07 64 ff ff 7f\n" GEN("1") END, 1, 1, false,
         "found a byte 1"},
        {"go 1.26\nnoauto\n" GEN("1") "end\nraw 01 00 07 64 01 01\n" GEN("1") END, 1, 1, false,
         "a batch of generation 0 out of its place"},
        {"go 1.26\nnoauto\n" GEN("1") END GEN("2"), 1, 1, true, "the stream ended within generation 2"},
        {"go 1.25\nnoauto\n" GEN("1") "end\nraw 01 02\n", 0, 1, true, "the stream ended within generation 1"},
        {"go 1.25\nnoauto\n" GEN("1") "end\nraw 77\n", 0, 1, true, "expected a batch here, found a byte 119"},
        /* The first batch of all. */
        {"go 1.26\nnoauto\nend\nraw 77 78 79\n" GEN("4") END GEN("5") END, 2, 1, false,
         "expected a batch here, found a byte 119"},
        {"go 1.26\nnoauto\nend\nraw 77 78 79\n" GEN("4") GEN("5") END, 2, 1, false,
         "expected a batch here, found a byte 119"},
        {"go 1.25\nnoauto\nend\nraw 77 78 79\n" GEN("4") GEN("5"), 2, 1, false,
         "expected a batch here, found a byte 119"},
        {"go 1.26\nnoauto\nend\nraw 77 78 79\n", 0, 1, true, "expected a batch here, found a byte 119"},
        {"go 1.25\nnoauto\n" GEN("1") "end\nraw 34\n", 0, 1, true, "expected a batch here, found a byte 52"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 10000; piece *= 13) {
            struct stream st = {0};
            struct err e;
            put(&st, cases[i].text, piece, &e);
            assert_int_equal(e.code, ERR_OK);
            stream_end(&st);
            size_t broken = 0;
            for (size_t k = 0; k < st.ngen; k++)
                broken += st.gen[k].broken;
            if (stream_whole(&st) != cases[i].whole || broken != cases[i].broken ||
                st.torn != cases[i].torn || !strstr(st.damage.what, cases[i].what) ||
                (!*cases[i].what && st.damage.code))
                fail_msg("case %zu in pieces of %zu: %zu whole, %zu broken, torn %d, '%s'", i, piece,
                         stream_whole(&st), broken, st.torn, st.damage.what);
            stands(&st, cases[i].text);
            assert_int_equal(stream_rest(&st) != NULL, cases[i].torn);
            stream_end(&st); /* once more changes nothing */
            assert_int_equal(stream_whole(&st), cases[i].whole);
            stream_free(&st);
        }
}

/* What ends it: nothing more is taken, and what was whole stays. */
static void test_over(void **state)
{
    (void)state;
    struct stream st = {0};
    struct err e;
    uint8_t *junk = malloc(STREAM_LOST + 10);
    memset(junk, 0x77, STREAM_LOST + 10);
    put(&st, "go 1.26\nnoauto\nend\n", 1, &e);
    assert_int_equal(stream_put(&st, junk, STREAM_LOST + 10, &e), ERR_FORMAT);
    assert_int_equal(stream_put(&st, (const uint8_t *)"\1", 1, NULL), ERR_FORMAT);
    stream_end(&st);
    assert_int_equal(stream_whole(&st), 0);
    stream_free(&st);

    put(&st, "go 1.26\nnoauto\n" GEN("1") END GEN("2"), 7, &e);
    assert_int_equal(stream_put(&st, junk, STREAM_LOST + 10, &e), ERR_FORMAT);
    assert_non_null(strstr(e.what, "no batch in the last 1048577 bytes"));
    stream_end(&st);
    assert_int_equal(stream_whole(&st), 1);
    assert_true(st.torn);
    stream_free(&st);
    free(junk);

    put(&st, "go 1.21\nbatch p=0 t=1\nProcStart +1 thread=1\n", 5, &e);
    assert_int_equal(e.code, ERR_ARG);
    assert_non_null(strstr(e.what, "a trace of go 1.21 can only be put in order when it is complete"));
    stream_free(&st);
    put(&st, "raw 6e 6f 74 68 69 6e 67 20 6f 66 20 74 68 65 20 6b 69 6e 64\n", 5, &e);
    assert_int_equal(e.code, ERR_NOT_TRACE);
    stream_end(&st);
    assert_int_equal(stream_whole(&st), 0);
    stream_free(&st);

    st.max = 36;
    put(&st, "go 1.26\nnoauto\n" GEN("1") END, 1, &e);
    assert_int_equal(e.code, ERR_OK);
    assert_int_equal(stream_whole(&st), 0);
    assert_int_equal(st.damage.code, ERR_NOMEM);
    assert_non_null(strstr(st.damage.what, "a generation is larger than 36 bytes: it is left out"));
    stream_free(&st);
}

/* The newest goes where there is no room, and the one behind it says so; the oldest go as they are shown. */
static void test_lose(void **state)
{
    (void)state;
    struct stream st = {0}, to = {0};
    struct err e;
    assert_int_equal(stream_lose(&st), 0);
    put(&st, "go 1.26\nnoauto\n" GEN("1") END GEN("2") END GEN("3"), 100, &e);
    assert_int_equal(stream_whole(&st), 2);
    const size_t second = st.gen[1].n - STREAM_HEADER;
    assert_int_equal(stream_lose(&st), second);
    assert_int_equal(stream_whole(&st), 1);
    assert_int_equal(st.gen[1].number, 3);
    assert_int_equal(st.gen[1].lost_before, second); /* which is still arriving */
    assert_int_equal(st.gen[0].lost_before, 0);
    const size_t first = stream_lose(&st);
    assert_int_equal(st.gen[0].number, 3);
    assert_int_equal(st.gen[0].lost_before, first + second);
    stream_free(&st);

    put(&st, "go 1.26\nnoauto\n" GEN("1") END, 100, &e);
    const size_t all = stream_lose(&st);
    assert_int_equal(st.ngen, 0);
    struct tracegen_buf rest = {0};
    size_t n;
    uint8_t *p = tracegen_bytes("go 1.26\nnoauto\n" GEN("2") END GEN("3") END, &n);
    assert_int_equal(stream_put(&st, p + STREAM_HEADER, n - STREAM_HEADER, &e), ERR_OK);
    assert_int_equal(st.gen[0].lost_before, all); /* the next one that came */
    assert_int_equal(st.gen[1].lost_before, 0);
    assert_true(stream_hand(&st, &to));
    assert_int_equal(to.ngen, 2);
    assert_int_equal(st.ngen, 0);
    assert_true(stream_hand(&st, &to)); /* nothing is nothing */
    stream_drop(&to, 7);
    assert_int_equal(to.ngen, 0);
    free(p);
    tracegen_free(&rest);
    stream_free(&st);
    stream_free(&to);
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char text[] =
        "go 1.26\nnoauto\n" GEN("1") END GEN("2") "end\nraw 77 78\n" GEN("2") END GEN("3");
    long n = 0;
    for (bool refused = true; refused && n < 1000; n++) {
        struct stream st = {0}, to = {0};
        struct err e;
        size_t len, live = mem_live();
        mem_fail_after(n);
        put(&st, text, 3, &e);
        if (!e.code)
            stream_end(&st);
        const bool handed = stream_hand(&st, &to);
        uint8_t *joined = handed ? stream_join(&to, 0, to.ngen, &len) : NULL;
        void *more = mem_alloc(1);
        refused = !more;
        mem_free(more);
        mem_fail_after(-1);
        if (e.code && (e.code != ERR_NOMEM || !strstr(e.what, "out of memory")))
            fail_msg("allocation %ld: %d '%s'", n, (int)e.code, e.what);
        if (!refused)
            assert_int_equal(to.ngen, 2);
        mem_free(joined);
        stream_free(&st);
        stream_free(&to);
        assert_int_equal(mem_live(), live);
    }
    assert_true(n > 5 && n < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_over),
        cmocka_unit_test(test_lose),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
