/*
 * mem.h - the one door to the allocator, so that a test can shut it.
 *
 * All folders below viewer/ allocate through these. Each returns NULL when out of memory; callers turn that
 * into ERR_NOMEM. mem_fail_after(n) makes the n-th allocation from now on (and all later ones) fail, for tests;
 * mem_fail_after(-1) ends that. mem_live() is the number of bytes handed out now and mem_peak() their maximum,
 * for `--debug` and the benchmarks (with what the allocator rounds up). Blocks of 2 MiB and more: decode/base/bigmem.h.
 * Safe from any thread.
 */
#ifndef GOTOP_DECODE_MEM_H
#define GOTOP_DECODE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *mem_alloc(size_t n) __attribute__((warn_unused_result));
void *mem_zalloc(size_t n) __attribute__((warn_unused_result));
/* mem_resize - as realloc(); on NULL the old block stands. */
void *mem_resize(void *p, size_t n) __attribute__((warn_unused_result));
void mem_free(void *p);

/*
 * mem_grow - make room for at least `need` elements of `size` bytes in an array that doubles (a larger one grows by a quarter, a large one by a sixteenth).
 * *cap is updated; returns the array (moved or not) or NULL when out of memory, the old one then still valid.
 */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size) __attribute__((warn_unused_result));

/*
 * mem_room - mem_grow() of an array that stands in a variable, as its capacity does: both change. false: out of memory, all
 * stands. mem_room_zeros - what is new of it is zeros.
 */
#define mem_room(array, cap, need) mem_room_of(&(array), &(cap), need, sizeof *(array))
#define mem_room_zeros(array, cap, need) mem_room_zeros_of(&(array), &(cap), need, sizeof *(array))
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

/* mem_touch - all of a block is about to be written: its pages come at once, which costs a third of coming singly. */
void mem_touch(void *p);
/*
 * mem_table - zeros that will be looked at and written all over. Of fresh memory the first look gives a page of zeros that is
 * everybody's, and the first write another one in its place: two faults, for the second of which the other threads stop.
 */
void *mem_table(size_t n) __attribute__((warn_unused_result));
/*
 * mem_cut - of a large block no more than n bytes are needed: it stays where it is, what is behind them is given back. Returns how much
 * that was.
 */
size_t mem_cut(void *p, size_t n);

/*
 * mem_limit - what is counted shall stay below so many bytes: from half of them on blocks of MEM_SPILLS bytes and more
 * stand in a temporary file (decode/base/spill.h) while there is one and it has room, and are not counted. 0: no limit.
 * Nothing else differs: whoever has a block reads and writes it as any other. mem_spills - there is such a file. mem_over - that
 * was not enough: with `more` bytes there is more than the limit (and an eighth, which blocks that come and go may take, where
 * there is a file). mem_spilled - bytes that stand there now. mem_is_spilled - does this block?
 * mem_rest - the pages of such blocks that were asked for may go again, if they are many: call it now and then.
 */
#define MEM_SPILLS ((size_t)64 << 10)
void mem_limit(uint64_t bytes);
uint64_t mem_limited(void); /* the limit there is, 0 = none */
bool mem_spills(void);
bool mem_over(size_t more);
uint64_t mem_spilled(void);
bool mem_is_spilled(const void *p);
void mem_rest(void);

void mem_fail_after(long n);
/* mem_ran_out - was an allocation refused since the program began, by a test or by the system? */
bool mem_ran_out(void);
size_t mem_live(void);
size_t mem_peak(void);

#endif
