/*
 * gstate.c - see gstate.h. Assists are put by a hash of their goroutine, in two passes; who is asked for gets
 * a list of its own, by time; a goroutine's don't overlap. How long it ran in the first i of them is known:
 * the model says it of each, or its lane does. So an interval costs two look-ups, and an assist that one of
 * its ends cuts one on the lane. All of it is as large as there are assists: 9 bytes each, 24 of a goroutine
 * that was asked for; not as there are goroutines.
 */
#include "triage/activity/gstate.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/host.h"
#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "triage/tables/tab.h"

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
    struct assists **own; /* of those who were asked for and assist; a list stays as it is */
    size_t nown, capown;
    uint32_t last_g; /* who was asked for last, and its list */
    const struct assists *last;
};

struct stretch {    /* an assist of one's own */
    int64_t t0, t1; /* it begins at 0 or later */
    int64_t before; /* one ran in those before it */
};
struct assists { /* a goroutine's, by time */
    uint32_t g, n;
    struct stretch at[]; /* n, and one behind them */
};

static const struct range *ranges_of(const struct trace *tr, size_t *n)
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
    (void)ranges_of(tr, &n);
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
    x->last_g = NO_LANE;
    gstate_free(*s);
    *s = x;
    return true;
}

void gstate_free(struct gstate *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nown; i++)
        mem_free(s->own[i]);
    mem_free(s->own);
    idmap_free(&s->who);
    mem_free(s->head);
    mem_free(s->one);
    mem_free(s);
}

/* Who asks first has them put by owner: a picture without goroutines needs none of it. What is new in memory
   costs more than a few of others' between one's own, so there are few heads. */
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
    uint32_t *next =
        s->head + 1; /* of each head: where its next one is to stand; in the end, behind its last */
    for (size_t i = 0; i < s->seen; i++)
        next[head_of(s, r[i].owner) + 1]++;
    for (size_t h = 1; h <= heads; h++)
        next[h] += next[h - 1];
    for (size_t i = 0; i < s->seen; i++)
        s->one[next[head_of(s, r[i].owner)]++] = (struct one){(uint32_t)i, r[i].owner};
    return true;
}

static int64_t ran_in(const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    struct shares sh;
    if (t1 <= t0)
        return 0;
    trace_shares(tr, (struct lane){LANE_G, g}, t0, t1, &sh);
    return sh.ns[ST_RUNNING];
}

/* One more, before which `ran` is. Nearly in order as they are: so far at most one stands late, more would be
 * a trace's joke. */
static void own_add(struct assists *x, const struct trace *tr, const struct range *r)
{
    enum { ASIDE = 64 };
    const int64_t t0 = r->t0 > 0 ? r->t0 : 0, t1 = r->t1 > t0 ? r->t1 : t0;
    const int64_t ran = r->a ? (int64_t)(r->a - 1) : ran_in(tr, r->owner, t0, t1);
    uint32_t k = x->n++;
    for (; k > 0 && k + ASIDE > x->n && x->at[k - 1].t0 > t0; k--)
        x->at[k] = x->at[k - 1];
    x->at[k] = (struct stretch){t0, t1, ran};
}

/* Of each how long it ran in it becomes that of all before it. */
static void own_sum(struct assists *x)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i <= x->n; i++) {
        const int64_t ran = i < x->n ? x->at[i].before : 0;
        x->at[i].before = sum;
        sum = ns_add(sum, ran);
    }
}

/* Makes the list of a goroutine from the assists from..till of its hash. Returns NULL if it has none or if
 * out of memory. */
static struct assists *list_of(const struct gstate *s, const struct trace *tr, const struct range *r,
                               uint32_t g)
{
    enum { AHEAD = 16 };
    const uint32_t h = head_of(s, g), from = s->head[h], till = s->head[h + 1];
    uint32_t n = 0;
    for (uint32_t k = from; k < till; k++)
        n += s->one[k].owner == g;
    struct assists *x = n ? mem_alloc(sizeof *x + ((size_t)n + 1) * sizeof *x->at) : NULL;
    if (!x)
        return NULL;
    x->g = g;
    x->n = 0;
    for (uint32_t k = from; k < till; k++) {
        if (k + AHEAD < till) { /* each stands in a page of its own */
            __builtin_prefetch(&r[s->one[k + AHEAD].i]);
            __builtin_prefetch(&r[s->one[k + AHEAD].i].a);
        }
        if (s->one[k].owner == g)
            own_add(x, tr, &r[s->one[k].i]);
    }
    own_sum(x);
    return x;
}

