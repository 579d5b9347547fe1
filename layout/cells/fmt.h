/*
 * fmt.h - numbers, durations and moments as people read them. All functions write a string with a NUL into
 * out and return out.
 */
#ifndef GOTOP_LAYOUT_FMT_H
#define GOTOP_LAYOUT_FMT_H

#include "decode/trace.h"

enum { FMT_MAX = 48 }; /* enough for each of them */

/* Times are of a trace; NULL: nanoseconds. Those of a trace without a clock rate are ticks, and marked:
 * "12724t".
 * when_dur - a duration as text_dur() writes it, so that all screens and reports agree: "0", "17ns",
 * "1.23ms", "84.3ms", "12.500s", "3m07s", "2h05m00s"; from ten hours on without seconds; ticks have at most 8
 * characters: "12724t", "572kt", "5.72Mt".
 * when_exact - all its digits: "1.234567ms", "2.000000001s", "0".
 * when_time - a moment, with as many digits as res (ns) needs: 671204000, 1000 is "671.204ms"; all of ticks.
 * when_ticks - whether the trace's times are ticks; false while nothing is decoded. */
bool when_ticks(const struct trace *tr);
char *when_dur(const struct trace *tr, int64_t t, char out[FMT_MAX]);
char *when_exact(const struct trace *tr, int64_t t, char out[FMT_MAX]);
char *when_time(const struct trace *tr, int64_t t, int64_t res, char out[FMT_MAX]);
/* when_length - the length of something whose end may lie outside the trace: exact, "at least 11ms"; rounded
 * on a line too narrow for that, ">11.0ms". */
enum { WHEN_LENGTH = FMT_MAX + 16, WHEN_WIDE = 60 };
char *when_length(const struct trace *tr, int64_t t, bool open, bool wide, char out[WHEN_LENGTH]);
/* fmt_ticks - ticks of a clock of unknown rate; brief: three digits from 100000 on. */
char *fmt_ticks(int64_t ticks, bool brief, char out[FMT_MAX]);
/* fmt_round - s, one of these, without zeros after its point: "10.0us" becomes "10us". For round numbers
 * that were not measured, such as bounds and the lengths of windows. */
char *fmt_round(char *s);
char *fmt_bytes(uint64_t n, char out[FMT_MAX]); /* "812B", "38.2M", "1.21G" (1024s) */
char *fmt_count(uint64_t n, char out[FMT_MAX]); /* "1204", "66.1M" (1000s) */
/* fmt_percent - a share as share_of() writes it. */
char *fmt_percent(int64_t part, int64_t whole, char out[FMT_MAX]);

#endif
