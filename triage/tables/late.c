/* late.c - see late.h. Where it would save little, all are told. */
#include "triage/tables/late.h"

#include <string.h>

#include "decode/base/mem.h"

bool late_room(struct late *l, size_t n)
{
    uint64_t *p = mem_grow(l->key, &l->cap, l->n + 2 * n, sizeof *p);
    l->key = p ? p : l->key;
    return p != NULL;
}

bool late_queued(struct late *l, const int64_t *first, const int64_t *ns, uint32_t n)
{
    if (!late_room(l, n))
        return false;
    struct late x = *l;
    for (uint32_t i = 0; i < n; i++)
        if (ns[i] > RUNNABLE_NOTICE)
            late_put(&x, first[i] + RUNNABLE_NOTICE, first[i] + ns[i]);
    *l = x;
    return true;
}

void late_free(struct late *l)
{
    mem_free(l->key);
    *l = (struct late){0};
}

/*
 * The time from the first to the last in so many parts. In those through which there are enough all along
 * nothing need be told, and their changes need not even be sorted.
 */
enum { PARTS = 1024 };
struct parts {
    uint64_t from; /* key of the first */
    unsigned shift;
    uint32_t begin[PARTS], end[PARTS];
    int32_t more[PARTS]; /* of those left out, else 0 */
    bool out[PARTS];
};

static inline size_t part_of(const struct parts *p, uint64_t key)
{
    return (size_t)(CHANGE_TIME(key - p->from) >> p->shift);
}

static void parts_of(struct parts *p, const struct late *l, int64_t most)
{
    int64_t now = 0;
    *p = (struct parts){.from = CHANGE_KEY(l->first, 0, 0)};
    while ((uint64_t)(l->last - l->first) >> p->shift >= PARTS)
        p->shift++;
    for (size_t i = 0; i < l->n; i += 2) {
        p->begin[part_of(p, l->key[i])]++;
        p->end[part_of(p, l->key[i + 1])]++;
    }
    for (unsigned i = 0; i < PARTS; i++) {
        const int64_t more = (int64_t)p->begin[i] - (int64_t)p->end[i];
        p->out[i] = now - (int64_t)p->end[i] >= most;
        p->more[i] = p->out[i] ? (int32_t)more : 0;
        now += more;
    }
}

/* Changes of the other parts, to the front, and from the first on, since small numbers are sorted sooner: how
 * many. */
static size_t leave_out(uint64_t *key, size_t n, const struct parts *p)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t k = key[i];
        key[to] = k - p->from;
        to += !p->out[part_of(p, k)];
    }
    return to;
}

/* Of sorted changes those that are left if no more than `most` at once count, to the front: how many. There
 * are never more. */
static size_t cut_off(uint64_t *key, size_t n, const struct parts *p, int64_t most)
{
    int64_t now = 0, told = 0;
    size_t to = 0, part = 0;
    for (size_t i = 0; i < n;) {
        const int64_t t = CHANGE_TIME(key[i]);
        for (; part < (size_t)(t >> p->shift); part++) /* enough before them, and behind */
            now += p->more[part];
        for (; i < n && CHANGE_TIME(key[i]) == t; i++)
            now += key[i] & 1 ? 1 : -1;
        const int64_t is = now < most ? now : most;
        for (; told < is; told++)
            key[to++] = CHANGE_KEY(t, CHANGE_RUNNABLE, 1);
        for (; told > is; told--)
            key[to++] = CHANGE_KEY(t, CHANGE_RUNNABLE, 0);
    }
    return to;
}

static bool cut(struct late *l, int64_t most)
{
    struct parts *p = mem_alloc(sizeof *p);
    if (p) {
        parts_of(p, l, most);
        l->n = leave_out(l->key, l->n, p);
    }
    const bool ok = p && keys_sort(l->key, l->n, CHANGE_BITS);
    l->n = ok ? cut_off(l->key, l->n, p, most) : 0;
    for (size_t i = 0; i < l->n; i++)
        l->key[i] += CHANGE_KEY(l->first, 0, 0);
    mem_free(p);
    return ok;
}

bool late_tell(struct late *l, int64_t most, uint64_t **keys, size_t *n, size_t *cap)
{
    if (l->sum / (most + 1) > (l->last - l->first) / 2 && !cut(l, most)) /* so many at once, on average */
        return false;
    uint64_t *p = l->n ? mem_grow(*keys, cap, *n + l->n, sizeof *p) : NULL;
    if (!p)
        return !l->n;
    memcpy(p + *n, l->key, l->n * sizeof *p);
    *keys = p;
    *n += l->n;
    return true;
}
