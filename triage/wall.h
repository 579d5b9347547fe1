/*
 * wall.h - wall clock times, for traces that record their start time (Go 1.25 and later). Times of day are
 * in the viewer's time zone (TZ).
 */
#ifndef GOTOP_TRIAGE_WALL_H
#define GOTOP_TRIAGE_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/trace.h"

enum { WALL_MAX = 40 };
bool wall_known(const struct trace *tr); /* whether the trace records its time of day (Go 1.25 and later) */
/* wall_time - formats t as a time of day in microseconds, "14:03:22.512345"; "" if it is unknown. */
char *wall_time(const struct trace *tr, int64_t t, char out[WALL_MAX]);
/* wall_parse - parses "14:03" or "14:03:22.5"; *rest: what follows it. It means the trace's first day, or
 * the next day if that time is long over. Returns false if the text is not a time of day or the trace has
 * no clock. Without a trace: since midnight. */
bool wall_parse(const struct trace *tr, const char *s, int64_t *t, const char **rest);
/* wall_is - whether the text starts with a time of day, whether or not the trace has a clock. */
bool wall_is(const char *s);

#endif
