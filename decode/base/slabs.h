/*
 * slabs.h - blocks of one size that are given back and used again, so that few new pages are needed and what
 * is in use stays in the processor's caches.
 *
 * They are cut from larger blocks, which are freed as a whole; all but the first of these are large enough to
 * be spilled (decode/base/mem.h). Zero-initialised is empty.
 */
#ifndef GOTOP_DECODE_SLABS_H
#define GOTOP_DECODE_SLABS_H

#include <stdbool.h>
#include <stddef.h>

#define SLABS_ALIGN 64 /* of each block: a processor's cache line */

struct slabs {
    void *all, *unused;
};

/* slabs_get - a block of `size` bytes, a multiple of SLABS_ALIGN and the same each time; not initialised.
 * NULL: out of memory. */
void *slabs_get(struct slabs *s, size_t size);
/* slabs_exactly - make room for exactly n blocks, side by side; s must be empty. false: out of memory. */
bool slabs_exactly(struct slabs *s, size_t size, size_t n);
/* slabs_put - give a block back. slabs_free - free all of them. slabs_bytes - the memory that they take. */
void slabs_put(struct slabs *s, void *block);
void slabs_free(struct slabs *s);
size_t slabs_bytes(const struct slabs *s);

#endif
