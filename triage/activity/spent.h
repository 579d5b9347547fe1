/*
 * spent.h - which processor delayed an STW pause, in words, and which worked for the collector, as a place.
 */
#ifndef GOTOP_TRIAGE_SPENT_H
#define GOTOP_TRIAGE_SPENT_H

#include "triage/text.h"
#include "triage/triage.h"

/* spent_stop - appends the processor that stopped last, what it ran, and how long it took to stop; or, where
 * the lanes show none, that there was none. */
void spent_stop(struct text *t, const struct trace *tr, const struct range *stw);
/* spent_gc - finds the processor that worked longest for the collector in [t0,t1), and its longest span
 * there. Returns false if none did. */
bool spent_gc(const struct trace *tr, int64_t t0, int64_t t1, uint32_t *p, int64_t *at);

#endif
