/*
 * v2_mend.c - see v2_cut.h.
 *
 * The simulation (v2_sim.h) goes through the generation and asks here about each event that can't come. Which steps there are is known
 * beforehand (v2_step.h), so it is known whether an event waits for one that will come or for one that was lost. All events that came,
 * and those put in, are written into one batch for each thread, with sequence numbers that count anew.
 */
#include "decode/write/v2_mend_priv.h"

#include "decode/base/mem.h"
#include "decode/v2/v2_doubt.h"
#include "decode/v2/v2_holes.h"

/* ---- as if it had come ------------------------------------------------------------------------------------- */

/* g_told - make sure that this generation has its status: told by the thread that has it, else by m. */
static bool g_told(struct v2_mend_work *w, uint32_t m, uint32_t g)
{
    const struct v2_g *v = v2_g_at(&w->s.o, g);
    if (v->seqgen == w->s.ordinal)
        return true;
    const bool busy = v->status == ST_RUNNING || v->status == ST_SYSCALL;
    const uint32_t by = busy ? v2_holder(&w->s.o, g) : m;
    return (!busy || by != EV_NONE) &&
           mend_put_in(w, by,
                       V2_EV(V2_GO_STATUS, v->id, busy ? w->s.o.m[by].id : V2_NO_THREAD, v2_status_of(v->status)));
}

/* runs - make the thread's goroutine run: if it is in a system call, the end of that was lost. */
static bool runs(struct v2_mend_work *w, uint32_t m)
{
    const struct v2_order *o = &w->s.o;
    const uint32_t g = m == EV_NONE ? EV_NONE : o->m[m].g;
    if (g == EV_NONE || !g_told(w, m, g))
        return false;
    if (v2_g_at(o, g)->status == ST_SYSCALL && !mend_put_in(w, m, V2_EV(V2_GO_SYSCALL_END, 0)))
        return false;
    return v2_g_at(o, g)->status == ST_RUNNING;
}

/* park - block what the thread runs behind its last event: what it does from there on is not recorded. */
static bool park(struct v2_mend_work *w, uint32_t m)
{
    const uint64_t now = w->units;
    if (m == EV_NONE || w->s.o.m[m].g == EV_NONE || !mend_room(w))
        return false;
    if (m != w->asker)
        w->units = w->thread[m + 1].any ? w->thread[m + 1].last : w->s.gen.min_time;
    const uint64_t id = v2_g_at(&w->s.o, w->s.o.m[m].g)->id;
    const bool done = runs(w, m) && mend_put_in(w, m, V2_EV(V2_GO_BLOCK, w->reason));
    w->units = now;
    if (done)
        mend_known(w, &w->gs, id)->gap = true;
    return done;
}

static bool g_becomes(struct v2_mend_work *w, uint32_t m, uint32_t g, uint8_t state)
{
    const struct v2_order *o = &w->s.o;
    const struct v2_g *v = v2_g_at(o, g);
    const uint32_t by = v2_holder(&w->s.o, g);
    if (v->status == ST_RUNNING || (v->status == ST_SYSCALL && by != EV_NONE && o->m[by].p != EV_NONE)) {
        if (!park(w, by))
            return false;
    } else if (v->status == ST_SYSCALL && !mend_put_in(w, by, V2_EV(V2_GO_SYSCALL_END_BLOCKED, 0))) {
        return false;
    }
    mend_known(w, &w->gs, v->id)->gap = true;
    if (v->status == ST_WAITING && state == ST_RUNNABLE)
        return mend_put_in(w, m, V2_EV(V2_GO_UNBLOCK, v->id, v->seq + 1));
    return v->status == state;
}

/* creator - a thread that can tell of a new goroutine. */
static uint32_t creator(const struct v2_mend_work *w, uint32_t m)
{
    const struct v2_order *o = &w->s.o;
    for (uint32_t i = 0, k = m; i <= o->nm; k = i++)
        if (k != EV_NONE && o->m[k].p != EV_NONE && o->p[o->m[k].p].status == V2_PS_RUNNING &&
            (o->m[k].g == EV_NONE || v2_g_at(o, o->m[k].g)->status == ST_RUNNING))
            return k;
    return EV_NONE;
}

