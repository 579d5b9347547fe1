/* gmap.c - see gmap.h. */
#include "decode/model/gmap.h"

#include "decode/base/mem.h"

/* Returns the size of what is before the entries, in units of GMAP_GS words. */
static size_t heads(uint32_t n)
{
    return ((size_t)n / GMAP_GS * 2 + 2 + GMAP_GS - 1) / GMAP_GS;
}

static size_t bytes_of(uint32_t n, const uint32_t *old, uint32_t nold)
{
    size_t rows = heads(n);
    for (uint32_t k = 0; k < nold; k++)
        rows += !k || old[k] / GMAP_GS != old[k - 1] / GMAP_GS;
    return rows * GMAP_GS * sizeof *old;
}

uint32_t *gmap_new(uint32_t n, uint32_t base, const uint32_t *old, uint32_t nold)
{
    uint32_t *map = mem_alloc(bytes_of(n, old, nold)), row = (uint32_t)heads(n);
    for (uint32_t b = 0, k = 0; map && b <= n / GMAP_GS; b++) {
        uint32_t *of = map + (size_t)b * 2, next = b * GMAP_GS + base - k;
        of[0] = next;
        of[1] = k < nold && old[k] / GMAP_GS == b ? row++ : 0;
        for (uint32_t i = 0; of[1] && i < GMAP_GS; i++)
            if (k < nold && old[k] == b * GMAP_GS + i)
                k++;
            else
                map[(size_t)of[1] * GMAP_GS + i] = next++;
    }
    return map;
}

void gmap_set(uint32_t *map, uint32_t g, uint32_t is)
{
    map[(size_t)map[(size_t)(g / GMAP_GS) * 2 + 1] * GMAP_GS + g % GMAP_GS] = is;
}
