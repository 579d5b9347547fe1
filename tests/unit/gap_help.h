/* gap_help.h - where nothing is recorded: a processor's spans of nothing between others. */
#ifndef GOTOP_TESTS_GAP_HELP_H
#define GOTOP_TESTS_GAP_HELP_H

#include "decode/trace.h"

struct gap {
    int64_t t0, t1;
};

/* gaps_of - of the first processor: how many, at most `most` of them in out. One that isn't over doesn't
 * count. */
static inline uint32_t gaps_of(const struct trace *tr, struct gap *out, uint32_t most)
{
    struct span_iter it;
    uint32_t n = 0;
    if (!span_seek_index(&it, tr, (struct lane){LANE_P, 0}, 0))
        return 0;
    do {
        const struct span *s = span_get(&it);
        if (s->state == ST_NONE && s->t0 > 0 && !s->open_end && n < most)
            out[n++] = (struct gap){s->t0, s->t1};
    } while (span_next(&it));
    return n;
}

#endif
