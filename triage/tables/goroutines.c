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
#include "triage/tri.h"

#include <string.h>

#include "decode/base/mem.h"

/* keeps rare work out of the loop over spans, so that the loop stays short */
#define RARELY __attribute__((noinline))
#define OFTEN inline __attribute__((always_inline))

/* Where the pair of a wait or a call stands, by the bits that tell it. */
struct place {
    uint64_t wait; /* reason << 32 | stack; UINT64_MAX: none */
    uint64_t end;  /* the waker's group, or one of WAIT_OVER .. << 32 | its stack */
    uint32_t row;
};
enum { PLACE_BITS = 11, REASONS = 64 };

/* A wait that is not yet counted in its pair: from MANY pairs on look-ups wait for memory, so LATE waits are
 * looked up side by side. */
struct late {
    uint64_t wait; /* as above */
    int64_t t0, t1;
    uint32_t g, name;        /* name: of its group */
    uint32_t who, by, stack; /* by: what ended it if who is NO_LANE */
};
enum { MANY = 4096, LATE = 64 };

struct g_walk { /* State along one lane. */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g, name;
    uint32_t of; /* row of its group */
    bool system, worker;
    bool some;  /* it has spans */
    bool timed; /* one of its calls took more than 1 ns */
    int64_t long_run;
    int64_t life, no_p_ns;
    /* Spans fit into their lane, so that these cannot overflow: */
    int64_t ns[ST_COUNT]; /* by state, but running */
    int64_t ran;          /* how long it has run so far */
    enum gc_mode mode;    /* current mode of a mark worker */
    uint8_t was;          /* state of the last span counted; ST_NONE before the first */
    bool open;            /* the last span is still open when the trace ends */
    uint32_t on;          /* the P it ran on last; NO_LANE: none */
    uint64_t last;        /* the last span, if it is a wait or a call: reason << 32 | stack */
    int64_t last_t0, last_t1;
    bool cond;                      /* it was last woken from a condition, after this wait: */
    uint64_t cond_wait, cond_ended; /* as in struct place */
    uint32_t cond_waker;
    int64_t cond_end, cond_ran; /* end of that wait; how long the goroutine had run then */
    /* Most waits are like one before, so look-ups are remembered, in what the processor's cache can hold. */
    struct place pair[1 << PLACE_BITS];
    struct late late[LATE];
    uint32_t nlate;
    struct { /* `of`: row of the group << 32 | reason; UINT64_MAX: none */
        uint64_t of;
        uint32_t row;
    } reason[REASONS];
};

/* ---- rows of waits and calls --------------------------------------------------------------------------- */

