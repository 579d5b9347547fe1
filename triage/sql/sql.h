/*
 * sql.h - SQL over a loaded trace, by SQLite. The tables are views of the model: nothing is copied, and what
 * a query says of times, lanes, states, names and ids decides which part of the model is read. docs/SQL.md
 * lists them.
 *
 * A struct sql belongs to one thread. It may only read: statements other than SELECT, files, ATTACH and
 * extensions are refused. Memory comes from decode/base/mem.h and is limited by what --max-memory leaves; a
 * statement ends with an error when it needs more, or more time than it was given.
 *
 * Strings of a cell are UTF-8 without control or invisible characters: what a trace has of these is escaped
 * as in the exports (\xNN, \u{N}). They are valid until the next sql_next() or sql_end().
 */
#ifndef GOTOP_TRIAGE_SQL_H
#define GOTOP_TRIAGE_SQL_H

#include "decode/trace.h"
#include "triage/text.h"

struct sql;
struct sql_query;

/* sql_open - open a database over tr, which must be loaded completely and outlive *out. ERR_NOMEM.
 * sql_close - NULL is allowed. */
enum err_code sql_open(const struct trace *tr, struct sql **out, struct err *e);
void sql_close(struct sql *s);
/* sql_time - end every statement with an error once `ns` have passed from now on. 0: there is no limit. */
void sql_time(struct sql *s, int64_t ns);

/* sql_query - compile the first statement of text[0..n). *used is its length in bytes, separators after it
 * included. *out is NULL if the text holds no statement (blanks, comments). An error's offset is that of
 * the byte of `text` at fault, or ERR_NO_OFFSET. */
enum err_code sql_query(struct sql *s, const char *text, size_t n, struct sql_query **out, size_t *used,
                        struct err *e);
/* sql_next - go to the next row. On ERR_OK, *row says whether there is one. */
enum err_code sql_next(struct sql_query *q, bool *row, struct err *e);
void sql_end(struct sql_query *q); /* NULL is allowed */

enum sql_kind { SQL_NULL, SQL_INT, SQL_REAL, SQL_TEXT };
struct sql_cell {
    enum sql_kind kind;
    int64_t i;
    double r;
    struct str s;
};
unsigned sql_width(const struct sql_query *q); /* columns */
struct str sql_head(const struct sql_query *q, unsigned column);
struct sql_cell sql_cell(const struct sql_query *q, unsigned column);

/* sql_save - write all tables of a loaded trace as a SQLite file into an empty one that is open to read and
 * write, or add to what sql_save() wrote there (`more`); each row begins with a column `trace`. */
enum err_code sql_save(const struct trace *tr, int fd, const char *trace, bool more, struct err *e);

/* sql_schema - the tables, their columns with units, and the functions, as Markdown for docs/SQL.md or as
 * plain text. */
void sql_schema(struct text *t, bool markdown);
/* sql_tables - the name of table i, NULL after the last. sql_columns - the name of column c of table i,
 * NULL after the last. */
const char *sql_table(size_t i);
const char *sql_column(size_t i, size_t c);

/* sql_main - `gotop sql`; see its --help. */
int sql_main(int argc, char **argv);

#endif
