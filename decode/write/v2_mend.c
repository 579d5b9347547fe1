/*
 * v2_mend.c - see v2_mend.h.
 *
 * The ordering (v2_sim.c) goes through the generation and asks here about each event that can't come. Which numbered events
 * there are is known beforehand, so whether it waits for one that will come or for one that was lost. What came, and what was
 * put in, is written down by thread, with numbers that count anew: bytes of one batch for each thread.
 */
#include "decode/write/v2_mend.h"

#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "decode/v2/v2_doubt.h" /* and V2_NOT_RECORDED */
#include "decode/write/v2_put.h"

#define GO_123 1023
#define NOBODY V2_RAW_NO_THREAD

/*
 * What the index has: numbered events; one that tells of it, or that it is busy on a thread; a goroutine's greatest number, as far
 * as it goes.
 */
enum { OF_G, OF_G_TOLD, OF_P, OF_P_TOLD, OF_GC, OF_G_MOST, OF_G_BUSY, OF_P_BUSY };

struct thread { /* [0]: none; [m + 1] */
    uint8_t *p;
    size_t n, cap;
    uint64_t base, last; /* clock units: of the batch, of its last event */
    uint32_t cursor;     /* + 1; 0: it has no events of its own */
    bool any;
};
struct known { /* of a goroutine or a P, by its id */
    uint64_t seq;
    uint32_t gen;    /* seq is of this generation */
    uint32_t region; /* a goroutine's innermost open one, index + 1 */
    uint32_t on;     /* the generation in which its assist or sweep was last told to be on */
    bool gap;        /* what it did before is not all there: regions may end that never began */
};
struct within {
    uint64_t task, name;
    uint32_t below;
};

struct v2_mend_work {
    struct v2_mend *m;
    struct v2_sim s;
    struct idmap has, gs, ps; /* gs, ps: index into known */
    struct thread *thread;
    size_t cthread;
    struct known *known;
    size_t nknown, cknown;
    struct within *region;
    size_t nregion, cregion;
    uint64_t *stray; /* goroutines that can run, and what they did next was lost */
    size_t nstray, cstray;
    uint64_t units; /* of the event that is asked about; its thread */
    uint32_t asker;
    uint64_t gc_seq, gc_was; /* the next one's number less one: in what is written; in the file */
    uint32_t gc_on;          /* the generation in which the collector was last told to be at work */
    uint64_t reason;         /* string of V2_NOT_RECORDED */
    uint8_t words[64];
    bool cut; /* the generation ends where the file was cut */
    bool oom;
};

/* ---- which events there are -------------------------------------------------------------------------------- */

static uint64_t key(unsigned what, uint64_t id, uint64_t seq)
{
    return hash_last(hash_next(hash_next(hash_first(what), id), seq));
}

static bool has(const struct v2_mend_work *w, unsigned what, uint64_t id, uint64_t seq)
{
    return idmap_get(&w->has, key(what, id, seq)) != IDMAP_NONE;
}

/* key_of - what the event is the step of; *p: the thread's P. 0: none. */
static uint64_t key_of(const struct v2_raw_ev *e, uint64_t *p)
{
    switch (v2_specs[e->type].after) {
    case V2_AFTER_G_RUNS:
    case V2_AFTER_G_WAKES: return key(OF_G, e->arg[0], e->arg[1]);
    case V2_AFTER_G_NEW: return key(OF_G_TOLD, e->arg[0], 0);
    case V2_AFTER_P_IDLE: *p = e->arg[0]; /* fallthrough */
    case V2_AFTER_P_CALL: return key(OF_P, e->arg[0], e->arg[1]);
    case V2_AFTER_P_NEW:
        if (e->arg[1] == V2S_P_RUNNING || e->arg[1] == V2S_P_SYSCALL)
            *p = e->arg[0];
        return key(OF_P_TOLD, e->arg[0], 0);
    case V2_AFTER_P_OWN: return key(OF_P, *p, e->arg[0]);
    case V2_AFTER_GC: return key(OF_GC, 0, e->arg[0]);
    default: return 0;
    }
}

/* index_most - that a goroutine has an event with this number. */
static bool index_most(struct v2_mend_work *w, const struct v2_raw_ev *e)
{
    const unsigned after = v2_specs[e->type].after;
    if (after != V2_AFTER_G_RUNS && after != V2_AFTER_G_WAKES)
        return true;
    const uint64_t k = key(OF_G_MOST, e->arg[0], 0);
    const uint32_t now = e->arg[1] < IDMAP_NONE - 1 ? (uint32_t)e->arg[1] : IDMAP_NONE - 2,
                   was = idmap_get(&w->has, k);
    return (was != IDMAP_NONE && was >= now) || idmap_put(&w->has, k, now);
}

/* is_last - no event of the goroutine has a greater number. */
static bool is_last(const struct v2_mend_work *w, uint64_t g, uint64_t seq)
{
    const uint32_t most = idmap_get(&w->has, key(OF_G_MOST, g, 0));
    return most == IDMAP_NONE || most <= seq;
}

