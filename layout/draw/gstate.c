/*
 * gstate.c - see gstate.h. Assists lie in lists by goroutine, by time; a goroutine's don't overlap. How long it ran within
 * the first i of them is summed up when it is first asked for, so an interval costs two look-ups and its two ends. How long
 * the first i lasted, which is more, is known at once. Nothing here is as large as the trace has goroutines.
 */
#include "layout/draw/gstate.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

/* How long each ran isn't known yet; more by 1 for each time that one of the goroutine's was looked at for its own sake. */
#define NOT_YET INT64_MIN

struct assist {
    int64_t t0, t1;
    int64_t lasted, ran; /* those before it, of its goroutine; ran: below 0 at a first one, NOT_YET */
    int64_t alone;       /* within it, NOT_YET until it was asked for */
};

struct gstate {
    size_t seen;
    uint32_t n;       /* goroutines that assist */
    struct idmap who; /* which of them one is */
    uint32_t *from;   /* n + 1: where one's stand in the list */
    struct assist *list;
    uint32_t last_g, last_who; /* whom was asked for last */
};

static const struct range *assists(const struct trace *tr, size_t *n)
{
    const struct range *r;
    *n = trace_ranges(tr, RANGE_ASSIST, &r);
    return r;
}

/* Goroutines get numbers as they come, of[i] is range i's, and from[k + 1] how many are k's. false: out of memory. */
static bool count(struct gstate *x, const struct range *r, size_t n, uint32_t lanes, uint32_t *of)
{
    for (size_t i = 0; i < n; i++) {
        of[i] = IDMAP_NONE;
        if (r[i].owner >= lanes)
            continue;
        if ((of[i] = idmap_get(&x->who, r[i].owner)) == IDMAP_NONE) {
            of[i] = x->n;
            if (!idmap_put(&x->who, r[i].owner, x->n++))
                return false;
        }
        x->from[of[i] + 1]++;
    }
    for (uint32_t i = 0; i < x->n; i++)
        x->from[i + 1] += x->from[i];
    return true;
}

static void fill(struct gstate *x, const struct range *r, size_t n, const uint32_t *of, uint32_t *at)
{
    memcpy(at, x->from, ((size_t)x->n + 1) * sizeof *at);
    enum { ASIDE = 64 }; /* so far at most one stands late: more would be a trace's joke */
    for (size_t i = 0; i < n; i++) {
        uint32_t g = of[i], k;
        if (g == IDMAP_NONE)
            continue;
        for (k = at[g]++; k > x->from[g] && k + ASIDE > at[g] && x->list[k - 1].t0 > r[i].t0;
             k--) /* nearly in order as they are */
            x->list[k] = x->list[k - 1];
        x->list[k] = (struct assist){.t0 = r[i].t0, .t1 = r[i].t1, .ran = NOT_YET, .alone = NOT_YET};
    }
    for (uint32_t g = 0; g < x->n; g++)
        for (uint32_t i = x->from[g]; i + 1 < x->from[g + 1]; i++)
            x->list[i + 1].lasted = ns_add(x->list[i].lasted, x->list[i].t1 - x->list[i].t0);
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
    uint32_t *of = mem_alloc((n + 1) * sizeof *of), *at = mem_alloc((n + 1) * sizeof *at);
    if (x) {
        x->seen = n;
        x->last_g = x->last_who = IDMAP_NONE;
        x->list = mem_alloc((n + 1) * sizeof *x->list);
        x->from = mem_zalloc((n + 2) * sizeof *x->from);
    }
    bool ok = x && of && at && x->list && x->from && count(x, r, n, trace_nlanes(tr, LANE_G), of);
    if (ok) {
        fill(x, r, n, of, at);
        gstate_free(*s);
        *s = x;
    } else {
        gstate_free(x);
    }
    mem_free(of);
    mem_free(at);
    return ok;
}

