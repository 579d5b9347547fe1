/*
 * test_hash.c - this run's secret in the tables: keys that a file chooses to meet don't, and no answer
 * depends on it.
 */
#include "tests/unit/triage_help.h"

#include "decode/dump.h"
#include "decode/base/idmap.h"
#include "decode/base/table.h"
#include "triage/report/report.h"

enum { MANY = 100000, NEAR = 256 };

struct item {
    uint64_t id;
    bool lost;
    UT_hash_handle hh;
};

static char *said[2];

/* Another secret. No table may be in use. */
static void reseed(uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t x = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        hash_secret[i] = (x ^ x >> 31) | (i > 0);
    }
}

/* All that is said of a trace with this secret. */
static char *all_of(const char *path, uint64_t seed)
{
    struct loaded l = {0};
    char *out = NULL, *json;
    size_t n = 0;
    reseed(seed);
    help_load(path, &l);
    FILE *f = open_memstream(&out, &n);
    assert_non_null(f);
    assert_int_equal(dump_trace(l.tr, f), 0);
    json = report_json(&l, NULL);
    assert_non_null(json);
    fputs(json, f);
    mem_free(json);
    fclose(f);
    load_free(&l);
    return out;
}

static void same_with_any(const char *path)
{
    for (int i = 0; i < 2; i++)
        said[i] = all_of(path, 1 + 7919 * (uint64_t)i);
    if (strcmp(said[0], said[1]) != 0)
        fail_msg("%s: what is said depends on the secret", path);
    for (int i = 0; i < 2; i++)
        free(said[i]);
}

static void no_answer_depends_on_it(void **state)
{
    (void)state;
    assert_true(help_each("samples", "", same_with_any) > 20);
}

/* Ids with the same low bits, and such as met under the hash that was here before, whose multiplier anyone
 * can invert. */
static void ids_do_not_meet(void **state)
{
    (void)state;
    const uint64_t inverse = 0xf1de83e19937733du; /* of 0x9e3779b97f4a7c15 */
    assert_true(inverse * 0x9e3779b97f4a7c15u == 1);
    for (int kind = 0; kind < 3; kind++) {
        struct idmap m = {0};
        for (uint32_t i = 0; i < MANY; i++) {
            uint64_t low = (uint64_t)i << 40, id = kind == 0   ? low
                                                   : kind == 1 ? (uint64_t)i * inverse
                                                               : (low >> 8 | i % 3) * inverse;
            assert_true(idmap_put(&m, id, i));
        }
        if (m.reach >= NEAR)
            fail_msg("kind %d: a key is %u slots from its home", kind, m.reach);
        idmap_free(&m);
    }
}

/* Neighbours fill a run of slots: who asks for what isn't there does not walk along it. */
static void what_is_not_there_is_not_looked_for_long(void **state)
{
    (void)state;
    struct idmap m = {0};
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(idmap_put(&m, i, i));
    assert_true(m.reach < NEAR);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(idmap_get(&m, i), i);
        assert_int_equal(idmap_get(&m, i + ((uint64_t)1 << 32)), IDMAP_NONE);
    }
    for (uint32_t i = 0; i < MANY; i += 2)
        idmap_del(&m, i);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(idmap_get(&m, i), i % 2 ? i : IDMAP_NONE);
    idmap_free(&m);
}

/* Ids that count upwards, each for a while, beside some that stay: what is there is found, and nothing else,
 * however they meet. */
static void ids_come_and_go(void **state)
{
    (void)state;
    enum { IDS = 60000, LIVE = 700 };
    for (int kind = 0; kind < 4; kind++) {
        struct idmap m = {0};
        uint64_t live[LIVE] = {0}, x = 88172645463325252u;
        for (uint64_t i = 1; i <= IDS; i++) {
            const uint64_t id = kind == 3 ? i << 11 : i;
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            const size_t at = kind == 0 ? i % LIVE : kind == 1 ? 20 + x % (LIVE - 20) : x % LIVE;
            if (live[at])
                idmap_del(&m, live[at]);
            if (kind < 3 || i % 2)
                assert_int_equal(idmap_get(&m, live[at]), IDMAP_NONE);
            live[at] = id;
            assert_int_equal(idmap_get(&m, id), IDMAP_NONE);
            assert_true(idmap_put(&m, id, (uint32_t)i));
            if (i < 20 && kind == 1)
                assert_true(idmap_put(&m, id + IDS * 2, 7)); /* stays */
            assert_true(idmap_put(&m, id, (uint32_t)at));
            const size_t other = (x >> 20) % LIVE;
            if (live[other])
                assert_int_equal(idmap_get(&m, live[other]), other);
        }
        for (size_t i = 0; i < LIVE; i++)
            assert_int_equal(idmap_get(&m, live[i]), live[i] ? i : IDMAP_NONE);
        for (uint64_t i = 1; kind == 1 && i < 20; i++)
            assert_int_equal(idmap_get(&m, i + IDS * 2), 7);
        uint32_t at = 0, val, n = 0;
        for (uint64_t key; idmap_next(&m, &at, &key, &val);)
            n++;
        assert_int_equal(n, m.used);
        idmap_free(&m);
    }
}

static void another_secret_is_another_hash(void **state)
{
    (void)state;
    const char key[] = "main.worker, a goroutine's name";
    unsigned same = 0;
    uint64_t before[sizeof key], word[sizeof key];
    for (int i = 0; i < (int)sizeof key; i++) {
        before[i] = hash_bytes(key, (size_t)i);
        word[i] = hash_u64((uint64_t)i);
    }
    reseed(0xfeed);
    for (int i = 0; i < (int)sizeof key; i++)
        same += (before[i] == hash_bytes(key, (size_t)i)) + (word[i] == hash_u64((uint64_t)i));
    assert_int_equal(same, 0);
}

/* As many as there are slots: none gets far more than the others. */
static void keys_are_spread(void **state)
{
    (void)state;
    static unsigned n[3][4096];
    memset(n, 0, sizeof n);
    for (uint64_t i = 0; i < 4096; i++) {
        uint64_t id = i << 48;
        n[0][hash_u64(i) % 4096]++;
        n[1][hash_u64(id) % 4096]++;
        n[2][hash_bytes(&id, sizeof id) % 4096]++;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4096; i++)
            if (n[k][i] > 16)
                fail_msg("%d: %u of 4096 keys in one slot", k, n[k][i]);
}

/* Where memory is short an item is in no table, and says so; nothing exits. */
static void a_table_without_memory(void **state)
{
    (void)state;
    struct item *all = NULL, *it, *next, v[64] = {{0}};
    mem_fail_after(2);
    for (uint64_t i = 0; i < 64; i++) {
        v[i].id = i;
        HASH_ADD(hh, all, id, sizeof v[i].id, &v[i]);
    }
    mem_fail_after(-1);
    for (uint64_t i = 0; i < 64; i++) {
        HASH_FIND(hh, all, &i, sizeof i, it);
        assert_true(it == (v[i].lost ? NULL : &v[i]));
    }
    HASH_ITER(hh, all, it, next)
        HASH_DEL(all, it);
    mem_fail_after(0);
    struct item one = {.id = 1};
    HASH_ADD(hh, all, id, sizeof one.id, &one);
    mem_fail_after(-1);
    assert_true(one.lost && !all);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_do_not_meet),         cmocka_unit_test(what_is_not_there_is_not_looked_for_long),
        cmocka_unit_test(ids_come_and_go),         cmocka_unit_test(another_secret_is_another_hash),
        cmocka_unit_test(keys_are_spread),         cmocka_unit_test(a_table_without_memory),
        cmocka_unit_test(no_answer_depends_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
