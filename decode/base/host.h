/* host.h - what the host has to give. */
#ifndef GOTOP_DECODE_HOST_H
#define GOTOP_DECODE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * host_memory - bytes that could be had without pushing others out: free, or the kernel's caches; no more
 * than a control group allows in all that this process is in. 0 = not known.
 */
uint64_t host_memory(void);
/*
 * host_group_memory - the least of the limits on memory of the control group that a process is in and of all
 * above it, as far as they can be seen; 0 = there is none. list: /proc/self/cgroup; mounted: /sys/fs/cgroup,
 * with version 2, 1 or both below.
 */
uint64_t host_group_memory(const char *list, const char *mounted);

/* host_now - ns on a clock that only goes forward; nothing else is known of its zero. */
int64_t host_now(void);

/* host_random - n <= 256 bytes that nobody can foresee; where the host has none, what differs from run to
 * run. */
void host_random(void *p, size_t n);

/*
 * host_unnamed_file - a file for reading and writing in this folder that has no name there; -1 and errno,
 * EMEDIUMTYPE where the folder is one in memory. host_punch - n bytes of a file become zeros and take no
 * room; false: this file can't.
 */
int host_unnamed_file(const char *folder);
/* host_disk_free - bytes that its disk has free for files like this one; INT64_MAX = not known. */
uint64_t host_disk_free(int fd);
bool host_punch(int fd, uint64_t at, uint64_t n);

/* host_mapped - bytes of files that are mapped and in memory now, by a look that costs a microsecond; 0 = not
   known. host_mapped_begin - before a sandbox that lets nothing be opened. */
void host_mapped_begin(void);
uint64_t host_mapped(void);

/* host_sort - n of `size` bytes each, put in order by what cmp says of two with `ctx` beside them: the C
   libraries differ in how they spell it. */
void host_sort(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *ctx);

/*
 * host_heap - memory in blocks below `most` bytes comes and goes without a call of the kernel for each, where
 * the C library would make one (glibc): where several threads are at work, such a call stops the others, too.
 * Some megabytes that are free are kept.
 */
void host_heap(size_t most);

/* host_trim - freed memory goes back to the host, where the C library keeps it otherwise (glibc). */
void host_trim(void);

#endif
