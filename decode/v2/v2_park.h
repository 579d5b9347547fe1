/*
 * v2_park.h - threads whose next event can't come yet, by what it waits for: a goroutine or a P in a state,
 * with the sequence number before the one the event names; a P that leaves a thread; the next step of the
 * GC.
 *
 * If few threads wait, they are retried after every event, in the order of their times. If many wait, they
 * are parked here and retried when what they wait for has happened, so that ordering takes time by the
 * number of events, not of events times threads.
 */
#ifndef GOTOP_DECODE_V2_PARK_H
#define GOTOP_DECODE_V2_PARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/heap.h"
#include "decode/base/idmap.h"

struct v2_order;
struct v2_cursor;

struct v2_parked {
    uint32_t next; /* the next cursor that waits for the same, IDMAP_NONE: none */
    bool in;
};

struct v2_park {
    struct v2_parked *at; /* by cursor */
    struct idmap waits;   /* hash of what is waited for -> the last cursor that waits for it */
    uint32_t *woken;      /* cursors to retry */
    struct heap *first;   /* heap by time; may still hold cursors that are no longer parked */
    size_t n, nwoken, nfirst;
    size_t capat, capwoken, capfirst;
};

/* v2_park_begin - Start on a generation, whose cursors are known. Returns false if out of memory. */
bool v2_park_begin(struct v2_order *o);
/* v2_park - Park a cursor whose event can't come yet (ADV_WAIT). Returns false if it was not parked: out of
 * memory, or it waits for nothing known. */
bool v2_park(struct v2_order *o, uint32_t cursor);
/* v2_park_wake - Call after the cursor's event made o->out[at] and following: move the cursors that waited
 * for it to `woken`. */
void v2_park_wake(struct v2_order *o, const struct v2_cursor *c, size_t at);
/* v2_park_all - Move all parked cursors to `woken`. */
void v2_park_all(struct v2_order *o);
/* v2_park_first - Returns the time of the earliest parked event, INT64_MAX if none is parked. */
int64_t v2_park_first(struct v2_order *o);
void v2_park_free(struct v2_park *k);

#endif
