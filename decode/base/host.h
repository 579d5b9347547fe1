/* host.h - what the host has to give. */
#ifndef GOTOP_DECODE_HOST_H
#define GOTOP_DECODE_HOST_H

#include <stddef.h>
#include <stdint.h>

/*
 * host_memory - bytes that could be had without pushing others out: free, or the kernel's caches; no more than the
 * control group allows in all. 0 = not known.
 */
uint64_t host_memory(void);

/* host_random - n <= 256 bytes that nobody can foresee; where the host has none, what differs from run to run. */
void host_random(void *p, size_t n);

/* host_trim - freed memory goes back to the host, where the C library keeps it otherwise (glibc). */
void host_trim(void);

#endif
