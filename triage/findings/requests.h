/*
 * requests.h - where a goroutine waits for more work, and what lies between: one automaton for requests of
 * net/http's server (http.(*conn).serve), of other protocols, and for items.
 *
 * A piece ends where the next one is waited for. A request ends where its connection is read for the next
 * one, whether or not that read blocks: the next request of a fast client is there already. A read that does
 * not block is only a system call, and ends a request if an answer was written since it began. So does a
 * wait on a channel: before the answer, it is for a part of it; behind it, for news to write.
 */
#ifndef GOTOP_TRIAGE_REQUESTS_H
#define GOTOP_TRIAGE_REQUESTS_H

#include "triage/triage.h"

enum { PARTS_STACKS = 32 };
struct parts { /* what parts the pieces of goroutines of one start function; no other member is set */
    const struct trace *tr;
    uint32_t name;    /* string: the start function */
    struct str place; /* where requests are read, or where they pause; empty: none, or net/http's */
    bool http;        /* they serve connections of net/http */
    bool paced;       /* their own pauses part them, and nothing else */
    struct known_at {
        uint32_t stack, reason;
        uint8_t state, at;
    } known[PARTS_STACKS];
};
struct parting {             /* along one goroutine; initially zero but for since = NO_TIME */
    int64_t since, answered; /* begin of the current piece, end of the last write of its answer */
    uint32_t more;           /* stack in which more is waited for, if it can be one that waits */
    bool wrote;              /* an answer was written since then */
    /* a wait ends no piece without an answer: it began with a read that did not block, or such calls are
     * recorded (http) */
    bool told;
    bool idle; /* the last wait for more is not over */
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
/* parting_step - Take the goroutine's next span. Returns true if a piece [*t0,*t1) ends with it. */
bool parting_step(struct parting *k, struct parts *of, const struct span *s, int64_t *t0, int64_t *t1);
/* parting_last - At the goroutine's end. Returns true for a last answer that no read followed, of net/http's:
 * elsewhere it may be the only one, of a whole talk. */
bool parting_last(const struct parting *k, const struct parts *of, int64_t *t0, int64_t *t1);

#endif
