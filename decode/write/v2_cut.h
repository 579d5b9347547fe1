/* v2_cut.h - shared by v2_cut.c (where to cut), v2_cut_gen.c (rewrite a generation that is cut) and v2_mend.c, included by them alone. */
#ifndef GOTOP_DECODE_V2_CUT_H
#define GOTOP_DECODE_V2_CUT_H

#include "decode/write/v2_put.h"
#include "decode/v2/v2_sim.h"

/*
 * ---- v2_mend.c: turn a generation of which events are missing into one that a tracer could have written
 *
 * The format can't say "not recorded". Where an event needs one that was lost, as few events as possible are put in before it: a block
 * for the reason V2_NOT_RECORDED, which gotop shows as not recorded and Go's tools as the reason; the status with which something is
 * first told of in a generation; a stop of a P. An event that can't come even then is left out. In a generation that was cut short, a
 * thread's goroutine blocks for that reason where the thread's events end.
 */
struct v2_mend {
    struct v2_file file;
    uint64_t put, left_out; /* events put in, left out, so far */
    struct v2_raw_gen gen;  /* the last result; its batches are partly the file's bytes, partly w's */
    struct v2_mend_work *w;
    bool rough; /* those behind the mended one have to be mended, too: their regions may not fit what is written */
    uint64_t gc_less; /* by so much the numbers of the collector's steps are less, as written, than in the file */
};

/* v2_mend - mend a generation; was: the state before it. The result is m->gen, valid until the next call. false: no memory. */
bool v2_mend(struct v2_mend *m, const struct v2_sim *was, const struct v2_raw_gen *gen);
void v2_mend_free(struct v2_mend *m);

/* ---- v2_cut.c, v2_cut_gen.c -------------------------------------------------------------------------------- */

struct v2c_mark {           /* where a thread's cursor was */
    uint32_t batch;         /* index into v2_order.list */
    const uint8_t *p;       /* its next event; NULL: it had none */
    uint64_t before, units; /* time of the event before that in its batch; time to be written for the event itself */
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

struct v2c_kept { /* how things were before a generation */
    struct v2_sim sim;
    size_t at;             /* where it begins in the file */
    uint64_t number, freq; /* of the one before it, as v2_raw_gen() wants them; 0: none */
    bool raw;              /* it has the file's numbers of the collector's steps, else those written */
    bool set;
};

struct v2_cut {
    struct v2_file file;
    size_t header;
    struct outlet *out;
    struct cut_result *res;
    struct v2_put *put;
    int64_t from, to; /* on the trace's clock; INT64_MIN, INT64_MAX: all */
    uint64_t from_units, to_units;
    bool begun;      /* the range has begun */
    bool renumbered; /* the generation gets another number than it has in the file */
    bool even;       /* a clock unit is a whole number of ns */
    struct v2_sim sim;
    struct v2_sim head; /* the state at `from` */
    struct v2c_kept kept;
    uint64_t prior_number, prior_freq; /* of the generation before the current one, as kept.number and kept.freq */
    struct v2c_marks start, end;       /* where the range begins, ends, if it does so in the current generation */
    bool behind;                       /* the events that now come are behind the range */
    struct v2c_late *late;
    size_t nlate, caplate;
    struct idmap stack_of; /* goroutine -> its stack, if a status told it later in the generation */
    struct v2_raw_ev pin;  /* the slice's last event: a status that changes nothing; nargs 0: none */
    uint64_t pin_m;
    struct v2_mend mend;
    uint64_t mended, mended_gs; /* generations so far, and the sum of the goroutines known at each */
    uint64_t gc_less; /* the numbers of the collector's steps are written as so much less than in what was run */
};

/* v2_cut_gen - write a generation from c->start to c->end, or from its beginning and to its end where these aren't set. false: no memory. */
bool v2_cut_gen(struct v2_cut *c, const struct v2_raw_gen *gen);
/*
 * v2_cut_whole - can a copy of the generation be read: are its tables what the format says, and do they have all that is named? false: it
 * must be rewritten (or there is no memory to tell); *why says what is wrong, unless something was said there before.
 */
bool v2_cut_whole(const struct v2_raw_gen *gen, const uint8_t *data, struct err *why);
/* v2_cut_labels - call it when a generation is over: turns goroutines' labels into numbers that are valid in the next one, too. */
void v2_cut_labels(struct v2_cut *c, const struct v2_raw_gen *gen);

#endif
