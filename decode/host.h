/* host.h - what the host has to give. */
#ifndef GOTOP_DECODE_HOST_H
#define GOTOP_DECODE_HOST_H

#include <stdint.h>

/*
 * host_memory - bytes that could be had without pushing others out: free, or the kernel's caches; no more than the
 * control group allows in all. 0 = not known.
 */
uint64_t host_memory(void);

#endif
