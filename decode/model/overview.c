/* overview.c - see overview.h. */
#include "decode/model/overview.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/model/past.h"

static int64_t edge_of(const struct overview *ov, size_t i)
{
    return (int64_t)i << ov->shift;
}

/* Every second edge goes. */
static void widen(struct overview *ov)
{
    for (int k = 0; k < LANE_KINDS; k++)
        for (size_t i = 0; i < ov->nlane[k]; i++)
            for (size_t b = 0; b <= ov->nbuckets / 2; b++)
                ov->lane[k][i].at[b] = ov->lane[k][i].at[2 * b];
    for (int m = 0; m < METRIC_COUNT; m++) {
        struct minmax *mm = ov->mm[m];
        for (size_t b = 0; mm && b < ov->nbuckets / 2; b++)
            mm[b] = (struct minmax){mm[2 * b].min < mm[2 * b + 1].min ? mm[2 * b].min : mm[2 * b + 1].min,
                                    mm[2 * b].max > mm[2 * b + 1].max ? mm[2 * b].max : mm[2 * b + 1].max};
        for (size_t b = ov->nbuckets / 2; mm && b < ov->nbuckets; b++)
            mm[b] = (struct minmax){UINT64_MAX, 0};
    }
    ov->shift++;
}

static bool lanes_room(struct overview *ov, enum lane_kind k, size_t n)
{
    if (n <= ov->nlane[k])
        return true;
    while (ov->nbuckets > 64 && n * ov->nbuckets * sizeof(struct ov_sum) > ov->budget) {
        widen(ov);
        ov->nbuckets /= 2;
        for (size_t i = 0; i < ov->nlane[k]; i++) {
            struct ov_sum *at = mem_resize(ov->lane[k][i].at, (ov->nbuckets + 1) * sizeof *at);
            ov->lane[k][i].at = at ? at : ov->lane[k][i].at;
        }
    }
    struct ov_lane *l = mem_resize(ov->lane[k], n * sizeof *l);
    if (!l)
        return false;
    ov->lane[k] = l;
    while (ov->nlane[k] < n) {
        struct ov_lane *x = &l[ov->nlane[k]];
        *x = (struct ov_lane){.at = mem_zalloc((ov->nbuckets + 1) * sizeof *x->at)};
        if (!x->at)
            return false;
        ov->nlane[k]++;
    }
    return true;
}

static struct ov_sum sum_add(struct ov_sum a, const struct ov_sum *b, const struct ov_sum *minus)
{
    for (int s = 0; s < SPAN_SLOTS; s++)
        a.v[s] += b->v[s] - minus->v[s];
    return a;
}

/* A lane's sums in this fold at n moments. */
static void fold_sums(const struct fold *f, enum lane_kind k, size_t i, const int64_t *t, uint32_t n,
                      struct ov_sum *out)
{
    int64_t tot[64][SPAN_SLOTS];
    uint64_t count[64];
    spans_totals(&f->pool, k, &f->lane[k][i], t, n, f->end, tot, count);
    for (uint32_t j = 0; j < n; j++) {
        memcpy(out[j].v, tot[j], sizeof tot[j]);
        out[j].v[0] = (int64_t)count[j];
    }
}

static void lane_take(struct overview *ov, const struct fold *f, enum lane_kind k, size_t i)
{
    struct ov_lane *l = &ov->lane[k][i];
    int64_t from = l->there ? ov->end : 0; /* one that is new here may have been back-dated */
    struct ov_sum base, got[64];
    if (!f->lane[k][i].begun)
        return;
    fold_sums(f, k, i, &from, 1, &base);
    size_t b = (size_t)(from >> ov->shift) + 1, last = (size_t)(f->end >> ov->shift);
    while (b <= last) {
        int64_t t[64];
        uint32_t n = 0;
        for (; n < 64 && b + n <= last; n++)
            t[n] = edge_of(ov, b + n);
        fold_sums(f, k, i, t, n, got);
        for (uint32_t j = 0; j < n; j++)
            l->at[b + j] = sum_add(l->now, &got[j], &base);
        b += n;
    }
    fold_sums(f, k, i, &f->end, 1, got);
    l->now = sum_add(l->now, &got[0], &base);
    l->there = true;
}

