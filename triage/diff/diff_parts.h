/*
 * diff_parts.h - what the files of `gotop diff` share.
 */
#ifndef GOTOP_TRIAGE_DIFF_PARTS_H
#define GOTOP_TRIAGE_DIFF_PARTS_H

#include "triage/tables/metrics.h"
#include "triage/diff/verdict.h"

/* diff_change - "1.2ms -> 1.4ms  +16.7%" */
void diff_change(struct text *t, const struct metric_value *a, const struct metric_value *b);
/* diff_tables - findings, numbers, goroutines, tasks and waits of two runs, one beside the other. */
void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b);
/* diff_json - the verdict and all measures (docs/REPORT.md); mem_free() it; NULL when out of memory. */
char *diff_json(const struct side side[2], const struct verdict *v, const char *not_asked);

#define DIFF_SCHEMA "gotop.diff/1"

#endif
