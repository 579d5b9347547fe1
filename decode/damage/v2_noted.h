/*
 * v2_noted.h - a set of sequence numbers by id: those of a generation's goroutines, or of its Ps.
 *
 * Numbers count from 1 on without gaps, except where something was lost or changed. So they are bits, and
 * only a number that is far from all others, or a duplicate, has an entry of its own. Memory is
 * proportional to how many were put, whatever numbers they are. Zero-initialised is empty.
 */
#ifndef GOTOP_DECODE_V2_NOTED_H
#define GOTOP_DECODE_V2_NOTED_H

#include "decode/base/idmap.h"

struct v2_numbers {   /* the numbers of one id */
    uint64_t low;     /* bit n: number n is in the set */
    uint64_t *high;   /* numbers from 64 on */
    size_t nhigh;     /* words */
    uint32_t n;       /* how many were put; stops at its maximum */
    uint32_t most;    /* the greatest one; stops at its maximum */
    bool odd;         /* some are in v2_noted.odd */
    uint8_t statuses; /* for the user; 0 at first */
    bool still;
};

struct v2_noted {
    struct v2_numbers *v;
    size_t n, cap;
    struct idmap at;  /* id -> index */
    struct idmap odd; /* hashes of id and number: duplicates, or far from those put before */
    bool wrong;       /* one is a duplicate, or is 0 */
};

/* v2_noted_put - Add a number. Returns false if out of memory. v2_noted_del - Remove it, with no trace
 * except in v2_noted_beyond(). */
bool v2_noted_put_far(struct v2_noted *a, uint64_t id, uint64_t number);
static inline bool v2_noted_put(struct v2_noted *a, uint64_t id, uint64_t number);
void v2_noted_del(struct v2_noted *a, uint64_t id, uint64_t number);
void v2_noted_free(struct v2_noted *a);
/* v2_noted_twice - Whether it was put more than once. v2_noted_beyond - Whether this id has a greater one. */
bool v2_noted_twice(const struct v2_noted *a, uint64_t id, uint64_t number);
bool v2_noted_beyond(const struct v2_noted *a, uint64_t id, uint64_t number);
/* v2_noted_whole - Whether each id has all numbers from 1 to its greatest, once. */
bool v2_noted_whole(const struct v2_noted *a);
/* v2_noted_of - Returns the numbers of an id; NULL: none. v2_noted_new - The same, added if needed; NULL:
 * out of memory. */
struct v2_numbers *v2_noted_of(const struct v2_noted *a, uint64_t id);
struct v2_numbers *v2_noted_new(struct v2_noted *a, uint64_t id);
/* v2_noted_odd - Whether that number of v was far from those before it when it was put. */
bool v2_noted_odd(const struct v2_noted *a, const struct v2_numbers *v, uint64_t number);

static inline bool v2_noted_put(struct v2_noted *a, uint64_t id, uint64_t number)
{
    const uint32_t i = idmap_get(&a->at, id);
    struct v2_numbers *v = i == IDMAP_NONE ? NULL : &a->v[i];
    const uint64_t at = number / 64, bit = UINT64_C(1) << number % 64;
    if (!v || v->odd || at > v->nhigh || !number || number >= UINT32_MAX / 2)
        return v2_noted_put_far(a, id, number);
    uint64_t *word = at ? &v->high[at - 1] : &v->low;
    if (*word & bit)
        return v2_noted_put_far(a, id, number);
    *word |= bit; /* nearly always */
    v->n++;
    v->most = (uint32_t)number > v->most ? (uint32_t)number : v->most;
    return true;
}

/* v2_noted_has - Whether the set has the number. */
static inline bool v2_noted_has(const struct v2_noted *a, uint64_t id, uint64_t number)
{
    const uint32_t i = idmap_get(&a->at, id);
    if (i == IDMAP_NONE)
        return false;
    const struct v2_numbers *v = &a->v[i];
    const uint64_t word = number / 64;
    const uint64_t bits = !word ? v->low : word <= v->nhigh ? v->high[word - 1] : 0;
    return bits >> number % 64 & 1 || (v->odd && v2_noted_odd(a, v, number));
}

#endif
