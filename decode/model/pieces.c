/* pieces.c - a lane of the trace as a row of pieces, each a segment's lane: see join.h. */
#include <string.h>

#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"
#include "decode/base/bisect.h"

int64_t trace_last(const struct trace *tr)
{
    return tr->join.n ? tr->join.end : tr->fold.end;
}

struct home join_home(const struct join *j, uint32_t g)
{
    size_t behind = 1;
    bisect(behind, j->n, i, j->seg[i]->base <= g);
    const struct segment *s = j->seg[behind - 1];
    uint32_t d = g - s->base, a = 0; /* number of goroutines before it that are not new */
    bisect(a, s->nold, i, s->old[i] - i <= d);
    struct home h = {s, s->f, d + a, s->nnew - d};
    if (a < s->nold && s->old[a] - h.local < h.run)
        h.run = s->old[a] - h.local;
    return h;
}

struct home trace_home(const struct trace *tr, uint32_t g)
{
    return tr->join.n ? join_home(&tr->join, g)
                      : (struct home){NULL, &tr->fold, g, (uint32_t)tr->fold.nlane[LANE_G] - g};
}

static const struct jlane *lane_of_join(const struct join *j, struct lane l)
{
    if (l.kind == LANE_P)
        return l.i < j->np ? &j->p[l.i].lane : NULL;
    if (l.kind == LANE_M)
        return l.i < j->nm ? &j->m[l.i].lane : NULL;
    if (l.kind == LANE_BAND)
        return l.i < BAND_COUNT ? &j->band[l.i] : NULL;
    uint32_t c = l.i < j->ng ? idmap_get(&j->crosses, l.i) : IDMAP_NONE;
    return c == IDMAP_NONE ? NULL : &j->cross[c];
}

/* Has a lane of the trace's only fold a span? */
static bool has_span(const struct fold *f, struct lane l)
{
    if (l.kind >= LANE_KINDS || l.i >= f->nlane[l.kind])
        return false;
    if (l.kind == LANE_M)
        return f->m[l.i].lane.n;
    return l.kind == LANE_G ? fold_g_retired(f, l.i) || fold_lane_at(f, l.i)->started
                            : f->lane[l.kind][l.i].started;
}

uint32_t pieces_n(const struct trace *tr, struct lane l)
{
    const struct join *j = &tr->join;
    if (!j->n)
        return has_span(&tr->fold, l);
    if (l.kind >= LANE_KINDS || (l.kind == LANE_G && l.i >= j->ng))
        return 0;
    const struct jlane *jl = lane_of_join(j, l);
    return (jl ? jl->n : 0) + (l.kind == LANE_G);
}

static void piece_of(const struct fold *f, enum lane_kind k, uint32_t i, struct piece *out)
{
    out->f = f;
    out->i = i;
    out->ml = k == LANE_M ? &f->m[i].lane : NULL;
    out->l = k == LANE_M ? NULL : k == LANE_G ? fold_g_lane(f, i, &out->room) : &f->lane[k][i];
}

void pieces_get(const struct trace *tr, struct lane l, uint32_t k, struct piece *out)
{
    const struct join *j = &tr->join;
    out->seg = NULL; /* one by one: clearing it all, `room` too, takes longer than the rest */
    out->t0 = out->end = 0;
    out->index0 = 0;
    out->tot = NULL;
    out->last = true;
    if (!j->n) {
        piece_of(&tr->fold, l.kind, l.i, out);
        out->t0 = out->ml ? out->ml->h[0].t0 : spans_first(out->l);
        out->end = tr->fold.end;
        return;
    }
    const struct jlane *jl = lane_of_join(j, l);
    uint32_t n = jl ? jl->n : 0, home = l.kind == LANE_G;
    if (home && !k) {
        const struct home h = join_home(j, l.i);
        out->seg = h.seg;
        piece_of(h.f, LANE_G, h.local, out);
        out->t0 = spans_first(out->l);
    } else {
        const struct jpiece *p = &jl->v[k - home];
        out->seg = j->seg[p->seg];
        piece_of(out->seg->f, l.kind, p->i, out);
        out->t0 = p->t0;
        out->index0 = p->index0;
        out->tot = p->tot;
    }
    out->last = k + 1 == n + home;
    out->end = out->last ? j->end : jl->v[k + 1 - home].t0;
}

bool pieces_more(const struct join *j, uint32_t g)
{
    return idmap_get(&j->crosses, g) != IDMAP_NONE;
}

