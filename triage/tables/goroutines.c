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

#include <string.h>

#include "decode/base/mem.h"

/* keeps rare work out of the loop over spans, so that the loop stays short */
#define RARELY __attribute__((noinline))

/*
 * Waits of one group that are alike: for one reason, at one stack, ended by one group at one stack; or system
 * calls. Many follow one another, so they are summed up here, where the processor's cache has them, and are
 * added to their rows when others take the place.
 */
struct alike {
    uint64_t count; /* 0: none */
    uint64_t wait;  /* reason << 32 | stack */
    uint64_t end;   /* the waker's group, or one of WAIT_OVER .. << 32 | its stack */
    uint32_t of;    /* g_walk.of */
    uint32_t pair;  /* row; TAB_NONE: of the runtime's own goroutines */
    enum wait_kind kind;
    uint32_t waker; /* of the longest */
    int64_t total;
    struct moment longest;
};
enum { ALIKE_BITS = 10 };

struct g_walk { /* State along one lane. */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g, name;
    uint32_t of; /* row of its group * 2 + system */
    bool system, worker;
    bool some; /* it has spans */
    int64_t life, no_p_ns;
    int64_t ns[ST_COUNT]; /* by state: spans fit into their lane, so that these cannot overflow */
    int64_t ran;          /* when the last wait ended: running until then; at the end of a run: so far */
    enum gc_mode mode;    /* current mode of a mark worker */
    uint8_t was;          /* state of the last span counted; ST_NONE before the first */
    bool open;            /* the last span is still open when the trace ends */
    uint32_t on;          /* the P it ran on last; NO_LANE: none */
    uint64_t last;        /* the last span, if it is a wait or a call: reason << 32 | stack */
    int64_t last_t0, last_t1;
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on; without a row: TAB_NONE */
    int64_t cond_end, cond_ran;                 /* end of that wait; how long the goroutine had run then */
    /* the goroutines alike that follow or were just counted; NULL if there are none */
    const struct lanes_alike *alike;
    struct alike lately[1 << ALIKE_BITS];
};

/* ---- waits and calls that are alike -------------------------------------------------------------------- */

