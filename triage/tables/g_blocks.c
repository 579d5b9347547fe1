/*
 * g_blocks.c - counts a block of spans with few different pairs of state and stack at once, where g_spans.c
 * counts spans one by one.
 *
 * Half of the spans run. Of those only the total time and moves to another P count, so masks with a bit per
 * span skip them. Waits are grouped by what each was and what followed, and are added to their pair
 * together at the end of the block.
 *
 * Invariants. The tables equal those of g_spans() to the nanosecond. The state that the next block needs is
 * left in struct g_walk as g_spans() leaves it.
 */
#include "triage/tables/g_walk.h"

#include <string.h>

enum { WOKEN = 32, WORDS = SPAN_BLOCK / 64 };

struct woken {          /* waits that ended alike */
    uint8_t wait, next; /* pairs */
    enum wait_kind kind;
    uint32_t name, count;    /* start function of the goroutine that ended them; NOBODY: none */
    int64_t ns, longest, t0; /* t0: start of the longest, */
    uint32_t who;            /* and the goroutine that ended it */
};

#define COND_HERE (TAB_NONE - 1) /* w->cond_pair: the last condition has no row yet */
struct g_block {
    struct g_walk *w;
    const struct span_pairs *p;
    uint8_t state[SPAN_PAIRS]; /* by pair */
    uint32_t call[SPAN_PAIRS]; /* by pair: its row of calls; TAB_NONE: not looked up yet */
    uint8_t row[SPAN_PAIRS]
               [SPAN_PAIRS]; /* by `wait` and `next`: the last such entry of `woken`, + 1; 0: none */
    uint32_t nwoken;
    struct woken woken[WOKEN];
    uint32_t cond;         /* COND_HERE: its index in `woken` */
    uint32_t cond_from;    /* running time since the wake-up up to this span */
    int64_t at[SPAN_ROOM]; /* start of each span, and the end of the last one */
    uint64_t runs[WORDS];  /* spans that run */
};

static inline uint32_t stack_at(const struct g_block *b, uint32_t i)
{
    return span_pairs_stack(b->p, b->p->nth[i]);
}

static inline uint32_t reason_of(const struct g_block *b, uint32_t k)
{
    return span_pairs_kind(b->p, k)->reason;
}

static inline enum wait_kind wait_kind_of(const struct g_block *b, uint32_t k)
{
    return stacks_wait_kind(b->w->tg->tr, reason_of(b, k), span_pairs_stack(b->p, k));
}

/* Returns span i and its successor in g_spans.c's form. */
static struct at plain(const struct g_block *b, uint32_t i)
{
    span_pairs_fill(b->p, i);
    if (i + 1 < b->p->run.n)
        span_pairs_fill(b->p, i + 1);
    return (struct at){&b->p->run, i};
}

/* ---- waits --------------------------------------------------------------------------------------------- */

/* Adds the sums of the block's waits so far. */
static bool block_tell(struct g_block *b)
{
    struct g_walk *w = b->w;
    bool ok = true;
    for (uint32_t i = 0; i < b->nwoken && ok; i++) {
        const struct woken *v = &b->woken[i];
        struct pair_row *row = NULL;
        struct ended_wait x = {.t0 = v->t0,
                               .t1 = v->t0 + v->longest,
                               .ns = v->ns,
                               .count = v->count,
                               .g = w->g,
                               .who = v->who,
                               .reason = reason_of(b, v->wait),
                               .stack = span_pairs_stack(b->p, v->wait),
                               .by = span_pairs_stack(b->p, v->next),
                               .waker = v->name};
        b->row[v->wait][v->next] = 0;
        ok = note_reason(w, &(struct mine){x.reason, v->count, v->ns, v->longest}) &&
             (w->system || waits_ended(w, &x, &row));
        if (ok && w->cond_pair == COND_HERE && b->cond == i)
            w->cond_pair = (uint32_t)(row - w->y->pairs);
    }
    b->nwoken = 0;
    return ok;
}

/* Returns the running time from span `from` to i. */
static int64_t ran(const struct g_block *b, uint32_t from, uint32_t i)
{
    int64_t ns = 0;
    for (; from < i; from++)
        ns += b->runs[from / 64] >> from % 64 & 1 ? b->p->run.dur[from] : 0;
    return ns;
}

/* The goroutine waits on the condition from which it was last woken: a wake-up in vain if it ran for less
 * than FUTILE_RUN. */
static RARELY bool block_again(struct g_block *b, uint32_t i)
{
    struct g_walk *w = b->w;
    const int64_t ns = w->cond_run + ran(b, b->cond_from, i);
    if (ns >= FUTILE_RUN)
        return true;
    if (!block_tell(b))
        return false;
    const int64_t run = w->cond_run;
    w->cond_run = ns;
    const bool ok = note_futile(w, b->at[i]);
    w->cond_run = run;
    w->cond_pair = TAB_NONE;
    return ok;
}

