/*
 * v1_emit.h - from the first family's ordered events to neutral ones.
 *
 * Keeps what the file leaves to be inferred: which goroutine a P runs, the listing of goroutines at the start,
 * whether a system call blocked, whom a stop of the world belongs to; and turns ticks into nanoseconds.
 */
#ifndef GOTOP_DECODE_V1_EMIT_H
#define GOTOP_DECODE_V1_EMIT_H

#include "decode/events/ev.h"
#include "decode/v1/v1_names.h"
#include "decode/v1/v1_order.h"

#define V1_EMIT_ROOM 32 /* what one event turns into takes, at most: halves of events */
#define V1_GAPS 16

struct v1_emit {
    struct source *s;
    struct v1_index *ix;
    struct v1_order *o;
    struct v1_names *vn;
    struct v1_p {
        uint32_t lane, m, g; /* lane, m: EV_NONE; g: index in o->g */
        bool begun;
        int64_t gap_from, gap_to; /* its last gap, ns; to: 0 = none */
    } * p;
    struct v1_gap { /* times of which a P's events are missing, ns (v1_torn.c) */
        int64_t from, to;
    } gap[V1_GAPS];
    unsigned ngap;
    uint32_t rest; /* rows before this one have been looked at */
    struct idmap threads;
    uint32_t *start; /* start functions of the goroutines in the listing, by row */
    size_t nstart;
    uint32_t *ended; /* rows of ended goroutines that are not given back yet */
    size_t nended, ended_cap, sweep_at;
    uint32_t nlane_g, nlane_p, nlane_m;
    uint32_t reason[V1_TYPES], stw[32];
    uint32_t stw_lane; /* goroutine that stopped the world */
    bool clock;        /* else times are ticks */
    double ns_per_tick;
    bool based, backwards, beyond;
    uint64_t base, far;     /* far: for up to so many ticks time is a product and nothing else */
    int64_t max, now, last; /* greatest ticks; the event's time; the last one given out */
    bool gc;                /* a collection is open */
    bool listing;           /* the goroutines alive at the start are being listed */
    uint32_t flush;         /* listed goroutines before this one are done, 0 = nothing to flush */
    uint64_t contradictions;
    struct ev_half *out;
    size_t n;
};

enum err_code v1_emit_init(struct v1_emit *em, struct source *s, struct v1_index *ix, struct v1_order *o,
                           struct v1_names *vn);
void v1_emit_free(struct v1_emit *em);
/* v1_emit_event - at most V1_EMIT_ROOM are written to em->out at em->n. */
void v1_emit_event(struct v1_emit *em, const struct v1_ev *e);
/*
 * v1_emit_listed - if the listing ends with e: the goroutines of which it says nothing more are runnable. Writes as
 * long as em->n < cap - V1_EMIT_ROOM; true when there are no more and e is to be given to v1_emit_event().
 */
bool v1_emit_listed(struct v1_emit *em, const struct v1_ev *e, size_t cap);

/* v1_emit_put - a neutral event at the time of the one in work. */
struct ev *v1_emit_put(struct v1_emit *em, enum ev_kind kind, uint16_t flags);
/* What a goroutine goes into: v1_rules.h. */
struct v1_into {
    uint8_t state;
    uint16_t flags;
    uint32_t stack, by; /* by: the reason; EVF_WOKEN: who woke it */
};

/* v1_emit_note_end - the goroutine of this row has ended. */
void v1_emit_note_end(struct v1_emit *em, uint32_t g);
/* v1_emit_sweep - give back the rows of ended goroutines, if there are many. Between events only. */
void v1_emit_sweep(struct v1_emit *em);

/*
 * ---- v1_torn.c: what is not known because events are missing or contradict each other
 *
 * A P's chain of batches with a gap says nothing of the P and of what it ran until it goes on. All others may have been changed by
 * the lost events: what is told next of a goroutine says whether they were (sequence numbers, states). If so, what it did
 * since it was last told of is not recorded (EVK_LOST); of whom nothing is told any more, since the gap. Nothing is invented.
 */
/* v1_torn_g, _p - events of the goroutine (a row) or P (an index) are missing before this one: unknown since last told of. */
void v1_torn_g(struct v1_emit *em, uint32_t g);
void v1_torn_p(struct v1_emit *em, uint32_t p);
/* v1_torn_gap - a P's events are missing from em->now to the time of these ticks (UINT64_MAX: to the end). */
void v1_torn_gap(struct v1_emit *em, uint32_t p, uint64_t until);
/* v1_torn_local - an event that follows, unnumbered, the goroutine's last one on this P, of which some are missing. */
void v1_torn_local(struct v1_emit *em, uint32_t p, uint32_t g);
/* v1_torn_end - nothing is told from here on, though the trace goes on: who is in a system call may have left it already. */
void v1_torn_end(struct v1_emit *em);
/* v1_torn_rest - all events are told: those of whom nothing was told since a gap. Writes as v1_emit_listed() does; false: more. */
bool v1_torn_rest(struct v1_emit *em, size_t cap);

/*
 * ---- v1_play.c: common events, from the ring to the neutral event in one loop
 *
 * v1_order.c and v1_emit.c know every case; most events are none: a goroutine starts, stops, is woken or makes a
 * system call, is in the state this needs, and its event is the earliest. This loop does those alone, by the rules of v1_rules.h,
 * and leaves the rest to them. Whether it is called or not, the same events come out.
 */
/*
 * v1_play - write neutral events to em->out as long as they are of that kind and leave room for V1_EMIT_ROOM before
 * `cap`. The listing has to be over, and the order to be one of 1.7 or later.
 */
void v1_play(struct v1_emit *em, size_t cap);

#endif
