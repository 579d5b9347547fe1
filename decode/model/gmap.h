/*
 * gmap.h - which of the trace's goroutines a segment's are.
 *
 * Those that are new in a segment follow one another in the trace as they do there, so of GMAP_GS neighbours of which none was there
 * before the first one says it all. Neighbours of which some were have an entry each. So a map takes an eighth of a byte for each
 * goroutine, and four bytes more next to those that live on from segment to segment.
 */
#ifndef GOTOP_DECODE_GMAP_H
#define GOTOP_DECODE_GMAP_H

#include <stddef.h>
#include <stdint.h>

enum { GMAP_GS = 64 };

/* Two words for each GMAP_GS neighbours: the first one's goroutine; where their entries stand, in GMAP_GS words from the map's start, 0: nowhere. */
static inline uint32_t gmap_at(const uint32_t *map, uint32_t g)
{
    const uint32_t *of = map + (size_t)(g / GMAP_GS) * 2;
    return of[1] ? map[(size_t)of[1] * GMAP_GS + g % GMAP_GS] : of[0] + g % GMAP_GS;
}

/*
 * gmap_new - of n goroutines, of which nold were there before (`old`, ascending): these are to be said by gmap_set(), the others are the
 * trace's from `base` on. NULL: out of memory. The caller frees it (mem_free). gmap_bytes - what it takes.
 */
uint32_t *gmap_new(uint32_t n, uint32_t base, const uint32_t *old, uint32_t nold);
void gmap_set(uint32_t *map, uint32_t g, uint32_t is);
size_t gmap_bytes(uint32_t n, const uint32_t *old, uint32_t nold);

#endif
