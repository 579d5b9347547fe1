/*
 * cut.h - a part of a trace as a trace of its own, in the same dialect, that Go's tools read.
 *
 * What is within [from, to) is kept with its times; what was going on at `from` is told as a tracer that starts then
 * tells it: states of goroutines and Ps, open ranges. How, and what such a beginning can't say: docs/SLICES.md.
 *
 * Of the file nothing is held but where the batches of one generation lie (second family), or those of all of it (first family); of
 * what happened, who is there, and in which state.
 */
#ifndef GOTOP_DECODE_CUT_H
#define GOTOP_DECODE_CUT_H

#include "decode/input/dialect.h"
#include "decode/input/input.h"

/* Where bytes go. write - false: it makes no sense to go on. */
struct outlet {
    bool (*write)(void *arg, const void *p, size_t n);
    void *arg;
    bool broken;
    uint64_t bytes;
};
bool outlet_put(struct outlet *s, const void *p, size_t n);

struct cut_range {
    int64_t from, to;        /* ns since the trace's first event; INT64_MIN, INT64_MAX: from its start, to its end */
    double ticks_per_second; /* first family, if the file does not say; 0 = unknown */
};

struct cut_result {
    int64_t from, to; /* what was cut: clocks have coarse units, so a bit less than asked for */
    int64_t lead;     /* ns between the slice's first event and `from`: what tells of the beginning */
    uint64_t events;  /* kept, without those that tell of the beginning */
    uint32_t generations;
    bool whole;        /* the trace as it was */
    struct err damage; /* the trace ends early, or is damaged there: the slice ends before it. code ERR_OK = no */
    struct err lost;   /* events of the range are missing, and this told it: the slice says so of who did them */
    uint64_t left_out; /* ... and so many of those that are there can't be placed */
};

/* cut_trace - ERR_ARG: there is nothing in this range. ERR_IO: the outlet broke. */
enum err_code cut_trace(const struct input *in, const struct cut_range *r, struct outlet *out, struct cut_result *res,
                        struct err *e);

/* The two families. */
struct rewrite { /* which trace is written anew, and where */
    const struct input *in;
    struct dialect d;
    struct outlet *out;
};
enum err_code cut_v1(const struct rewrite *w, const struct cut_range *r, struct cut_result *res, struct err *e);
enum err_code cut_v2(const struct rewrite *w, const struct cut_range *r, struct cut_result *res, struct err *e);

#endif