void pieces_home(const struct trace *tr, const struct home *home, struct piece *out)
{
    *out = (struct piece){.seg = home->seg, .last = true, .end = tr->join.end};
    piece_of(home->f, LANE_G, home->local, out);
    out->t0 = spans_first(out->l);
}

uint32_t pieces_at(const struct trace *tr, struct lane l, int64_t t)
{
    const struct join *j = &tr->join;
    const struct jlane *jl = j->n ? lane_of_join(j, l) : NULL;
    uint32_t behind = 0, home = l.kind == LANE_G;
    bisect(behind, jl ? jl->n : 0, i, jl->v[i].t0 <= t);
    return behind + home ? behind + home - 1 : 0;
}

/* As pieces_at(), for a moment not before piece k: mostly one of the next. */
static uint32_t piece_from(const struct trace *tr, struct lane l, const struct jlane *jl, uint32_t k,
                           int64_t t)
{
    enum { NEXT = 4 };
    const uint32_t home = l.kind == LANE_G, np = jl->n + home;
    for (int i = 0; i < NEXT; i++, k++)
        if (k + 1 >= np || jl->v[k + 1 - home].t0 > t)
            return k;
    return pieces_at(tr, l, t);
}

bool pieces_short(const struct trace *tr, struct lane l, uint32_t k, int64_t min_ns)
{
    const struct jlane *jl = tr->join.n ? lane_of_join(&tr->join, l) : NULL;
    const uint32_t home = l.kind == LANE_G;
    if (!jl || k < home || k + 1 - home >= jl->n)
        return false;
    const struct jpiece *p = &jl->v[k - home];
    return p[1].t0 - p->t0 < min_ns;
}

static void add_before(const struct piece *p, int64_t (*out)[SPAN_SLOTS], uint64_t *count, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (int s = 0; p->tot && s < SPAN_SLOTS; s++)
            out[i][s] += p->tot[s];
        if (count)
            count[i] += p->index0;
    }
}

/* A thread's totals up to a moment t behind the end of the piece's segment: its last hold goes on. */
static void hold_on(const struct trace *tr, const struct piece *p, int64_t t, int64_t tot[SPAN_SLOTS],
                    uint64_t *count)
{
    const struct hold *h = &p->ml->h[p->ml->n - 1];
    int64_t at[2] = {p->f->end, t < p->end ? t : p->end}, v[2][SPAN_SLOTS] = {{0}};
    uint64_t n[2] = {0, 0};
    if (at[1] <= at[0])
        return;
    if (hold_p(h) == EV_NONE) {
        tot[tr->fold.pool.slot[LANE_M][hold_bare(h)]] += at[1] - at[0];
        if (count && h->t0 >= at[0])
            ++*count;
        return;
    }
    if (!pieces_totals(tr, (struct lane){LANE_P, segment_p(p->seg, hold_p(h))},
                       &(struct totals){at, 2, v, n}))
        return;
    for (int s = 0; s < SPAN_SLOTS; s++)
        tot[s] += v[1][s] - v[0][s];
    if (count)
        *count += n[1] - n[0];
}

/* How many of n ascending moments are not behind the end of the piece's segment. */
static uint32_t count_before(const struct piece *p, const int64_t *t, uint32_t n)
{
    while (n && t[n - 1] > p->f->end)
        n--;
    return n;
}

/* Totals at ascending moments within one piece, or before the lane. */
static void piece_totals(const struct trace *tr, struct lane l, const struct piece *p, const struct totals *a)
{
    if (p->l) {
        spans_totals(&p->f->pool, l.kind, p->l, p->end, a);
    } else if (!p->seg) {
        mlane_totals(p->f, p->i, a);
    } else {
        const uint32_t before = count_before(p, a->t, a->n);
        struct totals some = totals_of(a, 0, before);
        if (before)
            mlane_totals(p->f, p->i, &some);
        for (uint32_t i = before; i < a->n; i++) {
            some = totals_of(a, i, 1);
            some.t = &p->f->end;
            if (i == before)
                mlane_totals(p->f, p->i, &some);
            else
                memcpy(a->tot[i], a->tot[before], sizeof a->tot[i]);
            if (a->count && i > before)
                a->count[i] = a->count[before];
        }
        for (uint32_t i = before; i < a->n; i++)
            hold_on(tr, p, a->t[i], a->tot[i], a->count ? a->count + i : NULL);
    }
    add_before(p, a->tot, a->count, a->n);
}

/*
 * A lane's ascending moments, grouped by piece. Each moment belongs to the piece that the moment just before
 * it lies in.
 */
