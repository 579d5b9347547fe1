/*
 * pick.h - what the reader picks out: filters, marks, pinned, hidden, grouped and related lanes. The actions
 * are in view.h; here is what the view's other files need of them.
 */
#ifndef GOTOP_LAYOUT_PICK_H
#define GOTOP_LAYOUT_PICK_H

#include "layout/move/view.h"

/* pick_loaded - the trace has grown: the filter looks at what is new. */
void pick_loaded(struct view *v);
/* pick_work - go on deciding who passes the filter, and with orders: about budget_ns. VR_WORK while there is
 * more. */
unsigned pick_work(struct view *v, int64_t budget_ns);
/*
 * pick_span - does a span of that lane pass the filter? Without one: true. P, M: the goroutine's span counts.
 * hand: for who asks of many spans of a processor or thread, by time; what was read of their goroutines stays
 * at hand. NULL: of one span.
 */
enum { PICK_HAND = 8 };
struct pick_hand {
    struct span_iter of[PICK_HAND]; /* by goroutine */
};
void pick_hand_empty(struct pick_hand *h);
bool pick_span(const struct view *v, struct lane l, const struct span *s, struct pick_hand *hand);
/* pick_say_groups - the message that tells how goroutines stand: a row each, or one for all of a start
 * function. */
void pick_say_groups(struct view *v);
/* why_lanes - the goroutines' view shows the goroutines of the explanation v->why alone, in its order; false:
 * out of memory. why_shown - do the lanes show it? */
bool why_lanes(struct view *v);
bool why_shown(const struct view *v);

#endif
