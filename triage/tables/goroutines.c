/*
 * goroutines.c - one walk over a goroutine's spans counts it, its waits, contention pairs, system calls and scheduler
 * latency into a subtotal.
 *
 * Invariants. A wait's row is counted when the wait begins, its pair when the next span tells who ended it. Waits and
 * calls of the runtime's own goroutines count in their groups only: they are no contention of the program's.
 * What belongs to one goroutine goes straight to gstats.h: no two subtotals have the same ones.
 */
#include "triage/tables/subtotal.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define FUTILE_RUN 20000 /* ns: who runs less between two waits on one condition was woken for nothing */

struct step { /* the span at hand: span i of a run */
    int64_t t0, ns;
    const struct span_tag *kind;
    const struct span_run *run;
    uint32_t i;
};
static inline uint32_t stack_of(const struct step *s)
{
    return s->run->stack[s->i];
}

struct waited { /* a wait */
    int64_t t0, t1;
    uint32_t reason, stack;
};

struct mine { /* a goroutine's waits for one reason, until they are told */
    uint32_t reason, count;
    int64_t ns, longest;
};
enum { MINE = 8 };

struct walk { /* along one lane */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g, name;
    bool system, worker;
    bool of_c; /* it stands for a thread that C began: see lane_begin() */
    bool some; /* it has spans */
    int64_t life, no_p_ns;
    enum gc_mode mode;                          /* of a mark worker, now */
    size_t gw_first;                            /* this goroutine's rows in y->gw */
    uint8_t was;                                /* the state before the span at hand: ST_NONE before the first */
    uint32_t done_row;                          /* where the last wait was counted as over, */
    int64_t done_was;                           /* and the longest there before it */
    struct waited wait;                         /* the last wait */
    enum wait_kind kind;                        /* its */
    struct hist *sched;                         /* where its scheduler latency is counted */
    uint32_t call;                              /* row of the last system call */
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on, NO row: TAB_NONE */
    int64_t cond_end, cond_run;
    struct mine mine[MINE];
    uint32_t nmine;
    struct assist_walk assists;
    const struct assist_rows *all_assists;
    size_t assists_from;
    int64_t assist_ns;
    const struct lanes_alike *alike; /* those that come next, or have come; NULL: none have */
};

static inline uint64_t *counted(const struct walk *w, unsigned value)
{
    return &w->y->rows.v[value][w->y->nrows];
}

/* Sums of spans one behind another: no longer than the lane, so they need no ns_add(). */
static inline void count(struct walk *w, enum gmetric m, int64_t ns, unsigned times, bool one)
{
    w->y->rows.used |= 1u << m | 1u << times;
    *counted(w, m) += (uint64_t)ns;
    *counted(w, times) += one;
}

static inline bool open_start(const struct step *s)
{
    return !s->i && s->run->open_start;
}

static inline bool open_end(const struct step *s)
{
    return s->run->open_end && s->i + 1 == s->run->n;
}

static inline int64_t end_of(const struct step *s)
{
    return s->t0 + s->ns;
}

/* Of the goroutine at hand: what it waited for this reason. The first few are looked through; behind them a goroutine may have as
   many as it has waits, and the reason's row of all knows where its own stands. NULL: out of memory. */
static struct gwait *wait_for(struct walk *w, uint32_t reason)
{
    enum { FEW = 16 };
    struct subtotal *y = w->y;
    size_t i = w->gw_first, few = y->ngw - i < FEW ? y->ngw : i + FEW;
    for (; i < few; i++) {
        if (y->wait_of[y->gw[i].of].reason == reason) {
            return &y->gw[i];
        }
    }
    const uint32_t of = subtotal_wait_of(y, w->name, reason);
    if (of == TAB_NONE) {
        return NULL;
    }
    i = y->wait_of[of].at;
    if (i < w->gw_first || i >= y->ngw || y->gw[i].of != of) {
        struct gwait *p = mem_grow(y->gw, &y->cap_gw, y->ngw + 1, sizeof *p);
        if (!p) {
            return NULL;
        }
        y->gw = p;
        i = y->wait_of[of].at = y->ngw;
        p[y->ngw++] = (struct gwait){.of = of};
    }
    return &y->gw[i];
}

