/*
 * v2_torn.c - see v2_step.h.
 *
 * The sequence numbers of a goroutine and of a P tell whether anything is missing between two of their events. What a thread does it
 * writes itself, so its own events are complete up to the last one.
 */

#include <inttypes.h>

#include "decode/v2/v2_blank.h"
#include "decode/v2/v2_doubt.h"
#include "decode/v2/v2_holes.h"
#include "decode/v2/v2_raw.h"
#include "decode/v2/v2_step.h"

/* ---- what there is ---------------------------------------------------------------------------------------- */

struct noted { /* a batch whose steps are being noted */
    const uint8_t *p, *end;
    int64_t until; /* none of its events can be later */
    int64_t t;     /* time of the last event that was read */
    bool broken;   /* it can't be read further */
};

/* A status that says that a P or a goroutine is busy: on which thread. `m`: the thread that tells it. */
static bool note_busy(struct v2_order *o, const struct v2_raw_ev *e, uint64_t m)
{
    const enum v2_means is = v2_means(e->type);
    if (is == V2_MEANS_proc_status && e->arg[1] != V2_PS_IDLE)
        return v2_steps_put(o, V2_STEP_P_BUSY, e->arg[0], e->arg[1] == V2_PS_RUNNING ? m : V2_NO_THREAD);
    if (is != V2_MEANS_go_status && is != V2_MEANS_go_status_stack)
        return true;
    const uint8_t state = v2_state_of(e->arg[2]);
    if (m == V2_NO_THREAD && !v2_steps_put(o, V2_STEP_G_STILL, e->arg[0], 0))
        return false;
    return (state != ST_RUNNING && state != ST_SYSCALL) || v2_steps_put(o, V2_STEP_G_BUSY, e->arg[0], e->arg[1]);
}

static bool note_batch(struct v2_order *o, struct noted *b, uint64_t m, uint64_t *proc)
{
    while (b->p < b->end) {
        b->broken = true;
        struct v2_raw_ev e;
        if (!(b->p = v2_raw_ev(b->p, b->end, &e)))
            return true;
        const int64_t step = v2_delta(e.dt, o->unit, o->whole);
        if (b->t + step >= SOURCE_TIME_MAX || (b->t + step >= b->until && step > o->step))
            return true;
        b->t += step;
        b->broken = false;
        if (v2_specs[e.type].after == V2_AFTER_ANY && v2_means(e.type) != V2_MEANS_proc_stop)
            continue; /* nearly half of them */
        if (!v2_steps_event(o, e.type, e.arg, proc) || !note_busy(o, &e, m))
            return false;
    }
    return true;
}

/*
 * Mark where batches of a thread may be lost, between two (v2_batch.gap) or behind the last one (v2_cursor.cut). A thread begins
 * another batch only when one is nearly full.
 */
static void note_holes(const struct v2_order *o, struct v2_cursor *c)
{
    enum { FULL = 32768 };
    const struct v2_gen *gen = o->gen;
    const uint8_t *data = o->s->data;
    const struct v2_batch *was = NULL;
    bool known = false;
    for (uint32_t k = 0; v2_gen_lossy(gen) && k < c->nbatch; k++) {
        struct v2_batch *b = &gen->batch[o->list[c->batch + k]];
        const size_t to = (size_t)(b->p - data), from = was ? (size_t)(was->end - data) : gen->start;
        const bool hole = v2_gen_hole(gen, from < to ? from : to, from < to ? to : from, b->m, &known);
        b->gap = hole && (was || known);
        was = b;
    }
    if (was && v2_gen_hole(gen, (size_t)(was->end - data), gen->end, was->m, &known))
        c->cut = known || was->end - was->p >= FULL;
}

enum { CLOSE_NS = 100000 }; /* no batch is written in so little time */

/* The thread's batch k from where it has come, to be looked at. */
static struct noted note_of(const struct v2_order *o, const struct v2_cursor *c, uint32_t k, bool *rest)
{
    const struct v2_batch *b = &o->gen->batch[o->list[c->batch + k]];
    *rest = !k && c->at >= b->p && c->at < b->end;
    return (struct noted){.p = *rest ? c->at : b->p,
                          .end = b->end,
                          .until = v2_until(o, c->batch + k, k + 1 == c->nbatch),
                          .t = *rest ? c->before : v2_ns(b->time, o->unit)};
}

