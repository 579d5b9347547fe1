/*
 * lived.h - what a goroutine did in its life, by state and reason: how often, how long, the longest span
 * and its time; and how often it moved to another processor.
 */
#ifndef GOTOP_TRIAGE_LIVED_H
#define GOTOP_TRIAGE_LIVED_H

#include "decode/trace.h"

enum { LIVED_REASONS = 32 };

struct lived_reason {
    uint32_t str; /* the reason of a wait or the label of a running span; 0: none */
    uint8_t state;
    uint64_t n;
    int64_t ns, longest, at;
};

struct lived {
    struct lived_reason r[LIVED_REASONS]; /* by total time, largest first */
    int n;
    bool cut, others; /* incomplete: over a million spans, or more reasons than fit */
    uint64_t moves;   /* how often it ran on another P than before */
};

void lived_count(const struct trace *tr, uint32_t g, struct lived *out);
/* lived_timed - returns whether the duration of any system call is known, or may be among those not
 * counted. */
bool lived_timed(const struct trace *tr, const struct lived *k);
/* lived_none_timed - returns whether r is system calls of which no duration is known. */
bool lived_none_timed(const struct trace *tr, const struct lived_reason *r);

#endif
