/*
 * gstate.c - see gstate.h. Assists are put by a hash of their goroutine, in two passes; who is asked for gets a list of its
 * own, by time; a goroutine's don't overlap. How long it ran within the first i of them is summed up when that is first asked
 * for, so an interval costs two look-ups and its two ends. How long the first i lasted, which is more, is known at once. All
 * of it is as large as there are assists: 9 bytes each, 20 of a goroutine that was asked for, 16 more if bounds didn't do; not as
 * there are goroutines.
 */
#include "layout/draw/gstate.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

/* How long each ran isn't known yet. */
#define NOT_YET INT64_MIN

/* Of an assist that cells asked for how long its goroutine ran. */
struct ran {
    int64_t before; /* it ran within those before it, of its goroutine; NOT_YET until all are summed up */
    int64_t alone;  /* and within it; NOT_YET until it was asked for */
};

struct one { /* an assist, and whose it is */
    uint32_t i, owner;
};

struct gstate {
    size_t seen, made;    /* assists there are, and those that stand by owner */
    bool done;            /* they stay where they are */
    uint32_t bits;        /* 1 << bits heads */
    uint32_t *head;       /* by a hash of the owner: where its first one stands, and behind the last head's */
    struct one *one;      /* by that hash, then by time */
    struct idmap who;     /* whose list is made: which one it is */
    struct own_list *own; /* of those who were asked for and assist */
    size_t nown, capown;
    uint32_t last_g, last_who; /* whom was asked for last */
};

struct own_list {    /* a goroutine's, by time */
    uint32_t *of;    /* which assist each is */
    int64_t *ends;   /* when each does: what is searched stands side by side */
    int64_t *lasted; /* those before each, and all n */
    struct ran *ran; /* NULL until it is asked for */
    uint32_t n;
};

static const struct range *assists(const struct trace *tr, size_t *n)
{
    const struct range *r;
    *n = trace_ranges(tr, RANGE_ASSIST, &r);
    return r;
}

static uint32_t head_of(const struct gstate *s, uint32_t owner)
{
    return (uint32_t)(hash_first(owner) >> (64 - s->bits));
}

bool gstate_update(struct gstate **s, const struct trace *tr)
{
    size_t n;
    (void)assists(tr, &n);
    if (!n || n > UINT32_MAX / 2)
        return true;
    const bool done = trace_info(tr)->done;
    if (*s && (*s)->done == done && ((*s)->seen == n || (!done && n - (*s)->seen < (*s)->seen / 8)))
        return true;
    struct gstate *x = mem_zalloc(sizeof *x);
    if (!x)
        return false;
    x->seen = n;
    x->done = done;
    x->last_g = x->last_who = IDMAP_NONE;
    gstate_free(*s);
    *s = x;
    return true;
}

static void own_list_free(struct own_list *x)
{
    mem_free(x->of);
    mem_free(x->ends);
    mem_free(x->lasted);
    mem_free(x->ran);
}

void gstate_free(struct gstate *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nown; i++)
        own_list_free(&s->own[i]);
    mem_free(s->own);
    idmap_free(&s->who);
    mem_free(s->head);
    mem_free(s->one);
    mem_free(s);
}

/* Who asks first has them put by owner: a picture without goroutines needs none of it. What is new in memory costs more than a few
   of others' between one's own, so there are few heads. */
static bool by_owner(struct gstate *s, const struct range *r)
{
    enum { EACH = 8 }; /* assists of a head */
    if (s->made == s->seen)
        return s->one;
    s->made = s->seen;
    for (s->bits = 1; (size_t)EACH << s->bits < s->seen; s->bits++) {
    }
    const size_t heads = (size_t)1 << s->bits;
    s->head = mem_zalloc((heads + 2) * sizeof *s->head);
    s->one = s->head ? mem_alloc(s->seen * sizeof *s->one) : NULL;
    if (!s->one)
        return false;
    uint32_t *next = s->head + 1; /* of each head: where its next one is to stand; in the end, behind its last */
    for (size_t i = 0; i < s->seen; i++)
        next[head_of(s, r[i].owner) + 1]++;
    for (size_t h = 1; h <= heads; h++)
        next[h] += next[h - 1];
    for (size_t i = 0; i < s->seen; i++)
        s->one[next[head_of(s, r[i].owner)]++] = (struct one){(uint32_t)i, r[i].owner};
    return true;
}

void gstate_know(struct gstate **s, const struct trace *tr)
{
    size_t n;
    if (gstate_update(s, tr) && *s && (*s)->done)
        (void)by_owner(*s, assists(tr, &n));
}

static bool own_list_new(struct own_list *x, uint32_t n)
{
    *x = (struct own_list){.of = mem_alloc(n * sizeof *x->of),
                           .ends = mem_alloc(n * sizeof *x->ends),
                           .lasted = mem_alloc(((size_t)n + 1) * sizeof *x->lasted),
                           .n = n};
    if (x->of && x->ends && x->lasted)
        return true;
    own_list_free(x);
    return false;
}