static bool tell_reason(struct walk *w, const struct mine *m)
{
    struct gwait *g = wait_for(w, m->reason);
    if (!g) {
        return false;
    }
    struct wait_of *of = &w->y->wait_of[g->of];
    of->count += m->count;
    of->longest = m->longest > of->longest ? m->longest : of->longest;
    gwait_set(g, ns_add(gwait_ns(g), m->ns));
    return true;
}

static bool tell_reasons(struct walk *w)
{
    bool ok = true;
    for (uint32_t i = 0; i < w->nmine && ok; i++) {
        ok = tell_reason(w, &w->mine[i]);
    }
    w->nmine = 0;
    return ok;
}

static inline bool note_reason(struct walk *w, uint32_t reason, int64_t ns)
{
    uint32_t i = 0;
    while (i < w->nmine && w->mine[i].reason != reason) {
        i++;
    }
    if (i == w->nmine) {
        if (i == MINE && !tell_reasons(w)) {
            return false;
        }
        i = w->nmine++;
        w->mine[i] = (struct mine){.reason = reason};
    }
    struct mine *m = &w->mine[i];
    m->count++;
    m->ns += ns;
    m->longest = ns > m->longest ? ns : m->longest;
    return true;
}

static void longer(struct moment *m, int64_t t0, int64_t t1, uint32_t g, uint64_t count)
{
    if (count == 1 || t1 - t0 > m->t1 - m->t0) {
        *m = (struct moment){t0, t1, g, NO_LANE};
    }
}

/* The row of waits for a reason at a place; TAB_NONE: out of memory. */
static uint32_t wait_row_of(struct walk *w, uint32_t reason, uint32_t stack)
{
    struct subtotal *y = w->y;
    uint32_t i = tab_put(&y->by_wait, reason, stack, y->nwaits);
    if (i == y->nwaits && i != TAB_NONE) {
        struct wait_row *rows = mem_grow(y->waits, &y->cap_waits, (size_t)i + 1, sizeof *rows);
        if (!rows) {
            return TAB_NONE;
        }
        y->waits = rows;
        rows[i] =
            (struct wait_row){.reason = reason, .stack = stack, .kind = stacks_wait_kind(w->tg->tr, reason, stack)};
        y->nwaits++;
    }
    return i;
}

static inline bool note_wait(struct walk *w, const struct step *s, uint32_t reason)
{
    struct subtotal *y = w->y;
    const int64_t ns = s->ns;
    struct lately *c = lately_of(y->lately_wait, reason, stack_of(s), 0, 0);
    if (!lately_is(c, reason, stack_of(s), 0, 0)) {
        const uint32_t i = wait_row_of(w, reason, stack_of(s));
        if (i == TAB_NONE) {
            return false;
        }
        lately_set(c, reason, stack_of(s), 0, 0, i);
    }
    struct wait_row *row = &y->waits[c->row - 1];
    const bool open = open_end(s);
    w->done_row = c->row - 1;
    w->done_was = row->longest_done;
    row->count++;
    row->open += open;
    if (ns > row->longest_done && !open) {
        row->longest_done = ns;
    }
    row->total = ns_more(row->total, ns);
    longer(&row->longest, s->t0, end_of(s), w->g, row->count);
    w->kind = row->kind;
    return true;
}

/* The wait before is for a lock, and over, or lasts at the end. */
static bool note_lock(struct walk *w, uint32_t waker, uint32_t waker_stack)
{
    const struct waited *v = &w->wait;
    w->y->lock_waits_all++;
    return subtotal_lock(w->y, &(struct lock_wait){.t0 = v->t0,
                                                   .t1 = v->t1,
                                                   .g = w->g,
                                                   .waker = waker,
                                                   .reason = v->reason,
                                                   .stack = v->stack,
                                                   .waker_stack = waker_stack});
}

/* Who ended a wait is another goroutine, maybe another subtotal's: it is told of later. */
static bool note_ender(struct walk *w, uint32_t waker)
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
    y->enders[i].ended++;
    return true;
}

/* The start function of a goroutine: the same few wake others again and again. */
static inline uint32_t name_of(struct walk *w, const struct step *s, uint32_t g)
{
    struct start_name *c = &w->y->name[g % START_NAMES];
    if (c->g != g + 1) {
        *c = (struct start_name){g + 1, span_run_g_name(w->tg->tr, s->run, s->i)};
    }
    return c->name;
}

