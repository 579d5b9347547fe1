/*
 * host.h - resources of the host.
 */
#ifndef GOTOP_DECODE_HOST_H
#define GOTOP_DECODE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* host_memory - Returns how many bytes could be had without swapping: free memory and the kernel's caches,
 * at most what this process's control group allows it in all. 0 = unknown. */
uint64_t host_memory(void);
/* host_group_memory - Returns the least of the memory limits of a process's control group and of all its
 * ancestors, as far as they are visible; 0 = none. list: /proc/self/cgroup; mounted: /sys/fs/cgroup, with
 * version 2, 1 or both below. */
uint64_t host_group_memory(const char *list, const char *mounted);

/* host_now - Returns ns on a monotonic clock with an unspecified zero. */
int64_t host_now(void);
/* host_until - Returns the host_now() at which so many ns are over; INT64_MAX ns never are. host_over - True
 * once they are. */
static inline int64_t host_until(int64_t budget_ns)
{
    return budget_ns == INT64_MAX ? INT64_MAX : host_now() + budget_ns;
}
static inline bool host_over(int64_t until)
{
    return until != INT64_MAX && host_now() >= until;
}

/* host_random - Get n <= 256 unpredictable bytes; where the host has none, bytes that differ from run to
 * run. */
void host_random(void *p, size_t n);

/* host_unnamed_file - Open an unnamed file for reading and writing in this folder. Returns -1 and errno on
 * error, EMEDIUMTYPE if the folder is in memory. host_punch - Make n bytes of a file zeros that take no
 * room. Returns false if the file can't. */
int host_unnamed_file(const char *folder);
/* host_disk_free - Returns the free bytes of its disk for files like this one; INT64_MAX = unknown. */
uint64_t host_disk_free(int fd);
bool host_punch(int fd, uint64_t at, uint64_t n);

/* host_mapped - Returns how many bytes of mapped files are in memory now; takes a microsecond. 0 = unknown.
 * host_mapped_begin - Call before a sandbox that forbids opening files. */
void host_mapped_begin(void);
uint64_t host_mapped(void);

/* host_sort - Sort n elements of `size` bytes by cmp, which gets `ctx`. C libraries differ in how they
 * spell this. */
void host_sort(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *ctx);

/* host_heap - Make the C library (glibc) give blocks of `large` bytes and more mappings of their own.
 * host_heap_keeps - And keep some megabytes of free memory, so that smaller blocks need no call of the kernel
 * each, as such a call stops other threads too. */
void host_heap(size_t large);
void host_heap_keeps(void);

/* host_trim - Return freed memory to the host, where the C library would keep it (glibc). */
void host_trim(void);
/* host_write_all - write n bytes to a descriptor, through interruptions. Returns false when they can't be
 * written: errno says why. */
bool host_write_all(int fd, const void *p, size_t n);

#endif
