/*
 * untimed.h - system calls that a trace up to Go 1.21 gives no end: those that returned before the scheduler
 * took their processor away. The model gives them 1 ns and says running from there on; the call itself may be
 * most of that.
 *
 * Other calls at the same stack did lose their processor, so their time is known, and what the goroutine runs
 * after them is no call. If it runs much longer after those without an end, these calls took that time.
 *
 * Use: untimed_new() on a loaded trace, untimed_lasts() any number of times, untimed_free(). Counted from a
 * sample of the goroutines with most spans; later Go versions record each call's end, and nothing is read.
 */
#ifndef GOTOP_TRIAGE_UNTIMED_H
#define GOTOP_TRIAGE_UNTIMED_H

#include "decode/trace.h"

struct untimed;
struct untimed *untimed_new(const struct trace *tr); /* NULL: out of memory */
void untimed_free(struct untimed *u);                /* NULL is allowed */
/* untimed_lasts - Returns whether a call without an end at that stack takes most of the time for which the
 * goroutine is said to run after it. */
bool untimed_lasts(const struct untimed *u, uint32_t stack);

#endif
