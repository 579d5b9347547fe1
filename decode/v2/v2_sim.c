/*
 * v2_sim.c - see v2_sim.h.
 *
 * One cursor per thread, by the time of its current event; the earliest one that may come does. Nothing changes before
 * it's known that an event may come. Looking for one that may is on a budget, so that made-up files can't take quadratic
 * time.
 */
#include "decode/v2/v2_sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define TIME_MAX ((int64_t)1 << 61)
#define FEW 64 /* cursors that are kept sorted; more are a heap */
#define ASSUMED_HZ 15625000
#define TRIES 64 /* in vain, for each event that came, and a million */

enum adv { OK, WAIT, BAD };

static int64_t ns_of(uint64_t units, double unit)
{
    double t = (double)units * unit;
    return t < (double)TIME_MAX ? (int64_t)t : TIME_MAX;
}

static enum adv bad(struct v2_sim *s, const struct v2s_cursor *c, const char *what)
{
    err_set(&s->damage, ERR_ORDER, s->written ? ERR_NO_OFFSET : (uint64_t)(c->ev.at - s->data), "event %s: %s",
            v2_specs[c->ev.type].name, what);
    return BAD;
}

static enum adv no_memory(struct v2_sim *s)
{
    s->oom = true;
    return BAD;
}

/* ---- who there is ----------------------------------------------------------------------------------------- */

static uint32_t m_get(struct v2_sim *s, uint64_t id)
{
    uint32_t i = id == V2_RAW_NO_THREAD ? V2S_NONE : idmap_get(&s->ms, id);
    if (id == V2_RAW_NO_THREAD || i != IDMAP_NONE)
        return i;
    struct v2s_m *m = mem_grow(s->m, &s->capm, s->nm + 1, sizeof *m);
    if (m)
        s->m = m;
    if (!m || !idmap_put(&s->ms, id, (uint32_t)s->nm)) {
        s->oom = true;
        return V2S_NONE;
    }
    m[s->nm] = (struct v2s_m){id, V2S_NONE, V2S_NONE};
    return (uint32_t)s->nm++;
}

static uint32_t g_new(struct v2_sim *s, uint64_t id, uint8_t status)
{
    uint32_t i = s->spare_g - 1;
    if (s->spare_g) {
        s->spare_g = s->g[i].m;
    } else {
        struct v2s_g *g = mem_grow(s->g, &s->capg, s->ng + 1, sizeof *g);
        if (!g) {
            s->oom = true;
            return V2S_NONE;
        }
        s->g = g;
        i = (uint32_t)s->ng++;
    }
    s->g[i] = (struct v2s_g){.id = id, .status = status, .m = V2S_NONE, .seqgen = s->ordinal};
    s->oom |= !idmap_put(&s->gs, id, i);
    return s->oom ? V2S_NONE : i;
}

static void g_bind(struct v2_sim *s, uint32_t g, uint32_t m)
{
    if (m == V2S_NONE)
        return;
    s->m[m].g = g;
    s->g[g].m = m;
}

static void g_unbind(struct v2_sim *s, uint32_t g)
{
    uint32_t m = s->g[g].m;
    if (m != V2S_NONE && s->m[m].g == g)
        s->m[m].g = V2S_NONE;
    s->g[g].m = V2S_NONE;
}

static void g_over(struct v2_sim *s, uint32_t g)
{
    g_unbind(s, g);
    idmap_del(&s->gs, s->g[g].id);
    s->g[g].status = V2S_G_GONE;
    s->g[g].m = s->spare_g;
    s->spare_g = g + 1;
}

static void p_bind(struct v2_sim *s, uint32_t p, uint32_t m)
{
    if (m == V2S_NONE)
        return;
    s->m[m].p = p;
    s->p[p].m = m;
}

static void p_unbind(struct v2_sim *s, uint32_t p)
{
    uint32_t m = s->p[p].m;
    if (m != V2S_NONE && s->m[m].p == p)
        s->m[m].p = V2S_NONE;
    s->p[p].m = V2S_NONE;
}

static bool follows(const struct v2_sim *s, uint32_t gen, uint64_t have, uint64_t want)
{
    return gen == s->ordinal && want == have + 1;
}

/* ---- what an event needs and does -------------------------------------------------------------------------- */