void gstate_free(struct gstate *s)
{
    if (!s)
        return;
    idmap_free(&s->who);
    mem_free(s->list);
    mem_free(s->from);
    mem_free(s);
}

/* A goroutine's: list[from .. to). */
struct own {
    struct assist *list;
    uint32_t g, from, to;
};

/* Of goroutine g; false: it has none. */
static bool own_of(struct gstate *s, const struct trace *tr, uint32_t g, struct own *o)
{
    size_t n;
    (void)assists(tr, &n);
    if (!s || n < s->seen)
        return false;
    if (g != s->last_g) {
        s->last_who = idmap_get(&s->who, g);
        s->last_g = g;
    }
    const uint32_t k = s->last_who;
    if (k == IDMAP_NONE)
        return false;
    *o = (struct own){s->list, g, s->from[k], s->from[k + 1]};
    return true;
}

/* The first of a goroutine's assists that ends behind t. */
static uint32_t first_behind(const struct own *o, int64_t t)
{
    uint32_t lo = o->from, hi = o->to;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (o->list[mid].t1 > t)
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

enum { TOGETHER = 16 };

/* How long g ran within each of n <= TOGETHER assists, as far as they lie in [t0,t1). */
static void ran_in_each(const struct trace *tr, uint32_t g, const struct assist *a, uint32_t n, int64_t t0,
                        int64_t t1, int64_t ran[TOGETHER])
{
    int64_t edge[2 * TOGETHER] = {0};
    struct shares sh[2 * TOGETHER];
    bool rising = true;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t x = a[i].t0 > t0 ? a[i].t0 : t0, z = a[i].t1 < t1 ? a[i].t1 : t1;
        edge[2 * i] = x > 0 ? x : 0;
        edge[2 * i + 1] = z > edge[2 * i] ? z : edge[2 * i];
        rising &= !i || edge[2 * i] >= edge[2 * i - 1];
    }
    if (rising) /* else a trace's joke */
        trace_columns(tr, (struct lane){LANE_G, g}, edge, 2 * n - 1, sh);
    for (uint32_t i = 0; i < n; i++)
        ran[i] = rising ? sh[2 * i].ns[ST_RUNNING] : ran_in(tr, g, edge[2 * i], edge[2 * i + 1]);
}

static void sum_up(const struct own *o, const struct trace *tr)
{
    int64_t sum = 0, ran[TOGETHER];
    for (uint32_t i = o->from, n; i < o->to; i += n) {
        n = o->to - i < TOGETHER ? o->to - i : TOGETHER;
        ran_in_each(tr, o->g, &o->list[i], n, INT64_MIN, INT64_MAX, ran);
        for (uint32_t k = 0; k < n; k++) {
            o->list[i + k].ran = sum;
            sum += ran[k];
        }
    }
}

/*
 * Those in [t0,t1) looked at by themselves, each once, if they are few and so were all that were till now: a picture seldom
 * asks for many (see draw.c). false: all are to be summed up.
 */
static bool few(const struct own *o, const struct trace *tr, int64_t t0, int64_t t1, int64_t *ran)
{
    struct assist *const a = &o->list[first_behind(o, t0)], *const end = &o->list[o->to];
    struct assist ask[TOGETHER];
    int64_t each[TOGETHER], *const asked = &o->list[o->from].ran;
    uint32_t n = 0, of[TOGETHER];
    *ran = 0;
    for (uint32_t i = 0; a + i < end && a[i].t0 < t1; i++) {
        if (a[i].alone != NOT_YET && a[i].t0 >= t0 && a[i].t1 <= t1) {
            *ran += a[i].alone;
            continue;
        }
        if (n == TOGETHER)
            return false;
        of[n] = i;
        ask[n++] = a[i];
    }
    if (*asked - NOT_YET + n > o->to - o->from)
        return false;
    *asked += n;
    if (n)
        ran_in_each(tr, o->g, ask, n, t0, t1, each);
    for (uint32_t k = 0; k < n; k++) {
        *ran += each[k];
        if (ask[k].t0 >= t0 && ask[k].t1 <= t1)
            a[of[k]].alone = each[k];
    }
    return true;
}