/* index_busy - that it is told as running, or in a system call. */
static bool index_busy(struct v2_mend_work *w, const struct v2_raw_ev *e, uint64_t m)
{
    if (e->type == V2_PROC_STATUS && e->arg[1] != V2S_P_IDLE)
        return idmap_put(&w->has, key(OF_P_BUSY, e->arg[0], e->arg[1] == V2S_P_RUNNING ? m : NOBODY), 0);
    if ((e->type == V2_GO_STATUS || e->type == V2_GO_STATUS_STACK) &&
        (e->arg[2] == V2S_G_RUNNING || e->arg[2] == V2S_G_SYSCALL))
        return idmap_put(&w->has, key(OF_G_BUSY, e->arg[0], e->arg[1]), 0);
    return true;
}

static bool index_events(struct v2_mend_work *w)
{
    const struct v2_sim *s = &w->s;
    idmap_clear(&w->has);
    for (size_t i = 0; i < s->ncur; i++) {
        const struct v2s_cursor *c = &s->cur[i];
        uint32_t had = c->m == V2S_NONE ? V2S_NONE : s->m[c->m].p;
        uint64_t p = had == V2S_NONE ? 0 : s->p[had].id;
        for (uint32_t b = c->first; b < c->first + c->all; b++) {
            const struct v2_raw_batch *raw = &s->gen->batch[s->list[b]];
            struct v2_raw_ev e;
            for (const uint8_t *q = raw->p; q < raw->end && (q = v2_raw_ev(q, raw->end, &e));) {
                const uint64_t k = key_of(&e, &p);
                if ((k && !idmap_put(&w->has, k, 0)) || !index_most(w, &e) || !index_busy(w, &e, raw->m))
                    return false;
            }
        }
    }
    return true;
}

/* ---- what is written --------------------------------------------------------------------------------------- */

static struct known *known(struct v2_mend_work *w, struct idmap *map, uint64_t id)
{
    static struct known nobody;
    uint32_t i = idmap_get(map, id);
    if (i == IDMAP_NONE) {
        struct known *v = mem_grow(w->known, &w->cknown, w->nknown + 1, sizeof *v);
        if (v)
            w->known = v;
        if (!v || !idmap_put(map, id, (uint32_t)w->nknown)) {
            w->oom = w->s.oom = true;
            return &nobody;
        }
        v[i = (uint32_t)w->nknown++] = (struct known){0};
    }
    return &w->known[i];
}

/* counted - the number of the next event of it, in what is written. */
static uint64_t counted(struct v2_mend_work *w, struct idmap *map, uint64_t id)
{
    struct known *k = known(w, map, id);
    k->seq = k->gen == w->s.ordinal ? k->seq + 1 : 1;
    k->gen = w->s.ordinal;
    return k->seq;
}

static void told(struct v2_mend_work *w, struct idmap *map, uint64_t id, bool new)
{
    struct known *k = known(w, map, id);
    k->seq = 0;
    k->gen = w->s.ordinal;
    if (new)
        k->region = 0, k->gap = false;
}

/* region - does the event fit the regions that are open? */
static bool region(struct v2_mend_work *w, const struct v2_raw_ev *e, uint64_t g)
{
    struct known *k = known(w, &w->gs, g);
    if (e->type == V2_REGION_END && k->region) {
        const struct within *r = &w->region[k->region - 1];
        if (r->task != e->arg[0] || r->name != e->arg[1])
            return false;
        k->region = r->below;
        return true;
    }
    if (e->type == V2_REGION_END)
        return !k->gap;
    struct within *v = mem_grow(w->region, &w->cregion, w->nregion + 1, sizeof *v);
    if (!v) {
        w->oom = w->s.oom = true;
        return false;
    }
    w->region = v;
    v[w->nregion++] = (struct within){e->arg[0], e->arg[1], k->region};
    k->region = (uint32_t)w->nregion;
    return true;
}

/* renumber - numbers count what is written. false: the event doesn't fit. */
static bool renumber(struct v2_mend_work *w, uint32_t m, uint32_t g, struct v2_raw_ev *e)
{
    const struct v2_sim *s = &w->s;
    switch (e->type) {
    case V2_GO_START:
    case V2_GO_UNBLOCK:
    case V2_GO_SWITCH:
    case V2_GO_SWITCH_DESTROY: e->arg[1] = counted(w, &w->gs, e->arg[0]); return true;
    case V2_PROC_START:
    case V2_PROC_STEAL: e->arg[1] = counted(w, &w->ps, e->arg[0]); return true;
    case V2_GO_SYSCALL_BEGIN: e->arg[0] = counted(w, &w->ps, s->p[s->m[m].p].id); return true;
    case V2_GO_STATUS:
    case V2_GO_STATUS_STACK: told(w, &w->gs, e->arg[0], false); return true;
    case V2_GO_CREATE:
    case V2_GO_CREATE_BLOCKED:
    case V2_GO_CREATE_SYSCALL: told(w, &w->gs, e->arg[0], true); return true;
    case V2_PROC_STATUS: told(w, &w->ps, e->arg[0], false); return true;
    case V2_GC_BEGIN:
    case V2_GC_ACTIVE:
    case V2_GC_END: e->arg[0] = ++w->gc_seq; return true;
    case V2_REGION_BEGIN:
    case V2_REGION_END: return g == V2S_NONE || region(w, e, s->g[g].id);
    default: return true;
    }
}

