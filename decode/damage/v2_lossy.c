/*
 * v2_lossy.c - see v2_damage.h.
 *
 * The sequence numbers of a goroutine and of a P show whether anything is missing between two of their
 * events. A thread writes its own events, so they are complete up to its last one.
 */

#include <inttypes.h>

#include "decode/base/order.h"
#include "decode/damage/v2_damage.h"
#include "decode/v2/v2_raw.h"

/* ---- events that can't come ---------------------------------------------------------------------------- */

/* Returns whether the cursor's event waits in vain: the order has passed it by more than clocks differ, so
 * the step that it waits for won't come first. That step was noted for the wrong P: if a thread's ProcStart
 * was lost, its calls count for the P that it had before. */
static bool lossy_in_vain(const struct v2_order *o, const struct v2_cursor *c)
{
    return c->t >= o->loss.since && c->t >= o->loss.least && o->last > c->t + o->patience;
}

/* Leave out the cursor's event. Nothing waits for it. The goroutine or P that it names (if `named` is set)
 * becomes unknown since the last event that names it, and so does what its thread did if that lacks what
 * the event needs. */
static void leave_out(struct v2_order *o, const struct v2_cursor *c, bool named)
{
    uint64_t at = v2_p_of(o, c->m);
    const struct v2_step step = v2_step(c->type, c->arg, &at);
    const bool of_g = step.of == V2_STEP_G || step.of == V2_STEP_G_TOLD,
               of_p = step.of == V2_STEP_P && step.seq == 1;
    const uint32_t g = named && of_g ? idmap_get(&o->gs, step.id) : IDMAP_NONE;
    const uint32_t p = named && of_p ? idmap_get(&o->ps, step.id) : IDMAP_NONE;
    at = v2_p_of(o, c->m);
    v2_steps_drop(o, c->type, c->arg, &at);
    v2_hole(o, c->t, c->t + DAMAGE_SKEW_NS);
    o->loss.dropped++;
    const uint64_t breaks = o->loss.breaks;
    if (g != IDMAP_NONE)
        v2_g_gap(o, c, g, ST_UNKNOWN);
    if (p != IDMAP_NONE)
        v2_p_gap(o, c, p, V2_PS_LOST);
    o->loss.breaks = breaks;
    const uint32_t mine = c->m != EV_NONE ? o->m[c->m].p : EV_NONE;
    const bool runs = v2_specs[c->type].context & V2_CG || v2_means(c->type) == V2_MEANS_go_start;
    if (mine != EV_NONE && runs && o->m[c->m].g == EV_NONE && o->p[mine].status == V2_PS_RUNNING)
        v2_lost(o, EV_NONE, mine, o->base);
}

/* Returns whether the cursor is in a batch that can't be read to its end. Where bytes are missing, or too
 * many, what follows may still look like events for a while. It ends at the first impossible one. */
static bool lossy_spoilt(const struct v2_order *o, const struct v2_cursor *c)
{
    return o->list[c->batch]->spoilt;
}

/* Skip what follows the cursor's event in its batch. */
static void lossy_skip(struct v2_order *o, struct v2_cursor *c)
{
    struct v2_raw_ev e;
    uint64_t at = v2_p_of(o, c->m);
    for (const uint8_t *p = c->p; p < c->end && (p = v2_raw_ev(p, c->end, &e));)
        v2_steps_drop(o, e.type, e.arg, &at);
    const struct v2_batch *next = c->nbatch > 1 ? o->list[c->batch + 1] : NULL;
    v2_hole(o, c->before, next ? v2_ns(next->time, o->unit) : INT64_MAX);
    c->p = c->end;
    c->before_gap = c->t = c->before;
    c->gap = c->sure = true;
    c->cut |= !next;
}

/* Leave out the cursor's event and the rest of its batch. */
static void give_up(struct v2_order *o, struct v2_cursor *c)
{
    leave_out(o, c, false);
    lossy_skip(o, c);
}

enum adv v2_lossy_lacks(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force)
{
    if (a == ADV_BAD && lossy_spoilt(o, c)) {
        give_up(o, c);
        return ADV_OK;
    }
    for (int tries = 0; a != ADV_OK && tries < 3 && !o->oom; tries++) {
        enum v2_lack l = a == ADV_WAIT ? v2_lack_of(o, c) : V2_GONE;
        if (l == V2_TO_COME && !force && !lossy_in_vain(o, c))
            return ADV_WAIT;
        if (a == ADV_WAIT) {
            if (l == V2_STALE || !v2_lossy_mend_wait(o, c))
                break;
        } else if (!v2_lossy_mend_bad(o, c)) {
            break;
        }
        a = v2_adv(o, c);
    }
    if (a != ADV_OK && lossy_spoilt(o, c))
        give_up(o, c);
    else if (a != ADV_OK)
        leave_out(o, c, true);
    return ADV_OK;
}

