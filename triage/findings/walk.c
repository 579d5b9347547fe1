/*
 * walk.c - from one stretch of a goroutine's life to the next.
 */
#include "triage/findings/walk.h"

const struct span walk_none = {.state = ST_NONE, .who = NO_LANE, .proc = NO_LANE};

/* Goes to the next stretch. false: all is one, few goroutines have more spans. */
static bool stretch_next(struct walk *w)
{
    const struct lane l = lane_g(w->g);
    const uint64_t all = w->most ? trace_lane(w->tr, l).nspans : 0;
    if (all <= w->most ||
        !span_seek_index(&w->it, w->tr, l, (all - w->each) * (w->nth + 1) / (WALK_STRETCHES - 1)))
        return false;
    w->left = w->each * (WALK_STRETCHES - 1 - w->nth++);
    const int64_t t = span_get(&w->it)->t0;
    w->gap = (struct span){.t0 = t, .t1 = t, .state = ST_NONE, .who = NO_LANE, .proc = NO_LANE};
    return w->fresh = true;
}

const struct span *walk_on(struct walk *w)
{
    if (w->here || !w->left) { /* a step led nowhere, or no more are wanted */
        w->here = w->left = 0;
        return NULL;
    }
    if (!w->fresh && stretch_next(w))
        return &w->gap;
    w->here = w->fresh ? w->each : w->left;
    w->left -= w->here;
    if (!w->fresh)
        return walk_next(w);
    w->fresh = false;
    w->here--;
    return span_get(&w->it);
}