/* By time; nearly in order as they are. And what they lasted. */
static void own_list_order(const struct own_list *x, const struct range *r)
{
    enum { ASIDE = 64 }; /* so far at most one stands late: more would be a trace's joke */
    for (uint32_t i = 1; i < x->n; i++) {
        const uint32_t a = x->of[i];
        uint32_t k = i;
        for (; k > 0 && k + ASIDE > i + 1 && r[x->of[k - 1]].t0 > r[a].t0; k--)
            x->of[k] = x->of[k - 1];
        x->of[k] = a;
    }
    x->lasted[0] = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        x->ends[i] = r[x->of[i]].t1;
        x->lasted[i + 1] = ns_add(x->lasted[i], x->ends[i] - r[x->of[i]].t0);
    }
}

/* Goroutine g's list is made. Returns which one it is; IDMAP_NONE: g doesn't assist, or out of memory. */
static uint32_t make_own(struct gstate *s, const struct range *r, uint32_t g)
{
    if (!by_owner(s, r))
        return IDMAP_NONE;
    const uint32_t h = head_of(s, g), from = s->head[h], till = s->head[h + 1];
    uint32_t n = 0;
    for (uint32_t k = from; k < till; k++)
        n += s->one[k].owner == g;
    struct own_list *own = n ? mem_grow(s->own, &s->capown, s->nown + 1, sizeof *own) : NULL;
    if (!own)
        return IDMAP_NONE;
    s->own = own;
    if (!own_list_new(&own[s->nown], n))
        return IDMAP_NONE;
    if (!idmap_put(&s->who, g, (uint32_t)s->nown)) {
        own_list_free(&own[s->nown]);
        return IDMAP_NONE;
    }
    n = 0;
    for (uint32_t k = from; k < till; k++)
        if (s->one[k].owner == g)
            own[s->nown].of[n++] = s->one[k].i;
    own_list_order(&own[s->nown], r);
    return (uint32_t)s->nown++;
}

/* A goroutine's. */
struct own {
    const struct range *r; /* all assists */
    struct own_list *x;
    uint32_t g;
};

static inline const struct range *nth(const struct own *o, uint32_t i)
{
    return &o->r[o->x->of[i]];
}

/* For who asks how long it ran. false: out of memory. */
static bool own_ran(const struct own *o)
{
    if (o->x->ran)
        return true;
    o->x->ran = mem_alloc(o->x->n * sizeof *o->x->ran);
    for (uint32_t i = 0; o->x->ran && i < o->x->n; i++)
        o->x->ran[i] = (struct ran){NOT_YET, NOT_YET};
    return o->x->ran;
}

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
    *o = (struct own){r, &s->own[k], g};
    return true;
}

/* The first of a goroutine's assists that ends behind t. */
static uint32_t first_behind(const struct own *o, int64_t t)
{
    uint32_t lo = 0;
    bisect(lo, o->x->n, i, o->x->ends[i] <= t);
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

enum { TOGETHER = 60, FEW = 256 };

/* How long it ran within each of n <= TOGETHER assists of a goroutine, as far as they lie in [t0,t1). */
static void ran_in_each(const struct trace *tr, const struct own *o, const uint32_t *which, uint32_t n, int64_t t0,
                        int64_t t1, int64_t ran[TOGETHER])
{
    int64_t edge[2 * TOGETHER] = {0};
    struct shares sh[2 * TOGETHER];
    bool rising = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct range *a = nth(o, which[i]);
        const int64_t x = a->t0 > t0 ? a->t0 : t0, z = a->t1 < t1 ? a->t1 : t1;
        edge[2 * i] = x > 0 ? x : 0;
        edge[2 * i + 1] = z > edge[2 * i] ? z : edge[2 * i];
        rising &= !i || edge[2 * i] >= edge[2 * i - 1];
    }
    if (rising) /* else a trace's joke */
        trace_columns(tr, (struct lane){LANE_G, o->g}, edge, 2 * n - 1, sh);
    for (uint32_t i = 0; i < n; i++)
        ran[i] = rising ? sh[2 * i].ns[ST_RUNNING] : ran_in(tr, o->g, edge[2 * i], edge[2 * i + 1]);
}

/* Whole ones, each of which isn't known yet. */
static void look_at(const struct own *o, const struct trace *tr, const uint32_t *which, uint32_t n)
{
    int64_t each[TOGETHER];
    if (n)
        ran_in_each(tr, o, which, n, INT64_MIN, INT64_MAX, each);
    for (uint32_t k = 0; k < n; k++)
        o->x->ran[which[k]].alone = each[k];
}

