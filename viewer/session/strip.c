/* strip.c - see strip.h. */
#include "viewer/session/strip.h"

#include <string.h>
#include <sys/mman.h>

#include "decode/base/mem.h"

enum { PAGE = 1 << 21 };
#define STRIP_MAX ((size_t)(UINT64_C(1) << (sizeof(size_t) > 4 ? 37 : 29))) /* addresses, not memory */
#define STRIP_MIN ((size_t)1 << 26)

static void *no_memory(size_t n)
{
    return mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

struct strip *strip_new(void)
{
    struct strip *s = mem_zalloc(sizeof *s);
    for (size_t cap = STRIP_MAX; s && cap >= STRIP_MIN; cap /= 4) {
        void *p = no_memory(cap);
        if (p == MAP_FAILED)
            continue;
        *s = (struct strip){.p = p, .cap = cap, .users = 1};
        return s;
    }
    mem_free(s);
    return NULL;
}

void strip_use(struct strip *s)
{
    __atomic_add_fetch(&s->users, 1, __ATOMIC_RELAXED);
}

void strip_leave(struct strip *s)
{
    if (!s || __atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL))
        return;
    munmap(s->p, s->cap);
    mem_free(s->gap);
    mem_free(s);
}

bool strip_put(struct strip *s, const uint8_t *p, size_t n)
{
    if (n > s->cap - s->n)
        return false;
    size_t need = (s->n + n + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (need > s->usable && mprotect(s->p + s->usable, need - s->usable, PROT_READ | PROT_WRITE))
        return false;
    s->usable = need > s->usable ? need : s->usable;
    memcpy(s->p + s->n, p, n);
    s->n += n;
    return true;
}

bool strip_gap(struct strip *s)
{
    if (s->ngap && s->gap[s->ngap - 1] == s->n)
        return true;
    size_t *gap = mem_grow(s->gap, &s->capgap, s->ngap + 1, sizeof *gap);
    if (!gap)
        return false;
    s->gap = gap;
    gap[s->ngap++] = s->n;
    return true;
}

void strip_cut(struct strip *s, size_t n)
{
    s->n = n < s->n ? n : s->n;
}

/* A mapping in the place of the old one: so its page tables go, too. */
void strip_forget(struct strip *s, size_t to)
{
    size_t from = __atomic_load_n(&s->gone, __ATOMIC_RELAXED);
    to &= ~(size_t)(PAGE - 1);
    if (to <= from || mmap(s->p + from, to - from, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return;
    __atomic_store_n(&s->gone, to, __ATOMIC_RELAXED);
}

size_t strip_held(const struct strip *s)
{
    return s->n - __atomic_load_n(&s->gone, __ATOMIC_RELAXED);
}

bool strip_is_long(const struct strip *s)
{
    return s->n > s->cap / 2;
}
