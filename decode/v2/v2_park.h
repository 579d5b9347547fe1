/*
 * v2_park.h - threads whose next event can't come yet, by what it waits for: a goroutine or a P in a state, with the sequence
 * number before the one the event names; a P that leaves a thread; the collector's next step.
 *
 * Where few threads wait they are tried again at every event, in the order of their times; where many do, those stand here
 * and are tried when what they wait for is there: so ordering costs what the events do, however many threads there are.
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
    uint32_t turn; /* the sink's: which of its turns may be the cursor's */
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
    uint32_t *list, *woken; /* lists by hash; who may be tried again */
    struct v2_heap *first;  /* a heap by time, of these and of some that are gone */
    size_t n, nwoken, nfirst;
    size_t capat, caplist, capwoken, capfirst;
    uint32_t mask;
};

/* v2_park - put a cursor here whose event v2_adv() answered with ADV_WAIT. false: out of memory, it is not. */
bool v2_park(struct v2_order *o, uint32_t cursor);
/* v2_park_wake - of what the cursor's event has changed, and made from o->out[at] on: who waits for that goes to `woken`. */
void v2_park_wake(struct v2_order *o, const struct v2_cursor *c, size_t at);
/* v2_park_all - all go to `woken`. */
void v2_park_all(struct v2_order *o);
/* v2_park_first - time of the earliest that stands here, INT64_MAX: none does. */
int64_t v2_park_first(struct v2_order *o);
void v2_park_free(struct v2_park *k);

#endif
