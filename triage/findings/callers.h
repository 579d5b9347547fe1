/*
 * callers.h - the caller with the largest share of a sum of time, for functions that have several callers.
 *
 * Counts four callers (Misra-Gries). With more, the counts are lower bounds, and a caller with half of the
 * time or more is among the four.
 */
#ifndef GOTOP_TRIAGE_CALLERS_H
#define GOTOP_TRIAGE_CALLERS_H

#include "triage/text.h"

#define CALLERS 4
struct callers {
    uint32_t func[CALLERS]; /* strings; 0: free */
    int64_t ns[CALLERS];
    bool more; /* there were more callers: counts are lower bounds */
};
/* callers_add - Add ns of time called by func (a string; 0: unknown). Keeps the CALLERS largest with lower
 * bounds, so a caller with half of the time or more is among them. callers_merge - Add the counts of
 * another one. */
void callers_add(struct callers *c, uint32_t func, int64_t ns);
void callers_merge(struct callers *c, const struct callers *other);

struct caller {    /* the caller with the largest share */
    uint32_t func; /* 0: none has half of the time */
    float share;
    bool least; /* the share is a lower bound */
    uint32_t
        /* the caller of func, if func has all of the time and that one half of it or more; 0: unknown */
        beyond;
    float beyond_share;
    bool beyond_least;
};
/* callers_most - Returns the caller with most of the time; `all` is the whole in ns. */
struct caller callers_most(const struct callers *c, int64_t all);
/* callers_beyond - Like callers_most(), with the caller's caller from `beyond`. */
struct caller callers_beyond(const struct callers *c, const struct callers *beyond, int64_t all);

/* caller_text - Append " (at least 71.0% of it called by main.importRow)" to a function's name; nothing if
 * there is no caller. */
void caller_text(struct text *t, const struct trace *tr, const struct caller *by);

#endif
