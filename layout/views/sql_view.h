/*
 * sql_view.h - the answer to an SQL query (triage/sql/sql.h) as rows of a view. A row with a time (a column
 * t0 or t) and a lane (g, p or m) is a place: Enter goes there.
 */
#ifndef GOTOP_LAYOUT_SQL_VIEW_H
#define GOTOP_LAYOUT_SQL_VIEW_H

#include "layout/move/view.h"

enum { SQL_VIEW_ROWS = 20000, SQL_VIEW_SECONDS = 5 }; /* limits: rows shown; seconds a query may take */

/* sql_view_ask - runs a query on the view's trace and shows the answer; after an error the old answer
 * stays. A query of one word names a file NAME.sql in the keymaps' directory (triage/places.h). Blocks for at
 * most SQL_VIEW_SECONDS. Returns the flags of view.h. sql_view_free - NULL is
 * allowed. */
unsigned sql_view_ask(struct view *v, const char *query);
/* sql_view_word - a word to complete a query with: tables, then columns, each once; NULL if i has no word
 * (below SQL_VIEW_WORDS). */
enum { SQL_VIEW_WORDS = 1024 };
const char *sql_view_word(unsigned i);
struct asked;
void sql_view_free(struct asked *a);

#endif
