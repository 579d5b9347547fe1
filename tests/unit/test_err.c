/*
 * test_err.c - the small parts: errors, memory, varints, maps of ids, names, and which dialect a header
 * tells.
 */
#include "decode/base/bytes.h"
#include "tests/unit/decode_help.h"

static struct rng rng = {77};

static void test_err_set(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(err_set(&e, ERR_FORMAT, 12, "a\x1b[31m%s\n\x7f\xc3\xa9", "b"), ERR_FORMAT);
    assert_string_equal(e.what, "a?[31mb????");
    assert_int_equal(e.offset, 12);
    char longer[500];
    memset(longer, 'x', sizeof longer);
    longer[499] = 0;
    err_set(&e, ERR_IO, ERR_NO_OFFSET, "%s", longer);
    assert_int_equal(strlen(e.what), sizeof e.what - 1);
    assert_int_equal(err_set(NULL, ERR_CLOCK, 0, "nobody reads this"), ERR_CLOCK);
}

static void test_mem(void **state)
{
    (void)state;
    size_t live = mem_live(), cap = 0;
    char *p = mem_alloc(1000);
    assert_true(mem_live() >= live + 1000 && mem_peak() >= mem_live());
    p = mem_resize(p, 100000);
    assert_true(mem_live() >= live + 100000);
    mem_free(p);
    mem_free(NULL);
    assert_int_equal(mem_live(), live);
    uint64_t *v = NULL, *q;
    for (size_t n = 1; n < 5000; n = n * 3 + 1) {
        q = mem_grow(v, &cap, n, sizeof *v);
        assert_true(q && cap >= n);
        v = q;
        v[n - 1] = n;
    }
    size_t was = cap;
    assert_null(mem_grow(v, &cap, SIZE_MAX / 4, sizeof *v)); /* does not fit a size_t */
    assert_null(mem_grow(v, &cap, SIZE_MAX, 1));
    assert_int_equal(cap, was);
    mem_fail_after(2);
    char *a = mem_alloc(1);
    void *b = mem_alloc(1), *c = mem_zalloc(1);
    mem_fail_after(-1);
    assert_true(a && !c); /* the second or the third is the first to fail: see mem.h */
    mem_free(a);
    mem_free(b);
    mem_fail_after(0);
    assert_null(mem_resize(v, 100000));
    assert_null(mem_alloc(1));
    mem_fail_after(-1);
    assert_int_equal(v[0], 1); /* the old block stands */
    mem_free(v);
    assert_int_equal(mem_live(), live);
}

static void test_varint(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t v = rnd(&rng) >> below(&rng, 64), got;
        struct tracegen_buf b = {0};
        tracegen_varint(&b, v, (unsigned)below(&rng, 11));
        uint8_t *copy = malloc(b.n); /* exactly as long, so that a read too far is seen */
        memcpy(copy, b.p, b.n);
        assert_ptr_equal(bytes_varint(copy, copy + b.n, &got), copy + b.n);
        assert_int_equal(got, v);
        uint8_t longer[32]; /* what stands behind it is none of its own */
        for (size_t k = 0; k < sizeof longer; k++)
            longer[k] = k < b.n ? b.p[k] : (uint8_t)rnd(&rng);
        assert_ptr_equal(bytes_varint(longer, longer + sizeof longer, &got), longer + b.n);
        assert_int_equal(got, v);
        assert_ptr_equal(bytes_varint_within(longer, &got), longer + b.n);
        assert_int_equal(got, v);
        for (size_t cut = 0; cut < b.n; cut++) {
            uint8_t *less = malloc(cut ? cut : 1);
            memcpy(less, copy, cut);
            assert_null(bytes_varint(less, less + cut, &got));
            free(less);
        }
        free(copy);
        tracegen_free(&b);
    }
    uint64_t v = 5;
    const uint8_t ten[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00};
    const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    assert_ptr_equal(bytes_varint(ten, ten + 11, &v), ten + 10);
    assert_int_equal(v, UINT64_MAX);
    assert_null(bytes_varint(eleven, eleven + 11, &v));
}

