/*
 * g_walk.h - what is kept along a goroutine while its spans are counted: goroutines.c goes from one goroutine
 * to the next, g_spans.c and g_blocks.c count what each did. Nobody else includes it.
 */
#ifndef GOTOP_TRIAGE_G_WALK_H
#define GOTOP_TRIAGE_G_WALK_H

#include "triage/tables/subtotal.h"

struct waited { /* a wait */
    int64_t t0, t1;
    uint32_t reason, stack;
};

struct mine { /* a goroutine's waits for one reason, until they are told */
    uint32_t reason, count;
    int64_t ns, longest;
};
enum { MINE = 8 };

struct late_call { /* a system call that is long: what follows it will tell whether it lost its P */
    int64_t t0, t1;
    bool seen; /* its beginning was */
};

struct g_walk { /* along one lane */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g, name;
    bool system, worker;
    bool of_c; /* it stands for a thread that C began: see lane_begin() */
    bool some; /* it has spans */
    int64_t life, no_p_ns;
    enum gc_mode mode; /* of a mark worker, now */
    uint8_t was;       /* the state of the last span counted: ST_NONE before the first */
    bool open;         /* it lasts as the trace ends */
    uint32_t on;       /* the P it ran on last, NO_LANE: none */
    struct moved { /* how often it ran on another P than before, in the spans at hand. A P that isn't recorded
                      is none. */
        uint32_t p, at; /* the last one, as span_run_p() has it (0: none), and in which span */
        uint64_t n;
    } moved;
    struct waited wait;         /* the last wait */
    enum wait_kind kind;        /* its, once it is counted */
    struct hist *sched;         /* where its scheduler latency is counted */
    uint32_t call;              /* row of the last system call */
    struct late_call late_call; /* it, if it is long and what follows isn't known yet; t1 is 0: none */
    bool second_family;
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on, NO row: TAB_NONE */
    int64_t cond_end, cond_run;                 /* when that wait ended; how long it has run since */
    struct mine mine[MINE];
    uint32_t nmine;
    const struct lanes_alike *alike; /* those that come next, or have come; NULL: none have */
};

static inline uint64_t *counted(const struct g_walk *w, unsigned value)
{
    return &w->y->rows.v[value][w->y->nrows];
}

struct at { /* a span of a run */
    const struct span_run *run;
    uint32_t i;
};
static inline uint32_t stack_of(struct at s)
{
    return s.run->stack[s.i];
}

static inline bool open_end(struct at s)
{
    return s.run->open_end && s.i + 1 == s.run->n;
}

static inline void longer(struct moment *m, int64_t t0, int64_t t1, uint32_t g, uint64_t count)
{
    if (count == 1 || t1 - t0 > m->t1 - m->t0)
        *m = (struct moment){t0, t1, g, NO_LANE};
}

/*
 * g_spans - count its next spans. g_spans_end - it has no more. waits_of_pairs - no goroutine comes any more:
 * what was waited goes from pairs to the rows of waits, which were made as each wait was met. false: out of
 * memory.
 */
bool g_spans(struct g_walk *w, const struct span_run *r);
bool g_spans_end(struct g_walk *w);
bool waits_of_pairs(struct g_walk *w);

/* g_block - the same of spans told by few pairs (g_blocks.c). g_block_wanted - can they be counted so? */
bool g_block_wanted(const struct g_walk *w, const struct span_pairs *p);
bool g_block(struct g_walk *w, const struct span_pairs *p);

/* ---- of g_spans.c, for both; false: out of memory ------------------------------------------------------ */

#define RARELY __attribute__((noinline)) /* apart from what is done for each span, so that that is short */

/* note_reason - waits for one reason. walk_waiting - it waits; the next span tells who ended that.
 * note_called - w->late_call is over, or lasts; next: what follows, ST_NONE if nothing does.
 * syscall_row_of - the row of calls at a stack; TAB_NONE: out of memory.
 * note_late - it was runnable for long; since: it is known since when. */
RARELY bool note_reason(struct g_walk *w, const struct mine *more);
RARELY bool walk_waiting(struct g_walk *w, struct at s, int64_t t0, int64_t t1);
RARELY bool note_called(struct g_walk *w, uint8_t next);
RARELY uint32_t syscall_row_of(struct g_walk *w, uint32_t stack);
RARELY bool note_late(struct g_walk *w, const struct worst_wait *x, bool since);

