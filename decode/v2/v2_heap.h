/*
 * v2_heap.h - a heap of cursors by the time of their current event: which cursor is next, and until when.
 *
 * The heap holds the times, so that sifting reads nothing else. Up to V2_FEW cursors are kept sorted, which
 * is a valid heap too: the busy threads are at its top, so a cursor finds its new place within a step or
 * two.
 */
#ifndef GOTOP_DECODE_V2_HEAP_H
#define GOTOP_DECODE_V2_HEAP_H

#include <string.h>

#include "decode/v2/v2_order.h"

enum { V2_FEW = 64 };

/* Copy field by field: the time was just stored by itself, and one wide load of it and its neighbours would
 * have to wait for that store. */
static inline void v2_heap_set(struct v2_heap *to, const struct v2_heap *x)
{
    to->t = x->t;
    to->cursor = x->cursor;
    to->slot = x->slot;
}

/* v2_heap_down - Move the first cursor to its place after its time has become later. */
static inline void v2_heap_down(struct v2_heap *h, size_t n)
{
    const struct v2_heap x = h[0];
    size_t i = 0;
    if (n <= V2_FEW) {
        for (; i + 1 < n && h[i + 1].t < x.t; i++)
            v2_heap_set(&h[i], &h[i + 1]);
        v2_heap_set(&h[i], &x);
        return;
    }
    for (;;) {
        size_t k = 2 * i + 1;
        if (k + 1 < n)
            k += h[k + 1].t < h[k].t;
        else if (k >= n)
            break;
        if (h[k].t >= x.t)
            break;
        v2_heap_set(&h[i], &h[k]);
        i = k;
    }
    v2_heap_set(&h[i], &x);
}

/* v2_heap_push - Add x to the *n entries; there must be room. v2_heap_drop - Remove the first entry. */
static inline void v2_heap_push(struct v2_heap *h, size_t *n, struct v2_heap x)
{
    size_t i = (*n)++;
    const bool few = *n <= V2_FEW;
    for (size_t k; i && x.t < h[k = few ? i - 1 : (i - 1) / 2].t; i = k)
        v2_heap_set(&h[i], &h[k]);
    v2_heap_set(&h[i], &x);
}

static inline void v2_heap_drop(struct v2_heap *h, size_t *n)
{
    h[0] = h[--*n];
    if (*n)
        v2_heap_down(h, *n);
    /* from now on there are few, which must be sorted */
    for (size_t i = 1; *n == V2_FEW && i < V2_FEW; i++) {
        struct v2_heap x = h[i];
        size_t k = i;
        for (; k && x.t < h[k - 1].t; k--)
            h[k] = h[k - 1];
        h[k] = x;
    }
}

/* v2_next_sample - Returns the time of the next CPU sample; INT64_MAX if there is none or a parked event is
 * earlier. */
static inline int64_t v2_next_sample(struct v2_order *o)
{
    if (o->sample >= o->gen->nsample)
        return INT64_MAX;
    const int64_t t = o->gen->sample[o->sample].ns;
    return !o->park.n || t < v2_park_first(o) ? t : INT64_MAX;
}

/* v2_alone_until - Returns the time up to which the first cursor's events are the earliest, whatever they
 * change. */
static inline int64_t v2_alone_until(const struct v2_heap *h, size_t n, int64_t sample)
{
    int64_t t = sample;
    if (n > 1 && h[1].t < t)
        t = h[1].t;
    if (n > 2 && h[2].t < t)
        t = h[2].t;
    return t;
}

#endif
