/*
 * alive.h - which lanes live in a window, without asking each of a million: of every ALIVE_CHUNK lanes the earliest
 * and the latest start and end are known, so only chunks at the window's edges are looked into.
 */
#ifndef GOTOP_LAYOUT_ALIVE_H
#define GOTOP_LAYOUT_ALIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"
#include "layout/window.h"

#define ALIVE_CHUNK 512

struct alive {
    struct alive_chunk *chunk;
    size_t n, cap;
};

/*
 * alive_next - the first lane from `lane` on, below n, of a kind that has one kind's `alive`, which lives in w;
 * NO_LANE: none. A chunk is summed up when it is first met, and again while the trace grows.
 */
uint32_t alive_next(struct alive *a, const struct trace *tr, enum lane_kind k, struct window w, uint32_t lane, uint32_t n);
void alive_free(struct alive *a);

#endif
