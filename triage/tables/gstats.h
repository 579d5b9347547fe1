/*
 * gstats.h - what one goroutine did, found out when it is asked for: how long by the index of its spans, how
 * often by a walk over them.
 */
#ifndef GOTOP_TRIAGE_GSTATS_H
#define GOTOP_TRIAGE_GSTATS_H

#include <stdbool.h>
#include <stdint.h>

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

struct gstat { /* how long */
    int64_t ns[GM_COUNT];
};
struct gcounts { /* how often */
    uint64_t runs, scheds, waits, syscalls;
};

struct triage;
/* gstat_told - makes these of a goroutine's times by state, of what of its calls was without a processor, and
 * of its life; without GM_ASSIST. gstat_of - O(log spans). gstat_counts - O(spans). */
struct gstat gstat_told(const int64_t *ns, int64_t no_p_ns, int64_t life);
struct gstat gstat_of(const struct triage *tg, uint32_t g);
struct gcounts gstat_counts(const struct triage *tg, uint32_t g);
/* gstat_waits - whether the goroutine waited at least that often; its walk ends there. */
bool gstat_waits(const struct triage *tg, uint32_t g, double least);

#endif
