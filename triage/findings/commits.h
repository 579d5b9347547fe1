/*
 * commits.h - a group commit: goroutines wait until what they wrote is kept by the device, and one of them has it kept for all that have
 * written by then. That is as it should be: no pool is too small there, and nothing is let go late.
 */
#ifndef GOTOP_TRIAGE_COMMITS_H
#define GOTOP_TRIAGE_COMMITS_H

#include "triage/findings/causes.h"

/*
 * commits_at - do goroutines of a group wait at a function of the program (a string) for such a call (fsync), which others of the group make,
 * each for two waits or more on average? Returns how many of these calls the trace has; 0: they do not. It looks at the first waits of
 * 8 goroutines.
 */
uint64_t commits_at(const struct causes *c, uint32_t group, uint32_t place);
/* commits_of - the same where goroutines of a group wait longest for each other. */
uint64_t commits_of(const struct causes *c, uint32_t group);

#define COMMITS_ADVICE "One call commits for several already: call it less often, or use a faster device."

#endif
