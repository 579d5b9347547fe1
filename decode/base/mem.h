/*
 * mem.h - the only interface to the allocator, so that a test can make it fail.
 *
 * All folders below viewer/ allocate through these. Each returns NULL when out of memory; callers turn that
 * into ERR_NOMEM. mem_fail_after(n) makes the n-th allocation from now on (and all later ones) fail, for
 * tests; mem_fail_after(-1) ends that. mem_live() is the number of bytes in use now and mem_peak() their
 * maximum, for `--debug` and the benchmarks (with what the allocator rounds up). Safe from
 * any thread.
 */
#ifndef GOTOP_DECODE_MEM_H
#define GOTOP_DECODE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* mem_alloc - Returns n bytes, which the caller frees with mem_free(). mem_zalloc - The same, all zeros.
 * NULL: out of memory. */
void *mem_alloc(size_t n) __attribute__((warn_unused_result));
void *mem_zalloc(size_t n) __attribute__((warn_unused_result));
/* mem_resize - Like realloc(); on NULL the old block is unchanged. */
void *mem_resize(void *p, size_t n) __attribute__((warn_unused_result));
void mem_free(void *p);   /* NULL is allowed */
size_t mem_size(void *p); /* the bytes of a block, at least those asked for; of NULL: 0 */

/* mem_grow - Make room for at least `need` elements of `size` bytes. An array that is NULL gets *cap elements
 * (0: 8); then it doubles; from 64 KiB on it grows by a quarter, from 2 MiB on by a sixteenth. *cap is
 * updated. Returns the array (moved or not), or NULL when out of memory; then the old one is still valid. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size) __attribute__((warn_unused_result));

/* mem_room - mem_grow() for an array and a capacity that are variables: both are updated. Returns false if
 * out of memory; then nothing has changed. mem_room_zeros - The same; the new elements are zeros. */
#define mem_room(array, cap, need) mem_room_of(&(array), &(cap), need, sizeof *(array))
#define mem_room_zeros(array, cap, need) mem_room_zeros_of(&(array), &(cap), need, sizeof *(array))
/* mem_room_of, mem_room_zeros_of - Called by these macros with the addresses of both variables. */
static inline bool mem_room_of(void *array, size_t *cap, size_t need, size_t size)
{
    void *p;
    memcpy(&p, array, sizeof p);
    if (p && need <= *cap)
        return true;
    p = mem_grow(p, cap, need, size);
    if (p)
        memcpy(array, &p, sizeof p);
    return p;
}
bool mem_room_zeros_of(void *array, size_t *cap, size_t need, size_t size);

/* mem_fit - Free spare room behind n elements, unless there are none. */
#define mem_fit(array, cap, n) mem_fit_of(&(array), &(cap), n, sizeof *(array))
void mem_fit_of(void *array, size_t *cap, size_t n, size_t size);

/* mem_add - append a value to an array with n elements, a variable that is counted up. Returns false if out
 * of memory; then nothing has changed. */
#define mem_add(array, cap, n, ...) \
    (mem_room(array, cap, (size_t)(n) + 1) && ((array)[(n)++] = (__VA_ARGS__), true))
/* mem_noted - Returns ok, whether an allocation succeeded; else *oom says from now on that one failed. */
static inline bool mem_noted(bool *oom, bool ok)
{
    *oom |= !ok;
    return ok;
}

/*
 * mem_limit - Keep mem_live() below this many bytes; 0: no limit. When half of them are in use, new blocks
 * of MEM_SPILLS bytes and more are put into a temporary file (decode/base/spill.h), if there is one with
 * room, and don't count. They are used like any others.
 *
 * mem_spills - Whether there is such a file. mem_over - Whether `more` bytes would exceed the limit
 * nevertheless. (With a file: by more than an eighth, which is for short-lived blocks.) mem_rest - Let the
 * kernel take back pages of blocks in the file, if many are in memory; call it now and then.
 */
#define MEM_SPILLS ((size_t)64 << 10)
void mem_limit(uint64_t bytes);
uint64_t mem_limited(void); /* the limit, 0 = none */
bool mem_spills(void);
bool mem_over(size_t more);
void mem_rest(void);

void mem_fail_after(long n);
/* mem_ran_out - Whether an allocation has failed since the program started, by a test or by the system. */
bool mem_ran_out(void);
size_t mem_live(void);
size_t mem_peak(void);

#endif
