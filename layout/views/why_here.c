/*
 * why_here.c - see why_here.h.
 */
#include "layout/views/why_here.h"

#include "layout/move/record.h"
#include "layout/views/table.h"

/* After opening a thing from a table, `W` explains that thing until the cursor leaves it. */
static bool of_shown(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    if (!v->trail.led || v->sel.stands || v->trail.shown.lane.kind != LANE_G || v->at.focus.kind != LANE_G ||
        v->at.focus.i != v->trail.shown.lane.i || v->at.cursor != v->trail.shown.cursor)
        return false;
    *g = v->trail.shown.lane.i;
    *t0 = v->trail.shown.t0;
    *t1 = v->trail.shown.t1;
    return *t1 > *t0;
}

bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    struct lane l;
    struct span s;
    if (kind_here(v)->about)
        return kind_here(v)->about(v, g, t0, t1) && *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
    if (kind_here(v)->table || !view_span_here(v, &l, &s))
        return false;
    if (!v->sel.stands && record_untimed(v, &s))
        return false;
    if (of_shown(v, g, t0, t1))
        return *g < trace_nlanes(v->tr, LANE_G);
    *g = l.kind == LANE_G ? l.i : s.who;
    *t0 = v->sel.stands ? v->sel.t0 : s.t0;
    *t1 = v->sel.stands ? v->sel.t1 : s.t1;
    return *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
}
