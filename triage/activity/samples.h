/*
 * samples.h - CPU profile samples by lane. Finds those in an interval by binary search.
 */
#ifndef GOTOP_TRIAGE_SAMPLES_H
#define GOTOP_TRIAGE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

struct samples;

/* samples_update - brings *s (NULL at first) up to date with the trace; new samples are sorted in.
 * Returns false if out of memory; *s stays valid. */
bool samples_update(struct samples **s, const struct trace *tr);
void samples_free(struct samples *s);
/* samples_in - returns how many samples of a P, G or M lane lie in [t0,t1). *list receives their indices in
 * trace_samples(), by time. */
size_t samples_in(const struct samples *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                  const uint32_t **list);

#endif
