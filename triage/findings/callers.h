/*
 * callers.h - who called what a sum of time is put down to, where not all of it had the same caller: the one
 * with most of it, with its share, so that neither one caller is said for all nor none at all.
 *
 * Four are counted (Misra and Gries): where there are more, what is counted is a lower bound, and a caller
 * with half of the time or more is among them.
 */
#ifndef GOTOP_TRIAGE_CALLERS_H
#define GOTOP_TRIAGE_CALLERS_H

#include "triage/text.h"

#define CALLERS 4
struct callers {
    uint32_t func[CALLERS]; /* strings, 0: free */
    int64_t ns[CALLERS];
    bool more; /* than these: counts are lower bounds */
};
/*
 * callers_add - ns more that func (a string; 0: not known) called. Of more than CALLERS the largest are kept,
 * with lower bounds, so one that has half of it or more is among them. callers_merge - add what another one
 * has counted.
 */
void callers_add(struct callers *c, uint32_t func, int64_t ns);
void callers_merge(struct callers *c, const struct callers *other);

struct caller {    /* of most of it */
    uint32_t func; /* 0: none has half of it */
    float share;
    bool least; /* or more */
    uint32_t
        beyond; /* who called that one in half of it or more, where all of it is one caller's; 0: not told */
    float beyond_share;
    bool beyond_least;
};
/* callers_most - who called most of it, `all` being the whole in ns. */
struct caller callers_most(const struct callers *c, int64_t all);
/* callers_beyond - the same with `beyond`, counted by who called the callers. */
struct caller callers_beyond(const struct callers *c, const struct callers *beyond, int64_t all);

/* caller_text - behind a function's name: " (at least 71.0% of it called by main.importRow)"; nothing where
 * there is none. */
void caller_text(struct text *t, const struct trace *tr, const struct caller *by);

#endif