static void points_take(struct overview *ov, const struct fold *f, int m)
{
    const struct vec_point *v = &f->points[m];
    struct minmax *mm = ov->mm[m];
    for (size_t i = 0; i < v->n; i++) { /* each value from its time to that of the next */
        int64_t a = v->v[i].t > ov->end ? v->v[i].t : ov->end, z = i + 1 < v->n ? v->v[i + 1].t : f->end + 1;
        for (size_t b = (size_t)(a >> ov->shift); b < ov->nbuckets && edge_of(ov, b) < z && a < z; b++) {
            mm[b].min = v->v[i].v < mm[b].min ? v->v[i].v : mm[b].min;
            mm[b].max = v->v[i].v > mm[b].max ? v->v[i].v : mm[b].max;
        }
    }
}

static int longer(const void *a, const void *b)
{
    const struct range *x = &((const struct ov_range *)a)->r, *y = &((const struct ov_range *)b)->r;
    int64_t m = x->t1 - x->t0, n = y->t1 - y->t0;
    return m != n ? (m < n ? 1 : -1) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

static int earlier(const void *a, const void *b)
{
    const struct range *x = &((const struct ov_range *)a)->r, *y = &((const struct ov_range *)b)->r;
    return x->t0 != y->t0 ? (x->t0 > y->t0) - (x->t0 < y->t0) : (x->t1 > y->t1) - (x->t1 < y->t1);
}

static bool ranges_take(struct overview *ov, const struct fold *f, int k, bool last)
{
    const struct vec_range *v = &f->range[k];
    for (size_t i = 0; i < v->n; i++) {
        const struct range *r = &v->v[i];
        if (r->open_end && !last)
            continue; /* it goes on into the next part */
        if ((ov->nrange[k] + 1) * (sizeof(struct ov_range) + sizeof *r) >
            ov->budget / 2 + 65536) { /* keep the longest */
            qsort(ov->range[k], ov->nrange[k], sizeof *ov->range[k], longer);
            ov->nrange[k] /= 2;
        }
        struct ov_range *p = mem_grow(ov->range[k], &ov->caprange[k], ov->nrange[k] + 1, sizeof *p);
        if (!p)
            return false;
        ov->range[k] = p;
        bool g = !r->scope_p && r->owner != NO_LANE && r->owner < f->nlane[LANE_G];
        p[ov->nrange[k]++] = (struct ov_range){*r, g ? fold_g_id(f, r->owner) : 0, g};
    }
    return true;
}

bool overview_take(struct overview *ov, const struct fold *f, bool last)
{
    if (!ov->nbuckets) {
        ov->nbuckets = OV_BUCKETS;
        ov->shift = 10;
    }
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (ov->mm[m])
            continue;
        if (!(ov->mm[m] = mem_alloc(ov->nbuckets * sizeof *ov->mm[m])))
            return false;
        for (size_t b = 0; b < ov->nbuckets; b++)
            ov->mm[m][b] = (struct minmax){UINT64_MAX, 0};
    }
    if (!lanes_room(ov, LANE_P, f->nlane[LANE_P]) || !lanes_room(ov, LANE_BAND, f->nlane[LANE_BAND]))
        return false;
    while (f->end >> ov->shift >= ov->nbuckets)
        widen(ov);
    for (size_t i = 0; i < f->nlane[LANE_P]; i++)
        lane_take(ov, f, LANE_P, i);
    for (size_t i = 0; i < f->nlane[LANE_BAND]; i++)
        lane_take(ov, f, LANE_BAND, i);
    for (int m = 0; m < METRIC_COUNT; m++)
        points_take(ov, f, m);
    bool ok = ranges_take(ov, f, RANGE_GC, last) && ranges_take(ov, f, RANGE_STW, last);
    ov->end = f->end;
    return ok;
}

