/*
 * alive.h - which lanes live in an interval, without asking each of a million: of every ALIVE_CHUNK lanes the earliest
 * and the latest start and end are known, so only chunks at its edges are looked into.
 */
#ifndef GOTOP_DECODE_ALIVE_H
#define GOTOP_DECODE_ALIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

#define ALIVE_CHUNK 512

struct alive {
    struct alive_chunk *chunk;
    size_t n, cap;
};

struct alive_ask { /* lanes below n, of a kind that has one kind's `alive`, which live in [t0,t1) or ended at t0 */
    const struct trace *tr;
    enum lane_kind k;
    int64_t t0, t1;
    uint32_t n;
};
/* alive_next - the first of them from `lane` on; NO_LANE: none. A chunk is summed up when it is first met, and again while the trace grows. */
uint32_t alive_next(struct alive *a, const struct alive_ask *q, uint32_t lane);
/* alive_run - of a lane that lives in [t0,t1): how many from it on do, as far as summaries tell that; at least one. */
uint32_t alive_run(const struct alive *a, int64_t t0, int64_t t1, uint32_t lane, uint32_t n);
/*
 * alive_some - the same of at most 8 chunks, for who must not take long: true, *lane is one; false, *lane is where to look on
 * (n: nowhere).
 */
bool alive_some(struct alive *a, const struct alive_ask *q, uint32_t *lane);
/* alive_know - sum up at most so many chunks in advance: those whose lanes have mostly ended. */
void alive_know(struct alive *a, const struct trace *tr, enum lane_kind k, size_t most);
void alive_free(struct alive *a);

#endif
