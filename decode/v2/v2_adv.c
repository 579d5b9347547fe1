/*
 * v2_adv.c - the events of the second family that move a goroutine, a P or a thread: what each needs, what
 * it changes, which neutral events it makes. The others: v2_ranges.c.
 *
 * Whether an event must wait is tested before whether it is impossible, as in Go's reader, and nothing
 * changes before both tests have passed.
 */
#include <inttypes.h>
#include <string.h>

#include "decode/damage/v2_damage.h"
#include "decode/v2/v2_rule.h"

/* ---- look-ups ------------------------------------------------------------------------------------------ */

uint32_t v2_m_get(struct v2_order *o, uint64_t id)
{
    if (id == V2_NO_THREAD)
        return EV_NONE;
    uint32_t i = idmap_get(&o->ms, id);
    if (i != IDMAP_NONE)
        return i;
    if (!mem_noted(&o->oom, idmap_row(&o->ms, id, o->m, o->capm, o->nm)))
        return EV_NONE;
    o->m[o->nm] = (struct v2_m){
        .id = id, .g = EV_NONE, .p = EV_NONE, .fresh = true, .was_g = EV_NONE, .was_p = EV_NONE};
    v2_stirs(&o->blank_m, (uint32_t)o->nm);
    return (uint32_t)o->nm++;
}

uint32_t v2_p_new(struct v2_order *o, uint64_t id, uint8_t status)
{
    if (!mem_noted(&o->oom, idmap_row(&o->ps, id, o->p, o->capp, o->np)))
        return EV_NONE;
    o->p[o->np] =
        (struct v2_p){.id = id, .status = status, .m = EV_NONE, .seqgen = o->gen->ordinal, .was = status};
    v2_stirs(&o->blank_p, (uint32_t)o->np);
    return (uint32_t)o->np++;
}

/* Make room for the first of the next V2_GS goroutines. */
static bool gs_new(struct v2_order *o)
{
    const size_t at = o->ng / V2_GS, size = V2_GS * sizeof(struct v2_g);
    if (!v2_room(o, o->gs_at, o->capgs_at, at + 1))
        return false;
    struct v2_gs *v = o->gs_at;
    if (!o->nobody && (o->nobody = slabs_get(&o->places, size)))
        memset(o->nobody, 0, size);
    v[at] = (struct v2_gs){.g = o->nobody ? slabs_get(&o->places, size) : NULL};
    o->oom |= !v[at].g;
    return v[at].g;
}

uint32_t v2_g_new(struct v2_order *o, uint64_t id, uint8_t status)
{
    if ((o->ng % V2_GS == 0 && !gs_new(o)) || !mem_noted(&o->oom, idmap_put(&o->gs, id, (uint32_t)o->ng)))
        return EV_NONE;
    *v2_g_at(o, (uint32_t)o->ng) = (struct v2_g){.id = id, .status = status, .seqgen = o->gen->ordinal};
    v2_stirs(&o->blank_g, (uint32_t)o->ng);
    return (uint32_t)o->ng++;
}

/* Count an ended goroutine; free its block when all of it have ended. */
static void g_gone(struct v2_order *o, uint32_t g)
{
    struct v2_gs *gs = &o->gs_at[g / V2_GS];
    if (++gs->gone < V2_GS)
        return;
    slabs_put(&o->places, gs->g);
    gs->g = o->nobody;
}

void v2_g_forget(struct v2_order *o, uint32_t g)
{
    struct v2_g *const e = v2_g_at(o, g);
    if (e->status == ST_NONE)
        return;
    idmap_del(&o->gs, e->id);
    e->status = ST_NONE;
    g_gone(o, g);
}

/* ---- emitting ------------------------------------------------------------------------------------------ */

static inline struct ev *room_next(struct v2_order *o)
{
    return &o->out[o->nout++];
}

