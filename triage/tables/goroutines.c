/*
 * goroutines.c - one walk over a goroutine's lane fills the tables of goroutines, waits, contention pairs, system
 * calls and scheduler latency; at the end goroutines are put into groups.
 *
 * Invariants. A wait's row is counted when the wait begins, its pair when the next span tells who ended it. Waits and
 * calls of the runtime's own goroutines count in their groups only: they are no contention of the program's.
 * Lanes are walked one after another, so that "the last waiter seen" tells distinct waiters apart.
 */
#include "triage/tri.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define FUTILE_RUN 50000 /* ns: who runs less between two waits on one condition was woken for nothing */

struct walk { /* along one lane */
    struct triage *tg;
    struct gstat *st;
    uint32_t g;
    bool system, worker;
    enum gc_mode mode;                          /* of a mark worker, now */
    size_t gw_first;                            /* this goroutine's rows in work->gw */
    struct span prev;                           /* state ST_NONE before the first span */
    enum wait_kind kind;                        /* of the last wait */
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on, NO row: TAB_NONE */
    int64_t cond_end, cond_run;
};

static bool note_reason(struct walk *w, uint32_t reason, int64_t ns)
{
    struct triage_work *wk = w->tg->work;
    struct gwait *p;
    size_t i = w->gw_first;
    while (i < wk->ngw && wk->gw[i].reason != reason) {
        i++;
    }
    if (i == wk->ngw) {
        p = mem_grow(wk->gw, &wk->cap_gw, wk->ngw + 1, sizeof *p);
        if (!p) {
            return false;
        }
        wk->gw = p;
        p[wk->ngw++] = (struct gwait){.g = w->g, .reason = reason};
    }
    p = &wk->gw[i];
    p->count++;
    p->ns = ns_add(p->ns, ns);
    p->longest = ns > p->longest ? ns : p->longest;
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
    struct triage *tg = w->tg;
    struct wait_row *rows;
    uint32_t i = tab_put(&tg->work->by_wait, s->reason, s->stack, tg->nwaits);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == tg->nwaits) {
        rows = mem_grow(tg->waits, &tg->work->cap_waits, (size_t)i + 1, sizeof *rows);
        if (!rows) {
            return false;
        }
        tg->waits = rows;
        rows[i] = (struct wait_row){
            .reason = s->reason, .stack = s->stack, .kind = stacks_wait_kind(tg->tr, s->reason, s->stack)};
        tg->nwaits++;
    }
    rows = &tg->waits[i];
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

static bool lock_less(const struct lock_wait *a, const struct lock_wait *b)
{
    int64_t x = a->t1 - a->t0, y = b->t1 - b->t0;
    return x != y ? x < y : a->t0 > b->t0;
}

static void lock_sift(struct lock_wait *h, uint32_t n, uint32_t i)
{
    for (;;) {
        uint32_t c = 2 * i + 1;
        struct lock_wait x;
        if (c + 1 < n && lock_less(&h[c + 1], &h[c])) {
            c++;
        }
        if (c >= n || !lock_less(&h[c], &h[i])) {
            return;
        }
        x = h[i];
        h[i] = h[c];
        h[c] = x;
        i = c;
    }
}

/* Keeps the LOCK_WAITS longest: an array until it is full, from then on a heap with the shortest on top. */
static bool note_lock(struct triage *tg, const struct lock_wait *lw)
{
    struct triage_work *wk = tg->work;
    tg->lock_waits_all++;
    tg->g[lw->g].lock_ns = ns_add(tg->g[lw->g].lock_ns, lw->t1 - lw->t0);
    if (tg->nlock_waits < LOCK_WAITS) {
        struct lock_wait *p = mem_grow(tg->lock_waits, &wk->cap_locks, (size_t)tg->nlock_waits + 1, sizeof *p);
        if (!p) {
            return false;
        }
        tg->lock_waits = p;
        p[tg->nlock_waits++] = *lw;
        return true;
    }
    if (!wk->locks_heaped) {
        for (uint32_t i = LOCK_WAITS / 2; i-- > 0;) {
            lock_sift(tg->lock_waits, LOCK_WAITS, i);
        }
        wk->locks_heaped = true;
    }
    if (lock_less(&tg->lock_waits[0], lw)) {
        tg->lock_waits[0] = *lw;
        lock_sift(tg->lock_waits, LOCK_WAITS, 0);
    }
    return true;
}

