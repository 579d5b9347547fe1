/*
 * samples.c - see samples.h. For each kind of lane it has the samples' numbers, by lane and in it by time.
 */
#include "triage/activity/samples.h"

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

struct samples {
    size_t seen;
    uint32_t *by[LANE_M + 1];
};

static const size_t lane_at[] = {[LANE_P] = offsetof(struct sample, p),
                                 [LANE_G] = offsetof(struct sample, g),
                                 [LANE_M] = offsetof(struct sample, m)};

bool samples_update(struct samples **s, const struct trace *tr)
{
    const struct sample *all;
    const size_t n = trace_samples(tr, &all);
    if (!n || n > UINT32_MAX / 2)
        return true;
    if (*s && ((*s)->seen == n || (!trace_info(tr)->done && n - (*s)->seen < (*s)->seen / 8)))
        return true;
    struct samples *x = mem_zalloc(sizeof *x);
    bool ok = x;
    for (int k = LANE_P; ok && k <= LANE_M; k++)
        ok = (x->by[k] = lane_order(all, sizeof *all, n, lane_at[k], offsetof(struct sample, t)));
    if (ok)
        x->seen = n;
    samples_free(ok ? *s : x);
    *s = ok ? x : *s;
    return ok;
}

void samples_free(struct samples *s)
{
    for (int k = 0; s && k <= LANE_M; k++)
        mem_free(s->by[k]);
    mem_free(s);
}

/* Returns the first place of the lane's samples with a time of at least t. */
static size_t first_from(const struct samples *s, const struct sample *a, struct lane l, int64_t t)
{
    const uint32_t *list = s->by[l.kind], *of;
    return bisected(s->seen, i,
                    (of = (const void *)((const char *)&a[list[i]] + lane_at[l.kind]),
                     *of < l.i || (*of == l.i && a[list[i]].t < t)));
}

size_t samples_in(const struct samples *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                  const uint32_t **list)
{
    const struct sample *a;
    *list = NULL;
    if (!s || l.kind > LANE_M || trace_samples(tr, &a) < s->seen)
        return 0;
    const size_t from = first_from(s, a, l, t0), to = first_from(s, a, l, t1);
    *list = s->by[l.kind] + from;
    return to > from ? to - from : 0;
}
