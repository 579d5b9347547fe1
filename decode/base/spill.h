/*
 * spill.h - a temporary file that stands in for memory: what mem.c's limit keeps out of memory lives there.
 *
 * The file has no name: nobody else can open it, and it is gone when the program is, by whatever end. It lies
 * in the first of $TMPDIR, /var/tmp and /tmp that is a disk, for a folder in memory would save none. Each
 * range is reserved before it is handed out: a full disk is told there, not by SIGBUS in the middle of a
 * write. It takes at most seven eighths of what was free there.
 *
 * Safe from any thread, but for spill_open() and spill_forbid(), which come first.
 */
#ifndef GOTOP_DECODE_SPILL_H
#define GOTOP_DECODE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* spill_forbid - there shall be no such file (--no-spill). */
void spill_forbid(void);
/* spill_open - the file, made at the first call. Where a sandbox follows that would refuse it, call it
 * before. false: none. */
bool spill_open(void);
/* spill_why - why there is none, or why it could not become larger; "" while all is well. Whole words, no
 * line's end. */
const char *spill_why(void);
/* spill_works - there is one, and it could always become as large as was asked. */
bool spill_works(void);
int spill_fd(void); /* its descriptor, to map what spill_take() gave */

/* spill_take - n bytes of zeros, whole pages, from *at on. false: there is no room, or no file. */
bool spill_take(size_t n, uint64_t *at);
/* spill_more - the n bytes from `at` on, if nobody ever had them. false: somebody did, or there is no
 * room. */
bool spill_more(uint64_t at, size_t n);
/* spill_give - n bytes that were taken from `at` on go back, and their place on the disk with them. */
void spill_give(uint64_t at, size_t n);
/* spill_bytes - handed out now. */
uint64_t spill_bytes(void);

#endif
