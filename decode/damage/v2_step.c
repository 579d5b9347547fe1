/* v2_step.c - see v2_step.h. */
#include "decode/damage/v2_blank.h"
#include "decode/damage/v2_step.h"

#include "decode/base/hash.h"
#include "decode/damage/v2_batches.h"

struct v2_step v2_step(uint8_t type, const uint64_t *arg, uint64_t *p)
{
    const enum v2_after after = v2_specs[type].after;
    if (after == V2_AFTER_P_IDLE ||
        (after == V2_AFTER_P_NEW && (arg[1] == V2_PS_RUNNING || arg[1] == V2_PS_SYSCALL)))
        *p = arg[0];
    else if (v2_means(type) == V2_MEANS_proc_stop)
        *p = V2_NO_P;
    switch (after) {
    case V2_AFTER_G_RUNS:
    case V2_AFTER_G_WAKES: return (struct v2_step){V2_STEP_G, 1, arg[0]};
    case V2_AFTER_P_IDLE:
    case V2_AFTER_P_CALL: return (struct v2_step){V2_STEP_P, 1, arg[0]};
    case V2_AFTER_P_OWN: return (struct v2_step){*p == V2_NO_P ? V2_STEP_NONE : V2_STEP_P, 0, *p};
    case V2_AFTER_GC: return (struct v2_step){V2_STEP_GC, 0, 0};
    case V2_AFTER_G_NEW: return (struct v2_step){V2_STEP_G_TOLD, -1, arg[0]};
    case V2_AFTER_P_NEW: return (struct v2_step){V2_STEP_P_TOLD, -1, arg[0]};
    default: return (struct v2_step){V2_STEP_NONE, -1, 0};
    }
}

bool v2_step_last(const struct v2_order *o, uint32_t gen, enum v2_step_of of, uint64_t id, uint64_t *seq)
{
    const bool g = of == V2_STEP_G;
    const uint32_t i = idmap_get(g ? &o->gs : &o->ps, id);
    if (i == IDMAP_NONE)
        return false;
    *seq = g ? v2_g_at(o, i)->seq : o->p[i].seq;
    return gen == (g ? v2_g_at(o, i)->seqgen : o->p[i].seqgen);
}

/* ---- which steps exist --------------------------------------------------------------------------------- */

enum { STATUS_TWICE = 2 };

static uint64_t key(unsigned of, uint64_t id, uint64_t seq)
{
    return hash_last(hash_next(hash_next(hash_first(of), id), seq));
}

/* Returns the numbers of goroutines or of Ps, or NULL for others. */
static const struct v2_noted *noted(const struct v2_order *o, enum v2_step_of of)
{
    const bool g = of == V2_STEP_G || of == V2_STEP_G_TOLD || of == V2_STEP_G_STILL;
    return g ? &o->loss.has.g : of == V2_STEP_P || of == V2_STEP_P_TOLD ? &o->loss.has.p : NULL;
}

static bool put_status(struct v2_noted *a, enum v2_step_of of, uint64_t id)
{
    struct v2_numbers *v = v2_noted_new(a, id);
    if (v && of == V2_STEP_G_STILL)
        v->still = true;
    else if (v && v->statuses < STATUS_TWICE)
        v->statuses++;
    return v;
}

bool v2_steps_put(struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq)
{
    struct v2_steps *has = &o->loss.has;
    switch (of) {
    case V2_STEP_G: return v2_noted_put(&has->g, id, seq);
    case V2_STEP_P: return v2_noted_put(&has->p, id, seq);
    case V2_STEP_G_TOLD:
    case V2_STEP_G_STILL: return put_status(&has->g, of, id);
    case V2_STEP_P_TOLD: return put_status(&has->p, of, id);
    default: return idmap_put(&has->others, key(of, id, seq), 0);
    }
}

bool v2_steps_event(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p)
{
    const struct v2_step step = v2_step(type, arg, p);
    return step.of == V2_STEP_NONE || v2_steps_put(o, step.of, step.id, step.seq < 0 ? 0 : arg[step.seq]);
}

