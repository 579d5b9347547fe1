/*
 * diff_parts.h - what the files of `gotop diff` share.
 */
#ifndef GOTOP_TRIAGE_DIFF_PARTS_H
#define GOTOP_TRIAGE_DIFF_PARTS_H

#include "triage/findings/instances.h"
#include "triage/tables/metrics.h"
#include "triage/diff/claims.h"

/* diff_change - adds "1.2ms -> 1.4ms  +16.7%". */
void diff_change(struct text *t, const struct metric_value *a, const struct metric_value *b);
/* diff_tables - adds findings, numbers, goroutines, tasks and waits of two runs side by side. */
void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b);
/* diff_paths_each - compares by call path the instances of a row (a task type, a region, pieces of work,
 * goroutines of a start function) that both runs have. Calls fn for each row that differs by at least a
 * tenth of the longer one; for each kind only the two rows that take longest in b. Returns false when out
 * of memory. diff_paths - adds the same as text. */
#define DIFF_PATHS 128
struct diff_path {
    enum explain_cat cat;
    char *func, *caller; /* as printed; caller "": several, or none */
    int64_t ns[2];       /* average per instance: old, new */
};
struct diff_paths {
    enum instance_kind kind;
    uint32_t name;     /* a string of b's trace */
    uint64_t count[2]; /* number of instances */
    int64_t each[2];   /* average ns */
    bool cut, failed;
    struct diff_path v[DIFF_PATHS]; /* largest change first */
    uint32_t n;
};
typedef void diff_paths_fn(void *arg, const struct diff_paths *d);
bool diff_paths_each(const struct loaded *a, const struct loaded *b, diff_paths_fn *fn, void *arg);
void diff_paths(struct text *t, const struct loaded *a, const struct loaded *b);
/* diff_json - returns the verdict, all measures, and the call paths of a and b (docs/REPORT.md); free with
 * mem_free(). Returns NULL when out of memory. */
char *diff_json(const struct side side[2], const struct claim *v, const char *not_asked,
                const struct loaded *a, const struct loaded *b);

#define DIFF_SCHEMA "gotop.diff/1"

#endif
