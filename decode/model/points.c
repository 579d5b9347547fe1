/* points.c - see points.h. */
#include "decode/model/points.h"

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

/* ---- adding and joining -------------------------------------------------------------------------------- */

bool points_add(struct points *p, int64_t t, uint64_t value)
{
    if (!mem_room(p->v, p->cap, p->n + 1))
        return false;
    p->v[p->n++] = (struct point){t, value};
    return true;
}

/*
 * points_bounds - the bounds of the first points of v, one entry's worth.
 * entry_of - entry `at` of a level, from the n entries of the level below.
 */
static struct minmax points_bounds(const struct point *v, size_t n)
{
    struct minmax mm = {UINT64_MAX, 0};
    for (size_t i = 0; i < n && i < (size_t)1 << MM_BITS; i++) {
        mm.min = v[i].v < mm.min ? v[i].v : mm.min;
        mm.max = v[i].v > mm.max ? v[i].v : mm.max;
    }
    return mm;
}

static struct minmax entry_of(const struct minmax *below, size_t at, size_t n)
{
    const size_t end = (at + 1) << MM_BITS < n ? (at + 1) << MM_BITS : n;
    struct minmax mm = {UINT64_MAX, 0};
    for (size_t i = at << MM_BITS; i < end; i++) {
        mm.min = below[i].min < mm.min ? below[i].min : mm.min;
        mm.max = below[i].max > mm.max ? below[i].max : mm.max;
    }
    return mm;
}

/* Pack the whole blocks of the unpacked points. */
static bool pack(struct points *p, struct span_pool *sp)
{
    _Static_assert(sizeof(struct point) == 2 * sizeof(uint64_t) && POINTS_BLOCK == COLUMNS_ROWS,
                   "a point is a row");
    size_t at = 0;
    bool ok = mem_room(p->blk, p->capblk, p->nblk + p->n / POINTS_BLOCK);
    for (; ok && p->n - at >= POINTS_BLOCK; at += POINTS_BLOCK) {
        const uint64_t *rows = (const uint64_t *)(const void *)&p->v[at];
        const struct columns *c = columns_make(rows, POINTS_BLOCK, 2, pool_bytes, sp);
        if (!c) {
            ok = false;
            break;
        }
        p->blk[p->nblk++] = (struct point_block){p->v[at].t, c};
    }
    p->n -= at;
    memmove(p->v, p->v + at, p->n * sizeof *p->v);
    return ok;
}

bool points_sum(struct points *p, struct span_pool *sp)
{
    const size_t old = p->summed, n = points_n(p);
    if (n == old)
        return true;
    for (unsigned l = 0; l < MM_LEVELS; l++)
        if (!mem_room(p->mm[l], p->capmm[l], ((n - 1) >> (l + 1) * MM_BITS) + 1)) {
            p->n -= n - old;
            return false;
        }
    size_t below = 0;
    for (size_t at = old >> MM_BITS << MM_BITS, i; at < n;
         at += (size_t)1 << MM_BITS, below = at >> MM_BITS) {
        i = at - p->nblk * POINTS_BLOCK; /* the unpacked points begin at a multiple of 16 */
        p->mm[0][at >> MM_BITS] = points_bounds(p->v + i, p->n - i);
    }
    for (unsigned l = 1; l < MM_LEVELS; l++) {
        const size_t end = ((n - 1) >> (l + 1) * MM_BITS) + 1;
        for (size_t at = old >> (l + 1) * MM_BITS; at < end; at++)
            p->mm[l][at] = entry_of(p->mm[l - 1], at, below);
        below = end;
    }
    p->summed = n;
    return p->n < POINTS_BLOCK || pack(p, sp);
}

static bool join_some(struct points *p, const struct point *v, size_t n, struct span_pool *sp)
{
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < POINTS_BLOCK ? n - at : POINTS_BLOCK;
        if (!mem_room(p->v, p->cap, p->n + some))
            return false;
        memcpy(p->v + p->n, v + at, some * sizeof *v);
        p->n += some;
        if (!points_sum(p, sp))
            return false;
    }
    return true;
}

bool points_join(struct points *p, struct points *segment, struct span_pool *sp)
{
    const bool ok = join_some(p, segment->v, segment->n, sp);
    points_free(segment);
    *segment = (struct points){0};
    return ok;
}

void points_free(struct points *p)
{
    mem_free(p->blk);
    mem_free(p->v);
    for (unsigned l = 0; l < MM_LEVELS; l++)
        mem_free(p->mm[l]);
}

/* ---- queries ------------------------------------------------------------------------------------------- */

size_t points_before(const struct points *p, int64_t t)
{
    size_t after = 0; /* blocks that begin before t: all but the last one lie before t completely */
    bisect(after, p->nblk, b, p->blk[b].t0 < t);
    size_t at = after ? (after - 1) * POINTS_BLOCK : 0;
    bisect(at, after == p->nblk ? points_n(p) : after * POINTS_BLOCK, i, points_at(p, i).t < t);
    return at;
}

/* The level of the largest block that begins at point i and ends at e or before. */
static inline unsigned block_at(size_t i, size_t e)
{
    unsigned l = 0;
    while (l < MM_LEVELS && i % ((size_t)1 << (l + 1) * MM_BITS) == 0 &&
           i + ((size_t)1 << (l + 1) * MM_BITS) <= e)
        l++;
    return l;
}

static inline uint64_t block_most(const struct points *p, size_t i, unsigned l)
{
    return l ? p->mm[l - 1][i >> l * MM_BITS].max : points_at(p, i).v;
}

size_t points_most(const struct points *p, size_t i, size_t e)
{
    size_t at = e;
    unsigned in = 0;
    uint64_t most = 0;
    for (unsigned l; i < e; i += (size_t)1 << l * MM_BITS) {
        l = block_at(i, e);
        const uint64_t v = block_most(p, i, l);
        if (at == e || v > most) {
            at = i;
            in = l;
            most = v;
        }
    }
    for (; in; in--) /* go down to the first part that has the most */
        while (block_most(p, at, in - 1) != most)
            at += (size_t)1 << (in - 1) * MM_BITS;
    return at;
}

/* Set, for [t0,t1), the numbers i and e of points that lie before t0 and t1. */
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
        const unsigned l = block_at(i, e);
        const uint64_t one = l ? 0 : points_at(p, i).v;
        const struct minmax mm = l ? p->mm[l - 1][i >> l * MM_BITS] : (struct minmax){one, one};
        x.min = mm.min < x.min ? mm.min : x.min;
        x.max = mm.max > x.max ? mm.max : x.max;
        i += (size_t)1 << l * MM_BITS;
    }
    return x;
}

void points_extents(const struct points *p, const int64_t *edges, uint32_t n, struct extent *out)
{
    size_t i = points_before(p, edges[0]), e;
    const size_t all = points_n(p);
    for (uint32_t c = 0; c < n; c++, i = e) {
        e = i < all && points_at(p, i).t < edges[c + 1] ? points_before(p, edges[c + 1]) : i;
        out[c] = extent_of(p, edges[c], i, e);
    }
}