static inline uint64_t key(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* Adds to the waits of the group for the same reason. */
static OFTEN bool add_reason(struct g_walk *w, uint32_t reason, int64_t ns)
{
    struct subtotal *y = w->y;
    const uint64_t of = key(w->of, reason);
    const uint32_t i = (reason ^ w->of) % REASONS;
    if (w->reason[i].of != of) {
        const struct group_wait *made = subtotal_wait_of(y, y->groups[w->of].group, reason);
        if (!made)
            return false;
        w->reason[i].of = of;
        w->reason[i].row = (uint32_t)(made - y->wait_of);
    }
    struct group_wait *p = &y->wait_of[w->reason[i].row];
    p->count++;
    p->total = ns_more(p->total, ns);
    p->longest = ns > p->longest ? ns : p->longest;
    return true;
}

/* Finds the pair of a wait or a call of the program's; name: of the goroutine's group. */
static inline struct pair_row *find_pair(const struct g_walk *w, uint64_t wait, uint64_t end, uint32_t name)
{
    struct pair_row *p = subtotal_pair(w->y, wait, end);
    if (!p && (p = subtotal_pair_new(w->y, wait, end))) {
        p->waiter = name;
        p->kind = stacks_wait_kind(w->tg->tr, p->reason, p->stack);
        p->longest = (struct moment){.t1 = -1};
    }
    return p;
}

static RARELY bool find_place(struct g_walk *w, struct place *at, uint64_t wait, uint64_t end)
{
    const struct pair_row *p = find_pair(w, wait, end, w->name);
    if (p)
        *at = (struct place){wait, end, (uint32_t)(p - w->y->pairs)};
    return p;
}

static OFTEN void count_pair(struct pair_row *p, const struct late *l)
{
    p->count++;
    p->total = ns_more(p->total, l->t1 - l->t0);
    if (l->t1 - l->t0 > p->longest.t1 - p->longest.t0) {
        p->longest = (struct moment){l->t0, l->t1, l->g, NO_LANE};
        p->longest_waker = l->who;
    }
}

static OFTEN uint64_t end_of(const struct g_walk *w, const struct late *l)
{
    return key(l->who == NO_LANE ? l->by : w->tg->group_of[l->who], l->stack);
}

/* Counts what was put off. */
static bool count_late(struct g_walk *w)
{
    const struct subtotal *y = w->y;
    const uint32_t n = w->nlate, *at[LATE];
    uint64_t end[LATE];
    struct pair_row *p;
    for (uint32_t i = 0; i < n; i++) {
        end[i] = end_of(w, &w->late[i]);
        at[i] = &y->pair_at[pair_hash(w->late[i].wait, end[i]) & y->pair_mask];
    }
    pairs_fetch(y, at, n);
    w->nlate = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct late *l = &w->late[i];
        if (!(p = find_pair(w, l->wait, end[i], l->name)))
            return false;
        count_pair(p, l);
    }
    return true;
}

/* ---- how waits and calls ended ------------------------------------------------------------------------- */

/* The goroutine waits on the same condition from which it was just woken. */
static bool note_futile(struct g_walk *w, int64_t t0)
{
    struct subtotal *y = w->y;
    struct pair_row *p = count_late(w) ? find_pair(w, w->cond_wait, w->cond_ended, w->name) : NULL;
    if (!p)
        return false;
    p->futile++;
    if (y->nwakes == WAKES_MAX)
        return true;
    if (!mem_room(y->wakes, y->cap_wakes, y->nwakes + 1))
        return false;
    const uint32_t pair = (uint32_t)(p - y->pairs);
    y->wakes[y->nwakes++] = (struct wake){w->cond_end, t0 - w->cond_end, pair, w->cond_waker, w->g};
    return true;
}

/* Whether it was in vain that it was woken before, and from which condition it is woken now. */
static RARELY bool note_cond(struct g_walk *w, enum wait_kind kind, bool call, const struct late *l)
{
    const bool again = w->cond && (uint32_t)w->cond_wait == (uint32_t)l->wait && !call;
    if (again && w->ran - w->cond_ran < FUTILE_RUN) {
        if (!note_futile(w, l->t0))
            return false;
        w->cond = false;
    }
    if (kind == WK_COND && !call && (l->who != NO_LANE || l->by == NOBODY)) {
        w->cond = true;
        w->cond_wait = l->wait;
        w->cond_ended = end_of(w, l);
        w->cond_waker = l->who;
        w->cond_end = l->t1;
        w->cond_ran = w->ran;
    } else if (kind != WK_LOCK || call) {
        w->cond = false; /* waiting for the condition's own lock in between is part of the wake-up */
    }
    return true;
}

/* Counts a wait where pairs are many. */
static RARELY bool put_off(struct g_walk *w, const struct late *l)
{
    const enum wait_kind kind = stacks_wait_kind(w->tg->tr, (uint32_t)(l->wait >> 32), (uint32_t)l->wait);
    w->late[w->nlate++] = *l;
    return (w->nlate < LATE || count_late(w)) &&
           ((kind != WK_COND && !w->cond) || note_cond(w, kind, false, l));
}

