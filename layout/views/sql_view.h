/*
 * sql_view.h - what a query in SQL answers (triage/sql/sql.h), as rows of a view. A row that has a time (a
 * column t0 or t) and a lane (g, p or m) is a place: Enter goes there.
 */
#ifndef GOTOP_LAYOUT_SQL_VIEW_H
#define GOTOP_LAYOUT_SQL_VIEW_H

#include "layout/move/view.h"

enum { SQL_VIEW_ROWS = 1000, SQL_VIEW_SECONDS = 5 }; /* that are shown; that a query may take */

/*
 * sql_view_ask - ask the view's trace and show the answer; a mistake is said and what is shown stays. Waits
 * for the answer, SQL_VIEW_SECONDS at most. The flags of view.h. sql_view_free - NULL is allowed.
 */
unsigned sql_view_ask(struct view *v, const char *query);
/* A query of one word is the name of a file NAME.sql beside the keymaps (triage/places.h). sql_view_pipe - of
 * a filter line that groups (sql_pipe.h). */
unsigned sql_view_pipe(struct view *v, const char *line);
/* sql_view_word - what a word of a query may be: tables, then columns, each once; NULL: there is no such
 * number below SQL_VIEW_WORDS. */
enum { SQL_VIEW_WORDS = 1024 };
const char *sql_view_word(unsigned i);
struct asked;
void sql_view_free(struct asked *a);

#endif
