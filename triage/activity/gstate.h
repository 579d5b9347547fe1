/*
 * gstate.h - what a goroutine does, in the same states as a processor's lane: where the model says "running"
 * of a mark worker it is GC worker, and while it is made to assist the collector it is mark assist. So a
 * state has one name, one colour, one glyph wherever it shows.
 */
#ifndef GOTOP_TRIAGE_GSTATE_H
#define GOTOP_TRIAGE_GSTATE_H

#include <stdbool.h>

#include "decode/trace.h"

struct gstate; /* assists by goroutine */

/* gstate_update - *s (NULL at first) follows the trace; false: out of memory, *s stands. O(assists) when they
 * grew. */
bool gstate_update(struct gstate **s, const struct trace *tr);
void gstate_free(struct gstate *s);
/*
 * gstate_know - of a trace that is loaded: gstate_update(), and what the first picture of goroutines would
 * look all assists through for; the lists of those with many, too, for as long as 10 ms allow. What isn't
 * ready is made when it is drawn.
 */
void gstate_know(struct gstate **s, const struct trace *tr);
/*
 * gstate_shares - trace_shares() of any lane, a goroutine's told apart as above: the sum over all states is
 * the same. O(log assists), but for the first time that a goroutine is asked for: O(its assists).
 */
void gstate_shares(struct gstate *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                   struct shares *out);
/* gstate_any - does goroutine g assist at all in [t0,t1)? */
bool gstate_any(struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1);
/*
 * gstate_assists - those of goroutine g, for as long as s stands; NULL: it has none. gstate_tell - what
 * gstate_shares() does for whoever has trace_shares() of [t0,t1) already, and these (x NULL: nothing);
 * gstate_worked - the same of a mark worker. One thread.
 */
struct assists;
const struct assists *gstate_assists(struct gstate *s, const struct trace *tr, uint32_t g);
void gstate_tell(const struct assists *x, const struct trace *tr, int64_t t0, int64_t t1, struct shares *out);
void gstate_worked(struct shares *out);
/* gstate_of - the state of a span of a goroutine's lane at one moment of it. */
enum state gstate_of(struct gstate *s, const struct trace *tr, uint32_t g, enum state st, int64_t t);

#endif
