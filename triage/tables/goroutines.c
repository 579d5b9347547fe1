/*
 * goroutines.c - counts what goroutines did into a subtotal, in one walk over their spans: times, waits and
 * system calls, contention pairs, scheduler latency.
 *
 * All spans of a trace pass through here one by one, so the common work is one short loop whose sums are
 * stored once a block; rare work is in separate functions.
 *
 * Invariants. A wait or a call is counted in its pair when the next span shows how it ended. Those of the
 * runtime's own goroutines count only in their groups: they are not contention of the program.
 */
#include "triage/tables/subtotal.h"

#include "decode/base/mem.h"

/* keeps rare work out of the loop over spans, so that the loop stays short */
#define RARELY __attribute__((noinline))

struct waited { /* one wait, or one system call */
    int64_t t0, t1;
    uint32_t reason, stack;
};

struct g_walk { /* State along one lane. */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g, name;
    bool system, worker;
    bool some;                          /* it has spans */
    int64_t life, no_p_ns, ran, called; /* ran: so far; called: in system calls */
    enum gc_mode mode;                  /* current mode of a mark worker */
    uint8_t was;                        /* state of the last span counted; ST_NONE before the first */
    bool open;                          /* the last span is still open when the trace ends */
    uint32_t on;                        /* the P it ran on last; NO_LANE: none */
    /* How often it moved to another P within the current spans. An unrecorded P does not count. */
    struct moved {
        uint32_t p, at; /* the last P, as span_run_p() returns it (0: none), and the index of its span */
        uint32_t n;
    } moved;
    struct waited wait;                         /* the last wait or call */
    enum wait_kind kind;                        /* kind of the last wait, once it is counted */
    uint32_t pair, reason;                      /* rows of pairs and of wait_of that were counted last */
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on; without a row: TAB_NONE */
    int64_t cond_end, cond_run;                 /* end of that wait; running time since */
    /* the goroutines alike that follow or were just counted; NULL if there are none */
    const struct lanes_alike *alike;
};

static inline void count(const struct g_walk *w, enum gmetric m, int64_t ns)
{
    int64_t *sum = &w->y->groups[w->y->group].ns[m];
    *sum = ns_add(*sum, ns);
}

struct at { /* one span of a run */
    const struct span_run *run;
    uint32_t i;
};
static inline uint32_t stack_of(struct at s)
{
    return s.run->stack[s.i];
}

/* ---- how waits and calls ended ------------------------------------------------------------------------- */

/* Counts the last wait or call. Returns its pair; NULL when out of memory. */
static struct pair_row *pair_told(struct g_walk *w, uint32_t who, uint32_t by, uint32_t waker)
{
    const struct waited *v = &w->wait;
    bool made = false;
    uint32_t *lately = &w->y->lately[(v->stack * 0x9e3779b1u ^ waker * 0xc2b2ae3du ^ by * 0x85ebca6bu) >> 24];
    struct pair_row *p = *lately < w->y->npairs ? &w->y->pairs[*lately] : NULL;
    if (!p || p->stack != v->stack || p->waker != waker || p->waker_stack != by || p->reason != v->reason)
        p = subtotal_pair(w->y, v->reason, v->stack, waker, by, &made);
    if (!p)
        return NULL;
    if (made) {
        p->waiter = w->name;
        p->kind = stacks_wait_kind(w->tg->tr, v->reason, v->stack);
    }
    w->pair = *lately = (uint32_t)(p - w->y->pairs);
    w->kind = p->kind;
    p->count++;
    p->total = ns_more(p->total, v->t1 - v->t0);
    if (p->count == 1 || v->t1 - v->t0 > p->longest.t1 - p->longest.t0) {
        p->longest = (struct moment){v->t0, v->t1, w->g, NO_LANE};
        p->longest_waker = who;
    }
    return p;
}

/* Ends a wait; s: the span after it, with the waker. */
static inline bool note_pair(struct g_walk *w, struct at s, uint32_t who)
{
    const uint32_t waker = who == NO_LANE ? NOBODY : w->tg->groups[w->tg->group_of[who]].name;
    if (!pair_told(w, who, stack_of(s), waker))
        return false;
    if (w->kind == WK_COND) {
        w->cond_stack = w->wait.stack;
        w->cond_pair = w->pair;
        w->cond_waker = who;
        w->cond_end = w->wait.t1;
        w->cond_run = 0;
    } else if (w->kind != WK_LOCK) {
        w->cond_pair = TAB_NONE; /* waiting for the condition's own lock in between is part of the wake-up */
    }
    return true;
}

/* Counts a wait or a call that nobody is known to have ended: WAIT_OVER .. (subtotal.h). */
static bool note_end(struct g_walk *w, uint32_t end)
{
    const bool ok = pair_told(w, NO_LANE, 0, end);
    w->cond_pair = w->kind == WK_LOCK ? w->cond_pair : TAB_NONE;
    return ok;
}

