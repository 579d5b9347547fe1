/* pieces.c - a lane of the trace as a row of pieces, each a segment's lane: see join.h. */
#include <string.h>

#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"
#include "decode/base/rows.h"

int64_t trace_last(const struct trace *tr)
{
    return tr->join.n ? tr->join.end : tr->fold.end;
}

struct home join_home(const struct join *j, uint32_t g)
{
    size_t after = 1;
    bisect(after, j->n, i, j->seg[i]->base <= g);
    const struct segment *s = j->seg[after - 1];
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

/* A lane's pieces in joined segments: v[0] to v[n - 1], and before them (home: 1, else 0) that in the segment
 * where a goroutine is new. */
struct row {
    const struct jpiece *v;
    uint32_t n, home;
};

static struct row pieces_row(const struct join *j, struct lane l)
{
    static const struct jlane none;
    const uint32_t c = l.kind == LANE_G && l.i < j->ng ? idmap_get(&j->crosses, l.i) : IDMAP_NONE;
    const struct jlane *of = l.kind == LANE_P && l.i < j->np   ? &j->p[l.i].lane
                             : l.kind == LANE_M && l.i < j->nm ? &j->m[l.i].lane
                             : c != IDMAP_NONE                 ? &j->cross[c]
                                                               : &none;
    return (struct row){of->v, of->n, l.kind == LANE_G};
}

/* Returns the last piece that begins at t or before, else the first one. */
static uint32_t row_at(const struct row *r, int64_t t)
{
    uint32_t after = 0;
    bisect(after, r->n, i, r->v[i].t0 <= t);
    return after + r->home ? after + r->home - 1 : 0;
}

/* Returns whether a lane is one piece, in the trace's own fold. Bands are: their ranges are folded there. */
static bool is_whole(const struct join *j, enum lane_kind k)
{
    return !j->n || k == LANE_BAND;
}

/* Returns whether such a lane has a span. */
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
    if (is_whole(j, l.kind))
        return has_span(&tr->fold, l);
    if (l.kind >= LANE_KINDS || (l.kind == LANE_G && l.i >= j->ng))
        return 0;
    const struct row r = pieces_row(j, l);
    return r.n + r.home;
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
    out->seg = NULL; /* field by field: clearing it all, `room` too, takes longer than the rest */
    out->t0 = out->end = 0;
    out->index0 = 0;
    out->tot = NULL;
    out->last = true;
    if (is_whole(j, l.kind)) {
        piece_of(&tr->fold, l.kind, l.i, out);
        out->t0 = out->ml ? out->ml->h[0].t0 : spans_first(out->l);
        out->end = trace_last(tr);
        return;
    }
    const struct row r = pieces_row(j, l);
    if (r.home && !k) {
        const struct home h = join_home(j, l.i);
        out->seg = h.seg;
        piece_of(h.f, LANE_G, h.local, out);
        out->t0 = spans_first(out->l);
    } else {
        const struct jpiece *p = &r.v[k - r.home];
        out->seg = j->seg[p->seg];
        piece_of(out->seg->f, l.kind, p->i, out);
        out->t0 = p->t0;
        out->index0 = p->index0;
        out->tot = p->tot;
    }
    out->last = k + 1 == r.n + r.home;
    out->end = out->last ? j->end : r.v[k + 1 - r.home].t0;
}

uint32_t pieces_at(const struct trace *tr, struct lane l, int64_t t)
{
    const struct row r = pieces_row(&tr->join, l);
    return row_at(&r, t);
}

bool pieces_short(const struct trace *tr, struct lane l, uint32_t k, int64_t min_ns)
{
    const struct row r = pieces_row(&tr->join, l);
    if (k < r.home || k + 1 - r.home >= r.n)
        return false;
    const struct jpiece *p = &r.v[k - r.home];
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

/* Set a thread's totals up to a moment t after the end of the piece's segment: its last hold goes on. */
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
    if (!pieces_totals(tr, lane_p(segment_p(p->seg, hold_p(h))), &(struct totals){at, 2, v, n}))
        return;
    for (int s = 0; s < SPAN_SLOTS; s++)
        tot[s] += v[1][s] - v[0][s];
    if (count)
        *count += n[1] - n[0];
}

/* Returns how many of n ascending moments are not after the end of the piece's segment. */
static uint32_t count_before(const struct piece *p, const int64_t *t, uint32_t n)
{
    while (n && t[n - 1] > p->f->end)
        n--;
    return n;
}

/* Set the totals at ascending moments within one piece, or before the lane. */
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

/* A lane's ascending moments are grouped by piece. Each moment belongs to the piece in which the moment just
 * before it lies. */
struct runs {
    const struct trace *tr;
    struct lane l;
    struct row r;
    const int64_t *t;
    uint32_t all;      /* number of moments */
    uint32_t first, n; /* the current piece's */
    uint32_t k;        /* the piece's number */
    struct piece p;
};

/* Go to the next piece with moments. Returns false if there is none. */
static bool runs_next(struct runs *x)
{
    const uint32_t np = x->r.n + x->r.home;
    x->first += x->n;
    if (x->first == x->all)
        return false;
    const int64_t *t = x->t + x->first;
    const uint32_t left = x->all - x->first;
    x->k = row_at(&x->r, *t - 1);
    for (x->n = 1; x->n < left && (x->k + 1 >= np || t[x->n] <= x->r.v[x->k + 1 - x->r.home].t0); x->n++) {
    }
    pieces_get(x->tr, x->l, x->k, &x->p);
    return true;
}

/* Go to the place before the first piece. Not all is cleared: that would take longer than most look-ups. */
static void runs_begin(struct runs *x, const struct trace *tr, struct lane l, const int64_t *t, uint32_t n)
{
    x->tr = tr;
    x->l = l;
    x->r = pieces_row(&tr->join, l);
    x->t = t;
    x->all = n;
    x->first = x->n = 0;
}

bool pieces_totals(const struct trace *tr, struct lane l, const struct totals *a)
{
    struct runs x;
    if (!pieces_n(tr, l))
        return false;
    for (runs_begin(&x, tr, l, a->t, a->n); runs_next(&x);) {
        const struct totals some = totals_of(a, x.first, x.n);
        piece_totals(tr, l, &x.p, &some);
    }
    return true;
}