/* Counts a wait, or a call. */
static OFTEN bool ended(struct g_walk *w, bool call, const struct late *l)
{
    if (!call && !add_reason(w, (uint32_t)(l->wait >> 32), l->t1 - l->t0))
        return false;
    if (w->system)
        return true;
    if (!call && w->y->npairs >= MANY)
        return put_off(w, l);
    const uint64_t end = end_of(w, l);
    struct place *at =
        &w->pair[(l->wait * 0x9e3779b97f4a7c15u ^ end * 0xc2b2ae3d27d4eb4fu) >> (64 - PLACE_BITS)];
    if ((at->wait != l->wait || at->end != end) && !find_place(w, at, l->wait, end))
        return false;
    struct pair_row *p = &w->y->pairs[at->row];
    count_pair(p, l);
    return (p->kind != WK_COND && !w->cond) || note_cond(w, p->kind, call, l);
}

/* Counts the wait [t0,t) that span i of the run follows, or the call. */
static OFTEN bool note_ended(struct g_walk *w, uint64_t wait, int64_t t0, int64_t t, const struct span_run *r,
                             size_t i, bool call)
{
    const uint8_t state = r->kind[r->tag[i]].state;
    struct late l = {wait, t0, t, w->g, w->name, NO_LANE, WAIT_OVER, 0};
    if (call) {
        l.by = state == ST_RUNNABLE ? CALL_BLOCKED : CALL_OVER;
    } else if (state == ST_RUNNABLE) {
        l.who = span_run_g(r, (uint32_t)i);
        l.by = NOBODY;
        l.stack = r->stack[i];
        return ended(w, false, &l);
    } else if (state == ST_UNKNOWN) {
        l.by = WAIT_LOST;
    }
    return ended(w, call, &l);
}

/* Counts the goroutine's last span, which is a wait or a call. */
static RARELY bool note_last(struct g_walk *w)
{
    const bool call = w->was == ST_SYSCALL;
    const uint32_t by = call ? CALL_OVER : w->open ? WAIT_OPEN : WAIT_OVER;
    return ended(w, call, &(struct late){w->last, w->last_t0, w->last_t1, w->g, w->name, NO_LANE, by, 0});
}

/* ---- processors --------------------------------------------------------------------------------------- */

/* How often it moved to another P within the current spans. An unrecorded P does not count. */
struct moved {
    uint32_t p; /* the last P, as span_run_p() returns it; 0: none */
    uint32_t n;
    size_t at; /* the index of its span */
};

static inline void moved_on(const struct g_walk *w, struct moved *m, const struct span_run *r, size_t i)
{
    const uint32_t p = span_run_p(r, (uint32_t)i);
    if (!p || p == m->p)
        return;
    m->n += m->p || (w->on != NO_LANE && span_run_who(r, (uint32_t)i) != w->on);
    m->p = p;
    m->at = i;
}

static inline void moved_end(struct g_walk *w, const struct moved *m, const struct span_run *r)
{
    if (m->p)
        w->on = span_run_who(r, (uint32_t)m->at);
    w->tg->moves[w->g] += m->n; /* no two subtotals share a goroutine */
    w->y->groups[w->of].moves += m->n;
}

/* ---- spans -------------------------------------------------------------------------------------------- */

/* Counts a long span, which ends at t1, if it is of running and of the program. While the world is stopped
 * nothing preempts it: that is no part of it. */