struct ov_sum *overview_now(const struct overview *ov, size_t *n)
{
    *n = ov->nlane[LANE_P] + ov->nlane[LANE_BAND];
    struct ov_sum *s = mem_alloc((*n + 1) * sizeof *s);
    for (size_t i = 0; s && i < *n; i++)
        s[i] = i < ov->nlane[LANE_P] ? ov->lane[LANE_P][i].now : ov->lane[LANE_BAND][i - ov->nlane[LANE_P]].now;
    return s;
}

struct ov_sum overview_at(const struct overview *ov, enum lane_kind k, uint32_t i, int64_t t, int64_t d0, int64_t d1,
                          const struct ov_sum *s0, const struct ov_sum *s1)
{
    struct ov_sum none = {{0}};
    if (i >= ov->nlane[k] || t <= 0)
        return none;
    const struct ov_lane *l = &ov->lane[k][i];
    if (t >= ov->end)
        return l->now;
    size_t b = (size_t)(t >> ov->shift);
    int64_t lo = edge_of(ov, b), hi = edge_of(ov, b + 1);
    const struct ov_sum *a = &l->at[b], *z = &l->at[b + 1];
    if (hi >= ov->end) {
        hi = ov->end;
        z = &l->now;
    }
    if (s0 && t <= d0 && d0 < hi) {
        hi = d0;
        z = s0;
    }
    if (s1 && t >= d1 && d1 > lo) {
        lo = d1;
        a = s1;
    }
    if (hi <= lo || t <= lo)
        return t >= hi && hi > lo ? *z : *a;
    struct ov_sum out;
    double share = (double)(t - lo) / (double)(hi - lo);
    for (int s = 0; s < SPAN_SLOTS; s++)
        out.v[s] = a->v[s] + (int64_t)((double)(z->v[s] - a->v[s]) * share);
    return out;
}

bool overview_minmax(const struct overview *ov, enum metric m, int64_t t0, int64_t t1, uint64_t *min, uint64_t *max)
{
    struct minmax x = {UINT64_MAX, 0};
    if (t1 <= t0 || t1 <= 0 || !ov->mm[m])
        return false;
    t0 = t0 < 0 ? 0 : t0;
    for (size_t b = (size_t)(t0 >> ov->shift); b < ov->nbuckets && edge_of(ov, b) < t1; b++) {
        x.min = ov->mm[m][b].min < x.min ? ov->mm[m][b].min : x.min;
        x.max = ov->mm[m][b].max > x.max ? ov->mm[m][b].max : x.max;
    }
    *min = x.min;
    *max = x.max;
    return x.min <= x.max;
}

bool overview_owners(struct overview *ov, uint32_t (*find)(void *arg, uint64_t id), void *arg)
{
    for (int k = 0; k < 2; k++) {
        if (!ov->nrange[k])
            continue;
        struct range *r = mem_resize(ov->out[k], ov->nrange[k] * sizeof *r);
        if (!r)
            return false;
        ov->out[k] = r;
        qsort(ov->range[k], ov->nrange[k], sizeof *ov->range[k], earlier);
        for (size_t i = 0; i < ov->nrange[k]; i++) {
            r[i] = ov->range[k][i].r;
            if (ov->range[k][i].has_g)
                r[i].owner = find(arg, ov->range[k][i].g);
        }
    }
    return true;
}

void overview_free(struct overview *ov)
{
    for (int k = 0; k < LANE_KINDS; k++) {
        for (size_t i = 0; i < ov->nlane[k]; i++)
            mem_free(ov->lane[k][i].at);
        mem_free(ov->lane[k]);
    }
    for (int m = 0; m < METRIC_COUNT; m++)
        mem_free(ov->mm[m]);
    for (int k = 0; k < 2; k++) {
        mem_free(ov->range[k]);
        mem_free(ov->out[k]);
    }
    memset(ov, 0, sizeof *ov);
}
