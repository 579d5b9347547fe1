/*
 * goroutines.c - counts what goroutines did into a subtotal, in one walk over their spans: times, waits and
 * system calls, contention pairs, scheduler latency. The runtime's own goroutines are looked up instead: one
 * of them may yield millions of times, and of what it does only sums and the waits count.
 *
 * All spans of a trace pass through here one by one, so the common work is one short loop whose sums are
 * stored once a block; rare work is in separate functions.
 *
 * Invariants. A wait or a call is counted in its pair when the next span shows how it ended. Those of the
 * runtime's own goroutines count only in their groups: they are not contention of the program.
 */
#include "triage/tri.h"

#include <string.h>

#include "decode/base/mem.h"

/* Keeps rare work out of the loop over spans, so that the loop stays short. */
#define RARELY __attribute__((noinline))
#define OFTEN inline __attribute__((always_inline))

/* A wait or a call that ended. */
struct ended {
    uint64_t wait; /* reason << 32 | stack */
    uint64_t by;   /* the waker's group, or one of WAIT_OVER .. << 32 | its stack */
    int64_t t0, t1;
    uint32_t g, waker;
};
/* Where the row of its pair is remembered; there is none if wait is UINT64_MAX. */
struct place {
    uint64_t wait, by;
    uint32_t row;
};
enum { PLACE_BITS = 10, REASONS = 512, LATE = 64 };

struct g_walk { /* State along one lane. */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g;
    uint32_t group, of; /* its group; the row of that */
    bool system;        /* its spans are not walked */
    bool worker;
    bool some;   /* it has spans that are walked */
    bool timed;  /* one of its calls took more than 1 ns */
    bool failed; /* out of memory, or unwanted */
    int64_t long_run;
    int64_t life, no_p_ns;
    /* Spans fit into their lane, so that these cannot overflow: */
    int64_t ns[ST_COUNT]; /* by state, but running */
    int64_t ran;          /* how long it has run so far */
    enum gc_mode mode;    /* current mode of a mark worker */
    uint8_t was;          /* state of the last span counted; ST_NONE before the first */
    bool open;            /* the last span is still open when the trace ends */
    struct ended last;    /* the last span, if it is a wait or a call; nothing says yet how it ended */
    bool cond;            /* it was last woken from a condition, after this wait: */
    struct ended woken;
    int64_t woken_ran; /* how long it had run then */
    /* Most waits are like one before, so rows are remembered, in what the processor's cache can hold. Others
     * are put off: where pairs are many a look-up waits for memory, so LATE are looked up side by side. */
    struct place place[1 << PLACE_BITS];
    struct ended late[LATE];
    uint32_t nlate;
    uint32_t reason[REASONS]; /* rows of a group's waits for a reason, if still such */
};

/* ---- rows of waits and calls --------------------------------------------------------------------------- */

static inline uint64_t key(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static RARELY struct group_wait *find_reason(struct g_walk *w, uint32_t reason, uint32_t *near)
{
    struct group_wait *p = subtotal_wait_of(w->y, w->group, reason);
    *near = p ? (uint32_t)(p - w->y->wait_of) : 0;
    return p;
}

/* Counts a wait of the group for that reason. */
static OFTEN bool add_reason(struct g_walk *w, uint32_t reason, int64_t ns)
{
    const struct subtotal *y = w->y;
    uint32_t *near = &w->reason[(reason * 31 + w->group) % REASONS];
    struct group_wait *p = &y->wait_of[*near];
    if ((*near >= y->nwait_of || p->group != w->group || p->reason != reason) &&
        !(p = find_reason(w, reason, near)))
        return false;
    p->count++;
    p->total = ns_more(p->total, ns);
    p->longest = ns > p->longest ? ns : p->longest;
    return true;
}

/* Finds the pair of a wait or a call of the program's. */
static inline struct pair_row *find_pair(const struct g_walk *w, const struct ended *e)
{
    const struct triage *tg = w->tg;
    struct pair_row *p = pairs_find(&w->y->pairs, e->wait, e->by);
    if (!p && (p = pairs_new(&w->y->pairs, e->wait, e->by))) {
        p->waiter = tg->groups[tg->group_of[e->g]].name;
        p->kind = stacks_wait_kind(tg->tr, p->reason, p->stack);
        p->longest = (struct moment){.t1 = -1};
    }
    return p;
}

/* Returns where the row may be remembered. */
static OFTEN struct place *place_for(struct g_walk *w, uint64_t wait, uint64_t by)
{
    const uint32_t low = (uint32_t)by + 31 * (uint32_t)(by >> 32);
    return &w->place[((uint32_t)wait * 0x9e3779b1u + low * 0x85ebca77u) >> (32 - PLACE_BITS)];
}

static OFTEN void count_pair(struct pair_row *p, const struct ended *e)
{
    const int64_t ns = e->t1 - e->t0;
    p->count++;
    p->total = ns_more(p->total, ns);
    if (ns > p->longest.t1 - p->longest.t0) {
        p->longest = (struct moment){e->t0, e->t1, e->g, NO_LANE};
        p->longest_waker = e->waker;
    }
}

/* Counts the waits and calls that were put off. */
static bool count_late(struct g_walk *w)
{
    const struct pairs *y = &w->y->pairs;
    const uint32_t n = w->nlate, *at[LATE];
    struct pair_row *p;
    for (uint32_t i = 0; i < n; i++)
        at[i] = &y->at[pair_hash(w->late[i].wait, w->late[i].by) & y->mask];
    pairs_fetch(y, at, n);
    w->nlate = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct ended *e = &w->late[i];
        if (!(p = find_pair(w, e)))
            return false;
        count_pair(p, e);
        *place_for(w, e->wait, e->by) = (struct place){e->wait, e->by, (uint32_t)(p - y->v)};
    }
    return true;
}