static enum adv proc_status(struct v2_sim *s, const struct v2s_cursor *c)
{
    uint64_t id = c->ev.arg[0], st = c->ev.arg[1];
    uint32_t p = idmap_get(&s->ps, id);
    if (st < V2S_P_RUNNING || st > V2S_P_ABANDONED)
        return bad(s, c, "invalid status for the P");
    if (p != IDMAP_NONE) {
        struct v2s_p *q = &s->p[p];
        bool lost = st == V2S_P_ABANDONED && (q->status == V2S_P_SYSCALL || q->status == V2S_P_ABANDONED);
        if (!lost && q->status != st)
            return bad(s, c, "the P has another status than before");
        q->seq = 0;
        q->seqgen = s->ordinal;
        if (lost)
            return OK;
    } else {
        struct v2s_p *v = mem_grow(s->p, &s->capp, s->np + 1, sizeof *v);
        if (v)
            s->p = v;
        if (!v || !idmap_put(&s->ps, id, (uint32_t)s->np))
            return no_memory(s);
        p = (uint32_t)s->np++;
        s->fresh = true;
        v[p] = (struct v2s_p){.id = id, .status = (uint8_t)st, .m = V2S_NONE, .seqgen = s->ordinal};
    }
    if (st == V2S_P_RUNNING || st == V2S_P_SYSCALL)
        p_bind(s, p, c->m);
    return OK;
}

static enum adv go_status(struct v2_sim *s, const struct v2s_cursor *c)
{
    uint64_t id = c->ev.arg[0], mid = c->ev.arg[1], st = c->ev.arg[2];
    uint32_t g = idmap_get(&s->gs, id), m = V2S_NONE;
    bool known = g != IDMAP_NONE;
    if (st < V2S_G_RUNNABLE || st > V2S_G_WAITING)
        return bad(s, c, "invalid status for the goroutine");
    if (known && s->g[g].status != st)
        return bad(s, c, "the goroutine has another status than before");
    if (!known && s->ordinal > 1)
        return bad(s, c, "status of an unknown goroutine");
    if (st == V2S_G_SYSCALL && mid == V2_RAW_NO_THREAD)
        return bad(s, c, "in a system call without a thread");
    if (st == V2S_G_RUNNING || st == V2S_G_SYSCALL) {
        m = st == V2S_G_RUNNING ? c->m : m_get(s, mid);
        if (s->oom)
            return BAD;
        if (m != V2S_NONE && s->m[m].g != V2S_NONE && s->m[m].g != g)
            return bad(s, c, "the thread has another goroutine");
    }
    if (!known && (g = g_new(s, id, (uint8_t)st)) == V2S_NONE)
        return BAD;
    s->fresh = !known;
    s->g[g].seq = 0;
    s->g[g].seqgen = s->ordinal;
    if (c->ev.type == V2_GO_STATUS_STACK) {
        s->g[g].stack = c->ev.arg[3];
        s->g[g].stackgen = s->ordinal;
    }
    g_bind(s, g, m);
    return OK;
}

static enum adv proc_start(struct v2_sim *s, const struct v2s_cursor *c)
{
    uint32_t p = idmap_get(&s->ps, c->ev.arg[0]);
    if (p == IDMAP_NONE || s->p[p].status != V2S_P_IDLE || !follows(s, s->p[p].seqgen, s->p[p].seq, c->ev.arg[1]) ||
        (c->m != V2S_NONE && s->m[c->m].p != V2S_NONE))
        return WAIT;
    if (c->m == V2S_NONE)
        return bad(s, c, "a P starts without a thread");
    s->p[p].status = V2S_P_RUNNING;
    s->p[p].seq = c->ev.arg[1];
    p_bind(s, p, c->m);
    return OK;
}

static enum adv proc_steal(struct v2_sim *s, const struct v2s_cursor *c)
{
    uint32_t p = idmap_get(&s->ps, c->ev.arg[0]), m = idmap_get(&s->ms, c->ev.arg[2]);
    if (p == IDMAP_NONE || (s->p[p].status != V2S_P_SYSCALL && s->p[p].status != V2S_P_ABANDONED) ||
        !follows(s, s->p[p].seqgen, s->p[p].seq, c->ev.arg[1]))
        return WAIT;
    if (s->p[p].status == V2S_P_SYSCALL && (m == IDMAP_NONE || s->m[m].p != p))
        return bad(s, c, "the thread it is stolen from doesn't have the P");
    s->p[p].status = V2S_P_IDLE;
    s->p[p].seq = c->ev.arg[1];
    p_unbind(s, p);
    return OK;
}

