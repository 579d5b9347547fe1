/*
 * v2_lossy_gaps.c - see v2_damage.h: turns what a goroutine, a P or a thread did into a gap, and sets the
 * state that the next event needs.
 */
#include "decode/damage/v2_damage.h"

/* ---- gaps ---------------------------------------------------------------------------------------------- */

void v2_hole(struct v2_order *o, int64_t from, int64_t to)
{
    struct v2_loss *t = &o->loss;
    const size_t i = find_first(k, t->nhole, from <= t->hole[k].to && to >= t->hole[k].from);
    if (from >= to)
        return;
    if (i == t->nhole && i < V2_SPANS) {
        t->hole[t->nhole++] = (struct v2_span){from, to};
        return;
    }
    struct v2_span *h = &t->hole[i < V2_SPANS ? i : V2_SPANS - 1];
    h->from = from < h->from ? from : h->from;
    h->to = to > h->to ? to : h->to;
}

struct ev *v2_lost(struct v2_order *o, uint32_t g, uint32_t p, int64_t since)
{
    if (o->last < o->loss.least) /* then events were lost before that time */
        o->loss.least = o->last;
    if (g != EV_NONE) /* the end of its ranges may have been lost */
        v2_g_at(o, g)->stw = v2_g_at(o, g)->assist = false;
    if (p != EV_NONE)
        o->p[p].sweep = false;
    struct ev *e = v2_quiet(o, EVK_LOST);
    e->g = g;
    e->p = p;
    since = since > o->loss.least ? since : o->loss.least;
    e->arg = since > o->base ? (uint64_t)(since - o->base) : 0;
    return e;
}

void v2_lost_m(struct v2_order *o, uint32_t m, int64_t since)
{
    if (!o->m[m].reported)
        return;
    v2_lost(o, EV_NONE, EV_NONE, since)->m = m;
}

void v2_unsure(struct v2_order *o, int64_t since)
{
    o->loss_from = since < o->loss_from ? since : o->loss_from;
    o->loss.breaks++;
}

void v2_gap_from(struct v2_order *o, int64_t since)
{
    o->loss.gaps++;
    v2_unsure(o, since);
}

void v2_lose_g(struct v2_order *o, struct v2_m *m, int64_t since)
{
    v2_lost(o, m->g, EV_NONE, since);
    v2_g_at(o, m->g)->status = ST_UNKNOWN;
    m->g = EV_NONE;
}

void v2_lose_p(struct v2_order *o, struct v2_m *m, int64_t since)
{
    v2_lost(o, EV_NONE, m->p, since);
    o->p[m->p].status = V2_PS_LOST;
    o->p[m->p].m = EV_NONE;
    m->p = EV_NONE;
}

/* Returns up to when the state is known of what a thread has: its last event. */
static int64_t known_to(const struct v2_order *o, const struct v2_cursor *c, uint32_t m)
{
    const struct v2_cursor *k = m != EV_NONE && o->m[m].cur ? &o->cur[o->m[m].cur - 1] : NULL;
    const int64_t t = !k ? o->loss.before : k->over ? k->t : k->gap ? k->before_gap : k->before;
    return t < c->t ? t : c->t;
}

struct ev *v2_g_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t g, uint8_t next)
{
    struct v2_g *vg = v2_g_at(o, g);
    const bool busy = vg->status == ST_RUNNING || vg->status == ST_SYSCALL;
    const uint32_t m = busy ? v2_holder(o, g) : EV_NONE;
    const int64_t since = known_to(o, c, m);
    if (m != EV_NONE)
        o->m[m].g = EV_NONE;
    struct ev *const e = vg->status != ST_UNKNOWN ? v2_lost(o, g, EV_NONE, since) : NULL;
    if (e)
        v2_gap_from(o, since);
    vg->status = next;
    v2_stirs(&o->blank_g, g);
    return e;
}

void v2_p_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t p, uint8_t next)
{
    struct v2_p *vp = &o->p[p];
    if (vp->status != V2_PS_LOST) {
        const int64_t since = known_to(o, c, vp->m);
        v2_lost(o, EV_NONE, p, since);
        v2_gap_from(o, since);
    }
    v2_p_free(o, p);
    vp->status = next;
    v2_stirs(&o->blank_p, p);
}

/* ---- in place of the lost event ------------------------------------------------------------------------ */

/* set_g, set_p - Put a goroutine, a P into the state that an event needs: this status, and `seq` as the
 * next number. Returns false if out of memory. */
static bool set_g(struct v2_order *o, const struct v2_cursor *c, uint64_t id, uint64_t seq, uint8_t state)
{
    uint32_t g = idmap_get(&o->gs, id);
    o->loss.breaks += g == IDMAP_NONE || v2_g_at(o, g)->status != ST_UNKNOWN; /* else it was counted before */
    if (g == IDMAP_NONE) {
        if ((g = v2_g_new(o, id, state)) == EV_NONE)
            return false;
        struct v2_ctx x = {EV_NONE, EV_NONE, g};
        struct ev *e = v2_emit(o, c, &x, EVK_G_STATUS, ST_UNKNOWN);
        e->arg = id;
        e->flags |= EVF_EXTRA;
        o->loss.gaps++;
    } else if (v2_g_at(o, g)->status != state || !(v2_g_at(o, g)->seqgen != o->gen->ordinal && seq == 1)) {
        v2_g_gap(o, c, g, state); /* else only the status that starts each generation was lost of it */
    }
    v2_g_at(o, g)->seq = seq - 1;
    v2_g_at(o, g)->seqgen = o->gen->ordinal;
    return true;
}

