/*
 * cut.h - write a part of a trace as a trace of its own, in the same dialect, readable by Go's tools.
 *
 * Events within [from, to) keep their times. What was going on at `from` is told as a tracer would that starts then: states of
 * goroutines and Ps, open ranges. How that is done, and what such a beginning can't say: docs/SLICES.md.
 *
 * Memory: the places of the batches of one generation (second family) or of the whole file (first family), and the states of all
 * goroutines, Ps and threads.
 */
#ifndef GOTOP_DECODE_CUT_H
#define GOTOP_DECODE_CUT_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"

/* Where bytes go. write - false: don't go on; `broken` is set then, and nothing more is written. bytes: how many were, so far. */
struct outlet {
    bool (*write)(void *arg, const void *p, size_t n);
    void *arg;
    bool broken;
    uint64_t bytes;
};
/* outlet_put - n bytes; nothing is written any more once it is broken. false: it is. */
bool outlet_put(struct outlet *s, const void *p, size_t n);

struct cut_range {
    int64_t from, to;        /* ns since the trace's first event; INT64_MIN, INT64_MAX: from its start, to its end */
    double ticks_per_second; /* first family, only if the file does not say; 0 = unknown */
};

/* Refusal of a range with ticks_per_second, of a file that says it. */
#define CUT_RATE "--ticks-per-second: the file states its clock's rate, and a slice of it would state that, too"

struct cut_result {
    int64_t from, to; /* what was cut: both rounded down to the clock's units */
    int64_t lead;     /* ns from the slice's first event to `from`: the time of the statuses it begins with */
    uint64_t events;  /* events of the trace that are in it, those statuses not counted */
    uint32_t generations;
    bool whole;        /* it is the trace as it was, byte for byte */
    struct err damage; /* the trace is damaged or ends there, and the slice ends before that; ERR_OK: no */
    /* lost - the damage by which it is known that events of the range are missing: the slice tells whose states are not recorded. */
    struct err lost;
    bool unsaid;       /* ... or doesn't: before Go 1.22 nothing tells whose */
    uint64_t left_out; /* ... and so many events had to be left out */
    /* unnamed - the damage by which a table is broken or lacks a name or stack: where one is missing, none stands in the slice. */
    struct err unnamed;
};

/* cut_trace - write the range to the outlet. ERR_ARG: there is nothing in this range. ERR_IO: the outlet broke. Damage is no error. */
enum err_code cut_trace(const struct input *in, const struct cut_range *r, struct outlet *out, struct cut_result *res,
                        struct err *e);

/* The two families. */
struct rewrite { /* which trace is rewritten, and to where */
    const struct input *in;
    struct dialect d;
    struct outlet *out;
};
/* cut_v1, cut_v2 - as cut_trace(), which has told the dialect and checked that the range is not empty. */
enum err_code cut_v1(const struct rewrite *w, const struct cut_range *r, struct cut_result *res, struct err *e);
enum err_code cut_v2(const struct rewrite *w, const struct cut_range *r, struct cut_result *res, struct err *e);

#endif
