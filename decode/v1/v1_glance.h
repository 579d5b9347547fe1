/*
 * v1_glance.h - the beginning of a large trace, to be shown before all of it is indexed.
 *
 * A writer puts down a processor's batch when it is full, and at the end what there is of each. So the first batches of a file and its
 * last ones tell all of the trace's beginning, unless a processor comes up in the last ones alone that may have one in between;
 * then there is nothing to show yet.
 */
#ifndef GOTOP_DECODE_V1_GLANCE_H
#define GOTOP_DECODE_V1_GLANCE_H

#include "decode/v1/v1_index.h"

#define V1_GLANCE_HALVES 60000 /* of events that are told of it, about */

/*
 * v1_glance_index - the index of the beginning and of the end, as of a trace of which the middle is missing. false: the beginning is not
 * known by these, or there is no memory.
 */
bool v1_glance_index(struct v1_index *ix, struct source *s);

#endif
