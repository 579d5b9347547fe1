/*
 * gstate.c - see gstate.h. Assists are sorted by goroutine, then by time; those of one
 * goroutine don't overlap. Beside each stands how long goroutines ran in all before it, so an interval costs
 * two look-ups, and one on the lane for each assist that one of its ends cuts.
 */
#include "triage/activity/gstate.h"

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

struct gstate {
    size_t seen;        /* assists there are */
    bool done;          /* they stay where they are */
    uint32_t ng, *from; /* where each goroutine's begin in `i`; ng + 1 */
    uint32_t *i;        /* by goroutine, then time */
    int64_t *before;
};

void gstate_free(struct gstate *s)
{
    if (!s)
        return;
    mem_free(s->from);
    mem_free(s->i);
    mem_free(s->before);
    mem_free(s);
}

static int64_t begin_of(const struct range *r)
{
    return r->t0 > 0 ? r->t0 : 0;
}

static int64_t end_of(const struct range *r)
{
    return r->t1 > begin_of(r) ? r->t1 : begin_of(r);
}

static int64_t ran_in(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    return trace_ns(tr, lane_g(g), ST_RUNNING, t0, t1);
}

static bool by_owner(struct gstate *s, const struct trace *tr, const struct range *r)
{
    int64_t sum = 0;
    uint32_t n = 0;
    s->ng = trace_nlanes(tr, LANE_G);
    s->from = mem_alloc(((size_t)s->ng + 1) * sizeof *s->from);
    s->i = lane_order(r, sizeof *r, s->seen, offsetof(struct range, owner), offsetof(struct range, t0));
    s->before = s->from && s->i ? mem_alloc((s->seen + 1) * sizeof *s->before) : NULL;
    for (uint32_t g = 0; s->before && g <= s->ng; g++) {
        s->from[g] = n;
        for (; n < s->seen && r[s->i[n]].owner == g && g < s->ng; n++) {
            const struct range *x = &r[s->i[n]];
            s->before[n] = sum;
            sum = ns_add(sum, x->a ? (int64_t)(x->a - 1) : ran_in(tr, g, begin_of(x), end_of(x)));
        }
        s->before[n] = sum;
    }
    return s->before;
}

bool gstate_update(struct gstate **s, const struct trace *tr)
{
    const struct range *r;
    const size_t n = trace_ranges(tr, RANGE_ASSIST, &r);
    const bool done = trace_info(tr)->done;
    if (!n || n > UINT32_MAX / 2)
        return true;
    if (*s && (*s)->done == done && ((*s)->seen == n || (!done && n - (*s)->seen < (*s)->seen / 8)))
        return true;
    struct gstate *x = mem_zalloc(sizeof *x);
    if (x)
        *x = (struct gstate){.seen = n, .done = done};
    const bool ok = x && by_owner(x, tr, r);
    gstate_free(ok ? *s : x);
    *s = ok ? x : *s;
    return ok;
}

static struct assists assists_of(const struct gstate *s, const struct trace *tr, uint32_t g)
{
    const struct range *r;
    const size_t n = trace_ranges(tr, RANGE_ASSIST, &r);
    if (!s || n < s->seen || g >= s->ng)
        return (struct assists){0};
    const uint32_t from = s->from[g];
    return (struct assists){false, r, s->i + from, s->before + from, g, s->from[g + 1] - from};
}

struct assists gstate_assists(const struct gstate *s, const struct trace *tr, struct lane l)
{
    struct assists x = l.kind == LANE_G ? assists_of(s, tr, l.i) : (struct assists){0};
    x.worker = l.kind == LANE_G && trace_lane_who(tr, l).is_worker;
    return x;
}

/* Returns the first of a goroutine's assists that ends after t. */
static uint32_t first_behind(const struct assists *x, int64_t t)
{
    return bisected(x->n, k, end_of(&x->r[x->i[k]]) <= t);
}

/* Returns when its k-th assist begins; never, if there is none. */
static int64_t assist_t0(const struct assists *x, uint32_t k)
{
    return k < x->n ? begin_of(&x->r[x->i[k]]) : INT64_MAX;
}

bool gstate_any(const struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    const struct assists x = assists_of(s, tr, g);
    return assist_t0(&x, first_behind(&x, t0)) < t1;
}

void gstate_shares(const struct gstate *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                   struct shares *out)
{
    trace_shares(tr, l, t0, t1, out);
    if (l.kind == LANE_G && out->ns[ST_RUNNING]) {
        const struct assists x = gstate_assists(s, tr, l);
        gstate_tell(&x, tr, t0, t1, out);
    }
}

void gstate_tell(const struct assists *x, const struct trace *tr, int64_t t0, int64_t t1, struct shares *out)
{
    const int64_t ran = out->ns[ST_RUNNING];
    if (x->worker) {
        out->ns[ST_GCWORK] += ran;
        out->ns[ST_RUNNING] = 0;
    }
    if (x->worker || !x->n || !ran)
        return;
    const uint32_t i = first_behind(x, t0), k = first_behind(x, t1);
    const bool cut = assist_t0(x, i) < t0;
    int64_t assist = x->before[k] - x->before[i];
    if (i < k && cut)
        assist -= ran_in(tr, x->g, assist_t0(x, i), t0);
    if (assist_t0(x, k) < t1)
        assist += ran_in(tr, x->g, i == k && cut ? t0 : assist_t0(x, k), t1);
    assist = assist < 0 ? 0 : assist < ran ? assist : ran;
    out->ns[ST_ASSIST] += assist;
    out->ns[ST_RUNNING] -= assist;
}

enum state gstate_of(const struct gstate *s, const struct trace *tr, uint32_t g, enum state st, int64_t t)
{
    if (st != ST_RUNNING || g >= trace_nlanes(tr, LANE_G))
        return st;
    if (trace_lane_who(tr, lane_g(g)).is_worker)
        return ST_GCWORK;
    return gstate_any(s, tr, g, t, t + 1) ? ST_ASSIST : ST_RUNNING;
}
