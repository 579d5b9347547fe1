/*
 * sampled.h - CPU profile samples, told of the running of a work's pieces: under which of the user's
 * functions it was.
 *
 * A trace has stacks where a goroutine stopped; where it ran for long between, samples say where it was. One
 * speaks for the time to half of the way to its neighbours, and for no more than SAMPLED_NS on each side: Go
 * samples 100 times a second of processor time. What none speaks for is told by stops, as without samples.
 *
 * It is put down to a function of the user's, cumulatively: from the outermost in its stack inwards, as long
 * as that one leaves the work to others and a good part of the work's samples are under the next one. So what
 * many small functions do is their caller's, and what a library calls back is that of who called the library.
 *
 * Use: sampled_new(), and for each work sampled_begin(), sampled_count() for all running of its pieces, then
 * the others. Memory: 4 bytes a sample, and a row for each function. One thread.
 */
#ifndef GOTOP_TRIAGE_SAMPLED_H
#define GOTOP_TRIAGE_SAMPLED_H

#include "triage/work/work.h"

#define SAMPLED_NS 10000000

struct sampled;
struct sampled *sampled_new(const struct trace *tr, struct owners *own); /* NULL: out of memory */
void sampled_free(struct sampled *s);                                    /* NULL is allowed */
/* sampled_any - has the trace any? sampled_begin - another work. */
bool sampled_any(const struct sampled *s);
void sampled_begin(struct sampled *s);
/* sampled_count - goroutine g ran in [t0,t1), of a piece of these sets (a bit each). false: out of memory. */
bool sampled_count(struct sampled *s, uint32_t g, int64_t t0, int64_t t1, unsigned sets);
/* sampled_frame - the frame of a stack that it is put down to; owner_user() where no sample is under any.
 */
uint32_t sampled_frame(struct sampled *s, uint32_t stack);
/* sampled_part - of a running part what one thing tells from t0 on. */
struct sampled_by {
    int64_t t1;
    uint32_t stack, frame; /* the sample's, and what it is put down to; stack 0: none speaks for it */
};
void sampled_part(struct sampled *s, const struct explain_part *p, int64_t t0, struct sampled_by *out);

#endif