/* The row of waits like v that ended there, woken by a goroutine of that name (UINT32_MAX: by nobody); TAB_NONE: out of memory. */
static uint32_t pair_row_of(struct walk *w, const struct waited *v, uint32_t waker_stack, uint32_t name)
{
    struct subtotal *y = w->y;
    uint32_t i =
        tab_put(&y->by_pair, (uint64_t)v->reason << 32 | v->stack, (uint64_t)name << 32 | waker_stack, y->npairs);
    if (i == y->npairs && i != TAB_NONE) {
        struct pair_row *p = mem_grow(y->pairs, &y->cap_pairs, (size_t)i + 1, sizeof *p);
        if (!p) {
            return TAB_NONE;
        }
        y->pairs = p;
        p[i] = (struct pair_row){.reason = v->reason,
                                 .stack = v->stack,
                                 .waker_stack = waker_stack,
                                 .waiter = w->name,
                                 .waker = name == UINT32_MAX ? 0 : name,
                                 .from_scheduler = name == UINT32_MAX,
                                 .kind = w->kind};
        y->npairs++;
    }
    return i;
}

/* A wait is over: s is what follows, by whom. */
static inline bool note_pair(struct walk *w, const struct step *s, uint32_t who)
{
    struct subtotal *y = w->y;
    const struct waited *v = &w->wait;
    const uint32_t name = who == NO_LANE ? UINT32_MAX : name_of(w, s, who);
    struct lately *c = lately_of(y->lately_pair, v->reason, v->stack, name, stack_of(s));
    if (!lately_is(c, v->reason, v->stack, name, stack_of(s))) {
        const uint32_t i = pair_row_of(w, v, stack_of(s), name);
        if (i == TAB_NONE) {
            return false;
        }
        lately_set(c, v->reason, v->stack, name, stack_of(s), i);
    }
    struct pair_row *p = &y->pairs[c->row - 1];
    p->count++;
    p->total = ns_more(p->total, v->t1 - v->t0);
    longer(&p->longest, v->t0, v->t1, w->g, p->count);
    if (p->longest.t0 == v->t0 && p->longest.g == w->g) {
        p->longest_waker = who;
    }
    if (p->kind == WK_SEND && !note_ender(w, who)) { /* whom one for a lock was for, holder.c finds out */
        return false;
    }
    if (p->kind == WK_COND) {
        w->cond_stack = v->stack;
        w->cond_pair = c->row - 1;
        w->cond_waker = who;
        w->cond_end = v->t1;
        w->cond_run = 0;
    }
    return true;
}

/* It waits again on the condition it was woken from just now. */
static bool note_futile(struct walk *w, int64_t t0)
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
        p[y->nwakes++] = (struct wake){w->cond_end, t0 - w->cond_end, w->cond_run, w->cond_pair, w->cond_waker, w->g};
    }
    return true;
}

static inline bool walk_waiting(struct walk *w, const struct step *s)
{
    const uint32_t reason = s->kind->reason;
    count(w, GM_WAIT, s->ns, GV_WAITS, true);
    w->wait = (struct waited){s->t0, end_of(s), reason, stack_of(s)};
    if (!note_reason(w, reason, s->ns)) {
        return false;
    }
    if (w->system) {
        return true;
    }
    const bool again = w->cond_pair != TAB_NONE && w->cond_stack == stack_of(s) && w->cond_run < FUTILE_RUN;
    if (again && !note_futile(w, s->t0)) {
        return false;
    }
    const bool ok = note_wait(w, s, reason);
    if (again || w->kind != WK_LOCK) {
        w->cond_pair = TAB_NONE; /* waiting for the condition's own lock in between is part of being woken */
    }
    return ok;
}

/* For idle.c: a system call that is long enough to matter there. */
static bool note_call(struct subtotal *y, int64_t t0, int64_t t1)
{
    uint64_t *p = mem_grow(y->changes, &y->cap_changes, y->nchanges + 2, sizeof *p);
    if (!p) {
        return false;
    }
    y->changes = p;
    p[y->nchanges++] = CHANGE_KEY(t0 > 0 ? t0 : 0, CHANGE_SYSCALL, 1);
    p[y->nchanges++] = CHANGE_KEY(t1 > 0 ? t1 : 0, CHANGE_SYSCALL, 0);
    return true;
}