/* Before the trace's first event, set the time base. Before a thread's first event, emit EVK_M_NEW. */
static __attribute__((noinline)) void emit_first(struct v2_order *o, uint32_t m, int64_t t)
{
    if (!o->have_base) {
        o->have_base = true;
        o->base = t;
        o->s->st.first_ns = t;
        o->s->st.lead_ns = t - o->sync;
    }
    if (m != EV_NONE) {
        o->m[m].reported = true;
        v2_stirs(&o->blank_m, m);
        struct ev *e = room_next(o);
        *e = ev_at(t - o->base, EVK_M_NEW, 0);
        e->m = m;
        e->arg = o->m[m].id;
    }
}

/* Add the next neutral event. As in Go, times differ: a time not later than the last one becomes 1 ns later
 * than that. */
struct ev *v2_emit(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, enum ev_kind kind,
                   uint8_t state)
{
    int64_t t = c->t <= o->last ? o->last + 1 : c->t;
    o->last = t;
    if (__builtin_expect(!o->have_base || (x->m != EV_NONE && !o->m[x->m].reported), 0))
        emit_first(o, x->m, t);
    struct ev *e = room_next(o);
    *e = ev_at(t - o->base, kind, 0);
    e->state = state;
    e->g = x->g;
    e->p = x->p;
    e->m = x->m;
    return e;
}

struct ev *v2_quiet(struct v2_order *o, enum ev_kind kind)
{
    struct ev *e = room_next(o);
    *e = ev_at(o->last - o->base, kind, EVF_QUIET);
    return e;
}

static struct ev *emit_g(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, uint32_t g,
                         uint8_t state)
{
    bool bound = state == ST_RUNNING || state == ST_SYSCALL;
    struct v2_ctx on = {x->m, bound ? x->p : EV_NONE, g};
    struct ev *e = v2_emit(o, c, &on, EVK_G_STATE, state);
    if (!bound)
        e->m = EV_NONE;
    return e;
}

static struct ev *emit_p(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, uint32_t p,
                         uint8_t state)
{
    struct ev *e = v2_emit(o, c, x, EVK_P_STATE, state);
    e->g = EV_NONE;
    e->p = p;
    e->arg = o->p[p].id;
    return e;
}

void v2_emit_counted(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                     enum ev_class class)
{
    struct ev *e = v2_emit(o, c, x, EVK_COUNT_ONLY, class);
    e->g = e->p = EV_NONE;
}

/* ---- one event ----------------------------------------------------------------------------------------- */

enum adv v2_bad(struct v2_order *o, const struct v2_cursor *c, const char *what, uint64_t id)
{
    o->bad = true;
    o->redo |= o->nlost > 0;
    if (!o->lossy)
        source_damage(o->s, ERR_ORDER, o->gen->ordinal, source_off(o->s, c->at), "event %s: %s (%" PRId64 ")",
                      v2_specs[c->type].name, what, (int64_t)id);
    return ADV_BAD;
}

enum adv v2_bad_context(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, unsigned need)
{
    return v2_bad(o, c,
                  x->m == EV_NONE                   ? "expected a thread, found none"
                  : need & V2_CP && x->p == EV_NONE ? "expected a P, found none"
                  : need & V2_NG                    ? "expected no goroutine, found one"
                                                    : "expected a goroutine, found none",
                  x->m == EV_NONE ? UINT64_MAX : o->m[x->m].id);
}

static void bind_p(struct v2_order *o, const struct v2_ctx *x, uint32_t p)
{
    if (x->m == EV_NONE)
        return;
    if (o->m[x->m].fresh)
        o->m[x->m].was_p = p;
    o->m[x->m].p = p;
    o->p[p].m = x->m;
    v2_stirs(&o->blank_m, x->m);
}

/* Emit a state that has held since the segment began: of the P and its thread, in a call or (ST_IDLE)
 * without one; or of the goroutine in its call. */
