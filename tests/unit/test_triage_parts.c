/*
 * test_triage_parts.c - a trace that is read in parts: what the rules say of each is put together, and the tables of
 * a part are of that part alone.
 */
#include "tests/unit/decode_help.h"

#include "tests/support/tracegen.h"
#include "triage/findings/finding_parts.h"

static char *word(const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = mem_alloc(n);
    assert_non_null(p);
    return memcpy(p, s, n);
}

static void put(struct findings *fs, enum rule r, const char *key, int64_t cost, const char *amount, int64_t t0)
{
    struct finding *f = mem_resize(fs->f, (fs->n + 1) * sizeof *f);
    assert_non_null(f);
    fs->f = f;
    f[fs->n] = (struct finding){.rule = r, .severity_ns = cost, .t0 = t0, .t1 = t0, .lane = {LANE_G, NO_LANE}};
    f[fs->n].amount = word(amount);
    f[fs->n].title = word("title");
    f[fs->n].text = word("Text.");
    f[fs->n].next = word("next");
    snprintf(f[fs->n++].key, sizeof f->key, "%s", key);
}

static void test_merge(void **state)
{
    (void)state;
    size_t live = mem_live();
    struct finding_parts p = {0};
    struct findings fs = {0};
    struct triage a = {.t0 = 0, .t1 = 1000000000}, b = {.t0 = 1000000000, .t1 = 2000000000};
    put(&fs, RULE_CHURN, "x:one", 1000000, "1.00ms", 5);
    put(&fs, RULE_CHURN, "x:two", 3000000, "12", 6);
    assert_true(finding_parts_add(&p, &a, &fs));
    assert_int_equal(fs.n, 0);
    put(&fs, RULE_CHURN, "x:one", 4000000, "4.00ms", 1500000000);
    put(&fs, RULE_STUCK, "x:one", 0, "2 stuck", 1600000000);
    assert_true(finding_parts_add(&p, &b, &fs));
    assert_true(finding_parts_end(&p));
    assert_int_equal(p.all.n, 3);
    const struct finding *f = p.all.f; /* costs add up, the rest is that of the costlier */
    assert_int_equal(f[0].severity_ns, 5000000);
    assert_int_equal(f[0].t0, 1500000000);
    assert_string_equal(f[0].amount, "5.00ms");
    assert_string_equal(f[0].text,
                        "Text. In all 2 parts of the trace, 5.00ms together; these numbers are of 1.000s..2.000s.");
    assert_string_equal(f[1].key, "x:two");
    assert_string_equal(f[1].amount, "12");
    assert_string_equal(f[1].text, "Text. In 1 of 2 parts of the trace; these numbers are of 0..1.000s.");
    assert_int_equal(f[2].rule, RULE_STUCK);
    finding_parts_free(&p);
    assert_int_equal(mem_live(), live);
}

