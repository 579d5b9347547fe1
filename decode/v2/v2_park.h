/*
 * v2_park.h - threads whose next event can't come yet, by what it waits for: a goroutine or a P in a state,
 * with the sequence number before the one the event names; a P that leaves a thread; the collector's next
 * step.
 *
 * If few threads wait they are tried again after every event, in the order of their times. If many wait they
 * are parked here and tried when what they wait for has happened, so that ordering takes time by the number
 * of events, not of events times threads.
 */
#ifndef GOTOP_DECODE_V2_PARK_H
#define GOTOP_DECODE_V2_PARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v2_order;
struct v2_cursor;

struct v2_heap {
    int64_t t;
    uint32_t cursor;
    uint32_t slot; /* the sink's: which of its threads may be the cursor's */
};

struct v2_wait { /* what a cursor's event waits for */
    uint64_t id, seq;
    uint8_t what; /* enum v2_after */
};

struct v2_parked {
    struct v2_wait w;
    uint32_t next; /* in its list, cursor + 1 */
    bool in;
};

struct v2_park {
    struct v2_parked *at;   /* by cursor */
    uint32_t *list, *woken; /* hash table of lists; cursors that are to be tried again */
    struct v2_heap *first;  /* heap by time; may still hold cursors that aren't parked any more */
    size_t n, nwoken, nfirst;
    size_t capat, caplist, capwoken, capfirst;
    uint32_t mask;
};

/* v2_park - park a cursor whose event can't come yet (ADV_WAIT). false: it was not: out of memory, or it
 * waits for nothing known. */
bool v2_park(struct v2_order *o, uint32_t cursor);
/* v2_park_wake - the cursor's event is done and made o->out[at] and what follows: move those that waited for
 * it to `woken`. */
void v2_park_wake(struct v2_order *o, const struct v2_cursor *c, size_t at);
/* v2_park_all - move all to `woken`. */
void v2_park_all(struct v2_order *o);
/* v2_park_first - time of the earliest parked cursor's event, INT64_MAX: none is parked. */
int64_t v2_park_first(struct v2_order *o);
void v2_park_free(struct v2_park *k);

#endif
