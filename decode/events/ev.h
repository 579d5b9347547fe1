/*
 * ev.h - the neutral event: what both format families produce and decode/model/fold.c consumes. (The second
 * family's commonest events never become one: the sink carries them out itself, decode/v2/v2_order.h.)
 *
 * A dialect's reader orders its file's events by the dialect's own rules, turns each into zero or more struct
 * ev in final order, and pushes them (decode/events/source.h). fold turns them into spans, ranges and series;
 * it knows no dialect. Times are final: nanoseconds since the first event, never decreasing. Goroutines, Ps
 * and Ms are dense indices given out by the reader, counting from 0 by first appearance; strings and stacks
 * are interned ids (decode/events/names.h).
 */
#ifndef GOTOP_DECODE_EV_H
#define GOTOP_DECODE_EV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

#define EV_NONE UINT32_MAX /* no goroutine / P / M */

/* From EVK_METRIC to EVK_G_LABEL they are in the order of enum ev_class. */
enum ev_kind {
    EVK_G_CREATE, /* g (new, arg = raw id) in state; by = creator or EV_NONE; stack = creator's; stack2 =
                     start fn */
    EVK_G_STATUS, /* g is in state (arg = raw id on first mention); stack = g's own or 0; p, m = where it is
                     bound; EVF_BACKDATE: since the trace began. For a known g: a repeat, nothing changes */
    /* g changes to state (ST_NONE: it ends); str = reason; by = its cause (the waker), stack: see below */
    EVK_G_STATE,
    /* p changes to ST_IDLE, ST_SCHED (= running, no goroutine yet) or ST_NONE; m = thread; arg = raw id on
     * first mention. EVF_BACKDATE: the state holds since the trace began */
    EVK_P_STATE,
    EVK_METRIC,      /* state = enum metric; arg = value */
    EVK_RANGE_BEGIN, /* state = enum range_kind; g or p = owner; str = STW kind; stack; arg = GC seq */
    /* as BEGIN, but when it began is not known; EVF_BACKDATE: it has been open since the trace began */
    EVK_RANGE_ACTIVE,
    EVK_RANGE_END,    /* state = enum range_kind; g or p = owner; arg, arg2 = swept, reclaimed */
    EVK_TASK_BEGIN,   /* arg = task, arg2 = parent (0 none), str = name, g, stack */
    EVK_TASK_END,     /* arg = task, g, stack */
    EVK_REGION_BEGIN, /* arg = task, str = name, g, stack */
    EVK_REGION_END,
    EVK_LOG,        /* arg = task, str = category, stack2 = message (a string id), g, stack */
    EVK_SAMPLE,     /* g, p, m, stack */
    EVK_G_LABEL,    /* str = label of g's running span (GC worker) */
    EVK_COUNT_ONLY, /* an experimental event, counted but not shown; state = enum ev_class */
    EVK_M_NEW,      /* m first seen: arg = raw thread id */
    EVK_LOST, /* what g or p did since arg, or since it was last reported if that's later, is not recorded: it
                 becomes ST_UNKNOWN, a P ST_NONE. Only m: the same of a thread without a P. None: of the open
                 GC. EVF_QUIET. Of a g or p only if it was last told of before arg2 (0: in any case); state 1:
                 and not if that has been so since the trace began */
    EVK_GAP,  /* nothing was recorded from arg to t: all states are unknown from arg on, and what EVF_BACKDATE
                 tells holds since t. state 1: all that still goes on has been told of again by now; what
                 hasn't has ended in the gap. EVF_QUIET */
    EVK_TICK, /* no change; the trace is known to last until t */
    EVK_KINDS
};

