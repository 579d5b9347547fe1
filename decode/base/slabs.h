/*
 * slabs.h - blocks of one size that are given back and taken again: memory that was written once is used on, so nobody waits for
 * new pages, and what is busy stays in the processor's caches.
 *
 * They are cut from larger blocks, large enough to be spilled (decode/base/mem.h) behind the first, which go back as a whole.
 * Zero-initialised is empty.
 */
#ifndef GOTOP_DECODE_SLABS_H
#define GOTOP_DECODE_SLABS_H

#include <stdbool.h>
#include <stddef.h>

#define SLABS_ALIGN 64 /* of each block: a processor's cache line */

struct slabs {
    void *all, *unused;
};

/* slabs_get - `size` bytes, a multiple of SLABS_ALIGN and the same each time; what they hold isn't known. NULL: out of memory. */
void *slabs_get(struct slabs *s, size_t size);
/* slabs_exactly - there will be no more than n blocks, which stand side by side. false: out of memory. Of an empty s. */
bool slabs_exactly(struct slabs *s, size_t size, size_t n);
/* slabs_put - a block is used no more. */
void slabs_put(struct slabs *s, void *block);
/* slabs_free - nor is any. */
void slabs_free(struct slabs *s);
size_t slabs_bytes(const struct slabs *s); /* for who counts */

#endif