/* g_is - make it so that there is a goroutine `id` in this state, whose next number is seq. */
static bool g_is(struct v2_mend_work *w, uint32_t m, uint64_t id, uint64_t seq, uint8_t state)
{
    struct v2_order *o = &w->s.o;
    uint32_t g = idmap_get(&o->gs, id);
    if (g == IDMAP_NONE) { /* not by a status, which would say that it was there from the beginning */
        const bool waits = state == ST_WAITING,
                   was = mend_known(w, &w->gs, id)->gen == w->s.ordinal; /* and has ended */
        if (was || (waits && w->m->file.version < GO_123) ||
            !mend_put_in(w, creator(w, m), V2_EV(waits ? V2_GO_CREATE_BLOCKED : V2_GO_CREATE, id)))
            return false;
        mend_known(w, &w->gs, id)->gap = true;
        g = idmap_get(&o->gs, id);
    } else if (!g_told(w, m, g) || (v2_g_at(o, g)->status != state && !g_becomes(w, m, g, state))) {
        return false;
    }
    v2_g_at(o, g)->seq = seq - 1;
    return true;
}

static bool p_gives_up(struct v2_mend_work *w, uint32_t p)
{
    const struct v2_p *v = &w->s.o.p[p];
    const uint32_t m = v->m;
    if (v->status == V2_PS_IDLE)
        return true;
    if (m == EV_NONE)
        return false;
    if (v->status == V2_PS_RUNNING && w->s.o.m[m].g != EV_NONE && !park(w, m))
        return false;
    return mend_put_in(w, m, V2_EV(V2_PROC_STOP, 0));
}

/* p_is - make it so that P `id` is idle, and its next number is seq. */
static bool p_is(struct v2_mend_work *w, uint32_t m, uint64_t id, uint64_t seq)
{
    struct v2_order *o = &w->s.o;
    uint32_t p = idmap_get(&o->ps, id);
    if (p == IDMAP_NONE) {
        if (!mend_put_in(w, m, V2_EV(V2_PROC_STATUS, id, V2_PS_IDLE)))
            return false;
        p = idmap_get(&o->ps, id);
    } else if (!p_gives_up(w, p) ||
               (o->p[p].seqgen != w->s.ordinal && !mend_put_in(w, m, V2_EV(V2_PROC_STATUS, id, V2_PS_IDLE)))) {
        return false;
    }
    o->p[p].seq = seq - 1;
    return true;
}

static bool p_runs(struct v2_mend_work *w, uint32_t m, uint64_t id)
{
    return m != EV_NONE && (w->s.o.m[m].p == EV_NONE || p_gives_up(w, w->s.o.m[m].p)) && p_is(w, m, id, 1) &&
           mend_put_in(w, m, V2_EV(V2_PROC_START, id, 1));
}

/* ---- event by event ---------------------------------------------------------------------------------------- */

static bool status_of_p(struct v2_mend_work *w, const struct v2_cursor *c)
{
    const uint32_t p = idmap_get(&w->s.o.ps, c->arg[0]);
    if (p == IDMAP_NONE)
        return false;
    switch (c->arg[1]) {
    case V2_PS_IDLE: return p_gives_up(w, p);
    case V2_PS_RUNNING: return p_runs(w, c->m, c->arg[0]);
    default: /* a goroutine made the call: status_of_g() */
        (void)(w->behind ? p_runs(w, c->m, c->arg[0]) : p_gives_up(w, p));
        return false;
    }
}

