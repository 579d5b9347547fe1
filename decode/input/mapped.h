/*
 * mapped.h - files that are read through a mapping, and what happens when they shrink meanwhile.
 *
 * After a log rotation or a restarted download, reading a page that is gone raises SIGBUS. The handler puts
 * zeros in its place: decoding finds damage there like any other, and what was read before stays.
 * mapped_lost() then returns true. Any other SIGBUS is not handled.
 */
#ifndef GOTOP_DECODE_MAPPED_H
#define GOTOP_DECODE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mapped_new - map n bytes of a file, read-only. NULL: errno says why; EFBIG: the file is larger than the
 * address space. */
void *mapped_new(int fd, uint64_t n);
void mapped_free(void *p, size_t n); /* n: as passed to mapped_new() */
/* mapped_mend - for a handler of SIGBUS at addr: whether reading can go on. */
bool mapped_mend(void *addr);
/* mapped_lost - whether mapped pages were gone at any time since the program began. */
bool mapped_lost(void);

#endif
