/*
 * lived.h - what a goroutine did in its life, by state and reason: how often, how long, the longest and when;
 * and how often it moved to another processor.
 */
#ifndef GOTOP_TRIAGE_LIVED_H
#define GOTOP_TRIAGE_LIVED_H

#include "decode/trace.h"

enum { LIVED_REASONS = 32 };

struct lived_reason {
    uint32_t str; /* the reason of a wait, the label of what runs; 0: none */
    uint8_t state;
    uint64_t n;
    int64_t ns, longest, at;
};

struct lived {
    struct lived_reason r[LIVED_REASONS]; /* the most time first */
    int n;
    bool cut,
        others; /* not all spans were counted: there are more than a million; of more reasons than these */
    uint64_t moves; /* how often it ran on another P than before */
};

void lived_count(const struct trace *tr, uint32_t g, struct lived *out);
/* lived_timed - is it known of any system call how long it took, or of one that was not counted? */
bool lived_timed(const struct trace *tr, const struct lived *k);
/* lived_none_timed - of those of one reason: of none? */
bool lived_none_timed(const struct trace *tr, const struct lived_reason *r);

#endif
