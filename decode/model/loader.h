/*
 * loader.h - a second-family trace, segment by segment: found, decoded side by side, joined in order.
 *
 * Finding the generations is a hop over their batches, done when the next one is wanted. Any number of threads decode them, the
 * caller's among them; the caller's alone joins them, and what is joined is the trace. So whoever reads the trace needs no lock,
 * and what it says doesn't depend on how many threads there were.
 */
#ifndef GOTOP_DECODE_LOADER_H
#define GOTOP_DECODE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

struct trace;
struct loader;

/* loader_new - NULL: out of memory. loader_free - stops its threads; what isn't joined is lost. */
struct loader *loader_new(struct trace *tr, int threads);
void loader_free(struct loader *l);

enum loaded_rc {
    LOADER_MORE,
    LOADER_DONE, /* everything is joined */
    LOADER_FULL, /* ... that there is memory for */
    LOADER_CANT  /* this trace's generations can't be decoded by themselves; nothing of tr->fold is of use */
};
/* loader_some - decode and join until the clock says stop, or there is no more. */
enum loaded_rc loader_some(struct loader *l, int64_t stop);

#endif
