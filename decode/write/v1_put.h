/*
 * v1_put.h - writing the first family: events of each processor into batches of its own, tables behind them.
 */
#ifndef GOTOP_DECODE_V1_PUT_H
#define GOTOP_DECODE_V1_PUT_H

#include "decode/write/cut.h"
#include "decode/base/idmap.h"
#include "decode/v1/v1_index.h"

struct v1_out { /* a processor's batch that is being filled */
    uint8_t *buf;
    size_t n, cap;
    uint64_t first, ticks;   /* of its first, of its last event */
    uint64_t first_seq, seq; /* 1.5 */
};

struct v1_put {
    struct outlet *out;
    const struct source *s;
    struct v1_index *ix;
    struct v1_out *p; /* by index of the processor; the last one is no P's: samples have batches of their own */
    struct idmap strings, stacks; /* ids that are used */
    uint64_t next_seq;            /* 1.5: every event has its own */
    uint64_t last;                /* ticks of the last event */
    bool oom;
};

bool v1_put_init(struct v1_put *w, struct outlet *out, const struct source *s, struct v1_index *ix);
void v1_put_free(struct v1_put *w);
/* v1_put_event - v: the values behind the time. Its stacks and strings count as used. */
void v1_put_event(struct v1_put *w, uint32_t p, uint64_t ticks, const struct v1_raw *e);
/* v1_put_string - an entry of the table of strings. */
void v1_put_string(struct outlet *out, uint64_t id, const void *p, size_t len);
/* v1_put_tables - what is left of the batches, then tick rate, stacks and strings that are used. */
void v1_put_tables(struct v1_put *w, uint64_t ticks_per_second);

#endif
