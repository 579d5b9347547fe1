/*
 * pprof.h - writes a table of weighted stacks as a pprof profile.
 */
#ifndef GOTOP_TRIAGE_PPROF_H
#define GOTOP_TRIAGE_PPROF_H

#include "triage/exports/export_out.h"
#include "triage/tables/stackweights.h"

struct pprof_head {
    const char *type[2], *unit[2]; /* for the two values of each sample: count, ns */
    const char *period_type, *period_unit;
    int64_t period;
    int64_t per_count;      /* ns per count; 0 = use the row's ns */
    int64_t time, duration; /* ns since 1970 (0 = unknown); ns */
    const char *comment;
};

/* pprof_write - writes the rows of w in their order as a gzip stream. Each part of the profile is written
 * as soon as it is known; memory: one number per different string, function and location. */
enum err_code pprof_write(const struct trace *tr, const struct sw_table *w, const struct pprof_head *h,
                          struct out *out, struct err *e);

#endif