static void write_down(struct v2_mend_work *w, uint32_t m, const struct v2_raw_ev *e, uint64_t units)
{
    struct thread *t = &w->thread[m == V2S_NONE ? 0 : m + 1];
    uint8_t *p = mem_grow(t->p, &t->cap, t->n + 64, 1);
    if (!p) {
        w->oom = w->s.oom = true;
        return;
    }
    t->p = p;
    if (!t->any)
        t->base = t->last = units;
    t->any = true;
    p[t->n++] = e->type;
    t->n += v2_put_varint(p + t->n, units > t->last ? units - t->last : 0);
    for (unsigned i = 0; i < e->nargs; i++)
        t->n += v2_put_varint(p + t->n, e->arg[i]);
    t->last = units > t->last ? units : t->last;
}

/* still - what ends here began before the generation, and the event that says that it goes on was lost. */
static void still(struct v2_mend_work *w, const struct v2s_event *e)
{
    const struct v2_sim *s = &w->s;
    const uint8_t type = e->ev->type;
    const bool gc = type == V2_GC_BEGIN || type == V2_GC_ACTIVE || type == V2_GC_END;
    const bool sweep = type == V2_GC_SWEEP_BEGIN || type == V2_GC_SWEEP_ACTIVE || type == V2_GC_SWEEP_END;
    const bool assist = type == V2_GC_ASSIST_BEGIN || type == V2_GC_ASSIST_ACTIVE || type == V2_GC_ASSIST_END;
    const bool end = type == V2_GC_END || type == V2_GC_SWEEP_END || type == V2_GC_ASSIST_END;
    struct v2_raw_ev on = {.nargs = 1};
    if (!gc && !sweep && !assist)
        return;
    if (!gc)
        on.arg[0] = type == V2_GC_SWEEP_ACTIVE || type == V2_GC_ASSIST_ACTIVE ? e->ev->arg[0]
                    : sweep                                                   ? s->p[e->p].id
                                                                              : s->g[e->g].id;
    uint32_t *told = gc ? &w->gc_on : &known(w, sweep ? &w->ps : &w->gs, on.arg[0])->on;
    if (end && *told != s->ordinal) {
        on.type = gc ? V2_GC_ACTIVE : sweep ? V2_GC_SWEEP_ACTIVE : V2_GC_ASSIST_ACTIVE;
        if (gc)
            on.arg[0] = ++w->gc_seq;
        write_down(w, e->m, &on, e->units);
        w->m->put++;
    }
    *told = s->ordinal;
}

static bool room(struct v2_mend_work *w)
{
    size_t had = w->cthread;
    struct thread *t = mem_grow(w->thread, &w->cthread, w->s.nm + 1, sizeof *t);
    if (!t) {
        w->oom = w->s.oom = true;
        return false;
    }
    w->thread = t;
    memset(t + had, 0, (w->cthread - had) * sizeof *t);
    return true;
}

/* put_in - an event that wasn't there. false: it can't come, either. */
static bool put_in(struct v2_mend_work *w, uint32_t m, uint8_t type, uint64_t a, uint64_t b, uint64_t c)
{
    struct v2_raw_ev e = {.type = type, .nargs = (uint8_t)(v2_specs[type].nargs - 1), .arg = {a, b, c}};
    uint32_t g = m == V2S_NONE ? V2S_NONE : w->s.m[m].g;
    if (!v2_sim_do(&w->s, m, &e) || !room(w) || !renumber(w, m, g, &e))
        return false;
    write_down(w, m, &e,
               w->units - (m != w->asker &&
                           w->units > w->s.gen->min_time)); /* before what it is for, which is another thread's */
    w->m->put++;
    return true;
}

/* ---- what an event waits for ------------------------------------------------------------------------------- */

enum lack { TO_COME, GONE, STALE }; /* STALE: what it says has been already */

/* comes - the thread has an event that can be the one before time t. */
static bool comes(const struct v2_mend_work *w, uint32_t m, int64_t t)
{
    uint32_t c = m == V2S_NONE || m + 1 >= w->cthread ? 0 : w->thread[m + 1].cursor;
    return c && !w->s.cur[c - 1].over && w->s.cur[c - 1].t <= t + DOUBT_SKEW_NS;
}

static enum lack lack_of_number(const struct v2_mend_work *w, unsigned what, uint64_t id, uint64_t have,
                                uint64_t want, uint32_t m, int64_t t)
{
    if (want <= have)
        return STALE;
    if (want > have + 1)
        return has(w, what, id, want - 1) ? TO_COME : GONE;
    return comes(w, m, t) ? TO_COME : GONE;
}