static void emit_held(struct v2_order *o, uint32_t p, uint32_t m, uint32_t g, uint8_t state)
{
    struct ev *e = v2_quiet(o, g == EV_NONE ? EVK_P_STATE : EVK_G_STATUS);
    e->state = state;
    e->flags |= EVF_CARRIED;
    e->g = g;
    e->p = p;
    e->m = m;
    e->arg = g == EV_NONE ? o->p[p].id : v2_g_at(o, g)->id;
}

/* Note that the P, whose thread was unknown, has belonged to this thread since the segment began. */
static void thread_found(struct v2_order *o, uint32_t p, uint32_t m)
{
    o->p[p].lost = false;
    o->nlost--;
    o->p[p].m = m;
    o->m[m].p = o->m[m].was_p = p;
    emit_held(o, p, m, EV_NONE, ST_SYSCALL);
}

/* A thread's call ends with its P: if only one P has an unknown thread, it is that one. */
static void found_only(struct v2_order *o, uint32_t m)
{
    for (uint32_t p = 0; o->nlost == 1 && p < o->np; p++)
        if (o->p[p].lost)
            thread_found(o, p, m);
    o->redo |= o->nlost > 0;
}

/* The runtime takes a goroutine that it suspends off its thread before it writes the event (preemptPark).
 * If that is the thread's first event of a generation, no status comes before it: the goroutine is the one
 * that the thread had, which only the code that joins segments knows. */
static bool found_running(struct v2_order *o, uint32_t m)
{
    uint64_t mid = V2_NO_THREAD, gid = 0;
    const uint32_t p = o->m[m].p;
    if (!o->alone || !o->holder || p == EV_NONE || o->p[p].status != V2_PS_RUNNING ||
        o->holder(o->holder_arg, o->p[p].id, &mid, &gid) != V2_PS_RUNNING || mid != o->m[m].id ||
        idmap_get(&o->gs, gid) != IDMAP_NONE)
        return false;
    const uint32_t g = v2_g_new(o, gid, ST_RUNNING);
    if (g == EV_NONE)
        return false;
    v2_g_at(o, g)->seq = 0;
    v2_g_at(o, g)->seqgen = o->gen->ordinal;
    v2_m_has(o, m, g);
    o->m[m].was_g = g;
    emit_held(o, p, m, g, ST_RUNNING);
    return true;
}

/* In a segment, a P has the status "abandoned in a system call": it is abandoned, or the call goes on. */
static enum adv proc_lost(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, uint32_t p)
{
    uint64_t mid = V2_NO_THREAD, gid = 0;
    uint8_t status = o->holder ? o->holder(o->holder_arg, o->p[p].id, &mid, &gid) : 0;
    uint32_t m = status == V2_PS_SYSCALL ? v2_m_get(o, mid) : EV_NONE;
    o->p[p].was = o->p[p].status = status == V2_PS_ABANDONED ? V2_PS_ABANDONED : V2_PS_SYSCALL;
    struct ev *e = emit_p(o, c, x, p, status == V2_PS_ABANDONED ? ST_IDLE : ST_SYSCALL);
    e->flags |= EVF_CARRIED;
    e->m = EV_NONE;
    if (o->oom)
        return ADV_BAD;
    if (!status) {
        o->p[p].lost = true;
        o->nlost++;
    }
    if (m == EV_NONE)
        return ADV_OK;
    o->p[p].lost = true;
    o->nlost++;
    o->redo |= !o->m[m].fresh; /* its call may have ended before the P's status, and should have waited */
    thread_found(o, p, m);
    if (o->m[m].g != EV_NONE || idmap_get(&o->gs, gid) != IDMAP_NONE)
        return ADV_OK;
    uint32_t g = v2_g_new(o, gid, ST_SYSCALL);
    if (g == EV_NONE)
        return ADV_BAD;
    v2_m_has(o, m, g);
    o->m[m].was_g = g;
    emit_held(o, p, m, g, ST_SYSCALL);
    return ADV_OK;
}