/* Note what a thread's batches have, and when events of it may be missing. *least: nothing was lost before this time. false: out of memory. */
static bool note_thread(struct v2_order *o, const struct v2_cursor *c, int64_t *least)
{
    uint64_t p = v2_p_of(o, c->m);
    int64_t t = v2_ns(o->gen->min_time, o->unit), lost = INT64_MAX; /* lost: since when, in the batch before */
    bool ok = true;
    for (uint32_t k = 0; ok && k < c->nbatch; k++) {
        struct v2_batch *b = &o->gen->batch[o->list[c->batch + k]];
        const int64_t opened = v2_ns(b->time, o->unit);
        bool rest;
        struct noted x = note_of(o, c, k, &rest);
        if (rest && c->gap)
            lost = c->told;
        else if (b->gap && !rest && lost == INT64_MAX && opened - t > CLOSE_NS)
            lost = t;
        ok = lost == INT64_MAX || v2_holes_add(o, lost, rest ? c->t : opened);
        if (b->gap && !rest)
            *least = t < *least ? t : *least;
        ok = ok && note_batch(o, &x, b->m, &p);
        t = x.t;
        b->spoilt |= x.broken && !b->torn;
        o->torn.odd |= x.broken;
        v2_holes_before(o, source_off(o->s, b->p), t);
        lost = x.broken ? t : INT64_MAX;
        if (x.broken)
            *least = t < *least ? t : *least;
    }
    if (c->cut)
        *least = t < *least ? t : *least;
    return ok && (!(c->cut || lost != INT64_MAX) || v2_holes_add(o, lost < t ? lost : t, INT64_MAX));
}

static bool torn_begin(struct v2_order *o)
{
    int64_t least = INT64_MAX;
    bool ok = true;
    o->torn.least = INT64_MIN;
    o->torn.reached = o->torn.odd = false;
    v2_steps_free(o);
    v2_holes_begin(o);
    for (size_t i = 0; ok && i < o->ncur; i++) {
        note_holes(o, &o->cur[i]);
        ok = note_thread(o, &o->cur[i], &least);
    }
    if (!ok || !v2_holes_settle(o)) {
        o->oom = true;
        return false;
    }
    if (o->torn.nhole && o->torn.hole[0].from < least)
        least = o->torn.hole[0].from;
    if (o->gen->all_told && !o->torn.rough && least != INT64_MAX)
        o->torn.least = least;
    return true;
}

/* ---- gaps ------------------------------------------------------------------------------------------------- */

/* At time t: what g or p did is not known, from `since` on (absolute) or since it was last told of, if that is later. */
static struct ev *lost(struct v2_order *o, int64_t t, uint32_t g, uint32_t p, int64_t since)
{
    if (t < o->torn.least) /* then events were lost before that already */
        o->torn.least = t;
    if (g != EV_NONE) { /* the end of one of its regions, ranges may be among what was lost */
        v2_regions_forget(o, v2_g_at(o, g));
        v2_g_at(o, g)->stw = v2_g_at(o, g)->assist = false;
    }
    if (p != EV_NONE)
        o->p[p].sweep = false;
    if (t > o->last) /* a parked thread's event may be earlier: it will be shown behind this */
        o->last = t;
    struct ev *e = v2_quiet(o, t);
    e->kind = EVK_LOST;
    e->g = g;
    e->p = p;
    since = since > o->torn.least ? since : o->torn.least;
    e->arg = since > o->base ? (uint64_t)(since - o->base) : 0;
    return e;
}

/* A thread has nothing, as far as is known, and what it did since then is not. */
static void lost_m(struct v2_order *o, uint32_t m, int64_t since)
{
    if (!o->m[m].told)
        return;
    lost(o, o->last, EV_NONE, EV_NONE, since)->m = m;
}

/* The state of something is not known from `since` on. */
static void unsure(struct v2_order *o, int64_t since)
{
    o->torn_from = since < o->torn_from ? since : o->torn_from;
    o->torn.breaks++;
}

static void gap_from(struct v2_order *o, int64_t since)
{
    o->torn.gaps++;
    unsure(o, since);
}

/* lose_g - the goroutine that a thread runs is unknown from now on; lose_p - the P that it has. */
static void lose_g(struct v2_order *o, struct v2_m *m, int64_t since)
{
    lost(o, o->last, m->g, EV_NONE, since);
    v2_g_at(o, m->g)->status = ST_UNKNOWN;
    m->g = EV_NONE;
}

static void lose_p(struct v2_order *o, struct v2_m *m, int64_t since)
{
    lost(o, o->last, EV_NONE, m->p, since);
    o->p[m->p].status = V2_PS_LOST;
    o->p[m->p].m = EV_NONE;
    m->p = EV_NONE;
}

/* forget_g, forget_p - since it was last told of nothing is known of it. */
static void forget_g(struct v2_order *o, const struct v2_cursor *c, uint32_t g)
{
    struct v2_g *vg = v2_g_at(o, g);
    const bool busy = vg->status == ST_RUNNING || vg->status == ST_SYSCALL;
    const uint32_t m = busy ? v2_holder(o, g) : EV_NONE;
    if (vg->status == ST_UNKNOWN)
        return;
    if (m != EV_NONE)
        o->m[m].g = EV_NONE;
    o->torn.gaps++;
    lost(o, c->t, g, EV_NONE, o->base);
    vg->status = ST_UNKNOWN;
}