static enum lack lack_of(const struct v2_mend_work *w, const struct v2s_cursor *c)
{
    const struct v2_sim *s = &w->s;
    const struct v2_raw_ev *e = &c->ev;
    const uint32_t own = c->m == V2S_NONE ? V2S_NONE : s->m[c->m].p;
    const unsigned after = v2_specs[e->type].after;
    uint32_t i;
    if (own != V2S_NONE && (after == V2_AFTER_P_IDLE || after == V2_AFTER_P_LEAVES)) /* it is taken from it first */
        return has(w, OF_P, s->p[own].id, s->p[own].seq + 1) ? TO_COME : GONE;
    switch (after) {
    case V2_AFTER_G_RUNS:
    case V2_AFTER_G_WAKES:
        if ((i = idmap_get(&s->gs, e->arg[0])) == IDMAP_NONE || s->g[i].seqgen != s->ordinal)
            return has(w, OF_G_TOLD, e->arg[0], 0) ? TO_COME : GONE;
        return lack_of_number(w, OF_G, e->arg[0], s->g[i].seq, e->arg[1], s->g[i].m, c->t);
    case V2_AFTER_P_IDLE:
    case V2_AFTER_P_CALL:
        if ((i = idmap_get(&s->ps, e->arg[0])) == IDMAP_NONE || s->p[i].seqgen != s->ordinal)
            return has(w, OF_P_TOLD, e->arg[0], 0) ? TO_COME : GONE;
        return lack_of_number(w, OF_P, e->arg[0], s->p[i].seq, e->arg[1], s->p[i].m, c->t);
    case V2_AFTER_GC: return e->arg[0] <= s->gc_seq ? STALE : has(w, OF_GC, 0, e->arg[0] - 1) ? TO_COME : GONE;
    default: return GONE;
    }
}

/* ---- as if it had come ------------------------------------------------------------------------------------- */

/* g_told - its status is told in this generation, by whoever can. */
static bool g_told(struct v2_mend_work *w, uint32_t m, uint32_t g)
{
    const struct v2s_g *v = &w->s.g[g];
    if (v->seqgen == w->s.ordinal)
        return true;
    const bool busy = v->status == V2S_G_RUNNING || v->status == V2S_G_SYSCALL;
    const uint32_t by = busy ? v->m : m;
    return (!busy || by != V2S_NONE) && put_in(w, by, V2_GO_STATUS, v->id, busy ? w->s.m[by].id : NOBODY, v->status);
}

/* runs - the thread's goroutine is back from a system call whose end was lost; then it runs. */
static bool runs(struct v2_mend_work *w, uint32_t m)
{
    const struct v2_sim *s = &w->s;
    const uint32_t g = m == V2S_NONE ? V2S_NONE : s->m[m].g;
    if (g == V2S_NONE || !g_told(w, m, g))
        return false;
    if (s->g[g].status == V2S_G_SYSCALL && !put_in(w, m, V2_GO_SYSCALL_END, 0, 0, 0))
        return false;
    return s->g[g].status == V2S_G_RUNNING;
}

/* park - what the thread runs stops at its last event, and what it does from there on is not recorded. */
static bool park(struct v2_mend_work *w, uint32_t m)
{
    const uint64_t now = w->units;
    if (m == V2S_NONE || w->s.m[m].g == V2S_NONE || !room(w))
        return false;
    if (m != w->asker)
        w->units = w->thread[m + 1].any ? w->thread[m + 1].last : w->s.gen->min_time;
    const uint64_t id = w->s.g[w->s.m[m].g].id;
    const bool done = runs(w, m) && put_in(w, m, V2_GO_BLOCK, w->reason, 0, 0);
    w->units = now;
    if (done)
        known(w, &w->gs, id)->gap = true;
    return done;
}

static bool g_becomes(struct v2_mend_work *w, uint32_t m, uint32_t g, uint8_t status)
{
    const struct v2s_g *v = &w->s.g[g];
    if (v->status == V2S_G_RUNNING ||
        (v->status == V2S_G_SYSCALL && v->m != V2S_NONE && w->s.m[v->m].p != V2S_NONE)) {
        if (!park(w, v->m))
            return false;
    } else if (v->status == V2S_G_SYSCALL && !put_in(w, v->m, V2_GO_SYSCALL_END_BLOCKED, 0, 0, 0)) {
        return false;
    }
    known(w, &w->gs, w->s.g[g].id)->gap = true;
    if (w->s.g[g].status == V2S_G_WAITING && status == V2S_G_RUNNABLE)
        return put_in(w, m, V2_GO_UNBLOCK, w->s.g[g].id, w->s.g[g].seq + 1, 0);
    return w->s.g[g].status == status;
}

/* creator - a thread that can tell of a new goroutine. */
static uint32_t creator(const struct v2_mend_work *w, uint32_t m)
{
    const struct v2_sim *s = &w->s;
    for (uint32_t i = 0, k = m; i <= s->nm; k = i++)
        if (k != V2S_NONE && s->m[k].p != V2S_NONE && s->p[s->m[k].p].status == V2S_P_RUNNING &&
            (s->m[k].g == V2S_NONE || s->g[s->m[k].g].status == V2S_G_RUNNING))
            return k;
    return V2S_NONE;
}

