/*
 * idmap.h - 64-bit ids of the file to dense 32-bit values.
 *
 * Open addressing, at most half full. Ids usually count upwards, so a key's home is the slot of its low bits:
 * neighbouring ids are neighbours in memory. If that slot is taken the next one tried is half the map away,
 * because the slot beside it is the home of the next id. When many keys collide a small map grows; then the
 * home becomes a hash with this run's secret (decode/base/hash.h). No search goes further than the farthest
 * key is from its home. So the cost stays linear whatever ids a file has and asks for. Keys whose search
 * passes the slot of a deleted one move up.
 * Zero-initialised is empty; 12 bytes a slot.
 */
#ifndef GOTOP_DECODE_IDMAP_H
#define GOTOP_DECODE_IDMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"

#define IDMAP_NONE UINT32_MAX
enum { IDMAP_SMALL = 1 << 14 }; /* number of slots */

struct idmap {
    uint64_t *key;
    uint32_t *val; /* value + 1, 0 = free */
    uint32_t cap, used;
    uint32_t reach; /* no key is more slots than this from its home */
    bool mixed;
};

/* Returns the slot where the search for a key starts: hashed (`mixed`), or its low bits, which is best for
 * consecutive ids. */
static inline uint32_t idmap_home(const struct idmap *m, uint64_t key)
{
    if (!m->mixed)
        return (uint32_t)key & (m->cap - 1);
    return (uint32_t)hash_u64(key) & (m->cap - 1);
}

/* Returns the slot to try after this one. */
static inline uint32_t idmap_step(const struct idmap *m, uint32_t at)
{
    return (at + m->cap / 2 + 1) & (m->cap - 1);
}

/* Returns how many such steps lead from one slot to another. (The stride is its own inverse, as the map has
 * at least four slots.) */
static inline uint32_t idmap_steps(const struct idmap *m, uint32_t from, uint32_t to)
{
    return ((to - from) * (m->cap / 2 + 1)) & (m->cap - 1);
}

/* idmap_get - Returns the value of a key, or IDMAP_NONE. */
static inline uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
    if (!m->cap)
        return IDMAP_NONE;
    for (uint32_t at = idmap_home(m, key), steps = 0; m->val[at] && steps <= m->reach;
         at = idmap_step(m, at), steps++)
        if (m->key[at] == key)
            return m->val[at] - 1;
    return IDMAP_NONE;
}

static inline void idmap_free(struct idmap *m)
{
    mem_free(m->key);
    mem_free(m->val);
    memset(m, 0, sizeof *m);
}

/* Move all keys into a table of cap slots. Returns false if out of memory; then nothing has changed. */
static inline bool idmap_rebuild(struct idmap *m, uint32_t cap, bool mixed)
{
    struct idmap n = {.cap = cap, .used = m->used, .mixed = mixed};
    n.key = mem_alloc((size_t)cap * sizeof *n.key);
    n.val = mem_zalloc((size_t)cap * sizeof *n.val);
    if (!n.key || !n.val) {
        mem_free(n.key);
        mem_free(n.val);
        return false;
    }
    for (uint32_t i = 0; i < m->cap; i++) {
        if (!m->val[i])
            continue;
        uint32_t at = idmap_home(&n, m->key[i]), steps = 0;
        for (; n.val[at]; steps++)
            at = idmap_step(&n, at);
        if (steps > n.reach)
            n.reach = steps;
        n.key[at] = m->key[i];
        n.val[at] = m->val[i];
    }
    mem_free(m->key);
    mem_free(m->val);
    *m = n;
    return true;
}

/* This is the general case of idmap_put(). */
static __attribute__((noinline, unused)) bool idmap_put_far(struct idmap *m, uint64_t key, uint32_t val)
{
    if (m->used * 2 >= m->cap && !idmap_rebuild(m, m->cap ? m->cap * 2 : 64, m->mixed))
        return false;
    uint32_t at = idmap_home(m, key), steps = 0;
    for (; m->val[at] && m->key[at] != key; steps++)
        at = idmap_step(m, at);
    m->used += !m->val[at];
    m->key[at] = key;
    m->val[at] = val + 1;
    if (steps > m->reach)
        m->reach = steps;
    if (steps < 256 || m->mixed)
        return true;
    const bool grows = m->cap <= IDMAP_SMALL && m->cap / 16 <= m->used; /* many keys collide */
    return idmap_rebuild(m, grows ? m->cap * 2 : m->cap, !grows);
}

/* idmap_put - Set the value of a key, new or not. Returns false if out of memory. */
static inline bool idmap_put(struct idmap *m, uint64_t key, uint32_t val)
{
    const uint32_t at = (uint32_t)key & (m->cap - 1);
    if (m->mixed || m->used * 2 >= m->cap || m->val[at])
        return idmap_put_far(m, key, val);
    m->used++; /* nearly always */
    m->key[at] = key;
    m->val[at] = val + 1;
    return true;
}

/* idmap_row - Give a key the number of the row behind the n rows of an array, which the caller then fills in
 * and counts. Returns false if out of memory; then no key has that number. */
#define idmap_row(map, key, array, cap, n) \
    (mem_room(array, cap, (size_t)(n) + 1) && idmap_put(map, key, (uint32_t)(n)))

/* idmap_del - Remove a key. */
static inline void idmap_del(struct idmap *m, uint64_t key)
{
    if (!m->cap)
        return;
    uint32_t at = idmap_home(m, key), steps = 0;
    for (; m->val[at] && m->key[at] != key; at = idmap_step(m, at))
        if (steps++ >= m->reach)
            return;
    if (!m->val[at])
        return;
    m->val[at] = 0;
    for (uint32_t i = 1, k = idmap_step(m, at); i <= m->reach && m->val[k]; i++, k = idmap_step(m, k)) {
        if (idmap_steps(m, idmap_home(m, m->key[k]), k) < i)
            continue; /* its search begins behind the free slot */
        m->key[at] = m->key[k];
        m->val[at] = m->val[k];
        m->val[k] = 0;
        at = k;
        i = 0;
    }
    if (!--m->used)
        m->reach = 0;
}

/* idmap_next - Get the next key from slot *at on (0 at first) and move *at past it. Returns false if there
 * is none. The order is unspecified. No key may be removed meanwhile. */
static inline bool idmap_next(const struct idmap *m, uint32_t *at, uint64_t *key, uint32_t *val)
{
    while (*at < m->cap) {
        const uint32_t i = (*at)++;
        if (m->val[i]) {
            *key = m->key[i];
            *val = m->val[i] - 1;
            return true;
        }
    }
    return false;
}

/* idmap_renumber - Replace each value v by to[v]. */
static inline void idmap_renumber(struct idmap *m, const uint32_t *to)
{
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->val[i])
            m->val[i] = to[m->val[i] - 1] + 1;
}

/* idmap_clear - Remove all keys, keep the memory. */
static inline void idmap_clear(struct idmap *m)
{
    if (m->used)
        memset(m->val, 0, (size_t)m->cap * sizeof *m->val);
    m->used = m->reach = 0;
}

#endif