static bool status_of_g(struct v2_mend_work *w, const struct v2_cursor *c)
{
    const uint64_t id = c->arg[0];
    const uint8_t state = v2_state_of(c->arg[2]);
    if (state == ST_RUNNABLE || state == ST_WAITING)
        return g_is(w, c->m, id, 1, state);
    const bool calls = w->behind && state == ST_SYSCALL && c->m != EV_NONE && c->arg[1] == w->s.o.m[c->m].id;
    const uint32_t p = c->m != EV_NONE ? w->s.o.m[c->m].p : EV_NONE;
    if ((state != ST_RUNNING && !calls) || p == EV_NONE)
        return false;
    if (w->s.o.m[c->m].g != EV_NONE && !park(w, c->m))
        return false;
    if (!g_is(w, c->m, id, 1, ST_RUNNABLE) || !mend_put_in(w, c->m, V2_EV(V2_GO_START, id, 1)))
        return false;
    const bool in = !calls || mend_put_in(w, c->m, V2_EV(V2_GO_SYSCALL_BEGIN, w->s.o.p[p].seq + 1, 0));
    if (calls)
        w->s.o.p[p].seq = 0; /* as the file counts */
    return in;
}

/* gc - a step of the collector whose predecessor was lost. false: it begins what has begun, or ends what has not. */
static bool gc(struct v2_mend_work *w, const struct v2_cursor *c)
{
    struct v2_order *o = &w->s.o;
    const bool begins = v2_means(c->type) == V2_MEANS_gc_begin;
    if (begins == (o->gc == GC_ON) || o->gc_seq == c->arg[0] - 1)
        return false;
    o->gc_seq = c->arg[0] - 1;
    return true;
}

/* change - put in what the cursor's event needs to come. false: it is to be left out. */
static bool change(struct v2_mend_work *w, const struct v2_cursor *c)
{
    struct v2_order *o = &w->s.o;
    const uint32_t m = c->m, p = m == EV_NONE ? EV_NONE : o->m[m].p, g = m == EV_NONE ? EV_NONE : o->m[m].g;
    uint32_t of;
    switch (v2_means(c->type)) {
    case V2_MEANS_proc_status: return status_of_p(w, c);
    case V2_MEANS_go_status:
    case V2_MEANS_go_status_stack: return status_of_g(w, c);
    case V2_MEANS_go_start:
        return p != EV_NONE && (g == EV_NONE || park(w, m)) && g_is(w, m, c->arg[0], c->arg[1], ST_RUNNABLE);
    case V2_MEANS_go_switch:
    case V2_MEANS_go_switch_destroy:
        return p != EV_NONE && runs(w, m) && g_is(w, m, c->arg[0], c->arg[1], ST_WAITING);
    case V2_MEANS_go_unblock: return g_is(w, m, c->arg[0], c->arg[1], ST_WAITING);
    case V2_MEANS_proc_start:
        return m != EV_NONE && (p == EV_NONE || p_gives_up(w, p)) && p_is(w, m, c->arg[0], c->arg[1]);
    case V2_MEANS_proc_steal:
        of = idmap_get(&o->ps, c->arg[0]);
        if (of == IDMAP_NONE || o->p[of].status != V2_PS_SYSCALL || o->p[of].m == EV_NONE ||
            o->m[o->p[of].m].id != c->arg[2] || o->p[of].seqgen != w->s.ordinal || o->p[of].seq == c->arg[1] - 1) {
            (void)(of != IDMAP_NONE && p_gives_up(w, of));
            return false;
        }
        o->p[of].seq = c->arg[1] - 1;
        return true;
    case V2_MEANS_syscall_begin:
        if (p == EV_NONE || !runs(w, m) || o->p[p].seq == c->arg[0] - 1)
            return false;
        if (o->p[p].seqgen != w->s.ordinal && !mend_put_in(w, m, V2_EV(V2_PROC_STATUS, o->p[p].id, o->p[p].status)))
            return false;
        o->p[p].seq = c->arg[0] - 1;
        return true;
    case V2_MEANS_syscall_end_blocked: return p != EV_NONE && mend_put_in(w, m, V2_EV(V2_PROC_STOP, 0));
    case V2_MEANS_syscall_end: /* its P is gone: who took it came too early */
        (void)(p == EV_NONE && g != EV_NONE && mend_put_in(w, m, V2_EV(V2_GO_SYSCALL_END_BLOCKED, 0)));
        return false;
    case V2_MEANS_go_stop:
    case V2_MEANS_go_block:
    case V2_MEANS_go_destroy:
    case V2_MEANS_go_create:
    case V2_MEANS_go_create_blocked:
        return p != EV_NONE && g != EV_NONE && v2_g_at(o, g)->status == ST_SYSCALL && runs(w, m);
    case V2_MEANS_gc_begin:
    case V2_MEANS_gc_active:
    case V2_MEANS_gc_end: return gc(w, c);
    default: return false;
    }
}