/* g_is - there is a goroutine `id` in this status, whose next number is seq. */
static bool g_is(struct v2_mend_work *w, uint32_t m, uint64_t id, uint64_t seq, uint8_t status)
{
    struct v2_sim *s = &w->s;
    uint32_t g = idmap_get(&s->gs, id);
    if (g == IDMAP_NONE) { /* a status would say that it has been so from the beginning */
        const bool waits = status == V2S_G_WAITING, was = known(w, &w->gs, id)->gen == s->ordinal; /* and has ended */
        if (was || (waits && w->m->version < GO_123) ||
            !put_in(w, creator(w, m), waits ? V2_GO_CREATE_BLOCKED : V2_GO_CREATE, id, 0, 0))
            return false;
        known(w, &w->gs, id)->gap = true;
        g = idmap_get(&s->gs, id);
    } else if (!g_told(w, m, g) || (s->g[g].status != status && !g_becomes(w, m, g, status))) {
        return false;
    }
    s->g[g].seq = seq - 1;
    return true;
}

static bool p_gives_up(struct v2_mend_work *w, uint32_t p)
{
    const struct v2s_p *v = &w->s.p[p];
    const uint32_t m = v->m;
    if (v->status == V2S_P_IDLE)
        return true;
    if (m == V2S_NONE)
        return false;
    if (v->status == V2S_P_RUNNING && w->s.m[m].g != V2S_NONE && !park(w, m))
        return false;
    return put_in(w, m, V2_PROC_STOP, 0, 0, 0);
}

/* p_is - P `id` is idle, and its next number is seq. */
static bool p_is(struct v2_mend_work *w, uint32_t m, uint64_t id, uint64_t seq)
{
    struct v2_sim *s = &w->s;
    uint32_t p = idmap_get(&s->ps, id);
    if (p == IDMAP_NONE) {
        if (!put_in(w, m, V2_PROC_STATUS, id, V2S_P_IDLE, 0))
            return false;
        p = idmap_get(&s->ps, id);
    } else if (!p_gives_up(w, p) ||
               (s->p[p].seqgen != s->ordinal && !put_in(w, m, V2_PROC_STATUS, id, V2S_P_IDLE, 0))) {
        return false;
    }
    s->p[p].seq = seq - 1;
    return true;
}

static bool p_runs(struct v2_mend_work *w, uint32_t m, uint64_t id)
{
    return m != V2S_NONE && (w->s.m[m].p == V2S_NONE || p_gives_up(w, w->s.m[m].p)) && p_is(w, m, id, 1) &&
           put_in(w, m, V2_PROC_START, id, 1, 0);
}

/* ---- event by event ---------------------------------------------------------------------------------------- */

static bool status_of_p(struct v2_mend_work *w, const struct v2s_cursor *c)
{
    const uint32_t p = idmap_get(&w->s.ps, c->ev.arg[0]);
    if (p == IDMAP_NONE)
        return false;
    switch (c->ev.arg[1]) {
    case V2S_P_IDLE: return p_gives_up(w, p);
    case V2S_P_RUNNING: return p_runs(w, c->m, c->ev.arg[0]);
    default: p_gives_up(w, p); return false; /* nobody is there who made the call */
    }
}

static bool status_of_g(struct v2_mend_work *w, const struct v2s_cursor *c)
{
    const uint64_t id = c->ev.arg[0], status = c->ev.arg[2];
    if (status == V2S_G_RUNNABLE || status == V2S_G_WAITING)
        return g_is(w, c->m, id, 1, (uint8_t)status);
    if (status != V2S_G_RUNNING || c->m == V2S_NONE || w->s.m[c->m].p == V2S_NONE)
        return false;
    if (w->s.m[c->m].g != V2S_NONE && !park(w, c->m))
        return false;
    return g_is(w, c->m, id, 1, V2S_G_RUNNABLE) && put_in(w, c->m, V2_GO_START, id, 1, 0);
}

/* gc - the collector's steps: one that begins what has begun, or ends what has not, is none. */
static bool gc(struct v2_mend_work *w, const struct v2s_cursor *c)
{
    struct v2_sim *s = &w->s;
    const bool begins = c->ev.type == V2_GC_BEGIN;
    if (begins == (s->gc == V2S_GC_ON) || s->gc_seq == c->ev.arg[0] - 1)
        return false;
    s->gc_seq = c->ev.arg[0] - 1;
    return true;
}

