/*
 * fold.c - see fold.h.
 *
 * Invariants:
 * - A goroutine that runs, or holds a P in a system call, is named by that P (p->g) and by its M (m->g), and
 *   its lane names them (l->p, l->m). Every transition first undoes these bindings, then makes the new ones.
 *   After that fold_p_show() and fold_m_show() bring the lanes of the P and the M up to date; only these two
 *   decide what the lanes say.
 * - Back-dating: the first span of a lane that existed before the trace starts at 0, whatever the time of
 *   the event that reported it. ginfo.seen keeps that time, because Go's own reader shows nothing before it.
 */
#include "decode/model/fold_hot.h"

#include "decode/base/mem.h"
#include "decode/model/retired.h"

/* ---- growing ------------------------------------------------------------------------------------------- */

/* Make room for lane i of a kind that events name: of a G, a P or an M. */
static bool lane_room(struct fold *f, enum lane_kind k, uint32_t i)
{
    if (i < f->nlane[k])
        return true;
    /* Readers assign indices densely, so a gap would be the reader's mistake, not the file's. */
    const size_t need = (size_t)i + 1;
    if (k == LANE_G)
        return retired_room(f, need);
    if (k == LANE_P && (!fold_room(f, f->lane[k], f->caplane[k], need) || !fold_room(f, f->p, f->capp, need)))
        return false;
    if (k == LANE_M && !fold_room(f, f->m, f->capm, need))
        return false;
    for (size_t j = f->nlane[k]; j < need; j++)
        if (k == LANE_P) {
            f->lane[k][j] = (struct spanlane){.p = EV_NONE, .m = EV_NONE, .special = SPECIAL_LANE};
            f->p[j] = (struct pinfo){.g = EV_NONE, .m = EV_NONE};
        } else {
            f->m[j] = (struct minfo){.g = EV_NONE, .p = EV_NONE, .was_g = EV_NONE, .was_p = EV_NONE};
            f->m[j].lane.cap = f->m[j].lane.capsum = 1;
        }
    f->nlane[k] = need;
    return true;
}

/* ---- the lanes of Ps and Ms ---------------------------------------------------------------------------- */

void fold_special_g(struct fold *f, uint32_t g)
{
    struct spanlane *l = fold_lane_at(f, g);
    const struct ginfo *gi = fold_info_at(f, g);
    l->special =
        (uint8_t)((!l->started || l->ended ? SPECIAL_LANE : 0) |
                  (fold_vague(f, gi->name) ? SPECIAL_NAME : 0) | (gi->assist != NO_TIME ? SPECIAL_RANGE : 0) |
                  (gi->flags & GI_GCWORK ? SPECIAL_WORK : 0) |
                  (gi->no_p_since != NO_TIME ? SPECIAL_NO_P : 0));
}

void fold_special_p(struct fold *f, uint32_t p)
{
    f->lane[LANE_P][p].special =
        (uint8_t)((!f->lane[LANE_P][p].started ? SPECIAL_LANE : 0) | (f->p[p].sweep ? SPECIAL_RANGE : 0));
}

static inline uint8_t busy_state(const struct fold *f, uint32_t g, uint32_t p)
{
    const struct ginfo *gi = fold_info_at(f, g);
    if (fold_lane_at(f, g)->state == ST_SYSCALL)
        return ST_SYSCALL;
    if (gi->assist != NO_TIME)
        return ST_ASSIST;
    if (p != EV_NONE && f->p[p].sweep)
        return ST_SWEEP;
    return gi->flags & GI_GCWORK ? ST_GCWORK : ST_RUNNING;
}

void fold_p_show(struct fold *f, uint32_t p, int64_t t)
{
    const struct pinfo *pi = &f->p[p];
    uint8_t s = pi->state;
    if (s == ST_SCHED && pi->g != EV_NONE)
        s = busy_state(f, pi->g, p);
    else if (s == ST_SCHED && pi->sweep)
        s = ST_SWEEP;
    /* holds are summed up to here: the lane must not change before, even if damage makes time go back */
    if (t < pi->held)
        t = pi->held;
    fold_lane_set(f, LANE_P, p, t, f->tag[s], pi->g + 1); /* EV_NONE + 1 is 0: none */
}

