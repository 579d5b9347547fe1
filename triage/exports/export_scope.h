/*
 * export_scope.h - the selected part of a trace: a time range and some goroutines.
 */
#ifndef GOTOP_TRIAGE_EXPORT_SCOPE_H
#define GOTOP_TRIAGE_EXPORT_SCOPE_H

#include "decode/trace.h"

struct scope {
    const struct trace *tr;
    int64_t from, to;  /* [from,to) in ns; the whole trace: 0, INT64_MAX */
    const char *group; /* only goroutines whose start function's name contains this; NULL = all */
    bool one;          /* only the goroutine with this id */
    uint64_t id;
};

/* scope_g - whether goroutine g (a lane index, may be NO_LANE) is selected. */
bool scope_g(const struct scope *sc, uint32_t g);
bool scope_all_g(const struct scope *sc); /* whether all goroutines are selected */
/* scope_overlaps - whether part of [t0,t1) is within the range; an empty one counts if it lies within. */
bool scope_overlaps(const struct scope *sc, int64_t t0, int64_t t1);
/* Returns the ns of [t0,t1) within the range, never negative. */
int64_t scope_len(const struct scope *sc, int64_t t0, int64_t t1);

#endif
