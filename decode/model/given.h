/*
 * given.h - helpers of the program's own: functions in which goroutines begin only to run what they were given, like those of
 * decode/events/helper.h, but known by nothing except what the trace shows ("go func() { defer wg.Done(); work() }()" in a function
 * that many call).
 *
 * A function is taken for one if all of this holds:
 * - at one line of it, at the root of their stacks, different goroutines are in different functions, and at no other line are they;
 * - none of the goroutines that are looked at is in two of these functions (a worker that runs one job after another is no helper);
 * - they were given at least two, and not two methods of one name, which a call of an interface leads to;
 * - those that call it but once have not awaited something in the function itself (received, selected) for most of their time: one that
 *   does is there to wait, and reports what came. If half as many or more call it again and again, a wait in between, they may do so:
 *   a ticker, unless goroutines of one creation stack call different functions (a worker, which runs what comes).
 * Then its goroutines are named as those of known helpers are: by what was given at the place where they were created, as long as all
 * looked at of one creation stack agree. One created before the trace began is named by its own stacks, if it is there to the end.
 */
#ifndef GOTOP_DECODE_GIVEN_H
#define GOTOP_DECODE_GIVEN_H

struct trace;

/* given_find - finds them and names their goroutines. Call once, when all is decoded. Out of memory: all names stay as they are. */
void given_find(struct trace *tr);

#endif
