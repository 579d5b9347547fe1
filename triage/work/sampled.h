/*
 * sampled.h - CPU profile samples applied to the running time of a work's pieces: under which of the user's
 * functions it was.
 *
 * A trace has stacks where a goroutine stopped; while it ran for long between, samples say where it was. A
 * sample covers the time to halfway to its neighbours, and at most SAMPLED_NS on each side: Go samples 100
 * times per second of processor time. Time without a sample is attributed by stops, as in a trace without
 * samples.
 *
 * Time is attributed to a function of the user's, cumulatively: from the outermost in its stack inwards, as
 * long as that one leaves the work to others and a good part of the work's samples are under the next one.
 * So the work of many small functions is their caller's, and that of a library's callbacks is the library's
 * caller's.
 *
 * Use: sampled_new(), and for each work sampled_begin(), sampled_count() for all running of its pieces,
 * then the others. Memory: 4 bytes per sample, and a row per function. Single-threaded.
 */
#ifndef GOTOP_TRIAGE_SAMPLED_H
#define GOTOP_TRIAGE_SAMPLED_H

#include "triage/work/work.h"

#define SAMPLED_NS 10000000

struct sampled;
struct sampled *sampled_new(const struct trace *tr, struct owners *own); /* NULL: out of memory */
void sampled_free(struct sampled *s);                                    /* NULL is allowed */
/* sampled_any - True if the trace has samples. sampled_begin - Start another work. */
bool sampled_any(const struct sampled *s);
void sampled_begin(struct sampled *s);
/* sampled_count - Count goroutine g's running in [t0,t1), in a piece of these sets (one bit each). Returns
 * false if out of memory. */
bool sampled_count(struct sampled *s, uint32_t g, int64_t t0, int64_t t1, unsigned sets);
/* sampled_frame - Returns the frame of a stack that running is attributed to; owner_user() if no sample is
 * under any. */
uint32_t sampled_frame(struct sampled *s, uint32_t stack);
/* sampled_part - The part of running time, from t0 on, that one source describes. */
struct sampled_by {
    int64_t t1;
    /* the sample's stack and the frame it is attributed to; stack 0: no sample covers it */
    uint32_t stack, frame;
};
struct sampled_by sampled_part(struct sampled *s, const struct explain_part *p, int64_t t0);

#endif