static uint32_t syscall_row_of(struct walk *w, uint32_t stack)
{
    struct subtotal *y = w->y;
    struct lately *c = lately_of(y->lately_call, stack, 0, 0, 0);
    if (lately_is(c, stack, 0, 0, 0)) {
        return c->row - 1;
    }
    uint32_t i = tab_put(&y->by_syscall, stack, 0, y->nsyscalls);
    if (i == y->nsyscalls && i != TAB_NONE) {
        struct syscall_row *r = mem_grow(y->syscalls, &y->cap_syscalls, (size_t)i + 1, sizeof *r);
        if (!r) {
            return TAB_NONE;
        }
        y->syscalls = r;
        r[i] = (struct syscall_row){.stack = stack};
        y->nsyscalls++;
    }
    if (i != TAB_NONE) {
        lately_set(c, stack, 0, 0, 0, i);
    }
    return i;
}

static inline bool walk_syscall(struct walk *w, const struct step *s)
{
    const int64_t ns = s->ns;
    count(w, GM_SYSCALL, ns, GV_SYSCALLS, true);
    if (ns >= IDLE_NOTICE && !w->of_c && !note_call(w->y, s->t0, end_of(s))) {
        return false;
    }
    if (w->system) {
        return true;
    }
    if (w->call == TAB_NONE || w->y->syscalls[w->call].stack != stack_of(s)) {
        w->call = syscall_row_of(w, stack_of(s));
        if (w->call == TAB_NONE) {
            return false;
        }
    }
    struct syscall_row *r = &w->y->syscalls[w->call];
    r->count++;
    r->open += open_end(s);
    r->total = ns_more(r->total, ns);
    longer(&r->longest, s->t0, end_of(s), w->g, r->count);
    return true;
}

static inline bool walk_runnable(struct walk *w, const struct step *s)
{
    struct subtotal *y = w->y;
    const int64_t ns = s->ns;
    count(w, GM_SCHED, ns, GV_SCHEDS, true);
    if (ns > RUNNABLE_NOTICE && !late_add(&y->late, s->t0 + RUNNABLE_NOTICE, end_of(s))) {
        return false;
    }
    if (open_start(s)) {
        return true; /* since when is not known */
    }
    hist_add(w->sched, ns);
    if (ns > y->worst_least && !w->system) {
        subtotal_worst(y, &(struct worst_wait){s->t0, end_of(s), w->g, w->was});
    }
    return true;
}

static inline void walk_exec(struct walk *w, int64_t ns)
{
    count(w, GM_EXEC, ns, GV_RUNS, !tri_is_exec(w->was));
    w->cond_run += ns;
    if (w->worker) {
        int64_t *by_mode = &w->y->label_ns[w->mode];
        *by_mode = ns_add(*by_mode, ns);
    }
}

/* What a wait ends with: s. */
static inline bool walk_waited(struct walk *w, const struct step *s)
{
    const bool woken = s->kind->state == ST_RUNNABLE;
    const uint32_t waker = woken ? span_run_g(s->run, s->i) : NO_LANE;
    if (woken && !note_pair(w, s, waker)) {
        return false;
    }
    return w->kind != WK_LOCK || note_lock(w, waker, woken ? stack_of(s) : 0);
}

static inline bool walk_span(struct walk *w, const struct step *s)
{
    const uint8_t state = s->kind->state;
    if (w->was == ST_WAITING && !w->system && !walk_waited(w, s)) {
        return false;
    }
    if (w->worker) {
        w->mode = gc_mode_next(w->tg->tr, w->mode, s->kind);
    }
    if (tri_is_exec(state)) { /* every second one */
        walk_exec(w, s->ns);
        return true;
    }
    if (state == ST_RUNNABLE) {
        if (w->was == ST_SYSCALL && !w->system) {
            w->y->syscalls[w->call].blocking++;
        }
        return walk_runnable(w, s);
    }
    if (state == ST_WAITING) {
        return walk_waiting(w, s);
    }
    if (state == ST_SYSCALL) {
        return walk_syscall(w, s);
    }
    if (state == ST_UNKNOWN) {
        w->y->rows.used |= 1u << GM_UNKNOWN;
        *counted(w, GM_UNKNOWN) += (uint64_t)s->ns;
        if (w->was == ST_WAITING && !w->system) { /* nobody saw that wait end */
            w->y->waits[w->done_row].longest_done = w->done_was;
        }
    }
    return true;
}