static void forget_p(struct v2_order *o, const struct v2_cursor *c, uint32_t p)
{
    struct v2_p *vp = &o->p[p];
    if (vp->status == V2_PS_LOST)
        return;
    o->torn.gaps++;
    lost(o, c->t, EV_NONE, p, o->base);
    if (vp->m != EV_NONE && o->m[vp->m].p == p)
        o->m[vp->m].p = EV_NONE;
    vp->m = EV_NONE;
    vp->status = V2_PS_LOST;
}

/* The event that says so; NULL: nothing was known of it. */
static struct ev *g_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t g, uint8_t next)
{
    struct v2_g *vg = v2_g_at(o, g);
    int64_t since = c->t;
    if (vg->status == ST_RUNNING || vg->status == ST_SYSCALL) {
        uint32_t m = v2_holder(o, g);
        if (v2_has_more(o, m) &&
            o->cur[o->m[m].cur - 1].before < since) /* its state holds up to its thread's last event */
            since = o->cur[o->m[m].cur - 1].before;
        if (m != EV_NONE)
            o->m[m].g = EV_NONE;
    }
    struct ev *const e = vg->status != ST_UNKNOWN ? lost(o, c->t, g, EV_NONE, since) : NULL;
    if (e)
        gap_from(o, c->t);
    vg->status = next;
    v2_stirs(&o->blank_g, g);
    return e;
}

/* Numbers of this P are missing before this one. */
static bool p_jumps(const struct v2_order *o, uint64_t id, uint64_t seq)
{
    const uint32_t p = idmap_get(&o->ps, id);
    return p != IDMAP_NONE && seq != (o->p[p].seqgen == o->gen->ordinal ? o->p[p].seq + 1 : 1);
}

/* A thread's P was taken from a call whose begin was lost: the call that is known of has ended at any time since it began. */
static void another_call(struct v2_order *o, const struct v2_cursor *c, uint32_t m)
{
    const uint32_t g = o->m[m].g;
    if (g == EV_NONE || v2_g_at(o, g)->status != ST_SYSCALL)
        return;
    const struct v2_cursor *k = v2_has_more(o, m) ? &o->cur[o->m[m].cur - 1] : NULL;
    const int64_t since = !k ? c->t : k->gap ? k->told : k->before;
    struct ev *e = g_gap(o, c, g, ST_SYSCALL);
    o->m[m].g = g;
    if (since > o->base && since < c->t)
        e->arg = (uint64_t)(since - o->base);
}

static void p_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t p, uint8_t next)
{
    struct v2_p *vp = &o->p[p];
    if (vp->status != V2_PS_LOST) {
        lost(o, c->t, EV_NONE, p, c->t);
        gap_from(o, c->t);
    }
    if (vp->m != EV_NONE && o->m[vp->m].p == p)
        o->m[vp->m].p = EV_NONE;
    vp->m = EV_NONE;
    vp->status = next;
    v2_stirs(&o->blank_p, p);
}

/* ---- as if it had come ------------------------------------------------------------------------------------ */

/* set_g, set_p - put a goroutine, a P into the state that an event needs: this status, and `seq` as the next number. false: out of memory. */
static bool set_g(struct v2_order *o, const struct v2_cursor *c, uint64_t id, uint64_t seq, uint8_t state)
{
    uint32_t g = idmap_get(&o->gs, id);
    o->torn.breaks += g == IDMAP_NONE || v2_g_at(o, g)->status != ST_UNKNOWN; /* else that was counted */
    if (g == IDMAP_NONE) {
        if ((g = v2_g_new(o, id, state)) == EV_NONE)
            return false;
        struct v2_ctx x = {EV_NONE, EV_NONE, g};
        struct ev *e = v2_emit(o, c, &x, EVK_G_STATUS, ST_UNKNOWN);
        e->arg = id;
        e->flags |= EVF_EXTRA;
        o->torn.gaps++;
    } else if (v2_g_at(o, g)->status != state || !(v2_g_at(o, g)->seqgen != o->gen->ordinal && seq == 1)) {
        g_gap(o, c, g, state); /* else nothing was lost of it but the status that each generation begins with */
    }
    v2_g_at(o, g)->seq = seq - 1;
    v2_g_at(o, g)->seqgen = o->gen->ordinal;
    return true;
}