static enum adv go_create(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur)
{
    static const uint8_t status[256] = {[V2_GO_CREATE] = V2S_G_RUNNABLE,
                                        [V2_GO_CREATE_BLOCKED] = V2S_G_WAITING,
                                        [V2_GO_CREATE_SYSCALL] = V2S_G_SYSCALL};
    if (idmap_get(&s->gs, c->ev.arg[0]) != IDMAP_NONE)
        return bad(s, c, "the goroutine exists already");
    if (cur != V2S_NONE && s->g[cur].status != V2S_G_RUNNING)
        return bad(s, c, "the creating goroutine isn't running");
    uint32_t g = g_new(s, c->ev.arg[0], status[c->ev.type]);
    if (g == V2S_NONE)
        return BAD;
    if (c->ev.type == V2_GO_CREATE_SYSCALL)
        g_bind(s, g, c->m);
    return OK;
}

/* ready - is the goroutine that the event names in the status for it, and is it its turn? */
static bool ready(const struct v2_sim *s, const struct v2s_cursor *c, uint8_t status, uint32_t *g)
{
    *g = idmap_get(&s->gs, c->ev.arg[0]);
    return *g != IDMAP_NONE && s->g[*g].status == status && follows(s, s->g[*g].seqgen, s->g[*g].seq, c->ev.arg[1]);
}

static void leave(struct v2_sim *s, uint32_t g, uint8_t status, uint64_t stack)
{
    s->g[g].status = status;
    s->g[g].stack = stack;
    s->g[g].stackgen = s->ordinal;
    s->g[g].label = 0;
    g_unbind(s, g);
}

static enum adv go_turn(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur, uint32_t p)
{
    uint32_t g;
    bool start = c->ev.type == V2_GO_START, wake = c->ev.type == V2_GO_UNBLOCK;
    if (!ready(s, c, start ? V2S_G_RUNNABLE : V2S_G_WAITING, &g))
        return WAIT;
    if (start && (c->m == V2S_NONE || p == V2S_NONE || cur != V2S_NONE))
        return bad(s, c, "it starts where it can't");
    if (!start && !wake && s->g[cur].status != V2S_G_RUNNING)
        return bad(s, c, "the goroutine isn't running");
    s->g[g].seq = c->ev.arg[1];
    s->g[g].status = wake ? V2S_G_RUNNABLE : V2S_G_RUNNING;
    if (c->ev.type == V2_GO_SWITCH)
        leave(s, cur, V2S_G_WAITING, 0);
    else if (c->ev.type == V2_GO_SWITCH_DESTROY)
        g_over(s, cur);
    if (!wake)
        g_bind(s, g, c->m);
    return OK;
}

static enum adv go_stop(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur)
{
    if (s->g[cur].status != V2S_G_RUNNING)
        return bad(s, c, "the goroutine isn't running");
    if (c->ev.type == V2_GO_DESTROY)
        g_over(s, cur);
    else
        leave(s, cur, c->ev.type == V2_GO_STOP ? V2S_G_RUNNABLE : V2S_G_WAITING, c->ev.arg[1]);
    return OK;
}

static enum adv syscall_begin(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur, uint32_t p)
{
    if (s->g[cur].status != V2S_G_RUNNING)
        return bad(s, c, "the goroutine isn't running");
    if (!follows(s, s->p[p].seqgen, s->p[p].seq, c->ev.arg[0]))
        return bad(s, c, "the P's sequence number doesn't follow");
    s->g[cur].status = V2S_G_SYSCALL;
    s->g[cur].stack = c->ev.arg[1];
    s->g[cur].stackgen = s->ordinal;
    s->p[p].status = V2S_P_SYSCALL;
    s->p[p].seq = c->ev.arg[0];
    return OK;
}

static enum adv syscall_over(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur, uint32_t p)
{
    bool with_p = p != V2S_NONE && s->p[p].status == V2S_P_SYSCALL;
    if (c->ev.type == V2_GO_SYSCALL_END_BLOCKED && with_p)
        return WAIT; /* somebody steals the P first */
    if (s->g[cur].status != V2S_G_SYSCALL)
        return bad(s, c, "the goroutine isn't in a system call");
    if (c->ev.type == V2_GO_SYSCALL_END_BLOCKED) {
        s->g[cur].status = V2S_G_RUNNABLE;
        g_unbind(s, cur);
        return OK;
    }
    if (p != V2S_NONE && !with_p)
        return bad(s, c, "the P isn't in a system call");
    if (c->ev.type == V2_GO_SYSCALL_END) {
        s->g[cur].status = V2S_G_RUNNING;
        s->p[p].status = V2S_P_RUNNING;
        return OK;
    }
    if (p != V2S_NONE) {
        s->p[p].status = V2S_P_ABANDONED;
        p_unbind(s, p);
    }
    g_over(s, cur);
    return OK;
}

