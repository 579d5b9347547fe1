/*
 * v1_emit.c - see v1_emit.h.
 *
 * Invariants: p[i].g and o->g[g].p name each other while a goroutine runs on a P or holds it in a system
 * call; a goroutine in a system call without a P has p EV_NONE. A goroutine gets its lane when an event first
 * names it. Events that contradict the state, which only damaged files have, are counted, and applied as far
 * as they make sense.
 */
#include "decode/damage/v1_damage.h"

#include <string.h>

#include "decode/base/mem.h"

#define SWEEP 2048 /* ended goroutines, and one a slot of the rings, until rows are looked through */
#define F_USED 2   /* something refers to the row; set only within v1_emit_sweep() */

static const struct {
    uint64_t kind;
    int from, to;
    const char *name;
} STW[] = {
#define V1_STW(kind, from, to, name) {kind, from, to, name},
#include "decode/v1/events_v1.def"
};

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Append an event at the current event's time, or 1 ns after the one before, because Go's own reader gives no
 * two events the same time. */
struct ev *v1_emit_put(struct v1_emit *em, enum ev_kind kind, uint16_t flags)
{
    struct ev *v = (struct ev *)(void *)&em->out[em->n];
    int64_t t = em->now;
    if (t <= em->last)
        t = em->last + (em->clock && !(flags & EVF_QUIET) ? 1 : 0);
    if (!(flags & EVF_QUIET))
        em->last = t;
    else if (t - em->clock > em->last) /* no later event may be earlier, whatever the file says */
        em->last = t - em->clock;
    *v = ev_at(t, kind, flags);
    em->n += 2;
    return v;
}

#define put v1_emit_put

/* Set the current event's time. The order is final, so time must not run backwards. */
static void set_time(struct v1_emit *em, const struct v1_ev *e)
{
    int64_t ticks = (int64_t)e->ticks;
    if (!em->based) {
        const struct v1_ev *head =
            em->o->head; /* e itself, or the event that a moved one, e, stands before */
        const bool far = head && head->ticks > e->ticks && head->ticks - e->ticks > em->o->slack;
        em->based = true;
        em->base = far ? head->ticks : e->ticks;
        em->max = (int64_t)em->base;
    }
    if (ticks < em->max) {
        if (!em->backwards)
            source_damage(
                em->s, ERR_CLOCK, 0, ERR_NO_OFFSET,
                "time stamps out of order: %s is %llu ticks before what it follows; shown at that time",
                v1_type_name(e->tag.type), (unsigned long long)em->max - (unsigned long long)ticks);
        em->backwards = true;
        return;
    }
    em->max = ticks;
    uint64_t d = e->ticks - em->base;
    double ns = (double)d * em->ns_per_tick;
    if (ns < (double)SOURCE_TIME_MAX) {
        em->now = (int64_t)ns;
        return;
    }
    if (!em->beyond)
        source_damage(
            em->s, ERR_CLOCK, 0, ERR_NO_OFFSET,
            "no clock can have the time of %s, %llu ticks after the first event; it and what follows is "
            "shown where time ends",
            v1_type_name(e->tag.type), (unsigned long long)d);
    em->beyond = true;
}

/* Returns value i after the time. It is read from the file again, because events keep only the common
 * values. */
static uint64_t value(const struct v1_emit *em, const struct v1_ev *e, unsigned i)
{
    struct v1_raw r;
    return v1_ev_values(&em->o->d, e, &r) ? r.v[i] : 0;
}

static struct v1_g *gor(struct v1_emit *em, uint32_t g)
{
    return &em->o->d.g[g];
}

