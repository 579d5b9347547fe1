/*
 * tri_priv.h - shared by the tri_*.c files. A list is described by functions that say what is in a row;
 * tri.c does the rest.
 */
#ifndef GOTOP_LAYOUT_TRI_PRIV_H
#define GOTOP_LAYOUT_TRI_PRIV_H

#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "layout/views/tri.h"
#include "layout/cells/when.h"
#include "layout/cells/wrap.h"
#include "triage/text.h"

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
 * screen plan. tri_tsv - for `tsv` of such views: writes the column names, then n lines. false: no rows. */
#define IS_TIMELESS \
    .lanes = LANE_KINDS, .table = true, .gutter = GUTTER_SHORT, .show = kind_show, .hold = tri_hold
#define TIMELESS_PLAN IS_TIMELESS, .plan = PLAN_TABLE
bool tri_tsv(const struct view *v, struct text *t, const char *columns, uint32_t n,
             void (*line)(struct text *out, const struct view *v, uint32_t row));
#define ANSWER_ROWS \
    [REQ_LANE] = tri_move, [REQ_DETAILS] = tri_enter, [REQ_FIT] = tri_enter, [REQ_SWAP] = tri_enter
#define REFUSE_ZOOM [REQ_ZOOM] = "Enter looks closer here", [REQ_ZOOM_ALL] = "Enter looks closer here"
#define REFUSE_SORT \
    [REQ_SORT] = "these rows have their order: the largest first", \
    [REQ_INVERT] = "these rows have their order: the largest first"
#define REFUSE_SELECT [REQ_SELECT] = "no range to select in this view"
#define ANSWER_SIDE(f) [REQ_PAN] = f, [REQ_CURSOR] = f, [REQ_SPAN] = f

/* ---- helpers ---- */

/* tri_order_mark - the mark before the name of the sort column; it can't be mistaken for a letter of the
 * name. */
uint32_t tri_order_mark(enum tier t, bool down);
/* tri_begin - whether the tables are ready; if not, says so. If they cover only a part, a note takes a
 * line. */
bool tri_begin(struct grid *g, const struct view *v, int *y, int *h);
/* tri_where - writes which row of how many has the cursor, for the title. */
void tri_where(const struct view *v, const struct plan *p, char *out, size_t size);
/* tri_say_two - adds lines 0 and 1 of `detail`, once the tables are ready. */
void tri_say_two(const struct view *v, struct rich *out,
                 void (*detail)(struct text *, const struct view *, int));
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
/* tri_name - a function's string, shortened from the left, at x in w columns. */
void tri_name(struct grid *g, const struct view *v, int x, int y, int w, enum style s, uint32_t name);
/* tri_goto - one undo step: shows the window [t0,t1) with a margin, the cursor at t0 on a lane. */
unsigned tri_goto(struct view *v, struct lane l, int64_t t0, int64_t t1);
/* tri_lacking - writes "nothing stands out; 37 checks are skipped: ..", or what follows "1
 * finding"; false: nearly all kinds can be found. */
bool tri_lacking(struct text *t, const struct view *v);
/* tri_told - sets the message about a finding: `before`, then a line of its card. */
void tri_told(struct view *v, uint32_t i, const char *before);
/* tri_evidence - goes to the evidence of a finding; its goroutine gets the focus if present. For GC work,
 * mark assists and sweeping: the processor that did it for longest. */
unsigned tri_evidence(struct view *v, const struct finding *f);
/* tri_cause - answers Enter and REQ_CAUSE: goes to the goroutine that ended the row's wait. */
unsigned tri_cause(struct view *v, int n);
/* tri_set_row - moves the cursor to that row, or to the last one; drawing scrolls it into sight. */
void tri_set_row(struct view *v, uint32_t row);
struct lane tri_g(uint32_t g);

#endif
