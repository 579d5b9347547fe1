/*
 * when.h - durations and moments of a trace, as fmt.h writes them; of a trace without a clock rate they are
 * ticks, and say so: "12724t". tr NULL: nanoseconds. All write a NUL-terminated string into out and return
 * out.
 */
#ifndef GOTOP_LAYOUT_WHEN_H
#define GOTOP_LAYOUT_WHEN_H

#include "decode/trace.h"
#include "layout/cells/fmt.h"

/* when_ticks - are its times ticks of a clock of unknown rate? false as long as nothing of it is decoded. */
bool when_ticks(const struct trace *tr);
/* when_dur - short, at most 8 characters for ticks: "12724t", "572kt", "5.72Mt". */
char *when_dur(const struct trace *tr, int64_t t, char out[FMT_MAX]);
char *when_exact(const struct trace *tr, int64_t t, char out[FMT_MAX]);             /* "5724113t" */
char *when_time(const struct trace *tr, int64_t t, int64_t res, char out[FMT_MAX]); /* ticks always whole */
/*
 * when_length - how long something is of which an end may lie outside the trace: exact, "at least 11ms"; on a
 * line too narrow for that rounded, ">11.0ms".
 */
enum { WHEN_LENGTH = FMT_MAX + 16, WHEN_WIDE = 60 };
char *when_length(const struct trace *tr, int64_t t, bool open, bool wide, char out[WHEN_LENGTH]);

#endif
