/*
 * v1_put.h - writing the first family: each processor's events into batches of its own, the tables behind
 * them.
 */
#ifndef GOTOP_DECODE_V1_PUT_H
#define GOTOP_DECODE_V1_PUT_H

#include "decode/write/cut.h"
#include "decode/base/idmap.h"
#include "decode/v1/v1_index.h"

struct v1_out { /* a processor's batch that is being filled */
    uint8_t *buf;
    size_t n, cap;
    uint64_t first, ticks;   /* ticks of its first, of its last event */
    uint64_t first_seq, seq; /* their global sequence numbers (1.5) */
};

struct v1_put {
    struct outlet *out;
    const struct source *s;
    struct v1_index *ix;
    struct v1_out
        *p; /* by index of the processor; one more for CPU samples, which have batches without a P */
    struct idmap strings, stacks; /* ids that are used */
    uint64_t next_seq;            /* the next event's global sequence number (1.5) */
    uint64_t last;                /* ticks of the last event */
    bool oom;
};

/* v1_put_init - ix must be done; it, s and out must outlive w. false: out of memory; v1_put_free() it all the
 * same. */
bool v1_put_init(struct v1_put *w, struct outlet *out, const struct source *s, struct v1_index *ix);
void v1_put_free(struct v1_put *w);
/* v1_put_event - add an event to P's batch; e->v: its values behind the time. The stacks and strings it names
 * will be written. */
void v1_put_event(struct v1_put *w, uint32_t p, uint64_t ticks, const struct v1_raw *e);
/* v1_put_string - write an entry of the table of strings. */
void v1_put_string(struct outlet *out, uint64_t id, const void *p, size_t len);
/* v1_put_tables - write the open batches, then the tick rate and the stacks and strings that are used. */
void v1_put_tables(struct v1_put *w, uint64_t ticks_per_second);

#endif
