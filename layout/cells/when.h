/*
 * when.h - durations and moments of a trace, as fmt.h writes them. Those of a trace without a clock rate
 * are ticks, and marked: "12724t". tr NULL: nanoseconds. All functions write a string with a NUL into out
 * and return out.
 */
#ifndef GOTOP_LAYOUT_WHEN_H
#define GOTOP_LAYOUT_WHEN_H

#include "decode/trace.h"
#include "layout/cells/fmt.h"

/* when_ticks - the trace's times are ticks of a clock of unknown rate; false while nothing is decoded. */
bool when_ticks(const struct trace *tr);
/* when_dur - short; ticks have at most 8 characters: "12724t", "572kt", "5.72Mt". */
char *when_dur(const struct trace *tr, int64_t t, char out[FMT_MAX]);
char *when_exact(const struct trace *tr, int64_t t, char out[FMT_MAX]); /* "5724113t" */
/* ticks always have all digits */
char *when_time(const struct trace *tr, int64_t t, int64_t res, char out[FMT_MAX]);
/* when_length - the length of something whose end may lie outside the trace: exact, "at least 11ms";
 * rounded on a line too narrow for that, ">11.0ms". */
enum { WHEN_LENGTH = FMT_MAX + 16, WHEN_WIDE = 60 };
char *when_length(const struct trace *tr, int64_t t, bool open, bool wide, char out[WHEN_LENGTH]);

#endif
