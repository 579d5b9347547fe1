/*
 * v1_decode.h - decoding the first family: each processor's batches by themselves, some events ahead.
 *
 * A cursor follows the chain of one processor's batches and decodes many events at a time into its ring. (One
 * processor's events resemble each other, so branches are predicted; those of all processors in order don't.)
 * It knows which goroutine its processor runs, so it knows which one an event is about and whose state
 * decides when the event may come (V1_LEAVES of events_v1.def). Goroutines get rows here, in the order of
 * their first mention; v1_order.c and v1_emit.c use the same rows.
 */
#ifndef GOTOP_DECODE_V1_DECODE_H
#define GOTOP_DECODE_V1_DECODE_H

#include "decode/base/idmap.h"
#include "decode/v1/v1_index.h"

enum v1_status { V1_DEAD, V1_RUNNABLE, V1_RUNNING, V1_WAITING };

#define V1_GC_ROW 1

struct v1_g {     /* a goroutine; [0] is "none", [V1_GC_ROW] the row of collections */
    uint64_t key; /* in the order of merging: sequence number * 4 + enum v1_status */
    uint64_t id;
    uint32_t waiters; /* first of the list of cursors that wait for its state: index + 1 */
    /* State in the final order, in which ends of system calls have moved (v1_emit.c): */
    uint32_t p, lane;
    uint8_t state, flags; /* V1S_*; V1F_EXITED, and flags of the code that uses the rows */
};
#define V1F_EXITED 1 /* its system call ended at its real time, and the event that says so is yet to come */
_Static_assert(sizeof(struct v1_g) == 32, "two rows are one cache line");

/* States of v1_g.state */
enum { V1S_NONE, V1S_LISTED, V1S_RUNNABLE, V1S_RUNNING, V1S_SYSCALL, V1S_WAITING, V1S_ENDED, V1S_UNKNOWN };

/*
 * What decoding has to know of an event type, made once from the tables of events_v1.def. Choices are masks
 * (0 or all ones), because a branch on the event's type would mostly be mispredicted.
 *
 * The rule: an event is ready if ((g.key ^ want) & mask) == 0; then g.key += delta. If it has to come
 * although it isn't ready, g.key becomes (g.key & keep) + add. want and add include the event's own number
 * where `numbered` is all ones.
 */
struct v1_kind {
    uint8_t timed, k; /* timed: as in struct v1_shape; k: values after the time, but for the stack */
    bool stack, own;  /* own: it has a value that names no goroutine */
    uint8_t form;     /* how it is decoded: enum form of v1_decode.c */
    struct v1_tag {
        uint8_t type;
        int8_t mask, delta;
        uint8_t means; /* enum v1_means */
    } tag, bare;       /* bare: the tag without a rule */
    uint32_t name;     /* mask: the first value names a goroutine */
    /* masks: it is about the goroutine that the P runs; about the named goroutine */
    uint32_t g_run, g_arg;
    uint32_t run_run, run_arg; /* masks: the P keeps its goroutine; runs the named one after it */
    uint32_t rule_g, rule_arg,
        rule_gc; /* masks: whose state orders it: the one it is about, the named one, the GC's row */
    uint64_t want, numbered, keep, add;
};

/* The meaning of an event: a row of events_v1.def names it, a function of v1_emit.c carries it out. */
enum v1_means {
    V1_MEANS_NOTHING,
#define V1_MEANING(id, lives, f) V1_MEANS_##id,
#include "decode/v1/events_v1.def"
    V1_MEANINGS
};

/* The state that an event leaves its goroutine in, by name and by type: V1_LEAVES of events_v1.def; V1S_NONE:
 * the same as before. */
enum {
#define V1_LEAVES(id, state, ...) V1_LEAVES_##id = V1S_##state,
#include "decode/v1/events_v1.def"
};
extern const struct v1_left {
    uint8_t becomes, state; /* V1S_*, enum state */
    uint16_t flags;
    const char *reason; /* NULL: the goroutine doesn't stop */
} V1_LEFT[V1_TYPES];

struct v1_ev {
    uint64_t ticks;
    union {
        uint64_t want; /* what rule_g's key must be, under the mask */
        uint64_t seq;  /* global sequence number (1.5) */
    };
    uint64_t own; /* the first value that names no goroutine: sequence number, start function, thread, bytes
                     ..; of a gap: when it ends, UINT64_MAX = never */
    const uint8_t *at; /* address of its bytes; NULL: it isn't in the file */
    /* row of the goroutine that it happened on, row of the goroutine that it names; 0 = none */
    uint32_t g, arg_g;
    uint32_t rule_g;   /* row of the goroutine whose state orders it; 0 = none */
    uint32_t stack;    /* its stack id; V1_FAR_STACK: too large, call v1_ev_stack() */
    uint32_t p;        /* index of the processor */
    struct v1_tag tag; /* type V1_NONE: a gap, in which events of this P are missing */
    bool moved;        /* the end of a system call at its real time, before the place where it was written */
};
#define V1_FAR_STACK UINT32_MAX