/* Ends the last wait or call with a span of that state. */
static RARELY bool note_ended(struct g_walk *w, struct at s, uint8_t before, uint8_t state)
{
    if (before == ST_SYSCALL)
        return note_end(w, state == ST_RUNNABLE ? CALL_BLOCKED : CALL_OVER);
    return state == ST_RUNNABLE ? note_pair(w, s, span_run_g(s.run, s.i))
                                : note_end(w, state == ST_UNKNOWN ? WAIT_LOST : WAIT_OVER);
}

/* The goroutine waits on the same condition from which it was just woken. */
static RARELY bool note_futile(struct g_walk *w, int64_t t0)
{
    struct subtotal *y = w->y;
    y->pairs[w->cond_pair].futile++;
    if (y->nwakes == WAKES_MAX)
        return true;
    if (!mem_room(y->wakes, y->cap_wakes, y->nwakes + 1))
        return false;
    y->wakes[y->nwakes++] = (struct wake){w->cond_end, t0 - w->cond_end, w->cond_pair, w->cond_waker, w->g};
    return true;
}

/* ---- processors --------------------------------------------------------------------------------------- */

static inline void moved_on(struct g_walk *w, const struct span_run *r, uint32_t i)
{
    struct moved *const m = &w->moved;
    const uint32_t p = span_run_p(r, i);
    if (!p || p == m->p)
        return;
    m->n += m->p || (w->on != NO_LANE && span_run_who(r, i) != w->on);
    m->p = p;
    m->at = i;
}

static inline void moved_end(struct g_walk *w, const struct span_run *r)
{
    struct moved *const m = &w->moved;
    if (m->p)
        w->on = span_run_who(r, m->at);
    w->tg->moves[w->g] += m->n; /* no two subtotals share a goroutine */
    w->y->groups[w->y->group].moves += m->n;
    *m = (struct moved){0};
}

/* ---- states ------------------------------------------------------------------------------------------- */

/* Counts it with those of its group for that reason. */
static inline bool note_reason(struct g_walk *w, uint32_t reason, int64_t ns)
{
    struct subtotal *y = w->y;
    const uint32_t group = y->groups[y->group].group;
    struct wait_of *of = w->reason < y->nwait_of ? &y->wait_of[w->reason] : NULL;
    if (!of || of->group != group || of->reason != reason)
        of = subtotal_wait_of(y, group, reason);
    if (!of)
        return false;
    w->reason = (uint32_t)(of - y->wait_of);
    of->count++;
    of->total = ns_more(of->total, ns);
    of->longest = ns > of->longest ? ns : of->longest;
    return true;
}

static RARELY bool walk_waiting(struct g_walk *w, struct at s, int64_t t0, int64_t t1)
{
    const uint32_t reason = s.run->kind[s.run->tag[s.i]].reason;
    if (!note_reason(w, reason, t1 - t0))
        return false;
    if (w->system)
        return true;
    w->wait = (struct waited){t0, t1, reason, stack_of(s)};
    if (w->cond_pair != TAB_NONE && w->cond_stack == w->wait.stack && w->cond_run < FUTILE_RUN) {
        const bool ok = note_futile(w, t0);
        w->cond_pair = TAB_NONE;
        return ok;
    }
    return true;
}

static inline void walk_syscall(struct g_walk *w, struct at s, int64_t t0, int64_t t1)
{
    w->y->groups[w->y->group].timed |= t1 - t0 > 1;
    w->cond_pair = TAB_NONE; /* a goroutine that made a call was not woken in vain */
    w->wait = (struct waited){t0, t1, 0, stack_of(s)};
}

/* Counts a runnable span; since: its start is known. */
static inline void walk_runnable(struct g_walk *w, bool since, const struct time_of *x)
{
    const int64_t ns = x->t1 - x->t0;
    if (!since || w->system)
        return;
    hist_add(&w->y->sched, ns);
    if (ns > w->y->worst.least)
        longest_add(&w->y->worst, x);
}

/* Updates the mode in which a mark worker runs. */
static RARELY void count_modes(struct g_walk *w, const struct span_run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct span_tag *kind = &r->kind[r->tag[i]];
        w->mode = gc_mode_next(w->tg->tr, w->mode, kind);
        if (tri_is_exec(kind->state))
            w->y->label_ns[w->mode] = ns_add(w->y->label_ns[w->mode], r->dur[i]);
    }
}