uint32_t v1_emit_stack(struct v1_emit *em, const struct v1_ev *e)
{
    return v1_stack(em->vn, v1_ev_stack(&em->o->d, e));
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

static uint32_t proc_lane(struct v1_emit *em, uint32_t p)
{
    if (p == UINT32_MAX || em->ix->proc[p].id < 0)
        return EV_NONE; /* a thread without a P wrote the event */
    struct v1_p *q = &em->p[p];
    if (q->lane == EV_NONE)
        q->lane = em->nlane_p++;
    return q->lane;
}

static struct ev *put_p(struct v1_emit *em, uint16_t flags, uint32_t p, uint8_t state)
{
    struct ev *v = put(em, EVK_P_STATE, flags);
    v->p = em->p[p].lane;
    v->state = state;
    v->arg = (uint64_t)em->ix->proc[p].id;
    return v;
}

/* Returns the lane of the P that an event happened on. If nothing mentioned the P before, it was running when
 * the trace began; else the event of its start is missing. */
static uint32_t on_proc(struct v1_emit *em, uint32_t p)
{
    uint32_t lane = proc_lane(em, p);
    if (lane != EV_NONE && !em->p[p].started) {
        em->p[p].started = true;
        em->p[p].runs = V1_UNSURE; /* before Go 1.7 a P's start may come after other events of it */
        put_p(em, em->listing ? EVF_QUIET | EVF_BACKDATE : EVF_QUIET, p, ST_SCHED);
    }
    return lane;
}

static uint32_t thread_lane(struct v1_emit *em, uint64_t id)
{
    const uint32_t known = idmap_get(&em->threads, id);
    if (known != IDMAP_NONE)
        return known;
    if (!mem_noted(&em->o->d.oom, idmap_put(&em->threads, id, em->nlane_m)))
        return EV_NONE;
    struct ev *v = put(em, EVK_M_NEW, EVF_QUIET);
    v->m = em->nlane_m;
    v->arg = id;
    return em->nlane_m++;
}

static struct ev *put_g(struct v1_emit *em, enum ev_kind kind, uint16_t flags, uint32_t g, uint8_t state)
{
    struct ev *v = put(em, kind, flags);
    v->g = gor(em, g)->lane;
    v->state = state;
    return v;
}

/* Give a goroutine a lane, and its state. A goroutine of the listing has been in that state since before the
 * trace. */
static struct ev *introduce(struct v1_emit *em, uint32_t g, uint16_t flags, uint8_t state)
{
    struct v1_g *s = gor(em, g);
    s->lane = em->nlane_g++;
    struct ev *v = put_g(em, EVK_G_STATUS, em->listing ? flags | EVF_BACKDATE : flags, g, state);
    v->arg = s->id;
    v->stack2 = g < em->nstart ? em->start[g] : 0;
    return v;
}

/* Note that events are missing, since the current one can't follow what came before. */
static void contra(struct v1_emit *em)
{
    em->contradictions++;
    em->loss_to = em->now + 1;
}

/* Returns a goroutine's lane. If no event named it before, it was in `state`. */
static uint32_t lane_of(struct v1_emit *em, uint32_t g, uint8_t state)
{
    if (!g)
        return EV_NONE;
    if (gor(em, g)->lane == EV_NONE && gor(em, g)->state != V1S_ENDED) { /* else its row was given back */
        /* The listing has all goroutines that existed, and others are created first. */
        if (!em->listing && !em->s->st.ndamages)
            contra(em);
        introduce(em, g, EVF_QUIET, state);
    }
    return gor(em, g)->lane;
}

static void leave(struct v1_emit *em, uint32_t g)
{
    struct v1_g *s = gor(em, g);
    if (s->p != EV_NONE && em->p[s->p].g == g)
        em->p[s->p].g = 0;
    s->p = EV_NONE;
}

/* Note that it is unknown from now on what this goroutine does. */
static void lose(struct v1_emit *em, uint32_t g)
{
    leave(em, g);
    if (gor(em, g)->state == V1S_ENDED)
        return;
    gor(em, g)->state = V1S_UNKNOWN;
    if (gor(em, g)->lane != EV_NONE)
        put_g(em, EVK_G_STATE, EVF_QUIET, g, ST_UNKNOWN);
}

/* Note that the event can't follow what is known of this goroutine, or of what its P runs. */
static void contradicts(struct v1_emit *em, const struct v1_ev *e, uint32_t g)
{
    contra(em);
    v1_lossy_g(em, g);
    if (e->p != UINT32_MAX && em->p[e->p].g != g)
        v1_lossy_p(em, e->p);
}

/* Returns whether the event may be about this goroutine. */
static bool alive(struct v1_emit *em, const struct v1_ev *e, uint32_t g)
{
    if (g && gor(em, g)->state != V1S_ENDED)
        return true;
    contradicts(em, e, g);
    if (!g && !e->g && e->p != UINT32_MAX) /* no event said which goroutine the P runs */
        v1_lossy_p(em, e->p);
    return false;
}

/* ---- the commonest ------------------------------------------------------------------------------------- */

struct v1_at {
    struct v1_emit *em;
    const struct v1_ev *e;
    struct v1_p *q;
};

static struct v1_at at_of(struct v1_emit *em, const struct v1_ev *e)
{
    return (struct v1_at){em, e, &em->p[e->p]};
}

static uint32_t at_stack(const struct v1_at *at)
{
    return v1_emit_stack(at->em, at->e);
}

static void at_put(const struct v1_at *at, const struct v1_g *s, struct v1_into to)
{
    struct v1_emit *em = at->em;
    const uint32_t g = (uint32_t)(s - em->o->d.g);
    struct ev *v = s->lane == EV_NONE ? introduce(em, g, to.flags, to.state)
                                      : put_g(em, EVK_G_STATE, to.flags, g, to.state);
    v->stack = to.stack;
    if (to.flags & EVF_WOKEN)
        v->by = to.by;
    else
        v->str = to.by;
    if (to.state == ST_RUNNING || to.state == ST_SYSCALL) {
        v->p = at->q->lane;
        v->m = at->q->m;
    }
}

static void at_put_back(const struct v1_at *at, const struct v1_g *s)
{
    at->em->now = at->em->last + 1;
    at_put(at, s, (struct v1_into){.state = ST_RUNNING});
}

#include "decode/v1/v1_rules.h"

/* ---- goroutines ---------------------------------------------------------------------------------------- */

/* Keep the start stack of a goroutine in the listing until it gets its lane. */
static void note_start(struct v1_emit *em, uint32_t g, uint32_t start)
{
    if (mem_noted(&em->o->d.oom, mem_room_zeros(em->start, em->nstart, (size_t)g + 1)))
        em->start[g] = start;
}

static void on_create(struct v1_emit *em, const struct v1_ev *e)
{
    struct v1_g *s = gor(em, e->arg_g);
    if (!e->arg_g || (s->lane != EV_NONE && s->state != V1S_UNKNOWN && s->state != V1S_ENDED)) {
        contradicts(em, e, e->arg_g);
        return;
    }
    uint32_t start = em->ix->dialect.names ? v1_stack(em->vn, e->own) : v1_start(em->vn, e->own);
    if (em->listing) {
        note_start(em, e->arg_g, start);
        s->state = V1S_LISTED;
        return;
    }
    uint32_t by = lane_of(em, e->g, ST_RUNNING);
    s->state = V1_LEAVES_GO_CREATE;
    s->lane = em->nlane_g++;
    /* Bare program counters are no first stack, because Go's reader shows nothing for them. */
    struct ev *v = put_g(em, EVK_G_CREATE, em->ix->dialect.names ? EVF_OWN_STACK : 0, e->arg_g, ST_RUNNABLE);
    v->arg = s->id;
    v->by = by;
    v->stack = v1_emit_stack(em, e);
    v->stack2 = start;
}

/* Returns whether it is known what the goroutine does. */
static bool placed(const struct v1_g *s)
{
    return s->state == V1S_RUNNABLE || s->state == V1S_RUNNING || s->state == V1S_SYSCALL ||
           s->state == V1S_WAITING;
}

static void on_start(struct v1_emit *em, const struct v1_ev *e)
{
    const uint32_t p = on_proc(em, e->p);
    const struct v1_at at = at_of(em, e);
    struct v1_g *s = gor(em, e->g);
    if ((placed(s) || at.q->g) && !can_start(s, at.q))
        contradicts(em, e, e->g);
    leave(em, e->g);
    leave(em, at.q->g);
    if (!em->listing)
        lane_of(em, e->g, ST_RUNNABLE);
    rule_start(&at, s);
    if (p == EV_NONE)
        leave(em, e->g);
    if (e->tag.means == V1_MEANS_START_LABEL)
        put_g(em, EVK_G_LABEL, 0, e->g, 0)->str = v1_string(em->vn, value(em, e, 2));
}

static void on_stop(struct v1_emit *em, const struct v1_ev *e)
{
    const struct v1_at at = at_of(em, e);
    struct v1_g *s = gor(em, e->g);
    if (s->lane != EV_NONE && !runs(s, at.q, e))
        contradicts(em, e, e->g);
    lane_of(em, e->g, ST_RUNNING);
    leave(em, e->g);
    leave(em, at.q->g);
    rule_stop(&at, s);
}

static void on_wake(struct v1_emit *em, const struct v1_ev *e)
{
    const struct v1_at at = at_of(em, e);
    struct v1_g *s = gor(em, e->arg_g);
    const uint32_t by = lane_of(em, e->g, ST_RUNNING);
    if (s->lane != EV_NONE && !waits(s))
        contradicts(em, e, e->arg_g);
    lane_of(em, e->arg_g, ST_WAITING);
    leave(em, e->arg_g);
    rule_wake(&at, s, by);
}

/* Take what the listing at the start says: a goroutine waits, or is in a system call. */
static void on_status(struct v1_emit *em, const struct v1_ev *e)
{
    const struct v1_left *left = &V1_LEFT[e->tag.type];
    leave(em, e->g);
    if (!em->listing && !em->s->st.ndamages) /* the listing is only at the beginning */
        contra(em);
    if (gor(em, e->g)->lane == EV_NONE)
        introduce(em, e->g, 0, left->state);
    else
        put_g(em, EVK_G_STATE, 0, e->g, left->state);
    gor(em, e->g)->state = left->becomes;
}

/* ---- system calls -------------------------------------------------------------------------------------- */

static void on_call(struct v1_emit *em, const struct v1_ev *e)
{
    const struct v1_at at = at_of(em, e);
    struct v1_g *s = gor(em, e->g);
    if (s->lane != EV_NONE && !runs(s, at.q, e)) {
        contradicts(em, e, e->g);
        return;
    }
    on_proc(em, e->p);
    lane_of(em, e->g, ST_RUNNING);
    rule_call(&at, s, v1_blocks(&em->o->d, &em->o->d.cur[e->p]));
}

static void on_block(struct v1_emit *em, const struct v1_ev *e)
{
    struct v1_g *s = gor(em, e->g);
    bool seen = s->state == V1S_SYSCALL;
    leave(em, e->g);
    s->state = V1_LEAVES_SYS_BLOCK;
    if (seen)
        return; /* its lane shows the call since it began, and its P too, until the P stops or runs another */
    lane_of(em, e->g, ST_RUNNING);
    put_g(em, EVK_G_STATE, EVF_QUIET, e->g, ST_SYSCALL);
}

/* Returns whether events are missing since the goroutine's system call began, so that this is the end of
 * another call. */
static bool went_on(const struct v1_emit *em, const struct v1_ev *e, const struct v1_g *s)
{
    return e->moved && (em->ngap || em->loss_to || em->o->repairs) && e->own != V1_NO_SEQ &&
           !em->o->by_time && (s->key >> 2 != e->own || (s->key & 3) != V1_WAITING);
}

static void on_return(struct v1_emit *em, const struct v1_ev *e)
{
    struct v1_g *s = gor(em, e->g);
    const bool blocked = v1_off_p(s);
    if (!v1_exits(em->o, e))
        return;
    if (em->ix->dialect.version >= 1007 && !e->moved) {
        uint64_t real = v1_ev_real_ticks(&em->o->d, e);
        if (real && (int64_t)(real - e->ticks) < 0 && !em->backwards &&
            !em->o->repairs) { /* with repairs, another call's end may be the one that is missing */
            source_damage(em->s, ERR_CLOCK, 0, ERR_NO_OFFSET,
                          "goroutine %llu left a system call before it entered it: the clocks disagree",
                          (unsigned long long)s->id);
            em->backwards = true;
        }
        if (!blocked)
            contradicts(em, e, e->g);
    }
    if (blocked && went_on(em, e, s))
        v1_lossy_g(em, e->g);
    lane_of(em, e->g, ST_SYSCALL);
    leave(em, e->g);
    put_g(em, EVK_G_STATE, 0, e->g, ST_RUNNABLE);
    s->state = V1_LEAVES_SYS_EXIT;
}

/* ---- processors ---------------------------------------------------------------------------------------- */

/* What begins must not be open, and what ends must be. Go's reader refuses both, too. */
static void toggle(struct v1_emit *em, uint8_t *is, bool begins)
{
    if (*is == (begins ? V1_YES : V1_NO))
        contra(em);
    *is = begins ? V1_YES : V1_NO;
}

static void thread_off(struct v1_emit *em, struct v1_p *q)
{
    em->o->d.oom |= !v1_lossy_m_off(em, q->m);
    q->m = EV_NONE;
}

static void on_proc_start(struct v1_emit *em, const struct v1_ev *e)
{
    struct v1_p *q = &em->p[e->p];
    if (proc_lane(em, e->p) == EV_NONE)
        return;
    const uint32_t was = q->m;
    q->m = em->ix->dialect.version ? thread_lane(em, e->own) : EV_NONE;
    if (was != q->m)
        em->o->d.oom |= !v1_lossy_m_off(em, was);
    em->o->d.oom |= !v1_lossy_m_on(em, q->m);
    if (q->g)
        contradicts(em, e, 0);
    else
        toggle(em, &q->runs, true);
    q->runs = V1_YES;
    put_p(em, em->listing && !q->started ? EVF_BACKDATE : 0, e->p, ST_SCHED)->m = q->m;
    q->started = true;
}

static void on_proc_stop(struct v1_emit *em, const struct v1_ev *e)
{
    struct v1_p *q = &em->p[e->p];
    if (on_proc(em, e->p) == EV_NONE)
        return;
    if (q->g)
        contradicts(em, e, 0);
    else
        toggle(em, &q->runs, false);
    q->runs = V1_NO;
    put_p(em, 0, e->p, ST_IDLE);
    thread_off(em, q);
}

/* Note that events of this P are missing here, or from here on. */
static void on_gap(struct v1_emit *em, const struct v1_ev *e)
{
    uint32_t p = proc_lane(em, e->p);
    struct v1_p *q = &em->p[e->p];
    if (q->g)
        lose(em, q->g);
    thread_off(em, q);
    q->runs = q->sweeps = V1_UNSURE;
    v1_lossy_gap(em, e->p, e->own);
    if (p != EV_NONE && q->started)
        put_p(em, EVF_QUIET, e->p, ST_NONE);
}

/* ---- ranges, annotations ------------------------------------------------------------------------------- */

static struct ev *range_ev(struct v1_emit *em, const struct v1_ev *e, bool begins, enum range_kind what,
                           uint16_t flags)
{
    struct ev *v = put(em, begins ? EVK_RANGE_BEGIN : EVK_RANGE_END, flags);
    v->state = (uint8_t)what;
    v->stack = v1_emit_stack(em, e);
    return v;
}

static void on_stw(struct v1_emit *em, const struct v1_ev *e)
{
    bool begin = e->tag.type == V1_STW_START;
    bool per_p = em->ix->dialect.version < 1010;
    uint32_t p = on_proc(em, e->p), lane = EV_NONE;
    uint64_t kind = per_p ? 0 : e->own;
    if (em->p[e->p].g)
        lane = gor(em, em->p[e->p].g)->lane;
    if (begin)
        em->stw_lane = lane;
    else if (!per_p)
        lane = em->stw_lane; /* another goroutine may end it, but it belongs to the one that began it */
    struct ev *v = range_ev(em, e, begin, RANGE_STW, per_p ? EVF_EXTRA : 0);
    v->g = lane;
    if (per_p)
        v->p = p;
    if (begin && kind < sizeof em->stw / sizeof em->stw[0])
        v->str = em->stw[kind];
}

static void on_sweep(struct v1_emit *em, const struct v1_ev *e)
{
    uint32_t p = on_proc(em, e->p);
    bool begin = e->tag.type == V1_SWEEP_START;
    toggle(em, &em->p[e->p].sweeps, begin);
    struct ev *v = range_ev(em, e, begin, RANGE_SWEEP, 0);
    v->p = p;
    if (!begin && em->ix->dialect.version >= 1009) {
        v->arg = e->own;
        v->arg2 = value(em, e, 1);
    }
}

static void on_gc(struct v1_emit *em, const struct v1_ev *e)
{
    const bool begin = e->tag.type == V1_GC_START;
    struct ev *v = range_ev(em, e, begin, RANGE_GC, 0);
    if (em->gc == begin && !em->ngap)
        contra(em);
    em->gc = begin;
    if (em->gc && em->ix->dialect.version >= 1007)
        v->arg = e->own;
}

static void put_metric(struct v1_emit *em, const struct v1_ev *e, enum metric m, uint16_t flags)
{
    struct ev *v = put(em, EVK_METRIC, flags);
    v->state = (uint8_t)m;
    v->arg = e->own;
}

static void on_metric(struct v1_emit *em, const struct v1_ev *e)
{
    put_metric(em, e,
               e->tag.type == V1_HEAP_ALLOC  ? METRIC_HEAP
               : e->tag.type == V1_HEAP_GOAL ? METRIC_GOAL
                                             : METRIC_PROCS,
               0);
}

static void on_assist(struct v1_emit *em, const struct v1_ev *e)
{
    const uint32_t g = lane_of(em, e->g, ST_RUNNING);
    range_ev(em, e, e->tag.type == V1_ASSIST_START, RANGE_ASSIST, 0)->g = g;
}

/* Put an event of a task, region or log. Value 0 is the task, value `name` the string. */
static struct ev *put_user(struct v1_emit *em, const struct v1_ev *e, enum ev_kind kind, int name)
{
    uint32_t g = lane_of(em, e->g, ST_RUNNING);
    struct ev *v = put(em, kind, 0);
    v->g = g;
    v->arg = e->own;
    v->stack = v1_emit_stack(em, e);
    if (name >= 0)
        v->str = v1_string(em->vn, value(em, e, (unsigned)name));
    return v;
}

static void on_region(struct v1_emit *em, const struct v1_ev *e)
{
    if (value(em, e, 1) > 1 || !e->g)
        contra(em);
    else
        put_user(em, e, value(em, e, 1) ? EVK_REGION_END : EVK_REGION_BEGIN, 2);
}

static void on_task(struct v1_emit *em, const struct v1_ev *e)
{
    if (e->tag.type != V1_TASK_CREATE) {
        idmap_del(&em->tasks, e->own);
        put_user(em, e, EVK_TASK_END, -1);
        return;
    }
    if (idmap_get(&em->tasks, e->own) !=
        IDMAP_NONE) /* the runtime never gives an id twice, and Go's reader refuses that */
        contra(em);
    else
        em->o->d.oom |= !idmap_put(&em->tasks, e->own, 0);
    put_user(em, e, EVK_TASK_BEGIN, 2)->arg2 = value(em, e, 1);
}

static void on_log(struct v1_emit *em, const struct v1_ev *e)
{
    struct v1_raw r;
    const bool whole = v1_ev_values(&em->o->d, e, &r);
    const uint32_t text = whole ? v1_text(em->vn, (const char *)r.text, r.len, false) : 0;
    put_user(em, e, EVK_LOG, 1)->stack2 = text;
}

static void on_sample(struct v1_emit *em, const struct v1_ev *e)
{
    struct ev *v = put(em, EVK_SAMPLE, 0);
    v->g = e->g ? gor(em, e->g)->lane : EV_NONE;
    v->p = e->p != UINT32_MAX && em->p[e->p].started ? em->p[e->p].lane : EV_NONE;
    v->stack = v1_emit_stack(em, e);
}

/* ---- rows of ended goroutines -------------------------------------------------------------------------- */

void v1_emit_note_end(struct v1_emit *em, uint32_t g)
{
    (void)mem_add(em->ended, em->ended_cap, em->nended, g); /* else the row stays */
}

/* Set or clear F_USED in every row that a decoded event, a cursor or a P refers to. */
static void mark_used(struct v1_emit *em, bool set)
{
    struct v1_decoder *d = &em->o->d;
    uint8_t keep = set ? 0xff : (uint8_t)~F_USED, add = set ? F_USED : 0;
#define MARK(row) (d->g[row].flags = (uint8_t)((d->g[row].flags & keep) | add))
    for (size_t i = 0; i < em->ix->nproc; i++) {
        const struct v1_cursor *c = &d->cur[i];
        MARK(c->g);
        MARK(em->p[i].g);
        for (uint32_t j = c->head - 1; j != c->fill; j++) { /* the last one taken is still in use */
            const struct v1_ev *e = v1_ring(d, c, j);
            MARK(e->g);
            MARK(e->arg_g);
            MARK(e->rule_g);
        }
    }
    MARK(em->o->extra.g);
    MARK(em->o->extra.arg_g);
#undef MARK
}

/* Returns whether the file is not only cut but damaged. Then events may name goroutines that have ended. */
static bool broken(const struct source *s)
{
    return any_of(i, s->st.ndamages, i >= SOURCE_NOTES || source_note(&s->damage, i)->code != ERR_TRUNCATED);
}

void v1_emit_sweep(struct v1_emit *em)
{
    struct v1_decoder *d = &em->o->d;
    size_t left = 0;
    if (em->nended < em->sweep_at || em->listing || em->ix->nfutile || broken(em->s))
        return;
    mark_used(em, true);
    for (size_t i = 0; i < em->nended; i++) {
        uint32_t g = em->ended[i];
        const struct v1_g *s = &d->g[g];
        if (s->state != V1S_ENDED)
            continue; /* it was created again after its end, which only a damaged file says */
        if (s->flags || s->waiters || s->p != EV_NONE) {
            em->ended[left++] = g;
            continue;
        }
        if (g < em->nstart)
            em->start[g] = 0;
        v1_give_back(d, g);
    }
    em->nended = left;
    mark_used(em, false);
    em->sweep_at = 2 * left + SWEEP + em->ix->nproc * (d->mask + 1);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

bool v1_emit_listed(struct v1_emit *em, const struct v1_ev *e, size_t cap)
{
    if (!em->listing)
        return true;
    bool ends = e->tag.type == V1_GOMAXPROCS ||
                (!em->ix->ngomaxprocs && (e->tag.type == V1_PROC_START || e->tag.type == V1_GO_START));
    if (!ends)
        return true;
    if (!em->flush) {
        set_time(em, e);
        em->flush = 1;
    }
    for (; em->flush < em->o->d.ng; em->flush++) {
        if (gor(em, em->flush)->state != V1S_LISTED)
            continue;
        if (em->n + V1_EMIT_ROOM > cap)
            return false;
        introduce(em, em->flush, 0, ST_RUNNABLE);
        gor(em, em->flush)->state = V1S_RUNNABLE;
    }
    return true;
}

enum whose { NOBODY, OWN, NAMED };
static const struct {
    enum whose lives;
    void (*f)(struct v1_emit *, const struct v1_ev *);
} MEANS[V1_MEANINGS] = {
#define V1_MEANING(id, lives, f) [V1_MEANS_##id] = {lives, f},
#include "decode/v1/events_v1.def"
};

void v1_emit_event(struct v1_emit *em, const struct v1_ev *e)
{
    set_time(em, e);
    if (em->flush) { /* this event ended the listing */
        em->flush = 0;
        em->listing = false;
        if (!em->ix->nfutile) /* with futile wake-ups both passes must give rows the same numbers */
            em->o->d.ahead = em->o->d.mask;
        if (e->tag.type == V1_GOMAXPROCS) { /* Go's reader shows no value here, so it is no point */
            put_metric(em, e, METRIC_PROCS, EVF_QUIET);
            return;
        }
    }
    if (em->o->broke) {
        v1_lossy_g(em, e->rule_g);
        em->loss_to = em->now + 1;
    }
    if (em->ngap && (e->tag.type == V1_GO_START_LOCAL || e->tag.type == V1_UNBLOCK_LOCAL))
        v1_lossy_local(em, e->p, e->arg_g);
    const enum whose lives = MEANS[e->tag.means].lives;
    if (MEANS[e->tag.means].f && (lives == NOBODY || alive(em, e, lives == NAMED ? e->arg_g : e->g)))
        MEANS[e->tag.means].f(em, e);
}

enum err_code v1_emit_init(struct v1_emit *em, struct source *s, struct v1_index *ix, struct v1_order *o,
                           struct v1_names *vn)
{
    *em = (struct v1_emit){
        .s = s, .ix = ix, .o = o, .vn = vn, .listing = true, .last = -1, .stw_lane = EV_NONE};
    em->p = mem_alloc(ix->nproc * sizeof *em->p);
    if (!em->p)
        return ERR_NOMEM;
    for (size_t i = 0; i < ix->nproc; i++)
        em->p[i] = (struct v1_p){.lane = EV_NONE, .m = EV_NONE};
    em->sweep_at = SWEEP;
    const double given = s->opts ? s->opts->ticks_per_second : 0,
                 rate = given > 0 ? given : (double)ix->frequency;
    ix->stacks.dense[0] = V1_KNOWN; /* stack 0 is none */
    em->clock = rate > 0;
    em->ns_per_tick = em->clock ? 1e9 / rate : 1;
    double far = (double)SOURCE_TIME_MAX / 2 / em->ns_per_tick;
    em->far = far < (double)SOURCE_TIME_MAX ? (uint64_t)far : (uint64_t)SOURCE_TIME_MAX;
    s->st.has_clock = em->clock;
    s->st.tick_ns = em->clock ? em->ns_per_tick : 0;
    s->st.clock_assumed = given > 0;
    for (unsigned t = 0; t < V1_TYPES; t++)
        if (V1_LEFT[t].reason)
            em->reason[t] = v1_text(vn, V1_LEFT[t].reason, (uint32_t)strlen(V1_LEFT[t].reason), false);
    for (size_t i = 0; i < sizeof STW / sizeof STW[0]; i++)
        if (ix->dialect.version >= STW[i].from && ix->dialect.version <= STW[i].to)
            em->stw[STW[i].kind] = v1_text(vn, STW[i].name, (uint32_t)strlen(STW[i].name), false);
    return vn->oom ? ERR_NOMEM : ERR_OK;
}

void v1_emit_free(struct v1_emit *em)
{
    mem_free(em->p);
    mem_free(em->start);
    mem_free(em->ended);
    mem_free(em->off);
    idmap_free(&em->threads);
    idmap_free(&em->tasks);
}
