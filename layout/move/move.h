/*
 * move.h - functions shared by the files of layout/move: view.c (window, lanes, undo), jump.c (spans,
 * wake-ups, goto), hits.c (search), prompt.c (lines, pop-ups). The viewer does not use it.
 */
#ifndef GOTOP_LAYOUT_MOVE_H
#define GOTOP_LAYOUT_MOVE_H

#include "layout/move/view.h"

/* Kinds of undo steps: consecutive cursor steps of one kind are undone together. */
enum step { STEP_JUMP, STEP_CURSOR, STEP_LANE, STEP_PAN, STEP_ZOOM };

/* move_times - turns a repeat count (view.h) into a number of steps: 0 becomes 1, and large counts are
 * limited. */
static inline int move_times(int n)
{
    return n == 0 ? 1 : n > 10000 ? 10000 : n < -10000 ? -10000 : n;
}
/* move_push - pushes the present place onto the undo stack. Call it before changing v->at. */
void move_push(struct view *v, enum step kind);
/* move_rows - the undo kind of a step of n rows: a step to the end of the rows is a jump. */
static inline enum step move_rows(int n)
{
    return n >= REQ_FAR || n <= -REQ_FAR ? STEP_JUMP : STEP_LANE;
}
/* move_to - moves the cursor to t. The window moves as little as possible, or is centred on t if t is far
 * away. */
void move_to(struct view *v, int64_t t, bool exact);
/* move_at - one undo step: moves the cursor to t. */
unsigned move_at(struct view *v, int64_t t, enum step kind);
/* move_settle - restores the invariants after any change: window inside the trace, cursor inside the
 * window, the cursor's lane on the screen. Returns VR_DRAW. move_anew - The same when other rows show: the
 * cursor's comes to the middle if it left the screen. */
unsigned move_settle(struct view *v);
unsigned move_anew(struct view *v);
/* move_lane - focuses lane l, switching to a view that shows such lanes. */
void move_lane(struct view *v, struct lane l);
/* move_guest - after v->at was replaced: the guest (lane + 1, 0 = none) of the new place goes on top, and
 * the guest of the old one returns to its row. */
void move_guest(struct view *v, uint32_t was);
/* move_fail - sets the message why an action failed. Returns VR_BELL | VR_DRAW. */
unsigned move_fail(struct view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* move_not_yet - says that an action has to wait for tables, until they are ready. move_ready - clears that
 * message. */
unsigned move_not_yet(struct view *v, const char *what);
void move_ready(struct view *v);
/* move_view_of - the view that shows lanes of a kind */
int move_view_of(enum lane_kind k);
struct lanes *move_lanes(struct view *v); /* kind of the lanes of the view shown; NULL if it has none */
const struct lanes *move_lanes_const(const struct view *v);
int64_t move_min(const struct view *v); /* the shortest window: a nanosecond a column */
/* move_last - the last moment the cursor can be at: view_end() - 1, at least 0. */
int64_t move_last(const struct view *v);
/* move_running - finds the span in which the goroutine runs (or is in a call and keeps its P) at t, or the
 * last one before t. Returns false if there is none. */
bool move_running(const struct view *v, uint32_t g, int64_t t, struct span *out);
/* move_goroutine - the goroutine of a lane at t, or NO_LANE */
uint32_t move_goroutine(const struct view *v, struct lane l, int64_t t);

/* move_switch - one undo step: that view is shown from now on; its `open` does the rest. The row of a table
 * is kept for coming back. */
void move_switch(struct view *v, int no);
/* move_top - sets at.top so that `row` is among the v->rows visible rows of n; recenter: in their middle
 * unless it was visible already. */
void move_top(struct view *v, uint32_t row, uint32_t n, bool recenter);
/* move_span, move_swap - answer REQ_SPAN and REQ_SWAP in views of lanes. move_arrive - the lane to show
 * first. */
unsigned move_span(struct view *v, int n);
unsigned move_swap(struct view *v, int n);
uint32_t move_arrive(const struct view *v, enum lane_kind k);

/* move_typed - the search prompt's line changed. move_typed_done - the line was accepted; true if the
 * search stays. */
unsigned move_typed(struct view *v);
bool move_typed_done(struct view *v, const char *line);
unsigned move_typed_on(struct view *v); /* and it is still counting */
/* hits_work - continues a search, for view_work(). */
unsigned hits_work(struct view *v, int64_t budget_ns);
/* hits_loaded - tells the search that the trace has grown. */
void hits_loaded(struct view *v);

/* move_began - the time at which work with a budget begins. move_left - what is left of the budget: at least
 * a little; INT64_MAX: there is no limit. */
int64_t move_began(int64_t budget_ns);
int64_t move_left(int64_t budget_ns, int64_t began);

/* A job is work requested by one key that takes longer than a key press may. It continues while the reader
 * stays in place; otherwise it is cancelled. Meanwhile the foot of the screen shows `soon`. */
struct job {
    bool (*step)(struct view *v, struct job *j, int64_t budget_ns); /* returns true when it is done */
    unsigned (*over)(struct view *v, struct job *j); /* shows the result; returns the flags of view.h */
    void (*drop)(struct job *j);                     /* frees what it owns; NULL: only the struct itself */
    const char *soon;
    struct place at; /* where it was requested */
};
/* job_begin - starts j, replacing the previous job. j is from mem_zalloc() and the first member of its own
 * struct; NULL: out of memory. job_work - continues the job, for view_work(). job_stop - cancels it. */
unsigned job_begin(struct view *v, struct job *j);
unsigned job_work(struct view *v, int64_t budget_ns);
void job_stop(struct view *v);

#endif
