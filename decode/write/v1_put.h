/*
 * v1_put.h - writing the first family: each processor's events into its own batches, the tables after them.
 */
#ifndef GOTOP_DECODE_V1_PUT_H
#define GOTOP_DECODE_V1_PUT_H

#include "decode/write/cut.h"
#include "decode/base/idmap.h"
#include "decode/v1/v1_index.h"

struct v1_out { /* the open batch of a processor */
    uint8_t *buf;
    size_t n, cap;
    uint64_t first, ticks;   /* ticks of its first and of its last event */
    uint64_t first_seq, seq; /* global sequence numbers of these two events (1.5) */
};

struct v1_put {
    struct outlet *out;
    const struct source *s;
    struct v1_index *ix;
    struct v1_out *p; /* by index of the processor; one more for CPU samples, whose batches have no P */
    struct idmap strings, stacks; /* ids in use */
    uint64_t next_seq;            /* global sequence number of the next event (1.5) */
    uint64_t last;                /* ticks of the last event */
    bool oom;
};

/* v1_put_init - Start a writer. ix must be complete; it, s and out must outlive w. Returns false if out of
 * memory; call v1_put_free() in both cases. */
bool v1_put_init(struct v1_put *w, struct outlet *out, const struct source *s, struct v1_index *ix);
void v1_put_free(struct v1_put *w);
/* v1_put_event - Add an event to P's batch. e->v: its values after the time. Its stacks and strings will be
 * written. */
void v1_put_event(struct v1_put *w, uint32_t p, uint64_t ticks, const struct v1_raw *e);
/* v1_put_string - Write an entry of the table of strings. */
void v1_put_string(struct outlet *out, uint64_t id, const void *p, size_t len);
/* v1_put_tables - Write the open batches, then the tick rate and the used stacks and strings. */
void v1_put_tables(struct v1_put *w, uint64_t ticks_per_second);

#endif
