/* v2_cut.h - what v2_cut.c (where to cut) and v2_cut_gen.c (a generation that is cut) share. Nobody else includes it. */
#ifndef GOTOP_DECODE_V2_CUT_H
#define GOTOP_DECODE_V2_CUT_H

#include "decode/write/v2_mend.h"
#include "decode/write/v2_put.h"
#include "decode/v2/v2_sim.h"

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
