/*
 * record.c - see record.h.
 */
#include "layout/move/record.h"

#include "decode/base/rows.h"
#include "triage/activity/gstate.h"
#include "triage/triage.h"

void record_procs(const struct view *v, uint64_t *least, uint64_t *most)
{
    const struct trace_info *ti = trace_info(v->tr);
    if (trace_minmax(v->tr, METRIC_PROCS, 0, ti->end + (ti->end < INT64_MAX), least, most) && *most)
        return;
    *least = *most = ti->gomaxprocs ? ti->gomaxprocs : trace_nlanes(v->tr, LANE_P);
}

enum state record_state(const struct view *v, struct lane l, const struct span *s)
{
    const bool marks = l.kind == LANE_G && s->state == ST_RUNNING && trace_lane_who(v->tr, l).is_worker;
    return marks ? ST_GCWORK : (enum state)s->state;
}

int64_t record_until(const struct view *v, struct lane l)
{
    return known_until(v->tr, v->torn, l);
}

void record_shares(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct shares *out)
{
    const int64_t known = record_until(v, l), from = known > t0 ? known : t0;
    gstate_shares(v->cache.gstate, v->tr, l, t0, t1, out);
    const int64_t idle = out->ns[ST_IDLE], lost = from < t1 ? t1 - from : 0, part = lost < idle ? lost : idle;
    out->ns[ST_IDLE] -= part;
    out->ns[ST_UNKNOWN] += part;
}

/* Searches by time: a thread's spans have no index. */
static bool unknown_at(const struct view *v, struct lane lane, int64_t t)
{
    struct span s;
    return t >= 0 && trace_span_at(v->tr, lane, t, &s) && s.state == ST_UNKNOWN;
}

unsigned record_open(const struct view *v, struct lane lane, const struct span *s)
{
    unsigned open = (s->open_start ? OPEN_START : 0u) | (s->open_end ? OPEN_END : 0u);
    if (s->state == ST_UNKNOWN)
        return open;
    if (unknown_at(v, lane, s->t1))
        open |= OPEN_END;
    if (s->index && unknown_at(v, lane, s->t0 - 1))
        open |= OPEN_START;
    return open;
}

bool record_untimed(const struct view *v, const struct span *s)
{
    return s->state == ST_SYSCALL && tri_untimed(v->tr, time_sub(s->t1, s->t0));
}

/* Finds the stop in progress at t, if any. */
static void stop_at(const struct trace *tr, int64_t t, int64_t *t0, int64_t *t1)
{
    enum { HELPERS = 300 }; /* before Go 1.10 every helping processor records it */
    const struct range *r;
    const size_t n = trace_ranges(tr, RANGE_STW, &r);
    size_t i = bisected(n, k, r[k].t0 <= t);
    for (size_t k = 0; k < HELPERS && i-- > 0; k++)
        if (r[i].t1 > t) {
            *t0 = r[i].t0 < *t0 ? r[i].t0 : *t0;
            *t1 = r[i].t1 > *t1 ? r[i].t1 : *t1;
        }
}

int64_t record_stopped(const struct trace *tr, int64_t t0, int64_t t1)
{
    int64_t from = t0, to = t1;
    if (t1 <= t0)
        return 0;
    stop_at(tr, t0, &from, &to);
    stop_at(tr, t1 - 1, &from, &to);
    return tri_in_band(tr, BAND_STW, from, to);
}