/* leave_out - the cursor's event is left out; others that come after it must not wait for it. */
static void leave_out(struct v2_mend_work *w, const struct v2_cursor *c)
{
    uint64_t p = v2_p_of(&w->s.o, c->m);
    v2_steps_drop(&w->s.o, c->type, c->arg, &p);
    w->m->left_out++;
    w->s.left_out = true;
}

/* give_up - the cursor's event is left out; so is what is behind it in its batch, if that can't be read to its end. */
static void give_up(struct v2_mend_work *w, struct v2_cursor *c)
{
    leave_out(w, c);
    if (v2_torn_spoilt(&w->s.o, c))
        v2_torn_skip(&w->s.o, c);
}

/* later - when an event comes that says this time. If that is much later, no reader would believe that others waited for it. */
static uint64_t later(const struct v2_mend_work *w, uint64_t units)
{
    return units < w->latest && (double)(w->latest - units) * w->s.o.unit > DOUBT_SKEW_NS / 2 ? w->latest : units;
}

static enum adv lacks(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force)
{
    struct v2_mend_work *w = v2_sim_of(o)->arg;
    uint64_t before, number;
    const bool strange = a == ADV_BAD && v2_torn_spoilt(o, c);
    if (a != ADV_OK && !strange && v2_step_renumber(o, c, &number))
        a = v2_adv(o, c);
    if (strange || (a != ADV_OK && v2_step_none(o, c))) {
        give_up(w, c);
        return ADV_OK;
    }
    for (int tries = 0; a != ADV_OK && tries < 4 && !o->oom; tries++) {
        const enum v2_lack l = a == ADV_BAD ? V2_GONE : v2_lack_of(o, c);
        if (l == V2_TO_COME && !force && !v2_torn_in_vain(o, c))
            return ADV_WAIT;
        w->units = later(w, v2_sim_units(&w->s, c, &before));
        w->asker = c->m;
        if (l == V2_STALE || !change(w, c))
            break;
        a = v2_adv(o, c);
    }
    if (a != ADV_OK)
        give_up(w, c);
    return ADV_OK;
}

/* ---- a generation ------------------------------------------------------------------------------------------ */

/* stray - a goroutine is runnable and the event that starts it was lost: the next free thread starts and blocks it. */
static void stray(struct v2_mend_work *w, uint64_t g)
{
    if (v2_room(&w->s.o, w->stray, w->cstray, w->nstray + 1))
        w->stray[w->nstray++] = g;
}

static void stop_strays(struct v2_mend_work *w, uint32_t m, uint64_t units)
{
    const struct v2_order *o = &w->s.o;
    if (m == EV_NONE || o->m[m].g != EV_NONE || o->m[m].p == EV_NONE || o->p[o->m[m].p].status != V2_PS_RUNNING)
        return;
    w->units = units;
    w->asker = m;
    while (w->nstray) {
        const uint64_t id = w->stray[--w->nstray];
        const uint32_t g = idmap_get(&o->gs, id);
        if (g != IDMAP_NONE && v2_g_at(o, g)->status == ST_RUNNABLE &&
            mend_put_in(w, m, V2_EV(V2_GO_START, id, v2_g_at(o, g)->seq + 1)))
            (void)park(w, m);
    }
}

/* gap - events of the cursor's thread were lost right before its event: what it ran and, if that was taken from it, its P are let go. */
static bool gap(struct v2_order *o, struct v2_cursor *c)
{
    struct v2_mend_work *w = v2_sim_of(o)->arg;
    if (!v2_torn_gap(c))
        return false;
    const uint32_t p = o->m[c->m].p;
    w->asker = EV_NONE; /* behind the thread's last event, not where the next one is */
    (void)park(w, c->m);
    if (p != EV_NONE && o->m[c->m].g == EV_NONE && v2_steps_lost(o, V2_STEP_P, o->p[p].id, o->p[p].seq + 1)) {
        w->units = w->thread[c->m + 1].any ? w->thread[c->m + 1].last : w->s.gen.min_time;
        (void)p_gives_up(w, p);
    }
    return false;
}

