/*
 * stacks.h - what a stack says about a wait. It is read from the names of the innermost functions, so only
 * for traces with names (Go 1.7 and later). A trace records no lock's identity: a wait's kind is inferred
 * from the code.
 */
#ifndef GOTOP_TRIAGE_STACKS_H
#define GOTOP_TRIAGE_STACKS_H

#include "decode/trace.h"

enum wait_kind {
    WK_OTHER,     /* unknown */
    WK_LOCK,      /* sync.Mutex, sync.RWMutex, a runtime-internal lock taken for them */
    WK_WAITGROUP, /* WaitGroup.Wait: waiting for others to finish, not for a lock */
    WK_COND,      /* Cond.Wait */
    WK_SEND,      /* a channel is full or nobody receives */
    WK_RECV,      /* a channel is empty: often just idle */
    WK_SELECT,
    WK_NET,
    WK_SLEEP,
    WK_GC,     /* waits for the collector */
    WK_SYSTEM, /* the runtime's own goroutines at rest */
    WK_KINDS
};

const char *wait_kind_name(enum wait_kind k);
/* wait_on_channel - whether the wait is a send, a receive or a select. */
static inline bool wait_on_channel(enum wait_kind k)
{
    return k == WK_SEND || k == WK_RECV || k == WK_SELECT;
}
/* wait_passes_on - the same or a wait on a condition: the goroutine that ends it hands something over. */
static inline bool wait_passes_on(enum wait_kind k)
{
    return wait_on_channel(k) || k == WK_COND;
}
/* stacks_wait_kind - returns a wait's kind by its reason, and if that is only "sync", by its stack.
 * O(frames), at most 8. */
enum wait_kind stacks_wait_kind(const struct trace *tr, uint32_t reason, uint32_t stack);
/* stacks_kind_untold - returns the kind of a wait without a reason, such as one that started before the
 * trace, by the stack alone. WK_OTHER: unknown. */
enum wait_kind stacks_kind_untold(const struct trace *tr, uint32_t stack);
/* stacks_is_program - whether a function (a string) is outside the runtime and the standard library. In a
 * test binary of a library package, that package is part of the program. */
bool stacks_is_program(const struct trace *tr, uint32_t func);
/* stacks_user_frame - returns the index of the first frame outside the runtime and the standard library. In
 * a stack with only library frames: the first one outside the common packages (runtime, sync, os, net and
 * the like); else 0. */
uint32_t stacks_user_frame(const struct trace *tr, uint32_t stack);
/* stacks_user - returns the function of that frame. */
static inline uint32_t stacks_user(const struct trace *tr, uint32_t stack)
{
    return trace_frame(tr, stack, stacks_user_frame(tr, stack)).func;
}
/* stacks_place - returns the first function outside the runtime and the standard library; 0 if there is
 * none. */
uint32_t stacks_place(const struct trace *tr, uint32_t stack);
/* stacks_may - whether one of the innermost STACK_MARKED frames, or of those up to stacks_user_frame(), is
 * a function with that mark. A cheap first test for rules that examine many stacks of which few match. */
enum stack_mark {
    STACK_ALLOCATES = 1, /* runtime.mallocgc .. */
    STACK_COLLECTS = 2,  /* runtime.GC, runtime/debug.FreeOSMemory */
    STACK_CONNECTS = 4,  /* opens a connection, or waits for one of net/http's */
    STACK_WRITES = 8,    /* writes to a connection or a file: causes_writes() */
    STACK_ACCEPTS = 16,  /* accepts a connection */
    STACK_FILE = 32,     /* stacks_pipe(): os.(*File) with no net frame further in */
    STACK_CONN = 64,     /* net with no os.(*File) frame further in */
    STACK_TRIP = 128,    /* net/http's goroutines that send the request and read the answer: calls_asks() */
    STACK_CHILD = 256,   /* begins a process, or waits for its end or output */
    STACK_READS = 512    /* reads from a connection or a file */
};
enum { STACK_MARKED = 16 };
bool stacks_may(const struct trace *tr, uint32_t stack, unsigned marks);
/* stacks_has - whether the name of one of the innermost functions contains the text. */
bool stacks_has(const struct trace *tr, uint32_t stack, const char *part);
/* stacks_passes - whether a function (string) is anywhere in it. */
bool stacks_passes(const struct trace *tr, uint32_t stack, uint32_t func);
/* stacks_pipe - whether a wait of kind network is one for a pipe or the like (os.File): another process,
 * not a connection. */
bool stacks_pipe(const struct trace *tr, uint32_t stack);
/* stacks_wait_name - returns wait_kind_name(), or "pipe" for a network wait whose stack says so: the
 * trace's reason is the same for both. */
const char *stacks_wait_name(const struct trace *tr, enum wait_kind k, uint32_t stack);
/* stacks_reason - returns a span's reason, a wait's in the words of stacks_wait_name(). For a sum, or without
 * a stack (stack 0), "I/O" is network or pipe. */
struct str stacks_reason(const struct trace *tr, uint32_t reason, uint32_t stack);

#endif