void fold_m_show(struct fold *f, uint32_t m, int64_t t)
{
    struct minfo *mi = &f->m[m];
    if (f->segment && !mi->lane.n) {
        uint32_t g = mi->p == EV_NONE ? mi->g : EV_NONE;
        if (f->carrying) {
            mi->was_p = mi->p;
            mi->was_g = g;
        }
        if (mi->was_p == mi->p && mi->was_g == g)
            return;
    }
    if (mi->p != EV_NONE || mi->g != EV_NONE)
        mi->lost = false;
    f->oom |= !mlane_set(f, m, t, mi->lost ? HOLD_LOST : hold_who(mi->p, mi->g));
}

void fold_show_on(struct fold *f, uint32_t p, uint32_t m, int64_t t)
{
    if (p != EV_NONE)
        fold_p_show(f, p, t);
    if (m != EV_NONE)
        fold_m_show(f, m, t);
}

/* ---- goroutines ---------------------------------------------------------------------------------------- */

static void first_stack(struct fold *f, const struct ev *e, uint32_t stack)
{
    if (stack && f->nfirst < FIRST_STACKS)
        f->first[f->nfirst++] = (struct first_stack){e->t, e->g, stack};
}

/* Add up the time of a system call without a P. */
static void no_p_time(struct ginfo *gi, uint8_t state, uint32_t p, int64_t t)
{
    if (gi->no_p_since != NO_TIME)
        gi->no_p_ns += t - gi->no_p_since;
    gi->no_p_since = state == ST_SYSCALL && p == EV_NONE ? t : NO_TIME;
}

void fold_g_transition(struct fold *f, const struct ev *e, int64_t t, uint32_t who, uint32_t stack)
{
    struct ginfo *gi = fold_info_at(f, e->g);
    struct spanlane *l = fold_lane_at(f, e->g);
    uint32_t p0 = l->p, m0 = l->m, p = EV_NONE, m = EV_NONE;
    uint8_t from = l->state, to = e->state;
    bool over = to == ST_NONE && l->started && !l->ended;
    if (to == ST_RUNNING || to == ST_SYSCALL) {
        p = e->p;
        m = e->m;
    }
    fold_g_bind(f, e->g, p, m);
    if (from == ST_SYSCALL || to == ST_SYSCALL)
        no_p_time(gi, to, p, t);
    fold_g_count(f, from, to);
    if (t < e->t)
        fold_gcount_add(f, to, f->began, e->t);
    l->state = to;
    if (to == ST_NONE) {
        if (over) {
            spans_end(&f->pool, LANE_G, l, t);
        } else if (f->segment && !l->started) { /* none of its spans is in this segment */
            l->started = l->ended = true;
            l->t0 = l->wait_t0 = t;
            over = true;
        }
        gi->flags |= GI_ENDED;
        fold_regions_end(f, e->g, t);
    } else if (!l->started) {
        spans_begin(l, t, waitspan(0, who, stack, fold_tag(f, to, e->str)));
    } else {
        spans_push(&f->pool, LANE_G, l, t, waitspan(0, who, stack, fold_tag(f, to, e->str)));
    }
    fold_special_g(f, e->g);
    if (p0 != EV_NONE && p0 != p)
        fold_p_show(f, p0, t);
    if (m0 != EV_NONE && m0 != m)
        fold_m_show(f, m0, t);
    /* Back-dated: if the lane of the P or M has changed after t, it changes at e->t instead. */
    if (p != EV_NONE)
        fold_p_show(f, p,
                    f->lane[LANE_P][p].started && (f->lane[LANE_P][p].t0 > t || f->p[p].held > t) ? e->t : t);
    if (m != EV_NONE) {
        const struct mlane *ml = &f->m[m].lane;
        fold_m_show(f, m, ml->n && ml->h[ml->n - 1].t0 > t ? e->t : t);
    }
    if (over)
        retired_ended(f, e->g); /* this may have packed its lane away */
}

static void g_meet(struct fold *f, const struct ev *e, uint16_t flags)
{
    struct ginfo *gi = fold_info_at(f, e->g);
    if (gi->flags & GI_KNOWN)
        return;
    gi->id = e->arg;
    gi->seen = e->t;
    gi->flags |= (uint16_t)(GI_KNOWN | flags);
}

static void on_g_create(struct fold *f, const struct ev *e)
{
    g_meet(f, e, GI_CREATED);
    struct ginfo *gi = fold_info_at(f, e->g);
    gi->creator = e->by;
    gi->create_stack = e->stack;
    gi->start_stack = e->stack2;
    /* The start stack has one frame: the goroutine's start function. */
    fold_name(f, e->g, names_frame(f->names, e->stack2, 0).func, false);
    if (e->flags & EVF_OWN_STACK)
        first_stack(f, e, e->stack2);
    struct ev x = *e;
    if (e->state != ST_SYSCALL)
        x.p = x.m = EV_NONE; /* the event's P and M are the creator's */
    fold_g_transition(f, &x, e->t, e->state == ST_RUNNABLE && e->by != EV_NONE ? e->by + 1 : 0, e->stack);
}

