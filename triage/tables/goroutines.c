/*
 * goroutines.c - one walk over a goroutine's spans counts it, its waits, contention pairs, system calls and scheduler
 * latency into a subtotal.
 *
 * Invariants. A wait's row is counted when the wait begins, its pair when the next span tells who ended it. Waits and
 * calls of the runtime's own goroutines count in their groups only: they are no contention of the program's.
 * A subtotal's goroutines are walked one after another, so that "the last waiter seen" tells distinct waiters apart. What
 * belongs to one goroutine goes straight into its struct gstat: no two subtotals have the same ones.
 */
#include "triage/tables/subtotal.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define FUTILE_RUN 50000 /* ns: who runs less between two waits on one condition was woken for nothing */

struct walk { /* along one lane */
    const struct triage *tg;
    struct subtotal *y;
    struct gstat *st;
    uint32_t g, name;
    bool system, worker;
    bool some; /* it has spans */
    int64_t life, no_p_ns;
    enum gc_mode mode;                          /* of a mark worker, now */
    size_t gw_first;                            /* this goroutine's rows in y->gw */
    struct span prev;                           /* state ST_NONE before the first span */
    enum wait_kind kind;                        /* of the last wait */
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on, NO row: TAB_NONE */
    int64_t cond_end, cond_run;
};

static bool note_reason(struct walk *w, uint32_t reason, int64_t ns)
{
    struct subtotal *y = w->y;
    size_t i = w->gw_first;
    while (i < y->ngw && y->wait_of[y->gw[i].of].reason != reason) {
        i++;
    }
    if (i == y->ngw) {
        struct gwait *p = mem_grow(y->gw, &y->cap_gw, y->ngw + 1, sizeof *p);
        const uint32_t of = p ? subtotal_wait_of(y, w->name, reason) : TAB_NONE;
        y->gw = p ? p : y->gw;
        if (of == TAB_NONE) {
            return false;
        }
        p[y->ngw++] = (struct gwait){.of = of};
    }
    struct wait_of *of = &y->wait_of[y->gw[i].of];
    of->count++;
    of->longest = ns > of->longest ? ns : of->longest;
    gwait_set(&y->gw[i], ns_add(gwait_ns(&y->gw[i]), ns));
    return true;
}

static void longer(struct moment *m, int64_t t0, int64_t t1, uint32_t g, uint64_t count)
{
    if (count == 1 || t1 - t0 > m->t1 - m->t0) {
        *m = (struct moment){t0, t1, g, NO_LANE};
    }
}

static bool note_wait(struct walk *w, const struct span *s)
{
    struct subtotal *y = w->y;
    struct wait_row *rows;
    uint32_t i = tab_put(&y->by_wait, s->reason, s->stack, y->nwaits);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == y->nwaits) {
        rows = mem_grow(y->waits, &y->cap_waits, (size_t)i + 1, sizeof *rows);
        if (!rows) {
            return false;
        }
        y->waits = rows;
        rows[i] = (struct wait_row){
            .reason = s->reason, .stack = s->stack, .kind = stacks_wait_kind(w->tg->tr, s->reason, s->stack)};
        y->nwaits++;
    }
    rows = &y->waits[i];
    rows->count++;
    rows->open += s->open_end;
    if (!s->open_end && tri_len(s) > rows->longest_done) {
        rows->longest_done = tri_len(s);
    }
    rows->total = ns_add(rows->total, tri_len(s));
    longer(&rows->longest, s->t0, s->t1, w->g, rows->count);
    w->kind = rows->kind;
    return true;
}

/* A wait for a lock is over, or lasts at the end. */
static bool note_lock(struct walk *w, const struct lock_wait *lw)
{
    w->y->lock_waits_all++;
    w->st->lock_ns = ns_add(w->st->lock_ns, lw->t1 - lw->t0);
    return subtotal_lock(w->y, lw);
}

/* Who ended a wait is another goroutine, maybe another subtotal's: it is told of later. */
static bool note_ender(struct walk *w, uint32_t waker, int64_t ns)
{
    struct subtotal *y = w->y;
    if (waker >= w->tg->ng) {
        return true;
    }
    uint32_t i = tab_put(&y->by_ender, waker, 0, y->nenders);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == y->nenders) {
        struct ender *p = mem_grow(y->enders, &y->cap_enders, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        y->enders = p;
        p[y->nenders++] = (struct ender){.g = waker};
    }
    struct ender *k = &y->enders[i];
    k->ended++;
    k->ended_ns = ns_add(k->ended_ns, ns);
    if (k->last_waiter != w->g + 1) {
        k->last_waiter = w->g + 1;
        k->waiters++;
    }
    return true;
}

/* The start function of a goroutine: the same few wake others again and again. */
static uint32_t name_of(struct walk *w, uint32_t g)
{
    struct start_name *c = &w->y->name[g % START_NAMES];
    if (c->g != g + 1) {
        *c = (struct start_name){g + 1, tri_name(w->tg->tr, g)};
    }
    return c->name;
}