static RARELY bool put_off(struct g_walk *w, const struct ended *e)
{
    w->late[w->nlate++] = *e;
    return w->nlate < LATE || count_late(w);
}

/* Returns the row of the pair, if it is remembered. */
static OFTEN struct pair_row *near_pair(struct g_walk *w, const struct ended *e)
{
    const struct place *at = place_for(w, e->wait, e->by);
    return at->wait == e->wait && at->by == e->by ? &w->y->pairs.v[at->row] : NULL;
}

/* ---- how waits and calls ended ------------------------------------------------------------------------- */

/* Counts a wake-up in vain: the goroutine waits on the condition from which it was just woken. */
static bool note_futile(struct g_walk *w, int64_t t0)
{
    struct pairs *y = &w->y->pairs;
    const struct ended *e = &w->woken;
    struct pair_row *p = count_late(w) ? find_pair(w, e) : NULL;
    if (!p)
        return false;
    p->futile++;
    return y->nwakes == WAKES_MAX ||
           mem_add(y->wakes, y->cap_wakes, y->nwakes,
                   (struct wake){e->t1, t0 - e->t1, (uint32_t)(p - y->v), e->waker, e->g});
}

/* Notes whether it was woken in vain before, and from which condition it is woken now. */
static RARELY bool note_cond(struct g_walk *w, enum wait_kind kind, const struct ended *e)
{
    const bool again = w->cond && (uint32_t)w->woken.wait == (uint32_t)e->wait;
    if (again && w->ran - w->woken_ran < FUTILE_RUN) {
        if (!note_futile(w, e->t0))
            return false;
        w->cond = false;
    }
    if (kind == WK_COND && (e->waker != NO_LANE || e->by >> 32 == NOBODY)) {
        w->cond = true;
        w->woken = *e;
        w->woken_ran = w->ran;
    } else if (kind != WK_LOCK) {
        w->cond = false; /* waiting for the condition's own lock in between is part of the wake-up */
    }
    return true;
}

/* Counts a wait. Rare work gets a copy of it, so that the wait itself can stay in registers. */
static OFTEN bool count_wait(struct g_walk *w, const struct ended *e)
{
    const uint32_t reason = (uint32_t)(e->wait >> 32);
    const struct ended far = *e;
    struct pair_row *p = near_pair(w, e);
    if (!add_reason(w, reason, e->t1 - e->t0) || (!p && !put_off(w, &far)))
        return false;
    if (p)
        count_pair(p, e);
    const enum wait_kind kind = p ? p->kind : stacks_wait_kind(w->tg->tr, reason, (uint32_t)e->wait);
    return (kind != WK_COND && !w->cond) || note_cond(w, kind, &far);
}

/* Counts the wait that span i of the run follows; e has all but how it ended. */
static OFTEN bool note_wait(struct g_walk *w, struct ended e, const struct span_run *r, size_t i)
{
    const uint8_t state = r->kind[r->tag[i]].state;
    e.by = key(state == ST_UNKNOWN ? WAIT_LOST : WAIT_OVER, 0);
    if (state == ST_RUNNABLE) {
        e.waker = span_run_g(r, (uint32_t)i);
        e.by = key(e.waker == NO_LANE ? NOBODY : w->tg->group_of[e.waker], r->stack[i]);
    }
    return count_wait(w, &e);
}

