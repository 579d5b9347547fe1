/*
 * walk.h - iterates over the spans of one goroutine, up to a bound: what most rules read.
 *
 *     struct walk w;
 *     walk_g(&w, c->tr, g, STEPS);
 *     for (const struct span *s; (s = walk_next(&w));) {
 *
 * A goroutine with more spans is read in stretches, spread evenly over its life, the last one up to its
 * end: a program's start is not typical, and a problem may begin late. Between two stretches comes a span
 * of ST_NONE with no duration, stack or `who`: what follows it is not what came next. walk_at() reads one
 * stretch only.
 */
#ifndef GOTOP_TRIAGE_WALK_H
#define GOTOP_TRIAGE_WALK_H

#include "decode/trace.h"
#include "triage/tables/slices.h"

enum { WALK_STRETCHES = 16 };

struct walk {
    struct span_iter it;
    const struct trace *tr;
    uint64_t all;             /* the goroutine's span count if it exceeds the bound, else 0 */
    struct span gap;          /* between two stretches */
    uint32_t g, most;         /* most: 0: one stretch only */
    uint32_t left, here, nth; /* spans left in total and in this stretch; index of the stretch */
    bool more, begun, between;
};
/* walk_at - Start at the span that covers t, or at the first or last span if t is outside the lane. May yield
 * to the viewer first; if the result is no longer wanted, there are no spans. */
static inline void walk_at(struct walk *w, const struct trace *tr, uint32_t g, int64_t t, uint32_t most)
{
    const struct lane l = lane_g(g);
    w->more = slices_tick() && (t > 0 ? span_seek(&w->it, tr, l, t) : span_seek_index(&w->it, tr, l, 0));
    w->begun = w->between = false;
    w->tr = tr;
    w->g = g;
    w->left = w->here = most;
    w->most = w->nth = 0;
    w->all = 0;
}
/* walk_g - Start at the first span; in stretches if there are more than `most`. */
static inline void walk_g(struct walk *w, const struct trace *tr, uint32_t g, uint32_t most)
{
    walk_at(w, tr, g, 0, most);
    if (most >= 2 * WALK_STRETCHES) {
        w->most = most;
        w->here = most / WALK_STRETCHES;
    }
}
/* walk_on - Go to the next stretch after the end of one (walk.c). Returns true if there is a gap. */
bool walk_on(struct walk *w);

/* walk_next - Returns the next span, or NULL after the last. Valid until the next call. */
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
 * walk_first, walk_pair - Iterate over spans together with the next one, NULL after the last:
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
