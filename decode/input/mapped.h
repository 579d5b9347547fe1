/*
 * mapped.h - files that are read where they are mapped, and what happens when they become shorter meanwhile.
 *
 * A log rotation, a download begun anew: reading a page that is gone raises SIGBUS. The handler puts zeros in
 * its place, so that decoding finds damage there like any other and what was read stands; mapped_lost() then
 * says that it happened. A SIGBUS elsewhere is none of ours.
 */
#ifndef GOTOP_DECODE_MAPPED_H
#define GOTOP_DECODE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mapped_new - n bytes of a file, to be read only. NULL: errno says why, EFBIG of a file larger than what
 * addresses reach. */
void *mapped_new(int fd, uint64_t n);
void mapped_free(void *p, size_t n); /* n as given to mapped_new() */
/* mapped_mend - for a handler of SIGBUS at addr: may reading go on? */
bool mapped_mend(void *addr);
/* mapped_lost - was something gone since the program began? */
bool mapped_lost(void);

#endif
