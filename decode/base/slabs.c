/* slabs.c - see slabs.h. */
#include "decode/base/slabs.h"

#include <stdint.h>
#include <string.h>

#include "decode/base/mem.h"

/* This is the header of a larger block. */
struct slab {
    struct slab *next;
};

/* Free blocks are chained by their first bytes. */
void slabs_put(struct slabs *s, void *block)
{
    memcpy(block, &s->unused, sizeof s->unused);
    s->unused = block;
}

static bool new_slab(struct slabs *s, size_t size, size_t n)
{
    struct slab *b = mem_alloc(sizeof *b + SLABS_ALIGN + n * size);
    if (!b)
        return false;
    b->next = s->all;
    s->all = b;
    const uintptr_t at = (uintptr_t)(b + 1), first = (at + SLABS_ALIGN - 1) & ~(uintptr_t)(SLABS_ALIGN - 1);
    for (size_t i = n; i--;) /* so that the first is used first */
        slabs_put(s, (uint8_t *)b + (first - (uintptr_t)b) + i * size);
    return true;
}

void *slabs_get(struct slabs *s, size_t size)
{
    if (!s->unused && !new_slab(s, size, (MEM_SPILLS + size - 1) / size))
        return NULL;
    void *p = s->unused;
    memcpy(&s->unused, p, sizeof s->unused);
    return p;
}

void slabs_free(struct slabs *s)
{
    for (struct slab *b = s->all, *next; b; b = next) {
        next = b->next;
        mem_free(b);
    }
    *s = (struct slabs){0};
}
