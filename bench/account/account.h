/*
 * account.h - what a model that is loaded takes, room by room: bench/model.c prints it, a test holds it to
 * what is held.
 *
 * Each row is what was asked of decode/base/mem.h, of all segments, so together they are mem_live() but for
 * what that rounds up. What stands in the temporary file is in them, too.
 */
#ifndef GOTOP_BENCH_ACCOUNT_H
#define GOTOP_BENCH_ACCOUNT_H

#include "decode/trace.h"

#define ACCOUNT_ROWS(X) \
    X(PACKED, "packed spans") \
    X(INDEX, "block index") \
    X(CHUNKS, "chunks' last bytes") /* where packed spans and rows of the index stand: not written yet */ \
    X(OVER, "goroutines over") \
    X(LANES, "other lanes") \
    X(JOIN, "pieces of lanes") /* and which lane of a segment is which of the trace's */ \
    X(HOLDS, "thread holds") \
    X(RANGES, "ranges") \
    X(POINTS, "metric points") \
    X(LISTS, "tasks, logs, samples") /* and regions */ \
    X(NAMES, "names and stacks") \
    X(COUNTS, "state counts") \
    X(FIXED, "of fixed size") /* whatever the trace holds, once each segment */

enum account_row {
#define X(id, name) ACCOUNT_##id,
    ACCOUNT_ROWS(X)
#undef X
        ACCOUNT_COUNT
};

struct account {
    uint64_t bytes[ACCOUNT_COUNT];
    uint64_t spans,
        over; /* how many spans there are; goroutines that were put away (decode/model/retired.h) */
};

/* account_of - of a trace that is loaded to its end. account_name - of a row. */
struct account account_of(const struct trace *tr);
const char *account_name(enum account_row row);

#endif