/*
 * EVK_G_STATE, meaning of the other fields by state:
 *   ST_RUNNING   p, m: where. by: EV_NONE
 *   ST_RUNNABLE  by == EV_NONE and EVF_WOKEN clear: it stopped by itself (str = reason, stack = its own), or
 *                left a system call without a P. EVF_WOKEN: it was unblocked; by = waker (EV_NONE: scheduler,
 *                timer, network poller), stack = the waker's stack
 *   ST_WAITING   str = reason, stack = its own
 *   ST_SYSCALL   stack = its own; p = P held, EV_NONE if none
 *   ST_NONE      it ended
 *
 * EVF_SURE: p and m are where it happened, whatever the state. What runs there is g, the waker or nothing, as
 * the state requires, and it runs nowhere else; so fold need not look at the lanes to check that. Nearly all
 * events are such, so they have only the first half (struct ev_half).
 */

enum {
    EVF_BACKDATE = 1, /* the state or range holds since the trace began, or since the last gap */
    EVF_WOKEN = 2,
    EVF_STOPPED = 4, /* G_STATE, ST_RUNNABLE: by GoStop (else: by the end of a blocking system call) */
    EVF_OWN_STACK =
        8,          /* the stack is g's own at this transition: an F record of `dump` (creation: stack2 is) */
    EVF_EXTRA = 16, /* a part of another event, not counted as one of its own */
    /* bookkeeping of the reader: not counted as an event, no record. METRIC: sets the value, makes no
     * point */
    EVF_QUIET = 32,
    EVF_CARRIED =
        64, /* G_STATUS, P_STATE, RANGE_ACTIVE: the state at the start of this segment; nothing changes now */
    EVF_SURE = 128 /* G_STATE of a stream: the reader vouches for it, see below */
};

struct ev {
    int64_t t;
    uint8_t kind;  /* enum ev_kind */
    uint8_t state; /* enum state / range_kind / metric */
    uint16_t flags;
    uint32_t g, p, m, by;
    uint32_t stack, stack2;
    uint32_t str;
    uint64_t arg, arg2;
    uint64_t spare;
};
_Static_assert(sizeof(struct ev) == 64, "struct ev is one cache line");

/* ev_at - an event that names no goroutine, P or M yet. */
static inline struct ev ev_at(int64_t t, enum ev_kind kind, uint16_t flags)
{
    return (struct ev){.t = t,
                       .kind = (uint8_t)kind,
                       .flags = flags,
                       .g = EV_NONE,
                       .p = EV_NONE,
                       .m = EV_NONE,
                       .by = EV_NONE};
}

/* A stream consists of halves of events: one half for an event with EVF_SURE, whose other fields are
 * unused, two for any other event. */
struct ev_half { /* begins as struct ev */
    int64_t t;
    uint8_t kind, state;
    uint16_t flags;
    uint32_t g, p, m;
    uint32_t by; /* EVF_SURE: the waker, or without one the reason (ev.str) */
    uint32_t stack;
};
_Static_assert(sizeof(struct ev_half) * 2 == sizeof(struct ev) &&
                   offsetof(struct ev_half, stack) == offsetof(struct ev, stack),
               "struct ev_half is the first half of struct ev");

/* ev_halves - the number of halves that the event takes in a stream: one with EVF_SURE, else two. */
static inline size_t ev_halves(const struct ev_half *e)
{
    return e->flags & EVF_SURE ? 1 : 2;
}

/* ev_whole - the event at e as a whole one, without EVF_SURE. `room` is used if the stream has only a
 * half. */
static inline const struct ev *ev_whole(const struct ev_half *e, struct ev *room)
{
    const bool on = e->state == ST_RUNNING || e->state == ST_SYSCALL, woken = e->flags & EVF_WOKEN;
    if (!(e->flags & EVF_SURE))
        return (const struct ev *)(const void *)e;
    *room = (struct ev){.t = e->t,
                        .kind = e->kind,
                        .state = e->state,
                        .flags = e->flags & (uint16_t)~EVF_SURE,
                        .g = e->g,
                        .p = on ? e->p : EV_NONE,
                        .m = on ? e->m : EV_NONE,
                        .by = woken ? e->by : EV_NONE,
                        .stack = e->stack,
                        .str = woken ? 0 : e->by};
    return room;
}

#endif
