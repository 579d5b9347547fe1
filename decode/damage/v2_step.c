/* v2_step.c - see v2_damage.h. */
#include "decode/damage/v2_damage.h"

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
    case V2_AFTER_GC: return (struct v2_step){V2_STEP_GC, 0, V2_NO_P};
    case V2_AFTER_G_NEW: return (struct v2_step){V2_STEP_G_TOLD, -1, arg[0]};
    case V2_AFTER_P_NEW: return (struct v2_step){V2_STEP_P_TOLD, -1, arg[0]};
    default: return (struct v2_step){V2_STEP_NONE, -1, 0};
    }
}

/* Find the number of the last step that a goroutine (V2_STEP_G) or a P has taken in generation `gen`; 0: none
 * since its status. Returns false if that generation has not named it so far. */
static bool step_last(const struct v2_order *o, uint32_t gen, enum v2_step_of of, uint64_t id, uint64_t *seq)
{
    const bool g = of == V2_STEP_G;
    const uint32_t i = idmap_get(g ? &o->gs : &o->ps, id);
    if (i == IDMAP_NONE)
        return false;
    *seq = g ? v2_g_at(o, i)->seq : o->p[i].seq;
    return gen == (g ? v2_g_at(o, i)->seqgen : o->p[i].seqgen);
}

/* ---- which steps exist --------------------------------------------------------------------------------- */

/* Returns the notes on goroutines, or on Ps and the GC. */
static struct v2_notes *notes(struct v2_steps *has, enum v2_step_of of)
{
    return of == V2_STEP_G || of == V2_STEP_G_TOLD ? &has->g : &has->p;
}

/* Returns what is noted of an id, or NULL. */
static struct v2_noted *noted(const struct v2_order *o, enum v2_step_of of, uint64_t id)
{
    const struct v2_notes *a = notes((struct v2_steps *)&o->loss.has, of);
    const uint32_t i = idmap_get(&a->at, id);
    return i == IDMAP_NONE ? NULL : &a->v[i];
}

static bool put_number(struct v2_noted *v, uint64_t seq)
{
    enum { LEAST = 16, EACH = 4 }; /* so memory is proportional to how many there are, whatever they are */
    v->most = seq > v->most ? seq : v->most;
    v->n++;
    if (seq / 64 > LEAST + EACH * v->n)
        return true; /* no writer makes such a step, so nobody needs to wait for it */
    if (!mem_room_zeros(v->bits, v->nbits, seq / 64 + 1))
        return false;
    v->bits[seq / 64] |= UINT64_C(1) << seq % 64;
    return true;
}

static bool put_step(struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq)
{
    struct v2_notes *a = notes(&o->loss.has, of);
    struct v2_noted *v = noted(o, of, id);
    if (!v) {
        if (!idmap_row(&a->at, id, a->v, a->cap, a->n))
            return false;
        *(v = &a->v[a->n++]) = (struct v2_noted){0};
    }
    if (of != V2_STEP_G_TOLD && of != V2_STEP_P_TOLD)
        return put_number(v, seq);
    v->known = true;
    return true;
}

bool v2_steps_event(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p)
{
    const struct v2_step step = v2_step(type, arg, p);
    return step.of == V2_STEP_NONE || put_step(o, step.of, step.id, step.seq < 0 ? 0 : arg[step.seq]);
}

void v2_steps_drop(struct v2_order *o, uint8_t type, const uint64_t *arg, uint64_t *p)
{
    const struct v2_step step = v2_step(type, arg, p);
    const uint64_t seq = step.seq < 0 ? 0 : arg[step.seq];
    struct v2_noted *v = noted(o, step.of, step.id);
    if (v && step.seq < 0)
        v->known = false;
    else if (v && seq / 64 < v->nbits)
        v->bits[seq / 64] &= ~(UINT64_C(1) << seq % 64);
}

static void notes_free(struct v2_notes *a)
{
    for (size_t i = 0; i < a->n; i++)
        mem_free(a->v[i].bits);
    mem_free(a->v);
    idmap_free(&a->at);
}

void v2_steps_free(struct v2_order *o)
{
    struct v2_steps *has = &o->loss.has;
    notes_free(&has->g);
    notes_free(&has->p);
    *has = (struct v2_steps){0};
}

bool v2_steps_has(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq)
{
    const struct v2_noted *v = noted(o, of, id);
    if (of == V2_STEP_G_TOLD || of == V2_STEP_P_TOLD)
        return v && v->known;
    return v && seq / 64 < v->nbits && v->bits[seq / 64] >> seq % 64 & 1;
}

bool v2_steps_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint64_t seq)
{
    const struct v2_noted *v = noted(o, of, id);
    return !v2_steps_has(o, of, id, seq) && (!o->gen->has_stacks || (v && v->most > seq));
}

/* ---- what an event waits for --------------------------------------------------------------------------- */

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
    if (!step_last(o, o->gen->ordinal, of, id, &have)) {
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
    uint64_t own = V2_NO_P;
    const struct v2_step step = v2_step(c->type, c->arg, &own);
    if (step.of == V2_STEP_GC)
        return c->arg[0] <= o->gc_seq                                ? V2_STALE
               : v2_steps_has(o, V2_STEP_GC, V2_NO_P, c->arg[0] - 1) ? V2_TO_COME
                                                                     : V2_GONE;
    return step.seq == 1 ? lack_of_step(o, c, step.of) : V2_GONE;
}