/* over - the thread has no more events; if the file was cut here, others were lost. */
static void over(struct v2_order *o, uint32_t m)
{
    struct v2_mend_work *w = v2_sim_of(o)->arg;
    if (m == EV_NONE || (!w->cut && !(o->m[m].cur && o->cur[o->m[m].cur - 1].cut)) || !mend_room(w))
        return;
    const uint32_t g = o->m[m].g, p = o->m[m].p;
    if (p == EV_NONE ||
        (o->p[p].status == V2_PS_SYSCALL && v2_steps_has(&w->s.o, V2_STEP_P, o->p[p].id, o->p[p].seq + 1)))
        return;
    w->asker = m;
    w->units = w->thread[m + 1].any ? w->thread[m + 1].last : w->units;
    if (g != EV_NONE)
        (void)park(w, m);
    stop_strays(w, m, w->units);
}

/* may_go_on - may the goroutine's next event have been lost? */
static bool may_go_on(const struct v2_order *o, const struct v2_g *v)
{
    const bool told = v->seqgen == o->gen->ordinal;
    const uint64_t next = told ? v->seq + 1 : 1;
    if (v2_steps_lost(o, V2_STEP_G, v->id, next))
        return true;
    const bool idle = told && !v->seq && v2_steps_still(o, v->id);
    return !idle && !v2_steps_has(o, V2_STEP_G, v->id, next) && v2_holes_after(o, o->last);
}

/*
 * mark - if the event leaves a goroutine off the Ps (it stops, is woken, is created) and its next event was lost, don't let it seem
 * runnable or waiting all the while: a stop becomes a block for V2_NOT_RECORDED, others become strays.
 */
static void mark(struct v2_mend_work *w, const struct v2s_event *e, struct v2_raw_ev *raw)
{
    struct v2_order *o = &w->s.o;
    const enum v2_means is = v2_means(raw->type);
    const bool status = is == V2_MEANS_go_status || is == V2_MEANS_go_status_stack;
    const bool told =
        is == V2_MEANS_go_unblock || is == V2_MEANS_go_create || (status && v2_state_of(raw->arg[2]) == ST_RUNNABLE);
    const bool leaves = is == V2_MEANS_go_block || is == V2_MEANS_go_stop || is == V2_MEANS_syscall_end_blocked;
    const uint32_t g = told ? idmap_get(&o->gs, raw->arg[0]) : leaves ? e->g : EV_NONE;
    if (g == EV_NONE || g == IDMAP_NONE)
        return;
    struct v2_g *v = v2_g_at(o, g);
    if (!may_go_on(o, v))
        return;
    mend_known(w, &w->gs, v->id)->gap = true;
    if (told || is == V2_MEANS_syscall_end_blocked) {
        stray(w, v->id);
        return;
    }
    v->status = ST_WAITING;
    raw->type = V2_GO_BLOCK;
    raw->arg[0] = w->reason;
}

/* p_told_as_is, g_told_as_is - does this generation tell its status, and if it is busy, on the thread that it was on? */
static bool p_told_as_is(const struct v2_mend_work *w, const struct v2_p *v)
{
    const bool busy = v->m != EV_NONE && (v->status == V2_PS_RUNNING || v->status == V2_PS_SYSCALL);
    return busy ? v2_steps_has(&w->s.o, V2_STEP_P_BUSY, v->id,
                               v->status == V2_PS_RUNNING ? w->s.o.m[v->m].id : V2_NO_THREAD)
                : v2_steps_has(&w->s.o, V2_STEP_P_TOLD, v->id, 0);
}

static bool g_told_as_is(const struct v2_mend_work *w, uint32_t g)
{
    const struct v2_g *v = v2_g_at(&w->s.o, g);
    const uint32_t m = v2_holder(&w->s.o, g);
    return m != EV_NONE ? v2_steps_has(&w->s.o, V2_STEP_G_BUSY, v->id, w->s.o.m[m].id)
                        : v2_steps_has(&w->s.o, V2_STEP_G_TOLD, v->id, 0);
}

