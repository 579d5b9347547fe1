/*
 * sql_priv.h - how a table is defined: its columns, and a cursor that goes from row to row.
 *
 * A provider is a struct sql_table: a list of columns with the values of their cells (an X-macro, from
 * which the documentation and the cells are generated), the size of its cursor, and a few functions.
 * sql_vtab.c turns it into a virtual table of SQLite. The query's constraints arrive as a struct sql_where:
 * bounds that every row has to satisfy. A provider may use them to skip rows and needn't be exact, because
 * SQLite checks each row itself. sql_tables.def lists the tables.
 *
 *     #define TASK(X) X(TASK_ID, "id", ID, ID, v_id(r->id), "number from the file") ..
 *     SQL_CELLS(task, TASK, struct list_cursor, const struct task *r = task_row(c))
 *     SQL_TABLE(task, TASK, struct list_cursor, task_begin, sql_rows_next, "The program's tasks, by time");
 */
#ifndef GOTOP_TRIAGE_SQL_PRIV_H
#define GOTOP_TRIAGE_SQL_PRIV_H

#include <sqlite3.h>

#include "decode/model/alive.h"
#include "triage/findings/findings.h"
#include "triage/tables/waitfor.h"
#include "triage/load.h"
#include "triage/sql/sql.h"
#include "triage/tables/tab.h"

enum sql_unit { SQL_U_NS, SQL_U_BYTES, SQL_U_ID, SQL_U_COUNT, SQL_U_BOOL, SQL_U_NAME, SQL_U_REAL };
/* Which constraints on a column are passed to the provider. T0, T1: points in time. */
enum sql_push {
    SQL_P_NO,
    SQL_P_T0,
    SQL_P_T1,
    SQL_P_DUR,
    SQL_P_ID,
    SQL_P_STATE,
    SQL_P_NAME,
    SQL_P_FROM,
    SQL_P_TO,
    SQL_P_KEY /* no constraints, but rows can be grouped by the column */
};
#define SQL_PUSHES (SQL_P_TO + 1)

struct sql_column {
    const char *name;
    enum sql_unit unit;
    enum sql_push push; /* SQL_P_FROM and TO: a hidden column that is an argument of the table */
    const char *doc;    /* "~..": the column is hidden, `select *` leaves it out */
};
static inline bool sql_hidden(const struct sql_column *c)
{
    return *c->doc == '~';
}
#define SQL_COLUMN_ID(id, ...) id,
#define SQL_COLUMN_ROW(id, name, unit, push, value, doc) {name, SQL_U_##unit, SQL_P_##push, doc},
#define SQL_CASE(id, name, unit, push, value, doc) \
    case id: return value;