static const struct assists *keep(struct gstate *s, uint32_t g, struct assists *x)
{
    if (mem_room(s->own, s->capown, s->nown + 1) && idmap_put(&s->who, g, (uint32_t)s->nown))
        return s->own[s->nown++] = x;
    mem_free(x);
    return NULL;
}

const struct assists *gstate_assists(struct gstate *s, const struct trace *tr, uint32_t g)
{
    size_t n;
    if (!s || g == NO_LANE)
        return NULL;
    const struct range *r = ranges_of(tr, &n);
    if (n < s->seen || g == s->last_g)
        return n < s->seen ? NULL : s->last;
    const uint32_t had = idmap_get(&s->who, g);
    const struct assists *x = had == IDMAP_NONE ? NULL : s->own[had];
    if (!x && by_owner(s, r)) {
        struct assists *made = list_of(s, tr, r, g);
        x = made ? keep(s, g, made) : NULL;
    }
    s->last_g = g;
    s->last = x;
    return x;
}

/*
 * Whose row would wait for a list of its own gets it beforehand: a head with so many assists has one
 * goroutine with most of them. Which one that is tells each so manieth of them.
 */
static void know_many(struct gstate *s, const struct trace *tr, int64_t till)
{
    enum { MANY = 64, EACH = 32 };
    for (uint32_t h = 0; h < UINT32_C(1) << s->bits; h++) {
        const uint32_t from = s->head[h], end = s->head[h + 1];
        for (uint32_t k = from; end - from >= MANY && k < end; k += EACH) {
            (void)gstate_assists(s, tr, s->one[k].owner);
            if (host_now() > till)
                return;
        }
    }
}

void gstate_know(struct gstate **s, const struct trace *tr)
{
    enum { MOST = 10000000 }; /* ns: a key may wait for it */
    size_t n;
    if (gstate_update(s, tr) && *s && (*s)->done && by_owner(*s, ranges_of(tr, &n)))
        know_many(*s, tr, host_now() + MOST);
}

/* Returns the first of a goroutine's assists that ends after t. */
static uint32_t first_behind(const struct assists *x, int64_t t)
{
    uint32_t lo = 0;
    bisect(lo, x->n, i, x->at[i].t1 <= t);
    return lo;
}

bool gstate_any(struct gstate *s, const struct trace *tr, uint32_t g, int64_t t0, int64_t t1)
{
    const struct assists *x = gstate_assists(s, tr, g);
    const uint32_t i = x ? first_behind(x, t0) : 0;
    return x && i < x->n && x->at[i].t0 < t1;
}

void gstate_shares(struct gstate *s, const struct trace *tr, struct lane l, int64_t t0, int64_t t1,
                   struct shares *out)
{
    trace_shares(tr, l, t0, t1, out);
    if (l.kind != LANE_G || !out->ns[ST_RUNNING])
        return;
    if (trace_lane_who(tr, l).is_worker)
        gstate_worked(out);
    else
        gstate_tell(gstate_assists(s, tr, l.i), tr, t0, t1, out);
}

void gstate_worked(struct shares *out)
{
    out->ns[ST_GCWORK] += out->ns[ST_RUNNING];
    out->ns[ST_RUNNING] = 0;
}

void gstate_tell(const struct assists *x, const struct trace *tr, int64_t t0, int64_t t1, struct shares *out)
{
    if (!x || !out->ns[ST_RUNNING])
        return;
    const uint32_t i = first_behind(x, t0), k = first_behind(x, t1);
    const bool cut = i < x->n && x->at[i].t0 < t0;
    int64_t assist = x->at[k].before - x->at[i].before;
    if (i < k && cut)
        assist -= ran_in(tr, x->g, x->at[i].t0, t0);
    if (k < x->n && x->at[k].t0 < t1)
        assist += ran_in(tr, x->g, i == k && cut ? t0 : x->at[k].t0, t1);
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
