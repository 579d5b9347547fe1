/*
 * requests.h - where a goroutine waits for more work, and the boundaries between the requests that a
 * goroutine of net/http's server answers (http.(*conn).serve).
 *
 * A request ends where its connection is read for the next one, whether or not that read blocks: the next
 * request of a fast client is there already. A read that does not block is only a system call, and is a
 * boundary if an answer was written since the last boundary.
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

struct request_cut {         /* state along one goroutine; initially zero but for since = NO_TIME */
    int64_t since, answered; /* begin of the current request, end of the last write of its answer */
    uint32_t asked;          /* stack in which the next request is read, if it can be one that waits */
    bool wrote;              /* an answer was written since then */
    bool calls;              /* non-blocking reads and writes are recorded, so waits alone are no boundary */
    struct {
        uint32_t stack;
        enum request_at at;
    } known[REQUEST_STACKS];
};

/* request_serves - True if the function (a string) is the start function of a goroutine of net/http's
 * server that serves a connection. */
bool request_serves(const struct trace *tr, uint32_t start_function);
/* request_next - True if the stack reads, or waits to read, the next request of a server's connection;
 * false within a request. */
bool request_next(const struct trace *tr, uint32_t stack);
/* own_loop - True if a goroutine of that start function waits there in its own loop, not in a function that
 * it calls. The loop is in the start function, or in the outermost one of the stack: of "go f(x)" with a
 * closure f, the trace names a wrapper that is on no stack. */
bool own_loop(const struct trace *tr, uint32_t start_function, uint32_t stack);
/* waits_for_more - True if a goroutine of that start function waits there for more work: on a channel in its
 * own loop (in a callee, even a library's, it is within a piece), or for a server's next request. */
bool waits_for_more(const struct trace *tr, uint32_t start_function, uint32_t reason, uint32_t stack);
/* request_step - Take the goroutine's next span. Returns true if a request [*t0,*t1) ends with it. */
bool request_step(struct request_cut *k, const struct trace *tr, const struct span *s, int64_t *t0,
                  int64_t *t1);
/* request_last - At the goroutine's end. Returns true for a last answer that no read followed. */
bool request_last(const struct request_cut *k, int64_t *t0, int64_t *t1);

#endif
