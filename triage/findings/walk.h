/*
 * walk.h - the spans of one goroutine, one after another, at most so many: what most rules look at.
 *
 *     struct walk w;
 *     walk_g(&w, c->tr, g, STEPS);
 *     for (const struct span *s; (s = walk_next(&w));) {
 */
#ifndef GOTOP_TRIAGE_WALK_H
#define GOTOP_TRIAGE_WALK_H

#include "decode/trace.h"

struct walk {
    struct span_iter it;
    bool more, begun;
    uint32_t left;
};
/* walk_from - from the span with that index on. */
static inline void walk_from(struct walk *w, const struct trace *tr, uint32_t g, uint64_t index, uint32_t most)
{
    w->more = span_seek_index(&w->it, tr, (struct lane){LANE_G, g}, index);
    w->begun = false;
    w->left = most;
}
/* walk_g - from its first span on. */
static inline void walk_g(struct walk *w, const struct trace *tr, uint32_t g, uint32_t most)
{
    walk_from(w, tr, g, 0, most);
}
/* walk_next - the next one; NULL behind the last. It holds until the next call. */
static inline const struct span *walk_next(struct walk *w)
{
    w->more = w->more && w->left && (!w->begun || span_next(&w->it));
    w->begun = true;
    w->left -= w->more;
    return w->more ? span_get(&w->it) : NULL;
}
/* walk_until - behind the last: when the first span begins that there were too many for; 0: there are no more. */
static inline int64_t walk_until(struct walk *w)
{
    return !w->left && w->begun && span_next(&w->it) ? span_get(&w->it)->t0 : 0;
}

#endif
