/*
 * gmap.h - maps a segment's goroutines to the trace's.
 *
 * Goroutines that are new in a segment have successive indices in the trace, in the same order. So if none
 * of GMAP_GS neighbours existed before, the first one's index determines the others. If some did, each of
 * the neighbours has an entry. A map takes an eighth of a byte per goroutine, and four bytes more for the
 * neighbours of goroutines that existed before.
 */
#ifndef GOTOP_DECODE_GMAP_H
#define GOTOP_DECODE_GMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GMAP_GS = 64 };

/*
 * Two words per GMAP_GS neighbours: the trace's index of the first, and where their entries are, in units of
 * GMAP_GS words from the map's start (0: they have none). Either way one word is read, without a branch: who
 * is looked up comes in no order.
 */
static inline uint32_t gmap_at(const uint32_t *map, uint32_t g)
{
    const size_t of = (size_t)(g / GMAP_GS) * 2, i = g % GMAP_GS, own = (size_t)map[of + 1] * GMAP_GS + i;
    const bool has = map[of + 1];
    return map[has ? own : of] + (has ? 0 : (uint32_t)i);
}

/*
 * gmap_new - returns a map of n goroutines; NULL if out of memory. Those in `old` (nold, ascending) existed
 * before: set each with gmap_set(). The others get the trace's indices from `base` on. The caller frees the
 * map with mem_free().
 */
uint32_t *gmap_new(uint32_t n, uint32_t base, const uint32_t *old, uint32_t nold);
void gmap_set(uint32_t *map, uint32_t g, uint32_t is);

#endif