/* Counts a call. */
static OFTEN bool note_call(struct g_walk *w, struct ended e, bool blocked)
{
    e.wait = (uint32_t)e.wait; /* calls have no reason */
    e.by = key(blocked ? CALL_BLOCKED : CALL_OVER, 0);
    struct pair_row *p = near_pair(w, &e);
    w->timed |= e.t1 - e.t0 > 1;
    w->cond = false; /* a goroutine that made a call was not woken in vain */
    if (!p)
        return put_off(w, &e);
    count_pair(p, &e);
    return true;
}

/* Counts the last span, which is a wait or a call. */
static RARELY bool note_last(struct g_walk *w)
{
    if (w->was == ST_SYSCALL)
        return note_call(w, w->last, false);
    w->last.by = key(w->open ? WAIT_OPEN : WAIT_OVER, 0);
    return count_wait(w, &w->last);
}

/* ---- spans -------------------------------------------------------------------------------------------- */

/* Counts a long span that ends at t1, if the program runs in it. Nothing preempts it while the world is
 * stopped, so that time is no part of it. */
static RARELY void note_long_run(struct g_walk *w, uint8_t state, int64_t ns, int64_t t1)
{
    struct long_runs *l = &w->y->long_runs;
    if (state != ST_RUNNING)
        return;
    ns -= tri_in_band(w->tg->tr, BAND_STW, t1 - ns, t1);
    if (ns < w->long_run)
        return;
    l->longest = !l->n || ns > l->longest.t1 - l->longest.t0 ? (struct moment){t1 - ns, t1, w->g, NO_LANE}
                                                             : l->longest;
    l->n++;
    l->total = ns_add(l->total, ns);
}

