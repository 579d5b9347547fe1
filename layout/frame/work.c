/*
 * work.c - the view's work between frames: a search, an order, an explanation. Each gets a part of
 * view_work()'s time. They are one list, so none is forgotten.
 */
#include "layout/move/idle_beside.h"
#include "layout/move/kind.h"
#include "layout/move/folded.h"
#include "layout/move/move.h"
#include "layout/move/pick.h"

static unsigned kind_work(struct view *v, int64_t budget_ns)
{
    return kind_here(v)->work ? kind_here(v)->work(v, budget_ns) : VR_NONE;
}

unsigned view_work(struct view *v, int64_t budget_ns)
{
    static unsigned (*const works[])(struct view *, int64_t) = {hits_work, pick_work,   kind_work,
                                                                idle_work, folded_work, job_work};
    const int64_t began = move_began(budget_ns);
    unsigned r = VR_NONE;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        r |= works[i](v, move_left(budget_ns, began));
    return r;
}

bool view_pending(const struct view *v)
{
    return (kind_here(v)->pending && kind_here(v)->pending(v)) || idle_pending(v) || folded_pending(v);
}