struct v1_cursor {
    struct v1_ev *ring;
    uint32_t head, fill; /* slots [head, fill) are decoded; free-running */
    const uint8_t *p, *end;
    uint64_t ticks, seq;
    uint64_t until;    /* upper bound of the times in this batch, ticks */
    uint32_t batch, g; /* the next batch; row of the goroutine that the P runs after the last decoded event */
    uint32_t next_wait; /* if waiting: the next cursor in its list, index + 1 */
    bool waiting;       /* it waits for a goroutine's state, in a list (v1_g.waiters) and not in a heap */
    bool forced;        /* its next event has to come though it isn't ready */
    bool gap;           /* events are missing after this batch */
    bool ended;         /* there are no more events to decode */
};

struct v1_decoder {
    struct source *s;
    const struct v1_index *ix;
    struct v1_cursor *cur; /* by processor */
    struct v1_ev *ring;    /* `mask` + 1 slots per cursor */
    uint32_t mask;
    uint32_t ahead; /* maximum number of events decoded at a time: 1 .. mask */
    bool by_seq;    /* ordered by global sequence numbers (1.5) */
    uint64_t skew;  /* maximum difference of the processors' clocks, ticks */
    bool oom;
    const uint8_t *safe; /* an event that begins before this needs no checks for the file's end */
    struct v1_g *g;
    size_t ng, gcap;
    struct idmap gid; /* id -> row; without those that were given back */
    uint32_t spare;   /* first free row, linked by `lane`; 0 = none */
    uint64_t bytes;   /* of batches started, to show progress */
    /* By type, a bit: where it follows a system call on its P, only a look further ahead tells whether that
     * blocks. */
    uint64_t ask;
    struct v1_kind kind[V1_TYPES];
    uint8_t form[256]; /* by first byte: enum form of v1_decode.c of an event that says no length; 0: the
                          others */
};

/* v1_decoder_init - s and ix, whose index is done, must outlive it. ERR_NOMEM: v1_decoder_free() it all the
 * same. */
enum err_code v1_decoder_init(struct v1_decoder *d, struct source *s, const struct v1_index *ix);
void v1_decoder_free(struct v1_decoder *d);
/* v1_fill - decode more events into the cursor's ring, which holds one at most. Returns false if the ring is
 * empty and the chain has ended. */
bool v1_fill(struct v1_decoder *d, struct v1_cursor *c);
/* v1_find_g - the row of a goroutine, which is created at its first mention; 0: id is 0, or out of memory
 * (d->oom). */
uint32_t v1_find_g(struct v1_decoder *d, uint64_t id);
/* v1_give_back - free the row of an ended goroutine, to which nothing may refer any more. */
void v1_give_back(struct v1_decoder *d, uint32_t g);
/* v1_ev_values - read all of the event's values after the time; the stack is the last one. Returns false if
 * it isn't in the file. */
bool v1_ev_values(const struct v1_decoder *d, const struct v1_ev *e, struct v1_raw *r);
/* v1_ev_stack - the id of the event's stack; 0: none. */
uint64_t v1_ev_stack(const struct v1_decoder *d, const struct v1_ev *e);

/* v1_ev_real_ticks - if e is the recorded end of a system call: when the call really ended. 0: at e's own
 * time, or e is another event. */
uint64_t v1_ev_real_ticks(const struct v1_decoder *d, const struct v1_ev *e);
/* v1_blocks - whether the system call right before the cursor's next event blocks. Looks as far ahead as
 * needed. */
bool v1_blocks(const struct v1_decoder *d, const struct v1_cursor *c);

/* v1_off_p - whether the goroutine is in a system call without a P. */
static inline bool v1_off_p(const struct v1_g *s)
{
    return s->state == V1S_SYSCALL && s->p == UINT32_MAX;
}

/* v1_ring - slot i of a cursor. */
static inline struct v1_ev *v1_ring(const struct v1_decoder *d, const struct v1_cursor *c, uint32_t i)
{
    return &c->ring[i & d->mask];
}

/* v1_ready - whether the goroutine that orders an event is in the state that the event needs. */
static inline bool v1_ready(const struct v1_decoder *d, const struct v1_ev *e)
{
    return !((d->g[e->rule_g].key ^ e->want) & (uint64_t)(int64_t)e->tag.mask);
}

#endif
