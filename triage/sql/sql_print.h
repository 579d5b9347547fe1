/*
 * sql_print.h - rows of queries as text: a table with aligned columns, comma- or tab-separated values, JSON.
 *
 * What comes from a trace is clean in all of them (sql.h). A table's columns are as wide as its first rows
 * need; what doesn't fit is cut there and ends in "..".
 */
#ifndef GOTOP_TRIAGE_SQL_PRINT_H
#define GOTOP_TRIAGE_SQL_PRINT_H

#include "triage/exports/export_out.h"
#include "triage/sql/sql.h"

enum sql_format { SQL_ALIGNED, SQL_CSV, SQL_TSV, SQL_JSON };

#define SQL_LOOK 1000 /* rows from which a table's column widths are computed */
#define SQL_CELL 80   /* maximum characters of a cell in a table */

struct sql_print {
    enum sql_format format;
    struct out *out;
    const char *trace; /* value of the first column, the file's name; NULL: there is no such column */
    uint64_t rows;     /* rows printed so far */
    bool headed;       /* the column heads were printed */
    struct text held;  /* a table's rows until the widths are known; cells are separated by '\x1f' */
    unsigned width, nheld;
    bool *left; /* by column of a table: whether it holds text */
    uint32_t *cols;
    struct text line, cell; /* output not written yet; one cleaned cell */
};

/* sql_print_begin - start the rows of a query and print the heads that q has, unless they were printed.
 * Returns false when out of memory. */
bool sql_print_begin(struct sql_print *p, const struct sql_query *q);
bool sql_print_row(struct sql_print *p, const struct sql_query *q); /* false: out of memory */
/* sql_print_end - finish after all rows of a statement (of all traces). sql_print_free - call it after
 * that, too. */
bool sql_print_end(struct sql_print *p);
void sql_print_free(struct sql_print *p);

#endif
