/* v1_goid.c - see v1_goid.h. */
#include "decode/v1/v1_goid.h"

#include <string.h>

#include "decode/base/mem.h"

uint32_t v1_goids_find(const struct v1_goids *h, uint64_t id)
{
    const uint32_t near = v1_goids_near(h, id), far = near ? 0 : idmap_get(&h->far, id);
    return near ? near : far == IDMAP_NONE ? 0 : far ? far : V1_ENDED_ROW;
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
    const bool known = idmap_get(&h->far, id) != IDMAP_NONE;
    h->n += !known;
    if (!known && (id >> V1_PAGE_BITS < h->npage || id < 8 * (uint64_t)h->n + 4096))
        return room(h, id) && put_near(h, id, row);
    return idmap_put(&h->far, id, row);
}

void v1_goids_end(struct v1_goids *h, uint64_t id)
{
    size_t i = (size_t)(id >> V1_PAGE_BITS);
    uint32_t row = v1_goids_near(h, id);
    if (!row && idmap_get(&h->far, id) != IDMAP_NONE)
        (void)idmap_put(&h->far, id, 0); /* it has its place */
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
    idmap_free(&h->far);
    memset(h, 0, sizeof *h);
}
