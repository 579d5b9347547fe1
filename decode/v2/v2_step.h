/*
 * v2_step.h - an event as a step of what it comes after (events_v2.def's column `after`): of a goroutine, a P or the collector, the
 * next one by its number; or one that tells of a goroutine or P.
 *
 * Of a generation of which events may be missing it is noted which steps it has (v2_torn.has): so of what an event waits for it is
 * known whether it will come.
 */
#ifndef GOTOP_DECODE_V2_STEP_H
#define GOTOP_DECODE_V2_STEP_H

#include "decode/v2/v2_state.h"

#define V2_NO_P UINT64_MAX

enum v2_step_of {
    V2_STEP_NONE,
    V2_STEP_G,
    V2_STEP_P,
    V2_STEP_GC,
    V2_STEP_G_TOLD,
    V2_STEP_P_TOLD,
    V2_STEP_G_BUSY, /* it is told of as running, or in a call, on the thread with this id; of a note only */
    V2_STEP_P_BUSY
};
struct v2_step {
    enum v2_step_of of;
    int8_t seq; /* which argument is the number, -1: it has none */
    uint64_t id;
};
/* v2_step - *p: its thread's P, V2_NO_P; which it may change. */
struct v2_step v2_step(uint8_t type, const uint64_t *arg, uint64_t *p);

/* v2_steps_put, v2_steps_event - note a step, that which the event is; false: out of memory. v2_steps_drop - the event's isn't there. */
bool v2_steps_put(struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
bool v2_steps_event(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_drop(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
bool v2_steps_has(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
/* v2_steps_lost - the step with this number was: later ones are there, or nothing says that the file has all. */
bool v2_steps_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);

/* v2_lack_of - what the cursor's event waits for. V2_STALE: what it says has been already. */
enum v2_lack { V2_TO_COME, V2_GONE, V2_STALE };
enum v2_lack v2_lack_of(const struct v2_order *o, const struct v2_cursor *c);

/*
 * v2_holder - the thread that has a goroutine; EV_NONE: none has. To be asked only of an order for which v2_held_begin() was called, as
 * it is for each generation that may lack events (v2_order.loose). v2_has_more - the thread has events that are still to come.
 */
void v2_held_begin(struct v2_order *o);
uint32_t v2_holder(const struct v2_order *o, uint32_t g);
bool v2_has_more(const struct v2_order *o, uint32_t m);

/* v2_m_id - a thread's id. */
static inline uint64_t v2_m_id(const struct v2_order *o, uint32_t m)
{
    return m == EV_NONE ? V2_NO_THREAD : o->m[m].id;
}

/* v2_p_of - the P that a thread has, by its id. */
static inline uint64_t v2_p_of(const struct v2_order *o, uint32_t m)
{
    return m < o->nm && o->m[m].p != EV_NONE ? o->p[o->m[m].p].id : V2_NO_P;
}

/*
 * ---- v2_torn.c: ordering what is left of a generation of which events were lost: a program was killed, and what its threads had
 * not yet written is gone; or a file lost a part in its middle
 *
 * Which sequence numbers are in the file is known beforehand. An event whose predecessor is there waits for it, as always;
 * one whose predecessor is not goes on at its time, and what the goroutine or P did since it was last told of is a gap
 * (EVK_LOST: not recorded). A thread whose events end leaves what it ran unknown from there on; at the end so is all that
 * the lost events may have changed. Nothing is invented but the order.
 */
extern const struct v2_loose v2_torn;
/* v2_torn_say - the generation is over: what was missing is damage. */
void v2_torn_say(struct v2_order *o);

#endif
