/*
 * export_scope.h - the part of a trace that is asked for: a stretch of time, some goroutines.
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

/* scope_g - whether goroutine g (lane index, NO_LANE possible) is asked for. */
bool scope_g(const struct scope *sc, uint32_t g);
bool scope_all_g(const struct scope *sc); /* whether all goroutines are */
/* scope_overlaps - whether [t0,t1) has a part within; one without length counts if it lies within. */
bool scope_overlaps(const struct scope *sc, int64_t t0, int64_t t1);
int64_t scope_len(const struct scope *sc, int64_t t0, int64_t t1); /* ns of [t0,t1) within, never negative */

/*
 * scope_time - read a time as typed: "1.2s", "300ms", "12us", "1m30s", a bare number is ns, one with a point
 * is seconds; "40%" is a share of `end`. false: it is none.
 */
bool scope_time(const char *s, int64_t end, int64_t *ns);
/* scope_when - the same of a loaded trace, also as a time of day where it tells its clock ("14:03:22.5").
 * false: *why. */
bool scope_when(const char *s, const struct trace *tr, int64_t *ns, const char **why);
/* scope_typed - is it such a time, for some trace? *needs: which one must be known to say when. */
bool scope_typed(const char *s, bool *needs);

#endif
