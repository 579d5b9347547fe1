/*
 * tri.h - the views that show triage's tables instead of lanes: 1 findings, 6 waits, and the flame view
 * (10). Each has a heading, rows with a cursor, and two lines about the row under it; Enter goes from a row
 * to the lanes at the row's moment.
 *
 * Drawing is pure: the tables (triage/) and this state in, cells out. The row under the cursor is
 * v->at.row, so undo restores it; the other state of these views is in struct tri, which the viewer owns
 * and v->tri refers to. Actions return enum refresh, as in view.h. Before tri_ready() the views show
 * triage's progress.
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
    bool built, failed; /* built: it is there, or failed */
    int64_t t0, t1;     /* its table; t1 = 0: the whole trace */
    struct fnode *node; /* [0] is the root */
    uint32_t n, cap;
    uint32_t root, cur;    /* the frame that fills the width, and the frame under the cursor */
    struct slices *making; /* the tree is being made and not usable yet */
    double share;          /* its progress, 0..1 */
};

struct tri {
    const struct trace *tr;
    const struct triage *tg;   /* NULL: not ready yet */
    const struct findings *fs; /* with them, or before */
    bool so_far;               /* the program still runs: the results cover what is recorded so far */
    double progress;           /* progress of triage, 0..1 */
    const char *trouble;       /* why triage failed; NULL = it did not */

    uint32_t row[VIEW_END], top[VIEW_END]; /* the cursor's row when a view was left */
    uint32_t finding;                      /* for e and E: the last finding shown; UINT32_MAX = none */

    struct flame flame;
};

/* tri_shows - whether a view of this kind is shown. */
bool tri_shows(int view);
/* tri_lacks - whether the view has nothing to show because the tables are missing. tri_makes - whether the
 * tables are ready and the view is still processing them. */
bool tri_lacks(const struct view *v);
bool tri_makes(const struct view *v);
void tri_init(struct tri *t, const struct trace *tr);
void tri_free(struct tri *t);
/* tri_ready - sets the finished tables; both must outlive t. */
void tri_ready(struct tri *t, const struct triage *tg, const struct findings *fs);

/* tri_rows - the number of rows of the list shown; 0 if it is not ready. */
uint32_t tri_rows(const struct view *v);
/* tri_read_finding - adds the full text of a finding; false: no finding has that number. */
bool tri_read_finding(const struct view *v, uint32_t i, struct rich *out);
/* tri_walk - from any view, goes to the evidence of the next (n < 0: previous) finding. */
unsigned tri_walk(struct view *v, int n);

#endif
