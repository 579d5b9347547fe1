/*
 * stackweights.h - how much time (and how often) by stack: the one table behind profiles and the flame view.
 *
 * What a row's stack is: where the goroutine was when it began to wait (sync, net, GC), where it called
 * (syscall), where it stopped running (on-CPU: the stack that ended the run), where the sample was taken
 * (CPU), where it began to assist, and for scheduler wait that of the event which made it runnable: the
 * waker's, or its own if it was stopped. Stack 0 collects what has none, or one frame of which nothing is
 * known. Rows with one content have one stack id, so nothing needs merging.
 */
#ifndef GOTOP_TRIAGE_STACKWEIGHTS_H
#define GOTOP_TRIAGE_STACKWEIGHTS_H

#include "decode/trace.h"

enum sw_kind {
    SW_CPU,  /* CPU samples: ns is 0, count is samples */
    SW_SYNC, /* blocked on channels, select, sync: the reasons `go tool trace -pprof=sync` counts */
    SW_NET,  /* blocked on the network */
    SW_SYSCALL,
    SW_SCHED,  /* runnable */
    SW_ONCPU,  /* running */
    SW_ASSIST, /* mark assist, from its begin to its end */
    SW_OFFCPU, /* blocked for any reason */
    SW_KINDS
};
/* sw_kind_of - finds a kind by its name ("cpu", "sync", ..), which must be one of them. */
enum sw_kind sw_kind_of(const char *name);

struct sw_row {
    uint32_t stack;
    uint64_t count; /* intervals (samples) */
    int64_t ns;
};

struct sw_filter {  /* all zero = everything */
    int64_t t0, t1; /* only what lies in [t0,t1), clipped; t1 = 0: to the end */
    /* Count as `go tool trace -pprof`: only what follows a goroutine's first run, and no interval still open
     * when the trace ends. Totals then equal that tool's. */
    bool like_go;
    double *share; /* receives the progress now and then, 0..1; may be NULL */
};

struct sw_table {
    struct sw_row *row; /* by ns (count for SW_CPU), largest first */
    uint32_t n;
};
/* stackweights_build - fills the table in one walk over the goroutines' lanes. f NULL: everything. Free with
 * stackweights_free(). Returns false when out of memory or no longer wanted (slices.h). */
bool stackweights_build(const struct trace *tr, enum sw_kind k, const struct sw_filter *f,
                        struct sw_table *out);
void stackweights_free(struct sw_table *t);

#endif
