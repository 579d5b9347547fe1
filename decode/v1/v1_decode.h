/*
 * v1_decode.h - the first family's batches, each processor's taken apart by itself, a few events ahead.
 *
 * A cursor goes along the chain of one processor's batches and decodes in place from the input into its ring, many
 * events at a time: the events of one processor repeat themselves, those of all in their order do not. It knows which
 * goroutine its processor runs, and so which one an event is about and whose state decides when it may come
 * (V1_LEAVES of events_v1.def). Goroutines are rows here, by first mention in a batch; everyone behind uses the rows.
 */
#ifndef GOTOP_DECODE_V1_DECODE_H
#define GOTOP_DECODE_V1_DECODE_H

#include "decode/v1/v1_goid.h"
#include "decode/v1/v1_index.h"

enum v1_status { V1_DEAD, V1_RUNNABLE, V1_RUNNING, V1_WAITING };

#define V1_GC_ROW 1

struct v1_g {     /* a goroutine; [0] is "none", [V1_GC_ROW] the row of collections */
    uint64_t key; /* as of the merge: sequence number * 4 + enum v1_status */
    uint64_t id;
    uint32_t waiters; /* cursors that wait for its state, index + 1 */
    /* as of the final order, which differs by the moved ends of system calls (v1_emit.c) */
    uint32_t p, lane;
    uint8_t state, flags; /* V1F_EXITED, and others of who uses the rows */
};
#define V1F_EXITED 1 /* its system call has ended; where that was written is still to come */
_Static_assert(sizeof(struct v1_g) == 32, "two rows are one cache line");

/* States of v1_g.state */
enum { V1S_NONE, V1S_LISTED, V1S_RUNNABLE, V1S_RUNNING, V1S_SYSCALL, V1S_WAITING, V1S_ENDED, V1S_UNKNOWN };

/*
 * What has to be known of a type, made once from the tables of events_v1.def. Choices are masks (0 or all ones): a
 * branch on the type of the event is mispredicted more often than not.
 *
 * Its rule: ready if ((g.key ^ want) & mask) == 0, and then g.key += delta. One that has to go though it isn't ready
 * sets g.key = (g.key & keep) + add. want and add take in the event's own number where `numbered` says so.
 */
struct v1_kind {
    uint8_t timed, k; /* k: values after the time, without the stack; timed as in struct v1_shape */
    bool stack, own;  /* own: it has a value that names no goroutine */
    uint8_t form;     /* how it is decoded */
    struct v1_tag {
        uint8_t type;
        int8_t mask, delta;
        uint8_t means;                  /* enum v1_means */
    } tag, bare;                        /* bare: without a rule */
    uint32_t name;                      /* the first value names a goroutine */
    uint32_t g_run, g_arg;              /* the event is about the one the P runs, about the named one */
    uint32_t run_run, run_arg;          /* the P goes on running its own, runs the named one; else none */
    uint32_t rule_g, rule_arg, rule_gc; /* whose state orders it: the one it is about, the named one, GC's */
    uint64_t want, numbered, keep, add;
};

/* What an event means: a row of events_v1.def names it, a function of v1_emit.c carries it out. */
enum v1_means {
    V1_MEANS_NOTHING,
#define V1_MEANING(id, f) V1_MEANS_##id,
#include "decode/v1/events_v1.def"
    V1_MEANINGS
};

/* What an event leaves its goroutine in, by name and by type: V1_LEAVES of events_v1.def; where it says nothing V1S_NONE. */
enum {
#define V1_LEAVES(id, state, ...) V1_LEAVES_##id = V1S_##state,
#include "decode/v1/events_v1.def"
};
extern const struct v1_left {
    uint8_t becomes, state; /* V1S_*, enum state */
    uint16_t flags;
    const char *reason; /* NULL: it doesn't stop */
} V1_LEFT[V1_TYPES];

