/*
 * item.h - the things in a trace that have a start and an end: ranges (GC cycles, stop-the-worlds ..), tasks,
 * regions, logs, and CPU samples.
 */
#ifndef GOTOP_DECODE_ITEM_H
#define GOTOP_DECODE_ITEM_H

#include "decode/trace.h"

enum item_kind {
    ITEM_GC = RANGE_GC,
    ITEM_STW = RANGE_STW,
    ITEM_SWEEP = RANGE_SWEEP,
    ITEM_ASSIST = RANGE_ASSIST,
    ITEM_TASK = RANGE_KINDS,
    ITEM_REGION,
    ITEM_LOG,
    ITEM_KINDS,
    ITEM_SAMPLE = ITEM_KINDS, /* no row of views 7 and 8 */
    ITEM_ALL
};

struct item {
    int64_t t0, t1;
    uint64_t task;  /* its id, or that of the task it belongs to; of a range its kind */
    uint32_t index; /* in the model's array of its kind */
    uint32_t name, stack, stack_end;
    uint32_t g, g_end, p;      /* lanes, NO_LANE: none */
    uint8_t kind;              /* enum item_kind */
    uint8_t depth;             /* indent below a task */
    bool open_start, open_end; /* its start or end is not in the trace */
};

/* item_state - the state that a range of this kind is, and its band shows. */
static inline enum state item_state(int range)
{
    static const enum state of[RANGE_KINDS] = {ST_GC, ST_STW, ST_SWEEP, ST_ASSIST};
    return of[range];
}
/* item_count - the entries of a kind in the model. item_at - gets entry i; returns false if there is none.
 * item_next - gets entry *i and moves *i on, past all entries of one stop. */
size_t item_count(const struct trace *tr, enum item_kind k);
bool item_at(const struct trace *tr, enum item_kind k, size_t i, struct item *out);
bool item_next(const struct trace *tr, enum item_kind k, size_t *i, struct item *out);

#endif
