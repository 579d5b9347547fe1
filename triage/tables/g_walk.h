/*
 * g_walk.h - what is kept along a goroutine while its spans are counted: goroutines.c goes from one goroutine
 * to the next, g_spans.c counts what each did. Nobody else includes it.
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
    size_t gw_first;   /* this goroutine's rows in y->gw */
    uint8_t was;       /* the state of the last span counted: ST_NONE before the first */
    int64_t end;       /* its end */
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

/* ---- g_pairs.c, for g_spans.c; false: out of memory ---------------------------------------------------- */

#define RARELY __attribute__((noinline)) /* apart from what is done for each span, so that that is short */

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

#endif
