/*
 * v2_adv.c - the events of the second family: what each needs, what it changes, what neutral events it is.
 *
 * An event waits before it is found bad, as Go's reader has it, and nothing changes before both tests are passed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/v2/v2_state.h"

enum { CM = 1, CP = 2, CG = 4, NP = 8, NG = 16 };

const struct v2_spec v2_specs[256] = {
#define X(n, id, since, nargs, ctx, strs, stks) [n] = {nargs + 1, ctx, since, strs, stks, #id},
#include "decode/v2/events_v2.def"
#undef X
};
#define X(n, id, since, nargs, ctx, strs, stks) \
    _Static_assert((nargs) <= sizeof((struct v2_cursor *)0)->arg / sizeof(uint64_t), \
                   "a cursor has room for " #id "'s arguments");
#include "decode/v2/events_v2.def"
#undef X

/* ---- look-ups --------------------------------------------------------------------------------------------- */

void *v2_room(struct v2_order *o, void *p, size_t *cap, size_t need, size_t size)
{
    void *q = mem_grow(p, cap, need, size);
    if (!q)
        o->oom = true;
    return q;
}

uint32_t v2_m_get(struct v2_order *o, uint64_t id)
{
    if (id == V2_NO_THREAD)
        return EV_NONE;
    uint32_t i = idmap_get(&o->ms, id);
    if (i != IDMAP_NONE)
        return i;
    struct v2_m *m = v2_room(o, o->m, &o->capm, o->nm + 1, sizeof *m);
    if (m)
        o->m = m;
    if (!m || !idmap_put(&o->ms, id, (uint32_t)o->nm)) {
        o->oom = true;
        return EV_NONE;
    }
    m[o->nm] = (struct v2_m){.id = id, .g = EV_NONE, .p = EV_NONE, .fresh = true, .was_g = EV_NONE, .was_p = EV_NONE};
    return (uint32_t)o->nm++;
}

uint32_t v2_p_new(struct v2_order *o, uint64_t id, uint8_t status)
{
    struct v2_p *p = v2_room(o, o->p, &o->capp, o->np + 1, sizeof *p);
    if (p)
        o->p = p;
    if (!p || !idmap_put(&o->ps, id, (uint32_t)o->np)) {
        o->oom = true;
        return EV_NONE;
    }
    p[o->np] = (struct v2_p){.id = id, .status = status, .m = EV_NONE, .seqgen = o->gen->ordinal, .was = status};
    return (uint32_t)o->np++;
}