EVENT(proc_status)
{
    uint64_t id = c->arg[0], st = c->arg[1];
    if (st < V2_PS_RUNNING || st > V2_PS_ABANDONED)
        return v2_bad(o, c, "invalid status for the P", st);
    uint32_t p = idmap_get(&o->ps, id);
    bool met = p != IDMAP_NONE, known = met && !(o->gen->after_gap && o->p[p].status == V2_PS_LOST);
    if (known) {
        struct v2_p *ps = &o->p[p];
        bool lost = st == V2_PS_ABANDONED && (ps->status == V2_PS_SYSCALL || ps->status == V2_PS_ABANDONED);
        if (!lost && ps->status != st)
            return v2_bad(o, c, "the P has another status than before", id);
        if (lost && ps->status == V2_PS_SYSCALL) {
            if (ps->m == EV_NONE || o->m[ps->m].p != p)
                return v2_bad(o, c, "no thread holds the P in a system call", id);
            *x = (struct v2_ctx){ps->m, p, o->m[ps->m].g};
        }
        ps->seq = 0;
        ps->seqgen = o->gen->ordinal;
        if (lost) {
            v2_emit_counted(o, c, x, EC_TRANSITION);
            return ADV_OK;
        }
    } else if (met) {
        v2_stirs(&o->blank_p, p);
        o->p[p].status = (uint8_t)st;
        o->p[p].seq = 0;
        o->p[p].seqgen = o->gen->ordinal;
    } else if ((p = v2_p_new(o, id, (uint8_t)st)) == EV_NONE) {
        return ADV_BAD;
    } else if (o->alone && st == V2_PS_ABANDONED) {
        return proc_lost(o, c, x, p);
    }
    if (st == V2_PS_RUNNING || st == V2_PS_SYSCALL)
        bind_p(o, x, p);
    if (known) {
        v2_emit_counted(o, c, x, EC_TRANSITION);
        return ADV_OK;
    }
    struct ev *e = emit_p(o, c, x, p,
                          st == V2_PS_RUNNING   ? ST_SCHED
                          : st == V2_PS_SYSCALL ? ST_SYSCALL
                                                : ST_IDLE);
    e->flags |= v2_since(o);
    return ADV_OK;
}

/* Returns the thread of a goroutine in a system call, or EV_NONE if the event is impossible (v2_bad() was
 * called). */
static uint32_t syscall_thread(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x,
                               uint32_t g, bool known)
{
    const uint64_t id = c->arg[0], mid = c->arg[1];
    const char *bad = NULL;
    uint32_t m = mid == V2_NO_THREAD ? IDMAP_NONE : idmap_get(&o->ms, mid);
    if (mid == V2_NO_THREAD)
        bad = "in a system call without a thread";
    else if (m != IDMAP_NONE && m == x->m)
        bad = !o->first_gen && (!o->alone || known) && (!known || o->m[m].g != g)
                  ? "the thread doesn't have the goroutine"
                  : NULL;
    else if (m != IDMAP_NONE && o->m[m].g != EV_NONE && o->m[m].g != g)
        return v2_bad(o, c, "the thread has another goroutine", mid), EV_NONE;
    else if (m != IDMAP_NONE && o->m[m].g == EV_NONE && known)
        bad = "the thread doesn't have the goroutine";
    else if (m == IDMAP_NONE)
        return v2_m_get(o, mid);
    return bad ? (void)v2_bad(o, c, bad, id), EV_NONE : m;
}

