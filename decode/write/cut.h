/*
 * cut.h - write a part of a trace as a trace of its own, readable by Go's tools.
 *
 * Events within [from, to) keep their times. A slice is one generation of the second family (slice.h), in the
 * dialect of the trace; of the first family, in that of Go 1.22. The state at `from` is written as a tracer
 * that starts then would: states of goroutines and Ps, open ranges. What such a start can't express:
 * docs/SLICES.md.
 *
 * A slice ends before the first damage; if the range begins in damage, it begins after it. So no slice is
 * damaged: Go's own reader accepts it. In the second family whole generations are left out.
 *
 * Memory: what decoding needs, the names of what is read, and the part of the slice that is of one
 * generation.
 */
#ifndef GOTOP_DECODE_CUT_H
#define GOTOP_DECODE_CUT_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"

/* The receiver of bytes. write - Returns false to stop; `broken` is set then, and nothing more is written.
 * NULL: they go nowhere. */
struct outlet {
    bool (*write)(void *arg, const void *p, size_t n);
    void *arg;
    bool broken;
};
/* outlet_put - Write n bytes, unless the outlet is broken. Returns false if it is. */
bool outlet_put(struct outlet *s, const void *p, size_t n);

struct cut_range {
    /* ns since the trace's first event; INT64_MIN, INT64_MAX: from the trace's start, to its end */
    int64_t from, to;
    double ticks_per_second; /* for the first family, only if the file doesn't say; 0 = unknown */
};

/* Error if a range has ticks_per_second and the file says its own. */
#define CUT_RATE \
    "--ticks-per-second: the file states its clock's rate, and a slice of it would state that, too"

struct cut_result {
    int64_t from, to;  /* the range that was cut, rounded down to clock units */
    int64_t lead;      /* ns from the slice's first event to `from`, the time of its initial statuses */
    uint64_t events;   /* number of events of the trace in it, without the initial statuses */
    bool whole;        /* it is the whole trace, byte for byte */
    struct err damage; /* the trace is damaged or ends there, and the slice ends before that */
    bool late;         /* the slice begins after the damage (second family) */
};

/* cut_trace - Write the range to the outlet. Returns ERR_ARG if nothing in the range can be cut, ERR_IO if
 * the outlet broke. Damaged parts are left out (res->damage), which is no error as long as there is
 * something else. */
enum err_code cut_trace(const struct input *in, const struct cut_range *r, struct outlet *out,
                        struct cut_result *res, struct err *e);

#endif
