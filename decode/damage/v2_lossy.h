/*
 * v2_lossy.h - ordering a generation of which events were lost: because the program was killed before its
 * threads had written all, or because a part of the file is missing.
 *
 * The steps in the file are known beforehand. An event whose predecessor is in the file waits for it, as
 * always. An event whose predecessor was lost comes at its time, and what the goroutine or P did since the
 * last event that names it becomes a gap (EVK_LOST: not recorded). When a thread's events end, what it ran
 * is unknown from then on; at the end so is all that the lost events may have changed. Only the order is
 * invented.
 */
#ifndef GOTOP_DECODE_V2_LOSSY_H
#define GOTOP_DECODE_V2_LOSSY_H

#include "decode/damage/v2_step.h"

extern const struct v2_lossy_ops v2_lossy;
/* v2_lossy_suspect - Do the work of v2_lossy_ops.begin, but make v2_lossy the order's only if something is
 * missing. Returns false if out of memory. */
bool v2_lossy_suspect(struct v2_order *o);
/* v2_lossy_sound - As far as is known, this generation lacks nothing itself; the one before it may. */
bool v2_lossy_sound(const struct v2_order *o);
/* v2_lossy_report - Report as damage what was missing, once the generation is done. */
void v2_lossy_report(struct v2_order *o);

/* ---- shared by its parts ------------------------------------------------------------------------------ */

enum { V2_CLOSE_NS = 100000 }; /* a batch always takes more time than this to write */

/* v2_lossy_begin - The v2_lossy_ops.begin of v2_lossy: note which steps the generation has, and when events
 * of it may be missing. */
bool v2_lossy_begin(struct v2_order *o);

/* v2_hole - Events may be missing between these times. If there are too many such holes, some become one. */
void v2_hole(struct v2_order *o, int64_t from, int64_t to);

/*
 * v2_lost - Make what g or p did (EV_NONE: neither, then the GC) unknown from `since` on, or
 * since the last event that names it if that is later. Returns the event that says so. All times are
 * absolute.
 *
 * v2_lost_m - The same for a thread: as far as is known it has neither P nor goroutine.
 */
struct ev *v2_lost(struct v2_order *o, uint32_t g, uint32_t p, int64_t since);
void v2_lost_m(struct v2_order *o, uint32_t m, int64_t since);
/* v2_unsure - Count that the state of something is unknown from `since` on. v2_gap_from - Also count this
 * as a gap. */
void v2_unsure(struct v2_order *o, int64_t since);
void v2_gap_from(struct v2_order *o, int64_t since);
/* v2_lose_g - Make the goroutine that a thread runs unknown from now on. v2_lose_p - The same for its P. */
void v2_lose_g(struct v2_order *o, struct v2_m *m, int64_t since);
void v2_lose_p(struct v2_order *o, struct v2_m *m, int64_t since);
/* v2_g_gap, v2_p_gap - Make it unknown since the last event that names it, until the cursor's, and set its
 * next status. v2_g_gap returns the event that says so; NULL: nothing was known of it. */
struct ev *v2_g_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t g, uint8_t next);
void v2_p_gap(struct v2_order *o, const struct v2_cursor *c, uint32_t p, uint8_t next);

/* v2_lossy_mend_wait - Make the cursor's event possible although what it waits for was lost.
 * v2_lossy_mend_bad - The same although it contradicts the known state. They return false if they can't. */
bool v2_lossy_mend_wait(struct v2_order *o, const struct v2_cursor *c);
bool v2_lossy_mend_bad(struct v2_order *o, const struct v2_cursor *c);

#endif
