/*
 * move.h - what the view's own files share: view.c (window, lanes, undo), jump.c (spans, wake-ups, goto),
 * hits.c (search), prompt.c (lines, pop-ups). Not for the viewer.
 */
#ifndef GOTOP_LAYOUT_MOVE_H
#define GOTOP_LAYOUT_MOVE_H

#include "layout/move/view.h"

/* What kind of step undo joins: a run of cursor steps is undone at once. */
enum step { STEP_JUMP, STEP_CURSOR, STEP_LANE, STEP_PAN, STEP_ZOOM };

/* move_times - a repeat count (view.h) as how often: 0 is once, and no key is
 * pressed so often that it hangs. */
static inline int move_times(int n)
{
    return n == 0 ? 1 : n > 10000 ? 10000 : n < -10000 ? -10000 : n;
}
/* move_push - remember the place before a change. Call it before changing v->at. */
void move_push(struct view *v, enum step kind);
/* move_rows - the kind of a step over n rows: to the end of them is a jump. */
static inline enum step move_rows(int n)
{
    return n >= REQ_FAR || n <= -REQ_FAR ? STEP_JUMP : STEP_LANE;
}
/* move_to - the cursor to t; the window follows: by as little as need be, or around t if t is far away. */
void move_to(struct view *v, int64_t t, bool exact);
/* move_settle - after any change: window inside the trace, cursor inside the
 * window, its lane on the screen. */
void move_settle(struct view *v);
/* move_lane - focus lane l, changing the view to one that shows such lanes. */
void move_lane(struct view *v, struct lane l);
/* move_guest - another place is v->at now: its guest goes on top, that of before (lane + 1, 0 = none) from
 * there. */
void move_guest(struct view *v, uint32_t was);
/* move_fail - the action can't be done: say why. Returns VR_BELL | VR_DRAW. */
unsigned move_fail(struct view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* move_not_yet - it can't be done before tables are: say so, until they are. move_ready - they are. */
unsigned move_not_yet(struct view *v, const char *what);
void move_ready(struct view *v);
/* move_view_of - the view that shows lanes of a kind. */
int move_view_of(enum lane_kind k);
struct lanes *move_lanes(struct view *v); /* of the view shown; NULL if it has no lanes */
const struct lanes *move_lanes_const(const struct view *v);
int64_t move_min(const struct view *v); /* the shortest window: a nanosecond a column */
/* move_last - the last moment a cursor can stand on: view_end() - 1, at least 0. */
int64_t move_last(const struct view *v);
/* move_running - the goroutine's span that runs (or is in a call with a P) at t, or the last before; false:
 * none. */
bool move_running(const struct view *v, uint32_t g, int64_t t, struct span *out);
/* move_goroutine - the goroutine that a lane has at t; NO_LANE: none. */
uint32_t move_goroutine(const struct view *v, struct lane l, int64_t t);

/* move_leave - remember the row of a table before another view is shown. */
void move_leave(struct view *v);
/* move_top - at.top so that row is among the v->rows that show, of n; recenter: in their middle, if it
 * wasn't. */
void move_top(struct view *v, uint32_t row, uint32_t n, bool recenter);
/* move_span, move_swap - REQ_SPAN and REQ_SWAP of a view of lanes. move_arrive - the lane it shows
 * first. */
unsigned move_span(struct view *v, int n);
unsigned move_swap(struct view *v, int n);
uint32_t move_arrive(const struct view *v, enum lane_kind k);

/* move_typed - the search prompt's line changed; move_typed_done - it was accepted: true if the search
 * stands. */
unsigned move_typed(struct view *v);
bool move_typed_done(struct view *v, const char *line);
unsigned move_typed_on(struct view *v); /* and it goes on: counting */
/* hits_work - for view_work(): a search goes on. */
unsigned hits_work(struct view *v, int64_t budget_ns);
/* hits_loaded - the trace has grown: the search knows of that. */
void hits_loaded(struct view *v);

/* move_stays - is the reader still where something was asked for? */
bool move_stays(const struct view *v, const struct place *was);

/*
 * A job is what one key asks for and takes longer than a key may. It goes on while the reader stays; then it
 * is given up, with the message `left` if it has one. While it goes on the foot of the screen says `soon`;
 * NULL: step says how far it is.
 */
struct job {
    bool (*step)(struct view *v, struct job *j, int64_t budget_ns); /* true: it is done */
    unsigned (*over)(struct view *v, struct job *j); /* show what was found; the flags of view.h */
    void (*drop)(struct job *j);                     /* free what it has; NULL: nothing but itself */
    const char *soon, *left;
    struct place at; /* where it was asked */
};
/* job_begin - begin j (from mem_zalloc(), the first member of its own struct; NULL: out of memory), which
 * takes the place of the one before. job_work - for view_work(): it goes on. job_stop - it is given up. */
unsigned job_begin(struct view *v, struct job *j);
unsigned job_work(struct view *v, int64_t budget_ns);
void job_stop(struct view *v);

#endif