bool fold_created(struct fold *f, const struct ev *e)
{
    struct fold_start *k = &f->start[e->stack2 % STARTS];
    f->end = e->t > f->end ? e->t : f->end;
    if (!lane_room(f, LANE_G, e->g))
        return false;
    on_g_create(f, e);
    const struct ginfo *gi = fold_info_at(f, e->g);
    if (e->state == ST_RUNNABLE && !e->str)
        *k = (struct fold_start){e->stack2, gi->name, gi->flags & (GI_SYSTEM | GI_GCWORK),
                                 fold_vague(f, gi->name)};
    return !f->oom && !f->pool.oom;
}

void fold_ended(struct fold *f, uint32_t g, struct spanlane *l)
{
    struct ginfo *gi = fold_info_at(f, g);
    l->ended = true;
    l->special |= SPECIAL_LANE;
    gi->flags |= GI_ENDED;
    fold_regions_end(f, g, l->t0);
    retired_ended(f, g); /* this may have packed its lane away */
}

bool fold_run_room(struct fold *f, struct hot_run *r)
{
    const struct hot h = {.f = f, .pi = f->p, .mi = f->m};
    if (r->sweeps)
        return false;
    hot_run_end(r, &h);
    bool ok = r->proom || spans_room(&f->pool, LANE_P, r->pl);
    r->pw = r->pl->wait.next;
    r->proom = r->pl->room;
    if (r->g == EV_NONE)
        return ok;
    ok = ok && (r->groom || spans_room(&f->pool, LANE_G, r->l));
    r->gw = r->l->wait.next;
    r->groom = r->l->room;
    return ok;
}

/* Set only the bindings and the state of a goroutine that existed when the segment began. */
static void g_carried(struct fold *f, const struct ev *e)
{
    struct spanlane *l = fold_lane_at(f, e->g);
    bool on = e->state == ST_RUNNING || e->state == ST_SYSCALL;
    struct mlane *ml = on && e->m != EV_NONE ? &f->m[e->m].lane : NULL;
    if (ml && ml->n && e->state == ST_SYSCALL && ml->h[ml->n - 1].who == EV_NONE) {
        ml->h[ml->n - 1].who =
            hold_who(EV_NONE, e->g); /* its P was taken before the trace reported whose call it was */
        fold_info_at(f, e->g)->no_p_since = ml->h[ml->n - 1].t0;
    }
    fold_g_bind(f, e->g, on ? e->p : EV_NONE, on ? e->m : EV_NONE);
    l->state = e->state;
    fold_special_g(f, e->g);
    f->carrying = true;
    fold_show_on(f, e->p, e->m, e->t);
    f->carrying = false;
}

static void on_g_status(struct fold *f, const struct ev *e)
{
    struct ginfo *gi = fold_info_at(f, e->g);
    const bool known = gi->flags & GI_KNOWN, carried = e->flags & EVF_CARRIED && !known;
    if (carried) {
        g_meet(f, e, GI_CARRIED);
        const uint16_t flags = f->hint ? f->hint(f->hint_arg, e->arg, &gi->name) : 0;
        gi->flags |= flags;
        f->oom |= !mem_add(f->carried, f->capcarried, f->ncarried,
                           (struct carried){e->g, gi->name, flags, e->state});
    }
    if (e->flags & EVF_OWN_STACK)
        first_stack(f, e, e->stack);
    if (e->stack)
        fold_name_by(f, e->g, e->stack);
    if (carried) {
        g_carried(f, e);
        return;
    }
    if (e->stack2) { /* first family: the snapshot names the start function */
        fold_name(f, e->g, names_frame(f->names, e->stack2, 0).func, false);
        gi->start_stack = e->stack2;
    }
    if (known && (fold_lane_at(f, e->g)->started || f->segment) && fold_lane_at(f, e->g)->state == e->state)
        return;
    g_meet(f, e, 0);
    struct spanlane *l = fold_lane_at(f, e->g);
    bool early = e->flags & EVF_BACKDATE && (!l->started || (l->state == ST_UNKNOWN && l->t0 <= f->began));
    int64_t t = early ? f->began : e->t;
    if (early && !l->started)
        l->backdated = true;
    fold_g_transition(f, e, t, e->state == ST_RUNNING || e->state == ST_SYSCALL ? e->p + 1 : 0, e->stack);
    fold_show_on(f, e->p, e->m, e->t); /* the bindings hold from now on, whatever t was */
}

