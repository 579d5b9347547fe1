/*
 * fuzz_sql.c - libFuzzer entry for SQL: any text, asked of a small trace. Nothing is changed, no file is
 * opened, and what is said of a mistake is one clean line with an offset within the text.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "tests/support/tracegen.h"
#include "triage/sql/sql.h"

static const char text[] =
    "go 1.26\nbatch m=7 t=100\nProcStatus +1 p=0 running\nGoStatus +1 g=1 m=7 running\n"
    "UserTaskBegin +5 task=1 parent=0 name=\"a\\x1b'--\" stack=main.f:1,main.main:2\n"
    "UserRegionBegin +2 task=1 name=\"r\" stack=main.f:2\nUserLog +5 task=1 key=\"k\" value=\"v\" "
    "stack=main.g:2\n"
    "GoCreate +5 new_g=2 new_stack=main.worker:30 stack=main.main:12\n"
    "GoBlock +5 reason=\"chan receive\" stack=main.h:14,main.main:3\nGoStart +3 g=2 g_seq=1\n"
    "GoUnblock +5 g=1 g_seq=1 stack=main.worker:31\nGoDestroy +4\nGoStart +1 g=1 g_seq=2\n"
    "UserRegionEnd +3 task=1 name=\"r\" stack=main.f:4\nUserTaskEnd +4 task=1 stack=main.f:3\n";

static struct trace *trace_once(void)
{
    static struct trace *tr;
    static uint8_t *bytes;
    struct trace_opts o = {.threads = 1, .max_memory = 64 << 20};
    struct err e;
    size_t n;
    if (tr)
        return tr;
    bytes = tracegen_bytes(text, &n);
    if (trace_open_mem(bytes, n, &o, &tr, &e) != ERR_OK)
        abort();
    while (trace_load(tr, INT64_MAX) != LOAD_DONE)
        continue;
    return tr;
}

/* What the trace keeps from the first time that triage looks at it. */
static void warm(struct trace *tr)
{
    static const char ask[] = "select count(*) from verdict, work, edge, branch";
    struct sql *s;
    struct sql_query *q;
    struct err e;
    size_t used;
    bool row;
    if (sql_open(tr, &s, &e) != ERR_OK || sql_query(s, ask, strlen(ask), &q, &used, &e) != ERR_OK ||
        sql_next(q, &row, &e) != ERR_OK)
        abort();
    sql_end(q);
    sql_close(s);
}

static void said(const struct err *e, size_t n)
{
    if (!e->what[0] || !utf8_plain(e->what, strlen(e->what)) || (e->offset != ERR_NO_OFFSET && e->offset > n))
        abort();
}

static void cells(const struct sql_query *q)
{
    for (unsigned i = 0; i < sql_width(q); i++) {
        const struct sql_cell c = sql_cell(q, i);
        volatile char end = c.kind == SQL_TEXT && c.s.len ? c.s.p[c.s.len - 1] : 0;
        (void)end;
        (void)sql_head(q, i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static bool warmed;
    struct trace *tr = trace_once();
    if (!warmed)
        warm(tr);
    warmed = true;
    const size_t live = mem_live();
    struct sql *s;
    struct err e = {.offset = ERR_NO_OFFSET};
    size_t used = 0;
    if (sql_open(tr, &s, &e) != ERR_OK)
        abort();
    sql_time(s, 2000000000);
    for (size_t at = 0; at < n; at += used) {
        struct sql_query *q;
        bool row = true;
        enum err_code c = sql_query(s, (const char *)data + at, n - at, &q, &used, &e);
        for (int rows = 0; c == ERR_OK && q && rows < 200; rows++) {
            c = sql_next(q, &row, &e);
            if (c != ERR_OK || !row)
                break;
            cells(q);
        }
        sql_end(q);
        if (c != ERR_OK) {
            said(&e, n - at);
            break;
        }
        if (!used)
            abort();
    }
    sql_close(s);
    if (mem_live() != live)
        abort();
    return 0;
}
