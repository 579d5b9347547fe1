/*
 * v1_wire.h - the first family's events on the wire: one event in, its values out; and the tables of a
 * dialect.
 *
 * Knows no state: neither batches' running times nor goroutines. All reads are bounded by `end`.
 */
#ifndef GOTOP_DECODE_V1_WIRE_H
#define GOTOP_DECODE_V1_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include "decode/base/bytes.h"

#define V1_LAST INT32_MAX
#define V1_TYPES 64 /* the type has six bits */
#define V1_VALUES 8 /* values an event can have, sequence number and time included (most: 7) */
#define V1_STRING_MAX 1000000
#define V1_FRAMES_MAX 1000

enum v1_type {
    V1_NONE = 0, /* not an event of the file; the reader uses it for a gap ("events are missing here") */
#define V1_EVENT(number, id, name, whose, means, from, shape) V1_##id = number,
#include "decode/v1/events_v1.def"
};

struct v1_shape {
    const char *name; /* NULL: the dialect has no such event */
    uint8_t n;        /* values on the wire, sequence number and time included */
    uint8_t timed;    /* index of the first value after the time; 0 = the event has no time */
    int8_t stack;     /* index of the stack id, -1 = none */
};

struct v1_dialect {
    int version;  /* 0 = prototype */
    uint8_t base; /* number of values of an event with the count bits 0: 1, in 1.5: 2 */
    uint8_t max;  /* highest event number */
    bool names;   /* it has strings: stacks are four-tuples, not bare program counters */
    struct v1_shape shape[V1_TYPES];
};

/* v1_dialect_init - fill the tables of a version that dialect_tell() knows. */
void v1_dialect_init(struct v1_dialect *d, int version);
/* v1_type_name - "GoCreate"; "?" for an unknown number. */
const char *v1_type_name(unsigned type);

struct v1_raw {
    uint8_t type, n;
    uint64_t v[V1_VALUES];
    const uint8_t *text; /* log: its inline value; String: its bytes; Stack: its values after id and count */
    uint32_t len;        /* bytes of text; Stack: number of frames */
};

enum v1_read { V1_READ_OK, V1_READ_CUT, V1_READ_BAD };
/*
 * v1_read - the event at *p, *p is moved behind it. V1_READ_CUT: the input ends inside, V1_READ_BAD: *why (a
 * constant string) says what is wrong; *p then stays. String: v[0] id. Stack: v[0] id, v[1] number of frames.
 */
enum v1_read v1_read(const struct v1_dialect *d, const uint8_t **p, const uint8_t *end, struct v1_raw *out,
                     const char **why);

#endif