void v2_steps_drop(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p)
{
    struct v2_steps *has = &o->loss.has;
    const struct v2_step step = v2_step(type, arg, p);
    struct v2_noted *a = step.of == V2_STEP_G || step.of == V2_STEP_G_TOLD   ? &has->g
                         : step.of == V2_STEP_P || step.of == V2_STEP_P_TOLD ? &has->p
                                                                             : NULL;
    struct v2_numbers *v = a && step.seq < 0 ? v2_noted_of(a, step.id) : NULL;
    if (v)
        v->statuses = 0;
    else if (a && step.seq >= 0)
        v2_noted_del(a, step.id, arg[step.seq]);
    else if (!a && step.of != V2_STEP_NONE)
        idmap_del(&has->others, key(step.of, step.id, arg[step.seq]));
}

void v2_steps_free(struct v2_order *o)
{
    v2_noted_free(&o->loss.has.g);
    v2_noted_free(&o->loss.has.p);
    idmap_free(&o->loss.has.others);
}

bool v2_steps_has(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq)
{
    const struct v2_noted *a = noted(o, of);
    if (!a)
        return idmap_get(&o->loss.has.others, key(of, id, seq)) != IDMAP_NONE;
    if (of == V2_STEP_G || of == V2_STEP_P)
        return v2_noted_has(a, id, seq);
    const struct v2_numbers *v = v2_noted_of(a, id);
    return v && (of == V2_STEP_G_STILL ? v->still : v->statuses > 0);
}

bool v2_steps_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq)
{
    return !v2_steps_has(o, of, id, seq) && (!o->gen->has_stacks || v2_noted_beyond(noted(o, of), id, seq));
}

/* Exactly the next step is missing, and the event has a number that another event has too, or that has no
 * neighbour: so the event is that step, and its number was changed. Lost events look different: numbers are
 * missing in a row, and none is a duplicate. (A P's may be: note_batch() counts a call for the P that its
 * thread had before a hole.) */
bool v2_step_renumber(struct v2_order *o, struct v2_cursor *c, uint64_t *was)
{
    uint64_t have, p = v2_p_of(o, c->m);
    const struct v2_step n = v2_step(c->type, c->arg, &p);
    if ((n.of != V2_STEP_G && n.of != V2_STEP_P) || !v2_step_last(o, o->gen->ordinal, n.of, n.id, &have))
        return false;
    const uint64_t want = c->arg[n.seq], next = have + 1;
    const bool twice = n.of == V2_STEP_G && v2_noted_twice(&o->loss.has.g, n.id, want);
    const bool alone = !v2_steps_has(o, n.of, n.id, want - 1) && !v2_steps_has(o, n.of, n.id, want + 1);
    if (want == next || (want == next + 1 && !twice) || !(twice || alone) ||
        v2_steps_has(o, n.of, n.id, next) || !v2_steps_has(o, n.of, n.id, next + 1))
        return false;
    *was = want;
    c->arg[n.seq] = next;
    return true;
}

bool v2_steps_still(const struct v2_order *o, uint64_t g)
{
    const struct v2_numbers *v = v2_noted_of(&o->loss.has.g, g);
    return v && v->still && v->statuses < STATUS_TWICE;
}

bool v2_step_none(const struct v2_order *o, const struct v2_cursor *c)
{
    const enum v2_after after = v2_specs[c->type].after;
    if (after != V2_AFTER_G_RUNS && after != V2_AFTER_G_WAKES)
        return false;
    const uint64_t id = c->arg[0], want = c->arg[1];
    uint64_t have = 0;
    const bool alone = !v2_steps_has(o, V2_STEP_G, id, want - 1) && !v2_steps_has(o, V2_STEP_G, id, want + 1);
    if (!id || v2_steps_still(o, id))
        return true;
    if (idmap_get(&o->gs, id) == IDMAP_NONE)
        return o->gen->has_stacks && want > 1 && alone && !v2_steps_has(o, V2_STEP_G_TOLD, id, 0);
    if (!v2_step_last(o, o->gen->ordinal, V2_STEP_G, id, &have))
        have = 0;
    return want > have + 1 && alone && v2_steps_has(o, V2_STEP_G, id, have + 1);
}