static enum adv status(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, bool with_stack)
{
    uint64_t id = c->arg[0];
    const uint8_t state = v2_state_of(c->arg[2]);
    if (state == ST_NONE)
        return v2_bad(o, c, "invalid status for the goroutine", c->arg[2]);
    uint32_t g = idmap_get(&o->gs, id);
    bool met = g != IDMAP_NONE, known = met && !(o->gen->after_gap && v2_g_at(o, g)->status == ST_UNKNOWN);
    if (known && v2_g_at(o, g)->status != state)
        return v2_bad(o, c, "the goroutine has another status than before", id);
    if (!known && !o->first_gen && !o->alone)
        return v2_bad(o, c, "status of an unknown goroutine", id);
    uint32_t on_m = EV_NONE, on_p = EV_NONE;
    struct v2_ctx who = *x;
    if (state == ST_RUNNING) {
        on_m = x->m;
        on_p = x->p;
    } else if (state == ST_SYSCALL) {
        on_m = syscall_thread(o, c, x, g, known);
        if (on_m == EV_NONE)
            return ADV_BAD;
        on_p = o->m[on_m].p;
        who = (struct v2_ctx){on_m, on_p, EV_NONE};
    }
    if (met)
        v2_stirs(&o->blank_g, g);
    if (met && !known)
        v2_g_at(o, g)->status = state;
    else if (!known && (g = v2_g_new(o, id, state)) == EV_NONE)
        return ADV_BAD;
    v2_g_at(o, g)->seq = 0;
    v2_g_at(o, g)->seqgen = o->gen->ordinal;
    if (on_m != EV_NONE && o->m[on_m].fresh && !known)
        o->m[on_m].was_g = g;
    if (on_m != EV_NONE)
        v2_m_has(o, on_m, g);
    struct ev *e = v2_emit(o, c, &who, EVK_G_STATUS, state);
    e->g = g;
    e->p = on_p;
    e->m = on_m;
    e->arg = id;
    e->flags |= v2_since(o);
    if (with_stack) {
        e->stack = v2_stack_of(o, c->arg[3]);
        e->flags |= EVF_OWN_STACK;
    }
    return ADV_OK;
}

EVENT_IS(go_status, status(o, c, x, false))
EVENT_IS(go_status_stack, status(o, c, x, true))

/* ---- the most common ones, by v2_rules.h --------------------------------------------------------------- */

struct v2_at {
    struct v2_order *o;
    const struct v2_cursor *c;
    const struct v2_ctx *x;
};

#define AT_G(at, i) v2_g_at((at)->o, i)
#define AT_P(at) (&(at)->o->p[(at)->x->p])
#define AT_OWN(at) AT_G(at, (at)->x->g)

static inline struct v2_order *at_order(const struct v2_at *at)
{
    return at->o;
}

static inline uint32_t at_g(const struct v2_at *at)
{
    return at->x->g;
}

static inline uint32_t at_find(const struct v2_at *at, uint64_t id)
{
    return idmap_get(&at->o->gs, id);
}

static inline bool at_follows(const struct v2_at *at, uint32_t gen, uint64_t have, uint64_t want)
{
    return v2_follows(at->o, gen, have, want);
}

static enum adv at_bad(const struct v2_at *at, const char *what, uint64_t id)
{
    return v2_bad(at->o, at->c, what, id);
}

static inline bool at_can_start(const struct v2_at *at)
{
    return at->x->m != EV_NONE && at->x->p != EV_NONE && at->x->g == EV_NONE;
}

static inline void at_runs(const struct v2_at *at, uint32_t g, const struct v2_g *e)
{
    (void)e;
    v2_m_has(at->o, at->x->m, g);
    at->o->m[at->x->m].fresh = false;
}

static bool put_start(const struct v2_at *at, uint32_t g)
{
    emit_g(at->o, at->c, at->x, g, ST_RUNNING);
    return true;
}

static bool put_leave(const struct v2_at *at, uint8_t state, uint64_t reason, uint64_t stack)
{
    struct ev *e = emit_g(at->o, at->c, at->x, at->x->g, state);
    if (state == ST_NONE)
        return true;
    e->str = v2_gen_reason(at->o->s, at->o->gen, reason);
    e->stack = v2_stack_of(at->o, stack);
    e->flags = EVF_OWN_STACK | (state == ST_RUNNABLE ? EVF_STOPPED : 0);
    return true;
}

static bool put_wake(const struct v2_at *at, uint32_t g, uint64_t stack)
{
    struct ev *e = emit_g(at->o, at->c, at->x, g, ST_RUNNABLE);
    e->by = at->x->g;
    e->stack = v2_stack_of(at->o, stack);
    e->flags = EVF_WOKEN;
    return true;
}