/* Returns the row of waits like span i's that ended that way; NULL when out of memory. */
static RARELY struct woken *woken_new(struct g_block *b, uint32_t i, uint32_t name)
{
    const uint8_t wait = b->p->nth[i], next = b->p->nth[i + 1];
    if (b->nwoken == WOKEN && !block_tell(b))
        return NULL;
    struct woken *v = &b->woken[b->nwoken++];
    *v = (struct woken){
        .wait = wait, .next = next, .name = name, .longest = -1, .kind = wait_kind_of(b, wait)};
    b->row[wait][next] = (uint8_t)b->nwoken;
    return v;
}

/* Counts a wait for a lock or a condition. */
static RARELY bool block_told(struct g_block *b, uint32_t i, const struct woken *v, uint32_t who)
{
    struct g_walk *w = b->w;
    if (v->kind == WK_LOCK) {
        w->wait = (struct waited){b->at[i], b->at[i + 1], reason_of(b, v->wait), stack_at(b, i)};
        return note_lock(w, who, stack_at(b, i + 1));
    }
    w->cond_pair = COND_HERE;
    b->cond = (uint32_t)(v - b->woken);
    b->cond_from = i + 1;
    w->cond_run = 0;
    w->cond_stack = stack_at(b, i);
    w->cond_waker = who;
    w->cond_end = b->at[i + 1];
    return true;
}

/* Counts a wait that no known goroutine ended. */
static RARELY bool block_lost(struct g_block *b, uint32_t i, uint8_t next)
{
    struct g_walk *w = b->w;
    const uint32_t reason = reason_of(b, b->p->nth[i]);
    const int64_t ns = b->p->run.dur[i];
    if (!block_tell(b) || !note_reason(w, &(struct mine){reason, 1, ns, ns}))
        return false;
    w->wait = (struct waited){b->at[i], b->at[i + 1], reason, stack_at(b, i)};
    return note_waited(w, plain(b, i + 1), next);
}

/* Counts the wait of span i, which is not the last span. */
static inline bool block_waits(struct g_block *b, uint32_t i)
{
    struct g_walk *w = b->w;
    const struct span_pairs *p = b->p;
    const uint8_t next = b->state[p->nth[i + 1]];
    const int64_t ns = p->run.dur[i];
    uint32_t who = NO_LANE, name = NOBODY;
    if (!w->system) {
        if (w->cond_pair != TAB_NONE && w->cond_stack == stack_at(b, i) && !block_again(b, i))
            return false;
        if (next != ST_RUNNABLE)
            return block_lost(b, i, next);
        who = span_run_g(&p->run, i + 1);
        name = who == NO_LANE ? NOBODY : name_of(w, &p->run, i + 1, who);
    }
    const uint32_t at = b->row[p->nth[i]][p->nth[i + 1]];
    struct woken *v = at && b->woken[at - 1].name == name ? &b->woken[at - 1] : woken_new(b, i, name);
    if (!v)
        return false;
    v->count++;
    v->ns += ns;
    if (ns > v->longest) {
        v->longest = ns;
        v->t0 = b->at[i];
        v->who = who;
    }
    if (w->system)
        return true;
    if (v->kind == WK_LOCK || v->kind == WK_COND)
        return block_told(b, i, v, who);
    w->cond_pair = TAB_NONE;
    return true;
}

/* ---- the block ----------------------------------------------------------------------------------------- */

static inline bool block_calls(struct g_block *b, uint32_t i, uint8_t before)
{
    struct g_walk *w = b->w;
    const uint8_t k = b->p->nth[i];
    const int64_t t0 = b->at[i], t1 = b->at[i + 1];
    call_seen(w, t0, t1, before);
    if (w->late_call.t1 && i + 1 < b->p->run.n && !note_called(w, b->state[b->p->nth[i + 1]]))
        return false;
    if (w->system)
        return true;
    if (b->call[k] == TAB_NONE && (b->call[k] = syscall_row_of(w, span_pairs_stack(b->p, k))) == TAB_NONE)
        return false;
    w->call = b->call[k];
    call_add(w, t0, t1, false);
    return true;
}

bool g_block_wanted(const struct g_walk *w, const struct span_pairs *p)
{
    (void)p;
    return !w->worker;
}

/* Sets `out` to the mask of the spans with these pairs (a bit each). */
static void mask_of(const struct span_pairs *p, uint32_t pairs, uint64_t out[WORDS])
{
    for (unsigned j = 0; j < WORDS; j++)
        out[j] = 0;
    for (; pairs; pairs &= pairs - 1) {
        const unsigned k = (unsigned)__builtin_ctz(pairs);
        for (unsigned j = 0; j < WORDS; j++) {
            uint64_t all = UINT64_MAX;
            for (unsigned i = 0; i < SPAN_PLANES; i++)
                all &= p->plane[i][j] ^ (k >> i & 1 ? 0 : UINT64_MAX);
            out[j] |= all;
        }
    }
    for (unsigned j = 0; j < WORDS; j++)
        if (p->run.n < 64 * (j + 1))
            out[j] &= p->run.n <= 64 * j ? 0 : ((uint64_t)1 << p->run.n % 64) - 1;
}