static enum adv gc_event(struct v2_sim *s, const struct v2s_cursor *c)
{
    uint64_t seq = c->ev.arg[0];
    bool next = s->gc != V2S_GC_UNKNOWN && seq == s->gc_seq + 1;
    bool free_to =
        c->ev.type == V2_GC_BEGIN ? s->gc == V2S_GC_UNKNOWN : c->ev.type == V2_GC_ACTIVE && s->ordinal == 1;
    if (!next && !free_to)
        return c->ev.type == V2_GC_END && s->gc == V2S_GC_UNKNOWN ? bad(s, c, "GC ends that did not begin") : WAIT;
    if (c->ev.type == V2_GC_ACTIVE && s->ordinal == 1 && s->gc != V2S_GC_UNKNOWN)
        return bad(s, c, "GC active after other GC events");
    if (c->ev.type == V2_GC_BEGIN ? s->gc == V2S_GC_ON : !free_to && s->gc != V2S_GC_ON)
        return bad(s, c, "GC begins or ends twice");
    s->gc = c->ev.type == V2_GC_END ? V2S_GC_OFF : V2S_GC_ON;
    s->gc_seq = seq;
    return OK;
}

#define UNTOLD "the generation hasn't told yet how things are there"
/* Each generation tells of a P and a goroutine before anything happens to them. What is mended tells of them by itself. */
static bool untold(const struct v2_sim *s, unsigned need, uint32_t p, uint32_t g)
{
    return !s->mend && s->ordinal > 1 &&
           ((need & V2_CP && p != V2S_NONE && s->p[p].seqgen != s->ordinal) ||
            (need & V2_CG && g != V2S_NONE && s->g[g].seqgen != s->ordinal));
}

static enum adv range_event(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur, uint32_t p)
{
    bool *open, active = false, end = false;
    switch (c->ev.type) {
    case V2_GC_SWEEP_ACTIVE:
        if ((p = idmap_get(&s->ps, c->ev.arg[0])) == IDMAP_NONE)
            return bad(s, c, "sweep on an unknown P");
        if (untold(s, V2_CP, p, cur))
            return bad(s, c, UNTOLD);
        active = true;
        open = &s->p[p].sweep;
        break;
    case V2_GC_SWEEP_BEGIN:
    case V2_GC_SWEEP_END:
        open = &s->p[p].sweep;
        end = c->ev.type == V2_GC_SWEEP_END;
        break;
    case V2_GC_ASSIST_ACTIVE:
        if ((cur = idmap_get(&s->gs, c->ev.arg[0])) == IDMAP_NONE)
            return bad(s, c, "mark assist of an unknown goroutine");
        if (untold(s, V2_CG, p, cur))
            return bad(s, c, UNTOLD);
        active = true;
        open = &s->g[cur].assist;
        break;
    case V2_GC_ASSIST_BEGIN:
    case V2_GC_ASSIST_END:
        open = &s->g[cur].assist;
        end = c->ev.type == V2_GC_ASSIST_END;
        break;
    default:
        open = &s->g[cur].stw;
        end = c->ev.type == V2_STW_END;
        s->g[cur].kind = end ? 0 : c->ev.arg[0];
        s->g[cur].kind_stack = end ? 0 : c->ev.arg[1];
        break;
    }
    if (*open != (end || (active && s->ordinal > 1)))
        return bad(s, c, *open ? "the range is open already" : "the range isn't open");
    *open = !end;
    return OK;
}

static void note(struct v2_sim *s, const struct v2s_cursor *c, uint32_t cur)
{
    switch (c->ev.type) {
    case V2_HEAP_ALLOC:
        s->heap_alloc = c->ev.arg[0];
        s->has_alloc = true;
        break;
    case V2_HEAP_GOAL:
        s->heap_goal = c->ev.arg[0];
        s->has_goal = true;
        break;
    case V2_PROCS_CHANGE:
        s->procs = c->ev.arg[0];
        s->has_procs = true;
        break;
    case V2_GO_LABEL:
        s->g[cur].label = c->ev.arg[0];
        s->g[cur].labelgen = s->ordinal;
        break;
    default: break;
    }
}

