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

#include "layout/cells/fmt.h"
#include "layout/cells/wrap.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
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
/* tri_read_finding - adds the full text of a finding; returns false if no finding has that number. */
bool tri_read_finding(const struct view *v, uint32_t i, struct rich *out);
/* tri_walk - from any view, goes to the evidence of the next (n < 0: previous) finding. */
unsigned tri_walk(struct view *v, int n);

void flame_free(struct flame *f);

/* ---- answers, and other members of such a view's object ---- */
unsigned tri_open(struct view *v, int no);
unsigned tri_hold(struct view *v);
/* tri_status_most - the status_most of lists: the lines that rows do not need go to the status. */
int tri_status_most(const struct view *v);
unsigned tri_move(struct view *v, int n);
unsigned tri_enter(struct view *v, int n);
void tri_draw(struct grid *g, struct view *v, const struct plan *p);
unsigned tri_touch(struct view *v, const struct plan *p, int x, int y);
void tri_speak(const struct view *v, int w, struct rich *out);
/* IS_TIMELESS - members shared by all views without a time axis. TIMELESS_PLAN - the same with a table's
 * screen plan. */
#define IS_TIMELESS .lanes = LANE_KINDS, .table = true, .gutter = GUTTER_SHORT
#define TIMELESS_PLAN IS_TIMELESS, .plan = PLAN_TABLE
#define ANSWER_ROWS \
    [REQ_LANE] = tri_move, [REQ_DETAILS] = tri_enter, [REQ_FIT] = tri_enter, [REQ_SWAP] = tri_enter
#define REFUSE_ZOOM [REQ_ZOOM] = "Enter looks closer here", [REQ_ZOOM_ALL] = "Enter looks closer here"
#define REFUSE_SORT \
    [REQ_SORT] = "these rows have their order: the largest first", \
    [REQ_INVERT] = "these rows have their order: the largest first"
#define REFUSE_SELECT [REQ_SELECT] = "no range to select in this view"
#define ANSWER_SIDE(f) [REQ_PAN] = f, [REQ_CURSOR] = f, [REQ_SPAN] = f

/* ---- helpers ---- */

/* tri_begin - whether the tables are ready; if not, says so. */
bool tri_begin(struct grid *g, const struct view *v, int y, int h);
/* tri_where - writes which row of how many has the cursor, for the title. */
void tri_where(const struct view *v, const struct plan *p, char *out, size_t size);
/* tri_bar - draws a row's bar: n of most in w columns, in the colour of its state. In the cursor's row the
 * bar keeps its background so that the colour stays recognizable. */
enum { TRI_BAR = 10 };
void tri_bar(struct grid *g, const struct view *v, int x, int y, int w, int64_t n, int64_t most,
             enum style s);
/* tri_say - prints into the grid in w columns, cut between words with " .." if longer; returns the column
 * after it. tri_note - in at most n lines, the text shown instead of rows. */
int tri_say(struct grid *g, int x, int y, int w, enum style s, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void tri_note(struct grid *g, int x, int y, int n, const char *text);
/* tri_func - text_func() of a start function, TRI_UNNAMED where the trace has no names. */
#define TRI_UNNAMED "(no name)"
void tri_func(struct text *t, const struct trace *tr, uint32_t name, size_t max);
/* tri_goto - one undo step: shows the window [t0,t1) with a margin, the cursor at t0 on a lane. */
unsigned tri_goto(struct view *v, struct lane l, int64_t t0, int64_t t1);
/* tri_lacking - writes "nothing stands out; 37 checks are skipped: ..", or what follows "1
 * finding"; false: nearly all kinds can be found. */
bool tri_lacking(struct text *t, const struct view *v);
/* tri_message - sets the message about a finding: `before`, then a line of its card. */
void tri_message(struct view *v, uint32_t i, const char *before);
/* tri_evidence - goes to the evidence of a finding; its goroutine gets the focus if present. For GC work,
 * mark assists and sweeping: the processor that did it for longest. */
unsigned tri_evidence(struct view *v, const struct finding *f);
/* tri_cause - answers Enter and REQ_CAUSE: goes to the goroutine that ended the row's wait. */
unsigned tri_cause(struct view *v, int n);
/* tri_set_row - moves the cursor to that row, or to the last one; drawing scrolls it into sight. */
void tri_set_row(struct view *v, uint32_t row);

#endif
