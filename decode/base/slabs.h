/*
 * slabs.h - blocks of one size that are reused, so that few new pages are needed and what is in use stays
 * in the processor's caches.
 *
 * They are cut from larger blocks, which are freed as a whole and are large enough to be spilled
 * (decode/base/mem.h). Zero-initialised is empty.
 */
#ifndef GOTOP_DECODE_SLABS_H
#define GOTOP_DECODE_SLABS_H

#include <stddef.h>

#define SLABS_ALIGN 64 /* alignment of each block: a processor's cache line */

struct slabs {
    void *all, *unused;
};

/* slabs_get - Returns an uninitialised block of `size` bytes, a multiple of SLABS_ALIGN and the same each
 * time. NULL: out of memory. */
void *slabs_get(struct slabs *s, size_t size);
/* slabs_put - Return a block. slabs_free - Free all blocks. */
void slabs_put(struct slabs *s, void *block);
void slabs_free(struct slabs *s);

#endif