static bool set_p(struct v2_order *o, const struct v2_cursor *c, uint64_t id, uint64_t seq, uint8_t status)
{
    uint32_t p = idmap_get(&o->ps, id);
    o->torn.breaks++;
    if (p == IDMAP_NONE)
        p = v2_p_new(o, id, status);
    else if (o->p[p].status != status || !(o->p[p].seqgen != o->gen->ordinal && seq == 1))
        p_gap(o, c, p, status);
    if (p == EV_NONE)
        return false;
    o->p[p].seq = seq - 1;
    o->p[p].seqgen = o->gen->ordinal;
    return true;
}

static bool mend_gc(struct v2_order *o, const struct v2_cursor *c)
{
    const bool begins = v2_means(c->type) == V2_MEANS_gc_begin;
    if (!begins || o->gc == GC_ON) { /* the begin or the end of a collection was lost: that one isn't shown */
        if (o->gc == GC_ON)
            lost(o, c->t, EV_NONE, EV_NONE, o->base);
        o->torn.gaps++;
        o->gc = begins || v2_means(c->type) == V2_MEANS_gc_active ? GC_ON : GC_OFF;
        o->gc_seq = c->arg[0];
        return false;
    }
    o->gc_seq = c->arg[0] - 1;
    return true;
}

/* Make the event possible although what it waits for was lost. false: it can't be shown. */
static bool mend_wait(struct v2_order *o, const struct v2_cursor *c)
{
    const uint32_t p = c->m != EV_NONE ? o->m[c->m].p : EV_NONE;
    const bool jumps = v2_specs[c->type].after == V2_AFTER_P_CALL && p_jumps(o, c->arg[0], c->arg[1]);
    uint32_t m, q;
    switch (v2_specs[c->type].after) {
    case V2_AFTER_G_RUNS: return set_g(o, c, c->arg[0], c->arg[1], ST_RUNNABLE);
    case V2_AFTER_G_WAKES: return set_g(o, c, c->arg[0], c->arg[1], ST_WAITING);
    case V2_AFTER_P_IDLE:
        if (p != EV_NONE)
            p_gap(o, c, p, V2_PS_LOST);
        return set_p(o, c, c->arg[0], c->arg[1], V2_PS_IDLE);
    case V2_AFTER_P_LEAVES:
        if (p != EV_NONE)
            p_gap(o, c, p, V2_PS_LOST);
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
        if (jumps)
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
        p_gap(o, c, p, (uint8_t)c->arg[1]);
        return true;
    }
    const uint8_t state = v2_state_of(c->arg[2]);
    if (state == ST_NONE || !set_g(o, c, c->arg[0], 2, state))
        return false;
    uint32_t m, g = idmap_get(&o->gs, c->arg[0]);
    if (state == ST_SYSCALL && (m = v2_m_get(o, c->arg[1])) != EV_NONE) {
        if (o->m[m].g != EV_NONE && o->m[m].g != g)
            g_gap(o, c, o->m[m].g, ST_UNKNOWN);
        v2_m_has(o, m, g);
    }
    return true;
}

static bool mend_status_at(struct v2_order *o, const struct v2_cursor *c)
{
    const uint64_t breaks = o->torn.breaks;
    const bool ok = mend_status(o, c);
    if (o->torn.rough) /* the generation before this one lacks what is between */
        o->torn.breaks = breaks;
    return ok;
}

/* Make the event possible although it contradicts what is known. false: it can't be shown. */
static bool mend_bad(struct v2_order *o, const struct v2_cursor *c)
{
    const uint32_t m = c->m, g = m != EV_NONE ? o->m[m].g : EV_NONE, p = m != EV_NONE ? o->m[m].p : EV_NONE;
    switch (v2_means(c->type)) {
    case V2_MEANS_proc_status:
    case V2_MEANS_go_status:
    case V2_MEANS_go_status_stack: return mend_status_at(o, c);
    case V2_MEANS_go_start:
        if (g == EV_NONE || p == EV_NONE)
            return false;
        g_gap(o, c, g, ST_UNKNOWN);
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
            g_gap(o, c, g, ST_RUNNING);
        v2_m_has(o, m, g);
        return true;
    default: return false;
    }
}

/*
 * Other threads' events that are already out are later than this one by more than clocks differ, so the step that it waits for is not
 * going to come first. It was noted for the wrong P: if a thread's ProcStart was lost, its calls count for the P that it had before.
 */
bool v2_torn_in_vain(const struct v2_order *o, const struct v2_cursor *c)
{
    return c->t >= o->torn.since && c->t >= o->torn.least && o->last > c->t + o->patience;
}

/*
 * The cursor's event is left out. Nobody waits for it, and what it tells of is unknown since it was last told of: the goroutine or P that it
 * names (`named`: it does), and what its thread did, if that lacks what the event needs.
 */