/* A wait is over: w->prev is the wait, s what follows. */
static bool note_pair(struct walk *w, const struct span *s)
{
    struct subtotal *y = w->y;
    const struct span *v = &w->prev;
    bool sched = s->who == NO_LANE;
    uint32_t name = sched ? UINT32_MAX : name_of(w, s->who), i;
    struct pair_row *p;
    i = tab_put(&y->by_pair, (uint64_t)v->reason << 32 | v->stack, (uint64_t)name << 32 | s->stack, y->npairs);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == y->npairs) {
        p = mem_grow(y->pairs, &y->cap_pairs, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        y->pairs = p;
        p[i] = (struct pair_row){.reason = v->reason,
                                 .stack = v->stack,
                                 .waker_stack = s->stack,
                                 .waiter = w->name,
                                 .waker = sched ? 0 : name,
                                 .from_scheduler = sched,
                                 .kind = w->kind};
        y->npairs++;
    }
    p = &y->pairs[i];
    p->count++;
    p->total = ns_add(p->total, tri_len(v));
    longer(&p->longest, v->t0, v->t1, w->g, p->count);
    if (p->longest.t0 == v->t0 && p->longest.g == w->g) {
        p->longest_waker = s->who;
    }
    if (p->kind == WK_SEND &&
        !note_ender(w, s->who, tri_len(v))) { /* whom one for a lock was for, holder.c finds out */
        return false;
    }
    if (p->kind == WK_COND) {
        w->cond_stack = v->stack;
        w->cond_pair = i;
        w->cond_waker = s->who;
        w->cond_end = v->t1;
        w->cond_run = 0;
    }
    return true;
}

/* It waits again on the condition it was woken from just now. */
static bool note_futile(struct walk *w, const struct span *s)
{
    struct subtotal *y = w->y;
    struct wake *p;
    y->pairs[w->cond_pair].futile++;
    if (y->nwakes < WAKES_MAX) {
        p = mem_grow(y->wakes, &y->cap_wakes, y->nwakes + 1, sizeof *p);
        if (!p) {
            return false;
        }
        y->wakes = p;
        p[y->nwakes++] = (struct wake){w->cond_end, s->t0 - w->cond_end, w->cond_pair, w->cond_waker, w->g};
    }
    return true;
}

static bool walk_waiting(struct walk *w, const struct span *s)
{
    int64_t ns = tri_len(s);
    bool again, ok;
    w->st->ns[GM_WAIT] = ns_add(w->st->ns[GM_WAIT], ns);
    w->st->waits++;
    w->st->longest_wait = ns > w->st->longest_wait ? ns : w->st->longest_wait;
    if (!note_reason(w, s->reason, ns)) {
        return false;
    }
    if (w->system) {
        return true;
    }
    again = w->cond_pair != TAB_NONE && w->cond_stack == s->stack && w->cond_run < FUTILE_RUN;
    if (again && !note_futile(w, s)) {
        return false;
    }
    ok = note_wait(w, s);
    if (again || w->kind != WK_LOCK) {
        w->cond_pair = TAB_NONE; /* waiting for the condition's own lock in between is part of being woken */
    }
    return ok;
}

static bool note_syscall(struct walk *w, const struct span *s)
{
    struct subtotal *y = w->y;
    struct syscall_row *r;
    uint32_t i = tab_put(&y->by_syscall, s->stack, 0, y->nsyscalls);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == y->nsyscalls) {
        r = mem_grow(y->syscalls, &y->cap_syscalls, (size_t)i + 1, sizeof *r);
        if (!r) {
            return false;
        }
        y->syscalls = r;
        r[i] = (struct syscall_row){.stack = s->stack};
        y->nsyscalls++;
    }
    r = &y->syscalls[i];
    r->count++;
    r->open += s->open_end;
    r->total = ns_add(r->total, tri_len(s));
    longer(&r->longest, s->t0, s->t1, w->g, r->count);
    return true;
}

static bool walk_syscall(struct walk *w, const struct span *s)
{
    int64_t ns = tri_len(s);
    w->st->ns[GM_SYSCALL] = ns_add(w->st->ns[GM_SYSCALL], ns);
    w->st->syscalls++;
    w->st->longest_syscall = ns > w->st->longest_syscall ? ns : w->st->longest_syscall;
    return w->system || note_syscall(w, s);
}

static void note_worst(struct walk *w, const struct span *s)
{
    const bool woken = w->prev.state == ST_WAITING;
    subtotal_worst(w->y, &(struct sched_wait){.t0 = s->t0,
                                              .t1 = s->t1,
                                              .g = w->g,
                                              .waker = woken ? s->who : NO_LANE,
                                              .preempted = tri_is_exec(w->prev.state)});
}

static void walk_runnable(struct walk *w, const struct span *s)
{
    int64_t ns = tri_len(s);
    w->st->ns[GM_SCHED] = ns_add(w->st->ns[GM_SCHED], ns);
    w->st->scheds++;
    w->st->longest_sched = ns > w->st->longest_sched ? ns : w->st->longest_sched;
    if (ns >= IDLE_NOTICE) {
        w->y->long_runnables++;
    }
    if (s->open_start) {
        return; /* since when is not known */
    }
    hist_add(w->system ? &w->y->sched_system : &w->y->sched, ns);
    if (!w->system) {
        note_worst(w, s);
    }
}

