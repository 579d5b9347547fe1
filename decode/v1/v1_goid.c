/* v1_goid.c - see v1_goid.h. */
#include "decode/v1/v1_goid.h"

#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"

static size_t slot_of(const struct v1_goids *h, uint64_t id)
{
    return (size_t)hash_u64(id) & (h->cap - 1);
}

/* far_slot - where an id stands in the hash table or would; there is one. */
static struct v1_hslot *far_slot(const struct v1_goids *h, uint64_t id)
{
    size_t i = slot_of(h, id);
    while (h->slot[i].val && h->slot[i].key != id)
        i = (i + 1) & (h->cap - 1);
    return &h->slot[i];
}

uint32_t v1_goids_find(const struct v1_goids *h, uint64_t id)
{
    uint32_t row = v1_goids_near(h, id);
    return row || !h->used ? row : far_slot(h, id)->val;
}

static bool far_grow(struct v1_goids *h)
{
    struct v1_goids to = {.cap = h->cap ? 2 * h->cap : 64};
    to.slot = mem_zalloc(to.cap * sizeof *to.slot);
    if (!to.slot)
        return false;
    for (size_t i = 0; i < h->cap; i++)
        if (h->slot[i].val)
            *far_slot(&to, h->slot[i].key) = h->slot[i];
    mem_free(h->slot);
    h->slot = to.slot;
    h->cap = to.cap;
    return true;
}

static uint32_t *new_page(uint8_t fill)
{
    uint32_t *p = mem_alloc(V1_PAGE * sizeof *p);
    if (p)
        memset(p, fill, V1_PAGE * sizeof *p);
    return p;
}

/* room - pages up to that of id. Their number is bounded by that of the ids there are. */
static bool room(struct v1_goids *h, uint64_t id)
{
    size_t need = (size_t)(id >> V1_PAGE_BITS) + 1;
    if (need <= h->npage)
        return true;
    if ((!h->none && !(h->none = new_page(0))) || (!h->all && !(h->all = new_page(0xff))))
        return false;
    if (!mem_room(h->page, h->page_cap, need) || !mem_room_zeros(h->ended, h->ended_cap, need))
        return false;
    for (; h->npage < need; h->npage++)
        h->page[h->npage] = h->none;
    return true;
}

/* own - the page of id, not a shared one. NULL: out of memory. */
static uint32_t *own(struct v1_goids *h, uint64_t id)
{
    uint32_t **p = &h->page[id >> V1_PAGE_BITS];
    if (*p == h->none || *p == h->all) {
        uint32_t *q = new_page(*p == h->all ? 0xff : 0);
        if (!q)
            return NULL;
        *p = q;
    }
    return *p;
}

static bool put_near(struct v1_goids *h, uint64_t id, uint32_t row)
{
    uint32_t *p = own(h, id);
    if (!p)
        return false;
    if (p[id & (V1_PAGE - 1)] == V1_ENDED_ROW)
        h->ended[id >> V1_PAGE_BITS]--;
    p[id & (V1_PAGE - 1)] = row;
    return true;
}

bool v1_goids_put(struct v1_goids *h, uint64_t id, uint32_t row)
{
    if (v1_goids_near(h, id))
        return put_near(h, id, row);
    struct v1_hslot *known = h->used ? far_slot(h, id) : NULL;
    if (known && known->val) {
        known->val = row;
        return true;
    }
    h->n++;
    if (id >> V1_PAGE_BITS < h->npage || id < 8 * (uint64_t)h->n + 4096)
        return room(h, id) && put_near(h, id, row);
    if (2 * (h->used + 1) > h->cap && !far_grow(h))
        return false;
    *far_slot(h, id) = (struct v1_hslot){id, row};
    h->used++;
    return true;
}

void v1_goids_end(struct v1_goids *h, uint64_t id)
{
    size_t i = (size_t)(id >> V1_PAGE_BITS);
    uint32_t row = v1_goids_near(h, id);
    if (!row && h->used && far_slot(h, id)->val)
        far_slot(h, id)->val = V1_ENDED_ROW;
    if (!row || row == V1_ENDED_ROW)
        return;
    h->page[i][id & (V1_PAGE - 1)] = V1_ENDED_ROW;
    if (++h->ended[i] < V1_PAGE)
        return;
    mem_free(h->page[i]);
    h->page[i] = h->all;
}

void v1_goids_free(struct v1_goids *h)
{
    for (size_t i = 0; i < h->npage; i++)
        if (h->page[i] != h->none && h->page[i] != h->all)
            mem_free(h->page[i]);
    mem_free(h->page);
    mem_free(h->ended);
    mem_free(h->none);
    mem_free(h->all);
    mem_free(h->slot);
    memset(h, 0, sizeof *h);
}
