/*
 * work.c - the view's work between frames: a search, an order, sums, an explanation. Each gets a part of
 * view_work()'s time. They are one list, so none is forgotten.
 */
#include "decode/base/host.h"
#include "layout/draw/frame_rows.h"
#include "layout/move/idle_beside.h"
#include "layout/move/kind.h"
#include "layout/move/folded.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"
#include "layout/views/split.h"

/* The part of a budget that is not spent yet, and at least a little. */
static int64_t left_of(int64_t budget_ns, int64_t began)
{
    if (budget_ns == INT64_MAX)
        return budget_ns;
    const int64_t left = budget_ns - (host_now() - began);
    return left > 1 ? left : 1;
}

static unsigned kind_work(struct view *v, int64_t budget_ns)
{
    return kind_here(v)->work ? kind_here(v)->work(v, budget_ns) : VR_NONE;
}

unsigned view_work(struct view *v, int64_t budget_ns)
{
    static unsigned (*const works[])(struct view *, int64_t) = {
        hits_work, pick_work, kind_work, split_work, idle_work, rows_busy_work, folded_work, job_work};
    const int64_t began = budget_ns == INT64_MAX ? 0 : host_now();
    unsigned r = VR_NONE;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        r |= works[i](v, left_of(budget_ns, began));
    return r;
}

bool view_pending(const struct view *v)
{
    return (kind_here(v)->pending && kind_here(v)->pending(v)) || split_pending(v) || idle_pending(v) ||
           rows_busy_pending(v) || folded_pending(v);
}
