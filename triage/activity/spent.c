/* spent.c - see spent.h. */
#include "triage/activity/spent.h"

#include "triage/tables/tab.h"
#include "triage/text.h"

/* ---- stops --------------------------------------------------------------------------------------------- */

void spent_stop(struct text *t, const struct trace *tr, const struct range *r)
{
    const struct moment m = stop_moment(r);
    struct span held = {.who = NO_LANE}, was;
    int64_t after = 0;
    const uint32_t last = triage_last_to_stop(tr, &m, &held, &after);
    if (last == NO_LANE) {
        text_lit(t, "no processor had to be waited for");
        return;
    }
    text_say(t, NULL, "last to stop: P", trace_lane_who(tr, lane_p(last)).id, " after ", t_dur(after));
    if (held.who == NO_LANE)
        return;
    text_say(t, tr, ", it ran ", t_who(held.who));
    if (trace_span_at(tr, lane_g(held.who), held.t1 - 1, &was) && was.stack_end)
        text_say(t, tr, ", which stopped in ", t_where(was.stack_end, 60));
}

/* ---- the collector ------------------------------------------------------------------------------------- */

struct longest { /* the longest span of a processor in [t0,t1) */
    int64_t t0, t1, at, most;
};

static bool is_longest(void *arg, const struct span *s)
{
    struct longest *b = arg;
    const int64_t from = s->t0 > b->t0 ? s->t0 : b->t0, len = time_sub(s->t1 < b->t1 ? s->t1 : b->t1, from);
    b->at = len > b->most ? from : b->at;
    b->most = len > b->most ? len : b->most;
    return true;
}

bool spent_gc(const struct trace *tr, int64_t t0, int64_t t1, uint32_t *p, int64_t *at)
{
    struct longest x = {t0, t1, t0, 0};
    int64_t most = 0;
    *p = NO_LANE;
    for (uint32_t i = 0, n = trace_nlanes(tr, LANE_P); i < n; i++) {
        const int64_t ns =
            time_add(trace_ns(tr, lane_p(i), ST_GCWORK, t0, t1), trace_ns(tr, lane_p(i), ST_ASSIST, t0, t1));
        *p = ns > most ? i : *p;
        most = ns > most ? ns : most;
    }
    if (*p != NO_LANE)
        trace_wide(tr, lane_p(*p),
                   &(struct wide_ask){t0, t1, 1, is_longest, &x, 1u << ST_GCWORK | 1u << ST_ASSIST});
    *at = x.at;
    return *p != NO_LANE;
}