/* Counts states and times without reading single spans; returns the total time. */
static int64_t block_begin(struct g_block *b, struct g_walk *w, const struct span_pairs *p)
{
    uint32_t run = 0;
    int64_t t = p->run.t0;
    b->w = w;
    b->p = p;
    b->cond_from = b->nwoken = 0;
    memset(b->row, 0, p->n * sizeof *b->row);
    for (uint32_t k = 0; k < p->n; k++) {
        b->state[k] = span_pairs_kind(p, k)->state;
        b->call[k] = TAB_NONE;
        run |= (uint32_t)tri_is_exec(b->state[k]) << k;
    }
    mask_of(p, run, b->runs);
    for (uint32_t i = 0; i < p->run.n; i++) {
        b->at[i] = t;
        t += p->run.dur[i];
    }
    b->at[p->run.n] = t;
    return t - p->run.t0;
}

/* Counts how often it started to run, and on which Ps. */
static uint64_t block_runs(struct g_block *b)
{
    struct g_walk *w = b->w;
    uint64_t n = 0, before = tri_is_exec(w->was);
    for (unsigned j = 0; j < WORDS; j++) {
        n += (uint64_t)__builtin_popcountll(b->runs[j] & ~(b->runs[j] << 1 | before));
        before = b->runs[j] >> 63;
        for (uint64_t left = b->runs[j]; left; left &= left - 1) {
            const uint32_t i = 64 * j + (uint32_t)__builtin_ctzll(left);
            const uint32_t on = span_run_p(&b->p->run, i);
            if (on && on != w->moved.p) {
                span_pairs_fill(b->p, i);
                moved_on(w, &b->p->run, i);
            }
        }
    }
    moved_end(w, &b->p->run);
    return n;
}

struct rest { /* of spans that don't run */
    struct sum runnable, waiting, call, unknown, none;
    struct queued queued;
};

static inline bool rest_add(struct g_block *b, struct rest *x, uint32_t i)
{
    struct g_walk *w = b->w;
    const struct span_run *r = &b->p->run;
    const uint8_t state = b->state[b->p->nth[i]], before = i ? b->state[b->p->nth[i - 1]] : w->was;
    struct sum *to = state == ST_UNKNOWN ? &x->unknown : &x->none;
    bool ok = true;
    if (state == ST_RUNNABLE) {
        to = &x->runnable;
        ok = walk_runnable(w, i || !r->open_start, &(struct worst_wait){b->at[i], b->at[i + 1], w->g, before},
                           &x->queued);
    } else if (state == ST_WAITING) {
        to = &x->waiting;
        ok = i + 1 == r->n || block_waits(b, i);
    } else if (state == ST_SYSCALL) {
        to = &x->call;
        ok = block_calls(b, i, before);
    }
    to->ns += r->dur[i];
    to->n += to != &x->unknown; /* how often that was is not told */
    return ok;
}

/* Stores the state of the last span for the next block. */
static bool block_end(struct g_block *b)
{
    struct g_walk *w = b->w;
    const uint32_t last = b->p->run.n - 1;
    if (!block_tell(b))
        return false;
    w->cond_run += w->cond_pair == TAB_NONE ? 0 : ran(b, b->cond_from, last + 1);
    w->was = b->state[b->p->nth[last]];
    w->open = false;
    return w->was != ST_WAITING || walk_waiting(w, plain(b, last), b->at[last], b->at[last + 1]);
}

bool g_block(struct g_walk *w, const struct span_pairs *p)
{
    struct g_block room, *b = &room;
    struct rest x = {.queued = {late_ns(w), 0, hist_part(w->sched)}};
    struct sum exec = {.ns = block_begin(b, w, p)};
    exec.n = block_runs(b);
    const uint8_t first = b->state[p->nth[0]];
    if ((w->late_call.t1 && !note_called(w, first)) ||
        (w->was == ST_WAITING && !w->system && !note_waited(w, plain(b, 0), first)))
        return false;
    for (unsigned j = 0; j < WORDS && 64 * j < p->run.n; j++) {
        uint64_t left = ~b->runs[j];
        if (p->run.n - 64 * j < 64)
            left &= ((uint64_t)1 << p->run.n % 64) - 1;
        for (; left; left &= left - 1)
            if (!rest_add(b, &x, 64 * j + (uint32_t)__builtin_ctzll(left)))
                return false;
    }
    exec.ns -= x.runnable.ns + x.waiting.ns + x.call.ns + x.unknown.ns + x.none.ns;
    hist_part_end(w->sched, &x.queued.hist, x.runnable.ns - x.queued.unsure);
    count(w, GM_EXEC, GV_RUNS, exec);
    count(w, GM_SCHED, GV_SCHEDS, x.runnable);
    count(w, GM_WAIT, GV_WAITS, x.waiting);
    count(w, GM_SYSCALL, GV_SYSCALLS, x.call);
    count(w, GM_UNKNOWN, GM_UNKNOWN, x.unknown);
    return block_end(b);
}
