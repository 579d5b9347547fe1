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

/* scope_time - parses a time: "1.2s", "300ms", "12us", "1m30s"; a bare number is ns, with a decimal point
 * seconds; "40%" is a share of `end`. Returns false if it is not a time. */
bool scope_time(const char *s, int64_t end, int64_t *ns);
/* scope_when - the same for a loaded trace; also takes a time of day if the trace has a clock
 * ("14:03:22.5"). On failure returns false and sets *why. */
bool scope_when(const char *s, const struct trace *tr, int64_t *ns, const char **why);
/* scope_typed - whether the text is such a time for some trace. *needs: only a loaded trace can
 * resolve it. */
bool scope_typed(const char *s, bool *needs);

#endif
