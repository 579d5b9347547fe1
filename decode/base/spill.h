/*
 * spill.h - blocks in a temporary file in place of memory, for what mem.c's limit keeps out of memory.
 *
 * The file has no name: nobody else can open it, and it is gone when the program ends, however that
 * happens. It is in the first of $TMPDIR, /var/tmp and /tmp that is on a disk, as a folder in memory would
 * save none. Each block's range is reserved before it is used: a full disk is an error there, not a SIGBUS
 * on a later write. It takes at most seven eighths of the space that was free.
 *
 * A block is a mapping of its range of the file: it takes none of the memory that is counted, and the kernel
 * fetches its pages and puts them back as it sees fit. Addresses for the whole file are reserved with the
 * first block, and the byte at offset x of the file is always at the x-th of them. So an address alone tells
 * whether it is one of these blocks.
 *
 * Safe from any thread, except spill_open() and spill_forbid(), which come first.
 */
#ifndef GOTOP_DECODE_SPILL_H
#define GOTOP_DECODE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* spill_forbid - Forbid such a file (--no-spill). */
void spill_forbid(void);
/* spill_open - Create the file on the first call. Call it before a sandbox that would forbid it. Returns
 * false if there is none. */
bool spill_open(void);
/* spill_why - Returns why there is no file, or why it could not grow; "" if all is well. Whole words, no
 * line feed. */
const char *spill_why(void);
/* spill_works - Whether there is a file, and it could grow whenever asked. */
bool spill_works(void);

/* spill_new - Returns n bytes of zeros in the file, aligned to 64, that can grow to `most` bytes in place.
 * NULL: there is no room, or no file. */
void *spill_new(size_t n, size_t most);
/* spill_resize - Like realloc(), for one of these blocks. NULL: there is no room, and p is unchanged. */
void *spill_resize(void *p, size_t n);
void spill_free(void *p);
/* spill_size - Returns the size of a block; 0: p is none of these. */
size_t spill_size(const void *p);
/* spill_rest - Release the pages of all blocks; they are read from the file on the next use. */
void spill_rest(void);
/* spill_bytes - Returns the bytes of the file in use now. */
uint64_t spill_bytes(void);

#endif