/* Keeps span i of the run, a runnable one that ends at t1, if it is among the longest. */
static RARELY void note_longest_runnable(struct g_walk *w, const struct span_run *r, size_t i, int64_t t1)
{
    const uint8_t before = i ? r->kind[r->tag[i - 1]].state : w->was;
    longest_add(&w->y->longest_runnable, &(struct sched_wait){t1 - r->dur[i], t1, w->g, tri_is_exec(before)});
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

static inline bool is_wait(uint8_t state)
{
    return state == ST_WAITING || state == ST_SYSCALL;
}

/* A wait or a call that is span i of the run and ends at t; how it ended is in the next span. */
static OFTEN struct ended ended_at(const struct g_walk *w, const struct span_run *r, size_t i, int64_t t)
{
    return (struct ended){key(r->kind[r->tag[i]].reason, r->stack[i]), 0, t - r->dur[i], t, w->g, NO_LANE};
}

/* Counts the last span of the run before, which is a wait or a call. */
static RARELY bool note_before(struct g_walk *w, const struct span_run *r)
{
    return w->was == ST_SYSCALL ? note_call(w, w->last, r->kind[r->tag[0]].state == ST_RUNNABLE)
                                : note_wait(w, w->last, r, 0);
}

static bool g_spans(struct g_walk *w, const struct span_run *r)
{
    const int64_t *const dur = r->dur;
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    int64_t t = r->t0;
    if (w->worker)
        count_modes(w, r);
    if (is_wait(w->was) && !note_before(w, r))
        return false;
    for (size_t i = 0; i < n; i++) {
        const int64_t ns = dur[i];
        const uint8_t is = kind[tag[i]].state;
        t += ns;
        if (tri_is_exec(is)) { /* every second one */
            w->ran += ns;
            if (ns >= w->long_run)
                note_long_run(w, is, ns, t);
            continue;
        }
        w->ns[is] += ns;
        if (is == ST_RUNNABLE) {
            if (!i && r->open_start)
                continue;
            hist_add(&w->y->sched, ns);
            if (ns > w->y->longest_runnable.least)
                note_longest_runnable(w, r, i, t);
        } else if (is == ST_WAITING && i + 1 < n) {
            if (!note_wait(w, ended_at(w, r, i, t), r, i + 1))
                return false;
        } else if (is == ST_SYSCALL && i + 1 < n &&
                   !note_call(w, ended_at(w, r, i, t), kind[tag[i + 1]].state == ST_RUNNABLE)) {
            return false;
        }
    }
    w->was = kind[tag[n - 1]].state;
    if (is_wait(w->was)) {
        w->last = ended_at(w, r, n - 1, t);
        w->open = r->open_end;
    }
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------- */

/* Finds the row of the goroutine's group. */
static bool in_group(struct g_walk *w, const struct lane_info *li)
{
    struct subtotal *y = w->y;
    const uint32_t group = w->group = w->tg->group_of[w->g];
    struct group_part *p = tab_row_with(&y->by_group, y->groups, y->ngroups, group, 0, .group = group,
                                        .first = INT64_MAX, .last = INT64_MIN);
    if (!p)
        return false;
    w->of = (uint32_t)(p - y->groups);
    p->first = li->first < p->first ? li->first : p->first;
    p->last = li->last > p->last ? li->last : p->last;
    return true;
}

/* Counts what all of its spans took, by state. */
static void lane_sum(struct g_walk *w, const int64_t *ns)
{
    struct group_part *p = &w->y->groups[w->of];
    const struct gstat sum = gstat_make(ns, w->no_p_ns, w->life);
    ns_sum(p->ns, sum.ns, GM_COUNT);
    p->timed |= w->timed;
}

/* ---- the runtime's own --------------------------------------------------------------------------------- */

/* Counts the waits among those of its group: they are not contention of the program. */
static bool system_spans(void *arg, const struct span_run *r)
{
    struct g_walk *w = arg;
    if (w->worker)
        count_modes(w, r);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct span_tag *is = &r->kind[r->tag[i]];
        w->timed |= is->state == ST_SYSCALL && r->dur[i] > 1;
        w->failed |= is->state == ST_WAITING && !add_reason(w, is->reason, r->dur[i]);
    }
    w->failed |= !slices_tick();
    return !w->failed;
}

/* Counts one that has spans. Blocks without a wait or a call are skipped, but not a worker's, whose modes are
 * known only along its lane. */
static bool system_lane(struct g_walk *w, const struct lane_info *li)
{
    const struct lane l = lane_g(w->g);
    const struct states_ask ask = {.t0 = INT64_MIN,
                                   .t1 = INT64_MAX,
                                   .min_ns = !w->worker,
                                   .f = system_spans,
                                   .arg = w,
                                   .only = w->worker ? 0 : 1u << ST_WAITING | 1u << ST_SYSCALL};
    struct shares took;
    trace_shares(w->tg->tr, l, li->first, li->last, &took);
    trace_states(w->tg->tr, l, &ask);
    lane_sum(w, took.ns);
    return !w->failed;
}

/* ---- lanes -------------------------------------------------------------------------------------------- */

static bool walk_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct g_walk *w = arg;
    w->g = g;
    w->some = w->timed = false;
    memset(w->ns, 0, sizeof w->ns);
    w->ran = 0;
    w->mode = GC_UNLABELLED;
    w->was = ST_NONE;
    w->cond = false;
    w->life = li->last - li->first;
    w->no_p_ns = li->no_p_ns;
    w->system = li->is_system;
    w->worker = li->is_worker;
    return in_group(w, li) && (!w->system || !li->nspans || system_lane(w, li));
}

static bool walk_skipped(void *arg)
{
    return ((const struct g_walk *)arg)->system;
}

static bool walk_spans(void *arg, uint32_t g, const struct span_run *r)
{
    struct g_walk *w = arg;
    (void)g;
    w->some = true;
    return g_spans(w, r) && (r->n < SPAN_BLOCK || slices_tick());
}

static bool walk_end(void *arg, uint32_t g)
{
    struct g_walk *w = arg;
    if (is_wait(w->was) && !note_last(w))
        return false;
    if (w->some) {
        w->ns[ST_RUNNING] = w->ran;
        lane_sum(w, w->ns);
        if (w->ran > w->y->busiest.least && w->ran > 0)
            longest_add(&w->y->busiest, &(struct sched_wait){.t1 = w->ran, .g = w->g});
    }
    return g % LANES_PACK || slices_tick();
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w; /* lanes begin with the rest */
    w.tg = tg;
    w.y = y;
    w.of = 0;
    w.long_run = tg->long_runs.least;
    y->longest_runnable.least = y->busiest.least = -1;
    const struct span_walk walk = {
        .begin = walk_begin, .skips = walk_skipped, .spans = walk_spans, .end = walk_end, .arg = &w};
    for (unsigned i = 0; i < 1u << PLACE_BITS; i++)
        w.place[i].wait = UINT64_MAX;
    memset(w.reason, 0, sizeof w.reason);
    w.nlate = 0;
    w.failed = false;
    return trace_walk(tg->tr, g0, g1, &walk) && count_late(&w);
}
