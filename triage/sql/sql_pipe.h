/*
 * sql_pipe.h - a filter line that groups: "reason=sync | by user_frame | p99". The spans that the filter's
 * language (triage/query/filter.h) means, by a column of the table span, with how often, how long, and the
 * longest as a place.
 *
 *     FILTER | by COLUMN.. [| n total mean p50 p99 max hist ..]     the first of these orders the rows
 */
#ifndef GOTOP_TRIAGE_SQL_PIPE_H
#define GOTOP_TRIAGE_SQL_PIPE_H

#include "decode/base/err.h"
#include "triage/text.h"

/* sql_pipe_is - does a filter line group? A bar between blanks does; one in an expression doesn't. */
bool sql_pipe_is(const char *line);
/* sql_pipe_query - as SQL, in which matches(rowid) stands for the filter: line[0..*filter). false: *e says
 * why. */
bool sql_pipe_query(const char *line, int64_t least, struct text *sql, struct err *e);
/* sql_pipe_filter - how many bytes of the line are the filter. */
size_t sql_pipe_filter(const char *line);

#endif
