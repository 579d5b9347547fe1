/*
 * gstate.c - see gstate.h. Assists lie in lists by goroutine, by time; a goroutine's don't overlap. How long it ran within
 * the first i of them is summed up when it is first asked for, so an interval costs two look-ups and its two ends.
 */
#include "layout/draw/gstate.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"

#define NOT_YET INT64_MIN

struct gstate {
    size_t seen;
    uint32_t lanes;
    uint32_t *list, *from; /* range numbers, goroutine by goroutine; from: lanes + 1 */
    int64_t *ran;          /* before each of the list, since its goroutine's first; NOT_YET at a first one: unknown */
};

static const struct range *assists(const struct trace *tr, size_t *n)
{
    const struct range *r;
    *n = trace_ranges(tr, RANGE_ASSIST, &r);
    return r;
}

static void fill(struct gstate *x, const struct range *r, size_t n, uint32_t *at)
{
    for (size_t i = 0; i < n; i++)
        if (r[i].owner < x->lanes)
            x->from[r[i].owner + 1]++;
    for (uint32_t i = 0; i < x->lanes; i++)
        x->from[i + 1] += x->from[i];
    memcpy(at, x->from, ((size_t)x->lanes + 1) * sizeof *at);
    enum { ASIDE = 64 }; /* so far at most one stands late: more would be a trace's joke */
    for (size_t i = 0; i < n; i++) {
        uint32_t g = r[i].owner, k;
        if (g >= x->lanes)
            continue;
        for (k = at[g]++; k > x->from[g] && k + ASIDE > at[g] && r[x->list[k - 1]].t0 > r[i].t0;
             k--) /* nearly in order as they are */
            x->list[k] = x->list[k - 1];
        x->list[k] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < x->from[x->lanes]; i++)
        x->ran[i] = NOT_YET;
}

bool gstate_update(struct gstate **s, const struct trace *tr)
{
    size_t n;
    const struct range *r = assists(tr, &n);
    if (!n || n > UINT32_MAX / 2)
        return true;
    if (*s && ((*s)->seen == n || (!trace_info(tr)->done && n - (*s)->seen < (*s)->seen / 8)))
        return true;
    struct gstate *x = mem_zalloc(sizeof *x);
    uint32_t lanes = trace_nlanes(tr, LANE_G), *at = mem_alloc(((size_t)lanes + 1) * sizeof *at);
    if (x) {
        x->seen = n;
        x->lanes = lanes;
        x->list = mem_alloc((n + 1) * sizeof *x->list);
        x->ran = mem_alloc((n + 1) * sizeof *x->ran);
        x->from = mem_zalloc(((size_t)lanes + 2) * sizeof *x->from);
    }
    bool ok = x && at && x->list && x->ran && x->from;
    if (ok) {
        fill(x, r, n, at);
        gstate_free(*s);
        *s = x;
    } else {
        gstate_free(x);
    }
    mem_free(at);
    return ok;
}

void gstate_free(struct gstate *s)
{
    if (!s)
        return;
    mem_free(s->list);
    mem_free(s->from);
    mem_free(s->ran);
    mem_free(s);
}

/* The first of goroutine g's assists that ends behind t. */
static uint32_t first_behind(const struct gstate *s, const struct range *r, uint32_t g, int64_t t)
{
    uint32_t lo = s->from[g], hi = s->from[g + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (r[s->list[mid]].t1 > t)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static int64_t ran_in(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct shares sh;
    if (t1 <= t0)
        return 0;
    trace_shares(tr, (struct lane){LANE_G, g}, t0, t1, &sh);
    return sh.ns[ST_RUNNING];
}

static void sum_up(struct gstate *s, const struct trace *tr, const struct range *r, uint32_t g)
{
    int64_t sum = 0;
    for (uint32_t i = s->from[g]; i < s->from[g + 1]; i++) {
        s->ran[i] = sum;
        sum += ran_in(tr, g, r[s->list[i]].t0 < 0 ? 0 : r[s->list[i]].t0, r[s->list[i]].t1);
    }
}

/* How long g ran within assists that began at 0 or later, up to t. */
static int64_t until(struct gstate *s, const struct trace *tr, const struct range *r, uint32_t g, int64_t t)
{
    uint32_t i = first_behind(s, r, g, t), last = s->from[g + 1];
    int64_t before = 0;
    if (i == last) {
        if (i == s->from[g])
            return 0;
        i--; /* all of the last one */
        before = s->ran[i] + ran_in(tr, g, r[s->list[i]].t0 < 0 ? 0 : r[s->list[i]].t0, r[s->list[i]].t1);
        return before;
    }
    before = s->ran[i];
    return before + ran_in(tr, g, r[s->list[i]].t0 < 0 ? 0 : r[s->list[i]].t0, t);
}

static bool known(const struct gstate *s, const struct trace *tr, uint32_t g, size_t *n, const struct range **r)
{
    *r = assists(tr, n);
    return s && g < s->lanes && *n >= s->seen && s->from[g] < s->from[g + 1];
}

bool gstate_any(const struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    size_t n;
    const struct range *r;
    if (!known(s, tr, g, &n, &r))
        return false;
    uint32_t i = first_behind(s, r, g, t0);
    return i < s->from[g + 1] && r[s->list[i]].t0 < t1;
}

void gstate_shares(struct gstate *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                   struct shares *out)
{
    trace_shares(tr, l, t0, t1, out);
    if (l.kind == LANE_G && out->ns[ST_RUNNING])
        gstate_tell(s, tr, l.i, trace_lane(tr, l).is_worker, t0, t1, out);
}

void gstate_tell(struct gstate *s, const struct trace *tr, uint32_t g, bool worker, int64_t t0, int64_t t1,
                 struct shares *out)
{
    size_t n;
    const struct range *r;
    if (worker) {
        out->ns[ST_GCWORK] += out->ns[ST_RUNNING];
        out->ns[ST_RUNNING] = 0;
        return;
    }
    if (!known(s, tr, g, &n, &r) || !out->ns[ST_RUNNING])
        return;
    if (s->ran[s->from[g]] == NOT_YET)
        sum_up(s, tr, r, g);
    int64_t assist = until(s, tr, r, g, t1) - until(s, tr, r, g, t0);
    assist = assist < 0 ? 0 : assist < out->ns[ST_RUNNING] ? assist : out->ns[ST_RUNNING];
    out->ns[ST_ASSIST] += assist;
    out->ns[ST_RUNNING] -= assist;
}

enum state gstate_of(const struct gstate *s, const struct trace *tr, uint32_t g, enum state st, int64_t t)
{
    if (st != ST_RUNNING || g >= trace_nlanes(tr, LANE_G))
        return st;
    if (trace_lane(tr, (struct lane){LANE_G, g}).is_worker)
        return ST_GCWORK;
    return gstate_any(s, tr, g, t, t + 1) ? ST_ASSIST : ST_RUNNING;
}
