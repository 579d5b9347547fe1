/*
 * v1_order.h - the first family's events in the order they happened.
 *
 * Each processor's chain of batches is in order by itself; a cursor on each decodes in place from the input, one
 * event ahead. How the chains are merged differs: the prototype by time, 1.5 by a global sequence number, later
 * dialects by the per-goroutine sequence numbers and states of V1_RULE, among several ready ones by time.
 *
 * Ends of system calls and CPU samples then take the place their real time gives them (v1_merge_next()).
 * Cost per event: one decode, one heap step among the processors, at most one look-up of a goroutine by id.
 */
#ifndef GOTOP_DECODE_V1_ORDER_H
#define GOTOP_DECODE_V1_ORDER_H

#include "decode/v1_index.h"

/* Ids of the file to dense indices, by first appearance; 0 is never given out. Small ids go by array. */
struct v1_hash {
    uint32_t *dense;         /* by id; 0 = not there; [0] is always 0 */
    size_t ndense;
    struct v1_hslot { uint64_t key; uint32_t val; } *slot; /* val 0 = free */
    size_t cap, used, n;
};
uint32_t v1_hash_get(const struct v1_hash *h, uint64_t key);               /* 0 = not there */
bool v1_hash_put(struct v1_hash *h, uint64_t key, uint32_t val);           /* key is new; false: out of memory */
void v1_hash_free(struct v1_hash *h);

enum v1_status { V1_DEAD, V1_RUNNABLE, V1_RUNNING, V1_WAITING };

struct v1_g {                /* a goroutine; [0] is "none", [1] the row of collections */
    uint64_t key;            /* as of the merge: sequence number * 4 + enum v1_status */
    uint32_t waiters;        /* cursors that wait for its state, index + 1 */
    /* as of the final order, which differs by the moved ends of system calls (v1_emit.c) */
    uint32_t p, lane, start;
    uint8_t state, flags;
    uint64_t id;
};

/*
 * What the merge has to know of a type, made once from the tables of events_v1.def. Choices are masks (0 or all
 * ones): a branch on the type of the event is mispredicted more often than not.
 */
struct v1_kind {
    uint8_t timed, k;        /* k: values after the time, without the stack; timed as in struct v1_shape */
    bool stack, any;         /* any: decoded without v1_read() */
    uint64_t name;           /* the first value names a goroutine */
    uint32_t g_run, g_arg;   /* the event is about the one the P runs, about the named one */
    uint32_t run_run, run_arg; /* the P goes on running its own, runs the named one; else none */
    uint32_t rule_g, rule_arg, rule_gc; /* whose state orders it: the one it is about, the named one, GC's */
    /* ready: ((g.key ^ want) & mask) == 0; then g.key = (g.key & keep) + add; want and add take in the own number */
    uint64_t mask, want, want_own, keep, add, add_own, own_1, own_2; /* own number: the first, second argument */
};

struct v1_ev {
    uint8_t type;            /* V1_NONE: events of this P are missing here */
    bool moved;              /* an end of a system call at its real time, ahead of where it was written */
    uint32_t p;              /* index of the processor */
    uint32_t g, arg_g;       /* goroutine it happened on, it names; 0 = none */
    uint32_t rule_g;         /* the one whose state orders it; 0 = none */
    uint32_t len;
    uint64_t want, add;      /* see struct v1_kind */
    uint64_t ticks, seq;
    uint64_t v[5];           /* arguments, without the stack */
    uint64_t stack;
    const uint8_t *text;     /* log: its message */
};

struct v1_cursor {
    const uint8_t *p, *end;
    uint32_t batch, proc, g, next_wait;
    bool waiting, forced, gap, ended;
    uint8_t at;              /* which of buf is the head */
    uint64_t ticks, seq;
    struct v1_ev buf[2];
};

struct v1_order {
    struct source *s;
    const struct v1_index *ix;
    bool quiet;              /* a rehearsal: no damage notes */
    bool by_time;            /* gave up on consistency */
    bool oom;
    struct v1_hash gid;
    struct v1_g *g;
    size_t ng, gcap;
    struct v1_cursor *cur;
    struct v1_slot { int64_t key; const struct v1_ev *e; } *heap; /* heads that may come next; e->p is the cursor */
    size_t nheap, nwaiting;
    bool sorted;             /* few processors: the "heap" is an array in descending order */
    bool by_seq;             /* 1.5 */
    const uint8_t *safe;     /* before this, an event can be decoded without looking for the end */
    int64_t side;            /* earliest key of the two lists of moved events */
    struct v1_kind kind[V1_TYPES];
    uint64_t repairs, max_repairs, work, max_work;
    uint64_t bytes;          /* of batches begun, for progress */
    /* v1_merge_next */
    const struct v1_ev *head;
    size_t exit, sample;
    struct v1_ev extra;
};

enum err_code v1_order_init(struct v1_order *o, struct source *s, const struct v1_index *ix);
void v1_order_free(struct v1_order *o);
/*
 * v1_merge_next - the next event in final order, NULL at the end (or out of memory: o->oom). It stays valid until
 * the next call. Times may still run backwards if the file's clocks do.
 */
const struct v1_ev *v1_merge_next(struct v1_order *o);
/* v1_order_blocks - does the system call that v1_merge_next() has just given block? By a look ahead on its P. */
bool v1_order_blocks(const struct v1_order *o, const struct v1_ev *call);
/* v1_order_fits - is a goroutine in the state the event needs? (The prototype's ties; by v1_g.state.) */
bool v1_order_fits(const struct v1_order *o, const struct v1_ev *ev);

/* States of v1_g.state */
enum { V1S_NONE, V1S_LISTED, V1S_RUNNABLE, V1S_RUNNING, V1S_SYSCALL, V1S_WAITING, V1S_ENDED, V1S_UNKNOWN };

#endif
