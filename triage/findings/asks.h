/*
 * asks.h - which goroutines serve connections, and where they wait for the next request. Inferred from
 * names of library functions, from who creates whom, and from what a goroutine does first.
 */
#ifndef GOTOP_TRIAGE_ASKS_H
#define GOTOP_TRIAGE_ASKS_H

#include "triage/findings/causes.h"

/* calls_questions - Returns the function in which goroutine g waits for the next request, or 0. It has one
 * if it was created where connections are accepted, and waits for nothing else first; or if it existed before
 * the trace, reads again and again in a loop that calls a handler and writes, and hands on little of what it
 * reads. */
uint32_t calls_questions(const struct causes *c, uint32_t g);
/* calls_asks - True if goroutine g reads answers to requests that it wrote: most of what it waits for the
 * network or a pipe is right behind a write. */
bool calls_asks(const struct causes *c, uint32_t g);
/* calls_loop - Returns the function in which the goroutines of a group loop: the innermost one that all their
 * waits and system calls have in common, if some are in what it calls of the program. 0: none. */
uint32_t calls_loop(const struct causes *c, uint32_t group);
/* calls_reads - True if the span reads from a connection, or waits until it can. */
bool calls_reads(const struct trace *tr, const struct span *s);
/* calls_reads_on - True if goroutine g reads from a connection before t, and another time after it, with
 * nothing else that leaves its code in between, except locks. */
bool calls_reads_on(const struct trace *tr, uint32_t g, int64_t t);
/* causes_writes - True if a network wait is a write that waits for the peer to take what was sent already. */
static inline bool causes_writes(const struct trace *tr, uint32_t stack)
{
    return stacks_may(tr, stack, STACK_WRITES);
}
/* causes_sends - True if it writes to a connection, and not to a file. */
static inline bool causes_sends(const struct trace *tr, uint32_t stack)
{
    return causes_writes(tr, stack) && !stacks_may(tr, stack, STACK_FILE);
}

#endif
