/*
 * samples.c - see samples.h. Per kind of lane the samples' numbers, by lane and in it by time.
 */
#include "triage/activity/samples.h"

#include "decode/base/bisect.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"

struct samples {
    size_t seen;
    uint32_t *by[LANE_M + 1];
};

struct order { /* what is sorted */
    const struct sample *s;
    int kind;
};

static uint32_t lane_of(const struct sample *s, int kind)
{
    return kind == LANE_P ? s->p : kind == LANE_G ? s->g : s->m;
}

static int by_lane(const void *a, const void *b, void *arg)
{
    const struct order *o = arg;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const uint32_t x = lane_of(&o->s[i], o->kind), y = lane_of(&o->s[k], o->kind);
    return x != y                   ? (x > y) - (x < y)
           : o->s[i].t != o->s[k].t ? (o->s[i].t > o->s[k].t) - (o->s[i].t < o->s[k].t)
                                    : (i > k) - (i < k);
}

bool samples_update(struct samples **s, const struct trace *tr)
{
    struct order o = {0};
    const size_t n = trace_samples(tr, &o.s);
    if (!n || n > UINT32_MAX / 2)
        return true;
    if (*s && ((*s)->seen == n || (!trace_info(tr)->done && n - (*s)->seen < (*s)->seen / 8)))
        return true;
    struct samples *x = mem_zalloc(sizeof *x);
    for (o.kind = LANE_P; x && o.kind <= LANE_M; o.kind++) {
        uint32_t *list = x->by[o.kind] = mem_alloc(n * sizeof *list);
        if (!list) {
            samples_free(x);
            return false;
        }
        for (uint32_t i = 0; i < n; i++)
            list[i] = i;
        host_sort(list, n, sizeof *list, by_lane, &o);
    }
    if (!x)
        return false;
    x->seen = n;
    samples_free(*s);
    *s = x;
    return true;
}

void samples_free(struct samples *s)
{
    for (int k = 0; s && k <= LANE_M; k++)
        mem_free(s->by[k]);
    mem_free(s);
}

/* The first place of the lane's samples with a time of at least t. */
static size_t first_from(const struct samples *s, const struct sample *a, struct lane l, int64_t t)
{
    const uint32_t *list = s->by[l.kind];
    size_t lo = 0;
    bisect(lo, s->seen, i,
           lane_of(&a[list[i]], (int)l.kind) < l.i ||
               (lane_of(&a[list[i]], (int)l.kind) == l.i && a[list[i]].t < t));
    return lo;
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
