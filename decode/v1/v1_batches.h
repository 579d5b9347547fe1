/*
 * v1_batches.h - batches of a processor that don't stand in the file as they were written: in another order, twice, or with a
 * time they can't have.
 */
#ifndef GOTOP_DECODE_V1_BATCHES_H
#define GOTOP_DECODE_V1_BATCHES_H

#include "decode/v1/v1_index.h"

/*
 * v1_batches_mend - all batches were seen: leave out those that say a time before the trace began or behind its end, put each processor's
 * chain in order. Cost: nothing if all are as they were written, else their bytes once more. ERR_OK or ERR_NOMEM.
 */
enum err_code v1_batches_mend(struct v1_index *ix, struct source *s);

#endif
