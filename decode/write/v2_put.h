/*
 * v2_put.h - writing batches of the second family: events one by one, cut into batches that are small enough.
 */
#ifndef GOTOP_DECODE_V2_PUT_H
#define GOTOP_DECODE_V2_PUT_H

#include "decode/base/bytes.h"
#include "decode/write/cut.h"
#include "decode/v2/v2_gen.h"

struct v2_put {
    struct outlet *out; /* and the generation: to be set before the first batch */
    uint64_t gen;
    uint64_t m, time; /* time: of the last event; of the batch at its start */
    uint64_t base;
    size_t n;
    uint8_t first; /* what each batch begins with: V2R_STRINGS.. , 0 = timed events */
    uint8_t buf[V2_RAW_BATCH];
};

/* V2_EV - an event with these arguments. */
#define V2_EV(is, ...) \
    ((struct v2_raw_ev){.type = (is), .nargs = (uint8_t)(v2_specs[is].nargs - 1), .arg = {__VA_ARGS__}})
/* v2_put_numbers - n varints, of 10 bytes at most; returns how many bytes. */
size_t v2_put_numbers(uint8_t *p, const uint64_t *v, unsigned n);
/* v2_put_encode - an event dt clock units behind the one before it, in at most V2_EVENT_MAX bytes; returns how many. */
size_t v2_put_encode(uint8_t *p, const struct v2_raw_ev *e, uint64_t dt);
/* v2_put_batch - a whole batch at once: generation, thread, time, payload. */
void v2_put_batch(struct outlet *out, const struct v2_raw_batch *b);
/* v2_put_open - begin with a thread's events, or a table. v2_put_close - write what there is. */
void v2_put_open(struct v2_put *w, uint64_t m, uint64_t time, uint8_t first);
void v2_put_close(struct v2_put *w);
/* v2_put_event - at a time, which is taken as the last event's if it is before it. */
void v2_put_event(struct v2_put *w, const struct v2_raw_ev *e, uint64_t time);
/* Entries of tables. A stack's frames are n, of len bytes as they stand there. */
void v2_put_string(struct v2_put *w, uint64_t id, const void *p, size_t len);
void v2_put_stack(struct v2_put *w, uint64_t id, uint32_t n, const uint8_t *frames, size_t len);
void v2_put_sample(struct v2_put *w, const uint64_t v[5]);

#endif
