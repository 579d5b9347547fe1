/*
 * sql.c - see sql.h. SQLite as it is used here: a database in memory that stays empty, on our allocator;
 * nothing that it could be asked reaches a file.
 */
#include "triage/sql/sql.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"

#define TEXT_MAX (16 << 20) /* maximum bytes of one value */
#define STATEMENT_MAX (1 << 20)
#define LEAST_MEMORY (16 << 20) /* least memory limit of a query */
#define STEPS 4096              /* instructions of SQLite between two checks of the clock */

struct sql_query {
    struct sql *s;
    sqlite3_stmt *st;
};

/* ---- memory -------------------------------------------------------------------------------------------- */

static void *take(int n)
{
    return mem_alloc((size_t)n);
}

static void *resize(void *p, int n)
{
    return mem_resize(p, (size_t)n);
}

static int block_size(void *p)
{
    const size_t n = mem_size(p);
    return n < INT32_MAX ? (int)n : INT32_MAX;
}

static int round_up(int n)
{
    return n > INT32_MAX - 8 ? n : (n + 7) & ~7;
}

static int begin(void *arg)
{
    (void)arg;
    return SQLITE_OK;
}

static void end(void *arg)
{
    (void)arg;
}

/* The allocator can be set only while SQLite isn't in use. What it keeps from then on is a few kilobytes. */
static bool memory_ours(void)
{
    static const sqlite3_mem_methods ours = {take, mem_free, resize, block_size, round_up, begin, end, NULL};
    static bool ready;
    if (!ready) {
        (void)sqlite3_shutdown();
        ready = sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK && sqlite3_initialize() == SQLITE_OK;
    }
    return ready;
}

/* Lets SQLite have the rest of --max-memory for sorting and grouping. */
static void limit_memory(void)
{
    const uint64_t limit = mem_limited(), live = mem_live();
    uint64_t left = limit > live ? limit - live : 0;
    left = left < LEAST_MEMORY ? LEAST_MEMORY : left;
    (void)sqlite3_hard_heap_limit64(limit ? (sqlite3_int64)left : 0);
}

/* ---- what is allowed ----------------------------------------------------------------------------------- */

static bool is_listed(const char *word, const char *const *list)
{
    for (; word && *list; list++)
        if (sqlite3_stricmp(word, *list) == 0)
            return true;
    return false;
}

/* Allow reading only. */
static int allow(void *arg, int what, const char *a, const char *b, const char *schema, const char *from)
{
    static const char *const pragmas[] = {"table_info", "table_xinfo", "function_list", NULL};
    static const char *const never[] = {"load_extension", "fts3_tokenizer", "sqlite_log", NULL};
    const struct sql *s = arg;
    (void)schema, (void)from;
    if (s->trusted)
        return SQLITE_OK;
    switch (what) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return is_listed(b, never) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: return is_listed(a, pragmas) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

/* SQLite's own tables that may be read: they are set up by statements that allow() would refuse later. */
static void lend(sqlite3 *db)
{
    static const char *const tables[] = {"json_each", "json_tree", "pragma_table_info", "pragma_table_xinfo",
                                         "pragma_function_list"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sqlite3_stmt *st = NULL;
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[i]);
        (void)sqlite3_prepare_v2(db, sql, -1, &st, NULL);
        (void)sqlite3_finalize(st);
    }
}

static int asked_to_stop(void *arg)
{
    return sql_stop(arg);
}