static RARELY void note_long_run(struct g_walk *w, uint8_t state, int64_t ns, int64_t t1)
{
    struct long_runs *l = &w->y->long_runs;
    if (w->system || state != ST_RUNNING)
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
static RARELY void note_worst(struct g_walk *w, const struct span_run *r, size_t i, int64_t t1)
{
    const uint8_t before = i ? r->kind[r->tag[i - 1]].state : w->was;
    longest_add(&w->y->worst, &(struct sched_wait){t1 - r->dur[i], t1, w->g, tri_is_exec(before)});
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

/* Counts span i, a wait or a call that ends at t. How it ended is in the next span; the last one is kept. To
 * read ahead takes a sixth less time here than to ask of each span what was before it. */
static OFTEN bool note_wait(struct g_walk *w, const struct span_run *r, size_t i, int64_t t, bool call)
{
    const uint64_t wait = key(call ? 0 : r->kind[r->tag[i]].reason, r->stack[i]);
    const int64_t ns = r->dur[i];
    if (call) {
        w->timed |= ns > 1;
        w->cond = false; /* a goroutine that made a call was not woken in vain */
    }
    if (i + 1 < r->n)
        return note_ended(w, wait, t - ns, t, r, i + 1, call);
    w->last = wait;
    w->last_t0 = t - ns;
    w->last_t1 = t;
    w->open = r->open_end;
    return true;
}

/* Counts the last span of the run before, a wait or a call. */
static RARELY bool note_before(struct g_walk *w, const struct span_run *r)
{
    return note_ended(w, w->last, w->last_t0, r->t0, r, 0, w->was == ST_SYSCALL);
}

static bool g_spans(struct g_walk *w, const struct span_run *r)
{
    const int64_t *const dur = r->dur;
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    int64_t t = r->t0;
    struct moved m = {0};
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
            moved_on(w, &m, r, i);
            if (ns >= w->long_run)
                note_long_run(w, is, ns, t);
            continue;
        }
        w->ns[is] += ns;
        if (is == ST_RUNNABLE) {
            if (w->system || (!i && r->open_start))
                continue;
            hist_add(&w->y->sched, ns);
            if (ns > w->y->worst.least)
                note_worst(w, r, i, t);
        } else if (is_wait(is) && !note_wait(w, r, i, t, is == ST_SYSCALL)) {
            return false;
        }
    }
    w->was = kind[tag[n - 1]].state;
    moved_end(w, &m, r);
    return true;
}

/* ---- lanes -------------------------------------------------------------------------------------------- */

/* Finds the row of the goroutine's group. */
static bool in_group(struct g_walk *w)
{
    struct subtotal *y = w->y;
    const uint32_t group = w->tg->group_of[w->g];
    const struct group_part *p = y->ngroups ? &y->groups[w->of] : NULL;
    if (!p || p->group != group)
        p = tab_row_with(&y->by_group, y->groups, y->ngroups, group, 0, .group = group);
    w->of = p ? (uint32_t)(p - y->groups) : 0;
    return p;
}

static bool lane_begin(void *arg, uint32_t g, const struct lane_info *li)
{
    struct g_walk *w = arg;
    w->g = g;
    w->some = w->timed = false;
    memset(w->ns, 0, sizeof w->ns);
    w->ran = 0;
    w->mode = GC_UNLABELLED;
    w->was = ST_NONE;
    w->cond = false;
    w->on = NO_LANE;
    w->life = li->last - li->first;
    w->no_p_ns = li->no_p_ns;
    w->name = li->name;
    w->system = li->is_system;
    w->worker = li->is_worker;
    return in_group(w);
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
    struct group_part *p = &w->y->groups[w->of];
    w->ns[ST_RUNNING] = w->ran;
    const struct gstat told = gstat_told(w->ns, w->no_p_ns, w->life);
    ns_sum(p->ns, told.ns, GM_COUNT);
    p->timed |= w->timed;
    if (!w->system && w->ran > w->y->busiest.least && w->ran > 0)
        longest_add(&w->y->busiest, &(struct sched_wait){.t1 = w->ran, .g = w->g});
}

static bool lane_end(void *arg, uint32_t g)
{
    struct g_walk *w = arg;
    if (w->some)
        lane_told(w);
    return (!is_wait(w->was) || note_last(w)) && (g % LANES_PACK || slices_tick());
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w; /* lanes begin with the rest */
    w.tg = tg;
    w.y = y;
    w.of = 0;
    w.long_run = tg->long_runs.least;
    y->worst.least = y->busiest.least = -1;
    const struct span_walk walk = {.begin = lane_begin, .spans = lane_spans, .end = lane_end, .arg = &w};
    for (unsigned i = 0; i < 1u << PLACE_BITS; i++)
        w.pair[i].wait = UINT64_MAX;
    for (unsigned i = 0; i < REASONS; i++)
        w.reason[i].of = UINT64_MAX;
    w.nlate = 0;
    return trace_walk(tg->tr, g0, g1, &walk) && count_late(&w);
}
