/*
 * walk.c - from one stretch of a goroutine's life to the next.
 */
#include "triage/findings/walk.h"

const struct span walk_none = {.state = ST_NONE, .who = NO_LANE, .proc = NO_LANE};

bool walk_on(struct walk *w)
{
    const struct lane l = lane_g(w->g);
    const uint32_t each = w->most / WALK_STRETCHES;
    if (!w->all) { /* few goroutines have that many spans */
        w->all = trace_lane(w->tr, l).nspans;
        if (w->all <= w->most) {
            w->most = 0;
            return false;
        }
        w->left = each * (WALK_STRETCHES - 1);
    }
    w->nth++;
    w->here = each;
    w->more = span_seek_index(&w->it, w->tr, l, (w->all - each) * w->nth / (WALK_STRETCHES - 1));
    w->between = true;
    const int64_t t = w->more ? span_get(&w->it)->t0 : 0;
    w->gap = (struct span){.t0 = t, .t1 = t, .state = ST_NONE, .who = NO_LANE, .proc = NO_LANE};
    return true;
}
