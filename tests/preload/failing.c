/*
 * failing.c - for LD_PRELOAD: an allocator that refuses, ours and every library's allocations alike.
 *
 * FAIL_AT=N: the N-th allocation of the process fails (from 1 on); with FAIL_ON also all behind it.
 * FAIL_FD=F: at the end their number is written to that file descriptor. glibc only: its own allocator has
 * names beside malloc.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t k, size_t n);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static atomic_long count;
static long fail_at;
static bool fail_on;
static int told = -1;
static bool over;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT"), *fd = getenv("FAIL_FD");
    fail_at = at ? atol(at) : 0;
    fail_on = getenv("FAIL_ON") != NULL;
    told = fd ? atoi(fd) : -1;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
    if (told >= 0 && n > 0 && write(told, text, (size_t)n) < 0)
        return;
}

/* For what measures the program, not for the program: from here on all is granted, and not counted. */
void failing_end(void);
void failing_end(void)
{
    over = true;
}

static bool refused(void)
{
    if (over)
        return false;
    long n = atomic_fetch_add(&count, 1) + 1;
    bool no = fail_at > 0 && (n == fail_at || (fail_on && n > fail_at));
    if (no)
        errno = ENOMEM;
    return no;
}

void *malloc(size_t n)
{
    return refused() ? NULL : __libc_malloc(n);
}

void *calloc(size_t k, size_t n)
{
    return refused() ? NULL : __libc_calloc(k, n);
}

void *realloc(void *p, size_t n)
{
    return refused() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    return refused() ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
    *p = refused() ? NULL : __libc_memalign(align, n);
    return *p ? 0 : ENOMEM;
}
