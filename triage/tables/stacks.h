/*
 * stacks.h - what a stack says about a wait: told by the names of its innermost functions, so only for traces
 * that have names (go 1.7 and later). A trace records no lock's identity: a kind here is read off the code,
 * not recorded.
 */
#ifndef GOTOP_TRIAGE_STACKS_H
#define GOTOP_TRIAGE_STACKS_H

#include <string.h>

#include "decode/trace.h"

enum wait_kind {
    WK_OTHER,     /* nothing we know */
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
/* wait_on_channel - to send, to receive, or for one of several of these. */
static inline bool wait_on_channel(enum wait_kind k)
{
    return k == WK_SEND || k == WK_RECV || k == WK_SELECT;
}
/* wait_passes_on - that, or on a condition: something is handed from who ends it to who waits. */
static inline bool wait_passes_on(enum wait_kind k)
{
    return wait_on_channel(k) || k == WK_COND;
}
/* stacks_wait_kind - by the reason, and where that says only "sync" by the stack. O(frames), at most 8 are
 * looked at.
 */
enum wait_kind stacks_wait_kind(const struct trace *tr, uint32_t reason, uint32_t stack);
/* stacks_for_collector - does a wait of no kind wait for the collector: who
 * allocates starts or ends a cycle? */
bool stacks_for_collector(const struct trace *tr, enum wait_kind k, uint32_t stack);
/*
 * stacks_kind_untold - of a wait without a reason, as of one that had begun before the trace: by the stack
 * alone. WK_OTHER: it can't be told.
 */
enum wait_kind stacks_kind_untold(const struct trace *tr, uint32_t stack);
/*
 * stacks_is_program - is a function (a string) outside the runtime and the standard library? In a test binary
 * of one of the library's packages that package is the program's own.
 */
bool stacks_is_program(const struct trace *tr, uint32_t func);
/*
 * stacks_user_frame - index of the first frame outside the runtime and the standard library. In a stack of
 * the library alone, the first one outside of what all go through (runtime, sync, os, net and the like); else
 * 0.
 */
uint32_t stacks_user_frame(const struct trace *tr, uint32_t stack);
/* stacks_place - the first function outside the runtime and the standard library, 0 if there is none. */
uint32_t stacks_place(const struct trace *tr, uint32_t stack);
/* stacks_function - the innermost function outside the runtime, and beyond library calls that only block
 * (sync, syscall, time.Sleep) if `calls` says so; the innermost of all if there is none; 0: no function. */
uint32_t stacks_function(const struct trace *tr, uint32_t stack, bool calls);
/*
 * stacks_may - is one of the innermost STACK_MARKED frames, or of those up to its stacks_user_frame(), of
 * such a function? What rules ask of stack after stack, and few stacks have, they ask this way first.
 */
enum stack_mark {
    STACK_ALLOCATES = 1, /* runtime.mallocgc .. */
    STACK_COLLECTS = 2,  /* runtime.GC, runtime/debug.FreeOSMemory */
    STACK_CONNECTS = 4,  /* opens a connection: calls_connecting() */
    STACK_WRITES = 8,    /* to a connection or a file: causes_writes() */
    STACK_ACCEPTS = 16,  /* a connection: calls_accepting() */
    STACK_FILE = 32,     /* stacks_pipe(): os.(*File), with no frame of net further in */
    STACK_CONN = 64,     /* net, with none of os.(*File) further in */
    STACK_TRIP = 128     /* net/http's goroutines ask and read the answer for who is here: calls_asks() */
};
enum { STACK_MARKED = ASIDES_MOST };
bool stacks_may(const struct trace *tr, uint32_t stack, unsigned marks);
/* stacks_told - several of these at once. */
struct stack_told {
    uint32_t place, user_frame;
    unsigned marks; /* enum stack_mark */
};
struct stack_told stacks_told(const struct trace *tr, uint32_t stack);
/* stacks_passes - is func, a string of the trace, among the stack's frames? 0 is not. */
bool stacks_passes(const struct trace *tr, uint32_t stack, uint32_t func);
/* stacks_has - is that within the name of one of the innermost functions? */
bool stacks_has(const struct trace *tr, uint32_t stack, const char *part);
/*
 * stacks_pipe - is a wait of the network's kind one for a pipe or the like (os.File): another process, no
 * connection?
 */
bool stacks_pipe(const struct trace *tr, uint32_t stack);
/*
 * stacks_wait_name - wait_kind_name(); of the network's kind "pipe" where the stack says so: the trace's
 * reason is the same for both.
 */
const char *stacks_wait_name(const struct trace *tr, enum wait_kind k, uint32_t stack);
/*
 * stacks_reason - a span's reason in the trace's words, with the same exception. Without a stack, and of a
 * sum (stack 0), "I/O": either.
 */
struct str stacks_reason(const struct trace *tr, uint32_t reason, uint32_t stack);
/*
 * A stack's functions, some frames at a time, for who goes through them. stack_func: of a frame; 0: there are
 * less.
 */
enum { STACK_FUNCS = 8 };
struct stack_funcs {
    const struct trace *tr;
    uint32_t stack, n;  /* its frames */
    uint32_t from, has; /* those at hand */
    uint32_t func[STACK_FUNCS];
};
static inline void stack_funcs_of(struct stack_funcs *f, const struct trace *tr, uint32_t stack)
{
    f->tr = tr;
    f->stack = stack;
    f->n = trace_stack(tr, stack);
    f->from = f->has = 0;
}
static inline uint32_t stack_func(struct stack_funcs *f, uint32_t i)
{
    if (i - f->from >= f->has) {
        f->from = i / STACK_FUNCS * STACK_FUNCS;
        f->has = trace_funcs(f->tr, f->stack, f->from, f->func, STACK_FUNCS);
    }
    return i - f->from < f->has ? f->func[i - f->from] : 0;
}
/*
 * stacks_ahead - of a stack will be asked soon. Who goes through rows' stacks does so for those of
 * STACKS_AHEAD further on.
 */
enum { STACKS_AHEAD = 8 };
void stacks_ahead(const struct trace *tr, uint32_t stack);
#endif
