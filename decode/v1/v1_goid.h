/*
 * v1_goid.h - goroutine ids of the file -> rows.
 *
 * Go counts goroutines up, and most don't live long. So ids are looked up in pages of 512, and a page whose
 * goroutines have all ended is freed. Ids far above the number of goroutines, which only made-up files have,
 * go to a hash table. An id whose row was given back is V1_ENDED_ROW, so that it is never taken for a new
 * one.
 */
#ifndef GOTOP_DECODE_V1_GOID_H
#define GOTOP_DECODE_V1_GOID_H

#include "decode/base/idmap.h"

#define V1_ENDED_ROW UINT32_MAX
#define V1_PAGE_BITS 9
#define V1_PAGE (1u << V1_PAGE_BITS)

struct v1_goids {
    uint32_t **page; /* by id / V1_PAGE: one of its own, or one of the two shared ones */
    uint16_t *ended; /* number of V1_ENDED_ROW entries of a page */
    size_t npage, page_cap, ended_cap;
    uint32_t *none, *all; /* shared pages: nothing known, all ended */
    struct idmap far;     /* rows of ids that have no page; 0: V1_ENDED_ROW */
    size_t n;             /* number of ids ever put, in pages or not */
};

/* v1_goids_find - the row, V1_ENDED_ROW, or 0 = never put. */
uint32_t v1_goids_find(const struct v1_goids *h, uint64_t id);
/* v1_goids_put - set or replace an id's row. false: out of memory. */
bool v1_goids_put(struct v1_goids *h, uint64_t id, uint32_t row);
/* v1_goids_end - set an id's row to V1_ENDED_ROW. */
void v1_goids_end(struct v1_goids *h, uint64_t id);
void v1_goids_free(struct v1_goids *h);

/* v1_goids_near - the same as find for an id in a page, else 0. */
static inline uint32_t v1_goids_near(const struct v1_goids *h, uint64_t id)
{
    return id >> V1_PAGE_BITS < h->npage ? h->page[id >> V1_PAGE_BITS][id & (V1_PAGE - 1)] : 0;
}

#endif