static void limits(sqlite3 *db)
{
    static const struct {
        int what, most;
    } rows[] = {{SQLITE_LIMIT_LENGTH, TEXT_MAX},    {SQLITE_LIMIT_SQL_LENGTH, STATEMENT_MAX},
                {SQLITE_LIMIT_COLUMN, 500},         {SQLITE_LIMIT_EXPR_DEPTH, 200},
                {SQLITE_LIMIT_COMPOUND_SELECT, 50}, {SQLITE_LIMIT_VDBE_OP, 100000},
                {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                {SQLITE_LIMIT_WORKER_THREADS, 0},   {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        (void)sqlite3_limit(db, rows[i].what, rows[i].most);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL); /* a misspelt "column" is no text */
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static bool plain_room(struct sql *s)
{
    const size_t n = trace_nstr(s->tr) / 64 + 1;
    s->plain = mem_zalloc(2 * n * sizeof *s->plain);
    s->checked = s->plain ? s->plain + n : NULL;
    return s->plain;
}

enum err_code sql_open_at(const struct trace *tr, int fd, struct sql **out, struct err *e)
{
    const int how = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    struct sql *s = mem_zalloc(sizeof *s);
    *out = NULL;
    if (!s || !memory_ours()) {
        mem_free(s);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for SQL");
    }
    s->tr = tr;
    s->end = trace_info(tr)->end;
    s->trusted = true;
    const bool memory_only = fd < 0;
    const char *vfs = memory_only ? NULL : sql_file(fd);
    const bool opened = (memory_only || vfs) &&
                        sqlite3_open_v2(memory_only ? ":memory:" : "file", &s->db, how, vfs) == SQLITE_OK;
    if (opened)
        limits(s->db);
    if (!opened || !plain_room(s) || !sql_vtabs(s, memory_only ? "" : "live_") || !sql_functions(s) ||
        sqlite3_exec(s->db, "PRAGMA temp_store=memory", NULL, NULL, NULL) != SQLITE_OK) {
        const bool memory = !s->db || sqlite3_errcode(s->db) == SQLITE_NOMEM || opened;
        err_set(e, memory ? ERR_NOMEM : ERR_IO, ERR_NO_OFFSET, "%s",
                memory ? "out of memory for SQL" : sqlite3_errmsg(s->db));
        sql_close(s);
        return memory ? ERR_NOMEM : ERR_IO;
    }
    limit_memory();
    *out = s;
    return ERR_OK;
}

enum err_code sql_open(const struct trace *tr, struct sql **out, struct err *e)
{
    const enum err_code c = sql_open_at(tr, -1, out, e);
    if (c == ERR_OK) {
        lend((*out)->db);
        (*out)->trusted = false;
        (void)sqlite3_set_authorizer((*out)->db, allow, *out);
        sqlite3_progress_handler((*out)->db, STEPS, asked_to_stop, *out);
    }
    return c;
}

void sql_close(struct sql *s)
{
    if (!s)
        return;
    (void)sqlite3_close(s->db);
    sql_vtabs_free(s);
    sql_triage_free(s);
    mem_free(s->by_text);
    for (int k = 0; k < LANE_KINDS; k++)
        alive_free(&s->alive[k]);
    mem_free(s->by_id);
    mem_free(s->by_group);
    mem_free(s->canon);
    mem_free(s->assist);
    mem_free(s->plain);
    mem_free(s);
}

void sql_time(struct sql *s, int64_t ns)
{
    const int64_t now = host_now();
    s->deadline = !ns ? 0 : ns > INT64_MAX - now ? INT64_MAX : now + ns;
    s->late = false;
}

/* ---- statements ---------------------------------------------------------------------------------------- */

static enum err_code why(struct sql *s, struct err *e)
{
    const int rc = sqlite3_errcode(s->db), at = sqlite3_error_offset(s->db);
    const uint64_t where = at < 0 ? ERR_NO_OFFSET : (uint64_t)at;
    const char *said = sqlite3_errmsg(s->db);
    if (s->late)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "it took too long: --timeout gives it more time");
    if (rc == SQLITE_NOMEM)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET,
                       "out of memory: a query that sorts or groups less, or a larger --max-memory, may do");
    if (rc == SQLITE_AUTH)
        return err_set(e, ERR_ARG, where,
                       "only SELECT is allowed: nothing can be changed, and no file opened");
    return err_set(e, ERR_ARG, where, "%s", said ? said : "SQLite failed");
}

enum err_code sql_query(struct sql *s, const char *text, size_t n, struct sql_query **out, size_t *used,
                        struct err *e)
{
    const char *rest = NULL;
    sqlite3_stmt *st = NULL;
    *out = NULL;
    *used = n;
    if (n > STATEMENT_MAX)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the SQL is longer than %d bytes", STATEMENT_MAX);
    if (memchr(text, '\0', n))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "there is a zero byte in the SQL");
    if (sqlite3_prepare_v2(s->db, text, (int)n, &st, &rest) != SQLITE_OK)
        return why(s, e);
    *used = rest ? (size_t)(rest - text) : n;
    if (!st)
        return ERR_OK;
    struct sql_query *q = mem_zalloc(sizeof *q);
    if (!q) {
        (void)sqlite3_finalize(st);
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for SQL");
    }
    *q = (struct sql_query){s, st};
    *out = q;
    return ERR_OK;
}