/* Time of processors and goroutines, stops and cycles over all parts is that of the whole. */
static void test_tables(void **state)
{
    (void)state;
    size_t n = 0;
    uint8_t *bytes = read_file("samples/http-long-1.27.trace", &n);
    assert_non_null(bytes);
    struct trace_opts o = {.threads = 1, .max_memory = 1u << 30};
    struct trace *w, *tr;
    struct triage *all, *tg;
    struct err e;
    assert_int_equal(load_bytes_opts(bytes, n, &o, &w, &e), ERR_OK);
    assert_int_equal(triage_new(w, &all, &e), ERR_OK);
    assert_int_equal(triage_step(all, INT64_MAX), TRIAGE_DONE);
    assert_int_equal(trace_open_mem(bytes, n, &o, &tr, &e), ERR_OK);
    tr->chunk_events = 500;
    tr->parts.fixed = mem_live();
    tr->parts.limit = mem_live() + (1 << 19) + (2u << 20); /* a fold takes a megabyte at once */
    tr->parts.step = 1 << 15;
    tr->parts.next = mem_live() + (1 << 15);
    tr->parts.ov.budget = 1u << 16;
    int64_t exec = 0, want = 0, idle = 0, sched = 0, want_sched = 0, length = 0;
    uint32_t parts = 0, created = 0, ended = 0;
    bool more = true;
    while (more) {
        more = trace_load(tr, INT64_MAX) != LOAD_DONE;
        if (more && !trace_part(tr))
            continue;
        assert_int_equal(triage_new(tr, &tg, &e), ERR_OK);
        assert_int_equal(triage_step(tg, INT64_MAX), TRIAGE_DONE);
        for (uint32_t g = 0; g < tg->ng; g++) {
            exec += tg->g[g].ns[GM_EXEC];
            sched += tg->g[g].ns[GM_SCHED];
        }
        idle += tg->p_sum.ns[ST_IDLE];
        length += tg->end;
        created += tg->g_created;
        ended += tg->g_ended;
        triage_free(tg);
        parts++;
    }
    for (uint32_t g = 0; g < all->ng; g++) {
        want += all->g[g].ns[GM_EXEC];
        want_sched += all->g[g].ns[GM_SCHED];
    }
    assert_true(parts > 3);
    assert_int_equal(length, all->end);
    assert_int_equal(exec, want);
    assert_int_equal(created, all->g_created);
    assert_int_equal(ended, all->g_ended);
    if (sched > want_sched || sched < want_sched - want_sched / 10) /* back-dated ones are told of late */
        fail_msg("runnable %" PRId64 ", whole %" PRId64, sched, want_sched);
    if (idle > all->p_sum.ns[ST_IDLE] || idle < all->p_sum.ns[ST_IDLE] / 10 * 9)
        fail_msg("idle %" PRId64 ", whole %" PRId64, idle, all->p_sum.ns[ST_IDLE]);
    triage_free(all);
    trace_close(tr);
    trace_close(w);
    free(bytes);
}

/* One goroutine after another, each of a few spans: counting them takes more than holding them, and has its place. */
static void test_short_lived(void **state)
{
    (void)state;
    enum { GS = 60000 };
    struct tracegen_buf text = {0}, bytes = {0};
    char err[200];
    tracegen_printf(&text, "go 1.26\n");
    for (int g = 2; g < GS + 2; g++) {
        if (g % 1000 == 2) {
            if (g > 2)
                tracegen_printf(&text, g % 20000 == 2 ? "endgen\n" : "end\n");
            tracegen_printf(&text, "batch m=7 t=%d\n", g * 100);
            if (g == 2 || g % 20000 == 2)
                tracegen_printf(&text, "ProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n");
        }
        tracegen_printf(&text,
                        "GoCreate +5 new_g=%d new_stack=main.worker:30 stack=main.main:12\n"
                        "GoBlock +5 reason=\"chan receive\" stack=main.main:14\nGoStart +1 g=%d g_seq=1\n"
                        "GoUnblock +5 g=1 g_seq=%d stack=main.worker:31\nGoDestroy +2\nGoStart +1 g=1 g_seq=%d\n",
                        g, g, (g - 2) % 20000 * 2 + 1, (g - 2) % 20000 * 2 + 2);
    }
    int bad = tracegen_encode((char *)text.p, &bytes, err, sizeof err);
    if (bad)
        fail_msg("%s", err);
    tracegen_free(&text);
    struct trace_opts o = {.threads = 1, .max_memory = mem_live() + (9u << 20)};
    struct trace *tr;
    struct triage *tg;
    struct err e;
    assert_int_equal(trace_open_mem(bytes.p, bytes.n, &o, &tr, &e), ERR_OK);
    uint32_t parts = 0, created = 0;
    bool more = true;
    while (more) {
        more = trace_load(tr, INT64_MAX) != LOAD_DONE;
        if (more && !trace_part(tr))
            continue;
        assert_int_equal(triage_new(tr, &tg, &e), ERR_OK);
        assert_int_equal(triage_step(tg, INT64_MAX), TRIAGE_DONE);
        created += tg->g_created;
        triage_free(tg);
        parts++;
    }
    assert_int_equal(trace_info(tr)->ndamages, 0);
    assert_int_equal(created, GS);
    if (parts < 3 || mem_peak() > o.max_memory + o.max_memory / 10)
        fail_msg("%u parts, %zu of %zu bytes at the peak", parts, mem_peak(), (size_t)o.max_memory);
    trace_close(tr);
    tracegen_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_lived), /* first: the peak is of all so far */
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
