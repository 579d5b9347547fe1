/*
 * samples.h - CPU profile samples by lane: which ones lie in an interval, by binary search.
 */
#ifndef GOTOP_TRIAGE_SAMPLES_H
#define GOTOP_TRIAGE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

struct samples;

/* samples_update - *s (NULL at first) follows the trace; false: out of memory, *s stands. O(samples) when it
 * grew. */
bool samples_update(struct samples **s, const struct trace *tr);
void samples_free(struct samples *s);
/* samples_in - how many of a P, G or M lane lie in [t0,t1); *list their indices
 * in trace_samples(), by time. */
size_t samples_in(const struct samples *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                  const uint32_t **list);

#endif
