/*
 * heap.h - a heap of cursors by the time (or another key) of their next event: which cursor is next, and
 * until when. Both families merge by it.
 *
 * The heap holds the times, so that sifting reads nothing else. Up to HEAP_FEW cursors are kept sorted, which
 * is a valid heap too: the busy ones are at its top, so a cursor finds its new place within a step or two.
 */
#ifndef GOTOP_DECODE_HEAP_H
#define GOTOP_DECODE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct heap {
    int64_t t;
    uint32_t cursor;
    uint32_t slot; /* the caller's, moved along: v2_order.c keeps a guess of the cursor's thread there */
};

enum { HEAP_FEW = 64 };

/* Copy field by field: the time was just stored by itself, and one wide load of it and its neighbours would
 * have to wait for that store. */
static inline void heap_set(struct heap *to, const struct heap *x)
{
    to->t = x->t;
    to->cursor = x->cursor;
    to->slot = x->slot;
}

/* heap_down - Move the first cursor to its place after its time has become later. behind: of few, behind
 * those of the same time, else in front of them. */
static inline void heap_down(struct heap *h, size_t n, bool behind)
{
    const struct heap x = h[0];
    size_t i = 0;
    if (n <= HEAP_FEW) {
        for (; i + 1 < n && h[i + 1].t < x.t + behind; i++)
            heap_set(&h[i], &h[i + 1]);
        heap_set(&h[i], &x);
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
        heap_set(&h[i], &h[k]);
        i = k;
    }
    heap_set(&h[i], &x);
}

/* heap_push - Add x to the *n entries; there must be room. heap_drop - Remove the first entry. */
static inline void heap_push(struct heap *h, size_t *n, struct heap x)
{
    size_t i = (*n)++;
    const bool few = *n <= HEAP_FEW;
    for (size_t k; i && x.t < h[k = few ? i - 1 : (i - 1) / 2].t; i = k)
        heap_set(&h[i], &h[k]);
    heap_set(&h[i], &x);
}

static inline void heap_drop(struct heap *h, size_t *n)
{
    if (--*n < HEAP_FEW) {
        memmove(h, h + 1, *n * sizeof *h);
        return;
    }
    h[0] = h[*n];
    heap_down(h, *n, false);
    /* From now on there are few, which must be sorted. */
    for (size_t i = 1; *n == HEAP_FEW && i < HEAP_FEW; i++) {
        struct heap x = h[i];
        size_t k = i;
        for (; k && x.t < h[k - 1].t; k--)
            h[k] = h[k - 1];
        h[k] = x;
    }
}

/* heap_until - Returns the time up to which the first cursor's events are the earliest, whatever they
 * change; `most` at most. */
static inline int64_t heap_until(const struct heap *h, size_t n, int64_t most)
{
    int64_t t = most;
    if (n > 1 && h[1].t < t)
        t = h[1].t;
    if (n > 2 && h[2].t < t)
        t = h[2].t;
    return t;
}

#endif
