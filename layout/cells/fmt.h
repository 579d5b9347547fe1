/*
 * fmt.h - numbers as people read them. All functions write a string with a NUL into out and return out.
 */
#ifndef GOTOP_LAYOUT_FMT_H
#define GOTOP_LAYOUT_FMT_H

#include <stdbool.h>
#include <stdint.h>

enum { FMT_MAX = 48 }; /* enough for each of them */

/* fmt_dur - a duration as text_dur() writes it, so that all screens and reports agree: "0", "17ns",
 * "1.23ms", "84.3ms", "12.500s", "3m07s", "2h05m00s"; from ten hours on without seconds. */
char *fmt_dur(int64_t ns, char out[FMT_MAX]);
/* fmt_exact - all its digits: "1.234567ms", "2.000000001s", "0". */
char *fmt_exact(int64_t ns, char out[FMT_MAX]);
/* fmt_time - a moment, with as many digits as res (ns) needs: fmt_time(671204000, 1000) = "671.204ms". */
char *fmt_time(int64_t ns, int64_t res, char out[FMT_MAX]);
/* fmt_ticks - ticks of a clock of unknown rate: "12724t"; brief: three digits from 100000 on, "572kt",
 * "5.72Mt". */
char *fmt_ticks(int64_t ticks, bool brief, char out[FMT_MAX]);
/* fmt_round - s, one of these, without zeros after its point: "10.0us" becomes "10us". For round numbers
 * that were not measured, such as bounds and the lengths of windows. */
char *fmt_round(char *s);
char *fmt_bytes(uint64_t n, char out[FMT_MAX]); /* "812B", "38.2M", "1.21G" (1024s) */
char *fmt_count(uint64_t n, char out[FMT_MAX]); /* "1204", "66.1M" (1000s) */
/* fmt_percent - a share as share_of() writes it. */
char *fmt_percent(int64_t part, int64_t whole, char out[FMT_MAX]);

#endif
