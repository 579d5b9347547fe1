/*
 * v2_raw.h - the second family's bytes without their meaning: batches, and the events and table entries in
 * them.
 *
 * Nothing is kept or interned. A struct err says what is damaged and where; what was read before it remains
 * valid.
 */
#ifndef GOTOP_DECODE_V2_RAW_H
#define GOTOP_DECODE_V2_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"
#include "decode/v2/v2_events.h"

#define V2_RAW_BATCH 65536 /* most bytes of a batch */
#define V2_RAW_STRING 1024 /* most bytes of a string */
#define V2_RAW_FRAMES 128

enum v2_raw_type { /* the first byte of a batch, of its payload, or of an entry in it */
                   V2R_EVENTS = 1,
                   V2R_STACKS = 2,
                   V2R_STACK = 3,
                   V2R_STRINGS = 4,
                   V2R_STRING = 5,
                   V2R_SAMPLES = 6,
                   V2R_SAMPLE = 7,
                   V2R_FREQ = 8,
                   V2R_EXPERIMENTAL = 49,
                   V2R_SYNC = 50,
                   V2R_SNAPSHOT = 51,
                   V2R_END = 52
};

struct v2_raw_batch {
    uint8_t lead;  /* V2R_EVENTS, V2R_EXPERIMENTAL or V2R_END (which sets nothing else) */
    uint8_t first; /* first byte of the payload, which says what it holds; 0 = empty */
    bool torn;     /* the input ends inside it */
    uint64_t gen, m, time, size;
    const uint8_t *at;      /* start of its header */
    const uint8_t *p, *end; /* its payload */
};

/* v2_raw_batch - Read the batch at p; returns its end. Returns NULL at the end of the input (e->code is
 * ERR_OK), or if there is no batch here (e->code and what). A torn one is returned, with e->code
 * ERR_TRUNCATED. */
const uint8_t *v2_raw_batch(const uint8_t *data, size_t len, const uint8_t *p, struct v2_raw_batch *b,
                            struct err *e);

/*
 * v2_raw_head - Read the header of a batch of events or of an experiment at p into b. Returns the end of
 * the header; NULL if `end` cuts it off or a number, which begins at *bad, is malformed. For a stream that
 * has arrived only in part.
 *
 * v2_raw_likely - Whether a batch of generation `number` or number + 1 (0: of any) seems to begin at p.
 * Returns the end of its header, or NULL. For finding the next batch after damage: the runtime pads the
 * size to ten bytes, and little else looks like that.
 */
const uint8_t *v2_raw_head(const uint8_t *p, const uint8_t *end, struct v2_raw_batch *b, const uint8_t **bad);
const uint8_t *v2_raw_likely(const uint8_t *p, const uint8_t *end, uint64_t number, struct v2_raw_batch *b);

/* v2_raw_table - Whether it holds strings, stacks or samples. v2_raw_timed - Whether it holds events. */
static inline bool v2_raw_table(const struct v2_raw_batch *b)
{
    return b->lead == V2R_EVENTS &&
           (b->first == V2R_STACKS || b->first == V2R_STRINGS || b->first == V2R_SAMPLES);
}

static inline bool v2_raw_timed(const struct v2_raw_batch *b)
{
    return b->lead == V2R_EVENTS && b->p < b->end && !v2_raw_table(b) && b->first != V2R_FREQ &&
           b->first != V2R_SYNC;
}

struct v2_raw_ev {
    uint8_t type, nargs;
    uint64_t dt, arg[V2_ARGS];
};
/* size of an event in bytes: its type, the time and all arguments */
#define V2_EVENT_MAX (1 + 10 + 10 * V2_ARGS)
/* v2_raw_ev - Read the timed event at p. Returns its end, or NULL if there is no complete one. */
const uint8_t *v2_raw_ev(const uint8_t *p, const uint8_t *end, struct v2_raw_ev *ev);

struct v2_raw_string {
    uint64_t id;
    const uint8_t *p;
    uint32_t len;
};
/* v2_raw_string, v2_raw_stack, v2_raw_sample - Read an entry of a table at p. Return its end, or NULL if it
 * is incomplete or longer than a writer makes it. Pointers are into the file's bytes. */
const uint8_t *v2_raw_string(const uint8_t *p, const uint8_t *end, struct v2_raw_string *s);

struct v2_raw_stack {
    uint64_t id;
    uint32_t n;
    const uint8_t *frames; /* n times: pc, id of the function, id of the file, line */
};
const uint8_t *v2_raw_stack(const uint8_t *p, const uint8_t *end, struct v2_raw_stack *s);

/* v: time, thread, P, goroutine and stack, as in the file. */
const uint8_t *v2_raw_sample(const uint8_t *p, const uint8_t *end, uint64_t v[5]);

struct v2_raw_clock {
    uint64_t freq; /* 0: not in this batch */
    bool has_wall;
    uint64_t at, mono, sec, nsec; /* the snapshot in clock units, and what the other clocks showed then */
};
/* v2_raw_clock - Read as much as possible of a batch that begins with V2R_FREQ or V2R_SYNC. Returns false
 * if it is malformed; e says why and at which offset in its payload. ERR_TRUNCATED: it ends too early;
 * ERR_CLOCK: the frequency is zero, or stated twice. */
bool v2_raw_clock(const struct v2_raw_batch *b, struct v2_raw_clock *c, struct err *e);

#endif