/* change - what it takes for the cursor's event to come. false: it is left out. */
static bool change(struct v2_mend_work *w, const struct v2s_cursor *c)
{
    struct v2_sim *s = &w->s;
    const struct v2_raw_ev *e = &c->ev;
    const uint32_t m = c->m, p = m == V2S_NONE ? V2S_NONE : s->m[m].p, g = m == V2S_NONE ? V2S_NONE : s->m[m].g;
    uint32_t of;
    switch (e->type) {
    case V2_PROC_STATUS: return status_of_p(w, c);
    case V2_GO_STATUS:
    case V2_GO_STATUS_STACK: return status_of_g(w, c);
    case V2_GO_START:
        return p != V2S_NONE && (g == V2S_NONE || park(w, m)) && g_is(w, m, e->arg[0], e->arg[1], V2S_G_RUNNABLE);
    case V2_GO_SWITCH:
    case V2_GO_SWITCH_DESTROY: return p != V2S_NONE && runs(w, m) && g_is(w, m, e->arg[0], e->arg[1], V2S_G_WAITING);
    case V2_GO_UNBLOCK: return g_is(w, m, e->arg[0], e->arg[1], V2S_G_WAITING);
    case V2_PROC_START:
        return m != V2S_NONE && (p == V2S_NONE || p_gives_up(w, p)) && p_is(w, m, e->arg[0], e->arg[1]);
    case V2_PROC_STEAL:
        of = idmap_get(&s->ps, e->arg[0]);
        if (of == IDMAP_NONE || s->p[of].status != V2S_P_SYSCALL || s->p[of].m == V2S_NONE ||
            s->m[s->p[of].m].id != e->arg[2] || s->p[of].seqgen != s->ordinal || s->p[of].seq == e->arg[1] - 1) {
            (void)(of != IDMAP_NONE && p_gives_up(w, of));
            return false;
        }
        s->p[of].seq = e->arg[1] - 1;
        return true;
    case V2_GO_SYSCALL_BEGIN:
        if (p == V2S_NONE || !runs(w, m) || s->p[p].seq == e->arg[0] - 1)
            return false;
        if (s->p[p].seqgen != s->ordinal && !put_in(w, m, V2_PROC_STATUS, s->p[p].id, s->p[p].status, 0))
            return false;
        s->p[p].seq = e->arg[0] - 1;
        return true;
    case V2_GO_SYSCALL_END_BLOCKED: return p != V2S_NONE && put_in(w, m, V2_PROC_STOP, 0, 0, 0);
    case V2_GO_SYSCALL_END: /* its P is gone: who took it came too early */
        (void)(p == V2S_NONE && g != V2S_NONE && put_in(w, m, V2_GO_SYSCALL_END_BLOCKED, 0, 0, 0));
        return false;
    case V2_GO_STOP:
    case V2_GO_BLOCK:
    case V2_GO_DESTROY:
    case V2_GO_CREATE:
    case V2_GO_CREATE_BLOCKED: return p != V2S_NONE && g != V2S_NONE && s->g[g].status == V2S_G_SYSCALL && runs(w, m);
    case V2_GC_BEGIN:
    case V2_GC_ACTIVE:
    case V2_GC_END: return gc(w, c);
    default: return false;
    }
}

/* leave_out - those that come after it don't wait for it. */
static void leave_out(struct v2_mend_work *w, const struct v2s_cursor *c)
{
    struct v2_sim *s = &w->s;
    const uint32_t had = c->m == V2S_NONE ? V2S_NONE : s->m[c->m].p;
    uint64_t p = had == V2S_NONE ? 0 : s->p[had].id;
    const uint64_t k = key_of(&c->ev, &p);
    if (k)
        idmap_del(&w->has, k);
    w->m->left_out++;
}

static enum v2s_lack ask(struct v2_sim *s, uint32_t i, bool bad, bool last)
{
    struct v2_mend_work *w = s->mender;
    const struct v2s_cursor c = s->cur[i];
    const enum lack l = bad ? GONE : lack_of(w, &c);
    if (l == TO_COME && !last)
        return V2S_WAITS;
    w->units = c.units;
    w->asker = c.m;
    if (l != STALE && change(w, &c))
        return V2S_AGAIN;
    if (!s->oom)
        leave_out(w, &c);
    return V2S_LEFT_OUT;
}

/* ---- a generation ------------------------------------------------------------------------------------------ */

/* stray - it can run, and nobody is there who runs it: the next thread that is free stops it. */
static void stray(struct v2_mend_work *w, uint64_t g)
{
    uint64_t *v = mem_grow(w->stray, &w->cstray, w->nstray + 1, sizeof *v);
    if (!v) {
        w->oom = w->s.oom = true;
        return;
    }
    w->stray = v;
    v[w->nstray++] = g;
}

static void stop_strays(struct v2_mend_work *w, uint32_t m, uint64_t units)
{
    const struct v2_sim *s = &w->s;
    if (m == V2S_NONE || s->m[m].g != V2S_NONE || s->m[m].p == V2S_NONE || s->p[s->m[m].p].status != V2S_P_RUNNING)
        return;
    w->units = units;
    w->asker = m;
    while (w->nstray) {
        const uint64_t id = w->stray[--w->nstray];
        const uint32_t g = idmap_get(&s->gs, id);
        if (g != IDMAP_NONE && s->g[g].status == V2S_G_RUNNABLE && put_in(w, m, V2_GO_START, id, s->g[g].seq + 1, 0))
            (void)park(w, m);
    }
}

/* The thread has no more events, and others were lost. */
static void over(struct v2_mend_work *w, uint32_t m)
{
    const struct v2_sim *s = &w->s;
    const uint32_t g = s->m[m].g, p = s->m[m].p;
    if (p == V2S_NONE || (s->p[p].status == V2S_P_SYSCALL && has(w, OF_P, s->p[p].id, s->p[p].seq + 1)))
        return;
    w->asker = m;
    w->units = w->thread[m + 1].any ? w->thread[m + 1].last : w->units;
    if (g != V2S_NONE)
        (void)park(w, m);
    stop_strays(w, m, w->units);
}

