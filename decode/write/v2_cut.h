/*
 * v2_cut.h - shared by v2_cut.c (where to cut) and v2_cut_gen.c (write a generation anew), included by them
 * alone.
 */
#ifndef GOTOP_DECODE_V2_CUT_H
#define GOTOP_DECODE_V2_CUT_H

#include "decode/write/v2_put.h"
#include "decode/v2/v2_sim.h"

struct v2c_mark {     /* where a thread's cursor was */
    uint32_t batch;   /* index into v2_order.list */
    const uint8_t *p; /* its next event; NULL: it had none */
    uint64_t before,
        units; /* time of the event before that in its batch; time to be written for the event itself */
};
struct v2c_marks {
    struct v2c_mark *v; /* by cursor */
    size_t cap, sample; /* sample: the next CPU sample */
    bool set;
};
struct v2c_late { /* a status behind the range, of something that was there all along */
    uint32_t m;
    struct v2_raw_ev ev;
};

struct v2_cut {
    struct v2_file file;
    const struct input *in;
    size_t header;
    int64_t asked_from, asked_to; /* on the trace's clock; INT64_MIN, INT64_MAX: all */
    int64_t base;                 /* when the trace begins on it */
    size_t near; /* what begins before this place of the file is behind it in time: it isn't in the range */
    struct outlet *out;
    struct cut_result res; /* from, to: on the trace's clock */
    struct err broken; /* the first thing in the range that no slice can hold, and nothing sound before it */
    int64_t last;      /* time of the last event of a sound generation */

    /* Of generations that follow each other: those that are read, and, once `any`, those that are written. */
    bool any;
    uint64_t number, freq; /* of the last one */
    struct v2_put *put;
    int64_t from, to; /* as asked, rounded to the clock's units; from: INT64_MIN if that is before the run */
    uint64_t from_units, to_units;
    bool even; /* a clock unit is a whole number of ns */
    struct v2_sim sim;
    struct v2_sim head;          /* the state at `from` */
    struct v2c_marks start, end; /* where the range begins, ends, if it does so in the current generation */
    bool behind;                 /* the events that now come are behind the range */
    struct v2c_late *late;
    size_t nlate, caplate;
    struct idmap stack_of; /* goroutine -> its stack, if a status told it later in the generation */
    struct v2_raw_ev pin;  /* the slice's last event: a status that changes nothing; nargs 0: none */
    uint64_t pin_m;
};

/* v2_cut_gen - write a generation from c->start to c->end, or from its beginning and to its end where these
 * aren't set. false: no memory. */
bool v2_cut_gen(struct v2_cut *c, const struct v2_raw_gen *gen);
/* v2_cut_labels - call it when a generation is over: turns goroutines' labels into numbers that are valid in
 * the next one, too. */
void v2_cut_labels(struct v2_cut *c, const struct v2_raw_gen *gen);

#endif