static enum adv advance(struct v2_sim *s, const struct v2s_cursor *c)
{
    uint32_t p = c->m == V2S_NONE ? V2S_NONE : s->m[c->m].p, g = c->m == V2S_NONE ? V2S_NONE : s->m[c->m].g;
    unsigned need = v2_specs[c->ev.type].context;
    if (untold(s, c->ev.type == V2_GO_START ? V2_CP : need, p, g))
        return bad(s, c, UNTOLD);
    if (c->ev.type == V2_GO_START)
        return go_turn(s, c, g, p);
    if (c->ev.type == V2_PROC_START)
        return proc_start(s, c);
    if ((c->ev.type == V2_GC_ACTIVE && s->ordinal > 1) ||
        (c->ev.type == V2_GC_BEGIN && (s->gc != V2S_GC_UNKNOWN || s->mend)))
        need = V2_CM | V2_CP | V2_CG;
    if ((need & V2_CM && c->m == V2S_NONE) || (need & V2_CP && p == V2S_NONE) || (need & V2_CG && g == V2S_NONE) ||
        (need & V2_NG && g != V2S_NONE))
        return bad(s, c, "its thread lacks a P or a goroutine for it, or has one");
    switch (c->ev.type) {
    case V2_PROC_STATUS: return proc_status(s, c);
    case V2_GO_STATUS:
    case V2_GO_STATUS_STACK: return go_status(s, c);
    case V2_PROC_STEAL: return proc_steal(s, c);
    case V2_PROC_STOP:
        if (s->p[p].status != V2S_P_RUNNING && s->p[p].status != V2S_P_SYSCALL)
            return bad(s, c, "the P isn't running");
        s->p[p].status = V2S_P_IDLE;
        p_unbind(s, p);
        return OK;
    case V2_GO_CREATE:
    case V2_GO_CREATE_BLOCKED:
    case V2_GO_CREATE_SYSCALL: return go_create(s, c, g);
    case V2_GO_UNBLOCK:
    case V2_GO_SWITCH:
    case V2_GO_SWITCH_DESTROY: return go_turn(s, c, g, p);
    case V2_GO_STOP:
    case V2_GO_BLOCK:
    case V2_GO_DESTROY: return go_stop(s, c, g);
    case V2_GO_SYSCALL_BEGIN: return syscall_begin(s, c, g, p);
    case V2_GO_SYSCALL_END:
    case V2_GO_SYSCALL_END_BLOCKED:
    case V2_GO_DESTROY_SYSCALL: return syscall_over(s, c, g, p);
    case V2_GC_BEGIN:
    case V2_GC_ACTIVE:
    case V2_GC_END: return gc_event(s, c);
    case V2_STW_BEGIN:
    case V2_STW_END:
    case V2_GC_SWEEP_ACTIVE:
    case V2_GC_SWEEP_BEGIN:
    case V2_GC_SWEEP_END:
    case V2_GC_ASSIST_ACTIVE:
    case V2_GC_ASSIST_BEGIN:
    case V2_GC_ASSIST_END: return range_event(s, c, g, p);
    case V2_CLOCK_SNAPSHOT: return bad(s, c, "a clock snapshot outside its batch");
    default: note(s, c, g); return OK;
    }
}

/* ---- cursors ---------------------------------------------------------------------------------------------- */

static const struct v2_raw_batch *batch_of(const struct v2_sim *s, const struct v2s_cursor *c)
{
    return &s->gen->batch[s->list[c->batch]];
}

static void batch_open(struct v2_sim *s, struct v2s_cursor *c)
{
    const struct v2_raw_batch *b = batch_of(s, c);
    c->p = b->p;
    c->end = b->end;
    c->units = b->time;
    c->t = ns_of(b->time, s->unit);
}

/* cursor_next - decode the next event; false: it has none, or damage. */
static bool cursor_next(struct v2_sim *s, struct v2s_cursor *c)
{
    while (c->p == c->end) {
        if (c->nbatch <= 1)
            return !(c->over = true);
        c->nbatch--;
        c->batch++;
        batch_open(s, c);
    }
    const uint8_t *q = v2_raw_ev(c->p, c->end, &c->ev);
    if (!q) {
        if (!batch_of(s, c)->torn && !s->damage.code && !s->mend)
            err_set(&s->damage, ERR_FORMAT, (uint64_t)(c->p - s->data), "no event can be read here");
        c->p = c->end;
        c->nbatch = 0;
        c->all = c->batch - c->first + 1; /* what follows is none of its events any more */
        return !(c->over = true);
    }
    c->p = q;
    c->units += c->ev.dt;
    int64_t d = ns_of(c->ev.dt, s->unit);
    c->t = c->t > TIME_MAX - d ? TIME_MAX : c->t + d;
    return true;
}

