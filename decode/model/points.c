/* points.c - see points.h. */
#include "decode/model/points.h"

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "decode/model/trace_priv.h"

/* ---- adding and joining -------------------------------------------------------------------------------- */

bool points_pack(struct points *p, struct span_pool *sp)
{
    _Static_assert(sizeof(struct point) == 2 * sizeof(uint64_t) && POINTS_BLOCK == COLUMNS_ROWS,
                   "a point is a row");
    size_t at = 0;
    bool ok = p->n < POINTS_BLOCK || mem_room(p->blk, p->capblk, p->nblk + p->n / POINTS_BLOCK);
    for (; ok && p->n - at >= POINTS_BLOCK; at += POINTS_BLOCK) {
        const struct point *v = &p->v[at];
        struct point_block b = {.t0 = v->t, .min = v->v, .max = v->v};
        for (size_t i = 1; i < POINTS_BLOCK; i++) {
            b.min = v[i].v < b.min ? v[i].v : b.min;
            b.max = v[i].v > b.max ? v[i].v : b.max;
        }
        if (!(b.c = columns_make((const uint64_t *)(const void *)v, POINTS_BLOCK, 2, pool_bytes, sp))) {
            ok = false;
            break;
        }
        p->blk[p->nblk++] = b;
    }
    p->n -= at;
    if (at)
        memmove(p->v, p->v + at, p->n * sizeof *p->v);
    return ok;
}

bool points_join(struct points *p, struct points *segment, struct span_pool *sp)
{
    bool ok = true;
    for (size_t at = 0, some; ok && at < segment->n; at += some) {
        some = segment->n - at < POINTS_BLOCK ? segment->n - at : POINTS_BLOCK;
        if (!(ok = mem_room(p->v, p->cap, p->n + some)))
            break;
        memcpy(p->v + p->n, segment->v + at, some * sizeof *p->v);
        p->n += some;
        ok = points_pack(p, sp);
    }
    points_free(segment);
    *segment = (struct points){0};
    return ok;
}

void points_free(struct points *p)
{
    mem_free(p->blk);
    mem_free(p->v);
}

/* ---- queries ------------------------------------------------------------------------------------------- */

static size_t points_n(const struct points *p)
{
    return p->nblk * POINTS_BLOCK + p->n;
}

size_t trace_npoints(const struct trace *tr, enum metric m)
{
    return points_n(&tr->fold.points[m]);
}

static inline struct point points_at(const struct points *p, size_t i)
{
    if (i / POINTS_BLOCK >= p->nblk)
        return p->v[i - p->nblk * POINTS_BLOCK];
    const struct columns *c = p->blk[i / POINTS_BLOCK].c;
    const unsigned row = (unsigned)(i % POINTS_BLOCK);
    return (struct point){(int64_t)columns_get(c, 2, row, 0), columns_get(c, 2, row, 1)};
}

struct point trace_point(const struct trace *tr, enum metric m, size_t i)
{
    return points_at(&tr->fold.points[m], i);
}

/* They take a step per block. */
size_t trace_points_before(const struct trace *tr, enum metric m, int64_t t)
{
    const struct points *p = &tr->fold.points[m];
    size_t after = 0; /* blocks that begin before t: all but the last one lie before t completely */
    bisect(after, p->nblk, b, p->blk[b].t0 < t);
    size_t at = after ? (after - 1) * POINTS_BLOCK : 0;
    bisect(at, after == p->nblk ? points_n(p) : after * POINTS_BLOCK, i, points_at(p, i).t < t);
    return at;
}

/* Returns the block that begins with point i, if all of it lies before point e; else NULL. */
static inline const struct point_block *block_at(const struct points *p, size_t i, size_t e)
{
    const bool whole = i % POINTS_BLOCK == 0 && i + POINTS_BLOCK <= e && i / POINTS_BLOCK < p->nblk;
    return whole ? &p->blk[i / POINTS_BLOCK] : NULL;
}

/* Returns the extent in a column that begins at t0; of the points, i lie before t0, and e before its end. */
static struct extent extent_of(const struct points *p, int64_t t0, size_t i, size_t e)
{
    const size_t n = points_n(p);
    while (i < n && points_at(p, i).t <= t0)
        i++;
    i -= i > 0; /* the value that holds at t0 */
    if (i >= e)
        return (struct extent){0};
    const uint64_t v = points_at(p, i).v;
    struct extent x = {v, v, true};
    for (i++; i < e;) {
        const struct point_block *b = block_at(p, i, e);
        const uint64_t one = b ? 0 : points_at(p, i).v, min = b ? b->min : one, max = b ? b->max : one;
        x.min = min < x.min ? min : x.min;
        x.max = max > x.max ? max : x.max;
        i += b ? POINTS_BLOCK : 1;
    }
    return x;
}

void trace_extents(const struct trace *tr, enum metric m, const int64_t *edges, uint32_t n,
                   struct extent *out)
{
    const struct points *p = &tr->fold.points[m];
    size_t i = trace_points_before(tr, m, edges[0]), e;
    const size_t all = points_n(p);
    for (uint32_t c = 0; c < n; c++, i = e) {
        e = i < all && points_at(p, i).t < edges[c + 1] ? trace_points_before(tr, m, edges[c + 1]) : i;
        out[c] = extent_of(p, edges[c], i, e);
    }
}
