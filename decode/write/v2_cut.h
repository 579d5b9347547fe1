/*
 * v2_cut.h - shared only by v2_cut.c (where to cut) and v2_cut_gen.c (rewrite a generation).
 */
#ifndef GOTOP_DECODE_V2_CUT_H
#define GOTOP_DECODE_V2_CUT_H

#include "decode/write/v2_put.h"
#include "decode/v2/v2_sim.h"

struct v2c_mark {     /* where the cursor of a thread was */
    uint32_t batch;   /* index into v2_order.list */
    const uint8_t *p; /* its next event; NULL: none */
    uint64_t units;   /* time to write for it */
};
struct v2c_marks {
    struct v2c_mark *v; /* by cursor */
    size_t cap, sample; /* sample: index of the next CPU sample */
    bool set;
};
struct v2c_late { /* a status after the range, of something that existed all along */
    uint32_t m;
    struct v2_raw_ev ev;
};

struct v2_cut {
    struct v2_file file;
    const struct input *in;
    size_t header;
    int64_t asked_from, asked_to; /* times on the trace's clock; INT64_MIN, INT64_MAX: all */
    int64_t base;                 /* start of the trace on its clock */
    /* what begins before this file offset is after the range in time, so it isn't in the range */
    size_t near;
    struct outlet *out;
    struct cut_result res; /* from, to: on the trace's clock */
    struct err broken; /* the first thing in the range that no slice can hold, with nothing sound before it */
    int64_t last;      /* time of the last event of a sound generation */

    /* Consecutive generations: those that are read, and, once `any` is set, written. */
    bool any;
    uint64_t number, freq; /* of the last one */
    struct v2_put *put;
    /* the requested range, rounded to clock units; from: INT64_MIN if it is before the run */
    int64_t from, to;
    uint64_t from_units, to_units;
    bool even; /* a clock unit is a whole number of ns */
    struct v2_sim sim;
    struct v2_sim head; /* the state at `from` */
    /* where the range begins and ends, if it does so in the current generation */
    struct v2c_marks start, end;
    bool behind; /* the next events are after the range */
    struct v2c_late *late;
    size_t nlate, caplate;
    struct idmap stack_of; /* goroutine -> its stack, if a later status of the generation has it */
    struct v2_raw_ev pin;  /* the slice's last event, a status that changes nothing; nargs 0: none */
    uint64_t pin_m;
};

/* v2_cut_gen - Write a generation from c->start to c->end, or from its beginning and to its end where these
 * aren't set. Returns false if out of memory. */
bool v2_cut_gen(struct v2_cut *c, const struct v2_raw_gen *gen);
/* v2_cut_labels - Call when a generation is done: converts goroutines' labels to numbers that are valid in
 * the next one too. */
void v2_cut_labels(struct v2_cut *c, const struct v2_raw_gen *gen);

#endif