static void heap_down(struct v2_sim *s)
{
    struct v2s_slot *h = s->heap, x = h[0];
    size_t n = s->nheap, i = 0;
    if (n <= FEW) {
        for (; i + 1 < n && h[i + 1].t < x.t; i++)
            h[i] = h[i + 1];
        h[i] = x;
        return;
    }
    for (size_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && h[k + 1].t < h[k].t;
        if (h[k].t >= x.t)
            break;
        h[i] = h[k];
    }
    h[i] = x;
}

static void heap_push(struct v2_sim *s, uint32_t cursor)
{
    struct v2s_slot *h = s->heap, x = {s->cur[cursor].t, cursor};
    size_t i = s->nheap++;
    const bool few = s->nheap <= FEW;
    for (size_t k; i && x.t < h[k = few ? i - 1 : (i - 1) / 2].t; i = k)
        h[i] = h[k];
    h[i] = x;
}

static int by_time(const void *a, const void *b)
{
    const struct v2s_slot *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

static uint32_t heap_pop(struct v2_sim *s)
{
    uint32_t x = s->heap[0].cursor;
    s->heap[0] = s->heap[--s->nheap];
    if (s->nheap)
        heap_down(s);
    if (s->nheap == FEW)
        qsort(s->heap, FEW, sizeof *s->heap, by_time);
    return x;
}

/* ---- a generation ----------------------------------------------------------------------------------------- */

static bool timed(const struct v2_raw_batch *b)
{
    return b->lead == V2R_EVENTS && b->p < b->end && b->first != V2R_STACKS && b->first != V2R_STRINGS &&
           b->first != V2R_SAMPLES && b->first != V2R_FREQ && b->first != V2R_SYNC;
}

static int by_thread(const void *a, const void *b, void *arg)
{
    const struct v2_raw_batch *v = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (v[x].m != v[y].m)
        return v[x].m < v[y].m ? -1 : 1;
    return (x > y) - (x < y);
}

static bool samples_read(struct v2_sim *s, const struct v2_raw_batch *b)
{
    struct v2s_sample x;
    for (const uint8_t *p = b->p + 1; p < b->end && (p = v2_raw_sample(p, b->end, x.v));) {
        struct v2s_sample *v = mem_grow(s->sample, &s->capsample, s->nsample + 1, sizeof *v);
        if (!v)
            return false;
        s->sample = v;
        x.t = ns_of(x.v[0], s->unit);
        v[s->nsample++] = x;
    }
    return true;
}

static int sample_by_time(const void *a, const void *b)
{
    const struct v2s_sample *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

static bool cursors(struct v2_sim *s, size_t n)
{
    for (size_t i = 0, k; i < n; i = k) {
        uint64_t mid = s->gen->batch[s->list[i]].m;
        for (k = i; k < n && s->gen->batch[s->list[k]].m == mid; k++) {
        }
        struct v2s_cursor *c = mem_grow(s->cur, &s->capcur, s->ncur + 1, sizeof *c);
        if (!c)
            return false;
        s->cur = c;
        c[s->ncur++] = (struct v2s_cursor){.m = m_get(s, mid),
                                           .batch = (uint32_t)i,
                                           .nbatch = (uint32_t)(k - i),
                                           .first = (uint32_t)i,
                                           .all = (uint32_t)(k - i)};
        if (s->oom)
            return false;
    }
    struct v2s_slot *h = mem_grow(s->heap, &s->capheap, s->ncur + 1, sizeof *h);
    if (h)
        s->heap = h;
    uint32_t *a = mem_grow(s->aside, &s->capaside, s->ncur + 1, sizeof *a);
    if (a)
        s->aside = a;
    if (!h || !a)
        return false;
    for (uint32_t i = 0; i < s->ncur; i++) {
        batch_open(s, &s->cur[i]);
        if (cursor_next(s, &s->cur[i]))
            heap_push(s, i);
    }
    return true;
}

/* The same batch once more says nothing new. Returns how many there are now. */
static size_t undouble(struct v2_sim *s, uint32_t *list, size_t n)
{
    size_t k = 0;
    s->twice = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct v2_raw_batch *b = &s->gen->batch[list[i]], *was = k ? &s->gen->batch[list[k - 1]] : b;
        const size_t size = (size_t)(b->end - b->p);
        if (!k || was->m != b->m || was->time != b->time || (size_t)(was->end - was->p) != size ||
            memcmp(was->p, b->p, size) != 0)
            list[k++] = list[i];
        else
            s->twice = b;
    }
    return k;
}

bool v2_sim_begin(struct v2_sim *s, const uint8_t *data, const struct v2_raw_gen *gen)
{
    s->data = data;
    s->gen = gen;
    s->ordinal++;
    s->freq = gen->clock.freq ? gen->clock.freq : s->freq ? s->freq : ASSUMED_HZ;
    s->unit = 1.0 / ((double)s->freq / 1e9);
    s->ncur = s->nheap = s->nsample = s->at_sample = 0;
    uint32_t *list = mem_grow(s->list, &s->caplist, gen->n + 1, sizeof *list);
    if (!list)
        return false;
    s->list = list;
    size_t n = 0;
    for (size_t i = 0; i < gen->n; i++) {
        if (timed(&gen->batch[i]))
            list[n++] = (uint32_t)i;
        else if (gen->batch[i].lead == V2R_EVENTS && gen->batch[i].first == V2R_SAMPLES &&
                 !samples_read(s, &gen->batch[i]))
            return false;
    }
    if (n)
        qsort_r(list, n, sizeof *list, by_thread, gen->batch);
    n = undouble(s, list, n);
    if (s->nsample)
        qsort(s->sample, s->nsample, sizeof *s->sample, sample_by_time);
    if (!cursors(s, n))
        return false;
    int64_t t = ns_of(gen->min_time, s->unit);
    s->last = s->any && t <= s->last ? s->last + 1 : t; /* Go's reader has an event of its own here */
    return true;
}

/* emits - how many times Go's reader tells of it: each is a nanosecond later at least. */
static int emits(const struct v2_sim *s, const struct v2s_cursor *c)
{
    if (c->ev.type == V2_GO_SWITCH || c->ev.type == V2_GO_SWITCH_DESTROY)
        return 3;
    return c->ev.type == V2_GO_DESTROY_SYSCALL && c->m != V2S_NONE && s->m[c->m].p != V2S_NONE ? 2 : 1;
}

static void stamp(struct v2_sim *s, int64_t t, int n, struct v2s_event *e)
{
    e->t = t <= s->last ? s->last + 1 : t;
    s->last = e->t + n - 1;
    s->any = true;
    s->work = s->work > TRIES ? s->work - TRIES : 0;
}

/* mended - an event that can't come (`a`), once mend() has been asked. */
static enum adv mended(struct v2_sim *s, uint32_t i, enum adv a, bool last, struct v2s_event *e)
{
    for (int tries = 0; s->mend && a != OK && !s->oom; tries++) {
        s->damage = (struct err){0};
        enum v2s_lack l = tries < 4 ? s->mend(s, i, a == BAD, last) : V2S_LEFT_OUT;
        if (l == V2S_WAITS)
            return WAIT;
        e->left_out = l == V2S_LEFT_OUT;
        a = e->left_out ? OK : advance(s, &s->cur[i]);
    }
    return a;
}

/* pick - the earliest cursor whose event may come is out of the heap then; *rc as of v2_sim_next(). */
static uint32_t pick(struct v2_sim *s, int64_t until, struct v2s_event *e, enum v2s_rc *rc)
{
    size_t n = 0;
    enum adv a = WAIT;
    uint32_t i = V2S_NONE;
    *rc = V2S_END;
    while (s->nheap && a == WAIT) {
        i = s->heap[0].cursor;
        struct v2s_cursor *c = &s->cur[i];
        uint32_t m = c->m;
        int k = emits(s, c);
        if (c->t >= until || s->last + 1 >= until) { /* so would all others be */
            *rc = V2S_UNTIL;
            break;
        }
        s->now = c->ev;
        s->fresh = false;
        *e = (struct v2s_event){.units = c->units,
                                .ev = &s->now,
                                .m = m,
                                .p = m == V2S_NONE ? V2S_NONE : s->m[m].p,
                                .g = m == V2S_NONE ? V2S_NONE : s->m[m].g};
        if ((a = advance(s, c)) != OK)
            a = mended(s, i, a, false, e);
        if (a == OK && !e->left_out)
            stamp(s, c->t, k, e);
        if (a == BAD)
            break;
        heap_pop(s);
        if (a == WAIT) {
            s->aside[n++] = i;
            if (++s->work > 1000000 + TRIES)
                break;
        }
    }
    if (a == WAIT && n && *rc == V2S_END && s->mend && !s->oom) { /* the earliest of them, then */
        i = s->aside[0];
        s->now = s->cur[i].ev;
        *e = (struct v2s_event){
            .units = s->cur[i].units, .ev = &s->now, .m = s->cur[i].m, .p = V2S_NONE, .g = V2S_NONE};
        if ((a = mended(s, i, WAIT, true, e)) == OK) {
            if (!e->left_out)
                stamp(s, s->cur[i].t, 1, e);
            s->aside[0] = s->aside[--n];
        }
    }
    if (a == WAIT && n && *rc == V2S_END)
        err_set(&s->damage, s->gen->damage.code ? s->gen->damage.code : ERR_ORDER,
                s->written ? ERR_NO_OFFSET : (uint64_t)(s->cur[s->aside[0]].ev.at - s->data),
                "no event can come next; the earliest is %s", v2_specs[s->cur[s->aside[0]].ev.type].name);
    while (n)
        heap_push(s, s->aside[--n]);
    if (a == OK)
        *rc = V2S_EVENT;
    return i;
}

enum v2s_rc v2_sim_next(struct v2_sim *s, int64_t until, struct v2s_event *e)
{
    enum v2s_rc rc;
    if (s->damage.code || s->oom)
        return V2S_END;
    if (s->at_sample < s->nsample && (!s->nheap || s->sample[s->at_sample].t < s->heap[0].t)) {
        const struct v2s_sample *x = &s->sample[s->at_sample];
        if (x->t >= until || s->last + 1 >= until)
            return V2S_UNTIL;
        s->at_sample++;
        *e = (struct v2s_event){.sample = x, .units = x->v[0], .m = V2S_NONE, .p = V2S_NONE, .g = V2S_NONE};
        stamp(s, x->t, 1, e);
        return V2S_EVENT;
    }
    uint32_t i = pick(s, until, e, &rc);
    if (rc != V2S_EVENT)
        return rc;
    e->fresh = s->fresh;
    if (cursor_next(s, &s->cur[i]))
        heap_push(s, i);
    return V2S_EVENT;
}

bool v2_sim_do(struct v2_sim *s, uint32_t m, const struct v2_raw_ev *ev)
{
    struct v2s_cursor c = {.ev = *ev, .m = m};
    c.ev.at = s->data;
    if (advance(s, &c) == OK)
        return true;
    s->damage = (struct err){0};
    return false;
}

static void *copy(const void *p, size_t n, size_t size)
{
    void *q = mem_alloc(n * size + 1);
    if (q && n)
        memcpy(q, p, n * size);
    return q;
}

bool v2_sim_copy(struct v2_sim *to, const struct v2_sim *s)
{
    *to = (struct v2_sim){.data = s->data,
                          .ordinal = s->ordinal,
                          .unit = s->unit,
                          .freq = s->freq,
                          .ng = s->ng,
                          .capg = s->ng,
                          .np = s->np,
                          .capp = s->np,
                          .nm = s->nm,
                          .capm = s->nm,
                          .spare_g = s->spare_g,
                          .gc = s->gc,
                          .gc_seq = s->gc_seq,
                          .heap_alloc = s->heap_alloc,
                          .heap_goal = s->heap_goal,
                          .procs = s->procs,
                          .has_alloc = s->has_alloc,
                          .has_goal = s->has_goal,
                          .has_procs = s->has_procs,
                          .last = s->last,
                          .any = s->any};
    to->g = copy(s->g, s->ng, sizeof *s->g);
    to->p = copy(s->p, s->np, sizeof *s->p);
    to->m = copy(s->m, s->nm, sizeof *s->m);
    if (!to->g || !to->p || !to->m)
        return false;
    for (size_t i = 0; i < s->ng; i++)
        if (s->g[i].status != V2S_G_GONE && !idmap_put(&to->gs, s->g[i].id, (uint32_t)i))
            return false;
    for (size_t i = 0; i < s->np; i++)
        if (!idmap_put(&to->ps, s->p[i].id, (uint32_t)i))
            return false;
    for (size_t i = 0; i < s->nm; i++)
        if (!idmap_put(&to->ms, s->m[i].id, (uint32_t)i))
            return false;
    return true;
}

void v2_sim_free(struct v2_sim *s)
{
    mem_free(s->g);
    mem_free(s->p);
    mem_free(s->m);
    mem_free(s->cur);
    mem_free(s->heap);
    mem_free(s->list);
    mem_free(s->aside);
    mem_free(s->sample);
    idmap_free(&s->gs);
    idmap_free(&s->ps);
    idmap_free(&s->ms);
    *s = (struct v2_sim){0};
}