static void leave_out(struct v2_order *o, const struct v2_cursor *c, bool named)
{
    uint64_t at = v2_p_of(o, c->m);
    const struct v2_step step = v2_step(c->type, c->arg, &at);
    const bool of_g = step.of == V2_STEP_G || step.of == V2_STEP_G_TOLD, of_p = step.of == V2_STEP_P && step.seq == 1;
    const uint32_t g = named && of_g ? idmap_get(&o->gs, step.id) : IDMAP_NONE;
    const uint32_t p = named && of_p ? idmap_get(&o->ps, step.id) : IDMAP_NONE;
    at = v2_p_of(o, c->m);
    v2_steps_drop(o, c->type, c->arg, &at);
    (void)v2_holes_drop(o, c->t);
    o->torn.dropped++;
    if (g != IDMAP_NONE)
        forget_g(o, c, g);
    if (p != IDMAP_NONE)
        forget_p(o, c, p);
    const uint32_t mine = c->m != EV_NONE ? o->m[c->m].p : EV_NONE;
    const bool runs = v2_specs[c->type].context & V2_CG || v2_means(c->type) == V2_MEANS_go_start;
    if (mine != EV_NONE && runs && o->m[c->m].g == EV_NONE && o->p[mine].status == V2_PS_RUNNING)
        lost(o, c->t, EV_NONE, mine, o->base);
}

bool v2_torn_spoilt(const struct v2_order *o, const struct v2_cursor *c)
{
    return o->gen->batch[o->list[c->batch]].spoilt;
}

void v2_torn_skip(struct v2_order *o, struct v2_cursor *c)
{
    struct v2_raw_ev e;
    uint64_t at = v2_p_of(o, c->m);
    for (const uint8_t *p = c->p; p < c->end && (p = v2_raw_ev(p, c->end, &e));)
        v2_steps_drop(o, e.type, e.arg, &at);
    const struct v2_batch *next = c->nbatch > 1 ? &o->gen->batch[o->list[c->batch + 1]] : NULL;
    (void)v2_holes_add(o, c->before, next ? v2_ns(next->time, o->unit) : INT64_MAX);
    c->p = c->end;
    c->told = c->t = c->before;
    c->gap = c->sure = true;
    c->cut |= !next;
}

/* Leave out the cursor's event and what is behind it in its batch. */
static void give_up(struct v2_order *o, struct v2_cursor *c)
{
    leave_out(o, c, false);
    v2_torn_skip(o, c);
}

static enum adv torn_lacks(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force)
{
    uint64_t number;
    if (a == ADV_BAD && v2_torn_spoilt(o, c)) {
        give_up(o, c);
        return ADV_OK;
    }
    if (a != ADV_OK && v2_step_renumber(o, c, &number)) {
        source_damage(o->s, ERR_ORDER, o->gen->ordinal, source_off(o->s, c->at),
                      "%s has sequence number %" PRIu64
                      ", which another has or none can: it is taken as the next one",
                      v2_specs[c->type].name, number);
        o->torn.explained++;
        a = v2_adv(o, c);
    }
    if (a != ADV_OK && v2_step_none(o, c)) {
        o->torn.explained++;
        if (v2_torn_spoilt(o, c))
            give_up(o, c);
        else
            leave_out(o, c, false);
        return ADV_OK;
    }
    for (int tries = 0; a != ADV_OK && tries < 3 && !o->oom; tries++) {
        enum v2_lack l = a == ADV_WAIT ? v2_lack_of(o, c) : V2_GONE;
        if (l == V2_TO_COME && !force && !v2_torn_in_vain(o, c))
            return ADV_WAIT;
        if (a == ADV_WAIT) {
            if (l == V2_STALE || !mend_wait(o, c))
                break;
        } else if (!mend_bad(o, c)) {
            break;
        }
        a = v2_adv(o, c);
    }
    if (a != ADV_OK && v2_torn_spoilt(o, c))
        give_up(o, c);
    else if (a != ADV_OK)
        leave_out(o, c, true);
    return ADV_OK;
}

static void over(struct v2_order *o, uint32_t thread, int64_t since)
{
    if (thread == EV_NONE)
        return;
    struct v2_m *m = &o->m[thread];
    if (o->gen->all_told && (!m->cur || !o->cur[m->cur - 1].cut))
        return;
    if (m->g != EV_NONE || m->p != EV_NONE)
        unsure(o, since);
    if (m->g != EV_NONE)
        lose_g(o, m, since);
    if (m->p == EV_NONE) {
        lost_m(o, thread, since);
        return;
    }
    const struct v2_p *p = &o->p[m->p];
    if (p->status != V2_PS_SYSCALL || !v2_steps_has(o, V2_STEP_P, p->id, p->seq + 1))
        lose_p(o, m, since); /* else the P is stolen later, and that event is there */
}

static int64_t now(const struct v2_order *o)
{
    return o->torn.reached && o->last < o->torn.least ? o->torn.least : o->last;
}

