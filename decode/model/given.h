/*
 * given.h - helpers of the program's own: functions in which goroutines begin only to run what they were
 * given, like those of decode/events/helper.h, but known by nothing except what the trace shows ("go func() {
 * defer wg.Done(); work() }()" in a function that many call).
 *
 * A function is taken for one if all of this holds:
 * - at one line of it, at the root of their stacks, different goroutines are in different functions, and at
 * no other line are they;
 * - none of the goroutines that are looked at is in two of these functions (a worker that runs one job after
 * another is no helper);
 * - they were given at least two, and not two methods of one name, which a call of an interface leads to;
 * - those that call it but once have not awaited something in the function itself (received, selected) for
 * most of their time: one that does is there to wait, and reports what came. If half as many or more call it
 * again and again, a wait in between, they may do so: a ticker, unless goroutines of one creation stack call
 * different functions (a worker, which runs what comes). Then its goroutines are named as those of known
 * helpers are: by what was given at the place where they were created, as long as all looked at of one
 * creation stack agree. One created before the trace began is named by its own stacks, if it is there to the
 * end.
 *
 * What is found stands beside the model, which decoding alone changes. So a trace that grows is searched each
 * time all that has come is decoded, and what was found before holds until then.
 */
#ifndef GOTOP_DECODE_GIVEN_H
#define GOTOP_DECODE_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/base/idmap.h"

struct trace;
struct ginfo;

enum { GIVEN_HELPERS = 32 }; /* of a trace, and what is looked at but is none */

struct given {                         /* zero-initialised: there are none */
    uint32_t helper[GIVEN_HELPERS], n; /* strings */
    struct idmap runs;  /* given_key() of a helper and a creation stack: the function that was given */
    struct idmap alone; /* a goroutine without a creation stack: likewise */
    uint64_t events;    /* in the model when it was searched */
};

static inline uint64_t given_key(uint32_t helper, uint32_t stack)
{
    return (uint64_t)helper << 32 | stack;
}

/* given_helper - is a string such a function? */
static inline bool given_helper(const struct given *gv, uint32_t name)
{
    bool is = false;
    for (uint32_t i = 0; i < gv->n; i++)
        is |= gv->helper[i] == name;
    return is;
}

/* given_find - finds them and what their goroutines were given. Call when all that is there is decoded. Out
 * of memory: there are none. */
void given_find(struct trace *tr);
/* given_again - given_find(), unless nothing was decoded since. */
void given_again(struct trace *tr);
void given_free(struct given *gv);
/* given_name - what goroutine g, of which `info` is known, was given by a helper that it begins in.
 * IDMAP_NONE: nothing, or not known. */
uint32_t given_name(const struct given *gv, uint32_t g, const struct ginfo *info);

#endif