/* free_thread - one that has a P and runs nothing; if none has, one that takes an idle P. */
static uint32_t free_thread(struct v2_mend_work *w)
{
    const struct v2_order *o = &w->s.o;
    uint32_t without = EV_NONE;
    for (uint32_t m = 0; m < o->nm; m++) {
        const uint32_t p = o->m[m].p;
        if (o->m[m].g == EV_NONE && p != EV_NONE && o->p[p].status == V2_PS_RUNNING)
            return m;
        if (o->m[m].g == EV_NONE && p == EV_NONE)
            without = m;
    }
    for (uint32_t p = 0; p < o->np && without != EV_NONE; p++)
        if (o->p[p].status == V2_PS_IDLE)
            return mend_put_in(w, without, V2_EV(V2_PROC_START, o->p[p].id, o->p[p].seq + 1)) ? without : EV_NONE;
    return EV_NONE;
}

/* unrecorded - what waits or is runnable may have gone on in the generations that are missing: one thread runs and blocks all of it. */
static void unrecorded(struct v2_mend_work *w)
{
    struct v2_order *o = &w->s.o;
    const uint32_t m = free_thread(w);
    for (uint32_t i = 0; m != EV_NONE && i < w->s.ng && !o->oom; i++) {
        const uint32_t g = w->s.g[i].gone ? EV_NONE : v2_sim_g(&w->s, &w->s.g[i]);
        if (g == EV_NONE)
            continue;
        const struct v2_g *v = v2_g_at(o, g);
        if (v->status == ST_WAITING && mend_known(w, &w->gs, v->id)->away)
            continue; /* since earlier missing generations: to say so again and again would fill the disk */
        w->asker = m;
        if (v->status == ST_WAITING)
            (void)mend_put_in(w, m, V2_EV(V2_GO_UNBLOCK, v->id, v->seq + 1));
        if (v->status == ST_RUNNABLE && mend_put_in(w, m, V2_EV(V2_GO_START, v->id, v->seq + 1)))
            (void)park(w, m);
    }
    for (uint32_t p = 0; p < o->np; p++)
        (void)p_gives_up(w, p);
}

/* away - is it one that has been told of by nothing since generations were missing? Then it doesn't wait: it isn't known what it does. */
static bool away(struct v2_mend_work *w, uint32_t g)
{
    const struct v2_g *v = v2_g_at(&w->s.o, g);
    struct known *k = mend_known(w, &w->gs, v->id);
    k->away = v->status == ST_WAITING && (k->away || w->behind) && !v2_steps_has(&w->s.o, V2_STEP_G_TOLD, v->id, 0);
    return k->away;
}

/* due - before all events: tell the status, as it was, of what this generation doesn't tell. */
static bool due(struct v2_order *o)
{
    struct v2_mend_work *w = v2_sim_of(o)->arg;
    if (w->told)
        return false;
    w->told = true;
    w->units = w->s.gen.min_time;
    for (uint32_t p = 0; p < o->np; p++) {
        const struct v2_p *v = &o->p[p];
        const bool busy = v->status == V2_PS_RUNNING || v->status == V2_PS_SYSCALL;
        if (!p_told_as_is(w, v))
            (void)mend_put_in(w, busy ? v->m : EV_NONE, V2_EV(V2_PROC_STATUS, v->id, v->status));
    }
    for (uint32_t i = 0; i < w->s.ng; i++) {
        const uint32_t g = w->s.g[i].gone ? EV_NONE : v2_sim_g(&w->s, &w->s.g[i]);
        if (g != EV_NONE && !away(w, g) && !g_told_as_is(w, g))
            (void)g_told(w, EV_NONE, g);
    }
    for (uint32_t m = 0; m < o->nm; m++)
        if (!o->m[m].cur)
            over(o, m);
    if (w->missing)
        unrecorded(w);
    return true;
}