enum err_code sql_next(struct sql_query *q, bool *row, struct err *e)
{
    const int rc = sqlite3_step(q->st);
    *row = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? ERR_OK : why(q->s, e);
}

void sql_end(struct sql_query *q)
{
    if (q)
        (void)sqlite3_finalize(q->st);
    mem_free(q);
}

unsigned sql_width(const struct sql_query *q)
{
    return (unsigned)sqlite3_column_count(q->st);
}

static struct str str_n(const char *p, size_t n)
{
    return (struct str){p ? p : "", p ? (uint32_t)n : 0};
}

struct str sql_head(const struct sql_query *q, unsigned column)
{
    const char *p = sqlite3_column_name(q->st, (int)column);
    return str_n(p, p ? strlen(p) : 0);
}

/* Looks at SQLite's own value without a copy, which is safe because no other thread uses this connection. */
struct sql_cell sql_cell(const struct sql_query *q, unsigned column)
{
    sqlite3_value *v = sqlite3_column_value(q->st, (int)column);
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER: return (struct sql_cell){.kind = SQL_INT, .i = sqlite3_value_int64(v)};
    case SQLITE_FLOAT: return (struct sql_cell){.kind = SQL_REAL, .r = sqlite3_value_double(v)};
    case SQLITE_NULL: return (struct sql_cell){.kind = SQL_NULL};
    default: break;
    }
    const char *p = sqlite3_value_blob(v); /* sqlite3_value_text() copies, to put a zero behind */
    return (struct sql_cell){.kind = SQL_TEXT, .s = str_n(p, (size_t)sqlite3_value_bytes(v))};
}

/* ---- schema -------------------------------------------------------------------------------------------- */

const char *sql_table(size_t i)
{
    return i < sql_ntables ? sql_tables[i]->name : NULL;
}

const char *sql_column(size_t i, size_t c)
{
    return i < sql_ntables && c < sql_tables[i]->columns ? sql_tables[i]->column[c].name : NULL;
}

static const char *unit(enum sql_unit u)
{
    static const char *const names[] = {
        [SQL_U_NS] = "ns",       [SQL_U_BYTES] = "bytes", [SQL_U_ID] = "id",    [SQL_U_COUNT] = "number",
        [SQL_U_BOOL] = "0 or 1", [SQL_U_NAME] = "text",   [SQL_U_REAL] = "real"};
    return names[u];
}

static void schema_table(struct text *t, const struct sql_table *b, bool markdown)
{
    text_add(t, markdown ? "### %s\n\n%s.\n\n| column | unit | |\n|---|---|---|\n" : "%s: %s\n", b->name,
             b->doc);
    for (unsigned i = 0; i < b->columns; i++) {
        const struct sql_column *c = &b->column[i];
        const bool hidden = sql_hidden(c);
        const char *doc = c->doc + hidden;
        if (markdown)
            text_add(t, "| `%s` | %s | %s%s |\n", c->name, unit(c->unit), doc, hidden ? "; not in `*`" : "");
        else
            text_add(t, "  %-16s %-7s %s\n", c->name, unit(c->unit), doc);
    }
    text_lit(t, "\n");
}

void sql_schema(struct text *t, bool markdown)
{
    for (unsigned i = 0; i < sql_ntables; i++)
        schema_table(t, sql_tables[i], markdown);
    text_add(t, "%s", markdown ? "### Functions\n\n| function | |\n|---|---|\n" : "Functions\n");
    for (unsigned i = 0; i < sql_nfunctions; i++) {
        const struct sql_function *f = &sql_function_docs[i];
        text_add(t, markdown ? "| `%s` | %s |\n" : "  %-25s %s\n", f->call, f->doc);
    }
}
