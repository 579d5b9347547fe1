/* account.c - see account.h: each array by what there is room for in it, whether it is used or not. */
#include "bench/account/account.h"

#include "decode/model/retired.h"
#include "decode/model/trace_priv.h"

const char *account_name(enum account_row row)
{
    static const char *const name[] = {
#define X(id, what) [ACCOUNT_##id] = what,
        ACCOUNT_ROWS(X)
#undef X
    };
    return name[row];
}

/* ---- one fold: the trace's, or a segment's ------------------------------------------------------------- */

/* Packed spans stand in the pool's chunks, and so do rows of the index: what is left of the chunks is a row
 * by itself. */
static void lane_bytes(struct account *a, const struct spanlane *l)
{
    const struct spanblocks *v = l->blocks;
    a->spans += spans_count(l);
    if (!v)
        return;
    a->bytes[ACCOUNT_INDEX] += blocks_bytes(v);
    a->bytes[ACCOUNT_CHUNKS] -=
        blocks_bytes(v) - sizeof *v - v->cap * sizeof *v->blk - v->capgroup * sizeof *v->group;
}

static void goroutines_bytes(struct account *a, const struct fold *f)
{
    struct spanlane room;
    for (uint32_t g = 0; g < f->nlane[LANE_G]; g++) {
        lane_bytes(a, fold_g_lane(f, g, &room));
        if (fold_g_retired(f, g)) {
            a->over++;
            const size_t columns = g % RETIRED_GS ? 0 : retired_bytes(f->seg[g / RETIRED_GS].retired);
            a->bytes[ACCOUNT_OVER] += columns;
            a->bytes[ACCOUNT_CHUNKS] -= columns;
        }
    }
    a->bytes[ACCOUNT_LANES] += slabs_bytes(&f->places) + f->capseg * sizeof *f->seg;
}

static void others_bytes(struct account *a, const struct fold *f)
{
    for (int k = 0; k < LANE_KINDS; k++) {
        a->bytes[ACCOUNT_LANES] += f->caplane[k] * sizeof(struct spanlane);
        for (size_t i = 0; k != LANE_M && k != LANE_G && i < f->nlane[k]; i++)
            lane_bytes(a, &f->lane[k][i]);
    }
    a->bytes[ACCOUNT_LANES] += f->capp * sizeof *f->p + f->capm * sizeof *f->m;
    for (size_t i = 0; i < f->nlane[LANE_M]; i++) {
        const struct mlane *m = &f->m[i].lane;
        a->bytes[ACCOUNT_HOLDS] += m->cap * sizeof *m->h + m->capsum * sizeof *m->sum + m->caprec;
    }
}

static uint64_t idmap_bytes(const struct idmap *m)
{
    return m->cap * (uint64_t)(sizeof *m->key + sizeof *m->val);
}

static size_t points_bytes(const struct points *p)
{
    size_t n = p->cap * sizeof *p->v + p->capblk * sizeof *p->blk;
    return n;
}

/* Those of them that stand among the pool's spans. */
static size_t points_packed_bytes(const struct points *p)
{
    size_t n = 0;
    for (size_t b = 0; b < p->nblk; b++)
        n += (columns_bytes(p->blk[b].c, POINTS_BLOCK) + 1) & ~(size_t)1;
    return n;
}

static void lists_bytes(struct account *a, const struct fold *f)
{
    for (int k = 0; k < RANGE_KINDS; k++)
        a->bytes[ACCOUNT_RANGES] += f->range[k].cap * sizeof *f->range[k].v + idmap_bytes(&f->range[k].open);
    for (int k = 0; k < METRIC_COUNT; k++) {
        const size_t packed = points_packed_bytes(&f->points[k]);
        a->bytes[ACCOUNT_POINTS] += points_bytes(&f->points[k]) + packed;
        a->bytes[ACCOUNT_CHUNKS] -= packed;
    }
    a->bytes[ACCOUNT_LISTS] +=
        f->tasks.cap * sizeof *f->tasks.v + f->logs.cap * sizeof *f->logs.v +
        f->regions.cap * sizeof *f->regions.v + f->regions.capprev * sizeof *f->regions.prev +
        f->samples.cap * sizeof *f->samples.v + idmap_bytes(&f->opentasks) + idmap_bytes(&f->openregions);
}

static void fold_bytes(struct account *a, const struct fold *f)
{
    const struct span_pool *sp = &f->pool;
    a->bytes[ACCOUNT_PACKED] += sp->packed_bytes;
    a->bytes[ACCOUNT_CHUNKS] += pool_chunks_bytes(sp) - sp->packed_bytes;
    a->bytes[ACCOUNT_FIXED] += sp->captags * sizeof *sp->tags + sp->capslots * sizeof *sp->tagslot +
                               idmap_bytes(&sp->tagof) + sp->caplongs * sizeof *sp->longs;
    a->bytes[ACCOUNT_COUNTS] += f->gb ? f->capgb * sizeof *f->gb : 0;
    a->bytes[ACCOUNT_NAMES] += idmap_bytes(&f->runs);
    goroutines_bytes(a, f);
    others_bytes(a, f);
    lists_bytes(a, f);
}

/* ---- what holds folds together ------------------------------------------------------------------------- */

static uint64_t pieces_bytes(const struct jlane *l)
{
    return l->cap * sizeof *l->v;
}

static void segment_bytes(struct account *a, const struct segment *s)
{
    if (s->n) { /* the first one's is the trace's */
        fold_bytes(a, s->f);
        a->bytes[ACCOUNT_FIXED] += sizeof *s->f;
    }
    a->bytes[ACCOUNT_FIXED] += sizeof *s;
    a->bytes[ACCOUNT_JOIN] +=
        ((s->pmap ? s->f->nlane[LANE_P] : 0) + (s->mmap ? s->f->nlane[LANE_M] : 0) + s->nold) *
        sizeof(uint32_t);
    if (s->gmap)
        a->bytes[ACCOUNT_JOIN] += gmap_bytes((uint32_t)s->f->nlane[LANE_G], s->old, s->nold);
}

static void join_bytes(struct account *a, const struct join *j)
{
    uint64_t n = j->cap * sizeof(struct segment *) + j->capp * sizeof *j->p + j->capm * sizeof *j->m +
                 j->capcross * sizeof *j->cross + idmap_bytes(&j->crosses) + j->caplive * sizeof *j->live +
                 j->capunused * sizeof *j->unused;
    for (size_t i = 0; i < j->n; i++)
        segment_bytes(a, j->seg[i]);
    for (size_t i = 0; i < j->np; i++)
        n += pieces_bytes(&j->p[i].lane);
    for (size_t i = 0; i < j->nm; i++)
        n += pieces_bytes(&j->m[i].lane);
    for (size_t i = 0; i < j->ncross; i++)
        n += pieces_bytes(&j->cross[i]);
    for (int k = 0; k < LANE_KINDS; k++)
        n += idmap_bytes(&j->ids[k]);
    a->bytes[ACCOUNT_JOIN] += n;
}

struct account account_of(const struct trace *tr)
{
    struct account a = {0};
    fold_bytes(&a, &tr->fold);
    join_bytes(&a, &tr->join);
    a.bytes[ACCOUNT_NAMES] +=
        names_bytes(&tr->names) + idmap_bytes(&tr->callback.runs) + idmap_bytes(&tr->callback.alone);
    a.bytes[ACCOUNT_FIXED] +=
        sizeof *tr + (tr->src.damage.cap + tr->src.warning.cap) * sizeof *tr->src.damage.v;
    return a;
}
