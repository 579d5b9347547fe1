/*
 * v2_mend.h - a generation of which events are missing, made into one that has an order: what a tracer could have written.
 *
 * The format has no word for "not recorded". Where an event needs what was lost, as little as possible is put before it:
 * a goroutine that stops there waits for V2_NOT_RECORDED, which gotop shows as not recorded, and Go's tools as the reason
 * that it waits for; a status that each generation begins with; a P that was given up. What can't come even so is left out.
 * A thread whose events end in a generation that was cut short stops what it ran there.
 */
#ifndef GOTOP_DECODE_V2_MEND_H
#define GOTOP_DECODE_V2_MEND_H

#include "decode/v2/v2_sim.h"

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

#endif
