/*
 * tri_priv.h - what the tri_*.c files share. Where rows are a list, a row of functions says what
 * is in it, and tri.c does what lists have in common.
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

/* ---- answers, and what else an object of such a view needs ---- */
unsigned tri_open(struct view *v, int no);
unsigned tri_hold(struct view *v);
/* tri_status_most - (status_most of kinds with a list) what rows leave free goes to what is said of the one
 * with the cursor. */
int tri_status_most(const struct view *v);
unsigned tri_move(struct view *v, int n);
unsigned tri_enter(struct view *v, int n);
void tri_draw(struct grid *g, struct view *v, const struct plan *p);
unsigned tri_touch(struct view *v, const struct plan *p, int x, int y);
void tri_speak(const struct view *v, int w, struct rich *out);
/*
 * IS_TIMELESS - what all views without a time axis say; TIMELESS_PLAN: those with the screen of a table, too.
 * tri_tsv - for `tsv` of such views: the columns' names, then n lines. false: no rows.
 */
#define IS_TIMELESS \
    .lanes = LANE_KINDS, .table = true, .gutter = GUTTER_SHORT, .show = kind_show, .hold = tri_hold
#define TIMELESS_PLAN IS_TIMELESS, .plan = PLAN_TABLE
bool tri_tsv(const struct view *v, FILE *f, const char *columns, uint32_t n,
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

/* tri_order_mark - before the name of the column that rows are sorted by; it
 * can't be read as a letter of it. */
uint32_t tri_order_mark(enum tier t, bool down);
/* tri_begin - whether the tables are there, else says so; a note about the part they are of takes a line. */
bool tri_begin(struct grid *g, const struct view *v, int *y, int *h);
/* tri_where - which row of how many has the cursor, for the title. */
void tri_where(const struct view *v, const struct plan *p, char *out, size_t size);
/* tri_say_two - what `detail` says as lines 0 and 1, once the tables are there. */
void tri_say_two(const struct view *v, struct rich *out,
                 void (*detail)(struct text *, const struct view *, int));
/* tri_bar - a row's bar: n of most in w columns, in the colour of its state. It keeps its own ground in the
 * row with the cursor: there, too, its colour says what it is. */
enum { TRI_BAR = 10 };
void tri_bar(struct grid *g, const struct view *v, int x, int y, int w, int64_t n, int64_t most,
             enum style s);
/* tri_say - printf into the grid, in w columns: cut between words, with " ..", where it is longer; returns
 * the column behind. tri_note - in at most n lines, what there is to say instead of rows. */
int tri_say(struct grid *g, int x, int y, int w, enum style s, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void tri_note(struct grid *g, int x, int y, int n, const char *text);
/* tri_cell - a text right-aligned in w columns at x. */
void tri_cell(struct grid *g, int x, int y, int w, enum style s, const char *text);
/* tri_func - text_func() of a start function, TRI_UNNAMED where the trace has no names. */
#define TRI_UNNAMED "(no name)"
void tri_func(struct text *t, const struct trace *tr, uint32_t name, size_t max);
/* tri_name - a function's string, shortened from the left, at x in w columns. */
void tri_name(struct grid *g, const struct view *v, int x, int y, int w, enum style s, uint32_t name);
/* tri_goto - one undo step: the window [t0,t1) with room around it, the cursor at t0 on a lane. */
unsigned tri_goto(struct view *v, struct lane l, int64_t t0, int64_t t1);
/* tri_lacking - "nothing stands out; 37 kinds of findings can't be told: ..", or what follows "1 finding";
 * false: hardly any can't. */
bool tri_lacking(struct text *t, const struct view *v);
/* tri_told - the message about a finding, behind `before`: a line of its card. */
void tri_told(struct view *v, uint32_t i, const char *before);
/* tri_lead - what stands before a finding's title (finding_lead()). */
void tri_lead(const struct view *v, const struct finding *f, char out[FMT_MAX]);
/*
 * tri_evidence - to where a finding points; its goroutine has the focus if it is there. Of collecting,
 * assisting, sweeping: the processor that was at it for longest has.
 */
unsigned tri_evidence(struct view *v, const struct finding *f);
/* tri_cause - Enter and REQ_CAUSE in one: to who ended the wait that the row is about. */
unsigned tri_cause(struct view *v, int n);
/* tri_set_row - the cursor to that row, or to the last one; drawing keeps it on the screen. */
void tri_set_row(struct view *v, uint32_t row);
struct lane tri_g(uint32_t g);
/* tri_dur - as triage writes durations (rounded, not cut), so that a number is
 * the same in a row and below. */
char *tri_dur(const struct trace *tr, int64_t ns, char out[FMT_MAX]);

#endif