/* lost_next - the event with this number, the goroutine's next one, is not in the file. */
static bool lost_next(const struct v2_mend_work *w, uint64_t g, uint64_t seq)
{
    return !has(w, OF_G, g, seq) && (w->cut || !is_last(w, g, seq));
}

/* mark - a goroutine stops, is woken or created, and what it did next was lost: it isn't told to be able to run all the while. */
static void mark(struct v2_mend_work *w, const struct v2s_event *e, struct v2_raw_ev *raw)
{
    struct v2_sim *s = &w->s;
    const bool told =
        raw->type == V2_GO_UNBLOCK || raw->type == V2_GO_CREATE ||
        ((raw->type == V2_GO_STATUS || raw->type == V2_GO_STATUS_STACK) && raw->arg[2] == V2S_G_RUNNABLE);
    const bool leaves = raw->type == V2_GO_BLOCK || raw->type == V2_GO_STOP || raw->type == V2_GO_SYSCALL_END_BLOCKED;
    const uint32_t g = told ? idmap_get(&s->gs, raw->arg[0]) : leaves ? e->g : V2S_NONE;
    if (g == V2S_NONE || g == IDMAP_NONE)
        return;
    struct v2s_g *v = &s->g[g];
    if (!lost_next(w, v->id, v->seqgen == s->ordinal ? v->seq + 1 : 1))
        return;
    known(w, &w->gs, v->id)->gap = true;
    if (told || raw->type == V2_GO_SYSCALL_END_BLOCKED) {
        stray(w, v->id);
        return;
    }
    v->status = V2S_G_WAITING;
    raw->type = V2_GO_BLOCK;
    raw->arg[0] = w->reason;
}

/* told_as_is - its status is told in this generation; as busy where it was, or its thread would go on with what nobody told of. */
static bool p_told_as_is(const struct v2_mend_work *w, const struct v2s_p *v)
{
    const bool busy = v->m != V2S_NONE && (v->status == V2S_P_RUNNING || v->status == V2S_P_SYSCALL);
    return busy ? has(w, OF_P_BUSY, v->id, v->status == V2S_P_RUNNING ? w->s.m[v->m].id : NOBODY)
                : has(w, OF_P_TOLD, v->id, 0);
}

static bool g_told_as_is(const struct v2_mend_work *w, const struct v2s_g *v)
{
    const bool busy = v->m != V2S_NONE && (v->status == V2S_G_RUNNING || v->status == V2S_G_SYSCALL);
    return busy ? has(w, OF_G_BUSY, v->id, w->s.m[v->m].id) : has(w, OF_G_TOLD, v->id, 0);
}

/* tell_rest - of whom no status is told in this generation: it is as it was, and first of all. */
static void tell_rest(struct v2_mend_work *w)
{
    const struct v2_sim *s = &w->s;
    w->units = s->gen->min_time;
    for (uint32_t p = 0; p < s->np; p++) {
        const struct v2s_p *v = &s->p[p];
        const bool busy = v->status == V2S_P_RUNNING || v->status == V2S_P_SYSCALL;
        if (!p_told_as_is(w, v))
            (void)put_in(w, busy ? v->m : V2S_NONE, V2_PROC_STATUS, v->id, v->status, 0);
    }
    for (uint32_t g = 0; g < s->ng; g++)
        if (s->g[g].status != V2S_G_GONE && !g_told_as_is(w, &s->g[g]))
            (void)g_told(w, V2S_NONE, g);
    for (uint32_t m = 0; w->cut && m < s->nm; m++)
        if (!w->thread[m + 1].cursor)
            over(w, m);
}

/* told_already - a status in this generation, of what has had one: numbers would count anew from there. */
static bool told_already(struct v2_mend_work *w, const struct v2_raw_ev *e)
{
    const bool of_g = e->type == V2_GO_STATUS || e->type == V2_GO_STATUS_STACK;
    return (of_g || e->type == V2_PROC_STATUS) && known(w, of_g ? &w->gs : &w->ps, e->arg[0])->gen == w->s.ordinal;
}

static bool walk(struct v2_mend_work *w)
{
    struct v2_sim *s = &w->s;
    struct v2s_event e;
    tell_rest(w);
    while (v2_sim_next(s, INT64_MAX, &e) == V2S_EVENT && room(w)) {
        if (!e.ev)
            continue;
        struct v2_raw_ev raw = *e.ev;
        if (!e.left_out)
            mark(w, &e, &raw);
        if (!e.left_out)
            still(w, &e);
        if (!e.left_out && !told_already(w, &raw) && renumber(w, e.m, e.g, &raw))
            write_down(w, e.m, &raw, e.units);
        if (w->nstray)
            stop_strays(w, e.m, e.units);
        const uint32_t c = e.m == V2S_NONE ? 0 : w->thread[e.m + 1].cursor;
        if (w->cut && c && s->cur[c - 1].over)
            over(w, e.m);
    }
    return !s->oom && !w->oom;
}

