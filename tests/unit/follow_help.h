/* follow_help.h - how long a lane was in a state, asked of one moment after the other, by its spans. */
#ifndef GOTOP_TESTS_FOLLOW_HELP_H
#define GOTOP_TESTS_FOLLOW_HELP_H

#include "decode/trace.h"

struct follow { /* where the last question ended: none is of a time before it */
    struct span_iter it;
    bool more;
};

static inline struct follow follow_lane(const struct trace *tr, struct lane l)
{
    struct follow f;
    f.more = l.i != NO_LANE && span_seek_index(&f.it, tr, l, 0);
    return f;
}

/* trace_shares() of one state, by the lane's spans. */
static inline int64_t follow_ns(struct follow *f, int64_t t0, int64_t t1, uint8_t state)
{
    int64_t ns = 0, covered = 0;
    while (f->more) {
        const struct span *s = span_get(&f->it);
        const int64_t a = s->t0 > t0 ? s->t0 : t0, b = s->t1 < t1 ? s->t1 : t1;
        covered += b > a ? b - a : 0;
        ns += b > a && s->state == state ? b - a : 0;
        if (s->t1 >= t1)
            break;
        f->more = span_next(&f->it);
    }
    return state == ST_NONE ? ns + t1 - t0 - covered : ns;
}

#endif