static inline void group_lives(struct group *p, int64_t first, int64_t last)
{
    p->first = first < p->first ? first : p->first;
    p->last = last > p->last ? last : p->last;
}

static bool put_in_group(struct walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    uint32_t i =
        y->ngroups && y->groups[y->group].name == li->name ? y->group : tab_put(&y->by_name, li->name, 0, y->ngroups);
    if (i == TAB_NONE) {
        return false;
    }
    y->group = i;
    if (i == y->ngroups) {
        struct group *p = mem_grow(y->groups, &y->cap_groups, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        y->groups = p;
        p[i] = (struct group){
            .name = li->name, .is_system = li->is_system, .first_member = w->g, .first = li->first, .last = li->last};
        y->ngroups++;
    }
    struct group *p = &y->groups[i];
    group_lives(p, li->first, li->last);
    p->count++;
    p->created += li->created;
    p->ended += li->ended;
    return true;
}

/* One of the program's that the trace saw created. */
static bool note_birth(struct walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    uint32_t i = y->birth;
    if (!y->nbirths || y->births[i].create_stack != li->create_stack || y->births[i].name != li->name) {
        i = tab_put(&y->by_birth, li->create_stack, li->name, y->nbirths);
    }
    if (i == TAB_NONE) {
        return false;
    }
    y->birth = i;
    if (i == y->nbirths) {
        struct birth *p = mem_grow(y->births, &y->cap_births, (size_t)i + 1, sizeof *p);
        if (!p) {
            return false;
        }
        y->births = p;
        p[y->nbirths++] = (struct birth){.create_stack = li->create_stack, .name = li->name};
    }
    y->births[i].created++;
    y->births[i].ended += li->ended;
    if (li->ended) {
        return true;
    }
    uint32_t *p = mem_grow(y->alive, &y->cap_alive, y->nalive + 1, sizeof *p);
    if (p) {
        y->alive = p;
        p[y->nalive++] = w->g;
    }
    return p;
}

/* A goroutine assists while it runs within an assist. */
static bool note_assist(void *arg, const struct assist_run *a)
{
    struct walk *w = arg;
    struct subtotal *y = w->y;
    int64_t t0 = a->r->t0, t1 = a->r->t1;
    struct assisted *p = mem_grow(y->assisted, &y->cap_assisted, y->nassisted + 1, sizeof *p);
    if (!p) {
        return false;
    }
    y->assisted = p;
    p[y->nassisted++] = (struct assisted){a->t0 > t0 ? a->t0 : t0, a->t1 < t1 ? a->t1 : t1, a->p};
    if (a->state == ST_RUNNING && tri_clip(w->tg, &t0, &t1)) {
        t0 = a->t0 > t0 ? a->t0 : t0;
        t1 = a->t1 < t1 ? a->t1 : t1;
        w->assist_ns = ns_add(w->assist_ns, t1 > t0 ? t1 - t0 : 0);
    }
    return true;
}

/* ---- along a lane ------------------------------------------------------------------------------------------- */

/* On to a goroutine. */
static inline void lane_next(struct walk *w, uint32_t g)
{
    w->g = g;
    w->some = w->of_c = false;
    w->mode = GC_UNLABELLED;
    w->gw_first = w->y->ngw;
    w->was = ST_NONE;
    w->kind = WK_OTHER;
    w->call = w->cond_pair = TAB_NONE;
    w->cond_run = 0;
    w->nmine = 0;
    w->assist_ns = 0;
    w->assists.n = 0;
    if (w->assists_from < w->all_assists->n) {
        w->assists = assist_walk_of(w->all_assists, &w->assists_from, g, note_assist, w);
    }
}

static bool lane_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct walk *w = arg;
    lane_next(w, g);
    w->life = li->last - li->first;
    w->no_p_ns = li->no_p_ns;
    w->name = li->name;
    w->system = li->is_system;
    w->worker = li->is_worker;
    /* Up to Go 1.21 a program with cgo has one for threads of C's that may call it (goroutine 17): begun by nothing that has a name,
       "in a system call" as long as none does. It keeps nothing from a processor. */
    const struct trace_info *in = trace_info(w->tg->tr);
    w->of_c = !in->second_family && in->has_names && !li->name && !li->created && li->nspans == 1;
    w->sched = w->system ? &w->y->sched_system : &w->y->sched;
    w->alike = NULL;
    return put_in_group(w, li) && (!li->created || li->is_system || note_birth(w, li));
}