struct v1_ev {
    uint64_t ticks;
    union {
        uint64_t want; /* what the key of rule_g must be, under the mask */
        uint64_t seq;  /* 1.5: global sequence number */
    };
    uint64_t own; /* the first value that names no goroutine: sequence number, start, thread, bytes..; of a gap, when
                          it ends: UINT64_MAX = never */
    const uint8_t *at; /* its bytes; NULL: made up */
    uint32_t g, arg_g; /* goroutine it happened on, it names; 0 = none */
    uint32_t rule_g;   /* the one whose state orders it; 0 = none */
    uint32_t stack;    /* V1_FAR_STACK: v1_ev_values() has it */
    uint32_t p;        /* index of the processor */
    struct v1_tag tag; /* type V1_NONE: events of this P are missing here */
    bool moved;        /* an end of a system call at its real time, ahead of where it was written */
};
#define V1_FAR_STACK UINT32_MAX

struct v1_cursor {
    struct v1_ev *ring;
    uint32_t head, fill; /* slots [head, fill) are decoded; free-running */
    const uint8_t *p, *end;
    uint64_t ticks, seq;
    uint64_t until; /* no event of this batch is behind this */
    uint32_t batch, g;
    uint32_t next_wait;
    bool waiting, forced, gap, ended; /* ended: nothing more to decode */
};

struct v1_decoder {
    struct source *s;
    const struct v1_index *ix;
    struct v1_cursor *cur; /* by processor */
    struct v1_ev *ring;    /* `mask` + 1 slots a cursor */
    uint32_t mask;
    uint32_t ahead; /* at most so many events are decoded at a time, 1 .. mask */
    bool by_seq;    /* 1.5 */
    uint64_t skew;  /* ticks that processors' clocks may differ by */
    bool oom;
    const uint8_t *safe; /* before this, an event can be decoded without looking for the end */
    struct v1_g *g;
    size_t ng, gcap;
    struct v1_goids gid;
    uint32_t spare; /* a row that was given back, linked by `lane`; 0 = none */
    uint64_t bytes; /* of batches begun, for progress */
    uint64_t ask; /* bits: types that don't say by themselves whether the system call before them on their P blocks */
    struct v1_kind kind[V1_TYPES];
    uint8_t form[256]; /* by first byte: the form of one without a length, else 0 */
};

enum err_code v1_decoder_init(struct v1_decoder *d, struct source *s, const struct v1_index *ix);
void v1_decoder_free(struct v1_decoder *d);
/* v1_fill - decode on into the cursor's ring, which holds at most one event. false: that was the end of its chain. */
bool v1_fill(struct v1_decoder *d, struct v1_cursor *c);
/* v1_find_g - the row of a goroutine, made if new; 0 = id 0, or out of memory (d->oom). */
uint32_t v1_find_g(struct v1_decoder *d, uint64_t id);
/* v1_give_back - a row of an ended goroutine that nothing refers to any more. */
void v1_give_back(struct v1_decoder *d, uint32_t g);
/* v1_ev_values - all the values after the time, the stack behind them; false: there are none. */
bool v1_ev_values(const struct v1_decoder *d, const struct v1_ev *e, struct v1_raw *r);
/* v1_ev_stack - the id of its stack. */
uint64_t v1_ev_stack(const struct v1_decoder *d, const struct v1_ev *e);

/* v1_ev_real_ticks - when the system call ended of which e is the written end; 0 = there, or e is none. */
uint64_t v1_ev_real_ticks(const struct v1_decoder *d, const struct v1_ev *e);
/* v1_blocks - does the system call that stands before the cursor's head block? By a look ahead. */
bool v1_blocks(const struct v1_decoder *d, const struct v1_cursor *c);

/* v1_off_p - is it in a system call, and has no P? */
static inline bool v1_off_p(const struct v1_g *s)
{
    return s->state == V1S_SYSCALL && s->p == UINT32_MAX;
}

/* v1_ring - slot i of a cursor. */
static inline struct v1_ev *v1_ring(const struct v1_decoder *d, const struct v1_cursor *c, uint32_t i)
{
    return &c->ring[i & d->mask];
}

/* v1_ready - is the goroutine that orders an event in the state for it? */
static inline bool v1_ready(const struct v1_decoder *d, const struct v1_ev *e)
{
    return !((d->g[e->rule_g].key ^ e->want) & (uint64_t)(int64_t)e->tag.mask);
}

#endif
