/*
 * v2_put.h - writing the second family: batches, and the entries of tables one by one.
 */
#ifndef GOTOP_DECODE_V2_PUT_H
#define GOTOP_DECODE_V2_PUT_H

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

/* v2_put_numbers - Write n varints of at most 10 bytes each; returns the number of bytes. */
size_t v2_put_numbers(uint8_t *p, const uint64_t *v, unsigned n);
/* v2_put_batch - Write a whole batch: b's generation, thread, time and payload. */
void v2_put_batch(struct outlet *out, const struct v2_raw_batch *b);
/* v2_put_open - Start a batch of a table. v2_put_close - Write it, unless it is empty. */
void v2_put_open(struct v2_put *w, uint64_t m, uint64_t time, uint8_t first);
void v2_put_close(struct v2_put *w);
/* v2_put_entry - Add an entry to the open table: n numbers, then len bytes. */
void v2_put_entry(struct v2_put *w, uint8_t type, const uint64_t *v, unsigned n, const void *p, size_t len);

#endif
