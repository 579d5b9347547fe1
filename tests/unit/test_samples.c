/*
 * test_samples.c - every sample against its line in samples/MANIFEST.tsv: dialect, events, goroutines,
 * processors, generations. Those counts come from Go's own reader, or from the notation that the sample was
 * written in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/trace.h"

struct row {
    char file[100], dialect[20];
    unsigned long bytes, events, goroutines, procs, generations;
    bool ours; /* written in the notation: no reader of Go's counted it */
};

static bool read_row(FILE *f, struct row *r)
{
    char line[1000], *field[10] = {0};
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || strncmp(line, "file\t", 5) == 0)
            continue;
        char *save = NULL;
        int n = 0;
        for (char *p = strtok_r(line, "\t\n", &save); p && n < 10; p = strtok_r(NULL, "\t\n", &save))
            field[n++] = p;
        assert_int_equal(n, 10);
        snprintf(r->file, sizeof r->file, "samples/%s", field[0]);
        snprintf(r->dialect, sizeof r->dialect, "%s", field[3]);
        r->ours = strcmp(field[2], "-") == 0;
        r->bytes = strtoul(field[4], NULL, 10);
        r->events = strtoul(field[5], NULL, 10);
        r->goroutines = strtoul(field[6], NULL, 10);
        r->procs = strtoul(field[7], NULL, 10);
        r->generations = strtoul(field[8], NULL, 10);
        return true;
    }
    return false;
}

/* P lanes on which a goroutine ever ran: what the manifest counts. */
static unsigned long busy_procs(const struct trace *tr)
{
    unsigned long n = 0;
    for (uint32_t i = 0; i < trace_nlanes(tr, LANE_P); i++) {
        struct shares sh;
        struct lane l = {LANE_P, i};
        trace_shares(tr, l, 0, trace_info(tr)->end, &sh);
        n += sh.ns[ST_RUNNING] + sh.ns[ST_GCWORK] + sh.ns[ST_ASSIST] + sh.ns[ST_SWEEP] > 0;
    }
    return n;
}

static void check_row(const struct row *r, int threads)
{
    struct trace_opts opts = {.threads = threads};
    struct trace *tr = NULL;
    struct err e = {0};
    if (trace_open(r->file, &opts, &tr, &e) != ERR_OK)
        fail_msg("%s: %s", r->file, e.what);
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        ;
    if (trace_fatal(tr))
        fail_msg("%s: %s", r->file, trace_fatal(tr)->what);
    const struct trace_info *in = trace_info(tr);
    if (in->ndamages)
        fail_msg("%s: damaged: %s", r->file, trace_damage(tr, 0)->what);
    assert_string_equal(in->dialect, r->dialect);
    assert_int_equal(in->bytes, r->bytes);
    if (r->events && in->events != r->events) /* 0: a '-', no reader counted it */
        fail_msg("%s: %" PRIu64 " events, not %lu", r->file, in->events, r->events);
    if (trace_nlanes(tr, LANE_G) != r->goroutines)
        fail_msg("%s: %u goroutines, not %lu", r->file, trace_nlanes(tr, LANE_G), r->goroutines);
    if (busy_procs(tr) != r->procs)
        fail_msg("%s: %lu busy processors, not %lu", r->file, busy_procs(tr), r->procs);
    if (in->second_family)
        assert_int_equal(in->generations, r->generations);
    trace_close(tr);
}

static void walk(bool ours, int threads)
{
    FILE *f = fopen("samples/MANIFEST.tsv", "r");
    struct row r;
    unsigned n = 0;
    assert_non_null(f);
    while (read_row(f, &r))
        if (r.ours == ours) {
            check_row(&r, threads);
            n++;
        }
    fclose(f);
    assert_true(n >= 7);
}

static void test_go_samples(void **state)
{
    (void)state;
    walk(false, 1);
}

static void test_go_samples_in_threads(void **state)
{
    (void)state;
    walk(false, 4);
}

static void test_old_samples(void **state)
{
    (void)state;
    walk(true, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_go_samples),
        cmocka_unit_test(test_go_samples_in_threads),
        cmocka_unit_test(test_old_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