static bool put_call(const struct v2_at *at, uint64_t stack)
{
    struct ev *e = emit_g(at->o, at->c, at->x, at->x->g, ST_SYSCALL);
    e->stack = v2_stack_of(at->o, stack);
    e->flags = EVF_OWN_STACK;
    return true;
}

static bool put_return(const struct v2_at *at)
{
    emit_g(at->o, at->c, at->x, at->x->g, ST_RUNNING);
    return true;
}

static enum adv put_create(const struct v2_at *at, uint8_t state, uint64_t id, uint64_t start, uint64_t stack)
{
    struct v2_order *o = at->o;
    uint32_t g = v2_g_new(o, id, state);
    if (g == EV_NONE)
        return ADV_BAD;
    struct ev *e = v2_emit(o, at->c, at->x, EVK_G_CREATE, state);
    e->g = g;
    e->by = at->x->g;
    e->arg = id;
    e->stack2 = v2_stack_of(o, start);
    e->stack = v2_stack_of(o, stack);
    e->flags |= EVF_OWN_STACK;
    return ADV_OK;
}

static bool put_range(const struct v2_at *at, const struct v2_range *r)
{
    const struct v2_ctx *x = at->x;
    struct ev *e = v2_emit(at->o, at->c, x, r->kind, (uint8_t)r->what);
    e->g = r->what == RANGE_SWEEP ? EV_NONE : x->g;
    e->p = r->what == RANGE_SWEEP ? x->p : EV_NONE;
    e->stack = v2_stack_of(at->o, r->stack);
    e->arg = r->a;
    e->arg2 = r->b;
    return true;
}

#include "decode/v2/v2_rules.h"

#define AT (&(struct v2_at){o, c, x})
EVENT_IS(go_start, rule_start(AT, c->arg[0], c->arg[1]))
EVENT_IS(go_stop, rule_leave(AT, ST_RUNNABLE, c->arg[0], c->arg[1]))
EVENT_IS(go_block, rule_leave(AT, ST_WAITING, c->arg[0], c->arg[1]))
EVENT_IS(go_destroy, rule_leave(AT, ST_NONE, 0, 0))
EVENT_IS(go_unblock, rule_wake(AT, c->arg[0], c->arg[1], c->arg[2]))
EVENT_IS(syscall_begin, rule_call(AT, c->arg[0], c->arg[1]))
EVENT_IS(syscall_end, rule_return(AT))
EVENT_IS(go_create, rule_create(AT, ST_RUNNABLE, c->arg[0], c->arg[1], c->arg[2]))
EVENT_IS(go_create_blocked, rule_create(AT, ST_WAITING, c->arg[0], c->arg[1], c->arg[2]))

/* A C thread calls Go, and is in a system call at first. */
EVENT(go_create_syscall)
{
    const enum adv a = rule_create(AT, ST_SYSCALL, c->arg[0], 0, 0);
    if (a == ADV_OK)
        v2_m_has(o, x->m, o->out[o->nout - 1].g);
    return a;
}

EVENT_IS(sweep_begin, rule_range_begin(AT, RANGE_SWEEP, c->arg[0]))
EVENT_IS(sweep_end, rule_range_end(AT, RANGE_SWEEP, c->arg[0], c->arg[1]))
EVENT_IS(assist_begin, rule_range_begin(AT, RANGE_ASSIST, c->arg[0]))
EVENT_IS(assist_end, rule_range_end(AT, RANGE_ASSIST, 0, 0))

/* Only the begin event has the reason for STW. */
EVENT(stw_begin)
{
    struct v2_g *const g = v2_g_at(o, x->g);
    const enum adv a = rule_range_begin(AT, RANGE_STW, c->arg[1]);
    if (a == ADV_OK)
        g->stw_kind = o->out[o->nout - 1].str = v2_str_of(o, c->arg[0]);
    return a;
}