/* Nothing was lost yet: torn_due() looks at everything when it has been. */
static bool too_soon(const struct v2_order *o)
{
    return !o->torn.reached && o->last < o->torn.least;
}

/* Was the next event of a goroutine or P lost, whose last number was seq in generation gen? If this generation tells nothing of it: all were. */
static bool next_lost(const struct v2_order *o, enum v2_step_of of, uint64_t id, uint32_t gen, uint64_t seq)
{
    if (gen == o->gen->ordinal)
        return v2_steps_lost(o, of, id, seq + 1);
    return !v2_steps_has(o, of, id, 1) && !v2_steps_has(o, of == V2_STEP_G ? V2_STEP_G_TOLD : V2_STEP_P_TOLD, id, 0);
}

/* g_after, p_after - an event of it came: if nothing holds it and its next event was lost, its state is unknown from here on. */
static void g_after(struct v2_order *o, uint32_t g, int64_t since)
{
    struct v2_g *vg = v2_g_at(o, g);
    if (too_soon(o))
        return;
    if ((vg->status != ST_RUNNABLE && vg->status != ST_WAITING) ||
        !next_lost(o, V2_STEP_G, vg->id, vg->seqgen, vg->seq))
        return;
    const bool before = o->torn.rough && vg->seqgen != o->gen->ordinal;
    lost(o, now(o), g, EV_NONE, since);
    vg->status = ST_UNKNOWN;
    unsure(o, since);
    o->torn.breaks -= before;
}

static void p_after(struct v2_order *o, uint32_t p, int64_t since)
{
    struct v2_p *vp = &o->p[p];
    if (too_soon(o))
        return;
    if (vp->status != V2_PS_IDLE || !next_lost(o, V2_STEP_P, vp->id, vp->seqgen, vp->seq))
        return;
    const bool before = o->torn.rough && vp->seqgen != o->gen->ordinal;
    lost(o, now(o), EV_NONE, p, since);
    vp->status = V2_PS_LOST;
    unsure(o, since);
    o->torn.breaks -= before;
}

/* The type of the event behind the cursor's; 0: there is none. */
static uint8_t type_behind(const struct v2_order *o, const struct v2_cursor *c)
{
    if (c->p < c->end)
        return *c->p;
    return c->nbatch > 1 ? *o->gen->batch[o->list[c->batch + 1]].p : 0; /* no batch is empty */
}

/* A thread went into a system call with its P, returns without it, and the event that took the P away was lost. */
static void call_after(struct v2_order *o, const struct v2_cursor *c)
{
    const uint32_t p = c->m != EV_NONE ? o->m[c->m].p : EV_NONE;
    const uint8_t next = too_soon(o) ? 0 : type_behind(o, c);
    if (p == EV_NONE || o->p[p].status != V2_PS_SYSCALL || v2_steps_has(o, V2_STEP_P, o->p[p].id, o->p[p].seq + 1) ||
        !next || v2_means(next) == V2_MEANS_syscall_end) /* with its P */
        return;
    lose_p(o, &o->m[c->m], o->last);
    unsure(o, o->last);
}

static void torn_after(struct v2_order *o, const struct v2_cursor *c, size_t at)
{
    const size_t end = o->nout;
    v2_holes_told(o, at);
    for (; at < end; at++) {
        const struct ev e = o->out[at];
        if (e.flags & EVF_QUIET)
            continue;
        if (e.g != EV_NONE && e.state == ST_SYSCALL && e.m != EV_NONE && !v2_has_more(o, e.m))
            over(o, e.m, o->last);
        else if (e.g != EV_NONE)
            g_after(o, e.g, o->last);
        if (e.p != EV_NONE)
            p_after(o, e.p, o->last);
    }
    if (v2_means(c->type) == V2_MEANS_syscall_begin || v2_means(c->type) == V2_MEANS_proc_status)
        call_after(o, c);
    const enum v2_after with = v2_specs[c->type].after;
    const bool of_p = with == V2_AFTER_P_NEW || with == V2_AFTER_P_CALL;
    const uint32_t p = of_p ? idmap_get(&o->ps, c->arg[0]) : IDMAP_NONE;
    if (p != IDMAP_NONE)
        p_after(o, p, o->last);
}

static void torn_over(struct v2_order *o, uint32_t thread)
{
    over(o, thread, o->last);
}

/*
 * Events of a thread were lost since then: what it had is unknown. The P is kept if the next event of its own is there, as then none
 * of those that were lost changed whose it is.
 */
