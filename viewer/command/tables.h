/*
 * tables.h - the tables and findings of an app (app.h): app_triage() is implemented here.
 */
#ifndef GOTOP_VIEWER_TABLES_H
#define GOTOP_VIEWER_TABLES_H

#include "viewer/session/app.h"

/* tables_walk - go to the finding n further on, < 0: back. If they are not made yet, it is done when they
 * are. */
unsigned tables_walk(struct app *a, int n);
/* tables_moved - an action is done, and the reader stood at `from` before it. If that moved, a finding that
 * was asked for is forgotten. */
void tables_moved(struct app *a, const struct place *from);
/* tables_early - an action returned flags f. If it failed because tables are not made yet, its message
 * disappears when they are. */
void tables_early(struct app *a, unsigned f);
/* tables_drop - lanes are about to get other indices, so the tables must be made again. */
void tables_drop(struct app *a);

#endif
