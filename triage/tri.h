/*
 * tri.h - what the files that fill struct triage share; nobody else includes it.
 *
 * Each triage_* function below is one phase: it returns false when out of memory.
 */
#ifndef GOTOP_TRIAGE_TRI_H
#define GOTOP_TRIAGE_TRI_H

#include "triage/tables/slices.h"
#include "triage/triage.h"

struct wake {        /* A wake-up in vain, for the herds. */
    int64_t t, lost; /* lost: in the scheduler, and running */
    uint32_t pair, waker, g;
};
#define WAKES_MAX (1u << 18)

struct birth { /* The program's goroutines created at one place with one start function. */
    uint32_t create_stack, name, created, ended;
};
struct triage_work {
    uint32_t next;         /* the next goroutine to count */
    struct slices *slices; /* NULL: runs without slices */
    bool alone;            /* slices are not possible */
    uint32_t ngroup_waits;
    struct wake *wakes;
    size_t nwakes;
    struct birth *births;
    uint32_t nbirths;
    uint32_t *alive; /* those of the created goroutines that have not ended */
    size_t nalive;
};

/* The steps of counting. All return false when out of memory. */
/* triage_groups - finds who all goroutines are: their groups, births, and who is alive at the end (groups.c).
 * triage_goroutines - then counts what they did, on several threads (subtotal.c). triage_groups_end - then
 * sorts the groups and their waits (groups.c). */
bool triage_groups(struct triage *tg);
bool triage_goroutines(struct triage *tg);
bool triage_groups_end(struct triage *tg);
/* gc_mode_next - returns the mode in which a mark worker runs in a span of kind s; mode: its mode so far,
 * GC_UNLABELLED at first. The runtime labels a worker when it starts. A worker that resumes after it was
 * preempted or blocked gets no new label and keeps its mode. Between two cycles it has no mode. */
enum gc_mode gc_mode_next(const struct trace *tr, enum gc_mode mode, const struct span_tag *s);
/* procs.c */
bool triage_procs(struct triage *tg);
/* gc.c: and then the curve of the mutator utilisation, if anything was collected. tri_stop_is_gc - whether a
 * stop of that kind is for the collector: before Go 1.10 kinds have no names, and nothing else stopped the
 * world. */
bool triage_gc(struct triage *tg);
bool tri_stop_is_gc(const struct trace *tr, uint32_t kind);
/* mmu.c */
bool triage_mmu_curve(struct triage *tg);
/* leaks.c */
bool triage_leaks(struct triage *tg);
bool triage_herds(struct triage *tg);

static inline int64_t tri_len(const struct span *s)
{
    return s->t1 - s->t0;
}
/* tri_clip - clips [*t0,*t1) to the trace, since a range may have started before it. Returns false if
 * nothing remains. */
static inline bool tri_clip(const struct triage *tg, int64_t *t0, int64_t *t1)
{
    bool out = *t1 < 0 || *t0 > tg->end || (*t1 == 0 && *t0 < 0);
    *t0 = *t0 > 0 ? *t0 : 0;
    *t1 = *t1 < tg->end ? *t1 : tg->end;
    return !out;
}
static inline bool tri_is_exec(uint8_t state)
{
    return state == ST_RUNNING || state == ST_GCWORK || state == ST_ASSIST;
}

#endif
