/* test_blocks.c - entries of the block index come out of their rows as they went in, whatever they are
 * (decode/model/blocks.h). */
#include "decode/model/blocks.h"
#include "decode/base/mem.h"
#include "tests/unit/query_check.h"

static struct rng rng = {99};

static uint64_t some(unsigned bits)
{
    return bits ? rnd(&rng) >> (64 - bits) : 0;
}

static void *room(void *arg, size_t bytes)
{
    (void)arg;
    return mem_alloc(bytes);
}

/* n entries appended as spans.c does it, each checked after each step while there are few. */
static void fill(uint32_t n, unsigned bits)
{
    struct spanblocks v = {0};
    struct blk *want = calloc(n + 1, sizeof *want);
    assert_non_null(want);
    want[0].t0 = (int64_t)some(bits);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(blocks_room(&v));
        want[i].data = (uint8_t *)(uintptr_t)some(below(&rng, 9) ? bits : 64);
        want[i].longest = (int64_t)some(bits);
        want[i + 1].t0 = want[i].t0 + (int64_t)some(bits ? bits - 1 : 0);
        for (int s = 0; s < SPAN_SLOTS - 1; s++)
            want[i + 1].cum[s] = want[i].cum[s] + (int64_t)(s % 2 ? some(bits / 2) : 0);
        v.blk[i % SPAN_GROUP] = want[i];
        v.blk[i % SPAN_GROUP + 1] = want[i + 1];
        if (i % SPAN_GROUP == SPAN_GROUP - 1) {
            struct spangroup *g = &v.group[i / SPAN_GROUP];
            g->entry = blocks_pack(v.blk, room, NULL);
            assert_non_null(g->entry);
            v.blk[0] = v.blk[SPAN_GROUP];
        }
        v.n = i + 1;
        if (i == n / 2 || i + 1 == n)
            blocks_trim(&v);
        for (uint32_t k = i < 40 ? 0 : i; k <= v.n; k++) {
            int64_t tot[SPAN_SLOTS];
            assert_int_equal(blocks_t0(&v, k), want[k].t0);
            assert_int_equal(blocks_before(&v, k, tot), want[k].t0);
            assert_memory_equal(tot + 1, want[k].cum, sizeof want[k].cum);
            if (k == v.n)
                break;
            assert_true(blocks_data(&v, k) == want[k].data);
            assert_true(blocks_longest(&v, k) == want[k].longest);
        }
    }
    for (uint32_t g = 0; g < n / SPAN_GROUP; g++)
        mem_free((void *)(uintptr_t)v.group[g].entry);
    mem_free(v.blk);
    mem_free(v.group);
    free(want);
}

static void test_rows(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 56; bits++)
        fill(1 + (uint32_t)below(&rng, 90), bits);
    fill(5000, 20);
    fill(17, 8);
    fill(16, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