/* How long it ran within assists that began at 0 or later, up to t. */
static int64_t until(const struct own *o, const struct trace *tr, int64_t t)
{
    uint32_t i = first_behind(o, t);
    if (i == o->to && i == o->from)
        return 0;
    const struct assist *a = &o->list[i == o->to ? i - 1 : i]; /* all of the last one */
    return a->ran + ran_in(tr, o->g, a->t0 < 0 ? 0 : a->t0, i == o->to ? a->t1 : t);
}

bool gstate_any(struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct own o;
    if (!own_of(s, tr, g, &o))
        return false;
    uint32_t i = first_behind(&o, t0);
    return i < o.to && o.list[i].t0 < t1;
}

/* first_behind() of a moment that is mostly not before the one asked for last, *at. */
static uint32_t first_from(const struct own *o, int64_t t, uint32_t *at)
{
    enum { STEPS = 8 };
    uint32_t i = *at;
    if (i < o->from || i > o->to || (i > o->from && o->list[i - 1].t1 > t))
        return *at = first_behind(o, t);
    for (int k = 0; k < STEPS; k++, i++)
        if (i == o->to || o->list[i].t1 > t)
            return *at = i;
    return *at = first_behind(o, t);
}

int64_t gstate_most(struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1, uint32_t *at)
{
    struct own o;
    if (!own_of(s, tr, g, &o) || t1 <= t0)
        return 0;
    const uint32_t i = first_from(&o, t0, at);
    uint32_t k = i;
    int64_t lasted = 0;
    if (i < o.to && o.list[i].t0 < t1)
        k = o.list[i].t1 > t1 ? i : first_from(&o, t1, at);
    if (k > i) /* those that end in it */
        lasted = ns_add(o.list[k - 1].lasted - o.list[i].lasted, o.list[k - 1].t1 - o.list[k - 1].t0);
    if (k < o.to && o.list[k].t0 < t1) /* one that goes on */
        lasted = ns_add(lasted, t1 - o.list[k].t0);
    return lasted < t1 - t0 ? lasted : t1 - t0;
}

void gstate_shares(struct gstate *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                   struct shares *out)
{
    trace_shares(tr, l, t0, t1, out);
    if (l.kind == LANE_G && out->ns[ST_RUNNING])
        gstate_tell(s, tr, l.i, trace_lane_who(tr, l).is_worker, t0, t1, out);
}

void gstate_tell(struct gstate *s, const struct trace *tr, uint32_t g, bool worker, int64_t t0, int64_t t1,
                 struct shares *out)
{
    if (worker) {
        out->ns[ST_GCWORK] += out->ns[ST_RUNNING];
        out->ns[ST_RUNNING] = 0;
        return;
    }
    struct own o;
    if (!out->ns[ST_RUNNING] || !own_of(s, tr, g, &o))
        return;
    int64_t assist;
    if (o.list[o.from].ran >= 0 || !few(&o, tr, t0, t1, &assist)) {
        if (o.list[o.from].ran < 0)
            sum_up(&o, tr);
        assist = until(&o, tr, t1) - until(&o, tr, t0);
    }
    assist = assist < 0 ? 0 : assist < out->ns[ST_RUNNING] ? assist : out->ns[ST_RUNNING];
    out->ns[ST_ASSIST] += assist;
    out->ns[ST_RUNNING] -= assist;
}

enum state gstate_of(struct gstate *s, const struct trace *tr, uint32_t g, enum state st, int64_t t)
{
    if (st != ST_RUNNING || g >= trace_nlanes(tr, LANE_G))
        return st;
    if (trace_lane_who(tr, (struct lane){LANE_G, g}).is_worker)
        return ST_GCWORK;
    return gstate_any(s, tr, g, t, t + 1) ? ST_ASSIST : ST_RUNNING;
}
