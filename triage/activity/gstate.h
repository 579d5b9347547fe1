/*
 * gstate.h - the state of a goroutine, in the same states as a processor's lane. A mark worker that the
 * model calls running is in the GC worker state, and a running goroutine during a mark assist is in the
 * mark assist state. So a state has one name, one colour and one glyph everywhere.
 */
#ifndef GOTOP_TRIAGE_GSTATE_H
#define GOTOP_TRIAGE_GSTATE_H

#include <stdbool.h>

#include "decode/trace.h"

struct gstate; /* assists by goroutine */

/* gstate_update - brings *s (NULL at first) up to date with the trace, in O(assists) if there are new ones.
 * Returns false if out of memory; *s stays valid. */
bool gstate_update(struct gstate **s, const struct trace *tr);
void gstate_free(struct gstate *s);
/* gstate_shares - returns trace_shares() of any lane, with a goroutine's running time split as above; the
 * sum over all states does not change. O(log assists). */
void gstate_shares(const struct gstate *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                   struct shares *out);
/* gstate_any - returns whether goroutine g assists within [t0,t1). */
bool gstate_any(const struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
/* gstate_assists - returns what is needed to split the running time of a lane, valid while nothing is loaded.
 * gstate_tell - splits the result of trace_shares() over [t0,t1) as gstate_shares() does. */
struct assists {
    bool worker;           /* a mark worker's lane */
    const struct range *r; /* else n assists, by time: */
    const uint32_t *i;     /* their places in r */
    const int64_t *before; /* how long was run in those before each, up to one constant; n + 1 */
    uint32_t g, n;
};
struct assists gstate_assists(const struct gstate *s, const struct trace *tr, struct lane l);
void gstate_tell(const struct assists *x, const struct trace *tr, int64_t t0, int64_t t1, struct shares *out);
/* gstate_of - returns the state at time t within a span of goroutine g whose recorded state is st. */
enum state gstate_of(const struct gstate *s, const struct trace *tr, uint32_t g, enum state st, int64_t t);

#endif
