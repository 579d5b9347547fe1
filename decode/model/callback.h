/*
 * callback.h - names goroutines that a helper of the program starts to run a function that it was passed
 * ("go func() { defer wg.Done(); work() }()" in a function with many callers). They are named after that
 * callback, as goroutines of known helpers are (decode/events/helper.h). Such helpers are found in the
 * trace alone.
 *
 * A function is taken for a helper if all of this holds:
 * - at one line of it, at the root of their stacks, different goroutines are in different functions, and at
 *   no other line are they;
 * - no goroutine that is looked at is in two of these functions (a worker runs one job after another);
 * - it is passed at least two functions, and not two methods of one name, which a call of an interface
 *   leads to;
 * - goroutines that call the callback only once did not wait in the helper itself (receive, select) for
 *   most of their time, as a goroutine does whose purpose is to wait. They may if at least half as many call
 *   it repeatedly with a wait in between (a ticker), unless goroutines of one creation stack call different
 *   functions (a worker).
 *
 * A goroutine is named after the callback of its creation stack, if all goroutines looked at with that
 * stack agree. One created before the trace began is named by its own stacks, if it lives to the end.
 *
 * The result is kept beside the model, which only decoding changes. A growing trace is searched each time
 * all of its input is decoded; until the next search the previous result holds.
 */
#ifndef GOTOP_DECODE_CALLBACK_H
#define GOTOP_DECODE_CALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/base/idmap.h"
#include "decode/base/rows.h"

struct trace;
struct ginfo;

enum { GIVEN_HELPERS = 32 }; /* most functions of a trace that are looked at as helpers */

struct callback {                      /* Zero-initialised it is empty. */
    uint32_t helper[GIVEN_HELPERS], n; /* strings */
    struct idmap runs;                 /* callback_key() of a helper and a creation stack -> the callback */
    struct idmap alone;                /* goroutine without a creation stack -> the callback */
    uint64_t events;                   /* events in the model when it was searched */
};

static inline uint64_t callback_key(uint32_t helper, uint32_t stack)
{
    return (uint64_t)helper << 32 | stack;
}

/* callback_helper - whether a string names such a helper. */
static inline bool callback_helper(const struct callback *gv, uint32_t name)
{
    return any_of(i, gv->n, gv->helper[i] == name);
}

/* callback_find - find the helpers and their goroutines' callbacks. Call it when all input so far is
 * decoded. When out of memory the result is empty. */
void callback_find(struct trace *tr);
/* callback_update - callback_find(), unless nothing was decoded since the last call. */
void callback_update(struct trace *tr);
void callback_free(struct callback *gv);
/* callback_name - the callback that goroutine g, with this `info`, was passed by the helper that it starts
 * in; IDMAP_NONE if there is none or it is not known. */
uint32_t callback_name(const struct callback *gv, uint32_t g, const struct ginfo *info);

#endif
