/*
 * samples.c - per kind of lane one array of sample numbers, lane by lane, each lane's in order of time, and
 * where each lane's begin (counting sort over the samples in order of time).
 */
#include "triage/activity/samples.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

struct samples {
    size_t seen;
    struct by {
        uint32_t *list, *from; /* from: lanes + 1 */
        uint32_t lanes;
    } by[3];
};

struct timed {
    int64_t t;
    uint32_t i;
};

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

static uint32_t lane_of(const struct sample *s, int kind)
{
    return kind == LANE_P ? s->p : kind == LANE_G ? s->g : s->m;
}

static bool make(struct by *b, const struct trace *tr, int kind, const struct timed *order, size_t n)
{
    const struct sample *s;
    trace_samples(tr, &s);
    uint32_t lanes = trace_nlanes(tr, (enum lane_kind)kind),
             *at = mem_alloc(((size_t)lanes + 1) * sizeof *at);
    b->lanes = lanes;
    b->list = mem_alloc((n + 1) * sizeof *b->list);
    b->from = mem_zalloc(((size_t)lanes + 2) * sizeof *b->from);
    if (!at || !b->list || !b->from) {
        mem_free(at);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (lane_of(&s[i], kind) < lanes)
            b->from[lane_of(&s[i], kind) + 1]++;
    for (uint32_t i = 0; i < lanes; i++)
        b->from[i + 1] += b->from[i];
    memcpy(at, b->from, ((size_t)lanes + 1) * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        uint32_t l = lane_of(&s[order[i].i], kind);
        if (l < lanes)
            b->list[at[l]++] = order[i].i;
    }
    mem_free(at);
    return true;
}

bool samples_update(struct samples **s, const struct trace *tr)
{
    const struct sample *a;
    size_t n = trace_samples(tr, &a);
    if (!n || n > UINT32_MAX / 2)
        return true;
    if (*s && ((*s)->seen == n || (!trace_info(tr)->done && n - (*s)->seen < (*s)->seen / 8)))
        return true;
    struct samples *x = mem_zalloc(sizeof *x);
    struct timed *order = mem_alloc(n * sizeof *order);
    bool ok = x && order, sorted = true;
    for (size_t i = 0; ok && i < n; i++) {
        order[i] = (struct timed){a[i].t, (uint32_t)i};
        sorted = sorted && (!i || a[i - 1].t <= a[i].t);
    }
    if (ok && !sorted)
        qsort(order, n, sizeof *order, by_time);
    for (int k = 0; ok && k < 3; k++)
        ok = make(&x->by[k], tr, k, order, n);
    mem_free(order);
    if (!ok) {
        samples_free(x);
        return false;
    }
    x->seen = n;
    samples_free(*s);
    *s = x;
    return true;
}

void samples_free(struct samples *s)
{
    for (int k = 0; s && k < 3; k++) {
        mem_free(s->by[k].list);
        mem_free(s->by[k].from);
    }
    mem_free(s);
}

static uint32_t first_from(const struct sample *a, const uint32_t *list, uint32_t lo, uint32_t hi, int64_t t)
{
    bisect(lo, hi, i, a[list[i]].t < t);
    return lo;
}

size_t samples_in(const struct samples *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                  const uint32_t **list)
{
    const struct sample *a;
    *list = NULL;
    if (!s || l.kind > LANE_M || l.i >= s->by[l.kind].lanes || trace_samples(tr, &a) < s->seen)
        return 0;
    const struct by *b = &s->by[l.kind];
    uint32_t from = first_from(a, b->list, b->from[l.i], b->from[l.i + 1], t0),
             to = first_from(a, b->list, from, b->from[l.i + 1], t1);
    *list = b->list + from;
    return to - from;
}
