/*
 * pick.h - what the reader selects: filters, marks, pinned, hidden, grouped and related lanes. The actions
 * are declared in view.h; these functions are for the view's other files.
 */
#ifndef GOTOP_LAYOUT_PICK_H
#define GOTOP_LAYOUT_PICK_H

#include "layout/move/view.h"

/* pick_filter - f, which is owned from now on, replaces the filter; NULL: none. */
void pick_filter(struct view *v, struct filter *f);
/* pick_loaded - the trace has grown: filter the new goroutines. */
void pick_loaded(struct view *v);
/* pick_work - continues filtering goroutines and making orders for about budget_ns. VR_WORK while more
 * remains. */
unsigned pick_work(struct view *v, int64_t budget_ns);
/* pick_span - whether a span of that lane passes the filter; true without a filter. For P and M, the
 * goroutine's span is tested. */
bool pick_span(const struct view *v, struct lane l, const struct span *s);
/* pick_say_groups - sets the message whether each goroutine has a row or each start function has one. */
void pick_say_groups(struct view *v);
/* why_lanes - shows only the goroutines of the explanation v->why, in its order; returns false when out of
 * memory. why_shown - whether the lanes show it. */
bool why_lanes(struct view *v);
bool why_shown(const struct view *v);

#endif
