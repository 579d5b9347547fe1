/*
 * tri.h - the views that show triage's tables instead of lanes: 1 findings, 6 waits, and the flame view
 * (10). Each is a heading, rows with a cursor, and two lines about the row under it; Enter
 * leads from a row to the lanes, at the moment that the row speaks of.
 *
 * Pure: the tables (triage/) and this state in, cells out. The row under the cursor is v->at.row, so undo
 * brings it back; all else that these views remember is in struct tri, which the viewer owns and hangs into
 * v->tri. Actions return enum refresh, as those of view.h do. Before tri_ready() the views say how far triage
 * is.
 */
#ifndef GOTOP_LAYOUT_TRI_H
#define GOTOP_LAYOUT_TRI_H

#include "layout/move/view.h"
#include "triage/findings/findings.h"
#include "triage/tables/slices.h"
#include "triage/tables/stackweights.h"

struct fnode; /* a frame of the flame view, tri_flame.c */
struct flame {
    enum sw_kind kind;
    bool built, failed;
    int64_t t0, t1;     /* of what; t1 = 0: the whole trace */
    struct fnode *node; /* [0] is the root of all */
    uint32_t n, cap;
    uint32_t root, cur;    /* what fills the width, where the cursor is */
    struct slices *making; /* the tree is being made: nothing of it is there yet */
    struct tab *map;
    double share; /* how far that is, 0..1 */
};

struct tri {
    const struct trace *tr;
    const struct triage *tg;   /* NULL: not there yet */
    const struct findings *fs; /* with them, or before */
    bool so_far;               /* the program goes on: what is said is said of what there is yet */
    double progress;           /* of triage, 0..1 */
    const char *trouble;       /* triage could not be done: why; NULL = no trouble */

    uint32_t row[VIEW_END], top[VIEW_END]; /* where the cursor was when a view was left */
    uint32_t finding;                      /* e and E: the finding last shown; UINT32_MAX = none */

    struct flame flame;
};

/* tri_shows - is this one of these views? */
bool tri_shows(int view);
/* tri_lacks - has the view shown nothing to show, for want of the tables? tri_makes - they are there, and it
 * makes something of them. */
bool tri_lacks(const struct view *v);
bool tri_makes(const struct view *v);
void tri_init(struct tri *t, const struct trace *tr);
void tri_free(struct tri *t);
/* tri_ready - triage is done: both must outlive t. */
void tri_ready(struct tri *t, const struct triage *tg, const struct findings *fs);

/* tri_rows - how many rows the list of the view shown has; 0 as well where it is not there yet. */
uint32_t tri_rows(const struct view *v);
/* tri_read_finding - all that is to be said of a finding, in lines of w columns; false: there is none of that
 * number. */
bool tri_read_finding(const struct view *v, uint32_t i, struct lines *out, int w);
/* tri_walk - from any view: to the evidence of the next (n < 0: previous) finding. */
unsigned tri_walk(struct view *v, int n);

#endif
