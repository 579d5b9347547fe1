/*
 * v1_emit.h - turn the first family's ordered events into neutral ones.
 *
 * Works out what the file doesn't say: which goroutine a P runs, which goroutines there were at the start,
 * whether a system call blocked, which goroutine stopped the world; and turns ticks into nanoseconds.
 */
#ifndef GOTOP_DECODE_V1_EMIT_H
#define GOTOP_DECODE_V1_EMIT_H

#include "decode/events/ev.h"
#include "decode/v1/v1_names.h"
#include "decode/v1/v1_order.h"

#define V1_EMIT_ROOM 32 /* maximum size of what one event becomes, in halves of neutral events */
#define V1_GAPS 15      /* each may become an event of a goroutine, and one more: V1_EMIT_ROOM */

enum v1_sure { V1_NO, V1_YES, V1_UNSURE /* events of it may be missing */ };

struct v1_emit {
    struct source *s;
    struct v1_index *ix;
    struct v1_order *o;
    struct v1_names *vn;
    struct v1_p {
        uint32_t lane, m, g;      /* its lane, its thread (EV_NONE), row of the goroutine that it runs (0) */
        bool started;             /* its lane has an event */
        uint8_t runs, sweeps;     /* enum v1_sure: it was started, it sweeps */
        int64_t gap_from, gap_to; /* its last gap, ns; gap_to 0: none */
    } * p;
    struct v1_gap { /* times in which events of some P are missing, ns (v1_lossy.c) */
        int64_t from, to;
    } gap[V1_GAPS];
    unsigned ngap;
    uint32_t rest, rest_m; /* v1_lossy_rest(): rows, threads before these are done */
    int64_t *off;          /* by thread: the time since which it has no P, ns; INT64_MAX: it has one */
    size_t noff;
    struct idmap threads, tasks; /* tasks: the open ones */
    uint32_t *start;             /* start functions of the goroutines in the listing, by row */
    size_t nstart;
    uint32_t *ended; /* rows of ended goroutines that are not freed yet */
    size_t nended, ended_cap, sweep_at;
    uint32_t nlane_g, nlane_p, nlane_m;
    uint32_t reason[V1_TYPES], stw[32];
    uint32_t stw_lane; /* goroutine that stopped the world */
    bool clock;        /* the tick rate is known; else times are ticks */
    double ns_per_tick;
    bool based, backwards,
        beyond; /* base is known; it was noted that times run backwards, go beyond what a clock can have */
    uint64_t base, far; /* ticks of the first event; up to so many ticks behind it no time needs a check */
    int64_t max, now,
        last;     /* the greatest ticks so far; time of the current event, and of the last neutral one, ns */
    bool gc;      /* a GC is open */
    bool listing; /* the file still lists the goroutines that existed at the start */
    uint32_t flush; /* the listing ends: rows before this one are written; 0 = it doesn't end now */
    uint64_t contradictions;
    int64_t loss_to; /* events may be missing before this time, and no gap says where; 0: none are */
    struct ev_half *out;
    size_t n;
};

/* v1_emit_init - all arguments must outlive it. ERR_NOMEM: call v1_emit_free() all the same. */
enum err_code v1_emit_init(struct v1_emit *em, struct source *s, struct v1_index *ix, struct v1_order *o,
                           struct v1_names *vn);
void v1_emit_free(struct v1_emit *em);
/* v1_emit_stack - the interned id of the event's stack. */
uint32_t v1_emit_stack(struct v1_emit *em, const struct v1_ev *e);
/* v1_emit_event - write the neutral events of an event, at most V1_EMIT_ROOM, to em->out at em->n. */
void v1_emit_event(struct v1_emit *em, const struct v1_ev *e);
/*
 * v1_emit_listed - if e ends the listing: write that the goroutines of which it told nothing more are
 * runnable, as long as em->n < cap - V1_EMIT_ROOM. true: that is done, and e is to be given to
 * v1_emit_event().
 */
bool v1_emit_listed(struct v1_emit *em, const struct v1_ev *e, size_t cap);

/* v1_emit_put - add a neutral event at the time of the current event. */
struct ev *v1_emit_put(struct v1_emit *em, enum ev_kind kind, uint16_t flags);
/* What a goroutine goes into: v1_rules.h. */
struct v1_into {
    uint8_t state;
    uint16_t flags;
    uint32_t stack, by; /* by: the reason (a string); with EVF_WOKEN: the lane of who woke it */
};

/* v1_emit_note_end - the goroutine of this row has ended. */
void v1_emit_note_end(struct v1_emit *em, uint32_t g);
/* v1_emit_sweep - free the rows of ended goroutines, if there are many. Call it between events only. */
void v1_emit_sweep(struct v1_emit *em);

/*
 * ---- v1_fast.c: common events, decoded, merged and turned into neutral ones in one loop
 *
 * v1_order.c and v1_emit.c handle every case. Most events are simple: a goroutine starts, stops, is woken or
 * makes a system call, is in the state that this needs, and the event is the earliest. The loop carries out
 * only these, by the rules of v1_rules.h, and leaves all others to those two. The same neutral events come
 * out with or without it.
 */
/* v1_fast - write neutral events to em->out while the next events are simple, and room for V1_EMIT_ROOM is
 * left before `cap`. The listing must be over, and the dialect 1.7 or later. */
void v1_fast(struct v1_emit *em, size_t cap);

#endif
