/*
 * g_walk.h - the state kept for one goroutine while its spans are counted. goroutines.c walks the
 * goroutines; g_spans.c and g_blocks.c count their spans. No other file includes it.
 */
#ifndef GOTOP_TRIAGE_G_WALK_H
#define GOTOP_TRIAGE_G_WALK_H

#include "triage/tables/subtotal.h"

struct waited { /* one wait */
    int64_t t0, t1;
    uint32_t reason, stack;
};

struct mine { /* A goroutine's waits for one reason, not yet added to the tables. */
    uint32_t reason, count;
    int64_t ns, longest;
};
enum { MINE = 8 };

struct late_call { /* A long system call. The span after it shows whether it lost its P. */
    int64_t t0, t1;
    bool seen; /* its start is in the trace */
};

struct g_walk { /* State along one lane. */
    const struct triage *tg;
    struct subtotal *y;
    uint32_t g, name;
    bool system, worker;
    bool of_c; /* stands for a thread created by C: see lane_begin() */
    bool some; /* it has spans */
    int64_t life, no_p_ns;
    enum gc_mode mode; /* current mode of a mark worker */
    uint8_t was;       /* state of the last span counted; ST_NONE before the first */
    bool open;         /* the last span is still open when the trace ends */
    uint32_t on;       /* the P it ran on last; NO_LANE: none */
    /* How often it moved to another P within the current spans. An unrecorded P does not count. */
    struct moved {
        uint32_t p, at; /* the last P, as span_run_p() returns it (0: none), and the index of its span */
        uint64_t n;
    } moved;
    struct waited wait;  /* the last wait */
    enum wait_kind kind; /* kind of the last wait, once it is counted */
    struct hist *sched;  /* the histogram of its scheduler latency */
    uint32_t call;       /* row of the last system call */
    /* the last call while it is long and its successor unknown; t1 is 0 if there is none */
    struct late_call late_call;
    bool second_family;
    uint32_t cond_stack, cond_pair, cond_waker; /* the last condition it waited on; without a row: TAB_NONE */
    int64_t cond_end, cond_run;                 /* end of that wait; running time since */
    struct mine mine[MINE];
    uint32_t nmine;
    /* the goroutines alike that follow or were just counted; NULL if there are none */
    const struct lanes_alike *alike;
};

static inline uint64_t *counted(const struct g_walk *w, unsigned value)
{
    return &w->y->rows.v[value][w->y->nrows];
}

struct at { /* one span of a run */
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

/* g_spans - counts the goroutine's next spans. g_spans_end - ends the goroutine. waits_of_pairs - called
 * after the last goroutine: adds the waits counted in pairs to the rows of waits, which exist since each
 * wait was first met. All return false when out of memory. */
bool g_spans(struct g_walk *w, const struct span_run *r);
bool g_spans_end(struct g_walk *w);
bool waits_of_pairs(struct g_walk *w);

/* g_block - counts spans that consist of few different pairs (g_blocks.c). g_block_wanted - whether they
 * can be counted that way. */
bool g_block_wanted(const struct g_walk *w, const struct span_pairs *p);
bool g_block(struct g_walk *w, const struct span_pairs *p);

/* ---- of g_spans.c, for both; false: out of memory ------------------------------------------------------ */

/* keeps rare work out of the loop over spans, so that the loop stays short */
#define RARELY __attribute__((noinline))

/* note_reason - adds waits for one reason. walk_waiting - records that the goroutine waits; the next span
 * shows who ended the wait. note_called - counts w->late_call, which is over or still open; next: state of
 * the following span, ST_NONE if there is none. syscall_row_of - returns the row of calls at a stack;
 * TAB_NONE when out of memory. note_late - counts a long time runnable; since: its start is known. */
RARELY bool note_reason(struct g_walk *w, const struct mine *more);
RARELY bool walk_waiting(struct g_walk *w, struct at s, int64_t t0, int64_t t1);
RARELY bool note_called(struct g_walk *w, uint8_t next);
RARELY uint32_t syscall_row_of(struct g_walk *w, uint32_t stack);
RARELY bool note_late(struct g_walk *w, const struct worst_wait *x, bool since);

/* call_seen - notes a system call after a span of state `before`. call_add - counts it in row w->call. */
static inline void call_seen(struct g_walk *w, int64_t t0, int64_t t1, uint8_t before)
{
    w->y->groups[w->y->group].timed |= t1 - t0 > 1;
    if (t1 - t0 >= IDLE_NOTICE && !w->of_c)
        w->late_call = (struct late_call){t0, t1, tri_is_exec(before)};
    w->cond_pair = TAB_NONE; /* a goroutine that made a call was not woken in vain */
}
static inline void call_add(struct g_walk *w, int64_t t0, int64_t t1, bool open)
{
    struct syscall_row *r = &w->y->syscalls[w->call];
    r->count++;
    r->open += open;
    r->total = ns_more(r->total, t1 - t0);
    longer(&r->longest, t0, t1, w->g, r->count);
}

/* Returns the scheduler latency in ns from which one counts as long. */
static inline int64_t late_ns(const struct g_walk *w)
{
    const int64_t worst = w->y->worst_least;
    return w->system || worst > RUNNABLE_NOTICE ? RUNNABLE_NOTICE : worst;
}

struct queued {           /* Counts of runnable spans. */
    int64_t late, unsure; /* the limit of "long"; the latency whose start is unknown */
    struct hist_part hist;
};

/* Counts a runnable span; since: its start is known. */
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

/* How often and how long the goroutine was in one state. The spans of a run fit into their lane, so these
 * sums cannot overflow and need no ns_add(). */
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
}; /* LOST: its end was not recorded; OPEN: it is not over when the trace ends */
/* note_waited - ends w->wait with a span of that state. note_wait - counts a wait that has no pair.
 * note_lock - counts a wait for a lock, over or still open at the end of the trace; waker: NO_LANE if there
 * is none. note_futile - the goroutine waits on the same condition from which it was just woken. */
RARELY bool note_waited(struct g_walk *w, struct at s, uint8_t state);
RARELY bool note_wait(struct g_walk *w, enum wait_end end);
RARELY bool note_lock(struct g_walk *w, uint32_t waker, uint32_t waker_stack);
RARELY bool note_futile(struct g_walk *w, int64_t t0);
/* waits_ended - counts waits that ended alike; the caller fills all but `waiter` and `hash`. Sets *p to
 * their pair, or to NULL if it is put off; the pair of a condition never is. name_of - returns the start
 * function of goroutine g, which is `who` of span i. */
RARELY bool waits_ended(struct g_walk *w, struct ended_wait *v, struct pair_row **p);
static inline uint32_t name_of(struct g_walk *w, const struct span_run *r, uint32_t i, uint32_t g)
{
    struct start_name *c = &w->y->name[g % START_NAMES]; /* the same few goroutines do most of the waking */
    if (c->g != g + 1)
        *c = (struct start_name){g + 1, span_run_g_name(w->tg->tr, r, i)};
    return c->name;
}

#endif
