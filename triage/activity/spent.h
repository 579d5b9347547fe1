/*
 * spent.h - where the time of a task or a region went, who held a stop-the-world up, which processor was at
 * it while a band tells of something: in words, and as places.
 */
#ifndef GOTOP_TRIAGE_SPENT_H
#define GOTOP_TRIAGE_SPENT_H

#include "triage/text.h"
#include "triage/triage.h"

/*
 * spent_text - of a task or region (index in trace_tasks(), trace_regions()), the most first: over all
 * goroutines that worked for it if it is one of the slowest of its name (tg, NULL: not known), else of its
 * own goroutine; nothing where that is not recorded.
 */
void spent_text(struct text *t, const struct trace *tr, const struct triage *tg, bool region, uint32_t index);
/* spent_stop - the processor that stopped last, what it ran, and how long it took; false: nothing is added,
 * the lanes don't tell. */
bool spent_stop(struct text *t, const struct trace *tr, const struct range *stw);
/* spent_band - the processor that was for longest at what a band tells of in [t0,t1), and when it was longest
 * at it; false: none was, or no processor's state is that of the band. */
bool spent_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1, uint32_t *p, int64_t *at);

#endif
