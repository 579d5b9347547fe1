/* blocks.c - see blocks.h. */
#include "decode/model/blocks.h"

#include <string.h>

#include "decode/base/mem.h"

bool blocks_room(struct spanblocks *v)
{
    uint32_t need = v->n % SPAN_GROUP + 2;
    if (need > v->cap) {
        uint32_t cap = need > SPAN_GROUP / 2 + 1 ? SPAN_GROUP + 1 : need > 4 ? SPAN_GROUP / 2 + 1 : 4;
        struct blk *b = mem_resize(v->blk, cap * sizeof *b);
        if (!b)
            return false;
        v->blk = b;
        v->cap = cap;
    }
    if (v->n / SPAN_GROUP >= v->capgroup) {
        uint32_t cap = v->capgroup + v->capgroup / 4 + 1;
        struct spangroup *g = mem_resize(v->group, cap * sizeof *g);
        if (!g)
            return false;
        v->group = g;
        v->capgroup = cap;
    }
    return true;
}

static void values(const struct blk *b, uint64_t v[BLK_VALUES])
{
    v[BLK_T0] = (uint64_t)b->t0;
    v[BLK_DATA] = (uintptr_t)b->data;
    v[BLK_LONGEST] = (uint64_t)b->longest;
    for (int s = 0; s < SPAN_SLOTS - 1; s++)
        v[BLK_CUM + s] = (uint64_t)b->cum[s];
}

size_t blocks_rows(const struct blk b[SPAN_GROUP], uint8_t *out)
{
    uint64_t v[SPAN_GROUP][BLK_VALUES], least[BLK_VALUES];
    uint8_t *width = out + 8 * BLK_VALUES, *p = out + BLK_HEAD;
    for (int i = 0; i < SPAN_GROUP; i++)
        values(&b[i], v[i]);
    for (int k = 0; k < BLK_VALUES; k++) {
        uint64_t most = least[k] = v[0][k];
        for (int i = 1; i < SPAN_GROUP; i++) {
            least[k] = v[i][k] < least[k] ? v[i][k] : least[k];
            most = v[i][k] > most ? v[i][k] : most;
        }
        bytes_store8(out + 8 * k, least[k]);
        width[k] = most > least[k] ? (uint8_t)((71U - (unsigned)__builtin_clzll(most - least[k])) / 8) : 0U;
    }
    for (int i = 0; i < SPAN_GROUP; i++)
        for (int k = 0; k < BLK_VALUES; k++) {
            bytes_store8(p, v[i][k] - least[k]); /* writes beyond the value; the next one overwrites that */
            p += width[k];
        }
    return (size_t)(p - out);
}

int64_t blocks_before(const struct spanblocks *v, uint32_t b, int64_t tot[SPAN_SLOTS])
{
    if (!blocks_packed(v, b)) {
        const struct blk *k = &v->blk[b % SPAN_GROUP];
        memcpy(tot + 1, k->cum, sizeof k->cum);
        return k->t0;
    }
    const uint8_t *head = v->group[b / SPAN_GROUP].rows, *w = head + 8 * BLK_VALUES, *p = head + BLK_HEAD;
    if (b % SPAN_GROUP == 0) { /* totals only grow: the first row has the least */
        for (int s = 1; s < SPAN_SLOTS; s++)
            tot[s] = (int64_t)bytes_load8(head + 8 * (BLK_CUM + s - 1));
        return v->group[b / SPAN_GROUP].start[0];
    }
    p += b % SPAN_GROUP * blocks_row(w);
    int64_t t0 = (int64_t)(bytes_load8(head) + (bytes_load8(p) & pack_mask[w[BLK_T0]]));
    p += w[BLK_T0] + w[BLK_DATA] + w[BLK_LONGEST];
    for (int s = 1; s < SPAN_SLOTS; s++) {
        int k = BLK_CUM + s - 1;
        tot[s] = (int64_t)(bytes_load8(head + 8 * k) + (bytes_load8(p) & pack_mask[w[k]]));
        p += w[k];
    }
    return t0;
}

void blocks_trim(struct spanblocks *v)
{
    uint32_t blk = v->n % SPAN_GROUP + 1, groups = v->n / SPAN_GROUP + 1;
    struct blk *b = blk < v->cap ? mem_resize(v->blk, blk * sizeof *b) : NULL;
    if (b) {
        v->blk = b;
        v->cap = blk;
    }
    struct spangroup *g = groups < v->capgroup ? mem_resize(v->group, groups * sizeof *g) : NULL;
    if (g) {
        v->group = g;
        v->capgroup = groups;
    }
}

void blocks_free(struct spanblocks *v)
{
    if (!v)
        return;
    mem_free(v->blk);
    mem_free(v->group);
    mem_free(v);
}

size_t blocks_bytes(const struct spanblocks *v)
{
    size_t n = sizeof *v + v->cap * sizeof *v->blk + v->capgroup * sizeof *v->group;
    for (uint32_t g = 0; g < v->n / SPAN_GROUP; g++) {
        n += BLK_HEAD;
        for (int k = 0; k < BLK_VALUES; k++)
            n += SPAN_GROUP * (size_t)v->group[g].rows[8 * BLK_VALUES + k];
    }
    return n;
}
