/*
 * v2_lossy.h - ordering what is left of a generation of which events were lost: because the program was
 * killed before its threads had written all, or because a part of the file is missing.
 *
 * Which steps are in the file is known beforehand. An event whose predecessor is there waits for it, as
 * always. An event whose predecessor was lost comes at its time, and what the goroutine or P did since it was
 * last told of becomes a gap (EVK_LOST: not recorded). When a thread's events end, what it ran is unknown
 * from there on; at the end so is all that the lost events may have changed. Nothing is made up but the
 * order.
 */
#ifndef GOTOP_DECODE_V2_LOSSY_H
#define GOTOP_DECODE_V2_LOSSY_H

#include "decode/damage/v2_step.h"

extern const struct v2_lossy_ops v2_lossy;
/* v2_lossy_suspect - as v2_lossy_ops.begin of v2_lossy, but set it as the order's only if something is
 * missing. false: out of memory. */
bool v2_lossy_suspect(struct v2_order *o);
/* v2_lossy_sound - as far as is known it lacks nothing itself; the one before it may. */
bool v2_lossy_sound(const struct v2_order *o);
/* v2_lossy_report - report what was missing as damage, once the generation is done. */
void v2_lossy_report(struct v2_order *o);

/* ---- what its parts share ------------------------------------------------------------------------------ */

enum { V2_CLOSE_NS = 100000 }; /* no batch is written in so little time */

/* v2_lossy_begin - v2_lossy_ops.begin of v2_lossy: note which steps the generation has, and when events of it
 * may be missing. */
bool v2_lossy_begin(struct v2_order *o);

/*
 * v2_lost - at time t: what g or p (EV_NONE: neither, then the collector) did is not known, from `since` on
 * or since it was last told of, if that is later. Returns the event that says so. All times are absolute.
 * v2_lost_m - a thread has nothing, as far as is known, and what it did since then is not.
 */
struct ev *v2_lost(struct v2_order *o, int64_t t, uint32_t g, uint32_t p, int64_t since);
void v2_lost_m(struct v2_order *o, uint32_t m, int64_t since);
/* v2_unsure - count that the state of something is not known from `since` on; v2_gap_from - and that this is
 * a gap. */
void v2_unsure(struct v2_order *o, int64_t since);
void v2_gap_from(struct v2_order *o, int64_t since);
/* v2_lose_g - the goroutine that a thread runs is unknown from now on; v2_lose_p - the P that it has. */
void v2_lose_g(struct v2_order *o, struct v2_m *m, int64_t since);
void v2_lose_p(struct v2_order *o, struct v2_m *m, int64_t since);
/* v2_forget_g, v2_forget_p - since it was last told of nothing is known of it. */
void v2_forget_g(struct v2_order *o, const struct v2_cursor *c, uint32_t g);
void v2_forget_p(struct v2_order *o, const struct v2_cursor *c, uint32_t p);

/*
 * v2_lossy_mend_wait - make the cursor's event possible although what it waits for was lost;
 * v2_lossy_mend_bad
 * - although it contradicts what is known. false: it can't be shown.
 */
bool v2_lossy_mend_wait(struct v2_order *o, const struct v2_cursor *c);
bool v2_lossy_mend_bad(struct v2_order *o, const struct v2_cursor *c);

#endif
