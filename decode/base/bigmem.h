/*
 * bigmem.h - large blocks for mem.c: each in a mapping of its own that begins at a multiple of BIG_PAGE.
 *
 * A model is a handful of arrays and chunks of many megabytes that grow while it is built. malloc's own
 * threshold for mappings rises with what has been freed, and below it an array that grows is copied: a step
 * of loading then takes a tenth of a second. Here a block grows in place or is moved by its page tables.
 *
 * No huge pages are asked for: what is touched of an array's last one is memory, needed or not; and on a
 * virtual machine that gives free pages back to its host a fresh huge page costs more than the small ones it
 * replaces (docs/SCALE.md).
 *
 * A block may stand in the temporary file of spill.h instead, mapped: then it takes none of the memory that
 * is counted, and the kernel fetches its pages and puts them back as it sees fit.
 *
 * Safe from any thread. Under the sanitizers mem.c does without it, for they can't look into it.
 */
#ifndef GOTOP_DECODE_BIGMEM_H
#define GOTOP_DECODE_BIGMEM_H

#include <stdbool.h>
#include <stddef.h>

#define BIG_PAGE ((size_t)2 << 20) /* page tables of this size move as one; malloc has smaller blocks */

/* bigmem_new - Returns n >= BIG_PAGE bytes of zeros, or NULL if out of memory. */
void *bigmem_new(size_t n);
/* bigmem_spilled - Returns n bytes of zeros, at least a page, in the temporary file. NULL: there is no
 * room. */
void *bigmem_spilled(size_t n);
/* bigmem_is_spilled - Whether p is a block of bigmem_spilled(). */
bool bigmem_is_spilled(const void *p);
/* bigmem_rest - Release the pages of spilled blocks; they are read from the file on the next use. */
void bigmem_rest(void);
/* bigmem_size - Returns the requested size, in whole pages; 0: p is none of these blocks. */
size_t bigmem_size(const void *p);
/* bigmem_resize - Resize p, one of these blocks, to n >= BIG_PAGE bytes; it may move. NULL: out of memory,
 * and p is unchanged. */
void *bigmem_resize(void *p, size_t n);
/* bigmem_held - Like bigmem_size(), but 0 for a spilled block. */
size_t bigmem_held(const void *p);
/* bigmem_touch - Get the pages of n bytes at p, in a block of any kind, at once instead of by faults. For
 * bytes that are about to be written. */
void bigmem_touch(void *p, size_t n);
void bigmem_free(void *p); /* p: one of these blocks */

#endif