static void note_ender(struct walk *w, uint32_t waker, int64_t ns)
{
    struct gstat *k;
    if (waker >= w->tg->ng) {
        return;
    }
    k = &w->tg->g[waker];
    k->ended++;
    k->ended_ns = ns_add(k->ended_ns, ns);
    if (k->last_waiter != w->g + 1) {
        k->last_waiter = w->g + 1;
        k->waiters++;
    }
}

/* A wait is over: w->prev is the wait, s what follows. */
static bool note_pair(struct walk *w, const struct span *s)
{
    struct triage *tg = w->tg;
    const struct span *v = &w->prev;
    bool sched = s->who == NO_LANE;
    uint32_t name = sched ? UINT32_MAX : tri_name(tg->tr, s->who), i;
    struct pair_row *p;
    i = tab_put(&tg->work->by_pair, (uint64_t)v->reason << 32 | v->stack, (uint64_t)name << 32 | s->stack,
                tg->npairs);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == tg->npairs) {
        p = mem_grow(tg->pairs, &tg->work->cap_pairs, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        tg->pairs = p;
        p[i] = (struct pair_row){.reason = v->reason,
                                 .stack = v->stack,
                                 .waker_stack = s->stack,
                                 .waiter = tri_name(tg->tr, w->g),
                                 .waker = sched ? 0 : name,
                                 .from_scheduler = sched,
                                 .kind = w->kind};
        tg->npairs++;
    }
    p = &tg->pairs[i];
    p->count++;
    p->total = ns_add(p->total, tri_len(v));
    longer(&p->longest, v->t0, v->t1, w->g, p->count);
    if (p->longest.t0 == v->t0 && p->longest.g == w->g) {
        p->longest_waker = s->who;
    }
    if (p->kind == WK_SEND) { /* whom a wait for a lock was for, holder.c finds out */
        note_ender(w, s->who, tri_len(v));
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
    struct triage_work *wk = w->tg->work;
    struct wake *p;
    w->tg->pairs[w->cond_pair].futile++;
    if (wk->nwakes < WAKES_MAX) {
        p = mem_grow(wk->wakes, &wk->cap_wakes, wk->nwakes + 1, sizeof *p);
        if (!p) {
            return false;
        }
        wk->wakes = p;
        p[wk->nwakes++] = (struct wake){w->cond_end, s->t0 - w->cond_end, w->cond_pair, w->cond_waker, w->g};
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
    struct triage *tg = w->tg;
    struct syscall_row *r;
    uint32_t i = tab_put(&tg->work->by_syscall, s->stack, 0, tg->nsyscalls);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == tg->nsyscalls) {
        r = mem_grow(tg->syscalls, &tg->work->cap_syscalls, (size_t)i + 1, sizeof *r);
        if (!r) {
            return false;
        }
        tg->syscalls = r;
        r[i] = (struct syscall_row){.stack = s->stack};
        tg->nsyscalls++;
    }
    r = &tg->syscalls[i];
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
    struct triage *tg = w->tg;
    int64_t ns = tri_len(s);
    uint32_t i = tg->nworst;
    bool woken = w->prev.state == ST_WAITING;
    if (i == WORST) {
        if (ns <= tg->worst[i - 1].t1 - tg->worst[i - 1].t0) {
            return;
        }
        i--;
    } else {
        tg->nworst++;
    }
    for (; i > 0 && ns > tg->worst[i - 1].t1 - tg->worst[i - 1].t0; i--) {
        tg->worst[i] = tg->worst[i - 1];
    }
    tg->worst[i] = (struct sched_wait){.t0 = s->t0,
                                       .t1 = s->t1,
                                       .g = w->g,
                                       .waker = woken ? s->who : NO_LANE,
                                       .preempted = tri_is_exec(w->prev.state)};
}

static void walk_runnable(struct walk *w, const struct span *s)
{
    int64_t ns = tri_len(s);
    w->st->ns[GM_SCHED] = ns_add(w->st->ns[GM_SCHED], ns);
    w->st->scheds++;
    w->st->longest_sched = ns > w->st->longest_sched ? ns : w->st->longest_sched;
    if (ns >= IDLE_NOTICE) {
        w->tg->work->long_runnables++;
    }
    if (s->open_start) {
        return; /* since when is not known */
    }
    hist_add(w->system ? &w->tg->sched_system : &w->tg->sched, ns);
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
        int64_t *by_mode = &w->tg->label_ns[w->mode];
        *by_mode = ns_add(*by_mode, ns);
    }
}