static void let_go(struct v2_order *o, uint32_t thread, int64_t since)
{
    struct v2_m *m = &o->m[thread];
    if (m->g != EV_NONE) {
        lose_g(o, m, since);
        gap_from(o, since);
    }
    if (m->p == EV_NONE) {
        lost_m(o, thread, since);
        return;
    }
    struct v2_p *p = &o->p[m->p];
    gap_from(o, since);
    if (v2_steps_lost(o, V2_STEP_P, p->id, p->seq + 1)) {
        lose_p(o, m, since);
    } else {
        lost(o, o->last, EV_NONE, m->p, since);
        p->status = V2_PS_RUNNING;
        v2_stirs(&o->blank_p, m->p);
    }
}

bool v2_torn_gap(struct v2_cursor *c)
{
    const bool gap = c->gap && (c->sure || c->t - c->told > CLOSE_NS);
    c->gap = c->sure = false;
    return gap && c->m != EV_NONE;
}

static bool torn_before(struct v2_order *o, struct v2_cursor *c)
{
    const size_t at = o->nout;
    if (v2_torn_gap(c))
        let_go(o, c->m, c->told);
    if (c->late == c->at || o->last - c->t < DOUBT_LATE_NS)
        return o->nout > at;
    c->late = c->at;
    if (c->m != EV_NONE && o->m[c->m].g != EV_NONE)
        lost(o, o->last, o->m[c->m].g, EV_NONE, c->t);
    if (c->m != EV_NONE && o->m[c->m].p != EV_NONE)
        lost(o, o->last, EV_NONE, o->m[c->m].p, c->t);
    gap_from(o, c->t);
    return o->nout > at;
}

/* A thread of which this generation tells nothing. */
static void silent(struct v2_order *o, uint32_t thread)
{
    struct v2_m *m = &o->m[thread];
    if (m->cur)
        return;
    if (!o->gen->all_told) {
        over(o, thread, o->torn.before);
        return;
    }
    const uint64_t breaks = o->torn.breaks;
    if (m->g != EV_NONE && !v2_steps_has(o, V2_STEP_G_TOLD, v2_g_at(o, m->g)->id, 0)) {
        lose_g(o, m, o->torn.before);
        gap_from(o, o->torn.before);
    }
    if (m->p != EV_NONE && !v2_steps_has(o, V2_STEP_P_TOLD, o->p[m->p].id, 0)) {
        lose_p(o, m, o->torn.before);
        gap_from(o, o->torn.before);
    }
    if (o->torn.rough)
        o->torn.breaks = breaks;
}

static void reached(struct v2_order *o)
{
    struct v2_torn *t = &o->torn;
    if (!t->begun || t->reached || !o->nheap || o->heap[0].t < t->least)
        return;
    t->reached = true;
    t->begun = t->least == INT64_MIN; /* when was not known, so all was looked at in the beginning */
    t->rest_m = t->rest_g = t->rest_p = 0;
}

static void due_ms(struct v2_order *o, size_t room)
{
    struct v2_torn *t = &o->torn;
    const uint8_t as = o->gen->all_told ? V2_BLANK : V2_BLANKED; /* else silent() tells of each */
    while ((t->rest_m = v2_blank_skip(&o->blank_m, t->rest_m, o->nm, as)) < o->nm && o->nout < room) {
        silent(o, (uint32_t)t->rest_m);
        t->rest_m = v2_blank_next(&o->blank_m, t->rest_m, o->nm, as, o, v2_blank_m);
    }
}

/* Look at threads, goroutines and Ps of which this generation tells nothing, a few at each call. */
static bool torn_due(struct v2_order *o)
{
    struct v2_torn *t = &o->torn;
    const size_t room = o->nout + 4;
    reached(o);
    if (t->begun)
        return false;
    due_ms(o, room);
    if (t->rest_m == o->nm && o->nout < room && too_soon(o)) {
        t->rest_g = o->ng;
        t->rest_p = o->np;
    }
    while ((t->rest_g = v2_blank_skip(&o->blank_g, t->rest_g, o->ng, V2_BLANK)) < o->ng && o->nout < room) {
        g_after(o, (uint32_t)t->rest_g, t->before);
        t->rest_g = v2_blank_next(&o->blank_g, t->rest_g, o->ng, V2_BLANK, o, v2_blank_g);
    }
    while ((t->rest_p = v2_blank_skip(&o->blank_p, t->rest_p, o->np, V2_BLANK)) < o->np && o->nout < room) {
        p_after(o, (uint32_t)t->rest_p, t->before);
        t->rest_p = v2_blank_next(&o->blank_p, t->rest_p, o->np, V2_BLANK, o, v2_blank_p);
    }
    t->begun = t->rest_m == o->nm && t->rest_g == o->ng && t->rest_p == o->np;
    return true;
}

bool v2_torn_sound(const struct v2_order *o)
{
    const struct v2_torn *t = &o->torn;
    return o->gen->all_told && !o->gen->torn && !v2_gen_lossy(o->gen) && !t->nhole && !t->breaks && !t->dropped;
}

