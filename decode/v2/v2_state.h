/*
 * v2_state.h - shared by v2_order.c (cursors, and which is next), v2_adv.c (what each event needs and
 * does), and the sink that carries out events itself (decode/model/fast_path.c).
 */
#ifndef GOTOP_DECODE_V2_STATE_H
#define GOTOP_DECODE_V2_STATE_H

#include "decode/v2/v2_events.h"
#include "decode/v2/v2_order.h"

enum {
    V2_PS_RUNNING = 1,
    V2_PS_IDLE = 2,
    V2_PS_SYSCALL = 3,
    V2_PS_ABANDONED = 4,
    V2_PS_LOST = 5 /* not a status of the file */
};

/* Convert a goroutine's status in the file (1 to 4) to a state, and back. */
static inline uint8_t v2_state_of(uint64_t status)
{
    static const uint8_t of[5] = {ST_NONE, ST_RUNNABLE, ST_RUNNING, ST_SYSCALL, ST_WAITING};
    return status < 5 ? of[status] : ST_NONE;
}

static inline uint8_t v2_status_of(uint8_t state)
{
    return state == ST_RUNNABLE  ? 1
           : state == ST_RUNNING ? 2
           : state == ST_SYSCALL ? 3
           : state == ST_WAITING ? 4
                                 : 0;
}

struct v2_ctx { /* the event's thread, and its P and goroutine before the event */
    uint32_t m, p, g;
};

/* v2_cursor_load - Decode the cursor's next event, at `at`. before: the time of the event before it.
 * Returns false if there is none. */
bool v2_cursor_load(struct v2_order *o, struct v2_cursor *c, const uint8_t *at, int64_t before);
/* v2_adv - Carry out the cursor's event if it can come. It adds at most 8 neutral events to o->out. */
enum adv v2_adv(struct v2_order *o, const struct v2_cursor *c);
/* v2_emit - Add a neutral event at the cursor's time to o->out. */
struct ev *v2_emit(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, enum ev_kind kind,
                   uint8_t state);
/* v2_m_get - Returns the index of a thread, which is added if it is new. EV_NONE: no thread, or out of
 * memory (o->oom). */
uint32_t v2_m_get(struct v2_order *o, uint64_t id);
/* v2_stirs - Note that something about goroutine, P or thread number i is known from now on, or that it is
 * new (v2_blank.c). */
static inline void v2_stirs(struct v2_blank *b, uint32_t i)
{
    if (i / V2_GS < b->n)
        b->is[i / V2_GS] = 0;
}
/* v2_m_has - Set the goroutine of a thread, EV_NONE: none. v2_holder - Returns the thread that has a
 * goroutine, or EV_NONE. */
static inline void v2_m_has(struct v2_order *o, uint32_t m, uint32_t g)
{
    o->m[m].g = g;
    if (g == EV_NONE)
        return;
    v2_g_at(o, g)->m = m;
    v2_stirs(&o->blank_m, m);
}
static inline uint32_t v2_holder(const struct v2_order *o, uint32_t g)
{
    const uint32_t m = v2_g_at(o, g)->m;
    return m < o->nm && o->m[m].g == g ? m : EV_NONE;
}
/* v2_p_free - Detach a P from its thread. */
static inline void v2_p_free(struct v2_order *o, uint32_t p)
{
    const uint32_t m = o->p[p].m;
    if (m != EV_NONE && o->m[m].p == p)
        o->m[m].p = EV_NONE;
    o->p[p].m = EV_NONE;
}
/* v2_g_new - Add a goroutine; returns EV_NONE if out of memory (o->oom). v2_p_new - The same for a P.
 * v2_g_forget - Remove a goroutine that has ended. */
uint32_t v2_g_new(struct v2_order *o, uint64_t id, uint8_t status);
uint32_t v2_p_new(struct v2_order *o, uint64_t id, uint8_t status);
void v2_g_forget(struct v2_order *o, uint32_t g);
/* v2_quiet - Add an event that is not in the file to o->out, at the last event's time. */
struct ev *v2_quiet(struct v2_order *o, enum ev_kind kind);
/* v2_room - mem_room() that notes its failure in o->oom. */
#define v2_room(o, array, cap, need) mem_noted(&(o)->oom, mem_room(array, cap, need))

/* v2_until - Returns a time that is later than all events of the batch at index k of o->list. last: it is
 * the last batch of its thread. */
static inline int64_t v2_until(const struct v2_order *o, uint32_t k, bool last)
{
    if (last)
        return o->latest;
    const struct v2_batch *b = o->list[k], *behind = o->list[k + 1];
    const int64_t t = v2_ns(behind->time, o->unit) + o->skew;
    return b->time < behind->time && t < o->latest ? t : o->latest;
}

/* v2_no_time - Whether no event can be at t, `step` later than the one before it in its batch. until:
 * v2_until() of the batch. */
static inline bool v2_no_time(const struct v2_order *o, int64_t t, int64_t step, int64_t until)
{
    return t >= SOURCE_TIME_MAX || (t >= until && step > o->step);
}

/* Returns an absolute time in seconds since the trace's first event, for messages; never negative, never
 * later than the last event. */
static inline double v2_seconds(const struct v2_order *o, int64_t t)
{
    t = t < o->last ? t : o->last;
    return t > o->base ? (double)(t - o->base) * 1e-9 : 0;
}

/* Returns the P that the event's thread must lose before the event can come, or EV_NONE. */
static inline uint32_t v2_leaves_first(const struct v2_order *o, const struct v2_cursor *c)
{
    const uint8_t after = v2_specs[c->type].after;
    return c->m != EV_NONE && (after == V2_AFTER_P_IDLE || after == V2_AFTER_P_LEAVES) ? o->m[c->m].p
                                                                                       : EV_NONE;
}

/* Returns whether a sequence number follows the last one, in this generation. */
static inline bool v2_follows(const struct v2_order *o, uint32_t gen, uint64_t have, uint64_t want)
{
    return gen == o->gen->ordinal && want == have + 1;
}

/* A range that begins or ends, as v2_rules.h passes it to put_range(). a, b: of a sweep that ends, the
 * bytes swept and reclaimed. */
struct v2_range {
    enum ev_kind kind;
    enum range_kind what;
    uint64_t stack, a, b;
};

#endif
