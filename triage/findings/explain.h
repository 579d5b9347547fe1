/*
 * explain.h - where a goroutine's time went, completely: an interval parted to the nanosecond.
 *
 * Time is running, mark assist, a system call, waiting for a processor, standing still while the world was
 * stopped, or a wait. A wait [t0,t1) that a goroutine W ended is explained by what W did in [t0,t1): the same
 * again, one level deeper. What W did before t0 is not its concern. A wait for the network, a pipe, a timer
 * or the collector is its own explanation; so is one that nobody ended.
 *
 * Who woke whom is recorded. That W did what was waited for, and nothing else, is inferred.
 *
 * Invariants. The leaves of one explanation lie side by side and add up to the interval; the children of a
 * wait add up to the wait. Each level only looks at spans within its interval, so the work is linear in the
 * spans passed times the depth, which is bounded, as is the number of spans: beyond, waits stay unexplained
 * and `cut` is set. A task that is handed on is explained leg by leg (legs.h), and the time in which nobody
 * has it by what kept who took it up. Hand-offs: where W waited at the same function itself, whoever ended
 * that wait takes W's place on W's level, so a queue before a lock is one level deep however long it is.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_H
#define GOTOP_TRIAGE_EXPLAIN_H

#include "triage/findings/ended.h"
#include "triage/findings/ran.h"
#include "triage/findings/callers.h"
#include "triage/findings/legs.h"
#include "triage/tables/stacks.h"
#include "triage/tables/tab.h"

enum explain_cat {
    EX_RUN,
    EX_ASSIST,
    EX_SYSCALL,
    EX_SCHED,   /* runnable: other goroutines had the processors */
    EX_NOBODY,  /* runnable for long though a processor was idle: its thread came late */
    EX_STOPPED, /* runnable or running on paper while somebody else had the world stopped */
    EX_NET,
    EX_PIPE,     /* for what comes through a pipe or another file (stacks_pipe()) */
    EX_DEADLINE, /* for something to read, until a deadline: nothing came (ended.h) */
    EX_TIMER,    /* a sleep, or a wait that a timer ended */
    EX_GC,       /* waits for the collector or another goroutine of the runtime */
    EX_OPEN,     /* a wait that is not over when the trace ends */
    EX_WAIT,     /* a wait that a goroutine ended */
    EX_QUEUED,   /* a task that nobody has (legs.h): explained, as a wait is, by what who took it up did
                    meanwhile */
    EX_ABSENT,   /* before its creation, after its end */
    EX_UNKNOWN,  /* the trace does not record it */
    EX_CATS
};
/* explain_waits_outside - for the network, or through a pipe, for as long as
 * that took or a deadline allowed? */
static inline bool explain_waits_outside(unsigned cat)
{
    return cat == EX_NET || cat == EX_PIPE || cat == EX_DEADLINE;
}
const char *explain_cat_name(enum explain_cat c); /* "running", "waiting for the network" .. */
const char *explain_cat_id(enum explain_cat c);   /* "running", "network" ..: for JSON */

struct explain_part {
    int64_t t0, t1;
    uint8_t cat, kind; /* enum explain_cat, enum wait_kind */
    bool followed;     /* EX_WAIT, EX_QUEUED: its own parts follow */
    uint8_t depth;     /* 0: the goroutine asked for */
    uint32_t g;        /* whose time it is; EX_QUEUED: who took the task up */
    uint32_t reason;   /* of a wait */
    uint32_t stack; /* a wait, a call: where; running: where it last stopped before, or the region it was in;
                       EX_QUEUED: g's start */
    uint32_t stack_end; /* running: where it stopped next */
    uint32_t by;       /* EX_WAIT, EX_GC: who ended it; EX_STOPPED: who had stopped the world; NO_LANE none */
    uint32_t by_stack; /* where */
    bool region;       /* running: `stack` is where the region it was in began */
};
/*
 * What to do with a part; 0 .. are the visitor's own numbers: `up` is what it answered for the wait whose
 * explanation this part is of (0: the interval itself). Parts of one level come from the last to the first.
 */
typedef uint32_t explain_visit(void *arg, uint32_t up, const struct explain_part *p);

#define EXPLAIN_DEPTH 32
#define EXPLAIN_CALLS 3 /* functions that are said of a place: itself and who called it */
struct explainer;       /* indices over a loaded trace; invalid after trace_load() */
struct explainer *explain_new(const struct trace *tr); /* NULL: out of memory */
void explain_free(struct explainer *x);
/* explain_budget - spans that may be passed from now on in all (at first 4 million). explain_left: how many
 * are left. */
