/* blocks.c - see blocks.h. */
#include "decode/model/blocks.h"

#include <string.h>

#include "decode/base/mem.h"

bool blocks_room(struct spanblocks *v)
{
    uint32_t need = v->n % SPAN_GROUP + 2;
    if (need > v->cap) {
        const size_t cap = need > SPAN_GROUP / 2 + 1 ? SPAN_GROUP + 1 : need > 4 ? SPAN_GROUP / 2 + 1 : 4;
        struct blk *b = mem_resize(v->blk, cap * sizeof *b);
        if (!b)
            return false;
        v->blk = b;
        v->cap = cap;
    }
    if (v->n / SPAN_GROUP >= v->capgroup) {
        const size_t cap = v->capgroup + v->capgroup / 4 + 1;
        struct spangroup *g = mem_resize(v->group, cap * sizeof *g);
        if (!g)
            return false;
        v->group = g;
        v->capgroup = cap;
    }
    return true;
}

static void block_values(const struct blk *b, uint64_t v[BLK_VALUES])
{
    v[BLK_T0] = (uint64_t)b->t0;
    v[BLK_DATA] = (uintptr_t)b->data;
    v[BLK_LONGEST] = (uint64_t)b->longest;
    for (int s = 0; s < SPAN_SLOTS - 1; s++)
        v[BLK_CUM + s] = (uint64_t)b->cum[s];
}

const struct columns *blocks_pack(const struct blk b[SPAN_GROUP], columns_room_fn *room, void *arg)
{
    uint64_t v[SPAN_GROUP][BLK_VALUES];
    for (int i = 0; i < SPAN_GROUP; i++)
        block_values(&b[i], v[i]);
    return columns_make(v[0], SPAN_GROUP, BLK_VALUES, room, arg);
}

int64_t blocks_before(const struct spanblocks *v, uint32_t b, int64_t tot[SPAN_SLOTS])
{
    if (!blocks_packed(v, b)) {
        const struct blk *k = &v->blk[b % SPAN_GROUP];
        memcpy(tot + 1, k->cum, sizeof k->cum);
        return k->t0;
    }
    for (unsigned s = 1; s < SPAN_SLOTS; s++)
        tot[s] = (int64_t)blocks_value(v, b, BLK_CUM + s - 1);
    return blocks_t0(v, b);
}

void blocks_trim(struct spanblocks *v)
{
    mem_fit(v->blk, v->cap, v->n % SPAN_GROUP + 1);
    mem_fit(v->group, v->capgroup, v->n / SPAN_GROUP + 1);
}

void blocks_free(struct spanblocks *v)
{
    if (!v)
        return;
    mem_free(v->blk);
    mem_free(v->group);
    mem_free(v);
}
