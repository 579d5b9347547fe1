/*
 * won.h - what mending a finding would win: an interval of wall-clock time, never a point.
 *
 * The upper end is a replay of those that lose: their lives without the part that the finding tells, everything else
 * (their own running, sleeping, network, system calls, other waits) as it was; and no less than the processors need for
 * what runs. What is done under a lock may go with the waits for it. The lower end is what a mend wins that removes a part of it,
 * or nothing where processors idle anyhow, so that time on them is not time by the clock; and no more than a part of what
 * lies on the way that the main goroutine waits along, which is as long as the trace. What processors and the collector would do for
 * others without it has no bound in a trace: then the upper end is what the trace shows, and won_more is set. A finding that
 * breaks something for good (a deadlock, a leak) has no such interval.
 */
#ifndef GOTOP_TRIAGE_WON_H
#define GOTOP_TRIAGE_WON_H

#include "triage/findings/causes.h"

/* won_all - sets won_lo, won_hi and won of every finding, but for those whose text says that they cost nothing. Costs at most WON_SPANS
 * spans. Called once, last. */
#define WON_SPANS 400000
void won_all(struct causes *c);

#endif
