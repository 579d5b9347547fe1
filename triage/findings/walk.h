/*
 * walk.h - the spans of one goroutine, one after another, at most so many: what most rules look at.
 *
 *     struct walk w;
 *     walk_g(&w, c->tr, g, STEPS);
 *     for (const struct span *s; (s = walk_next(&w));) {
 *
 * A goroutine with more spans is looked at in stretches, evenly over its life, the last one to its end: what
 * a program does as the trace begins is not what it does all the time, and who is called at 3 a.m. has a
 * fault that began late. Between two stretches comes a span of ST_NONE that takes no time, has no stack and
 * no `who`: what follows it is not what came next. walk_from() looks at one stretch only.
 */
#ifndef GOTOP_TRIAGE_WALK_H
#define GOTOP_TRIAGE_WALK_H

#include "decode/trace.h"
#include "triage/tables/slices.h"

enum { WALK_STRETCHES = 16 };

struct walk {
    struct span_iter it;
    const struct trace *tr;
    uint64_t all;    /* its spans, once it is known that there are more than may be looked at; 0: not known */
    struct span gap; /* between two stretches */
    uint32_t g, most;         /* most: 0: one stretch only */
    uint32_t left, here, nth; /* spans to come: of all, of this stretch; which one it is */
    bool more, begun, between;
};
/* walk_from - from the span with that index on. The viewer may have its turn before; if what is found is no
 * longer wanted, there are none. */
static inline void walk_from(struct walk *w, const struct trace *tr, uint32_t g, uint64_t index,
                             uint32_t most)
{
    w->more = slices_tick() && span_seek_index(&w->it, tr, (struct lane){LANE_G, g}, index);
    w->begun = w->between = false;
    w->tr = tr;
    w->g = g;
    w->left = w->here = most;
    w->most = w->nth = 0;
    w->all = 0;
}
/* walk_at - from the span on that covers t; before its first span: from that one. */
static inline void walk_at(struct walk *w, const struct trace *tr, uint32_t g, int64_t t, uint32_t most)
{
    struct span_iter it;
    walk_from(w, tr, g, t > 0 && span_seek(&it, tr, (struct lane){LANE_G, g}, t) ? span_get(&it)->index : 0,
              most);
}
/* walk_g - from its first span on, in stretches if there are more than `most`. */
static inline void walk_g(struct walk *w, const struct trace *tr, uint32_t g, uint32_t most)
{
    walk_from(w, tr, g, 0, most);
    if (most >= 2 * WALK_STRETCHES) {
        w->most = most;
        w->here = most / WALK_STRETCHES;
    }
}
/* walk_on - a stretch is over (walk.c): to the next one; true: there is a gap. */
bool walk_on(struct walk *w);

/* walk_next - the next one; NULL behind the last. It holds until the next call. */
static inline const struct span *walk_next(struct walk *w)
{
    if (w->between) {
        w->between = false;
    } else if (w->more && w->left && w->begun) {
        if (!w->here && w->most && walk_on(w))
            return &w->gap;
        w->more = span_next(&w->it);
    }
    w->more = w->more && w->left;
    w->begun = true;
    w->left -= w->more;
    w->here -= w->more && w->here;
    return w->more ? span_get(&w->it) : NULL;
}
/*
 * walk_first, walk_pair - a span together with the one behind it, NULL behind the last:
 *
 *     const struct span *next = walk_first(&w, c->tr, g, STEPS);
 *     for (struct span s; walk_pair(&w, &s, &next);) {
 */
static inline const struct span *walk_first(struct walk *w, const struct trace *tr, uint32_t g, uint32_t most)
{
    walk_g(w, tr, g, most);
    return walk_next(w);
}
static inline bool walk_pair(struct walk *w, struct span *s, const struct span **next)
{
    if (!*next)
        return false;
    *s = **next;
    *next = walk_next(w);
    return true;
}

#endif
