/*
 * gstats.h - the counts of each goroutine, in about twenty bytes each. Most are stored in columns of
 * COLUMNS_ROWS neighbours (decode/base/columns.h); the first goroutines, which live long, are stored as
 * they are. The threads of subtotal.c each fill in their own neighbours; the counts are read after all are
 * counted.
 */
#ifndef GOTOP_TRIAGE_GSTATS_H
#define GOTOP_TRIAGE_GSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/trace.h"

/* The parts of a goroutine's life. The first six add up to GM_LIFE. */
enum gmetric {
    GM_EXEC,    /* running, including mark assist */
    GM_SCHED,   /* runnable: waiting for a processor */
    GM_WAIT,    /* blocked, for any reason */
    GM_SYSCALL, /* in a system call, with its processor */
    /* in a system call that lost its processor (always 0 where threads and Ps don't record it) */
    GM_SYSBLOCK,
    GM_UNKNOWN, /* alive, but the dialect does not record its state */
    GM_ASSIST,  /* part of GM_EXEC: mark assist */
    GM_LIFE,    /* from its creation (or the trace's start) to its end (or the trace's end) */
    GM_COUNT
};

struct gstat { /* counts of one goroutine */
    int64_t ns[GM_COUNT];
    uint32_t runs, scheds, waits, syscalls; /* number of intervals of each */
    uint32_t moves;                         /* how often it moved to another P */
};

struct gstats; /* counts of all goroutines; index: a goroutine's lane */
enum { GSTATS_ALONE = LANES_ALIKE / 2, GSTATS_ROWS = LANES_ALIKE };

/* Rows of neighbouring goroutines in the form gstats_put() takes: by value, ns[] first. */
enum { GV_RUNS = GM_COUNT, GV_SCHEDS, GV_WAITS, GV_SYSCALLS, GV_MOVES, GV_COUNT };
struct gstat_rows {
    /* v[GM_ASSIST] is 0; v[GM_LIFE] is the part of life outside the first six */
    uint64_t v[GV_COUNT][GSTATS_ROWS];
    uint32_t group[GSTATS_ROWS];
    unsigned used; /* bit per value: some row may have one that isn't 0 */
};

struct gstats *gstats_new(uint32_t n); /* for n goroutines; NULL when out of memory */
void gstats_free(struct gstats *s);    /* NULL is allowed */

/* gstats_put - stores at once the goroutines from GSTATS_ALONE + k * GSTATS_ROWS on, or one below
 * GSTATS_ALONE. Returns false when out of memory. */
bool gstats_put(struct gstats *s, uint32_t g, const struct gstat_rows *r, uint32_t n);
/* gstats_regroup - renumbers the groups of goroutines g0 .. g1-1, which were put together (or are all):
 * group i becomes to[i]. */
void gstats_regroup(struct gstats *s, uint32_t g0, uint32_t g1, const uint32_t *to);
/* gstats_assist - adds mark assist time after the counting, from one thread only. Returns false when out of
 * memory. */
bool gstats_assist(struct gstats *s, uint32_t g, int64_t more);

struct gstat gstat_of(const struct gstats *s, uint32_t g);
int64_t gstat_ns(const struct gstats *s, uint32_t g, enum gmetric m);
/* gstats_ns - stores gstat_ns() of g and its next neighbours, GSTATS_ROWS at most, in v. Returns how many
 * it stored. */
uint32_t gstats_ns(const struct gstats *s, uint32_t g, enum gmetric m, int64_t v[GSTATS_ROWS]);
/* gstats_none - whether the metric is 0 for all goroutines of the run that starts with g; *n: their
 * number. */
bool gstats_none(const struct gstats *s, uint32_t g, enum gmetric m, uint32_t *n);
/* gstats_alike - whether all goroutines of the run that starts with g are in one group. */
bool gstats_alike(const struct gstats *s, uint32_t g, uint32_t *group);
/* gstats_next - returns the next goroutine from g on in the group. gstats_next_with - the next one whose
 * metric is at least `least`, which is more than 0. Both return NO_LANE if there is none. */
uint32_t gstats_next(const struct gstats *s, uint32_t g, uint32_t group);
uint32_t gstats_next_with(const struct gstats *s, uint32_t g, enum gmetric m, int64_t least);
uint32_t gstat_waits(const struct gstats *s, uint32_t g);
uint32_t gstat_moves(const struct gstats *s, uint32_t g);
uint32_t gstat_group(const struct gstats *s, uint32_t g);

#endif