/* call_seen - a system call, behind a span of that state. call_add - it counts in row w->call. */
static inline void call_seen(struct g_walk *w, int64_t t0, int64_t t1, uint8_t before)
{
    w->y->groups[w->y->group].timed |= t1 - t0 > 1;
    if (t1 - t0 >= IDLE_NOTICE && !w->of_c)
        w->late_call = (struct late_call){t0, t1, tri_is_exec(before)};
    w->cond_pair = TAB_NONE; /* it was not woken for nothing: it made a call */
}
static inline void call_add(struct g_walk *w, int64_t t0, int64_t t1, bool open)
{
    struct syscall_row *r = &w->y->syscalls[w->call];
    r->count++;
    r->open += open;
    r->total = ns_more(r->total, t1 - t0);
    longer(&r->longest, t0, t1, w->g, r->count);
}

/* How long is that? */
static inline int64_t late_ns(const struct g_walk *w)
{
    const int64_t worst = w->y->worst_least;
    return w->system || worst > RUNNABLE_NOTICE ? RUNNABLE_NOTICE : worst;
}

struct queued {           /* of spans that wait for a processor */
    int64_t late, unsure; /* so long is long; those of which it isn't known since when */
    struct hist_part hist;
};

/* since: it is known since when */
static inline bool walk_runnable(struct g_walk *w, bool since, const struct worst_wait *x, struct queued *q)
{
    const int64_t ns = x->t1 - x->t0;
    if (since)
        hist_part_add(w->sched, &q->hist, ns);
    else
        q->unsure = ns;
    if (x->was == ST_SYSCALL && !w->system)
        w->y->syscalls[w->call].blocking++;
    if (ns > q->late) {
        const bool ok = note_late(w, x, since);
        q->late = late_ns(w);
        return ok;
    }
    return true;
}

/*
 * How often and how long it was in a state. Spans of a run are no longer than their lane, so sums need no
 * ns_add().
 */
struct sum {
    int64_t ns;
    uint64_t n;
};

static inline void count(struct g_walk *w, enum gmetric m, unsigned times, struct sum x)
{
    if (x.ns | (int64_t)x.n) {
        w->y->rows.used |= 1u << m | 1u << times;
        *counted(w, m) += (uint64_t)x.ns;
        *counted(w, times) += x.n;
    }
}

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
    if (m->n) {
        w->y->rows.used |= 1u << GV_MOVES;
        *counted(w, GV_MOVES) += m->n;
        w->y->groups[w->y->group].moves += m->n;
    }
    *m = (struct moved){0};
}

/* ---- g_pairs.c, for g_spans.c; false: out of memory ---------------------------------------------------- */

enum wait_end {
    WAIT_OVER,
    WAIT_LOST,
    WAIT_OPEN
}; /* LOST: nobody saw it end; OPEN: it lasts as the trace ends */
/* note_waited - w->wait ends with a span of that state. note_wait - it has no pair. note_lock - it is for a
 * lock, and over, or lasts at the end; waker: NO_LANE none. note_futile - the goroutine waits again on the
 * condition it was woken from just now. */
RARELY bool note_waited(struct g_walk *w, struct at s, uint8_t state);
RARELY bool note_wait(struct g_walk *w, enum wait_end end);
RARELY bool note_lock(struct g_walk *w, uint32_t waker, uint32_t waker_stack);
RARELY bool note_futile(struct g_walk *w, int64_t t0);
/* waits_ended - waits that ended alike, all but `waiter` and `hash` told. *p: their pair, NULL: it is put
 * off; that of a condition is not. name_of - the start function of goroutine g, which is `who` of span i. */
RARELY bool waits_ended(struct g_walk *w, struct ended_wait *v, struct pair_row **p);
static inline uint32_t name_of(struct g_walk *w, const struct span_run *r, uint32_t i, uint32_t g)
{
    struct start_name *c = &w->y->name[g % START_NAMES]; /* the same few wake others again and again */
    if (c->g != g + 1)
        *c = (struct start_name){g + 1, span_run_g_name(w->tg->tr, r, i)};
    return c->name;
}

#endif
