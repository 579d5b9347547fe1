/* v2_cut.h - what v2_cut.c (where to cut), v2_cut_gen.c (a generation that is cut) and v2_mend.c share. Nobody else includes it. */
#ifndef GOTOP_DECODE_V2_CUT_H
#define GOTOP_DECODE_V2_CUT_H

#include "decode/write/v2_put.h"
#include "decode/v2/v2_sim.h"

/*
 * ---- v2_mend.c: a generation of which events are missing, made into one that has an order: what a tracer could have written.
 *
 * The format has no word for "not recorded". Where an event needs what was lost, as little as possible is put before it:
 * a goroutine that stops there waits for V2_NOT_RECORDED, which gotop shows as not recorded, and Go's tools as the reason
 * that it waits for; a status that each generation begins with; a P that was given up. What can't come even so is left out.
 * A thread whose events end in a generation that was cut short stops what it ran there.
 */
struct v2_mend {
    struct v2_file file;
    uint64_t put, left_out; /* events put in, left out, so far */
    struct v2_raw_gen gen;  /* what came out last; its batches lie here and there in the file */
    struct v2_mend_work *w;
    bool rough; /* rough: a generation was mended, so must those behind it be */
};

/*
 * v2_mend - mend a generation, before which things were as in `was`; the result is m->gen, until the next one is mended or all is
 * freed. false: no memory.
 */
bool v2_mend(struct v2_mend *m, const struct v2_sim *was, const struct v2_raw_gen *gen);
void v2_mend_free(struct v2_mend *m);

/* ---- v2_cut.c, v2_cut_gen.c -------------------------------------------------------------------------------- */

struct v2c_mark {           /* where a thread's cursor stood */
    uint32_t batch;         /* place in v2_order.list */
    const uint8_t *p;       /* its next event; NULL: it had none any more */
    uint64_t before, units; /* time of the event before in that batch; of this event, as it is to be written */
};
struct v2c_marks {
    struct v2c_mark *v; /* by cursor */
    size_t cap, sample; /* sample: the next one */
    bool set;
};
struct v2c_late {
    uint32_t m;
    struct v2_raw_ev ev;
};

struct v2_cut {
    struct v2_file file;
    size_t header;
    struct outlet *out;
    struct cut_result *res;
    struct v2_put *put;
    int64_t from, to; /* on the trace's clock; INT64_MIN, INT64_MAX: all */
    uint64_t from_units, to_units;
    bool begun; /* the range has */
    bool even;  /* a clock unit is a whole number of ns */
    struct v2_sim sim;
    struct v2_sim head;          /* who there was at `from` */
    struct v2c_marks start, end; /* of the generation at hand, if the range begins or ends in it */
    bool behind;                 /* events are behind the range */
    struct v2c_late *late;
    size_t nlate, caplate;
    struct idmap stack_of; /* goroutines whose stack the generation tells later on */
    struct v2_raw_ev pin;  /* nargs 0: none */
    uint64_t pin_m;
    struct v2_mend mend;
};

/* v2_cut_gen - write a generation from c->start to c->end, where these are set. false: no memory. */
bool v2_cut_gen(struct v2_cut *c, const struct v2_raw_gen *gen);
/* v2_cut_labels - a generation is over: what goroutines work as is kept as a number that means it in the next one, too. */
void v2_cut_labels(struct v2_cut *c, const struct v2_raw_gen *gen);

#endif