/* Columns of a row r that lasts; PUSH: which constraints on its length are passed on. */
#define SQL_TIMES(X, P, PUSH) \
    X(P##_T0, "t0", NS, T0, v_int(r->t0), "when it begins") \
    X(P##_T1, "t1", NS, T1, v_int(r->t1), "when it ends") \
    X(P##_DUR, "dur", NS, PUSH, v_int(r->t1 - r->t0), "t1 - t0")
#define SQL_COVERED(X, P) \
    X(P##_IN_GC, "in_gc", NS, NO, v_int(tri_in_band(s->tr, BAND_GC, r->t0, r->t1)), \
      "~how much of it lies within mark phases") \
    X(P##_IN_STW, "in_stw", NS, NO, v_int(tri_in_band(s->tr, BAND_STW, r->t0, r->t1)), \
      "~how much of it lies within stops of the world")

struct sql_value { /* a cell */
    enum {
        SQL_V_NULL,
        SQL_V_INT,
        SQL_V_REAL,
        SQL_V_STR,  /* a string of the trace */
        SQL_V_WORD, /* a text that is never freed */
        SQL_V_OWN,  /* a text that mem_free() frees */
        SQL_V_NOMEM
    } what;
    uint32_t str;
    union {
        int64_t n;
        double real;
        const char *word;
        char *own;
    };
};

#define SQL_ANY_NAME UINT32_MAX
struct sql_where {                          /* Bounds that every row of the result satisfies. */
    int64_t lo[SQL_PUSHES], hi[SQL_PUSHES]; /* inclusive */
    uint32_t name;   /* a string: the cell is that of it (sql_canon()); SQL_ANY_NAME: any */
    uint32_t states; /* a bit per enum state */
    bool none;       /* no row can satisfy the query */
};

enum { SQL_BY = 8 }; /* maximum columns to group by */
struct sql_groups;
struct sql_cursor {
    sqlite3_vtab_cursor base; /* SQLite's part, which must come first */
    struct sql *s;
    const struct sql_table *table;
    struct sql_where w;
    struct sql_groups *groups; /* state of sql_group() */
    bool eof;
    int64_t rowid; /* number of the row, the same in every scan: SQLite joins the scans of an OR by it */
    /* SQL_GROUP() of the columns to group by: rows that are equal in all of them are neighbours. KEY: the
     * columns in `by`, grouped by sql_group() */
    unsigned grouped;
    uint8_t by[SQL_BY], nby;
};
#define SQL_GROUP(push) (1u << SQL_P_##push)

struct sql_table {
    const char *name, *doc;
    const struct sql_column *column;
    unsigned columns;
    size_t cursor; /* size in bytes; it begins with a struct sql_cursor. Zeroed at first, then reused */
    /* estimated number of rows; NULL: a hundred */
    double (*rows)(const struct sql *s, const struct sql_table *t);
    /* go to the first row, or set c->eof. false: out of memory or time */
    bool (*begin)(struct sql_cursor *c);
    bool (*next)(struct sql_cursor *c);
    struct sql_value (*cell)(struct sql_cursor *c, unsigned column);
    unsigned groups;     /* SQL_GROUP() of the columns it can group by. Otherwise SQLite sorts all rows */
    bool keyed;          /* with sql_group() it can also group by any columns with SQL_P_KEY */
    enum lane_kind lane; /* of tables of lanes and of spans: which */
    uint32_t states;     /* of tables of spans: a bit per state of those that are rows; 0: all */
};
/* SQL_CELLS - define NAME_cell(), the values of COLUMNS: they are made of the struct sql `s`, of the cursor
 * `c`, and of what the declarations behind it say of the row at hand. */
#define SQL_CELLS(NAME, COLUMNS, CURSOR, ...) \
    enum { COLUMNS(SQL_COLUMN_ID) }; \
    static struct sql_value NAME##_cell(struct sql_cursor *base, unsigned column) \
    { \
        CURSOR *c = (CURSOR *)base; \
        const struct sql *s = base->s; \
        (void)s, (void)c; \
        __VA_ARGS__; \
        switch (column) { \
            COLUMNS(SQL_CASE) \
        default: return v_none(); \
        } \
    }
/* SQL_TABLE - define the table NAME with COLUMNS and NAME_cell(); its doc and further fields of struct
 * sql_table follow. */
#define SQL_TABLE(NAME, COLUMNS, CURSOR, BEGIN, NEXT, ...) \
    static const struct sql_column columns_of_##NAME[] = {COLUMNS(SQL_COLUMN_ROW)}; \
    const struct sql_table sql_##NAME = {.name = #NAME, \
                                         .column = columns_of_##NAME, \
                                         .columns = sizeof columns_of_##NAME / sizeof *columns_of_##NAME, \
                                         .cursor = sizeof(CURSOR), \
                                         .begin = BEGIN, \
                                         .next = NEXT, \
                                         .cell = NAME##_cell, \
                                         .doc = __VA_ARGS__}

struct sql_row_cursor { /* cursor over rows 0 .. n-1 */
    struct sql_cursor c;
    int64_t i, n;
};
/* sql_rows_from - go to row i of n; always true. sql_rows_next - the `next` of a struct sql_table. */
bool sql_rows_from(struct sql_cursor *c, int64_t i, int64_t n);
bool sql_rows_next(struct sql_cursor *c);

struct sql {
    const struct trace *tr;
    int64_t end;
    sqlite3 *db;
    int64_t deadline; /* as host_now(); 0: no deadline */
    bool late;        /* a statement was ended by the deadline */
    bool trusted;     /* gotop's own statements: everything is allowed */
    struct sql_bound *bound;
    /* The following fields are filled when first needed. */
    uint64_t *plain, *checked;  /* a bit per string: it can be shown as it is; that was checked */
    struct keyed_row *by_text;  /* strings by the hash of their cells */
    uint32_t *canon;            /* by string: the first string with the same cell */
    struct keyed_row *by_id;    /* goroutines by id, then name */
    struct keyed_row *by_group; /* goroutines by name */
    struct alive alive[LANE_KINDS];
    int64_t *assist; /* ns in mark assist by goroutine, of [assist_from, assist_to) */
    int64_t assist_from, assist_to;
    struct triage *tg;
    struct findings fs;
    struct waitfor *wf;
    struct ended ended; /* its reads are NULL until they are needed */
    bool has_fs;
};
extern const struct sql_table *const sql_tables[];
extern const unsigned sql_ntables;

/* sql_open_at - like sql_open(), for gotop's own statements: everything is allowed, and the tables are
 * named live_NAME. The database is in fd, a file open to read and write; -1: in memory. */
enum err_code sql_open_at(const struct trace *tr, int fd, struct sql **out, struct err *e);
/* sql_file - the name of the SQLite VFS (zVfs of sqlite3_open_v2) for the files of this descriptor, valid
 * until the next call. NULL: out of memory. */
const char *sql_file(int fd);

/* sql_vtab.c */
bool sql_vtabs(struct sql *s, const char *prefix); /* register all tables; false: out of memory */
void sql_vtabs_free(struct sql *s);
/* sql_stop - whether the statement is out of time. Loops that skip many rows ask it now and then. */
bool sql_stop(struct sql *s);

/* sql_cells.c: values of cells. v_str, v_word, v_own: "" becomes NULL. v_some: 0 becomes NULL. v_own takes
 * ownership of p; NULL means out of memory. v_foreign: cleans the text. */
static inline struct sql_value v_none(void)
{
    return (struct sql_value){.what = SQL_V_NULL};
}
static inline struct sql_value v_int(int64_t n)
{
    return (struct sql_value){.what = SQL_V_INT, .n = n};
}
static inline struct sql_value v_real(double v)
{
    return (struct sql_value){.what = SQL_V_REAL, .real = v};
}
static inline struct sql_value v_str(uint32_t str)
{
    return (struct sql_value){.what = SQL_V_STR, .str = str};
}
static inline struct sql_value v_word(const char *word)
{
    return (struct sql_value){.what = SQL_V_WORD, .word = word};
}
static inline struct sql_value v_own(char *p)
{
    return (struct sql_value){.what = p ? SQL_V_OWN : SQL_V_NOMEM, .own = p};
}
static inline struct sql_value
v_id(uint64_t id) /* ids from 2^63 on, which only hostile traces have, become negative */
{
    return v_int((int64_t)id);
}
static inline struct sql_value v_some(uint64_t id)
{
    return id ? v_id(id) : v_none();
}
#define v_if(there, value) ((there) ? (value) : v_none())
struct sql_value v_foreign(const char *text);
/* the lane's id; SQL NULL for NO_LANE */
struct sql_value v_lane(const struct sql *s, enum lane_kind k, uint32_t i);
/* its name; SQL NULL for NO_LANE */
struct sql_value v_g_name(const struct sql *s, uint32_t g);
struct sql_value v_func(const struct sql *s, uint32_t stack); /* the innermost function */
/* the frame that stacks_user_frame() finds */
struct sql_value v_user(const struct sql *s, uint32_t stack);
/* sql_put - pass v to SQLite, which then owns an SQL_V_OWN. sql_key - a number: cells of a column are
 * equal if their numbers are. */
void sql_put(sqlite3_context *x, const struct sql *s, struct sql_value v);
uint64_t sql_key(const struct sql *s, struct sql_value v);
static inline void sql_put_int(sqlite3_context *x, int64_t v)
{
    sqlite3_result_int64(x, v);
}
/* sql_name - the name of all rows is p[0..n). Returns false when out of memory. */
bool sql_name(struct sql *s, const char *p, size_t n, struct sql_where *w);
/* sql_canon - s->canon, filled when first needed. NULL: out of memory. */
const uint32_t *sql_canon(struct sql *s);
/* sql_str - the bytes of a string as cells show them; they are in *t if they had to be cleaned. */
struct str sql_str(const struct sql *s, uint32_t str, struct text *t);

/* sql_lanes.c: the lanes of a table's kind that satisfy a query's bounds */
struct sql_lanes {
    struct sql *s;
    const struct sql_where *w;
    enum lane_kind kind;
    uint32_t at, end;              /* lanes, or places in s->by_id */
    bool by_id;                    /* only lanes with the one id in w */
    const struct keyed_row *order; /* NULL: in the model's order */
    bool timed;                    /* w bounds the time: only lanes that live in [t0,t1) */
    int64_t t0, t1;
};
/* sql_lanes - begin to go through the lanes. Returns false when out of memory. sql_lanes_next - the next
 * lane, NO_LANE after the last. */
bool sql_lanes(struct sql_lanes *l, const struct sql_cursor *c);
uint32_t sql_lanes_next(struct sql_lanes *l);

/* sql_groups.c: rows in groups, without copying or sorting them */
/* sql_group - go through all rows of a cursor that has begun, with next(), and store the number of each row
 * in the group with its keys: one or two bytes a row. Returns false when out of memory or time. */
bool sql_group(struct sql_cursor *c, bool (*next)(struct sql_cursor *c));
/* sql_group_next - the number of the next row, group by group. Returns false if there is none. */
bool sql_group_next(struct sql_cursor *c, uint64_t *rowid);
void sql_groups_free(struct sql_groups *g);

/* sql_triage.c: computed when first needed. false or NULL: out of memory. */
const struct triage *sql_tables_of(struct sql *s);
const struct findings *sql_findings(struct sql *s);
const struct waitfor *sql_waitfor(struct sql *s);
void sql_triage_free(struct sql *s);

/* sql_functions.c */
bool sql_functions(struct sql *s);
struct sql_function {
    const char *call, *doc;
};
extern const struct sql_function sql_function_docs[];
extern const unsigned sql_nfunctions;

#endif
