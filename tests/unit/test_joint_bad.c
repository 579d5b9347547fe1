/*
 * test_joint_bad.c - traces that can't be one behind the other (decode/input/joint.h): what they disagree
 * about is said. Made of notation, so that they differ in that alone.
 */
#include "decode/input/joint.h"
#include "tests/unit/decode_help.h"

/* A generation with its clock: frequency, time of its batches, wall clock. */
#define GEN(gen, freq, t, sec, thread, stack) \
    "batch gen=" gen " m=-1 t=" t "\nSync\nFrequency freq=" freq "\nClockSnapshot +1 mono=1 sec=" sec \
    " nsec=1\n" \
    "batch gen=" gen " m=" thread " t=" t "\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=" thread \
    " running\nUserLog +1 " \
    "task=0 key=\"k\" value=\"v\" stack=" stack "\nendgen\n"
#define GHZ "1000000000"
#define ONE "go 1.26\n" GEN("1", GHZ, "1000", "5000", "7", "main.f:1!0x10")

static enum err_code follows(const char *a, const char *b, struct err *e)
{
    struct joint_part p[2];
    uint8_t *v[2];
    for (int i = 0; i < 2; i++) {
        v[i] = tracegen_bytes(i ? b : a, &p[i].n);
        p[i].p = v[i];
    }
    *e = (struct err){0};
    enum err_code rc = joint_follows(p[0], p[1], e);
    free(v[0]);
    free(v[1]);
    return rc;
}

static void test_disagree(void **state)
{
    (void)state;
    static const struct {
        const char *second, *what;
        enum err_code code;
    } cases[] = {
        {"go 1.26\n" GEN("2", GHZ, "9000", "5000", "7", "main.f:1!0x10"), "", ERR_OK},
        {"go 1.26\n" GEN("4", GHZ, "9000", "5000", "7", "main.f:1!0x10"), "", ERR_OK},
        {"go 1.26\n" GEN("2", GHZ, "9000", "5000", "8", "main.f:1!0x10"), "they have no thread in common",
         ERR_APART},
        {"go 1.26\n" GEN("2", GHZ, "9000", "5000", "7", "main.g:1!0x10"),
         "their functions stand at other addresses", ERR_APART},
        {"go 1.26\n" GEN("2", "2000000000", "9000", "5000", "7", "main.f:1!0x10"),
         "have other clocks: they were recorded on two", ERR_APART},
        {"go 1.26\n" GEN("2", GHZ, "500", "5000", "7", "main.f:1!0x10"),
         "the later one counts earlier generations", ERR_APART},
        {"go 1.26\n" GEN("2", GHZ, "9000", "9000", "7", "main.f:1!0x10"), "don't agree about the time of day",
         ERR_APART},
        {"go 1.26\n" GEN("2", GHZ, "9000", "1000", "7", "main.f:1!0x10"), "don't agree about the time of day",
         ERR_APART},
        {"go 1.26\n" GEN("1", GHZ, "1000", "5000", "7", "main.f:2!0x10"), "both count the same generations",
         ERR_APART},
        {"go 1.26\n" GEN("1", "2000000000", "1000", "5000", "7", "main.f:1!0x10"),
         "both count the same generations", ERR_APART},
        {ONE, "are not one behind the other", ERR_APART}, /* the same once more */
        {"go 1.25\n" GEN("2", GHZ, "9000", "5000", "7", "main.f:1!0x10"),
         "is of go 1.26 or 1.27, now of go 1.25: two programs", ERR_APART},
        {"go 1.21\nbatch p=0 t=1\nProcStart +1 thread=1\n", "each file has a beginning and an end of its own",
         ERR_APART},
        {"raw 6e 6f 74 68 69 6e 67 20 6f 66 20 74 68 65 20 6b 69 6e 64\n", "now: ", ERR_NOT_TRACE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e;
        enum err_code rc = follows(ONE, cases[i].second, &e);
        if (rc != cases[i].code || e.code != rc || !strstr(e.what, cases[i].what))
            fail_msg("case %zu: %d '%s', expected %d '%s'", i, (int)rc, e.what, (int)cases[i].code,
                     cases[i].what);
    }
}

/* The later one first. */
static void test_order(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(follows("go 1.26\n" GEN("2", GHZ, "9000", "5000", "7", "main.f:1!0x10"), ONE, &e),
                     ERR_APART);
    assert_non_null(strstr(e.what, "are not one behind the other"));
    /* What is cut short (it has no clock) can't be in the middle. */
    assert_int_equal(
        follows("go 1.26\nnoauto\nbatch gen=1 m=7 t=1000\nProcStatus +1 p=0 running\nend\nraw 34\n",
                "go 1.26\n" GEN("2", GHZ, "9000", "5000", "7", "main.f:1!0x10"), &e),
        ERR_APART);
    assert_int_equal(follows(ONE, "go 1.26\nnoauto\n", &e), ERR_APART); /* no generation, so no thread */
}

/* Files: nothing in them, too many, and what memory they need together. */
static void test_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/gotop-joint-bad-XXXXXX", name[2][80];
    assert_non_null(mkdtemp(dir));
    struct input in;
    struct err e;
    for (int i = 0; i < 2; i++) {
        size_t n;
        uint8_t *p = tracegen_bytes("go 1.26\nnoauto\n", &n);
        snprintf(name[i], sizeof name[i], "%s/%d/", dir, i); /* their names end alike */
        name[i][strlen(name[i]) - 1] = '\0';
        FILE *f = fopen(name[i], "wb");
        assert_non_null(f);
        fwrite(p, 1, n, f);
        fclose(f);
        free(p);
    }
    const char *const second[] = {name[1]};
    struct joint_paths more = {second, 1};
    assert_int_equal(input_open_all(name[0], &more, 0, &in, &e),
                     ERR_APART); /* no thread in common: there is none */
    const char *all[JOINT_MAX];
    for (int i = 0; i < JOINT_MAX; i++)
        all[i] = name[0];
    assert_int_equal(input_open_all(name[0], &(struct joint_paths){all, JOINT_MAX}, 0, &in, &e), ERR_ARG);
    assert_non_null(strstr(e.what, "too many traces at once"));
    for (int i = 0; i < 2; i++)
        assert_int_equal(remove(name[i]), 0);
    assert_int_equal(remove(dir), 0);
}

/* Each allocation fails once: that is what is said, and nothing is kept. */
static void test_no_memory(void **state)
{
    (void)state;
    long n = 0;
    for (bool refused = true; refused && n < 1000; n++) {
        struct joint_part p[2];
        uint8_t *v[2];
        struct err e = {0};
        for (int i = 0; i < 2; i++) {
            v[i] = tracegen_bytes(i ? "go 1.26\n" GEN("2", GHZ, "9000", "5000", "7", "main.f:1!0x10") : ONE,
                                  &p[i].n);
            p[i].p = v[i];
        }
        size_t live = mem_live();
        mem_fail_after(n);
        enum err_code rc = joint_follows(p[0], p[1], &e);
        void *more = mem_alloc(1);
        refused = !more;
        mem_free(more);
        mem_fail_after(-1);
        assert_int_equal(mem_live(), live);
        if (rc && (rc != ERR_NOMEM || !strstr(e.what, "out of memory")))
            fail_msg("allocation %ld: %d '%s'", n, (int)rc, e.what);
        free(v[0]);
        free(v[1]);
    }
    assert_true(n > 10 && n < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disagree),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