/* n more of the same group and birthplace. */
static void more_alike(struct subtotal *y, const struct lane_info *li, uint32_t n)
{
    struct group *p = &y->groups[y->group];
    p->count += n;
    p->created += li->created ? n : 0;
    p->ended += li->ended ? n : 0;
    if (li->created && !li->is_system) {
        y->births[y->birth].created += n;
        y->births[y->birth].ended += li->ended ? n : 0;
    }
}

static bool lane_alike(void *arg, const struct lane_info *li, const struct lanes_alike *a)
{
    struct walk *w = arg;
    struct subtotal *y = w->y;
    for (uint32_t i = 0; i < a->n; i++) {
        group_lives(&y->groups[y->group], a->first[i], a->last[i]);
    }
    more_alike(y, li, a->n);
    w->alike = a;
    return true;
}

/* The one that comes next, if it is like this one: nobody begins it. */
static inline void lane_next_alike(struct walk *w)
{
    const uint32_t g = w->g + 1, i = w->alike ? g - w->alike->g : 0;
    if (w->alike && i < w->alike->n) {
        lane_next(w, g);
        w->life = w->alike->last[i] - w->alike->first[i];
        w->no_p_ns = w->alike->no_p_ns[i];
    }
}

static bool lane_spans(void *arg, uint32_t g, const struct span_run *r)
{
    struct walk *w = arg;
    const int64_t *const dur = r->dur;
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    int64_t t = r->t0;
    (void)g;
    w->some = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct step s = {t, dur[i], &kind[tag[i]], r, i};
        if (!walk_span(w, &s)) {
            return false;
        }
        w->was = s.kind->state;
        t += s.ns;
    }
    if (w->assists.n && assist_walk_wants(&w->assists, t)) {
        assist_walk_run(&w->assists, r);
        if (!w->assists.ok) {
            return false;
        }
    }
    return r->n < SPAN_BLOCK || slices_tick();
}

/* The goroutine's own sums, once its neighbours have theirs. Its group is the subtotal's, until that is added. */
static inline bool put(struct walk *w, int64_t life)
{
    struct subtotal *y = w->y;
    y->life[y->nrows] = life;
    y->rows.group[y->nrows++] = y->group;
    y->rows.spans = 0;
    return (w->g + 1 < y->g1 && y->nrows < GSTATS_ROWS) || subtotal_rows_put(y, w->tg->g, w->g);
}

static bool put_assist(struct walk *w)
{
    struct group_sum *to = &w->y->groups[w->y->group].d[GM_ASSIST];
    to->total = ns_add(to->total, w->assist_ns);
    to->max = w->assist_ns > to->max ? w->assist_ns : to->max;
    return gstats_assist(w->tg->g, w->g, w->assist_ns);
}

/* Of its system calls those without a processor. */
static void calls_apart(struct walk *w)
{
    const int64_t calls = ns_clamp((int64_t)*counted(w, GM_SYSCALL)),
                  blocked = w->no_p_ns < calls ? w->no_p_ns : calls;
    w->y->rows.used |= 1u << GM_SYSBLOCK | 1u << GM_SYSCALL;
    *counted(w, GM_SYSBLOCK) = (uint64_t)blocked;
    *counted(w, GM_SYSCALL) = (uint64_t)(calls - blocked);
}

static bool lane_end(void *arg, uint32_t g)
{
    struct walk *w = arg;
    bool ok = !w->nmine || tell_reasons(w);
    (void)g;
    if (w->no_p_ns && w->some) {
        calls_apart(w);
    }
    if (ok && w->was == ST_WAITING && !w->system && w->kind == WK_LOCK) {
        ok = note_lock(w, NO_LANE, 0);
    }
    ok = ok && put(w, w->some ? w->life : 0) && (!w->assist_ns || put_assist(w));
    lane_next_alike(w);
    return ok;
}

/* ---- along many at once ------------------------------------------------------------------------------------- */

