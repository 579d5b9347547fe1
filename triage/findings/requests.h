/*
 * requests.h - what parts the requests that a goroutine of net/http's server answers (http.(*conn).serve).
 *
 * A request ends where its connection is read for the next one, whether that read blocks or not: a client
 * that asks again at once has its question there before. A read that does not block is a system call only,
 * and parts two requests if an answer was written since the last one.
 */
#ifndef GOTOP_TRIAGE_REQUESTS_H
#define GOTOP_TRIAGE_REQUESTS_H

#include "triage/triage.h"

#define REQUEST_STACKS 64
enum request_at {
    RA_ELSE,
    RA_NEXT,
    RA_ANSWER
}; /* of a stack: reads for the next request, writes an answer */

struct request_cut {         /* along one goroutine; all zero but since = NO_TIME at its begin */
    int64_t since, answered; /* begin of the request that is being answered, end of the last write for it */
    uint32_t asked;          /* stack in which requests are read for, if it can be one that waits */
    bool wrote;              /* such a write was since then */
    bool calls;              /* reads and writes that don't block are recorded: waits alone part nothing */
    struct {
        uint32_t stack;
        enum request_at at;
    } known[REQUEST_STACKS];
};

/* request_serves - is that (a string) where a goroutine of net/http's server
 * begins that serves a connection? */
bool request_serves(const struct trace *tr, uint32_t start_function);
/* request_next - does that stack read, or wait to, for the next request of a server's connection, not within
 * one? */
bool request_next(const struct trace *tr, uint32_t stack);
/* request_step - the goroutine's next span. true: with it ends a request, [*t0,*t1). */
bool request_step(struct request_cut *k, const struct trace *tr, const struct span *s, int64_t *t0,
                  int64_t *t1);
/* request_last - the goroutine has ended. true: after a last answer, behind which nothing was read. */
bool request_last(const struct request_cut *k, int64_t *t0, int64_t *t1);

#endif