static inline void on_g_state(struct fold *f, const struct ev *e)
{
    uint32_t who = 0;
    if (e->state == ST_RUNNING || e->state == ST_SYSCALL)
        who = e->p + 1;
    else if (e->state == ST_RUNNABLE && e->flags & EVF_WOKEN)
        who = e->by + 1;
    if (e->stack && !(e->flags & EVF_WOKEN) && e->flags & EVF_OWN_STACK) {
        fold_name_by(f, e->g, e->stack);
        if (f->nfirst < FIRST_STACKS)
            first_stack(f, e, e->stack);
    }
    fold_g_transition(f, e, e->t, who, e->stack);
    if (e->state == ST_UNKNOWN)
        fold_g_unknown(f, e);
}

/* The runtime labels each goroutine that starts on a P whose worker mode is set. A preempted mark worker
 * may leave that mode set, and then all goroutines that run on the P are labelled for tens of milliseconds.
 * So a label counts only for mark workers and for goroutines of which nothing else is known. */
static void on_g_label(struct fold *f, const struct ev *e)
{
    struct spanlane *l = fold_lane_at(f, e->g);
    struct ginfo *gi = fold_info_at(f, e->g);
    bool gc = fold_label_is_gc(f, e->str);
    f->unsure |= f->segment && !l->started;
    if (gc && gi->flags & GI_CARRIED)
        gi->flags |= GI_LABELLED;
    const struct str name = names_get(f->names, gi->name);
    const bool lost = name.len > 1 && *name.p == '#'; /* only its number is left */
    bool named = (gi->name && !lost) || (f->others_named && gi->flags & GI_CARRIED);
    if (!l->started || l->ended || (gc && named && !(gi->flags & GI_GCWORK)))
        return;
    struct span_tag t = f->pool.tags[wait_tag(&l->open)];
    if (t.state == ST_RUNNING)
        l->open = waitspan(0, wait_who(&l->open), wait_stack(&l->open),
                           pool_tag(&f->pool, t.state, t.reason, e->str));
    if (gc) {
        gi->flags |= GI_GCWORK;
        fold_special_g(f, e->g);
        fold_show_on(f, l->p, EV_NONE, e->t);
    }
}

/* ---- processors ---------------------------------------------------------------------------------------- */

void fold_p_off_m(struct fold *f, uint32_t p, uint32_t m, bool lost, int64_t t)
{
    if (m == EV_NONE || f->m[m].p != p)
        return;
    f->m[m].p = EV_NONE;
    f->m[m].lost = lost;
    fold_m_show(f, m, t);
}

static void on_p_state(struct fold *f, const struct ev *e)
{
    struct pinfo *pi = &f->p[e->p];
    struct spanlane *l = &f->lane[LANE_P][e->p];
    int64_t t = e->t;
    pi->lost = false;
    if (e->flags & EVF_CARRIED)
        pi->id = e->arg;
    if (!l->started && !f->segment) {
        pi->id = e->arg;
        if (e->flags & EVF_BACKDATE && f->procs && e->arg >= f->procs_first) {
            fold_lane_set(f, LANE_P, e->p, 0, f->tag[ST_NONE],
                          0); /* a growing GOMAXPROCS created it after the trace began */
            t = f->procs_at > f->began ? f->procs_at : f->began;
        } else if (e->flags & EVF_BACKDATE) {
            l->backdated = true;
            t = f->began;
            if (t > 0)
                fold_lane_set(f, LANE_P, e->p, 0, f->tag[ST_NONE], 0);
        } else if (e->t > 0) {
            fold_lane_set(f, LANE_P, e->p, 0, f->tag[ST_NONE], 0); /* it was created later */
        }
    } else if (e->flags & EVF_BACKDATE && l->started && l->t0 <= f->began) {
        t = f->began;
    }
    if (e->state == ST_IDLE || e->state == ST_NONE) {
        uint32_t g = pi->g, m = pi->m;
        pi->state = f->procs && pi->id >= f->procs ? ST_NONE : e->state;
        pi->g = pi->m = EV_NONE;
        if (g != EV_NONE && fold_lane_at(f, g)->p == e->p) {
            fold_lane_at(f, g)->p = EV_NONE; /* in a system call that goes on without the P */
            if (fold_lane_at(f, g)->state == ST_SYSCALL && fold_info_at(f, g)->no_p_since == NO_TIME)
                fold_info_at(f, g)->no_p_since = e->t;
            fold_special_g(f, g);
        }
        fold_p_show(f, e->p, t);
        fold_p_off_m(f, e->p, m, e->state == ST_NONE, e->t);
        return;
    }
    pi->state = ST_SCHED;
    pi->m = e->m;
    if (e->m != EV_NONE) {
        struct minfo *mi = &f->m[e->m];
        mi->p = e->p;
        if (e->state == ST_SYSCALL && mi->g != EV_NONE && !fold_g_over(f, mi->g)) {
            pi->g = mi->g;
            fold_lane_at(f, mi->g)->p = e->p;
        }
        fold_m_show(f, e->m, mi->lane.n ? e->t : t);
    }
    fold_p_show(f, e->p, t);
}

