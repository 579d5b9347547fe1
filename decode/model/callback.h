/*
 * callback.h - names of goroutines that a helper of the program's own starts for a function that it is passed
 * ("go func() { defer wg.Done(); work() }()" in a function that many call). They are named by that callback,
 * as those of known helpers are (decode/events/helper.h); but nothing names such a helper but what the trace
 * shows.
 *
 * A function is taken for one if all of this holds:
 * - at one line of it, at the root of their stacks, different goroutines are in different functions, and at
 *   no other line are they;
 * - no goroutine that is looked at is in two of these functions (a worker runs one job after another);
 * - it is passed at least two, and not two methods of one name, which a call of an interface leads to;
 * - goroutines that call it only once did not wait in the function itself (receive, select) for most of their
 *   time, as one does that is there to wait. If half as many or more call it again and again, with a wait in
 *   between, they may: a ticker, unless goroutines of one creation stack call different functions (a worker).
 *
 * The callback at the place of creation names a goroutine, if all that are looked at of one creation stack
 * agree; one created before the trace began is named by its own stacks, if it is there to the end.
 *
 * What is found stands beside the model, which decoding alone changes. So a trace that grows is searched each
 * time all that has come is decoded, and what was found before holds until then.
 */
#ifndef GOTOP_DECODE_CALLBACK_H
#define GOTOP_DECODE_CALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/base/idmap.h"

struct trace;
struct ginfo;

enum { GIVEN_HELPERS = 32 }; /* of a trace, and what is looked at but is none */

struct callback {                      /* zero-initialised: there are none */
    uint32_t helper[GIVEN_HELPERS], n; /* strings */
    struct idmap runs;  /* callback_key() of a helper and a creation stack: the function that was given */
    struct idmap alone; /* a goroutine without a creation stack: likewise */
    uint64_t events;    /* in the model when it was searched */
};

static inline uint64_t callback_key(uint32_t helper, uint32_t stack)
{
    return (uint64_t)helper << 32 | stack;
}

/* callback_helper - is a string such a function? */
static inline bool callback_helper(const struct callback *gv, uint32_t name)
{
    bool is = false;
    for (uint32_t i = 0; i < gv->n; i++)
        is |= gv->helper[i] == name;
    return is;
}

/* callback_find - finds them and what their goroutines were given. Call when all that is there is decoded.
 * Out of memory: there are none. */
void callback_find(struct trace *tr);
/* callback_update - callback_find(), unless nothing was decoded since. */
void callback_update(struct trace *tr);
void callback_free(struct callback *gv);
/* callback_name - what goroutine g, of which `info` is known, was given by a helper that it begins in.
 * IDMAP_NONE: nothing, or not known. */
uint32_t callback_name(const struct callback *gv, uint32_t g, const struct ginfo *info);

#endif
