/*
 * gstate.c - see gstate.h. Assists are chained by a hash of their goroutine, in one pass; who is asked for gets a list of its
 * own, by time; a goroutine's don't overlap. How long it ran within the first i of them is summed up when that is first asked
 * for, so an interval costs two look-ups and its two ends. How long the first i lasted, which is more, is known at once. All
 * of it is as large as there are assists, at most 48 bytes each and 24 for a goroutine that was asked for; not as there are
 * goroutines.
 */
#include "layout/draw/gstate.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
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
    uint32_t bits;        /* 1 << bits heads */
    uint32_t *head;       /* by a hash of the owner: the last of its chain, 1 up; 0: none */
    uint32_t *next;       /* of each assist: the one before it in its chain */
    struct idmap who;     /* whose list is made: which one it is */
    struct own_list *own; /* of those who were asked for and assist */
    size_t nown, capown;
    uint32_t last_g, last_who; /* whom was asked for last */
};

struct own_list { /* a goroutine's */
    struct assist *list;
    uint32_t n;
};

static const struct range *assists(const struct trace *tr, size_t *n)
{
    const struct range *r;
    *n = trace_ranges(tr, RANGE_ASSIST, &r);
    return r;
}

static uint32_t *head_of(const struct gstate *s, uint32_t owner)
{
    return &s->head[hash_first(owner) >> (64 - s->bits)];
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
    if (x) {
        x->seen = n;
        x->last_g = x->last_who = IDMAP_NONE;
        for (x->bits = 1; (size_t)1 << x->bits < n; x->bits++) {
        }
        x->head = mem_zalloc(((size_t)1 << x->bits) * sizeof *x->head);
        x->next = mem_alloc(n * sizeof *x->next);
    }
    if (!x || !x->head || !x->next) {
        gstate_free(x);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t *h = head_of(x, r[i].owner);
        x->next[i] = *h;
        *h = (uint32_t)i + 1;
    }
    gstate_free(*s);
    *s = x;
    return true;
}

void gstate_free(struct gstate *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nown; i++)
        mem_free(s->own[i].list);
    mem_free(s->own);
    idmap_free(&s->who);
    mem_free(s->head);
    mem_free(s->next);
    mem_free(s);
}

/* Goroutine g's list is made. Returns which one it is; IDMAP_NONE: g doesn't assist, or out of memory. */
static uint32_t make_own(struct gstate *s, const struct range *r, uint32_t g)
{
    enum { ASIDE = 64 }; /* so far at most one stands late: more would be a trace's joke */
    const uint32_t last = *head_of(s, g);
    uint32_t n = 0, i;
    for (i = last; i; i = s->next[i - 1])
        n += r[i - 1].owner == g;
    struct own_list *own = n ? mem_grow(s->own, &s->capown, s->nown + 1, sizeof *own) : NULL;
    if (!own)
        return IDMAP_NONE;
    s->own = own;
    struct assist *list = mem_alloc(n * sizeof *list);
    if (!list || !idmap_put(&s->who, g, (uint32_t)s->nown)) {
        mem_free(list);
        return IDMAP_NONE;
    }
    own[s->nown] = (struct own_list){list, n};
    for (i = last; i; i = s->next[i - 1])
        if (r[i - 1].owner == g)
            list[--n] = (struct assist){.t0 = r[i - 1].t0, .t1 = r[i - 1].t1, .ran = NOT_YET, .alone = NOT_YET};
    n = own[s->nown].n;
    for (i = 1; i < n; i++) { /* nearly in order as they are */
        const struct assist a = list[i];
        uint32_t k = i;
        for (; k > 0 && k + ASIDE > i + 1 && list[k - 1].t0 > a.t0; k--)
            list[k] = list[k - 1];
        list[k] = a;
    }
    list[0].lasted = 0;
    for (i = 0; i + 1 < n; i++)
        list[i + 1].lasted = ns_add(list[i].lasted, list[i].t1 - list[i].t0);
    return (uint32_t)s->nown++;
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
    const struct range *r = assists(tr, &n);
    if (!s || n < s->seen || g == NO_LANE)
        return false;
    if (g != s->last_g) {
        s->last_who = idmap_get(&s->who, g);
        if (s->last_who == IDMAP_NONE)
            s->last_who = make_own(s, r, g);
        s->last_g = g;
    }
    const uint32_t k = s->last_who;
    if (k == IDMAP_NONE)
        return false;
    *o = (struct own){s->own[k].list, g, 0, s->own[k].n};
    return true;
}

/* The first of a goroutine's assists that ends behind t. */
static uint32_t first_behind(const struct own *o, int64_t t)
{
    uint32_t lo = o->from;
    bisect(lo, o->to, i, o->list[i].t1 <= t);
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

/* first_behind() of a moment, from assist i on, none before which ends behind it. */
static uint32_t behind_from(const struct own *o, uint32_t i, int64_t t)
{
    uint32_t step = 1, lo = i;
    while (i < o->to && o->list[i].t1 <= t) {
        lo = i + 1;
        i = o->to - i > step ? i + step : o->to;
        step *= 2;
    }
    bisect(lo, i, k, o->list[k].t1 <= t);
    return lo;
}

bool gstate_most(struct gstate *s, const struct trace *tr, uint32_t g, const int64_t *edges, uint32_t n, int64_t *out)
{
    struct own o;
    if (!n || !own_of(s, tr, g, &o))
        return false;
    bool any = false;
    uint32_t i = first_behind(&o, edges[0]);
    for (uint32_t c = 0, k; c < n; c++, i = k) {
        const int64_t t0 = edges[c], t1 = edges[c + 1];
        int64_t lasted = 0;
        k = behind_from(&o, i, t1);
        if (k > i) /* those that end in it */
            lasted = ns_add(o.list[k - 1].lasted - o.list[i].lasted, o.list[k - 1].t1 - o.list[k - 1].t0);
        if (k < o.to && o.list[k].t0 < t1) /* one that goes on */
            lasted = ns_add(lasted, t1 - o.list[k].t0);
        out[c] = t1 <= t0 ? 0 : lasted < t1 - t0 ? lasted : t1 - t0;
        any |= out[c] > 0;
    }
    return any;
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
