/*
 * v2_step.h - events as steps: the numbered events of a goroutine, of a P or of the GC, and their statuses
 * (column `after` of events_v2.def).
 *
 * If events of a generation may be missing, all its steps are noted beforehand (v2_loss.has), to know
 * whether what an event waits for will come.
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
    V2_STEP_G_STILL /* its status is on no thread: it has done nothing in this generation; of no event */
};
struct v2_step {
    enum v2_step_of of;
    int8_t seq; /* index of the argument with the number, -1: it has none */
    uint64_t id;
};
/* v2_step - Returns which step an event is. *p: the P of its thread, or V2_NO_P; set to what the thread has
 * after the event. */
struct v2_step v2_step(uint8_t type, const uint64_t *arg, uint64_t *p);
/* v2_step_last - Find the number of the last step that a goroutine (V2_STEP_G) or a P (V2_STEP_P) has taken
 * in generation `gen`; 0: none since its status. Returns false if that generation has not named it so far. */
bool v2_step_last(const struct v2_order *o, uint32_t gen, enum v2_step_of of, uint64_t id, uint64_t *seq);

/* v2_steps_put - Note a step. v2_steps_event - Note that of an event. They return false if out of memory.
 * v2_steps_drop - Forget that of an event. v2_steps_free - Forget all. */
bool v2_steps_put(struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
bool v2_steps_event(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_drop(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p);
void v2_steps_free(struct v2_order *o);
/* v2_steps_has - Whether that step was noted. For a status (.._TOLD): any of this id; seq is ignored. */
bool v2_steps_has(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
/* v2_steps_lost - Whether that step is missing: it was not noted, and there are later ones, or the last
 * events of threads may be missing. */
bool v2_steps_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq);
/* v2_steps_whole - Whether all numbers from 1 to the greatest were noted, each once. */
bool v2_steps_whole(const struct v2_order *o);
/* v2_steps_still - Whether a goroutine has done nothing in this generation, by its status after all
 * events. */
bool v2_steps_still(const struct v2_order *o, uint64_t g);

/* v2_lack_of - Returns whether what the cursor's event waits for will come, was lost, or has happened
 * already (V2_STALE). */
enum v2_lack { V2_TO_COME, V2_GONE, V2_STALE };
enum v2_lack v2_lack_of(const struct v2_order *o, const struct v2_cursor *c);

/*
 * v2_holder - Returns the thread that has a goroutine, or EV_NONE. Needs v2_held_begin(), which is called
 * for each generation that may lack events (v2_order.lossy).
 *
 * v2_has_more - Whether the thread has further events.
 */
void v2_held_begin(struct v2_order *o);
uint32_t v2_holder(const struct v2_order *o, uint32_t g);
bool v2_has_more(const struct v2_order *o, uint32_t m);

/* v2_m_id - Returns the id of a thread. */
static inline uint64_t v2_m_id(const struct v2_order *o, uint32_t m)
{
    return m == EV_NONE ? V2_NO_THREAD : o->m[m].id;
}

/* v2_p_of - Returns the id of the P that a thread has, or V2_NO_P. */
static inline uint64_t v2_p_of(const struct v2_order *o, uint32_t m)
{
    return m < o->nm && o->m[m].p != EV_NONE ? o->p[o->m[m].p].id : V2_NO_P;
}

#endif
