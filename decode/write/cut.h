/*
 * cut.h - write a part of a trace as a trace of its own, in the same dialect, readable by Go's tools.
 *
 * Events within [from, to) keep their times. What was going on at `from` is told as a tracer would that
 * starts then: states of goroutines and Ps, open ranges. How that is done, and what such a beginning can't
 * say: docs/SLICES.md.
 *
 * A slice ends before the first thing that is damaged; if the range begins in that, behind it. So no slice is
 * damaged: Go's own reader takes it wherever it takes the trace. In the second family what is left out is
 * whole generations (decode/v2/v2_sim.h).
 *
 * Memory: the places of the batches of one generation (second family) or of the whole file (first family),
 * the states of all goroutines, Ps and threads, and (second family) the tables' names and the generations
 * that are written anew: two at most.
 */
#ifndef GOTOP_DECODE_CUT_H
#define GOTOP_DECODE_CUT_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"

/* Where bytes go. write - false: don't go on; `broken` is set then, and nothing more is written. bytes: how
 * many were, so far. */
struct outlet {
    bool (*write)(void *arg, const void *p, size_t n);
    void *arg;
    bool broken;
    uint64_t bytes;
};
/* outlet_put - n bytes; nothing is written any more once it is broken. false: it is. */
bool outlet_put(struct outlet *s, const void *p, size_t n);

struct cut_range {
    int64_t from, to; /* ns since the trace's first event; INT64_MIN, INT64_MAX: from its start, to its end */
    double ticks_per_second; /* first family, only if the file does not say; 0 = unknown */
};

/* Refusal of a range with ticks_per_second, of a file that says it. */
#define CUT_RATE \
    "--ticks-per-second: the file states its clock's rate, and a slice of it would state that, too"

struct cut_result {
    int64_t from, to; /* what was cut: both rounded down to the clock's units */
    int64_t lead;     /* ns from the slice's first event to `from`: the time of the statuses it begins with */
    uint64_t events;  /* events of the trace that are in it, those statuses not counted */
    uint32_t generations;
    bool whole;        /* it is the trace as it was, byte for byte */
    struct err damage; /* the trace is damaged or ends there, and the slice ends before that; */
    bool late;         /* or (second family) begins behind it */
    struct err lost;   /* first family: by this it is known that events are missing, but not when */
};
/* cut_say - why the slice isn't all of the range, in one line, for a message. false: it is. */
bool cut_say(const struct cut_result *r, char *buf, size_t size);

/*
 * cut_trace - write the range to the outlet. ERR_ARG: there is nothing in this range that can be cut. ERR_IO:
 * the outlet broke. What is damaged is left out (res->damage), and no error as long as there is something
 * else.
 */
enum err_code cut_trace(const struct input *in, const struct cut_range *r, struct outlet *out,
                        struct cut_result *res, struct err *e);

/* The two families. */
struct rewrite { /* which trace is rewritten, and to where */
    const struct input *in;
    struct dialect d;
    struct outlet *out;
};
/* cut_v1, cut_v2 - as cut_trace(), which has told the dialect and checked that the range is not empty. */
enum err_code cut_v1(const struct rewrite *w, const struct cut_range *r, struct cut_result *res,
                     struct err *e);
enum err_code cut_v2(const struct rewrite *w, const struct cut_range *r, struct cut_result *res,
                     struct err *e);

#endif