static bool add_batch(struct v2_raw_gen *g, const struct v2_raw_batch *b)
{
    struct v2_raw_batch *v = mem_grow(g->batch, &g->cap, g->n + 1, sizeof *v);
    if (!v)
        return false;
    g->batch = v;
    v[g->n++] = *b;
    return true;
}

static bool is_table(const struct v2_raw_batch *b)
{
    return b->lead != V2R_EVENTS || b->first == V2R_STACKS || b->first == V2R_STRINGS || b->first == V2R_SAMPLES ||
           b->first == V2R_FREQ || b->first == V2R_SYNC;
}

/* words - a table with the one string that isn't the trace's. */
static bool words(struct v2_mend_work *w, const struct v2_raw_gen *gen)
{
    static const char text[] = V2_NOT_RECORDED;
    size_t n = 0;
    w->words[n++] = V2R_STRINGS;
    w->words[n++] = V2R_STRING;
    n += v2_put_varint(w->words + n, w->reason);
    n += v2_put_varint(w->words + n, sizeof text - 1);
    memcpy(w->words + n, text, sizeof text - 1);
    n += sizeof text - 1;
    return add_batch(&w->m->gen, &(struct v2_raw_batch){.lead = V2R_EVENTS,
                                                        .first = V2R_STRINGS,
                                                        .gen = gen->number,
                                                        .m = NOBODY,
                                                        .time = gen->min_time,
                                                        .size = n,
                                                        .p = w->words,
                                                        .end = w->words + n});
}

static bool result(struct v2_mend_work *w, const struct v2_raw_gen *gen)
{
    struct v2_raw_gen *to = &w->m->gen;
    struct v2_raw_batch *batch = to->batch;
    const size_t cap = to->cap;
    *to = *gen;
    to->batch = batch;
    to->cap = cap;
    to->n = 0;
    to->damage = (struct err){0};
    for (size_t i = 0; i < gen->n; i++)
        if (is_table(&gen->batch[i]) && !add_batch(to, &gen->batch[i]))
            return false;
    for (size_t i = 0; i <= w->s.nm; i++) {
        const struct thread *t = &w->thread[i];
        if (t->any && !add_batch(to, &(struct v2_raw_batch){.lead = V2R_EVENTS,
                                                            .first = t->p[0],
                                                            .gen = gen->number,
                                                            .m = i ? w->s.m[i - 1].id : NOBODY,
                                                            .time = t->base,
                                                            .size = t->n,
                                                            .p = t->p,
                                                            .end = t->p + t->n}))
            return false;
    }
    return words(w, gen);
}

/* string_free - an id that no string of the generation has. */
static uint64_t string_free(const struct v2_raw_gen *gen)
{
    uint64_t most = 1 << 20;
    for (size_t i = 0; i < gen->n; i++) {
        const struct v2_raw_batch *b = &gen->batch[i];
        struct v2_raw_string s;
        if (b->lead == V2R_EVENTS && b->first == V2R_STRINGS)
            for (const uint8_t *p = b->p + 1; (p = v2_raw_string(p, b->end, &s));)
                most = s.id > most && s.id < UINT64_MAX - 64 ? s.id : most;
    }
    return most + 1;
}

/* unfinished - the last generation of a file, which lacks what each ends with. */
static bool unfinished(const struct v2_mend_work *w, const struct v2_raw_gen *gen)
{
    for (size_t i = 0; i < gen->n; i++)
        if (gen->batch[i].lead == V2R_EVENTS && gen->batch[i].first == V2R_STRINGS)
            return false;
    return gen->end == w->m->data + w->m->len;
}

static bool begin(struct v2_mend_work *w, const struct v2_sim *was, const struct v2_raw_gen *gen)
{
    v2_sim_free(&w->s);
    if (!v2_sim_copy(&w->s, was))
        return false;
    if (w->m->rough)
        w->s.gc_seq = w->gc_was;
    w->gc_seq = was->gc_seq;
    w->s.mend = ask;
    w->s.mender = w;
    w->nregion = w->nstray = 0;
    for (size_t i = 0; i < w->nknown; i++) { /* names of strings are the generation's */
        w->known[i].gap |= w->known[i].region != 0;
        w->known[i].region = 0;
    }
    w->cut = gen->damage.code || unfinished(w, gen);
    w->reason = string_free(gen);
    if (!v2_sim_begin(&w->s, w->m->data, gen) || !index_events(w) || !room(w))
        return false;
    for (size_t i = 0; i < w->cthread; i++) {
        w->thread[i].n = w->thread[i].cursor = 0;
        w->thread[i].any = false;
    }
    for (uint32_t i = 0; i < w->s.ncur; i++)
        if (w->s.cur[i].m != V2S_NONE)
            w->thread[w->s.cur[i].m + 1].cursor = i + 1;
    return true;
}

bool v2_mend(struct v2_mend *m, const struct v2_sim *was, const struct v2_raw_gen *gen)
{
    struct v2_mend_work *w = m->w = m->w ? m->w : mem_zalloc(sizeof *w);
    if (w)
        w->m = m;
    if (!w || !begin(w, was, gen) || !walk(w) || !result(w, gen))
        return false;
    w->gc_was = w->s.gc_seq;
    m->rough = true;
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
        idmap_free(&w->has);
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
