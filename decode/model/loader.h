/*
 * loader.h - loads a second-family trace segment by segment: finds them, decodes them side by side, joins
 * them in order.
 *
 * Finding a generation hops over its batches, and is done when the next one is wanted. Any number of threads
 * decode, the caller's included. Only the caller's thread joins, and what is joined is the trace. So readers
 * need no lock, and the result does not depend on the number of threads.
 */
#ifndef GOTOP_DECODE_LOADER_H
#define GOTOP_DECODE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

struct trace;
struct loader;

/*
 * loader_new - returns NULL if out of memory, or if the trace must be read as one.
 * loader_free - stops its threads. Segments that are not joined are lost.
 */
struct loader *loader_new(struct trace *tr, int threads);
void loader_free(struct loader *l);

enum loaded_rc {
    LOADER_MORE,
    LOADER_DONE, /* all segments are joined */
    LOADER_FULL, /* all segments that fit into memory are joined */
    LOADER_CANT  /* the generations of this trace cannot be decoded independently; tr->fold is unusable */
};
/* loader_some - decode and join until the clock (host_now()) reaches `stop`, or everything is done. */
enum loaded_rc loader_some(struct loader *l, int64_t stop);

#endif
