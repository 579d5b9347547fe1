/*
 * spill.h - a temporary file in place of memory, for what mem.c's limit keeps out of memory.
 *
 * The file has no name: nobody else can open it, and it is gone when the program ends, however that
 * happens. It is in the first of $TMPDIR, /var/tmp and /tmp that is on a disk, as a folder in memory would
 * save none. Each range is reserved before it is used: a full disk is an error there, not a SIGBUS on a
 * later write. It takes at most seven eighths of the space that was free.
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
int spill_fd(void); /* the descriptor, for mapping the ranges of spill_take() */

/* spill_take - Reserve n bytes of zeros, whole pages, at *at. Returns false if there is no room, or no
 * file. */
bool spill_take(size_t n, uint64_t *at);
/* spill_more - Reserve the n bytes at `at` if they were never used. Returns false if they were, or if there
 * is no room. */
bool spill_more(uint64_t at, size_t n);
/* spill_give - Release the n bytes at `at`, and their place on the disk. */
void spill_give(uint64_t at, size_t n);
/* spill_bytes - Returns the bytes in use now. */
uint64_t spill_bytes(void);

#endif
