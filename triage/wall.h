/*
 * wall.h - the wall clock, where a trace tells what it was as it began (from Go 1.25 on). Times of day are
 * those of the viewer's time zone (TZ).
 */
#ifndef GOTOP_TRIAGE_WALL_H
#define GOTOP_TRIAGE_WALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

enum { WALL_MAX = 40 };
bool wall_known(const struct trace *tr); /* does the trace tell its time of day (Go 1.25 and later)? */
/* wall_time - "14:03:22.512345": t as a time of day, in microseconds. "" if it is not known. */
char *wall_time(const struct trace *tr, int64_t t, char out[WALL_MAX]);
/*
 * wall_parse - "14:03", "14:03:22.5" and what follows it (*rest); a time of day of the trace's first day, or
 * of the next if that one is long over. false: no time of day stands here, or the trace doesn't tell its
 * clock. No trace: since midnight.
 */
bool wall_parse(const struct trace *tr, const char *s, int64_t *t, const char **rest);
/* wall_is - does a time of day stand here, known or not? */
bool wall_is(const char *s);

#endif
