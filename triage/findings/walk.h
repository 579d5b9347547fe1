/*
 * walk.h - iterates over the spans of one goroutine, up to a bound: what most rules read.
 *
 *     each_walked(s, c->tr, g, STEPS)             its spans
 *     each_between(s, c->tr, g, t0, t1, STEPS)    those from the one that covers t0 on that begin before t1
 *     each_pair(s, next, c->tr, g, STEPS)         each with the one after it, walk_none after the last
 *     each_pair_between(s, next, c->tr, g, t0, t1, STEPS)
 *
 * A goroutine with more spans is read in stretches, spread evenly over its life, the last one up to its
 * end: a program's start is not typical, and a problem may begin late. Between two stretches comes a span
 * of ST_NONE with no duration, stack or `who`: what follows it is not what came next. Those between two times
 * are one stretch.
 */
#ifndef GOTOP_TRIAGE_WALK_H
#define GOTOP_TRIAGE_WALK_H

#include "decode/trace.h"
#include "triage/tables/slices.h"

enum { WALK_STRETCHES = 16 };

struct walk {
    struct span_iter it;
    const struct trace *tr;
    struct span gap;          /* between two stretches */
    struct span was;          /* walk_pair(): the one before the next one */
    uint32_t g, most, each;   /* most: 0: one stretch only; each: spans in a stretch */
    uint32_t here, left, nth; /* steps left in this stretch; spans after it; its index */
    bool fresh;               /* the iterator came to a span that is still to be returned */
};
/* walk_at - Start at the span that covers t, or at the first or last span if t is outside the lane. May yield
 * to the viewer first; if the result is no longer wanted, there are no spans. */
static inline struct walk *walk_at(struct walk *w, const struct trace *tr, uint32_t g, int64_t t,
                                   uint32_t most)
{
    const struct lane l = lane_g(g);
    w->fresh = slices_tick() && (t > 0 ? span_seek(&w->it, tr, l, t) : span_seek_index(&w->it, tr, l, 0));
    w->tr = tr;
    w->g = g;
    w->left = w->each = w->fresh ? most : 0;
    w->here = w->most = w->nth = 0;
    return w;
}
/* walk_g - Start at the first span; in stretches if there are more than `most`. */
static inline struct walk *walk_g(struct walk *w, const struct trace *tr, uint32_t g, uint32_t most)
{
    walk_at(w, tr, g, 0, most);
    if (most >= 2 * WALK_STRETCHES) {
        w->most = most;
        w->each = most / WALK_STRETCHES;
    }
    return w;
}
/* walk_on - Go to where no step within the stretch leads: its first span, the next stretch (walk.c). */
const struct span *walk_on(struct walk *w);

/* walk_next - Returns the next span, or NULL after the last. Valid until the next call. */
static inline const struct span *walk_next(struct walk *w)
{
    if (!w->here || !span_next(&w->it))
        return walk_on(w);
    w->here--;
    return span_get(&w->it);
}
/* walk_or_none - Returns the same, but walk_none after the last, which nobody ended. walk_pair - Returns a
 * span, or NULL after the last; *next is the one after it, at first walk_or_none(). */
extern const struct span walk_none;
static inline const struct span *walk_or_none(struct walk *w)
{
    const struct span *s = walk_next(w);
    return s ? s : &walk_none;
}
static inline const struct span *walk_pair(struct walk *w, const struct span **next)
{
    if (*next == &walk_none)
        return NULL;
    w->was = **next;
    *next = walk_or_none(w);
    return &w->was;
}

#define WALKED(s, start) for (struct walk in_##s, *on_##s = start; on_##s; on_##s = NULL)
#define each_walked(s, tr, g, most) \
    WALKED(s, walk_g(&in_##s, tr, g, most)) \
    for (const struct span *s; (s = walk_next(on_##s));)
#define each_between(s, tr, g, from, till, most) \
    WALKED(s, walk_at(&in_##s, tr, g, from, most)) \
    for (const struct span *s; (s = walk_next(on_##s)) && s->t0 < (till);)
#define each_pair(s, next, tr, g, most) \
    WALKED(s, walk_g(&in_##s, tr, g, most)) \
    for (const struct span *s, *next = walk_or_none(on_##s); (s = walk_pair(on_##s, &next));)
#define each_pair_between(s, next, tr, g, from, till, most) \
    WALKED(s, walk_at(&in_##s, tr, g, from, most)) \
    for (const struct span *s, *next = walk_or_none(on_##s); \
         (s = walk_pair(on_##s, &next)) && s->t0 < (till);)

#endif