/* ---- after an event, before the next one --------------------------------------------------------------- */

/* Later events of the thread may be missing: make its goroutine and P unknown since then. */
void v2_lossy_over(struct v2_order *o, uint32_t thread, int64_t since)
{
    if (thread == EV_NONE)
        return;
    struct v2_m *m = &o->m[thread];
    if (o->gen->has_stacks && (!m->cur || !o->cur[m->cur - 1].cut))
        return;
    if (m->g != EV_NONE || m->p != EV_NONE)
        v2_unsure(o, since);
    if (m->g != EV_NONE)
        v2_lose_g(o, m, since);
    if (m->p == EV_NONE) {
        v2_lost_m(o, thread, since);
        return;
    }
    const struct v2_p *p = &o->p[m->p];
    if (p->status != V2_PS_SYSCALL || !v2_steps_has(o, V2_STEP_P, p->id, p->seq + 1))
        v2_lose_p(o, m, since); /* else the P is stolen later, and that event is in the file */
}

void v2_lossy_after(struct v2_order *o, const struct v2_cursor *c, size_t at)
{
    const size_t end = o->nout;
    (void)c;
    for (; at < end; at++) {
        const struct ev e = o->out[at];
        if (e.state == RANGE_GC && (e.kind == EVK_RANGE_BEGIN || e.kind == EVK_RANGE_ACTIVE))
            o->loss.gc_last = o->last;
        if (!(e.flags & EVF_QUIET) && e.g != EV_NONE && e.state == ST_SYSCALL && e.m != EV_NONE &&
            !v2_has_more(o, e.m))
            v2_lossy_over(o, e.m, o->last);
    }
}

/* Events of a thread were lost since then: make its goroutine and P unknown. It keeps the P if the P's own
 * next event is in the file, as then none of the lost events moved it to another thread. */
static void lose_thread(struct v2_order *o, uint32_t thread, int64_t since)
{
    struct v2_m *m = &o->m[thread];
    if (m->g != EV_NONE) {
        v2_lose_g(o, m, since);
        v2_gap_from(o, since);
    }
    if (m->p == EV_NONE) {
        v2_lost_m(o, thread, since);
        return;
    }
    struct v2_p *p = &o->p[m->p];
    v2_gap_from(o, since);
    if (v2_steps_lost(o, V2_STEP_P, p->id, p->seq + 1)) {
        v2_lose_p(o, m, since);
    } else {
        v2_lost(o, EV_NONE, m->p, since);
        p->status = V2_PS_RUNNING;
        v2_stirs(&o->blank_p, m->p);
    }
}

/* Returns whether events of the cursor's thread were lost just before its event. True once for each gap. */
static bool lossy_gap(struct v2_cursor *c)
{
    const bool is = c->gap && (c->sure || c->t - c->before_gap > V2_CLOSE_NS);
    c->gap = c->sure = false;
    return is && c->m != EV_NONE;
}

bool v2_lossy_before(struct v2_order *o, struct v2_cursor *c)
{
    const bool gap = lossy_gap(c);
    if (gap)
        lose_thread(o, c->m, c->before_gap);
    return gap;
}

/* ---- what the generation does not name ----------------------------------------------------------------- */

/* Handle a thread that this generation does not name. */
static void silent(struct v2_order *o, uint32_t thread)
{
    struct v2_m *m = &o->m[thread];
    if (m->cur)
        return;
    if (!o->gen->has_stacks) {
        v2_lossy_over(o, thread, o->loss.before);
        return;
    }
    if (m->g != EV_NONE && !v2_steps_has(o, V2_STEP_G_TOLD, v2_g_at(o, m->g)->id, 0)) {
        v2_lose_g(o, m, o->loss.before);
        v2_gap_from(o, o->loss.before);
    }
    if (m->p != EV_NONE && !v2_steps_has(o, V2_STEP_P_TOLD, o->p[m->p].id, 0)) {
        v2_lose_p(o, m, o->loss.before);
        v2_gap_from(o, o->loss.before);
    }
}

/* Check the threads that this generation does not name, a few at each call. */
void v2_lossy_due(struct v2_order *o)
{
    struct v2_loss *t = &o->loss;
    /* Without stacks silent() emits an event for each. */
    const enum v2_pass pass = o->gen->has_stacks ? V2_BLANK : V2_BLANKED;
    v2_look(o, &(struct v2_look){V2_ALL_M, pass, o->nout + 4, silent}, &t->rest_m);
    t->started = t->rest_m == o->nm;
}

