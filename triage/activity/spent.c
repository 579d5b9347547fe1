/* spent.c - see spent.h. */
#include "triage/activity/spent.h"

#include "triage/activity/window.h"
#include "triage/text.h"

/* ---- stops --------------------------------------------------------------------------------------------- */

bool spent_stop(struct text *t, const struct trace *tr, const struct range *r)
{
    const struct moment m = stop_moment(r);
    struct span held = {.who = NO_LANE}, was;
    int64_t after = 0;
    const uint32_t last = triage_last_to_stop(tr, &m, &held, &after);
    if (last == NO_LANE)
        return false;
    text_say(t, NULL, "last to stop: P", trace_lane_who(tr, lane_p(last)).id, " after ", t_dur(after));
    if (held.who == NO_LANE)
        return true;
    text_say(t, tr, ", it ran ", t_who(held.who));
    if (trace_span_at(tr, lane_g(held.who), held.t1 - 1, &was) && was.stack_end)
        text_say(t, tr, ", which stopped in ", t_where(was.stack_end, 60));
    return true;
}

/* ---- bands --------------------------------------------------------------------------------------------- */

/* Whether a processor in that state does what the band shows; never for a band that no processor state
 * belongs to. */
static bool of_band(enum band b, uint8_t state)
{
    return (b == BAND_GC && (state == ST_GCWORK || state == ST_ASSIST)) ||
           (b == BAND_ASSIST && state == ST_ASSIST) || (b == BAND_SWEEP && state == ST_SWEEP);
}

/* Returns the processor that did it longest in [t0,t1); NO_LANE: none did. */
static uint32_t most_of_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1)
{
    uint32_t best = NO_LANE;
    int64_t most = 0;
    for (uint32_t p = 0, n = trace_nlanes(tr, LANE_P); p < n; p++) {
        struct shares sh;
        int64_t ns = 0;
        trace_shares(tr, lane_p(p), t0, t1, &sh);
        for (int k = 0; k < ST_COUNT; k++)
            ns = time_add(ns, of_band(b, (uint8_t)k) ? sh.ns[k] : 0);
        best = ns > most ? p : best;
        most = ns > most ? ns : most;
    }
    return best;
}

bool spent_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1, uint32_t *p, int64_t *at)
{
    enum { SPANS = 10000 };
    struct span_iter it;
    int64_t most = 0;
    int left = SPANS;
    *p = most_of_band(tr, b, t0, t1);
    *at = t0;
    if (*p == NO_LANE)
        return false;
    each_span(s, it, tr, lane_p(*p), t0) {
        const int64_t from = s->t0 > t0 ? s->t0 : t0, len = time_sub(s->t1 < t1 ? s->t1 : t1, from);
        if (of_band(b, s->state) && len > most) {
            *at = from;
            most = len;
        }
        if (s->t1 >= t1 || !--left)
            break;
    }
    return true;
}