struct runs {
    const struct trace *tr;
    struct lane l;
    const int64_t *t;
    uint32_t all;      /* number of moments */
    uint32_t first, n; /* the current piece's */
    uint32_t k;        /* which one it is */
    struct piece p;
};

/* Go to the next piece with moments. false: there is none. */
static bool runs_next(struct runs *x)
{
    const struct jlane *jl = x->tr->join.n ? lane_of_join(&x->tr->join, x->l) : NULL;
    const uint32_t home = x->l.kind == LANE_G, np = jl ? jl->n + home : 1;
    x->first += x->n;
    if (x->first == x->all)
        return false;
    const int64_t *t = x->t + x->first;
    const uint32_t left = x->all - x->first;
    x->k = np <= 1    ? 0
           : x->first ? piece_from(x->tr, x->l, jl, x->k, *t - 1)
                      : pieces_at(x->tr, x->l, *t - 1);
    for (x->n = 1; x->n < left && (x->k + 1 == np || t[x->n] <= jl->v[x->k + 1 - home].t0); x->n++) {
    }
    pieces_get(x->tr, x->l, x->k, &x->p);
    return true;
}

/* Go before the first piece. Not all is cleared: that would take longer than most look-ups. */
static void runs_begin(struct runs *x, const struct trace *tr, struct lane l, const int64_t *t, uint32_t n)
{
    x->tr = tr;
    x->l = l;
    x->t = t;
    x->all = n;
    x->first = x->n = 0;
}

/* ---- many pieces at once ------------------------------------------------------------------------------- */

enum { SIGHTS = 64 };

/* A segment's lane of a piece, if it can be prefetched. */
static const struct spanlane *lane_at(const struct fold *f, enum lane_kind k, uint32_t i)
{
    if (k != LANE_G)
        return &f->lane[k][i];
    return fold_g_retired(f, i) ? NULL : fold_lane_at(f, i);
}

/*
 * Of a window that spans many pieces one or two moments lie in each. What is read of a piece, from its lane
 * to its blocks, is a chain of addresses, each read from memory that no cache has; so the chains of many
 * moments are followed side by side.
 */
static void pieces_sight(const struct trace *tr, struct lane l, const int64_t *t, uint32_t n,
                         enum sight_of of)
{
    const struct join *j = &tr->join;
    const struct jlane *jl = lane_of_join(j, l);
    const uint32_t home = l.kind == LANE_G;
    const struct jpiece *p[SIGHTS];
    struct sight s[SIGHTS];
    struct hold_sight h[SIGHTS];
    uint32_t first = 0, ns = 0, nh = 0, k = pieces_at(tr, l, t[0] - 1);
    for (uint32_t i = 0; i < n; i++) {
        k = piece_from(tr, l, jl, k, t[i] - 1);
        first += k < home; /* a goroutine's first piece is found otherwise */
        p[i] = k < home ? NULL : &jl->v[k - home];
        if (k >= home)
            __builtin_prefetch(&j->seg[p[i]->seg]->f);
    }
    for (uint32_t i = first; i < n; i++) {
        const struct fold *f = j->seg[p[i]->seg]->f;
        __builtin_prefetch(l.kind == LANE_M   ? (const void *)&f->m
                           : l.kind == LANE_G ? (const void *)&f->seg
                                              : &f->lane);
        __builtin_prefetch(&f->end);
    }
    for (uint32_t i = first; i < n; i++) {
        const struct fold *f = j->seg[p[i]->seg]->f;
        if (l.kind == LANE_M) {
            h[nh] = (struct hold_sight){.f = f, .l = &f->m[p[i]->i].lane, .t = t[i] < f->end ? t[i] : f->end};
            __builtin_prefetch(h[nh++].l);
            continue;
        }
        s[ns] = (struct sight){.l = lane_at(f, l.kind, p[i]->i), .t = t[i]};
        if (s[ns].l)
            __builtin_prefetch(s[ns++].l);
    }
    spans_sight(s, ns, of == SIGHT_EXACT);
    mlane_sight(h, nh, of);
}

/* How many of n moments are to be looked at together; prefetches what will be read of them. */
static uint32_t together(const struct trace *tr, struct lane l, const int64_t *t, uint32_t n,
                         enum sight_of of)
{
    const struct jlane *jl = tr->join.n ? lane_of_join(&tr->join, l) : NULL;
    if (!jl || n < 2 || pieces_at(tr, l, t[0]) == pieces_at(tr, l, t[n - 1] - 1))
        return n;
    n = n < SIGHTS ? n : SIGHTS;
    pieces_sight(tr, l, t, n, of);
    return n;
}