void explain_budget(struct explainer *x, uint64_t spans);
uint64_t explain_left(const struct explainer *x);
/*
 * explain_owners - from now on (NULL: no longer) the place of a wait is the first function of the program's
 * own, not of any library: so who queues in a library's lock for the whole of it is told from who queues for
 * a part, and stays on the way.
 */
struct owners;
void explain_owners(struct explainer *x, struct owners *own);
/* explain_walk - part goroutine g's [a,b). *cut: some waits were not followed. false: out of memory. */
bool explain_walk(struct explainer *x, uint32_t g, int64_t a, int64_t b, explain_visit *visit, void *arg,
                  bool *cut);

/*
 * explain_legs - the legs of a piece of work (legs.h), in spans of the budget. explain_piece - explain_walk()
 * of each of them, the last one first: the parts lie side by side from the piece's begin to its end.
 * explain_walk(g, a, b) is that of workpiece_of_g(g, a, b).
 */
bool explain_legs(struct explainer *x, const struct workpiece *p, struct legs *out);
bool explain_piece(struct explainer *x, const struct workpiece *p, explain_visit *visit, void *arg,
                   bool *cut);
bool explain_handed(const struct explainer *x); /* had the last piece several legs? */

/*
 * explain_stretches - how g's [a,b) is explained at the cost of about `most` spans: in n stretches of `each`
 * ns, one every `step`; where all of it costs no more, in one. What it costs is told from 16 short ones of
 * it. false: out of memory.
 */
enum { STRETCHES = 64 };
struct stretches {
    int n;
    int64_t step, each;
};
bool explain_stretches(struct explainer *x, uint32_t g, int64_t a, int64_t b, uint64_t most,
                       struct stretches *out);

/*
 * explain_place - the function a part is put down to: the first of the program's own (stacks.h); running
 * between two places: the innermost function that both are in, where it was preempted if it was. *stack: one
 * to show, *frame: which of its frames that is. 0 unknown. *ran: of running, what is known of it being there.
 * x: remembers frames, NULL: nothing does.
 */
uint32_t explain_place(const struct trace *tr, struct explainer *x, const struct explain_part *p,
                       uint32_t *stack, uint32_t *frame, struct ran *ran);

/* ---- as a list ----------------------------------------------------------------------------------------- */

struct explain_item { /* children follow their wait, in time order */
    struct explain_part part;
    uint32_t up; /* index of the wait it explains, NO_LANE: of the interval */
};
struct explain_list {
    struct explain_item *v;
    size_t n, cap;
    bool cut;
};
/* explain_list - at most EXPLAIN_ITEMS parts, then `cut`: waits beyond are left
 * whole. false: out of memory. */
#define EXPLAIN_ITEMS (1u << 20)
bool explain_list(struct explainer *x, uint32_t g, int64_t a, int64_t b, struct explain_list *out);
bool explain_list_piece(struct explainer *x, const struct workpiece *p, struct explain_list *out);
void explain_list_free(struct explain_list *l);

/* ---- merged top-down ----------------------------------------------------------------------------------- */

struct explain_node {
    uint32_t up, first,
        next; /* nodes; first, next: NO_LANE none. Children by time, largest first, once sorted */
    uint8_t cat, kind;
    uint32_t func;               /* string: explain_place() */
    uint32_t who;                /* string: start function of whose time it is */
    uint32_t reason;             /* of its longest part */
    int64_t ns, longest, t0, t1; /* summed; the longest part */
    uint64_t count;
    uint32_t g, by, stack, frame; /* of the longest part */
    bool mixed;                   /* others of its parts were called by others */
    struct ran ran;               /* of running: what is known of all its parts being there */
    uint32_t caller, outer;       /* of `last`, the stack of the part before; and who called that one */
    uint32_t last;
    struct callers callers, beyond; /* beyond: who called these */
};
/* Node 0 is all that was asked for. */
struct explain_tree {
    const struct trace *tr;
    struct explain_node *v;
    uint32_t n;
    size_t cap;
    struct tab by;
    struct explainer *x; /* while explain_add() works */
    bool cut, failed;
    bool handed; /* some piece's time is several goroutines': whose a part is does not go without saying */
};
bool explain_tree_init(struct explain_tree *t, const struct trace *tr);
/* explain_add - merge one more interval in. false: out of memory. */
bool explain_add(struct explainer *x, struct explain_tree *t, uint32_t g, int64_t a, int64_t b);
bool explain_add_piece(struct explainer *x, struct explain_tree *t, const struct workpiece *p);
void explain_tree_sort(struct explain_tree *t);
void explain_tree_free(struct explain_tree *t);

#endif
