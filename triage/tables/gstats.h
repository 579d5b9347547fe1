/*
 * gstats.h - what is counted of each goroutine: some twenty bytes each, most of them columns by COLUMNS_ROWS
 * neighbours (decode/base/columns.h); the first ones, which live long, as they are. Filled in by subtotal.c's
 * threads, each its own neighbours; read when all are counted.
 */
#ifndef GOTOP_TRIAGE_GSTATS_H
#define GOTOP_TRIAGE_GSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/trace.h"

/* What a goroutine's life is made of. The first six add up to GM_LIFE. */
enum gmetric {
    GM_EXEC,     /* running, the time it assisted the collector included */
    GM_SCHED,    /* runnable: waiting for a processor */
    GM_WAIT,     /* blocked, for any reason */
    GM_SYSCALL,  /* in a system call, with its processor */
    GM_SYSBLOCK, /* in a system call, its processor taken away (always 0 where threads and Ps don't tell) */
    GM_UNKNOWN,  /* it existed, the dialect does not record what it did */
    GM_ASSIST,   /* part of GM_EXEC: mark assist */
    GM_LIFE,     /* from its creation (or the trace's start) to its end (or the trace's end) */
    GM_COUNT
};
const char *gmetric_name(enum gmetric m);

struct gstat { /* one goroutine */
    int64_t ns[GM_COUNT];
    uint32_t runs, scheds, waits, syscalls; /* how many intervals of each */
    uint32_t moves;                         /* how often it ran on another P than before */
};

struct gstats; /* of all; index = a goroutine's lane */
enum { GSTATS_ALONE = LANES_ALIKE / 2, GSTATS_ROWS = LANES_ALIKE };

/* Of neighbours, as they are handed over: by value, ns[] first. */
enum { GV_RUNS = GM_COUNT, GV_SCHEDS, GV_WAITS, GV_SYSCALLS, GV_MOVES, GV_COUNT };
struct gstat_rows {
    uint64_t v[GV_COUNT][GSTATS_ROWS]; /* v[GM_ASSIST]: 0; v[GM_LIFE]: what the first six don't add up to */
    uint32_t group[GSTATS_ROWS];
    unsigned used; /* by value: may any row have one that isn't 0? */
};

struct gstats *gstats_new(uint32_t n); /* of so many goroutines. NULL: out of memory */
void gstats_free(struct gstats *s);    /* NULL is allowed */

/* gstats_put - goroutines GSTATS_ALONE + k * GSTATS_ROWS and those behind it (or one below GSTATS_ALONE), at
 * once. false: out of memory. */
bool gstats_put(struct gstats *s, uint32_t g, const struct gstat_rows *r, uint32_t n);
/* gstats_regroup - of goroutines g0 .. g1-1, which were handed over together (or all): group i is to[i] from
 * now on. */
void gstats_regroup(struct gstats *s, uint32_t g0, uint32_t g1, const uint32_t *to);
/* gstats_assist - later, by one thread: more time it assisted. false: out of memory. */
bool gstats_assist(struct gstats *s, uint32_t g, int64_t more);

struct gstat gstat_of(const struct gstats *s, uint32_t g);
int64_t gstat_ns(const struct gstats *s, uint32_t g, enum gmetric m);
/* gstats_ns - gstat_ns() of g and its next neighbours, GSTATS_ROWS at most: how many there are in v. */
uint32_t gstats_ns(const struct gstats *s, uint32_t g, enum gmetric m, int64_t v[GSTATS_ROWS]);
/* gstats_none - of g, which begins such a run: 0 for it and all of them? *n: how many they are. */
bool gstats_none(const struct gstats *s, uint32_t g, enum gmetric m, uint32_t *n);
/* gstats_alike - of g, which begins such a run: are all of it of one group? */
bool gstats_alike(const struct gstats *s, uint32_t g, uint32_t *group);
/* The next one from g on that is of a group; that has at least so much, which is more than 0. NO_LANE: there
 * is none. */
uint32_t gstats_next(const struct gstats *s, uint32_t g, uint32_t group);
uint32_t gstats_next_with(const struct gstats *s, uint32_t g, enum gmetric m, int64_t least);
uint32_t gstat_waits(const struct gstats *s, uint32_t g);
uint32_t gstat_moves(const struct gstats *s, uint32_t g);
uint32_t gstat_group(const struct gstats *s, uint32_t g);

#endif
