/*
 * v2_put.h - writing the second family: events and table entries one by one, into batches of at most
 * V2_RAW_BATCH bytes.
 */
#ifndef GOTOP_DECODE_V2_PUT_H
#define GOTOP_DECODE_V2_PUT_H

#include "decode/base/bytes.h"
#include "decode/write/cut.h"
#include "decode/v2/v2_gen.h"

struct v2_put {
    struct outlet *out; /* this and gen are set by the caller */
    uint64_t gen;
    uint64_t m, time; /* of the batch */
    size_t n;
    uint8_t first; /* first byte of the batch: V2R_STRINGS .. */
    uint8_t buf[V2_RAW_BATCH];
};

/* V2_EV - An event with these arguments. */
#define V2_EV(is, ...) \
    ((struct v2_raw_ev){.type = (is), .nargs = (uint8_t)(v2_specs[is].nargs - 1), .arg = {__VA_ARGS__}})
/* v2_put_numbers - Write n varints of at most 10 bytes each; returns the number of bytes. */
size_t v2_put_numbers(uint8_t *p, const uint64_t *v, unsigned n);
/* v2_put_encode - Encode an event dt clock units after the one before it, in at most V2_EVENT_MAX bytes;
 * returns the number of bytes. */
size_t v2_put_encode(uint8_t *p, const struct v2_raw_ev *e, uint64_t dt);
/* v2_put_batch - Write a whole batch: b's generation, thread, time and payload. */
void v2_put_batch(struct outlet *out, const struct v2_raw_batch *b);
/* v2_put_open - Start a batch of a table. v2_put_close - Write the batch, unless it
 * is empty. */
void v2_put_open(struct v2_put *w, uint64_t m, uint64_t time, uint8_t first);
void v2_put_close(struct v2_put *w);
/* v2_put_string, v2_put_stack, v2_put_sample - Add an entry to the open table batch. A stack's n frames are
 * the len bytes that they take in the file; v: as v2_raw_sample() reads it. */
void v2_put_string(struct v2_put *w, uint64_t id, const void *p, size_t len);
void v2_put_stack(struct v2_put *w, uint64_t id, uint32_t n, const uint8_t *frames, size_t len);
void v2_put_sample(struct v2_put *w, const uint64_t v[5]);

#endif