/* Behind all events: a collection that is still open may have ended. */
static void rest_gc(struct v2_order *o)
{
    const int64_t since = o->gen->all_told ? v2_holes_gc(o) : o->torn.before;
    if (o->gc != GC_ON || since == INT64_MAX)
        return;
    lost(o, o->last, EV_NONE, EV_NONE, since);
    if (o->gen->all_told)
        o->gc = GC_OFF;
}

/* Behind all events: what waits since before something was lost may have gone on in that. */
static void rest_g(struct v2_order *o, uint32_t g)
{
    struct v2_g *vg = v2_g_at(o, g);
    if (vg->status == ST_UNKNOWN && v2_torn_sound(o) && vg->seqgen != o->gen->ordinal) {
        struct ev *e = v2_quiet(o, o->last); /* a generation tells of all there are: it has ended */
        e->kind = EVK_G_STATE;
        e->state = ST_NONE;
        e->g = g;
        v2_g_forget(o, g);
        return;
    }
    if (!o->torn.nhole || (vg->status != ST_RUNNABLE && vg->status != ST_WAITING))
        return;
    const int64_t since = v2_holes_g(o, g);
    if (since == INT64_MAX)
        return;
    lost(o, o->last, g, EV_NONE, since);
    vg->status = ST_UNKNOWN;
}

static void rest_p(struct v2_order *o, uint32_t p)
{
    struct v2_p *vp = &o->p[p];
    if (vp->status != V2_PS_IDLE && vp->status != V2_PS_ABANDONED)
        return;
    const int64_t since = v2_holes_p(o, p);
    if (since == INT64_MAX)
        return;
    lost(o, o->last, EV_NONE, p, since);
    vp->status = V2_PS_LOST;
}

static void rest_gs(struct v2_order *o, size_t room)
{
    struct v2_torn *t = &o->torn;
    const bool sound = v2_torn_sound(o);
    if (!sound && !t->nhole)
        t->rest_g = o->ng;
    while (t->rest_g < o->ng && o->nout < room) {
        if (sound && o->gs_at[t->rest_g / V2_GS].gone == V2_GS)
            t->rest_g |= V2_GS - 1; /* all of these have ended */
        else if (!sound && (t->rest_g = v2_blank_skip(&o->blank_g, t->rest_g, o->ng, V2_BLANK)) == o->ng)
            break;
        rest_g(o, (uint32_t)t->rest_g);
        t->rest_g = v2_blank_next(&o->blank_g, t->rest_g, o->ng, V2_BLANK, o, v2_blank_g);
    }
}

/* A few at each call. */
static bool torn_rest(struct v2_order *o)
{
    struct v2_torn *t = &o->torn;
    const size_t room = o->nout + 4;
    if (t->rested)
        return false;
    if (!t->resting) {
        t->resting = true;
        t->rest_g = t->rest_p = 0;
        v2_holes_rest(o);
        rest_gc(o);
    }
    rest_gs(o, room);
    while (t->nhole && o->nout < room &&
           (t->rest_p = v2_blank_skip(&o->blank_p, t->rest_p, o->np, V2_BLANK)) < o->np) {
        rest_p(o, (uint32_t)t->rest_p);
        t->rest_p = v2_blank_next(&o->blank_p, t->rest_p, o->np, V2_BLANK, o, v2_blank_p);
    }
    t->rested = t->rest_g == o->ng && (!t->nhole || t->rest_p == o->np);
    return true;
}

bool v2_torn_doubt(struct v2_order *o)
{
    const struct v2_torn *t = &o->torn;
    if (!o->gen->all_told) /* then the last events of any thread may be missing, and nothing would show it */
        return true;
    if (!torn_begin(o))
        return false;
    if (t->odd || t->nhole || !v2_noted_whole(&t->has.g) || !v2_noted_whole(&t->has.p)) {
        o->loose = &v2_torn;
        v2_held_begin(o);
    } else {
        v2_steps_free(o);
    }
    return !o->oom;
}

const struct v2_loose v2_torn = {torn_begin, torn_due,  torn_rest, torn_before, torn_lacks,
                                 torn_after, torn_over, false,     true,        true};

void v2_torn_say(struct v2_order *o)
{
    const struct v2_torn *t = &o->torn;
    if (t->gaps || t->dropped)
        source_damage(o->s, ERR_TRUNCATED, o->gen->ordinal, o->gen->end,
                      "events of threads were lost: from %.6f s on there %s %" PRIu64 " gap%s, and %" PRIu64
                      " event%s that can't be placed",
                      v2_seconds(o, o->torn_from), t->gaps == 1 ? "is" : "are", t->gaps, t->gaps == 1 ? "" : "s",
                      t->dropped, t->dropped == 1 ? "" : "s");
}