static bool set_p(struct v2_order *o, const struct v2_cursor *c, uint64_t id, uint64_t seq, uint8_t status)
{
    uint32_t p = idmap_get(&o->ps, id);
    o->loss.breaks++;
    if (p == IDMAP_NONE)
        p = v2_p_new(o, id, status);
    else if (o->p[p].status != status || !(o->p[p].seqgen != o->gen->ordinal && seq == 1))
        v2_p_gap(o, c, p, status);
    if (p == EV_NONE)
        return false;
    o->p[p].seq = seq - 1;
    o->p[p].seqgen = o->gen->ordinal;
    return true;
}

static bool mend_gc(struct v2_order *o, const struct v2_cursor *c)
{
    const bool begins = v2_means(c->type) == V2_MEANS_gc_begin;
    if (!begins || o->gc == GC_ON) { /* the start or the end of a GC cycle was lost: that cycle isn't shown */
        if (o->gc == GC_ON)
            v2_lost(o, EV_NONE, EV_NONE, o->base);
        o->loss.gaps++;
        o->gc = begins || v2_means(c->type) == V2_MEANS_gc_active ? GC_ON : GC_OFF;
        o->gc_seq = c->arg[0];
        return false;
    }
    o->gc_seq = c->arg[0] - 1;
    return true;
}

/* A thread's P was taken from a call whose start was lost: the call that is known ended before. */
static void another_call(struct v2_order *o, const struct v2_cursor *c, uint32_t m)
{
    const uint32_t g = o->m[m].g;
    if (g == EV_NONE || v2_g_at(o, g)->status != ST_SYSCALL)
        return;
    v2_g_gap(o, c, g, ST_SYSCALL);
    v2_m_has(o, m, g);
}

bool v2_lossy_mend_wait(struct v2_order *o, const struct v2_cursor *c)
{
    const uint32_t p = c->m != EV_NONE ? o->m[c->m].p : EV_NONE;
    uint32_t m, q;
    switch (v2_specs[c->type].after) {
    case V2_AFTER_G_RUNS: return set_g(o, c, c->arg[0], c->arg[1], ST_RUNNABLE);
    case V2_AFTER_G_WAKES: return set_g(o, c, c->arg[0], c->arg[1], ST_WAITING);
    case V2_AFTER_P_IDLE:
        if (p != EV_NONE)
            v2_p_gap(o, c, p, V2_PS_LOST);
        return set_p(o, c, c->arg[0], c->arg[1], V2_PS_IDLE);
    case V2_AFTER_P_LEAVES:
        if (p != EV_NONE)
            v2_p_gap(o, c, p, V2_PS_LOST);
        return p != EV_NONE;
    case V2_AFTER_P_CALL:
        if (!set_p(o, c, c->arg[0], c->arg[1], V2_PS_SYSCALL) || (m = v2_m_get(o, c->arg[2])) == EV_NONE)
            return false;
        q = idmap_get(&o->ps, c->arg[0]);
        if (o->m[m].p == EV_NONE) {
            o->m[m].p = q;
            o->p[q].m = m;
            v2_stirs(&o->blank_m, m);
        }
        another_call(o, c, m);
        return o->m[m].p == q;
    case V2_AFTER_GC: return mend_gc(o, c);
    default: return false;
    }
}

static bool mend_status(struct v2_order *o, const struct v2_cursor *c)
{
    if (v2_means(c->type) == V2_MEANS_proc_status) {
        uint32_t p = idmap_get(&o->ps, c->arg[0]);
        if (p == IDMAP_NONE || c->arg[1] < V2_PS_RUNNING || c->arg[1] > V2_PS_SYSCALL)
            return false;
        v2_p_gap(o, c, p, (uint8_t)c->arg[1]);
        return true;
    }
    const uint8_t state = v2_state_of(c->arg[2]);
    if (state == ST_NONE || !set_g(o, c, c->arg[0], 2, state))
        return false;
    uint32_t m, g = idmap_get(&o->gs, c->arg[0]);
    if (state == ST_SYSCALL && (m = v2_m_get(o, c->arg[1])) != EV_NONE) {
        if (o->m[m].g != EV_NONE && o->m[m].g != g)
            v2_g_gap(o, c, o->m[m].g, ST_UNKNOWN);
        v2_m_has(o, m, g);
    }
    return true;
}

bool v2_lossy_mend_bad(struct v2_order *o, const struct v2_cursor *c)
{
    const uint32_t m = c->m, g = m != EV_NONE ? o->m[m].g : EV_NONE, p = m != EV_NONE ? o->m[m].p : EV_NONE;
    switch (v2_means(c->type)) {
    case V2_MEANS_proc_status:
    case V2_MEANS_go_status:
    case V2_MEANS_go_status_stack: return mend_status(o, c);
    case V2_MEANS_go_start:
        if (g == EV_NONE || p == EV_NONE)
            return false;
        v2_g_gap(o, c, g, ST_UNKNOWN);
        o->m[m].g = EV_NONE;
        return true;
    case V2_MEANS_syscall_begin:
        if (p == EV_NONE || g == EV_NONE)
            return false;
        o->p[p].seq = c->arg[0] - 1;
        o->p[p].seqgen = o->gen->ordinal; /* fallthrough */
    case V2_MEANS_go_stop:
    case V2_MEANS_go_block:
    case V2_MEANS_go_destroy:
    case V2_MEANS_go_switch:
    case V2_MEANS_go_switch_destroy:
        if (g == EV_NONE || p == EV_NONE)
            return false;
        if (v2_g_at(o, g)->status != ST_RUNNING)
            v2_g_gap(o, c, g, ST_RUNNING);
        v2_m_has(o, m, g);
        return true;
    default: return false;
    }
}