static bool seen(void *arg, const struct v2s_event *e)
{
    struct v2_mend_work *w = arg;
    struct v2_raw_ev raw = e->ev;
    if (!mend_room(w))
        return false;
    w->latest = e->units > w->latest ? e->units : w->latest;
    const uint64_t units = later(w, e->units);
    if (!e->left_out)
        mark(w, e, &raw);
    if (!e->left_out)
        mend_still(w, e);
    if (!e->left_out && !mend_told(w, &raw) && mend_renumber(w, e->m, e->g, &raw))
        mend_write(w, e->m, &raw, units);
    if (w->nstray)
        stop_strays(w, e->m, units);
    return true;
}

/* string_free - an id that no string of the generation has. */
static uint64_t string_free(const struct v2_raw_gen *gen)
{
    uint64_t most = 1 << 20;
    for (struct v2_raw_walk w = {.gen = gen, .first = V2R_STRINGS}; v2_raw_next(&w);)
        most = w.string.id > most && w.string.id < UINT64_MAX - 64 ? w.string.id : most;
    return most + 1;
}

/* unfinished - has it no stacks? The runtime writes these behind all events (v2_gen.all_told). */
static bool unfinished(const struct v2_raw_gen *gen)
{
    for (size_t i = 0; i < gen->n; i++)
        if (v2_raw_holds(&gen->batch[i], V2R_STACKS))
            return false;
    return true;
}

static bool mend_begin(struct v2_order *o)
{
    struct v2_mend_work *w = v2_sim_of(o)->arg;
    w->told = false;
    return v2_torn.begin(o); /* notes the steps that the generation has */
}

static bool begin(struct v2_mend_work *w, const struct v2_sim *was, const struct v2_raw_gen *gen)
{
    static const struct v2_loose mender = {
        .begin = mend_begin, .due = due, .before = gap, .lacks = lacks, .over = over};
    v2_sim_free(&w->s);
    if (!v2_sim_copy(&w->s, was))
        return false;
    w->gc_seq = w->s.o.gc_seq;
    w->s.o.gc_seq += w->m->gc_less;
    w->s.mender = &mender;
    w->s.seen = seen;
    w->s.arg = w;
    w->nregion = w->nstray = 0;
    w->latest = 0;
    for (size_t i = 0; i < w->nknown; i++) { /* names of strings are the generation's */
        w->known[i].gap |= w->known[i].region != 0;
        w->known[i].region = 0;
    }
    w->behind = w->missing;
    w->missing = gen->start == gen->end;
    w->cut = gen->torn || unfinished(gen);
    w->reason = string_free(gen);
    for (size_t i = 0; i < w->cthread; i++) {
        w->thread[i].n = 0;
        w->thread[i].any = false;
    }
    const bool begun = v2_sim_begin(&w->s, w->m->file.data, gen);
    w->s.gen.all_told = !w->cut;
    return begun && mend_room(w);
}

static bool regions_open(const struct v2_order *o)
{
    for (uint32_t g = 0; g < o->ng; g++)
        if (v2_g_at(o, g)->region)
            return true;
    return false;
}

bool v2_mend(struct v2_mend *m, const struct v2_sim *was, const struct v2_raw_gen *gen)
{
    struct v2_mend_work *w = m->w = m->w ? m->w : mem_zalloc(sizeof *w);
    if (w)
        w->m = m;
    if (!w || !begin(w, was, gen))
        return false;
    v2_sim_run(&w->s, INT64_MAX);
    if (w->s.o.oom || !mend_result(w, gen))
        return false;
    m->gc_less = w->s.o.gc_seq - w->gc_seq;
    m->rough = w->regions || regions_open(&w->s.o);
    return true;
}

void v2_mend_free(struct v2_mend *m)
{
    struct v2_mend_work *w = m->w;
    v2_raw_gen_free(&m->gen);
    if (w) {
        for (size_t i = 0; i < w->cthread; i++)
            mem_free(w->thread[i].p);
        v2_sim_free(&w->s);
        idmap_free(&w->gs);
        idmap_free(&w->ps);
        mem_free(w->thread);
        mem_free(w->known);
        mem_free(w->region);
        mem_free(w->stray);
        mem_free(w);
    }
    *m = (struct v2_mend){0};
}
