/*
 * diff_parts.h - what the files of `gotop diff` share.
 */
#ifndef GOTOP_TRIAGE_DIFF_PARTS_H
#define GOTOP_TRIAGE_DIFF_PARTS_H

#include "triage/tables/metrics.h"
#include "triage/diff/claims.h"

/* diff_change - adds "1.2ms -> 1.4ms  +16.7%". */
void diff_change(struct text *t, const struct metric_value *a, const struct metric_value *b);
/* diff_tables - adds the works, findings and numbers of two runs side by side. */
void diff_tables(struct text *t, const struct loaded *a, const struct loaded *b);
/* diff_works_each - calls fn for each work that counts in b and that a has, too, with the parts of a piece
 * whose time differs by a tenth of a piece or more. diff_works - adds the same as text. Both return false,
 * or mark the text as failed, when out of memory; *d is valid within fn only. */
enum { DIFF_PARTS = 128 };
struct diff_part {
    const char *what; /* node_word(): "lock", "running" .. */
    char *func;       /* where, as printed */
    int64_t ns[2];    /* in an average piece: old, new */
};
struct diff_work {
    const struct works *all;        /* of b */
    const struct work *w[2];        /* old, new */
    struct diff_part v[DIFF_PARTS]; /* largest change first */
    uint32_t n;
};
typedef void diff_work_fn(void *arg, const struct diff_work *d);
bool diff_works_each(const struct loaded *a, const struct loaded *b, diff_work_fn *fn, void *arg);
void diff_works(struct text *t, const struct loaded *a, const struct loaded *b);
/* diff_json - returns the verdict, all measures, and the works of a and b (docs/REPORT.md); free with
 * mem_free(). Returns NULL when out of memory. */
char *diff_json(const struct side side[2], const struct claim *v, const char *not_asked,
                const struct loaded *a, const struct loaded *b);

#define DIFF_SCHEMA "gotop.diff/2"

#endif
