/*
 * g_walk.h - the state kept for one goroutine while its spans are counted. goroutines.c walks the
 * goroutines, g_spans.c counts their spans, g_pairs.c their waits. No other file includes it.
 */
#ifndef GOTOP_TRIAGE_G_WALK_H
#define GOTOP_TRIAGE_G_WALK_H

#include "triage/tables/subtotal.h"

struct waited { /* one wait */
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
    struct waited wait;                         /* the last wait */
    enum wait_kind kind;                        /* kind of the last wait, once it is counted */
    uint32_t call;                              /* row of the last system call */
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

static inline bool open_end(struct at s)
{
    return s.run->open_end && s.i + 1 == s.run->n;
}

static inline void longer(struct moment *m, int64_t t0, int64_t t1, uint32_t g, uint64_t count)
{
    if (count == 1 || t1 - t0 > m->t1 - m->t0)
        *m = (struct moment){t0, t1, g, NO_LANE};
}

/* g_spans - counts the goroutine's next spans. g_spans_end - ends the goroutine. Both return false when out
 * of memory. */
bool g_spans(struct g_walk *w, const struct span_run *r);
bool g_spans_end(struct g_walk *w);

/* keeps rare work out of the loop over spans, so that the loop stays short */
#define RARELY __attribute__((noinline))

/* ---- g_pairs.c, for g_spans.c; false: out of memory ---------------------------------------------------- */

/* note_waited - ends w->wait with a span of that state. note_wait - counts a wait that nobody is known to
 * have ended: WAIT_OVER .. (subtotal.h). note_futile - the goroutine waits on the same condition from which
 * it was just woken. */
RARELY bool note_waited(struct g_walk *w, struct at s, uint8_t state);
RARELY bool note_wait(struct g_walk *w, uint32_t end);
RARELY bool note_futile(struct g_walk *w, int64_t t0);

#endif