bool v2_lossy_sound(const struct v2_order *o)
{
    const struct v2_loss *t = &o->loss;
    return o->gen->has_stacks && !o->gen->torn && !v2_gen_lossy(o->gen) && !t->nhole && !t->breaks &&
           !t->dropped;
}

/* ---- after all events ---------------------------------------------------------------------------------- */

/* Emit for each hole that what g or p did in it is unknown if nothing has named it since. */
static void lose_in_holes(struct v2_order *o, uint32_t g, uint32_t p)
{
    const struct v2_loss *t = &o->loss;
    for (size_t i = 0; i < t->nhole; i++) {
        const struct v2_span *h = &t->hole[i];
        const int64_t from = h->from > t->before ? h->from : t->before;
        if (h->to > o->base)
            v2_lost(o, g, p, from)->arg2 = (uint64_t)(h->to == INT64_MAX ? h->to : h->to - o->base);
    }
}

/* After all events, a GC cycle that is still open may have ended. */
static void rest_gc(struct v2_order *o)
{
    const struct v2_loss *t = &o->loss;
    const bool torn = !o->gen->has_stacks;
    const size_t i = find_first(k, t->nhole, t->hole[k].to > t->gc_last);
    if (o->gc != GC_ON || (!torn && i == t->nhole))
        return;
    const int64_t since = torn ? t->before : t->hole[i].from > t->gc_last ? t->hole[i].from : t->gc_last;
    v2_lost(o, EV_NONE, EV_NONE, since);
    if (!torn)
        o->gc = GC_OFF;
}

/* After all events, a goroutine that has waited since before the loss may have run in it. */
static void rest_g(struct v2_order *o, uint32_t g)
{
    struct v2_g *vg = v2_g_at(o, g);
    const bool named = vg->seqgen == o->gen->ordinal;
    if (vg->status == ST_UNKNOWN && v2_lossy_sound(o) && !named) {
        /* A generation names all goroutines that exist, so it has ended. */
        struct ev *e = v2_quiet(o, EVK_G_STATE);
        e->state = ST_NONE;
        e->g = g;
        v2_g_forget(o, g);
        return;
    }
    if (!o->loss.nhole || (vg->status != ST_RUNNABLE && vg->status != ST_WAITING))
        return;
    lose_in_holes(o, g, EV_NONE);
    vg->status = ST_UNKNOWN;
}

static void rest_p(struct v2_order *o, uint32_t p)
{
    struct v2_p *vp = &o->p[p];
    if (vp->status != V2_PS_IDLE && vp->status != V2_PS_ABANDONED)
        return;
    lose_in_holes(o, EV_NONE, p);
    vp->status = V2_PS_LOST;
}

ORDER(by_begin, struct v2_span, LEAST(r->from))

/* Does a few at each call. */
bool v2_lossy_rest(struct v2_order *o)
{
    struct v2_loss *t = &o->loss;
    const size_t room = o->nout + 4;
    if (t->rested)
        return false;
    if (!t->resting) {
        t->resting = true;
        t->rest_g = t->rest_p = 0;
        if (!t->of_file && t->breaks) /* then the loss may have been at any time */
            v2_hole(o, INT64_MIN, INT64_MAX);
        sort(t->hole, t->nhole, by_begin);
        rest_gc(o);
    }
    const bool sound = v2_lossy_sound(o);
    if (!sound && !t->nhole)
        t->rest_g = o->ng;
    v2_look(o, &(struct v2_look){V2_ALL_G, sound ? V2_NONE_BLANK : V2_BLANK, room, rest_g}, &t->rest_g);
    if (t->nhole)
        v2_look(o, &(struct v2_look){V2_ALL_P, V2_BLANK, room, rest_p}, &t->rest_p);
    t->rested = t->rest_g == o->ng && (!t->nhole || t->rest_p == o->np);
    return true;
}

void v2_lossy_report(struct v2_order *o)
{
    const struct v2_loss *t = &o->loss;
    if (t->gaps || t->dropped)
        source_damage(o->s, ERR_TRUNCATED, o->gen->ordinal, o->gen->end,
                      "events of threads were lost: from %.6f s on there %s %" PRIu64 " gap%s, and %" PRIu64
                      " event%s that can't be placed",
                      v2_seconds(o, o->loss_from), t->gaps == 1 ? "is" : "are", t->gaps,
                      t->gaps == 1 ? "" : "s", t->dropped, t->dropped == 1 ? "" : "s");
}