/* Of what struct gstat_rows calls spans: they waited for a processor once, and ran once, or one of these. 0: there is more to it. */
static uint16_t spans_of(const struct walk *w, const struct lanes_few *f)
{
    unsigned spans = 0, seen = 0;
    for (unsigned k = 0; k < f->nspans; k++) {
        const uint8_t state = f->kind[k].state;
        const unsigned m = tri_is_exec(state) ? GM_EXEC : state == ST_RUNNABLE ? GM_SCHED : GM_COUNT;
        if (m == GM_COUNT || seen >> m & 1) {
            return 0;
        }
        seen |= 1u << m;
        spans |= (m + 1) << 8 * k;
    }
    const struct assist_rows *a = w->all_assists;
    const bool assists = w->assists.n || (w->assists_from < a->n && a->row[w->assists_from].key < f->g + f->n);
    return w->worker || assists ? 0 : (uint16_t)spans;
}

/* They waited for a processor from first[i] on, behind a span of that state. */
static bool few_queued(struct walk *w, const struct lanes_few *f, unsigned k, const int64_t *first)
{
    struct subtotal *y = w->y;
    const int64_t *const ns = f->dur[k];
    const uint8_t was = k ? f->kind[k - 1].state : ST_NONE;
    if (!late_queued(&y->late, first, ns, f->n)) {
        return false;
    }
    if (!k && f->open_start) {
        return true; /* since when is not known */
    }
    hist_add_all(w->sched, ns, f->n);
    for (uint32_t i = 0; i < f->n && !w->system; i++) {
        if (ns[i] > y->worst_least) {
            subtotal_worst(y, &(struct worst_wait){first[i], first[i] + ns[i], f->g + i, was});
        }
    }
    return true;
}

/* Sums of those from the i-th on, as many as there is room for: how many. */
static uint32_t put_few(struct subtotal *y, const struct lanes_few *f, uint16_t spans, uint32_t i)
{
    const uint32_t at = y->nrows, room = GSTATS_ROWS - at, n = f->n - i < room ? f->n - i : room;
    for (unsigned k = 0; k < f->nspans; k++) {
        const unsigned m = (spans >> 8 * k & 255u) - 1, times = m == GM_EXEC ? GV_RUNS : GV_SCHEDS;
        y->rows.used |= 1u << m | 1u << times;
        memcpy(&y->rows.v[m][at], &f->dur[k][i], n * sizeof f->dur[k][i]);
        for (uint32_t j = at; j < at + n; j++) {
            y->rows.v[times][j] = 1;
        }
    }
    memcpy(&y->life[at], &f->life[i], n * sizeof f->life[i]);
    for (uint32_t j = at; j < at + n; j++) {
        y->rows.group[j] = y->group;
    }
    y->rows.spans = !at || y->rows.spans == spans ? spans : 0;
    y->nrows += n;
    return n;
}

static bool lanes_few(void *arg, const struct lane_info *li, const struct lanes_few *f, bool *done)
{
    struct walk *w = arg;
    struct subtotal *y = w->y;
    int64_t t0[LANES_ALIKE];
    const uint16_t spans = spans_of(w, f);
    if (!spans) {
        return true;
    }
    *done = true;
    more_alike(y, li, f->n - 1);
    for (uint32_t i = 0; i < f->n; i++) {
        t0[i] = f->first[i];
        group_lives(&y->groups[y->group], t0[i], t0[i] + f->life[i]);
    }
    for (unsigned k = 0; k < f->nspans; k++) {
        if (f->kind[k].state == ST_RUNNABLE && !few_queued(w, f, k, t0)) {
            return false;
        }
        for (uint32_t i = 0; i < f->n; i++) {
            t0[i] += f->dur[k][i];
        }
    }
    for (uint32_t i = 0; i < f->n;) {
        i += put_few(y, f, spans, i);
        const uint32_t last = f->g + i - 1;
        if ((y->nrows == GSTATS_ROWS || last + 1 == y->g1) && !subtotal_rows_put(y, w->tg->g, last)) {
            return false;
        }
    }
    return true;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1,
                         const struct assist_rows *assists)
{
    struct walk w = {.tg = tg, .y = y, .all_assists = assists};
    y->g1 = g1;
    y->worst_least = -1;
    const struct span_walk walk = {
        .begin = lane_begin, .alike = lane_alike, .few = lanes_few, .spans = lane_spans, .end = lane_end, .arg = &w};
    const bool ok = trace_walk(tg->tr, g0, g1, &walk) &&
                    late_tell(&y->late, (int64_t)tg->np, &y->changes, &y->nchanges, &y->cap_changes);
    late_free(&y->late);
    return ok;
}
