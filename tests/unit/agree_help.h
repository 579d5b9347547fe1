/* agree_help.h - where two traces of the same run, one of them damaged, contradict each other. */
#ifndef GOTOP_TESTS_AGREE_HELP_H
#define GOTOP_TESTS_AGREE_HELP_H

#include "tests/unit/decode_help.h"
#include "tests/unit/follow_help.h"

#define NEVER INT64_MAX

static inline bool lane_known(enum lane_kind k, uint8_t state)
{
    return state != ST_UNKNOWN && !(k != LANE_G && state == ST_NONE);
}

/* A lane of the other trace. Who is running may be a worker whose name was lost: of both states is asked. */
struct other {
    struct follow state, work;
};

static inline int64_t state_ns(struct other *o, int64_t t0, int64_t t1, uint8_t state)
{
    return follow_ns(&o->state, t0, t1, state) +
           (state == ST_RUNNING ? follow_ns(&o->work, t0, t1, ST_GCWORK) : 0);
}

/* Where what a says up to `until` isn't what b says, known: only where a says anything. */
static inline int64_t differs(const struct trace *a, const struct trace *b, enum lane_kind k, int64_t until,
                              int64_t shift, bool known, char *where, size_t size)
{
    int64_t worst = 0;
    for (uint32_t i = 0; i < trace_nlanes(a, k); i++) {
        struct lane l = {k, i}, other = {k, trace_find_lane(b, k, raw_id(a, k, i))};
        struct other o = {follow_lane(b, other), follow_lane(b, other)};
        struct span_iter it;
        if (!span_seek_index(&it, a, l, 0))
            continue;
        do {
            const struct span *s = span_get(&it);
            const int64_t t0 = s->t0, t1 = s->t1 < until ? s->t1 : until;
            if (t0 >= until)
                break;
            if (!lane_known(k, s->state))
                continue;
            int64_t ns = t1 - t0;
            if (other.i != NO_LANE)
                ns -= state_ns(&o, t0 + shift, t1 + shift, s->state);
            else if (!known) /* all of it is missing */
                ns = t1 - t0;
            if (ns <= worst)
                continue;
            worst = ns;
            snprintf(where, size, "%c%" PRIu64 " %s %.6f - %.6f ms, %.6f ms not so", "PGMB"[k],
                     raw_id(a, k, i), state_name(s->state), (double)t0 / 1e6, (double)t1 / 1e6,
                     (double)ns / 1e6);
        } while (span_next(&it));
    }
    return worst;
}

#endif
