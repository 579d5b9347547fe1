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

#define SQL_LOOK 1000 /* rows that a table's widths are made of */
#define SQL_CELL 80   /* characters of a cell in a table */

struct sql_print {
    enum sql_format format;
    struct out *out;
    const char *trace; /* the first column: the file; NULL: there is none */
    uint64_t rows;     /* printed so far */
    bool headed;       /* the heads are printed */
    struct text held;  /* a table's rows, cells apart by '\x1f', until the widths are known */
    unsigned width, nheld;
    bool *left; /* of a table, by column: text */
    uint32_t *cols;
    struct text line, cell; /* what is not written yet; one cleaned cell */
};

/* sql_print_begin - rows of a query will come, with the heads that q has unless those are printed. false: no
 * memory. */
bool sql_print_begin(struct sql_print *p, const struct sql_query *q);
bool sql_print_row(struct sql_print *p, const struct sql_query *q); /* false: out of memory */
/* sql_print_end - all rows of a statement have come (of all traces). sql_print_free - after that, too. */
bool sql_print_end(struct sql_print *p);
void sql_print_free(struct sql_print *p);

#endif