/* ---- what an event waits for --------------------------------------------------------------------------- */

void v2_held_put(struct v2_order *o, uint32_t m, uint32_t g)
{
    o->held.on = mem_room_zeros(o->held.m, o->held.cap, (size_t)g + 1);
    o->oom |= !o->held.on;
    if (o->held.on)
        o->held.m[g] = m;
    v2_stirs(&o->blank_m, m);
}

void v2_held_begin(struct v2_order *o)
{
    if (o->held.on)
        return;
    o->held.on = true;
    for (size_t m = o->nm; o->held.on && m-- > 0;)
        if (o->m[m].g != EV_NONE)
            v2_held_put(o, (uint32_t)m, o->m[m].g);
}

uint32_t v2_holder(const struct v2_order *o, uint32_t g)
{
    const uint32_t m = g < o->held.cap ? o->held.m[g] : 0;
    return m < o->nm && o->m[m].g == g ? m : EV_NONE;
}

bool v2_has_more(const struct v2_order *o, uint32_t m)
{
    return m != EV_NONE && o->m[m].cur && !o->cur[o->m[m].cur - 1].over;
}

/* Returns the thread whose next event may be the next step of a goroutine, of a P (by its id); EV_NONE:
 * none. */
static uint32_t on_thread(const struct v2_order *o, enum v2_step_of of, uint64_t id)
{
    if (of == V2_STEP_P)
        return o->p[idmap_get(&o->ps, id)].m;
    const uint32_t g = idmap_get(&o->gs, id);
    const uint8_t status = v2_g_at(o, g)->status;
    return status == ST_RUNNING || status == ST_SYSCALL ? v2_holder(o, g) : EV_NONE;
}

/* For a numbered step of the goroutine or P that the event names: whether the step before it will come. */
static enum v2_lack lack_of_step(const struct v2_order *o, const struct v2_cursor *c, enum v2_step_of of)
{
    const uint64_t id = c->arg[0], want = c->arg[1];
    uint64_t have;
    bool comes;
    if (!v2_step_last(o, o->gen->ordinal, of, id, &have)) {
        comes = v2_steps_has(o, of == V2_STEP_G ? V2_STEP_G_TOLD : V2_STEP_P_TOLD, id, 0);
    } else if (want <= have) {
        return V2_STALE;
    } else if (want > have + 1) {
        comes = v2_steps_has(o, of, id, want - 1);
    } else { /* its state isn't the one that is needed, and an event without a number changes that */
        const uint32_t m = on_thread(o, of, id);
        comes = v2_has_more(o, m) && o->cur[o->m[m].cur - 1].t <= c->t + o->patience;
    }
    return comes ? V2_TO_COME : V2_GONE;
}

enum v2_lack v2_lack_of(const struct v2_order *o, const struct v2_cursor *c)
{
    const uint32_t p = v2_leaves_first(o, c);
    if (p != EV_NONE)
        return v2_steps_has(o, V2_STEP_P, o->p[p].id, o->p[p].seq + 1) ? V2_TO_COME : V2_GONE;
    switch (v2_specs[c->type].after) {
    case V2_AFTER_G_RUNS:
    case V2_AFTER_G_WAKES: return lack_of_step(o, c, V2_STEP_G);
    case V2_AFTER_P_IDLE:
    case V2_AFTER_P_CALL: return lack_of_step(o, c, V2_STEP_P);
    case V2_AFTER_GC:
        return c->arg[0] <= o->gc_seq                          ? V2_STALE
               : v2_steps_has(o, V2_STEP_GC, 0, c->arg[0] - 1) ? V2_TO_COME
                                                               : V2_GONE;
    default: return V2_GONE;
    }
}
