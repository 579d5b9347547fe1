/*
 * tables.h - the part of app.h that deals with triage: app_triage() is implemented here.
 */
#ifndef GOTOP_VIEWER_TABLES_H
#define GOTOP_VIEWER_TABLES_H

#include "viewer/session/app.h"

/* tables_walk - finding-next by n, < 0 back. While the tables are being worked out: remembered for then. */
unsigned tables_walk(struct app *a, int n);
/* tables_moved - what was done since the reader stood at `from` has moved: then a finding asked for is
 * forgotten. */
void tables_moved(struct app *a, const struct place *from);
/* tables_early - an action came back with flags f; if for want of tables, its
 * message goes with their coming. */
void tables_early(struct app *a, unsigned f);
/* tables_drop - lanes are about to have other indices: the tables are to be worked out anew. */
void tables_drop(struct app *a);

#endif
