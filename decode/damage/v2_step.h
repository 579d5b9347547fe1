/*
 * v2_step.h - events as steps: the numbered events of a goroutine, of a P or of the collector, and those that
 * tell its status (column `after` of events_v2.def).
 *
 * If events of a generation may be missing, all steps that it has are noted beforehand (v2_lossy.has). So it
 * is known whether what an event waits for will come.
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
    V2_STEP_G_BUSY, /* a status says that it runs, or is in a call, on the thread of this number; never of an
                       event */
    V2_STEP_P_BUSY,
    V2_STEP_G_STILL /* its status is told by no thread: it has done nothing in this generation */
};
struct v2_step {
    enum v2_step_of of;
    int8_t seq; /* index of the argument that is the number, -1: it has none */
    uint64_t id;
};
/* v2_step - which step an event is. *p: the P of its thread, or V2_NO_P; it
 * becomes what that has afterwards. */
struct v2_step v2_step(uint8_t type, const uint64_t *arg, uint64_t *p);
/*
 * v2_step_last - the number of the last step that a goroutine (V2_STEP_G) or a P (V2_STEP_P) has taken in
 * generation `gen`; 0: none since its status. false: that generation has not told of it so far.
 */
bool v2_step_last(const struct v2_order *o, uint32_t gen, enum v2_step_of of, uint64_t id, uint64_t *seq);

/* v2_steps_put - note a step; v2_steps_event - that of an event; false: out of memory. v2_steps_drop - forget
   an event's. v2_steps_free - forget all. */
bool v2_steps_put(struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
bool v2_steps_event(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_drop(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_free(struct v2_order *o);
/* v2_steps_has - was that step noted? Of a status (.._TOLD, .._STILL) any of
 * this id; seq is not looked at. */
bool v2_steps_has(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
/* v2_steps_lost - is that step missing? It is not there, and there are later ones, or the last events of
 * threads may be missing. */
bool v2_steps_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);

/* v2_steps_still - a goroutine has done nothing in this generation, as the runtime says behind all events. */
bool v2_steps_still(const struct v2_order *o, uint64_t g);
/* v2_step_none - the cursor's event, which can't come just now, is none of the goroutine that it names: its
 * number or the id was changed. */
bool v2_step_none(const struct v2_order *o, const struct v2_cursor *c);

/* v2_lack_of - what becomes of what the cursor's event waits for: it will come, it was lost; V2_STALE: it has
 * been already. */
enum v2_lack { V2_TO_COME, V2_GONE, V2_STALE };
enum v2_lack v2_lack_of(const struct v2_order *o, const struct v2_cursor *c);

/*
 * v2_step_renumber - correct the sequence number of the cursor's event if it can't be right and the right one
 * is known. *was becomes the number in the file. false: nothing was changed.
 */
bool v2_step_renumber(struct v2_order *o, struct v2_cursor *c, uint64_t *was);

/*
 * v2_holder - the thread that has a goroutine; EV_NONE: none has. To be asked only of an order for which
 * v2_held_begin() was called, as it is for each generation that may lack events (v2_order.lossy). v2_has_more
 * - the thread has events that are still to come.
 */
void v2_held_begin(struct v2_order *o);
uint32_t v2_holder(const struct v2_order *o, uint32_t g);
bool v2_has_more(const struct v2_order *o, uint32_t m);

/* v2_m_id - a thread's id. */
static inline uint64_t v2_m_id(const struct v2_order *o, uint32_t m)
{
    return m == EV_NONE ? V2_NO_THREAD : o->m[m].id;
}

/* v2_p_of - the id of the P that a thread has; V2_NO_P: it has none. */
static inline uint64_t v2_p_of(const struct v2_order *o, uint32_t m)
{
    return m < o->nm && o->m[m].p != EV_NONE ? o->p[o->m[m].p].id : V2_NO_P;
}

#endif