static void walk_exec(struct walk *w, const struct span *s)
{
    int64_t ns = tri_len(s);
    w->st->ns[GM_EXEC] = ns_add(w->st->ns[GM_EXEC], ns);
    w->st->runs += !tri_is_exec(w->prev.state);
    w->cond_run = ns_add(w->cond_run, ns);
    if (w->worker) {
        int64_t *by_mode = &w->y->label_ns[w->mode];
        *by_mode = ns_add(*by_mode, ns);
    }
}

static bool walk_span(struct walk *w, const struct span *s)
{
    struct subtotal *y = w->y;
    bool ok = true;
    if (w->prev.state == ST_WAITING && !w->system) {
        struct lock_wait lw = {.t0 = w->prev.t0,
                               .t1 = w->prev.t1,
                               .g = w->g,
                               .waker = NO_LANE,
                               .reason = w->prev.reason,
                               .stack = w->prev.stack};
        if (s->state == ST_RUNNABLE) {
            lw.waker = s->who;
            lw.waker_stack = s->stack;
            ok = note_pair(w, s);
        }
        if (ok && w->kind == WK_LOCK) {
            ok = note_lock(w, &lw);
        }
    } else if (w->prev.state == ST_SYSCALL && s->state == ST_RUNNABLE && !w->system) {
        uint32_t i = tab_get(&y->by_syscall, w->prev.stack, 0);
        if (i != TAB_NONE) {
            y->syscalls[i].blocking++;
        }
    }
    if (!ok) {
        return false;
    }
    if (w->worker) {
        w->mode = gc_mode_next(w->tg->tr, w->mode, s);
    }
    switch (s->state) {
    case ST_WAITING: ok = walk_waiting(w, s); break;
    case ST_SYSCALL: ok = walk_syscall(w, s); break;
    case ST_RUNNABLE: walk_runnable(w, s); break;
    case ST_UNKNOWN: w->st->ns[GM_UNKNOWN] = ns_add(w->st->ns[GM_UNKNOWN], tri_len(s)); break;
    default:
        if (tri_is_exec(s->state)) {
            walk_exec(w, s);
        }
    }
    w->prev = *s;
    return ok;
}

static bool put_in_group(struct walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    const bool is_born = li->created;
    uint32_t i = tab_put(&y->by_name, li->name, 0, y->ngroups);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == y->ngroups) {
        struct group *p = mem_grow(y->groups, &y->cap_groups, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        y->groups = p;
        p[i] = (struct group){.name = li->name, .is_system = li->is_system, .first_member = w->g};
        y->ngroups++;
    }
    struct group *p = &y->groups[i];
    p->count++;
    p->created += is_born;
    p->ended += li->ended;
    w->st->group = i;
    y->g_created += is_born;
    y->g_ended += li->ended;
    y->g_at_start += !is_born;
    y->g_at_end += !li->ended;
    return true;
}

/* ---- along a lane ------------------------------------------------------------------------------------------- */

static bool lane_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct walk *w = arg;
    *w = (struct walk){.tg = w->tg,
                       .y = w->y,
                       .st = &w->tg->g[g],
                       .g = g,
                       .name = li->name,
                       .system = li->is_system,
                       .worker = li->is_worker,
                       .mode = GC_UNLABELLED,
                       .life = li->last - li->first,
                       .no_p_ns = li->no_p_ns,
                       .gw_first = w->y->ngw,
                       .cond_pair = TAB_NONE};
    return put_in_group(w, li);
}

static bool lane_spans(void *arg, uint32_t g, const struct span *s, uint32_t n)
{
    struct walk *w = arg;
    (void)g;
    w->some = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!walk_span(w, &s[i])) {
            return false;
        }
    }
    return slices_tick();
}

static bool lane_end(void *arg, uint32_t g)
{
    struct walk *w = arg;
    struct gstat *st = w->st;
    if (!w->some) {
        return true;
    }
    st->ns[GM_LIFE] = w->life;
    st->ns[GM_SYSBLOCK] = w->no_p_ns < st->ns[GM_SYSCALL] ? w->no_p_ns : st->ns[GM_SYSCALL];
    st->ns[GM_SYSCALL] -= st->ns[GM_SYSBLOCK];
    if (w->prev.state == ST_WAITING && !w->system && w->kind == WK_LOCK) {
        return note_lock(w, &(struct lock_wait){.t0 = w->prev.t0,
                                                .t1 = w->prev.t1,
                                                .g = g,
                                                .waker = NO_LANE,
                                                .reason = w->prev.reason,
                                                .stack = w->prev.stack});
    }
    return true;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct walk w = {.tg = tg, .y = y};
    return trace_walk(tg->tr, g0, g1, &(struct span_walk){lane_begin, lane_spans, lane_end, &w});
}