static bool g_spans(struct g_walk *w, const struct span_run *r)
{
    const int64_t *const dur = r->dur;
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    /* the spans of a run fit into their lane, so these sums cannot overflow */
    int64_t exec = 0, runnable = 0, waiting = 0, call = 0, unknown = 0;
    int64_t t = r->t0;
    uint8_t was = w->was;
    if (w->worker)
        count_modes(w, r);
    for (uint32_t i = 0; i < n; i++) {
        const struct at s = {r, i};
        const uint8_t before = was;
        const int64_t t0 = t, ns = dur[i];
        was = kind[tag[i]].state;
        t += ns;
        if ((before == ST_WAITING || before == ST_SYSCALL) && !w->system && !note_ended(w, s, before, was))
            return false;
        if (tri_is_exec(was)) { /* every second one */
            exec += ns;
            moved_on(w, r, i);
            w->cond_run += ns;
        } else if (was == ST_RUNNABLE) {
            runnable += ns;
            walk_runnable(w, i || !r->open_start, &(struct time_of){t0, t, w->g, before});
        } else if (was == ST_WAITING) {
            waiting += ns;
            if (!walk_waiting(w, s, t0, t))
                return false;
        } else if (was == ST_SYSCALL) {
            call += ns;
            walk_syscall(w, s, t0, t);
        } else if (was == ST_UNKNOWN) {
            unknown += ns;
        }
    }
    count(w, GM_EXEC, exec);
    count(w, GM_SCHED, runnable);
    count(w, GM_WAIT, waiting);
    count(w, GM_SYSCALL, call);
    count(w, GM_UNKNOWN, unknown);
    w->ran += exec;
    w->called += call;
    moved_end(w, r);
    w->was = was;
    w->open = r->open_end;
    return true;
}

static bool g_spans_end(struct g_walk *w)
{
    if (w->system || (w->was != ST_WAITING && w->was != ST_SYSCALL))
        return true;
    if (w->was == ST_SYSCALL)
        return note_end(w, w->open ? CALL_OPEN : CALL_OVER);
    return note_end(w, w->open ? WAIT_OPEN : WAIT_OVER);
}

/* ---- lanes -------------------------------------------------------------------------------------------- */

/* Finds the row of the goroutine's group. */
static bool in_group(struct g_walk *w)
{
    struct subtotal *y = w->y;
    const uint32_t group = w->tg->group_of[w->g];
    bool made;
    if (y->ngroups && y->groups[y->group].group == group)
        return true;
    struct group_part *p = tab_row(&y->by_group, y->groups, y->ngroups, y->cap_groups, group, 0, &made);
    if (!p)
        return false;
    p->group = group;
    y->group = (uint32_t)(p - y->groups);
    return true;
}

/* Moves on to the next goroutine. */
static inline void lane_next(struct g_walk *w, uint32_t g)
{
    w->g = g;
    w->some = false;
    w->ran = w->called = 0;
    w->mode = GC_UNLABELLED;
    w->was = ST_NONE;
    w->kind = WK_OTHER;
    w->cond_pair = TAB_NONE;
    w->on = NO_LANE;
    w->moved = (struct moved){0};
    w->cond_run = 0;
}

static bool lane_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct g_walk *w = arg;
    lane_next(w, g);
    w->life = li->last - li->first;
    w->no_p_ns = li->no_p_ns;
    w->name = li->name;
    w->system = li->is_system;
    w->worker = li->is_worker;
    w->alike = NULL;
    return in_group(w);
}

static bool lane_alike(void *arg, const struct lane_info *li, const struct lanes_alike *a)
{
    (void)li;
    ((struct g_walk *)arg)->alike = a;
    return true;
}

/* Moves on to the next goroutine if it is one of those alike, which have no start of their own. */
static inline void lane_next_alike(struct g_walk *w)
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
    struct g_walk *w = arg;
    (void)g;
    w->some = true;
    return g_spans(w, r) && (r->n < SPAN_BLOCK || slices_tick());
}

/* Counts what all of its spans tell. */
static void lane_told(struct g_walk *w)
{
    const int64_t calls = ns_clamp(w->called), blocked = w->no_p_ns < calls ? w->no_p_ns : calls;
    count(w, GM_LIFE, w->life);
    count(w, GM_SYSBLOCK, blocked);
    count(w, GM_SYSCALL, -blocked);
    if (!w->system && w->ran > w->y->busy.least && w->ran > 0)
        longest_add(&w->y->busy, &(struct time_of){.t1 = w->ran, .g = w->g});
}

static bool lane_end(void *arg, uint32_t g)
{
    struct g_walk *w = arg;
    if (w->some)
        lane_told(w);
    const bool ok = g_spans_end(w) && (g % LANES_ALIKE || slices_tick());
    lane_next_alike(w);
    return ok;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w = {.tg = tg, .y = y, .reason = TAB_NONE};
    y->worst.least = y->busy.least = -1;
    const struct span_walk walk = {
        .begin = lane_begin, .alike = lane_alike, .spans = lane_spans, .end = lane_end, .arg = &w};
    return trace_walk(tg->tr, g0, g1, &walk);
}
