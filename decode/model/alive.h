/*
 * alive.h - finds the lanes that live in an interval without asking each of a million. Of every ALIVE_CHUNK
 * lanes the earliest and latest start and end are known, so only chunks at the interval's edges are looked
 * into.
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

/* Lanes below n that live in [t0,t1) or ended at t0; use one struct alive for each kind of lane. */
struct alive_ask {
    const struct trace *tr;
    enum lane_kind k;
    int64_t t0, t1;
    uint32_t n;
};
/* alive_next - returns the first of these lanes from `lane` on, or NO_LANE. A chunk is summed up when it is
 * first needed, and repeatedly while the trace grows. */
uint32_t alive_next(struct alive *a, const struct alive_ask *q, uint32_t lane);
/* alive_run - for a lane that lives in [t0,t1): returns how many lanes from it on do, as far as the
 * summaries show; at least 1. */
uint32_t alive_run(const struct alive *a, int64_t t0, int64_t t1, uint32_t lane, uint32_t n);
/* alive_some - as alive_next(), but looks at 8 chunks at most, to return quickly. true: *lane is such a
 * lane. false: go on at *lane (n: there are no more). */
bool alive_some(struct alive *a, const struct alive_ask *q, uint32_t *lane);
/* alive_know - sum up at most `most` chunks in advance, of those whose lanes have mostly ended. */
void alive_know(struct alive *a, const struct trace *tr, enum lane_kind k, size_t most);
void alive_free(struct alive *a);

#endif