EVENT(stw_end)
{
    const struct v2_g *const g = v2_g_at(o, x->g);
    /* No status shows an open STW, so the segments can't be joined: the trace is read as one. */
    if (!g->stw && o->alone) {
        o->bad = true;
        return ADV_OK;
    }
    const enum adv a = rule_range_end(AT, RANGE_STW, 0, 0);
    if (a == ADV_OK)
        o->out[o->nout - 1].str = g->stw_kind;
    return a;
}

/* ---- the others ---------------------------------------------------------------------------------------- */

EVENT(proc_start)
{
    uint32_t p = idmap_get(&o->ps, c->arg[0]);
    if (p == IDMAP_NONE || o->p[p].status != V2_PS_IDLE ||
        !v2_follows(o, o->p[p].seqgen, o->p[p].seq, c->arg[1]) || x->p != EV_NONE)
        return ADV_WAIT;
    if (x->m == EV_NONE)
        return v2_bad(o, c, "a P starts without a thread", c->arg[0]);
    o->p[p].status = V2_PS_RUNNING;
    o->p[p].seq = c->arg[1];
    o->m[x->m].fresh = false;
    bind_p(o, x, p);
    emit_p(o, c, x, p, ST_SCHED);
    return ADV_OK;
}

EVENT(proc_stop)
{
    struct v2_p *p = &o->p[x->p];
    if (p->status != V2_PS_RUNNING && p->status != V2_PS_SYSCALL)
        return v2_bad(o, c, "the P isn't running", p->id);
    p->status = V2_PS_IDLE;
    v2_p_free(o, x->p);
    emit_p(o, c, x, x->p, ST_IDLE);
    return ADV_OK;
}

EVENT(proc_steal)
{
    uint32_t p = idmap_get(&o->ps, c->arg[0]);
    if (p == IDMAP_NONE || (o->p[p].status != V2_PS_SYSCALL && o->p[p].status != V2_PS_ABANDONED) ||
        !v2_follows(o, o->p[p].seqgen, o->p[p].seq, c->arg[1]))
        return ADV_WAIT;
    if (o->p[p].lost && c->arg[2] == V2_NO_THREAD) {
        o->p[p].status = o->p[p].was = V2_PS_ABANDONED;
        o->p[p].lost = false;
        o->nlost--;
        emit_held(o, p, EV_NONE, EV_NONE, ST_IDLE);
    } else if (o->p[p].lost) {
        uint32_t m = v2_m_get(o, c->arg[2]);
        if (m == EV_NONE)
            return ADV_BAD;
        o->redo |= !o->m[m].fresh || o->m[m].p != EV_NONE;
        thread_found(o, p, m);
    }
    bool lost = o->p[p].status == V2_PS_ABANDONED;
    if (!lost) {
        uint32_t m = idmap_get(&o->ms, c->arg[2]);
        if (m == IDMAP_NONE || o->m[m].p != p)
            return v2_bad(o, c, "the thread it is stolen from doesn't have the P", c->arg[2]);
    }
    o->p[p].status = V2_PS_IDLE;
    o->p[p].seq = c->arg[1];
    if (lost) {
        v2_emit_counted(o, c, x, EC_TRANSITION);
        return ADV_OK;
    }
    v2_p_free(o, p);
    emit_p(o, c, x, p, ST_IDLE);
    return ADV_OK;
}

/* A coroutine switch is three things at once: the target is unblocked, the current one blocks or ends
 * (state), the target runs. */
static enum adv go_to(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, uint8_t state)
{
    uint32_t g = idmap_get(&o->gs, c->arg[0]);
    if (g == IDMAP_NONE || v2_g_at(o, g)->status != ST_WAITING ||
        !v2_follows(o, v2_g_at(o, g)->seqgen, v2_g_at(o, g)->seq, c->arg[1]))
        return ADV_WAIT;
    if (v2_g_at(o, x->g)->status != ST_RUNNING)
        return v2_bad(o, c, "the goroutine isn't running", v2_g_at(o, x->g)->id);
    v2_g_at(o, g)->status = ST_RUNNING;
    v2_g_at(o, g)->seq = c->arg[1];
    struct ev *e = emit_g(o, c, x, g, ST_RUNNABLE);
    e->by = x->g;
    e->flags = EVF_WOKEN;
    emit_g(o, c, x, x->g, state);
    if (state == ST_NONE)
        v2_g_forget(o, x->g);
    else
        v2_g_at(o, x->g)->status = state;
    v2_m_has(o, x->m, g);
    emit_g(o, c, x, g, ST_RUNNING);
    return ADV_OK;
}

