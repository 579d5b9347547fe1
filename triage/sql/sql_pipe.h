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

/* sql_pipe_is - whether a filter line groups, which is so if it has a bar between blanks. A bar within an
 * expression doesn't group. */
bool sql_pipe_is(const char *line);
/* sql_pipe_query - the line as SQL, in which matches(rowid) stands for the filter line[0..*filter). false:
 * *e says why it can't be translated. */
bool sql_pipe_query(const char *line, int64_t least, struct text *sql, struct err *e);
/* sql_pipe_filter - the number of bytes of the line that are the filter. */
size_t sql_pipe_filter(const char *line);

#endif