bool pieces_totals(const struct trace *tr, struct lane l, const struct totals *a)
{
    struct runs x;
    if (!pieces_n(tr, l))
        return false;
    for (uint32_t i = 0, n; i < a->n; i += n) {
        n = together(tr, l, a->t + i, a->n - i, SIGHT_EXACT);
        for (runs_begin(&x, tr, l, a->t + i, n); runs_next(&x);) {
            const struct totals some = totals_of(a, i + x.first, x.n);
            piece_totals(tr, l, &x.p, &some);
        }
    }
    return true;
}

/* What is known at the end of the current piece, from its own beginning. false: it is the last one. */
static bool run_end(const struct runs *x, struct totals_end *out)
{
    if (x->p.last)
        return false;
    const struct jpiece *next = &lane_of_join(&x->tr->join, x->l)->v[x->k + 1 - (x->l.kind == LANE_G)];
    out->t = next->t0;
    out->count = next->index0 - x->p.index0;
    for (int s = 0; s < SPAN_SLOTS; s++)
        out->tot[s] = next->tot[s] - (x->p.tot ? x->p.tot[s] : 0);
    return true;
}

/* piece_totals() of the current piece as bounds (spans_near()); of the last one exact behind the end of a
 * thread's segment. */
static void run_near(const struct runs *x, bool far, struct totals_near *out)
{
    const struct piece *p = &x->p;
    const int64_t *t = x->t + x->first;
    struct totals_end end;
    const bool known = run_end(x, &end);
    const uint32_t near = p->l || !p->seg || known ? x->n : count_before(p, t, x->n);
    const struct nearby some = {t, near, far, out, known ? &end : NULL};
    if (p->l)
        spans_near(&p->f->pool, x->l.kind, p->l, p->end, &some);
    else if (near)
        mlane_near(p->f, p->i, &some);
    for (uint32_t i = 0; i < near; i++)
        for (int s = 0; s < 2; s++)
            add_before(p, &out[i].tot[s], &out[i].count[s], 1);
    for (uint32_t i = near; i < x->n; i++) {
        piece_totals(x->tr, x->l, p, &(struct totals){t + i, 1, out[i].tot, out[i].count});
        totals_known(&out[i], t[i]);
    }
}

void pieces_near(const struct trace *tr, struct lane l, const struct nearby *a)
{
    struct runs x;
    for (uint32_t i = 0, n; i < a->n; i += n) {
        n = together(tr, l, a->t + i, a->n - i, a->far ? SIGHT_FAR : SIGHT_NEAR);
        for (runs_begin(&x, tr, l, a->t + i, n); runs_next(&x);)
            run_near(&x, a->far, a->out + i + x.first);
    }
}

/* Number of blocks of spans; whole pieces are counted without a look at them. */
static uint64_t spans_steps(const struct trace *tr, struct lane l, int64_t t0, int64_t t1)
{
    const uint32_t a = pieces_at(tr, l, t0), z = pieces_at(tr, l, t1);
    const uint32_t home = l.kind == LANE_G;
    struct piece p;
    pieces_get(tr, l, z, &p);
    const uint32_t till = spans_find(p.l, t1);
    if (a == z)
        return till - spans_find(p.l, t0);
    const struct jpiece *v = lane_of_join(&tr->join, l)->v;
    return (v[z - home].index0 - (a >= home ? v[a - home].index0 : 0)) / SPAN_BLOCK + till;
}

uint64_t pieces_steps(const struct trace *tr, struct lane l, int64_t t0, int64_t t1)
{
    enum { LOOKED_AT = 8 }; /* pieces in between are taken to be alike */
    if (!pieces_n(tr, l))
        return 0;
    if (l.kind != LANE_M)
        return spans_steps(tr, l, t0, t1);
    const uint32_t a = pieces_at(tr, l, t0), z = pieces_at(tr, l, t1);
    struct piece p;
    uint64_t steps = 0;
    for (uint32_t k = a; k <= z; k++) {
        if (z - a > LOOKED_AT && k > a && k < z) {
            steps += steps / (k - a) * (z - k);
            k = z;
        }
        pieces_get(tr, l, k, &p);
        const bool whole = t0 <= p.t0 && t1 >= p.end && !p.last; /* no search needed */
        steps += whole ? p.ml->n : mlane_find(p.ml, t1, p.end) - mlane_find(p.ml, t0, p.end);
    }
    return steps;
}