EVENT_IS(go_switch, go_to(o, c, x, ST_WAITING))
EVENT_IS(go_switch_destroy, go_to(o, c, x, ST_NONE))

EVENT(syscall_end_blocked)
{
    if (x->p != EV_NONE && o->p[x->p].status == V2_PS_SYSCALL)
        return ADV_WAIT; /* the P must be stolen first */
    if (v2_g_at(o, x->g)->status != ST_SYSCALL)
        return v2_bad(o, c, "the goroutine isn't in a system call", v2_g_at(o, x->g)->id);
    v2_g_at(o, x->g)->status = ST_RUNNABLE;
    o->m[x->m].g = EV_NONE;
    emit_g(o, c, x, x->g, ST_RUNNABLE);
    return ADV_OK;
}

EVENT(syscall_destroy)
{
    struct v2_p *p = x->p != EV_NONE ? &o->p[x->p] : NULL;
    if (v2_g_at(o, x->g)->status != ST_SYSCALL)
        return v2_bad(o, c, "the goroutine isn't in a system call", v2_g_at(o, x->g)->id);
    if (p && p->status != V2_PS_SYSCALL)
        return v2_bad(o, c, "the P isn't in a system call", p->id);
    if (p) {
        p->status = V2_PS_ABANDONED;
        v2_p_free(o, x->p);
        emit_p(o, c, x, x->p, ST_IDLE);
    }
    o->m[x->m].g = EV_NONE;
    emit_g(o, c, x, x->g, ST_NONE);
    v2_g_forget(o, x->g);
    return ADV_OK;
}

/* ---- dispatch ------------------------------------------------------------------------------------------ */

typedef V2_RULE(rule);
static rule *const rules[256] = {
#define X(n, id, name, since, nargs, context, after, strs, stacks, rule) [n] = v2_rule_##rule,
#include "decode/v2/events_v2.def"
};

enum adv v2_adv(struct v2_order *o, const struct v2_cursor *c)
{
    const struct v2_spec *spec = &v2_specs[c->type];
    struct v2_ctx x = {c->m, EV_NONE, EV_NONE};
    if (c->m != EV_NONE) {
        x.p = o->m[c->m].p;
        x.g = o->m[c->m].g;
    }
    if (spec->since > o->s->version - 1000 && !o->newer) { /* Go's reader accepts them */
        o->newer = true;
        source_warn(o->s, ERR_VERSION, o->gen->ordinal, source_off(o->s, c->at),
                    "an event of go 1.%u, %s, in a trace of go 1.%d", spec->since, spec->name,
                    o->s->version - 1000);
    }
    if (spec->context & V2_SELF)
        return rules[c->type](o, c, &x);
    if (o->nlost && v2_means(c->type) == V2_MEANS_syscall_end && x.m != EV_NONE && x.p == EV_NONE &&
        x.g != EV_NONE && o->m[x.m].fresh) {
        found_only(o, x.m);
        x.p = o->m[x.m].p;
    }
    if (x.m != EV_NONE && x.g == EV_NONE && spec->context & V2_CG && o->m[x.m].fresh && found_running(o, x.m))
        x.g = o->m[x.m].g;
    if (x.m != EV_NONE && !(spec->context & V2_TELLS))
        o->m[x.m].fresh = false;
    return v2_lacks(&x, spec->context) ? v2_bad_context(o, c, &x, spec->context) : rules[c->type](o, c, &x);
}
