/*
 * v2_put.h - writing batches of the second family: events one by one, cut into batches that are small enough.
 */
#ifndef GOTOP_DECODE_V2_PUT_H
#define GOTOP_DECODE_V2_PUT_H

#include "decode/base/bytes.h"
#include "decode/write/cut.h"
#include "decode/v2/v2_raw.h"

struct v2_put {
    struct outlet *out;
    uint64_t gen, m, time; /* time: of the last event; of the batch at its start */
    uint64_t base;
    size_t n;
    uint8_t first; /* what each batch begins with: V2R_STRINGS.. , 0 = timed events */
    uint8_t buf[V2_RAW_BATCH];
};

/* v2_put_encode - an event, at most V2_PUT_EVENT bytes: how many. */
enum { V2_PUT_EVENT = 1 + 10 + 10 * V2_ARGS };
size_t v2_put_encode(uint8_t *p, uint8_t type, uint64_t dt, const uint64_t *arg, unsigned n);
/* v2_put_batch - a whole batch at once. */
void v2_put_batch(struct outlet *out, uint64_t gen, uint64_t m, uint64_t time, const uint8_t *p, size_t n);
/* v2_put_open - begin with a thread's events, or a table. v2_put_close - write what there is. */
void v2_put_open(struct v2_put *w, struct outlet *out, uint64_t gen, uint64_t m, uint64_t time, uint8_t first);
void v2_put_close(struct v2_put *w);
/* v2_put_event - at a time, which is taken as the last event's if it is before it. */
void v2_put_event(struct v2_put *w, uint8_t type, uint64_t time, const uint64_t *arg, unsigned n);
/* v2_put_entry - of a table: byte, numbers, then bytes as they are. */
void v2_put_entry(struct v2_put *w, uint8_t type, const uint64_t *arg, unsigned n, const void *p, size_t len);

#endif