/* Against an array: ids that count up, that collide on purpose, that come and go. */
static void test_idmap(void **state)
{
    (void)state;
    for (int v = 0; v < 5; v++) {
        struct idmap m = {0};
        enum { N = 3000 };
        static uint64_t key[N];
        static uint32_t val[N];
        for (uint32_t i = 0; i < N; i++) {
            key[i] = v == 0   ? i
                     : v == 1 ? (uint64_t)i << 32
                     : v == 2 ? (uint64_t)i * 65536
                     : v == 3 ? UINT64_MAX - i
                              : (uint64_t)i << 20 | (i & 1);
            val[i] = IDMAP_NONE;
        }
        assert_int_equal(idmap_get(&m, 0), IDMAP_NONE);
        idmap_del(&m, 0);
        for (int step = 0; step < 30000; step++) {
            uint32_t i = (uint32_t)below(&rng, N);
            switch (below(&rng, 4)) {
            case 0:
                idmap_del(&m, key[i]);
                val[i] = IDMAP_NONE;
                break;
            case 1: assert_int_equal(idmap_get(&m, key[i]), val[i]); break;
            default:
                val[i] = (uint32_t)below(&rng, UINT32_MAX - 1);
                assert_true(idmap_put(&m, key[i], val[i]));
            }
        }
        uint32_t used = 0;
        for (uint32_t i = 0; i < N; i++) {
            assert_int_equal(idmap_get(&m, key[i]), val[i]);
            used += val[i] != IDMAP_NONE;
        }
        assert_int_equal(m.used, used);
        idmap_clear(&m);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(idmap_get(&m, key[i]), IDMAP_NONE);
        idmap_free(&m);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct names nm;
    uint32_t id, again;
    size_t live = mem_live();
    assert_int_equal(names_init(&nm), ERR_OK);
    assert_int_equal(names_get(&nm, 0).len, 0);
    assert_int_equal(names_str(&nm, "", 0, false, &id), ERR_OK);
    assert_int_equal(id, 0);
    static char text[20000][12];
    for (uint32_t i = 0; i < 20000; i++) {
        int n = snprintf(text[i], 12, "s%u", i * 7919 % 20000);
        assert_int_equal(names_str(&nm, text[i], (uint32_t)n, i % 3 == 0, &id), ERR_OK);
        assert_int_equal(id, i + 1); /* dense, in order of appearance */
    }
    for (uint32_t i = 0; i < 20000; i++) {
        char other[12];
        memcpy(other, text[i], 12);
        assert_int_equal(names_str(&nm, other, (uint32_t)strlen(other), false, &again), ERR_OK);
        assert_int_equal(again, i + 1);
        assert_int_equal(names_get(&nm, again).len, strlen(text[i]));
        assert_memory_equal(names_get(&nm, again).p, text[i], strlen(text[i]));
    }
    assert_int_equal(names_str(&nm, "a\0b", 3, true, &id), ERR_OK);
    assert_int_equal(names_str(&nm, "a\0c", 3, true, &again), ERR_OK);
    assert_int_not_equal(id, again);
    assert_int_equal(names_get(&nm, 1u << 31).len, 0);
    struct frame f[300];
    for (uint32_t depth = 0; depth < 300; depth += 7) {
        for (uint32_t i = 0; i < depth; i++)
            f[i] = (struct frame){.pc = 4096 + i, .func = i % 9 + 1, .file = 2, .line = depth};
        assert_int_equal(names_stack(&nm, f, depth, &id), ERR_OK);
        assert_int_equal(names_stack(&nm, f, depth, &again), ERR_OK);
        assert_int_equal(id, again);
        assert_int_equal(names_depth(&nm, id), depth);
        for (uint32_t i = 0; i < depth; i++) {
            struct frame g = names_frame(&nm, id, i);
            assert_true(g.pc == f[i].pc && g.func == f[i].func && g.file == f[i].file && g.line == f[i].line);
        }
        assert_int_equal(names_root_func(&nm, id), depth ? f[depth - 1].func : 0);
        assert_int_equal(names_frame(&nm, id, depth).pc, 0);
    }
    assert_int_equal(names_depth(&nm, UINT32_MAX), 0);
    const uint32_t few = id; /* frames beyond the 65536th take more room in a stack */
    for (uint32_t i = 0; i < 1 << 16; i++)
        assert_int_equal(names_frame_id(&nm, &(struct frame){.pc = 1u << 20 | i}, &again), ERR_OK);
    for (uint32_t from = 0; from < 65536; from += 65535 / 3) {
        for (uint32_t i = 0; i < 30; i++)
            f[i].pc = 1u << 20 | (from + i * i), f[i].func = f[i].file = f[i].line = 0;
        assert_int_equal(names_stack(&nm, f, 30, &id), ERR_OK);
        assert_int_equal(names_stack(&nm, f, 30, &again), ERR_OK);
        assert_int_equal(id, again);
        assert_int_not_equal(id, few);
        for (uint32_t i = 0; i < 30; i++)
            assert_int_equal(names_frame(&nm, id, i).pc, f[i].pc);
    }
    names_free(&nm);
    assert_int_equal(mem_live(), live);
}

static void test_dialect(void **state)
{
    (void)state;
    static const int known[] = {5, 7, 8, 9, 10, 11, 19, 21, 22, 23, 25, 26}; /* and those after */
    struct dialect d;
    struct err e;
    assert_int_equal(dialect_tell((const uint8_t *)"go 1.139 trace\0", 16, &d, &e), ERR_OK);
    const int newest = d.read_as - 1000;
    assert_true(newest >= 26);
    for (int minor = 1; minor < 140; minor += minor == 26 ? newest - 25 : 1) {
        uint8_t h[32] = {0};
        bool is = minor > newest;
        snprintf((char *)h, sizeof h, "go 1.%d trace", minor);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is |= known[i] == minor;
        enum err_code rc = dialect_tell(h, 16, &d, &e);
        assert_int_equal(rc, is ? ERR_OK : ERR_VERSION);
        if (is) {
            assert_int_equal(d.version, 1000 + minor);
            assert_int_equal(d.read_as, 1000 + (minor > newest ? newest : minor));
            assert_int_equal(d.second_family, minor >= 22);
            assert_int_equal(d.newer, minor > newest);
            assert_int_equal(d.header, 16);
        }
        for (size_t n = 0; n < 16; n++)
            assert_int_not_equal(dialect_tell(h, n, &d, &e), ERR_OK);
        for (int k = 0; k < 30; k++) { /* any other byte is another thing, and never read past the end */
            size_t n = 1 + below(&rng, 16);
            uint8_t *p = malloc(n);
            memcpy(p, h, n);
            p[below(&rng, n)] ^= (uint8_t)(1 + below(&rng, 255));
            rc = dialect_tell(p, n, &d, &e);
            assert_true(rc == ERR_OK || (rc == e.code && e.what[0]));
            free(p);
        }
    }
    assert_int_equal(dialect_tell((const uint8_t *)"gotrace\0", 8, &d, &e), ERR_OK);
    assert_int_equal(d.version, 0);
    assert_int_equal(d.header, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_err_set), cmocka_unit_test(test_mem),   cmocka_unit_test(test_varint),
        cmocka_unit_test(test_idmap),   cmocka_unit_test(test_names), cmocka_unit_test(test_dialect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
