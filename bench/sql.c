/*
 * sql.c - how long queries take: build/bench/sql TRACE QUERY.. prints, for each, rows, processor seconds and
 * the first row. Each is asked twice, since the first one makes what the next one finds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decode/base/mem.h"
#include "triage/sql/sql.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ask(struct sql *s, const char *sql)
{
    struct sql_query *q;
    struct err e = {0};
    size_t used;
    uint64_t rows = 0;
    bool row = true;
    const double t0 = now();
    if (sql_query(s, sql, strlen(sql), &q, &used, &e) != ERR_OK || !q) {
        printf("%s: %s\n", sql, e.what);
        return;
    }
    while (sql_next(q, &row, &e) == ERR_OK && row) {
        for (unsigned i = 0; !rows && i < sql_width(q); i++) {
            const struct sql_cell c = sql_cell(q, i);
            if (c.kind == SQL_INT)
                printf("%" PRId64 " ", c.i);
        }
        rows++;
    }
    if (e.what[0])
        printf("%s ", e.what);
    sql_end(q);
    printf("| %" PRIu64 " rows, %.4f s | %s\n", rows, now() - t0, sql);
}

int main(int argc, char **argv)
{
    struct trace_opts o = {0};
    struct trace *tr;
    struct sql *s;
    struct err e;
    if (argc < 3)
        return 2;
    const double t0 = now();
    if (trace_open(argv[1], &o, &tr, &e) != ERR_OK) {
        printf("%s\n", e.what);
        return 2;
    }
    while (trace_load(tr, INT64_MAX) == LOAD_MORE)
        continue;
    printf("loaded: %.2f s, %zu MB\n", now() - t0, mem_live() >> 20);
    if (sql_open(tr, &s, &e) != ERR_OK)
        return 2;
    for (int i = 2; i < argc; i++) {
        ask(s, argv[i]);
        ask(s, argv[i]);
        fflush(stdout);
    }
    printf("%zu MB at most\n", mem_peak() >> 20);
    sql_close(s);
    trace_close(tr);
    return 0;
}