static inline uint64_t key(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static inline bool is_call(uint32_t end)
{
    return end >= CALL_OPEN && end <= CALL_OVER;
}

/* Adds to the waits of the group for the same reason. */
static bool add_reason(struct subtotal *y, const struct alike *a)
{
    struct group_part *p = &y->groups[a->of / 2];
    const uint32_t reason = (uint32_t)(a->wait >> 32);
    struct wait_of *of = p->reason < y->nwait_of ? &y->wait_of[p->reason] : NULL;
    if (!of || of->group != p->group || of->reason != reason)
        of = subtotal_wait_of(y, p->group, reason);
    if (!of)
        return false;
    const int64_t ns = a->longest.t1 - a->longest.t0;
    p->reason = (uint32_t)(of - y->wait_of);
    of->count += a->count;
    of->total = ns_more(of->total, a->total);
    of->longest = ns > of->longest ? ns : of->longest;
    return true;
}

/* Adds what was summed up, and empties it. */
static bool alike_add(struct subtotal *y, struct alike *a)
{
    struct pair_row *p = a->count && a->pair != TAB_NONE ? &y->pairs[a->pair] : NULL;
    if (p && (!p->count || moment_before(&a->longest, &p->longest))) {
        p->longest = a->longest;
        p->longest_waker = a->waker;
    }
    if (p) {
        p->count += a->count;
        p->total = ns_more(p->total, a->total);
    }
    const bool ok = !a->count || is_call((uint32_t)(a->end >> 32)) || add_reason(y, a);
    a->count = 0;
    return ok;
}

/* Begins to sum up waits or calls of that key. */
static RARELY bool alike_begin(struct g_walk *w, struct alike *a, uint64_t wait, uint64_t end)
{
    const struct triage *tg = w->tg;
    const uint32_t reason = (uint32_t)(wait >> 32), stack = (uint32_t)wait, by = (uint32_t)(end >> 32);
    bool made;
    if (!alike_add(w->y, a))
        return false;
    a->wait = wait;
    a->end = end;
    a->of = w->of;
    a->pair = TAB_NONE;
    a->kind = WK_OTHER;
    a->total = 0;
    a->longest = (struct moment){.t1 = -1};
    if (w->system)
        return true;
    struct pair_row *p =
        subtotal_pair(w->y, reason, stack, by >= CALL_OPEN ? by : tg->groups[by].name, (uint32_t)end, &made);
    if (!p)
        return false;
    if (made) {
        p->waiter = w->name;
        p->kind = stacks_wait_kind(tg->tr, reason, stack);
    }
    a->kind = p->kind;
    a->pair = (uint32_t)(p - w->y->pairs);
    return true;
}

/* ---- how waits and calls ended ------------------------------------------------------------------------- */

/* The goroutine waits on the same condition from which it was just woken. */
static bool note_futile(struct g_walk *w, int64_t t0)
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

/* Whether it was in vain that it was woken before, and from which condition it is woken now. */
static RARELY bool note_cond(struct g_walk *w, const struct alike *a, int64_t t0, int64_t t1, uint32_t who)
{
    const uint32_t stack = (uint32_t)a->wait, by = (uint32_t)(a->end >> 32);
    const bool again = w->cond_pair != TAB_NONE && w->cond_stack == stack && !is_call(by);
    if (again && w->ran - w->cond_ran < FUTILE_RUN) {
        if (!note_futile(w, t0))
            return false;
        w->cond_pair = TAB_NONE;
    }
    if (a->kind == WK_COND && (by == NOBODY || by < CALL_OPEN)) {
        w->cond_stack = stack;
        w->cond_pair = a->pair;
        w->cond_waker = who;
        w->cond_end = t1;
        w->cond_ran = w->ran;
    } else if (a->kind != WK_LOCK || is_call(by)) {
        w->cond_pair = TAB_NONE; /* waiting for the condition's own lock in between is part of the wake-up */
    }
    return true;
}

/* Counts a wait or a call. */
static inline bool ended(struct g_walk *w, uint64_t wait, uint64_t end, int64_t t0, int64_t t1, uint32_t who)
{
    struct alike *a =
        &w->lately[((wait + w->of) * 0x9e3779b97f4a7c15u ^ end * 0xc2b2ae3d27d4eb4fu) >> (64 - ALIKE_BITS)];
    if ((!a->count || a->wait != wait || a->end != end || a->of != w->of) && !alike_begin(w, a, wait, end))
        return false;
    a->count++;
    a->total = ns_more(a->total, t1 - t0);
    if (t1 - t0 > a->longest.t1 - a->longest.t0) {
        a->longest = (struct moment){t0, t1, w->g, NO_LANE};
        a->waker = who;
    }
    return (a->kind != WK_COND && w->cond_pair == TAB_NONE) || note_cond(w, a, t0, t1, who);
}

/* Counts the wait or the call that is over at t, where span i of the run begins; call: it is one. */
static inline __attribute__((always_inline)) bool note_ended(struct g_walk *w, const struct span_run *r,
                                                             uint32_t i, int64_t t, bool call)
{
    const uint64_t last = i ? key(call ? 0 : r->kind[r->tag[i - 1]].reason, r->stack[i - 1]) : w->last;
    const int64_t t0 = i ? t - r->dur[i - 1] : w->last_t0;
    const uint8_t state = r->kind[r->tag[i]].state;
    uint32_t who = NO_LANE, by = WAIT_OVER;
    if (call) {
        if (w->system)
            return true;
        by = state == ST_RUNNABLE ? CALL_BLOCKED : CALL_OVER;
    } else if (state == ST_RUNNABLE) {
        who = span_run_g(r, i);
        by = who == NO_LANE ? NOBODY : w->tg->group_of[who];
        return ended(w, last, key(by, r->stack[i]), t0, t, who);
    } else if (state == ST_UNKNOWN) {
        by = WAIT_LOST;
    }
    return ended(w, last, key(by, 0), t0, t, who);
}

/* Counts the goroutine's last span, which is a wait or a call. */
static bool note_last(struct g_walk *w)
{
    const bool call = w->was == ST_SYSCALL;
    const uint32_t by = call ? (w->open ? CALL_OPEN : CALL_OVER) : w->open ? WAIT_OPEN : WAIT_OVER;
    return (call && w->system) || ended(w, w->last, key(by, 0), w->last_t0, w->last_t1, NO_LANE);
}

/* ---- processors --------------------------------------------------------------------------------------- */

/* How often it moved to another P within the current spans. An unrecorded P does not count. */
struct moved {
    uint32_t p, at; /* the last P, as span_run_p() returns it (0: none), and the index of its span */
    uint32_t n;
};

static inline void moved_on(const struct g_walk *w, struct moved *m, const struct span_run *r, uint32_t i)
{
    const uint32_t p = span_run_p(r, i);
    if (!p || p == m->p)
        return;
    m->n += m->p || (w->on != NO_LANE && span_run_who(r, i) != w->on);
    m->p = p;
    m->at = i;
}

static inline void moved_end(struct g_walk *w, const struct moved *m, const struct span_run *r)
{
    if (m->p)
        w->on = span_run_who(r, m->at);
    w->tg->moves[w->g] += m->n; /* no two subtotals share a goroutine */
    w->y->groups[w->of / 2].moves += m->n;
}

/* ---- spans -------------------------------------------------------------------------------------------- */

/* Counts a long span, which ends at t1, if it is of running and of the program. */
static RARELY void note_long_run(struct g_walk *w, uint8_t state, int64_t ns, int64_t t1)
{
    struct long_runs *l = &w->y->long_runs;
    if (w->system || state != ST_RUNNING)
        return;
    l->longest = !l->n || ns > l->longest.t1 - l->longest.t0 ? (struct moment){t1 - ns, t1, w->g, NO_LANE}
                                                             : l->longest;
    l->n++;
    l->total = ns_add(l->total, ns);
}

/* Counts a runnable span of the program's whose start is known. */
static inline void note_runnable(struct subtotal *y, const struct time_of *x)
{
    const int64_t ns = x->t1 - x->t0;
    hist_add(&y->sched, ns);
    if (ns > y->worst.least)
        longest_add(&y->worst, x);
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

/* Keeps the last span of a run, a wait or a call that ends at t1. */
static void keep_last(struct g_walk *w, const struct span_run *r, int64_t t1)
{
    const uint32_t i = r->n - 1;
    w->last = key(w->was == ST_SYSCALL ? 0 : r->kind[r->tag[i]].reason, r->stack[i]);
    w->last_t0 = t1 - r->dur[i];
    w->last_t1 = t1;
    w->open = r->open_end;
}

static bool g_spans(struct g_walk *w, const struct span_run *r)
{
    const int64_t *const dur = r->dur;
    const uint32_t *const tag = r->tag, n = r->n;
    const struct span_tag *const kind = r->kind;
    const int64_t long_run = w->tg->long_runs.least;
    int64_t t = r->t0, ran = w->ran, longest_call = 0;
    uint8_t was = w->was;
    struct moved m = {0};
    if (w->worker)
        count_modes(w, r);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t ns = dur[i];
        const uint8_t before = was;
        was = kind[tag[i]].state;
        w->ns[was] += ns;
        if (before == ST_WAITING || before == ST_SYSCALL) {
            w->ran = ran;
            if (!note_ended(w, r, i, t, before == ST_SYSCALL))
                return false;
        }
        t += ns;
        if (tri_is_exec(was)) { /* every second one */
            ran += ns;
            moved_on(w, &m, r, i);
            if (ns >= long_run)
                note_long_run(w, was, ns, t);
        } else if (was == ST_RUNNABLE) {
            if (!w->system && (i || !r->open_start))
                note_runnable(w->y, &(struct time_of){t - ns, t, w->g, before});
        } else if (was == ST_SYSCALL) {
            longest_call = ns > longest_call ? ns : longest_call;
            w->cond_pair = TAB_NONE; /* a goroutine that made a call was not woken in vain */
        }
    }
    w->y->groups[w->of / 2].timed |= longest_call > 1;
    w->ran = ran;
    w->was = was;
    moved_end(w, &m, r);
    if (was == ST_WAITING || was == ST_SYSCALL)
        keep_last(w, r, t);
    return true;
}

/* ---- lanes -------------------------------------------------------------------------------------------- */

/* Finds the row of the goroutine's group. */
static bool in_group(struct g_walk *w)
{
    struct subtotal *y = w->y;
    const uint32_t group = w->tg->group_of[w->g];
    bool made;
    uint32_t row = w->of / 2;
    if (!y->ngroups || y->groups[row].group != group) {
        struct group_part *p = tab_row(&y->by_group, y->groups, y->ngroups, y->cap_groups, group, 0, &made);
        if (!p)
            return false;
        p->group = group;
        row = (uint32_t)(p - y->groups);
    }
    w->of = row * 2 + w->system;
    return true;
}

/* Moves on to the next goroutine. */
static inline void lane_next(struct g_walk *w, uint32_t g)
{
    w->g = g;
    w->some = false;
    memset(w->ns, 0, sizeof w->ns);
    w->ran = 0;
    w->mode = GC_UNLABELLED;
    w->was = ST_NONE;
    w->cond_pair = TAB_NONE;
    w->on = NO_LANE;
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

static inline void count(const struct g_walk *w, enum gmetric m, int64_t ns)
{
    int64_t *sum = &w->y->groups[w->of / 2].ns[m];
    *sum = ns_add(*sum, ns);
}

/* Counts what all of its spans tell. */
static void lane_told(struct g_walk *w)
{
    const int64_t calls = ns_clamp(w->ns[ST_SYSCALL]), blocked = w->no_p_ns < calls ? w->no_p_ns : calls;
    count(w, GM_EXEC, w->ran);
    count(w, GM_SCHED, w->ns[ST_RUNNABLE]);
    count(w, GM_WAIT, w->ns[ST_WAITING]);
    count(w, GM_SYSCALL, calls - blocked);
    count(w, GM_UNKNOWN, w->ns[ST_UNKNOWN]);
    count(w, GM_LIFE, w->life);
    count(w, GM_SYSBLOCK, blocked);
    if (!w->system && w->ran > w->y->busy.least && w->ran > 0)
        longest_add(&w->y->busy, &(struct time_of){.t1 = w->ran, .g = w->g});
}

static bool lane_end(void *arg, uint32_t g)
{
    struct g_walk *w = arg;
    if (w->some)
        lane_told(w);
    const bool last = w->was == ST_WAITING || w->was == ST_SYSCALL;
    const bool ok = (!last || note_last(w)) && (g % LANES_ALIKE || slices_tick());
    lane_next_alike(w);
    return ok;
}

bool subtotal_goroutines(const struct triage *tg, struct subtotal *y, uint32_t g0, uint32_t g1)
{
    struct g_walk w = {.tg = tg, .y = y};
    y->worst.least = y->busy.least = -1;
    const struct span_walk walk = {
        .begin = lane_begin, .alike = lane_alike, .spans = lane_spans, .end = lane_end, .arg = &w};
    bool ok = trace_walk(tg->tr, g0, g1, &walk);
    for (uint32_t i = 0; ok && i < 1u << ALIKE_BITS; i++)
        ok = alike_add(y, &w.lately[i]);
    return ok;
}