/* ---- the automaton ------------------------------------------------------------------------------------- */

/* Make room for every lane that an event names. EV_NONE + 1 is 0, so it is never too large. */
static inline bool ev_room(struct fold *f, const struct ev *e)
{
    if ((uint32_t)(e->g + 1) <= f->nlane[LANE_G] && (uint32_t)(e->p + 1) <= f->nlane[LANE_P] &&
        (uint32_t)(e->m + 1) <= f->nlane[LANE_M] && (uint32_t)(e->by + 1) <= f->nlane[LANE_G])
        return true;
    return (e->g == EV_NONE || lane_room(f, LANE_G, e->g)) &&
           (e->p == EV_NONE || lane_room(f, LANE_P, e->p)) &&
           (e->m == EV_NONE || lane_room(f, LANE_M, e->m)) &&
           (e->by == EV_NONE || lane_room(f, LANE_G, e->by));
}

static inline void fold_count(struct fold *f, const struct ev *e)
{
    if (e->flags & EVF_QUIET)
        return;
    const unsigned c = e->kind == EVK_COUNT_ONLY ? e->state
                       : e->kind < EVK_METRIC    ? EC_TRANSITION
                                                 : e->kind - EVK_METRIC + EC_METRIC;
    if (e->kind <= EVK_COUNT_ONLY && c < EC_COUNT) {
        f->count[c]++;
        f->events += !(e->flags & EVF_EXTRA) || e->kind == EVK_RANGE_BEGIN || e->kind == EVK_RANGE_END;
    }
}

/* Whether an event of this kind changes a goroutine; it is ignored if it has none, or one that has ended. */
static bool of_g(uint8_t kind)
{
    return kind == EVK_G_CREATE || kind == EVK_G_STATUS || kind == EVK_G_STATE || kind == EVK_G_LABEL;
}

static __attribute__((noinline)) void fold_event(struct fold *f, const struct ev *e)
{
    if (!ev_room(f, e))
        return;
    fold_count(f, e);
    if (of_g(e->kind) && (e->g == EV_NONE || fold_g_over(f, e->g)))
        return;
    switch (e->kind) {
    case EVK_G_STATE: on_g_state(f, e); break;
    case EVK_G_CREATE: on_g_create(f, e); break;
    case EVK_G_STATUS: on_g_status(f, e); break;
    case EVK_G_LABEL: on_g_label(f, e); break;
    case EVK_P_STATE:
        f->carrying = e->flags & EVF_CARRIED;
        if (e->p != EV_NONE)
            on_p_state(f, e);
        f->carrying = false;
        break;
    case EVK_M_NEW:
        if (e->m != EV_NONE)
            f->m[e->m].id = e->arg;
        break;
    case EVK_LOST:
    case EVK_GAP: fold_lost(f, e); break;
    case EVK_METRIC: fold_metric(f, e); break;
    case EVK_RANGE_BEGIN:
    case EVK_RANGE_ACTIVE:
    case EVK_RANGE_END: fold_range(f, e); break;
    default: fold_listed(f, e); break;
    }
}

bool fold_begin(struct fold *f)
{
    if (!f->gb || f->oom)
        return false;
    fold_gcount_ahead(f);
    return true;
}

void fold_end(struct fold *f, int64_t last, uint64_t plain)
{
    f->end = last > f->end ? last : f->end;
    f->events += plain;
    f->count[EC_TRANSITION] += plain;
    fold_gcount_back_to_end(f);
    if (!f->segment)
        fold_points_pack(f);
    f->oom |= f->pool.oom;
}

bool fold_any(struct fold *f, const struct ev *e)
{
    if (e->t > f->end)
        f->end = e->t;
    fold_event(f, e);
    return !f->oom && !f->pool.oom;
}