static bool walk_span(struct walk *w, const struct span *s)
{
    struct triage *tg = w->tg;
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
            ok = note_lock(tg, &lw);
        }
    } else if (w->prev.state == ST_SYSCALL && s->state == ST_RUNNABLE && !w->system) {
        uint32_t i = tab_get(&tg->work->by_syscall, w->prev.stack, 0);
        if (i != TAB_NONE) {
            tg->syscalls[i].blocking++;
        }
    }
    if (!ok) {
        return false;
    }
    if (w->worker) {
        w->mode = gc_mode_next(tg->tr, w->mode, s);
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

/* Created in what the tables are of: what happened at its very start was the part before. */
static bool born(const struct triage *tg, const struct lane_info *li)
{
    return li->created && (tg->t0 == 0 || li->seen > tg->t0);
}

static bool put_in_group(struct triage *tg, uint32_t g, const struct lane_info *li)
{
    struct group *p;
    uint32_t i = tab_put(&tg->work->by_name, li->name, 0, tg->ngroups);
    if (i == TAB_NONE) {
        return false;
    }
    if (i == tg->ngroups) {
        p = mem_grow(tg->groups, &tg->work->cap_groups, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        tg->groups = p;
        p[i] = (struct group){.name = li->name, .is_system = li->is_system, .first_member = g};
        tg->ngroups++;
    }
    p = &tg->groups[i];
    p->count++;
    p->created += born(tg, li);
    p->ended += li->ended;
    tg->g[g].group = i;
    tg->g_created += born(tg, li);
    tg->g_ended += li->ended;
    tg->g_at_start += !born(tg, li);
    tg->g_at_end += !li->ended;
    return true;
}

bool triage_goroutine(struct triage *tg, uint32_t g)
{
    struct lane l = {LANE_G, g};
    struct lane_info li = trace_lane(tg->tr, l);
    struct walk w = {.tg = tg,
                     .st = &tg->g[g],
                     .g = g,
                     .system = li.is_system,
                     .worker = li.is_worker,
                     .mode = GC_UNLABELLED,
                     .gw_first = tg->work->ngw,
                     .cond_pair = TAB_NONE};
    struct span_iter it;
    if (!put_in_group(tg, g, &li)) {
        return false;
    }
    if (!span_seek_index(&it, tg->tr, l, 0)) {
        return true;
    }
    for (uint32_t k = 1;; k++) {
        struct span s = *span_get(&it);
        s.t0 = s.t0 > tg->t0 ? s.t0 : tg->t0; /* what began before a part counts from its start */
        if (!walk_span(&w, &s) || (k % 128 == 0 && !slices_tick())) {
            return false;
        }
        if (!span_next(&it)) {
            break;
        }
    }
    w.st->ns[GM_LIFE] = li.last - (li.first > tg->t0 ? li.first : tg->t0);
    w.st->ns[GM_SYSBLOCK] = li.no_p_ns < w.st->ns[GM_SYSCALL] ? li.no_p_ns : w.st->ns[GM_SYSCALL];
    w.st->ns[GM_SYSCALL] -= w.st->ns[GM_SYSBLOCK];
    if (w.prev.state == ST_WAITING && !w.system && w.kind == WK_LOCK) {
        struct lock_wait lw = {.t0 = w.prev.t0,
                               .t1 = w.prev.t1,
                               .g = g,
                               .waker = NO_LANE,
                               .reason = w.prev.reason,
                               .stack = w.prev.stack};
        return note_lock(tg, &lw);
    }
    return true;
}

/* ---- the ends ---------------------------------------------------------------------------------------------- */

static int cmp_big(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int cmp_group(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    int c = cmp_big(x->d[GM_EXEC].total, y->d[GM_EXEC].total);
    return c ? c : (x->first_member > y->first_member) - (x->first_member < y->first_member);
}

/* The members of all groups one group after another: at[i] is where group i begins, at[ngroups] the end. */
static bool members_of(const struct triage *tg, uint32_t **at, uint32_t **member)
{
    uint32_t *a = mem_zalloc(((size_t)tg->ngroups + 2) * sizeof *a), *m = mem_alloc(((size_t)tg->ng + 1) * sizeof *m);
    if (!a || !m) {
        mem_free(a);
        mem_free(m);
        return false;
    }
    for (uint32_t g = 0; g < tg->ng; g++) {
        a[tg->g[g].group + 2]++;
        if (g % 4096 == 0) {
            (void)slices_tick();
        }
    }
    for (uint32_t i = 2; i < tg->ngroups + 2; i++) {
        a[i] += a[i - 1];
    }
    for (uint32_t g = 0; g < tg->ng; g++) {
        m[a[tg->g[g].group + 1]++] = g;
        if (g % 4096 == 0) {
            (void)slices_tick();
        }
    }
    *at = a;
    *member = m;
    return true;
}

static bool group_dists(struct triage *tg)
{
    uint32_t *at, *member;
    int64_t *v = mem_alloc(((size_t)tg->ng + 1) * sizeof *v);
    if (!v || !members_of(tg, &at, &member)) {
        mem_free(v);
        return false;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        for (int m = 0; m < GM_COUNT; m++) {
            for (uint32_t k = at[i]; k < at[i + 1]; k++) {
                v[k - at[i]] = tg->g[member[k]].ns[m];
                if (k % 1024 == 0) {
                    (void)slices_tick();
                }
            }
            dist_of(&tg->groups[i].d[m], v, at[i + 1] - at[i]);
        }
    }
    mem_free(v);
    mem_free(at);
    mem_free(member);
    return slices_tick();
}

static bool groups_sort(struct triage *tg)
{
    uint32_t *to = mem_alloc(((size_t)tg->ngroups + 1) * sizeof *to);
    if (!to) {
        return false;
    }
    if (tg->ngroups) {
        qsort(tg->groups, tg->ngroups, sizeof *tg->groups, cmp_group);
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        to[tg->g[tg->groups[i].first_member].group] = i;
    }
    for (uint32_t g = 0; g < tg->ng; g++) {
        tg->g[g].group = to[tg->g[g].group];
        if (g % 4096 == 0) {
            (void)slices_tick();
        }
    }
    mem_free(to);
    return true;
}

/* By group, reason, goroutine: they stand by goroutine, and the sort is stable. In place: they are many. */
static bool gw_sort(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    struct keyed_row *k = mem_alloc((wk->ngw + 1) * sizeof *k);
    bool ok = k != NULL;
    size_t steps = 0;
    for (size_t i = 0; i < wk->ngw && ok; i++) {
        k[i] = (struct keyed_row){(uint64_t)tg->g[wk->gw[i].g].group << 32 | wk->gw[i].reason, (uint32_t)i};
        ok = i % 1024 || slices_tick();
    }
    ok = ok && rows_sort(k, wk->ngw);
    for (size_t i = 0; i < wk->ngw && ok; i++) {
        struct gwait first = wk->gw[i];
        size_t at = i, from;
        for (; (from = k[at].row) != i && ok;
             at = from) { /* round the circle that i is in; it may be as long as all */
            wk->gw[at] = wk->gw[from];
            k[at].row = (uint32_t)at;
            ok = ++steps % 1024 || slices_tick();
        }
        wk->gw[at] = first;
        k[at].row = (uint32_t)at;
        ok = ok && (i % 1024 || slices_tick());
    }
    mem_free(k);
    return ok;
}

static int cmp_group_wait(const void *a, const void *b)
{
    const struct group_wait *x = a, *y = b;
    int c = cmp_big(x->d.total, y->d.total);
    return c ? c : (x->reason > y->reason) - (x->reason < y->reason);
}

static bool group_waits(struct triage *tg)
{
    struct triage_work *wk = tg->work;
    int64_t *v = gw_sort(tg) ? mem_alloc((wk->ngw + 1) * sizeof *v) : NULL;
    size_t rows = 0, cap = 0;
    if (!v) {
        return false;
    }
    for (size_t i = 0, j; i < wk->ngw; i = j) {
        uint32_t grp = tg->g[wk->gw[i].g].group;
        struct group_wait *p = mem_grow(tg->group_waits, &cap, rows + 1, sizeof *p);
        if (!p) {
            mem_free(v);
            return false;
        }
        tg->group_waits = p;
        p += rows;
        *p = (struct group_wait){.reason = wk->gw[i].reason};
        for (j = i; j < wk->ngw && tg->g[wk->gw[j].g].group == grp && wk->gw[j].reason == p->reason; j++) {
            v[j - i] = wk->gw[j].ns;
            p->count += wk->gw[j].count;
            p->longest = wk->gw[j].longest > p->longest ? wk->gw[j].longest : p->longest;
            if (j % 1024 == 0) {
                (void)slices_tick();
            }
        }
        dist_of(&p->d, v, j - i);
        if (tg->groups[grp].nwaits++ == 0) {
            tg->groups[grp].waits = (uint32_t)rows;
        }
        rows++;
    }
    for (uint32_t i = 0; i < tg->ngroups; i++) {
        if (tg->groups[i].nwaits > 1) {
            qsort(tg->group_waits + tg->groups[i].waits, tg->groups[i].nwaits, sizeof *tg->group_waits,
                  cmp_group_wait);
        }
    }
    mem_free(v);
    return true;
}

static int cmp_wait(const void *a, const void *b)
{
    const struct wait_row *x = a, *y = b;
    int c = cmp_big(x->total, y->total);
    return c                        ? c
           : x->reason != y->reason ? (x->reason > y->reason) - (x->reason < y->reason)
                                    : (x->stack > y->stack) - (x->stack < y->stack);
}

static int cmp_syscall(const void *a, const void *b)
{
    const struct syscall_row *x = a, *y = b;
    int c = cmp_big(x->total, y->total);
    return c ? c : (x->stack > y->stack) - (x->stack < y->stack);
}

static int cmp_lock(const void *a, const void *b)
{
    const struct lock_wait *x = a, *y = b;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->g > y->g) - (x->g < y->g);
}

bool triage_groups_end(struct triage *tg)
{
    if (!group_dists(tg) || !groups_sort(tg) || !group_waits(tg)) {
        return false;
    }
    if (tg->nwaits) {
        qsort(tg->waits, tg->nwaits, sizeof *tg->waits, cmp_wait);
    }
    if (tg->nsyscalls) {
        qsort(tg->syscalls, tg->nsyscalls, sizeof *tg->syscalls, cmp_syscall);
    }
    if (tg->nlock_waits) {
        qsort(tg->lock_waits, tg->nlock_waits, sizeof *tg->lock_waits, cmp_lock);
    }
    return true;
}
