/*
 * explain.h - where a goroutine's time went: an interval divided completely, to the nanosecond.
 *
 * Time is running, mark assist, a system call, runnable, stopped by a STW, or waiting. A wait [t0,t1) that
 * goroutine W ended is explained by what W did in [t0,t1), by the same rules, one level deeper. What W did
 * before t0 does not matter. A wait for the network, a pipe, a timer or the collector is its own
 * explanation, as is one that nobody ended.
 *
 * Who unblocked whom is recorded. That W did what was waited for, and nothing else, is inferred.
 *
 * Invariants: the leaves of an explanation are adjacent and add up to the interval; the children of a wait
 * add up to the wait. Each level reads only spans within its interval, so the cost is the number of spans
 * times the depth. Both are bounded; beyond the bounds, waits stay unexplained and `cut` is set. A task
 * that is handed on is explained leg by leg (legs.h); the time in which no goroutine has it is explained by
 * what delayed the goroutine that took it up. If W itself waited in the same function, the goroutine that
 * ended that wait takes W's place on the same level, so a lock's queue is one level deep whatever its
 * length.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_H
#define GOTOP_TRIAGE_EXPLAIN_H

#include "triage/findings/ended.h"
#include "triage/findings/ran.h"
#include "triage/findings/legs.h"
#include "triage/tables/stacks.h"

enum explain_cat {
    EX_RUN,
    EX_ASSIST,
    EX_SYSCALL,
    EX_RUNNABLE, /* runnable: other goroutines had the processors */
    EX_NOBODY,   /* runnable for long while a processor was idle: the thread came late */
    EX_STOPPED,  /* runnable or running in the trace during a STW by another goroutine */
    EX_NET,
    EX_PIPE,     /* waits for input through a pipe or another file (stacks_pipe()) */
    EX_DEADLINE, /* waited to read until a deadline; nothing came (ended.h) */
    EX_TIMER,    /* a sleep, or a wait that a timer ended */
    EX_GC,       /* waits for the collector or another goroutine of the runtime */
    EX_OPEN,     /* a wait that is not over when the trace ends */
    EX_WAIT,     /* a wait that a goroutine ended */
    /* a task that no goroutine has (legs.h), explained like a wait: by what the goroutine that took it up
     * did meanwhile */
    EX_QUEUED,
    EX_ABSENT,  /* before its creation, after its end */
    EX_UNKNOWN, /* the trace does not record it */
    EX_CATS
};
/* explain_waits_outside - True if the wait is for the network or a pipe, including one that a deadline
 * ended. */
static inline bool explain_waits_outside(unsigned cat)
{
    return cat == EX_NET || cat == EX_PIPE || cat == EX_DEADLINE;
}
const char *explain_cat_name(enum explain_cat c); /* "running", "waiting for the network" .. */
const char *explain_cat_id(enum explain_cat c);   /* "running", "network" ..: for JSON */

struct explain_part {
    int64_t t0, t1;
    uint8_t cat, kind; /* enum explain_cat, enum wait_kind */
    bool followed;     /* EX_WAIT, EX_QUEUED: the parts that explain it follow */
    uint8_t depth;     /* 0: the goroutine that is explained */
    uint32_t g;        /* the goroutine whose time it is; EX_QUEUED: the one that took the task up */
    uint32_t reason;   /* the reason of a wait */
    /* wait, system call: where; running: where it last stopped before, or the region it was in; EX_QUEUED:
     * the start of g */
    uint32_t stack;
    uint32_t stack_end; /* running: where it stopped next */
    /* EX_WAIT, EX_GC: the goroutine that ended it; EX_STOPPED: the one that stopped the world; NO_LANE:
     * none */
    uint32_t by;
    uint32_t by_stack; /* the stack in which it did so */
    bool region;       /* running: `stack` is where the region began */
};
/* What to do with a part. Values from 0 are the visitor's own: `up` is what it returned for the wait that
 * this part explains (0: the interval itself). Parts of one level come last to first. */
typedef uint32_t explain_visit(void *arg, uint32_t up, const struct explain_part *p);

#define EXPLAIN_DEPTH 32
struct explainer; /* indices into a loaded trace; invalid after trace_load() */
struct owners;
/* explain_new - NULL: out of memory. own: NULL: it makes them itself; explain_owners() returns these. */
struct explainer *explain_new(const struct trace *tr, struct owners *own);
struct owners *explain_owners(const struct explainer *x);
void explain_free(struct explainer *x);
/* explain_budget - Set how many more spans may be read (initially 4 million). explain_left - Returns how
 * many are left. */
void explain_budget(struct explainer *x, uint64_t spans);
uint64_t explain_left(const struct explainer *x);
/* explain_walk - Explain a piece of work, leg by leg (legs.h), last to first: the parts are adjacent from
 * its begin to its end. Sets *cut if some waits were not followed. Returns false if out of memory.
 * visit: NULL: only the cost is asked for. */
bool explain_walk(struct explainer *x, struct workpiece p, explain_visit *visit, void *arg, bool *cut);
/* explain_legs - Find these legs alone, charging the budget. */
bool explain_legs(struct explainer *x, struct workpiece p, struct legs *out);
bool explain_handed(const struct explainer *x); /* True if the last piece had several legs. */

/* explain_stretches - Find how to explain a piece at the cost of about `most` spans: in n stretches of `each`
 * ns, one every `step`, of which each stands for `times` as much; or in one stretch (times: 1) if the whole
 * costs no more or if it is a task, which may be handed on. The cost is estimated from 16 short stretches.
 * Returns false if out of memory. */
enum { STRETCHES = 64 };
struct stretches {
    int n;
    int64_t step, each, times;
};
bool explain_stretches(struct explainer *x, struct workpiece p, uint64_t most, struct stretches *out);

/* explain_place - Returns the function a part is attributed to, 0 if unknown: the first of the program
 * (stacks.h); for running between two places, the innermost function common to both, or where it was
 * preempted. *stack is one to show, *frame the function's frame in it, *ran what is known of running
 * there. */
uint32_t explain_place(const struct trace *tr, const struct explain_part *p, uint32_t *stack, uint32_t *frame,
                       struct ran *ran);

/* ---- as a list ----------------------------------------------------------------------------------------- */

struct explain_item { /* children follow their wait, by time */
    struct explain_part part;
    uint32_t up; /* index of the wait it explains; NO_LANE: the interval */
};
struct explain_list {
    struct explain_item *v;
    size_t n, cap;
    bool cut, failed; /* failed: out of memory; explain_list() says so */
};
/* explain_list - Store at most EXPLAIN_ITEMS parts. With more, `cut` is set and the remaining waits have no
 * parts. Returns false if out of memory. */
#define EXPLAIN_ITEMS (1u << 20)
bool explain_list(struct explainer *x, struct workpiece p, struct explain_list *out);
void explain_list_free(struct explain_list *l);

#endif