static void sum_up(const struct own *o, const struct trace *tr)
{
    int64_t sum = 0;
    uint32_t which[TOGETHER], n = 0;
    for (uint32_t i = 0; i < o->x->n; i++) {
        if (o->x->ran[i].alone == NOT_YET)
            which[n++] = i;
        if (n == TOGETHER || i + 1 == o->x->n) {
            look_at(o, tr, which, n);
            n = 0;
        }
    }
    for (uint32_t i = 0; i < o->x->n; i++) {
        o->x->ran[i].before = sum;
        sum += o->x->ran[i].alone;
    }
}

static bool lies_in(const struct range *a, int64_t t0, int64_t t1)
{
    return a->t0 >= t0 && a->t1 <= t1;
}

/* So far, from the i-th on, one goes to find few. */
static uint32_t few_end(const struct own *o, uint32_t i)
{
    return o->x->n - i > FEW ? i + FEW : o->x->n;
}

/* Those in [t0,t1) looked at by themselves, each whole one once, if they are few. false: all are to be summed up. */
static bool few(const struct own *o, const struct trace *tr, int64_t t0, int64_t t1, int64_t *ran)
{
    int64_t each[TOGETHER];
    uint32_t n = 0, which[TOGETHER], i = first_behind(o, t0);
    const uint32_t end = few_end(o, i);
    *ran = 0;
    for (; i < end && nth(o, i)->t0 < t1; i++) {
        if (o->x->ran[i].alone != NOT_YET && lies_in(nth(o, i), t0, t1)) {
            *ran += o->x->ran[i].alone;
            continue;
        }
        if (n == TOGETHER)
            return false;
        which[n++] = i;
    }
    if (i == end && i < o->x->n && nth(o, i)->t0 < t1)
        return false;
    if (n)
        ran_in_each(tr, o, which, n, t0, t1, each);
    for (uint32_t k = 0; k < n; k++) {
        *ran += each[k];
        if (lies_in(nth(o, which[k]), t0, t1))
            o->x->ran[which[k]].alone = each[k];
    }
    return true;
}

/* Those that lie in the columns that aren't sure, looked at together: what each reads of memory is waited for side by side. */
static void look_ahead(const struct own *o, const struct trace *tr, const int64_t *edges, uint32_t n,
                       const bool *sure)
{
    uint32_t which[TOGETHER], many = 0;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t i = sure[c] ? o->x->n : first_behind(o, edges[c]);
        const uint32_t end = few_end(o, i);
        for (; i < end && nth(o, i)->t0 < edges[c + 1]; i++) {
            if (o->x->ran[i].alone != NOT_YET || !lies_in(nth(o, i), edges[c], edges[c + 1]))
                continue;
            which[many++] = i;
            if (many == TOGETHER) {
                look_at(o, tr, which, many);
                many = 0;
            }
        }
    }
    look_at(o, tr, which, many);
}

void gstate_ahead(struct gstate *s, const struct trace *tr, uint32_t g, const int64_t *edges, uint32_t n,
                  const bool *sure)
{
    struct own o;
    if (own_of(s, tr, g, &o) && own_ran(&o) && o.x->ran[0].before < 0)
        look_ahead(&o, tr, edges, n, sure);
}

/* How long it ran within assists that began at 0 or later, up to t. */
static int64_t until(const struct own *o, const struct trace *tr, int64_t t)
{
    const uint32_t n = o->x->n, i = first_behind(o, t), at = i == n ? n - 1 : i; /* all of the last one */
    const struct range *a = nth(o, at);
    return o->x->ran[at].before + ran_in(tr, o->g, a->t0 < 0 ? 0 : a->t0, i == n ? a->t1 : t);
}

bool gstate_any(struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct own o;
    if (!own_of(s, tr, g, &o))
        return false;
    uint32_t i = first_behind(&o, t0);
    return i < o.x->n && nth(&o, i)->t0 < t1;
}

/* first_behind() of a moment, from assist i on, none before which ends behind it. */
static uint32_t behind_from(const struct own *o, uint32_t i, int64_t t)
{
    const uint32_t n = o->x->n;
    uint32_t step = 1, lo = i;
    while (i < n && o->x->ends[i] <= t) {
        lo = i + 1;
        i = n - i > step ? i + step : n;
        step *= 2;
    }
    bisect(lo, i, k, o->x->ends[k] <= t);
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
        k = behind_from(&o, i, t1);
        int64_t lasted = o.x->lasted[k] - o.x->lasted[i]; /* those that end in it */
        if (k < o.x->n && nth(&o, k)->t0 < t1)            /* one that goes on */
            lasted = ns_add(lasted, t1 - nth(&o, k)->t0);
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
    if (!out->ns[ST_RUNNING] || !own_of(s, tr, g, &o) || !own_ran(&o))
        return;
    int64_t assist;
    if (o.x->ran[0].before >= 0 || !few(&o, tr, t0, t1, &assist)) {
        if (o.x->ran[0].before < 0)
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
