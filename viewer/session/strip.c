/* strip.c - see strip.h. */
#include "viewer/session/strip.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };
#define STRIP_MAX ((size_t)1 << 37) /* addresses, not memory */
#define STRIP_MIN ((size_t)1 << 26)

bool strip_make(struct strip *s)
{
    for (size_t cap = STRIP_MAX; cap >= STRIP_MIN; cap /= 4) {
        void *p = mmap(NULL, cap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        *s = (struct strip){.p = p, .cap = cap};
        return true;
    }
    return false;
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

void strip_free(struct strip *s)
{
    if (s->p)
        munmap(s->p, s->cap);
    *s = (struct strip){0};
}