uint32_t v2_g_new(struct v2_order *o, uint64_t id, uint8_t status)
{
    struct v2_g *g = v2_room(o, o->g, &o->capg, o->ng + 1, sizeof *g);
    if (g)
        o->g = g;
    if (!g || !idmap_put(&o->gs, id, (uint32_t)o->ng)) {
        o->oom = true;
        return EV_NONE;
    }
    g[o->ng] = (struct v2_g){.id = id, .status = status, .seqgen = o->gen->ordinal};
    return (uint32_t)o->ng++;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/*
 * A goroutine's entry is asked for no more; where all of a page's are, the page is given back. Its zeros say ST_NONE, too.
 * Neighbours together: each time costs a system call.
 */
static void g_gone(struct v2_order *o, uint32_t g)
{
    size_t page = g / V2_GONE, was = o->capgone;
    if (page >= was) {
        uint8_t *v = mem_grow(o->gone, &o->capgone, page + 1, 1);
        if (!v)
            return; /* nothing is lost but memory */
        memset(v + was, 0, o->capgone - was);
        o->gone = v;
    }
    if (++o->gone[page] < V2_GONE)
        return;
    uint32_t *due = o->gone_due;
    due[o->ngone_due++] = (uint32_t)page;
    if (o->ngone_due < sizeof o->gone_due / sizeof *due)
        return;
    qsort(due, o->ngone_due, sizeof *due, by_number);
    for (size_t i = 0, n; i < o->ngone_due; i += n) {
        for (n = 1; i + n < o->ngone_due && due[i + n] == due[i] + n; n++) {
        }
        (void)mem_hollow(o->g, due[i] * V2_GONE * sizeof *o->g, n * V2_GONE * sizeof *o->g);
    }
    o->ngone_due = 0;
}

void v2_g_forget(struct v2_order *o, uint32_t g)
{
    if (o->g[g].status == ST_NONE)
        return;
    idmap_del(&o->gs, o->g[g].id);
    o->g[g].status = ST_NONE;
    while (o->g[g].region) {
        uint32_t r = o->g[g].region;
        o->g[g].region = o->region[r - 1].below;
        o->region[r - 1].below = o->region_free;
        o->region_free = r;
    }
    g_gone(o, g);
}

static uint32_t str_of(struct v2_order *o, uint64_t id)
{
    return v2_gen_str(o->s, o->gen, id);
}

static inline uint32_t stack_of(struct v2_order *o, uint64_t id)
{
    return v2_gen_stack(o->gen, id);
}

/* ---- emitting --------------------------------------------------------------------------------------------- */

static inline struct ev *room_next(struct v2_order *o)
{
    struct ev *e = (void *)&o->out[o->nout];
    o->nout += EVS_LONG;
    return e;
}

/* Before a trace's first event: where time begins. Before a thread's first one: that it is there. */
static __attribute__((noinline)) void emit_first(struct v2_order *o, uint32_t m, int64_t t)
{
    if (!o->have_base) {
        o->have_base = true;
        o->base = t;
        o->s->st.first_ns = t;
        o->s->st.lead_ns = t - o->sync;
    }
    if (m != EV_NONE && !o->m[m].told) {
        o->m[m].told = true;
        *room_next(o) = (struct ev){.t = t - o->base,
                                    .kind = EVK_M_NEW,
                                    .g = EV_NONE,
                                    .p = EV_NONE,
                                    .m = m,
                                    .by = EV_NONE,
                                    .arg = o->m[m].id};
    }
}

/* The next neutral event. Times are made to differ, as Go does it: not later than the last one means 1 ns later. */
struct ev *v2_emit(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, enum ev_kind kind,
                   uint8_t state)
{
    int64_t t = c->t <= o->last ? o->last + 1 : c->t;
    o->last = t;
    if (__builtin_expect(!o->have_base || (x->m != EV_NONE && !o->m[x->m].told), 0))
        emit_first(o, x->m, t);
    struct ev *e = room_next(o);
    *e = (struct ev){
        .t = t - o->base, .kind = (uint8_t)kind, .state = state, .g = x->g, .p = x->p, .m = x->m, .by = EV_NONE};
    return e;
}

struct ev *v2_quiet(struct v2_order *o, int64_t t)
{
    struct ev *e = room_next(o);
    *e = (struct ev){.t = (t > o->last ? t : o->last) - o->base,
                     .flags = EVF_QUIET,
                     .g = EV_NONE,
                     .p = EV_NONE,
                     .m = EV_NONE,
                     .by = EV_NONE};
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

static void emit_counted(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x, enum ev_class class)
{
    struct ev *e = v2_emit(o, c, x, EVK_COUNT_ONLY, class);
    e->g = e->p = EV_NONE;
}

/* ---- one event -------------------------------------------------------------------------------------------- */

static enum adv bad(struct v2_order *o, const struct v2_cursor *c, const char *what, uint64_t id)
{
    o->bad = true;
    o->again |= o->nlost > 0;
    if (!o->loose)
        source_damage(o->s, ERR_ORDER, o->gen->ordinal, (uint64_t)(c->at - o->s->data), "event %s: %s (%" PRId64 ")",
                      v2_specs[c->type].name, what, (int64_t)id);
    return ADV_BAD;
}

static void bind_p(struct v2_order *o, const struct v2_ctx *x, uint32_t p)
{
    if (x->m == EV_NONE)
        return;
    if (o->m[x->m].fresh)
        o->m[x->m].was_p = p;
    o->m[x->m].p = p;
    o->p[p].m = x->m;
}

static void unbind_p(struct v2_order *o, uint32_t p)
{
    uint32_t m = o->p[p].m;
    if (m != EV_NONE && o->m[m].p == p)
        o->m[m].p = EV_NONE;
    o->p[p].m = EV_NONE;
}

/* What is told of here holds since the trace, or this segment of it, began; or was known all along. */
static inline uint16_t since(const struct v2_order *o)
{
    return o->first_gen ? EVF_BACKDATE : o->alone ? EVF_CARRIED : 0;
}

/* Into o->was. false: out of memory. */
static bool was_note(struct v2_order *o, uint32_t g, uint8_t status, bool assists)
{
    struct v2_was *w = v2_room(o, o->was, &o->capwas, o->nwas + 1, sizeof *w);
    if (!w)
        return false;
    o->was = w;
    w[o->nwas++] = (struct v2_was){g, status, assists};
    return true;
}

/* What holds all along, beside the events: the P and the thread, or the goroutine in its call. */
static void emit_held(struct v2_order *o, uint32_t p, uint32_t m, uint32_t g)
{
    struct ev *e = room_next(o);
    *e = (struct ev){.t = o->last - o->base,
                     .kind = g == EV_NONE ? EVK_P_STATE : EVK_G_STATUS,
                     .state = ST_SYSCALL,
                     .flags = EVF_QUIET | EVF_CARRIED,
                     .g = g,
                     .p = p,
                     .m = m,
                     .by = EV_NONE,
                     .arg = g == EV_NONE ? o->p[p].id : o->g[g].id};
}

/* A P that nobody knew whose it was has been this thread's since the segment began. */
static void found(struct v2_order *o, uint32_t p, uint32_t m)
{
    o->p[p].lost = false;
    o->nlost--;
    o->p[p].m = m;
    o->m[m].p = o->m[m].was_p = p;
    emit_held(o, p, m, EV_NONE);
}

/* The only such P there is, for a thread whose call ends with it. */
static void found_only(struct v2_order *o, uint32_t m)
{
    for (uint32_t p = 0; o->nlost == 1 && p < o->np; p++)
        if (o->p[p].lost)
            found(o, p, m);
    o->again |= o->nlost > 0;
}

/* In a segment a P is told of as left behind by a system call: it is, or the call goes on. */
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
    found(o, p, m);
    if (o->m[m].g != EV_NONE || idmap_get(&o->gs, gid) != IDMAP_NONE)
        return ADV_OK;
    uint32_t g = v2_g_new(o, gid, ST_SYSCALL);
    if (g == EV_NONE || !was_note(o, g, ST_SYSCALL, false))
        return ADV_BAD;
    o->m[m].g = o->m[m].was_g = g;
    emit_held(o, p, m, g);
    return ADV_OK;
}

static enum adv proc_status(struct v2_order *o, const struct v2_cursor *c, struct v2_ctx *x)
{
    uint64_t id = c->arg[0], st = c->arg[1];
    if (st < V2_PS_RUNNING || st > V2_PS_ABANDONED)
        return bad(o, c, "invalid status for the P", st);
    uint32_t p = idmap_get(&o->ps, id);
    bool met = p != IDMAP_NONE, known = met && !(o->gen->apart && o->p[p].status == V2_PS_LOST);
    if (known) {
        struct v2_p *ps = &o->p[p];
        bool lost = st == V2_PS_ABANDONED && (ps->status == V2_PS_SYSCALL || ps->status == V2_PS_ABANDONED);
        if (!lost && ps->status != st)
            return bad(o, c, "the P has another status than before", id);
        if (lost && ps->status == V2_PS_SYSCALL) {
            if (ps->m == EV_NONE || o->m[ps->m].p != p)
                return bad(o, c, "no thread holds the P in a system call", id);
            *x = (struct v2_ctx){ps->m, p, o->m[ps->m].g};
        }
        ps->seq = 0;
        ps->seqgen = o->gen->ordinal;
        if (lost) {
            emit_counted(o, c, x, EC_TRANSITION);
            return ADV_OK;
        }
    } else if (met) {
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
        emit_counted(o, c, x, EC_TRANSITION);
        return ADV_OK;
    }
    struct ev *e = emit_p(o, c, x, p, st == V2_PS_RUNNING ? ST_SCHED : st == V2_PS_SYSCALL ? ST_SYSCALL : ST_IDLE);
    e->flags |= since(o);
    return ADV_OK;
}

static enum adv go_status(struct v2_order *o, const struct v2_cursor *c, struct v2_ctx *x)
{
    static const uint8_t state_of[5] = {ST_NONE, ST_RUNNABLE, ST_RUNNING, ST_SYSCALL, ST_WAITING};
    uint64_t id = c->arg[0], mid = c->arg[1], st = c->arg[2];
    if (st < 1 || st > 4)
        return bad(o, c, "invalid status for the goroutine", st);
    uint8_t state = state_of[st];
    uint32_t g = idmap_get(&o->gs, id);
    bool met = g != IDMAP_NONE, known = met && !(o->gen->apart && o->g[g].status == ST_UNKNOWN);
    if (known && o->g[g].status != state)
        return bad(o, c, "the goroutine has another status than before", id);
    if (!known && !o->first_gen && !o->alone)
        return bad(o, c, "status of an unknown goroutine", id);
    uint32_t on_m = EV_NONE, on_p = EV_NONE;
    struct v2_ctx who = *x;
    if (state == ST_RUNNING) {
        on_m = x->m;
        on_p = x->p;
    } else if (state == ST_SYSCALL) {
        if (mid == V2_NO_THREAD)
            return bad(o, c, "in a system call without a thread", id);
        uint32_t m = idmap_get(&o->ms, mid);
        if (m != IDMAP_NONE && m == x->m) {
            if (!o->first_gen && (!o->alone || known) && (!known || o->m[m].g != g))
                return bad(o, c, "the thread doesn't have the goroutine", id);
        } else if (m != IDMAP_NONE && o->m[m].g != EV_NONE) {
            if (o->m[m].g != g)
                return bad(o, c, "the thread has another goroutine", mid);
        } else if (m != IDMAP_NONE && known) {
            return bad(o, c, "the thread doesn't have the goroutine", id);
        } else if ((m = v2_m_get(o, mid)) == EV_NONE) {
            return ADV_BAD;
        }
        on_m = m;
        on_p = o->m[m].p;
        who = (struct v2_ctx){on_m, on_p, EV_NONE};
    }
    if (met && !known)
        o->g[g].status = state;
    else if (!known && ((g = v2_g_new(o, id, state)) == EV_NONE || (o->alone && !was_note(o, g, state, false))))
        return ADV_BAD;
    o->g[g].seq = 0;
    o->g[g].seqgen = o->gen->ordinal;
    if (on_m != EV_NONE && o->m[on_m].fresh && !known)
        o->m[on_m].was_g = g;
    if (on_m != EV_NONE)
        o->m[on_m].g = g;
    struct ev *e = v2_emit(o, c, &who, EVK_G_STATUS, state);
    e->g = g;
    e->p = on_p;
    e->m = on_m;
    e->arg = id;
    e->flags |= since(o);
    if (c->type == V2_GO_STATUS_STACK) {
        e->stack = stack_of(o, c->arg[3]);
        e->flags |= EVF_OWN_STACK;
    }
    return ADV_OK;
}

static enum adv proc_start(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t p = idmap_get(&o->ps, c->arg[0]);
    if (p == IDMAP_NONE || o->p[p].status != V2_PS_IDLE || !v2_follows(o, o->p[p].seqgen, o->p[p].seq, c->arg[1]) ||
        x->p != EV_NONE)
        return ADV_WAIT;
    if (x->m == EV_NONE)
        return bad(o, c, "a P starts without a thread", c->arg[0]);
    o->p[p].status = V2_PS_RUNNING;
    o->p[p].seq = c->arg[1];
    o->m[x->m].fresh = false;
    bind_p(o, x, p);
    emit_p(o, c, x, p, ST_SCHED);
    return ADV_OK;
}

static enum adv proc_stop(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    struct v2_p *p = &o->p[x->p];
    if (p->status != V2_PS_RUNNING && p->status != V2_PS_SYSCALL)
        return bad(o, c, "the P isn't running", p->id);
    p->status = V2_PS_IDLE;
    unbind_p(o, x->p);
    emit_p(o, c, x, x->p, ST_IDLE);
    return ADV_OK;
}

static enum adv proc_steal(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t p = idmap_get(&o->ps, c->arg[0]);
    if (p == IDMAP_NONE || (o->p[p].status != V2_PS_SYSCALL && o->p[p].status != V2_PS_ABANDONED) ||
        !v2_follows(o, o->p[p].seqgen, o->p[p].seq, c->arg[1]))
        return ADV_WAIT;
    if (o->p[p].lost && c->arg[2] == V2_NO_THREAD) {
        o->p[p].status = o->p[p].was = V2_PS_ABANDONED;
        o->p[p].lost = false;
        o->nlost--;
    } else if (o->p[p].lost) {
        uint32_t m = v2_m_get(o, c->arg[2]);
        if (m == EV_NONE)
            return ADV_BAD;
        o->again |= !o->m[m].fresh || o->m[m].p != EV_NONE;
        found(o, p, m);
    }
    bool lost = o->p[p].status == V2_PS_ABANDONED;
    if (!lost) {
        uint32_t m = idmap_get(&o->ms, c->arg[2]);
        if (m == IDMAP_NONE || o->m[m].p != p)
            return bad(o, c, "the thread it is stolen from doesn't have the P", c->arg[2]);
    }
    o->p[p].status = V2_PS_IDLE;
    o->p[p].seq = c->arg[1];
    if (lost) {
        emit_counted(o, c, x, EC_TRANSITION);
        return ADV_OK;
    }
    unbind_p(o, p);
    emit_p(o, c, x, p, ST_IDLE);
    return ADV_OK;
}

static enum adv go_create(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint64_t id = c->arg[0];
    if (idmap_get(&o->gs, id) != IDMAP_NONE)
        return bad(o, c, "the goroutine exists already", id);
    if (x->g != EV_NONE && o->g[x->g].status != ST_RUNNING)
        return bad(o, c, "the creating goroutine isn't running", o->g[x->g].id);
    uint8_t state = c->type == V2_GO_CREATE ? ST_RUNNABLE : ST_WAITING;
    uint32_t g = v2_g_new(o, id, state);
    if (g == EV_NONE)
        return ADV_BAD;
    struct ev *e = v2_emit(o, c, x, EVK_G_CREATE, state);
    e->g = g;
    e->by = x->g;
    e->arg = id;
    e->stack2 = stack_of(o, c->arg[1]);
    e->stack = stack_of(o, c->arg[2]);
    e->flags |= EVF_OWN_STACK;
    return ADV_OK;
}

static enum adv go_create_syscall(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint64_t id = c->arg[0];
    if (idmap_get(&o->gs, id) != IDMAP_NONE)
        return bad(o, c, "the goroutine exists already", id);
    uint32_t g = v2_g_new(o, id, ST_SYSCALL);
    if (g == EV_NONE)
        return ADV_BAD;
    o->m[x->m].g = g;
    struct ev *e = v2_emit(o, c, x, EVK_G_CREATE, ST_SYSCALL);
    e->g = g;
    e->arg = id;
    return ADV_OK;
}

static enum adv go_start(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t g = idmap_get(&o->gs, c->arg[0]);
    if (g == IDMAP_NONE || o->g[g].status != ST_RUNNABLE || !v2_follows(o, o->g[g].seqgen, o->g[g].seq, c->arg[1]))
        return ADV_WAIT;
    if (x->m == EV_NONE || x->p == EV_NONE || x->g != EV_NONE)
        return bad(o, c, "it starts where it can't", c->arg[0]);
    o->g[g].status = ST_RUNNING;
    o->g[g].seq = c->arg[1];
    o->m[x->m].g = g;
    o->m[x->m].fresh = false;
    emit_g(o, c, x, g, ST_RUNNING);
    return ADV_OK;
}

/* GoStop, GoBlock, GoDestroy: the current goroutine leaves. */
static enum adv go_leave(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    if (o->g[x->g].status != ST_RUNNING)
        return bad(o, c, "the goroutine isn't running", o->g[x->g].id);
    o->m[x->m].g = EV_NONE;
    if (c->type == V2_GO_DESTROY) {
        emit_g(o, c, x, x->g, ST_NONE);
        v2_g_forget(o, x->g);
        return ADV_OK;
    }
    uint8_t state = c->type == V2_GO_STOP ? ST_RUNNABLE : ST_WAITING;
    o->g[x->g].status = state;
    struct ev *e = emit_g(o, c, x, x->g, state);
    e->str = v2_gen_reason(o->s, o->gen, c->arg[0]);
    e->stack = stack_of(o, c->arg[1]);
    e->flags = EVF_OWN_STACK | (state == ST_RUNNABLE ? EVF_STOPPED : 0);
    return ADV_OK;
}

static enum adv go_unblock(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t g = idmap_get(&o->gs, c->arg[0]);
    if (g == IDMAP_NONE || o->g[g].status != ST_WAITING || !v2_follows(o, o->g[g].seqgen, o->g[g].seq, c->arg[1]))
        return ADV_WAIT;
    o->g[g].status = ST_RUNNABLE;
    o->g[g].seq = c->arg[1];
    struct ev *e = emit_g(o, c, x, g, ST_RUNNABLE);
    e->by = x->g;
    e->stack = stack_of(o, c->arg[2]);
    e->flags = EVF_WOKEN;
    return ADV_OK;
}

/* A coroutine switch is three things at once: the target wakes, the current one blocks or ends, the target runs. */
static enum adv go_switch(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t g = idmap_get(&o->gs, c->arg[0]);
    if (g == IDMAP_NONE || o->g[g].status != ST_WAITING || !v2_follows(o, o->g[g].seqgen, o->g[g].seq, c->arg[1]))
        return ADV_WAIT;
    if (o->g[x->g].status != ST_RUNNING)
        return bad(o, c, "the goroutine isn't running", o->g[x->g].id);
    o->g[g].status = ST_RUNNING;
    o->g[g].seq = c->arg[1];
    struct ev *e = emit_g(o, c, x, g, ST_RUNNABLE);
    e->by = x->g;
    e->flags = EVF_WOKEN;
    if (c->type == V2_GO_SWITCH_DESTROY) {
        emit_g(o, c, x, x->g, ST_NONE);
        v2_g_forget(o, x->g);
    } else {
        o->g[x->g].status = ST_WAITING;
        emit_g(o, c, x, x->g, ST_WAITING);
    }
    o->m[x->m].g = g;
    emit_g(o, c, x, g, ST_RUNNING);
    return ADV_OK;
}

static enum adv syscall_begin(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    struct v2_g *g = &o->g[x->g];
    struct v2_p *p = &o->p[x->p];
    if (g->status != ST_RUNNING)
        return bad(o, c, "the goroutine isn't running", g->id);
    if (!v2_follows(o, p->seqgen, p->seq, c->arg[0]))
        return bad(o, c, "the P's sequence number doesn't follow", c->arg[0]);
    g->status = ST_SYSCALL;
    p->status = V2_PS_SYSCALL;
    p->seq = c->arg[0];
    struct ev *e = emit_g(o, c, x, x->g, ST_SYSCALL);
    e->stack = stack_of(o, c->arg[1]);
    e->flags = EVF_OWN_STACK;
    return ADV_OK;
}

static enum adv syscall_end(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    struct v2_g *g = &o->g[x->g];
    struct v2_p *p = &o->p[x->p];
    if (g->status != ST_SYSCALL || p->status != V2_PS_SYSCALL)
        return bad(o, c, "the goroutine isn't in a system call with its P", g->id);
    g->status = ST_RUNNING;
    p->status = V2_PS_RUNNING;
    emit_g(o, c, x, x->g, ST_RUNNING);
    return ADV_OK;
}

static enum adv syscall_event(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    struct v2_g *g = &o->g[x->g];
    struct v2_p *p = x->p != EV_NONE ? &o->p[x->p] : NULL;
    switch (c->type) {
    case V2_GO_SYSCALL_BEGIN: return syscall_begin(o, c, x);
    case V2_GO_SYSCALL_END: return syscall_end(o, c, x);
    case V2_GO_SYSCALL_END_BLOCKED:
        if (p && p->status == V2_PS_SYSCALL)
            return ADV_WAIT; /* somebody steals the P first */
        if (g->status != ST_SYSCALL)
            return bad(o, c, "the goroutine isn't in a system call", g->id);
        g->status = ST_RUNNABLE;
        o->m[x->m].g = EV_NONE;
        emit_g(o, c, x, x->g, ST_RUNNABLE);
        return ADV_OK;
    default: /* V2_GO_DESTROY_SYSCALL */
        if (g->status != ST_SYSCALL)
            return bad(o, c, "the goroutine isn't in a system call", g->id);
        if (p && p->status != V2_PS_SYSCALL)
            return bad(o, c, "the P isn't in a system call", p->id);
        if (p) {
            p->status = V2_PS_ABANDONED;
            unbind_p(o, x->p);
            emit_p(o, c, x, x->p, ST_IDLE);
        }
        o->m[x->m].g = EV_NONE;
        emit_g(o, c, x, x->g, ST_NONE);
        v2_g_forget(o, x->g);
        return ADV_OK;
    }
}

static enum adv gc_event(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint64_t seq = c->arg[0];
    bool next = o->gc != GC_UNKNOWN && seq == o->gc_seq + 1;
    struct ev *e;
    if (!o->gc_first) {
        o->gc_first = c->type;
        o->gc_first_seq = seq;
    }
    if (c->type == V2_GC_END) {
        if (!next)
            return o->gc == GC_UNKNOWN ? bad(o, c, "GC ends that did not begin", seq) : ADV_WAIT;
        if (o->gc != GC_ON)
            return bad(o, c, "GC ends that did not begin", seq);
        o->gc = GC_OFF;
        e = v2_emit(o, c, x, EVK_RANGE_END, RANGE_GC);
    } else if (c->type == V2_GC_BEGIN) {
        if (o->gc != GC_UNKNOWN && !next)
            return ADV_WAIT;
        if (o->gc == GC_ON)
            return bad(o, c, "GC begins while it runs", seq);
        o->gc = GC_ON;
        e = v2_emit(o, c, x, EVK_RANGE_BEGIN, RANGE_GC);
        e->stack = stack_of(o, c->arg[1]);
    } else {
        if (o->first_gen) {
            if (o->gc != GC_UNKNOWN)
                return bad(o, c, "GC active after other GC events", seq);
        } else if (!o->alone || o->gc != GC_UNKNOWN) {
            if (!next)
                return ADV_WAIT;
            if (o->gc != GC_ON)
                return bad(o, c, "GC active that did not begin", seq);
        }
        o->gc = GC_ON;
        e = v2_emit(o, c, x, EVK_RANGE_ACTIVE, RANGE_GC);
        e->flags |= since(o);
    }
    o->gc_seq = seq;
    e->arg = c->type == V2_GC_END ? 0 : seq;
    e->g = e->p = EV_NONE;
    return ADV_OK;
}

/* Sweep on a P, mark assist and stop-the-world on a goroutine: open or not, and whose. */
static enum adv range_event(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    bool *open;
    uint8_t kind;
    struct v2_ctx owner = {x->m, EV_NONE, EV_NONE};
    enum { BEGIN, ACTIVE, END } what = BEGIN;
    switch (c->type) {
    case V2_GC_SWEEP_ACTIVE:
        if ((owner.p = idmap_get(&o->ps, c->arg[0])) == IDMAP_NONE)
            return bad(o, c, "sweep on an unknown P", c->arg[0]);
        what = ACTIVE;
        goto sweep;
    case V2_GC_SWEEP_END: what = END; /* fallthrough */
    case V2_GC_SWEEP_BEGIN:
        owner.p = x->p;
    sweep:
        open = &o->p[owner.p].sweep;
        kind = RANGE_SWEEP;
        break;
    case V2_GC_ASSIST_ACTIVE:
        if ((owner.g = idmap_get(&o->gs, c->arg[0])) == IDMAP_NONE)
            return bad(o, c, "mark assist of an unknown goroutine", c->arg[0]);
        what = ACTIVE;
        goto assist;
    case V2_GC_ASSIST_END: what = END; /* fallthrough */
    case V2_GC_ASSIST_BEGIN:
        owner.g = x->g;
    assist:
        open = &o->g[owner.g].assist;
        kind = RANGE_ASSIST;
        break;
    case V2_STW_END: what = END; /* fallthrough */
    default:                     /* V2_STW_BEGIN */
        owner.g = x->g;
        open = &o->g[x->g].stw;
        kind = RANGE_STW;
        break;
    }
    bool want = what == END || (what == ACTIVE && !o->first_gen), carried = what == ACTIVE && o->alone && !*open;
    if (carried && kind == RANGE_SWEEP)
        o->p[owner.p].swept = true;
    else if (carried && !was_note(o, owner.g, 0, true))
        return ADV_BAD;
    if (*open != want && !carried)
        return bad(o, c, want ? "the range isn't open" : "the range is open already", 0);
    *open = what != END;
    struct ev *e = v2_emit(o, c, x,
                           what == END      ? EVK_RANGE_END
                           : what == ACTIVE ? EVK_RANGE_ACTIVE
                                            : EVK_RANGE_BEGIN,
                           kind);
    e->g = owner.g;
    e->p = owner.p;
    if (what == ACTIVE)
        e->flags |= since(o);
    if (c->type == V2_STW_BEGIN) {
        o->g[x->g].stw_kind = e->str = str_of(o, c->arg[0]);
        e->stack = stack_of(o, c->arg[1]);
    } else if (c->type == V2_STW_END) {
        e->str = o->g[x->g].stw_kind;
    } else if (what == BEGIN) {
        e->stack = stack_of(o, c->arg[0]);
    } else if (c->type == V2_GC_SWEEP_END) {
        e->arg = c->arg[0];
        e->arg2 = c->arg[1];
    }
    return ADV_OK;
}

static enum adv region_begin(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t r = o->region_free;
    if (r) {
        o->region_free = o->region[r - 1].below;
    } else {
        struct v2_open_region *v = v2_room(o, o->region, &o->capregion, o->nregion + 1, sizeof *v);
        if (!v)
            return ADV_BAD;
        o->region = v;
        r = (uint32_t)++o->nregion;
    }
    uint32_t name = str_of(o, c->arg[1]);
    o->region[r - 1] = (struct v2_open_region){c->arg[0], name, o->g[x->g].region};
    o->g[x->g].region = r;
    struct ev *e = v2_emit(o, c, x, EVK_REGION_BEGIN, 0);
    e->arg = c->arg[0];
    e->str = name;
    e->stack = stack_of(o, c->arg[2]);
    return ADV_OK;
}

static enum adv region_end(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    uint32_t r = o->g[x->g].region, name = str_of(o, c->arg[1]);
    if (r) {
        if (o->region[r - 1].task != c->arg[0] || o->region[r - 1].name != name)
            return bad(o, c, "another region is the innermost one", c->arg[0]);
        o->g[x->g].region = o->region[r - 1].below;
        o->region[r - 1].below = o->region_free;
        o->region_free = r;
    }
    struct ev *e = v2_emit(o, c, x, EVK_REGION_END, 0);
    e->arg = c->arg[0];
    e->str = name;
    e->stack = stack_of(o, c->arg[2]);
    return ADV_OK;
}

static enum adv task_event(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    struct ev *e;
    if (c->type == V2_TASK_BEGIN) {
        if (idmap_get(&o->tasks, c->arg[0]) != IDMAP_NONE)
            return bad(o, c, "the task is open already", c->arg[0]);
        if (!idmap_put(&o->tasks, c->arg[0], 0)) {
            o->oom = true;
            return ADV_BAD;
        }
        e = v2_emit(o, c, x, EVK_TASK_BEGIN, 0);
        e->arg2 = c->arg[1];
        e->str = str_of(o, c->arg[2]);
        e->stack = stack_of(o, c->arg[3]);
    } else {
        idmap_del(&o->tasks, c->arg[0]);
        e = v2_emit(o, c, x, EVK_TASK_END, 0);
        e->stack = stack_of(o, c->arg[1]);
    }
    e->arg = c->arg[0];
    return ADV_OK;
}

/* The runtime labels mark workers alone: where the label's text was cut off it is still one of theirs. */
static uint32_t label_of(struct v2_order *o, uint64_t id)
{
    static const char text[] = "GC (not recorded)";
    uint32_t str;
    if (!o->loose || idmap_get(&o->gen->strs, id) != IDMAP_NONE)
        return str_of(o, id);
    o->gen->missing++;
    return names_str(o->s->names, text, sizeof text - 1, &str) ? 0 : str;
}

static enum adv note(struct v2_order *o, const struct v2_cursor *c, const struct v2_ctx *x)
{
    struct ev *e;
    switch (c->type) {
    case V2_PROCS_CHANGE: e = v2_emit(o, c, x, EVK_METRIC, METRIC_PROCS); break;
    case V2_HEAP_ALLOC: e = v2_emit(o, c, x, EVK_METRIC, METRIC_HEAP); break;
    case V2_HEAP_GOAL: e = v2_emit(o, c, x, EVK_METRIC, METRIC_GOAL); break;
    case V2_GO_LABEL:
        e = v2_emit(o, c, x, EVK_G_LABEL, 0);
        e->str = label_of(o, c->arg[0]);
        return ADV_OK;
    case V2_USER_LOG:
        e = v2_emit(o, c, x, EVK_LOG, 0);
        e->str = str_of(o, c->arg[1]);
        e->stack2 = str_of(o, c->arg[2]);
        e->stack = stack_of(o, c->arg[3]);
        break;
    case V2_CLOCK_SNAPSHOT: return bad(o, c, "a clock snapshot outside its batch", 0);
    default: emit_counted(o, c, x, EC_EXPERIMENTAL); return ADV_OK;
    }
    e->arg = c->arg[0];
    return ADV_OK;
}

enum adv v2_adv(struct v2_order *o, const struct v2_cursor *c)
{
    struct v2_ctx x = {c->m, EV_NONE, EV_NONE};
    if (c->m != EV_NONE) {
        x.p = o->m[c->m].p;
        x.g = o->m[c->m].g;
    }
    unsigned need = v2_specs[c->type].ctx;
    if (v2_specs[c->type].since > o->s->version - 1000 && !o->newer) { /* Go's reader takes them */
        o->newer = true;
        source_warn(o->s, ERR_VERSION, o->gen->ordinal, (uint64_t)(c->at - o->s->data),
                    "an event of go 1.%u, %s, in a trace of go 1.%d", v2_specs[c->type].since, v2_specs[c->type].name,
                    o->s->version - 1000);
    }
    if (c->type == V2_GO_START)
        return go_start(o, c, &x);
    if (c->type == V2_PROC_START)
        return proc_start(o, c, &x);
    if ((c->type == V2_GC_ACTIVE && !o->first_gen) || (c->type == V2_GC_BEGIN && (o->gc != GC_UNKNOWN || o->alone)))
        need = CM | CP | CG;
    if (o->nlost && c->type == V2_GO_SYSCALL_END && x.m != EV_NONE && x.p == EV_NONE && x.g != EV_NONE &&
        o->m[x.m].fresh) {
        found_only(o, x.m);
        x.p = o->m[x.m].p;
    }
    if (x.m != EV_NONE && c->type != V2_GO_STATUS && c->type != V2_GO_STATUS_STACK && c->type != V2_PROC_STATUS &&
        c->type != V2_GC_SWEEP_ACTIVE && c->type != V2_GC_ASSIST_ACTIVE)
        o->m[x.m].fresh = false;
    if ((need & CM && x.m == EV_NONE) || (need & CP && x.p == EV_NONE) || (need & CG && x.g == EV_NONE) ||
        (need & NG && x.g != EV_NONE))
        return bad(o, c,
                   need & CM && x.m == EV_NONE   ? "expected a thread, found none"
                   : need & CP && x.p == EV_NONE ? "expected a P, found none"
                   : need & NG                   ? "expected no goroutine, found one"
                                                 : "expected a goroutine, found none",
                   x.m == EV_NONE ? UINT64_MAX : o->m[x.m].id);
    switch (c->type) {
    case V2_GO_STOP:
    case V2_GO_BLOCK:
    case V2_GO_DESTROY: return go_leave(o, c, &x);
    case V2_GO_UNBLOCK: return go_unblock(o, c, &x);
    case V2_GO_SYSCALL_BEGIN:
    case V2_GO_SYSCALL_END:
    case V2_GO_SYSCALL_END_BLOCKED:
    case V2_GO_DESTROY_SYSCALL: return syscall_event(o, c, &x);
    case V2_PROC_STOP: return proc_stop(o, c, &x);
    case V2_PROC_STEAL: return proc_steal(o, c, &x);
    case V2_PROC_STATUS: return proc_status(o, c, &x);
    case V2_GO_CREATE:
    case V2_GO_CREATE_BLOCKED: return go_create(o, c, &x);
    case V2_GO_CREATE_SYSCALL: return go_create_syscall(o, c, &x);
    case V2_GO_STATUS:
    case V2_GO_STATUS_STACK: return go_status(o, c, &x);
    case V2_GO_SWITCH:
    case V2_GO_SWITCH_DESTROY: return go_switch(o, c, &x);
    case V2_GC_ACTIVE:
    case V2_GC_BEGIN:
    case V2_GC_END: return gc_event(o, c, &x);
    case V2_STW_BEGIN:
    case V2_STW_END:
    case V2_GC_SWEEP_ACTIVE:
    case V2_GC_SWEEP_BEGIN:
    case V2_GC_SWEEP_END:
    case V2_GC_ASSIST_ACTIVE:
    case V2_GC_ASSIST_BEGIN:
    case V2_GC_ASSIST_END: return range_event(o, c, &x);
    case V2_REGION_BEGIN: return region_begin(o, c, &x);
    case V2_REGION_END: return region_end(o, c, &x);
    case V2_TASK_BEGIN:
    case V2_TASK_END: return task_event(o, c, &x);
    default: return note(o, c, &x);
    }
}
