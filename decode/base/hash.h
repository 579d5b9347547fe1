/*
 * hash.h - hashes of keys from a file for our tables. They depend on a secret of this run, so the writer of
 * a file can't predict where keys go.
 *
 * Each word is multiplied by a part of the secret and both halves of the product are folded; without the
 * secret nothing can be said about which keys collide. No result may depend on the secret: tables are only
 * looked up, never walked in slot order.
 */
#ifndef GOTOP_DECODE_HASH_H
#define GOTOP_DECODE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "decode/base/wide.h"

extern uint64_t hash_secret[4]; /* drawn before main(); the last three are odd */

/* hash_fold - Returns both halves of the product in one word. */
static inline uint64_t hash_fold(uint64_t x, uint64_t k)
{
    uint64_t hi, lo = wide_mul(x, k, &hi);
    return lo ^ hi;
}

/* Several words are hashed by hash_first(), hash_next() for each and hash_last(), one word by hash_u64(). */
static inline uint64_t hash_first(uint64_t x)
{
    return hash_fold(x ^ hash_secret[0], hash_secret[1]);
}

static inline uint64_t hash_next(uint64_t h, uint64_t x)
{
    return hash_fold(h ^ x, hash_secret[1]) + hash_secret[0];
}

static inline uint64_t hash_last(uint64_t h)
{
    return hash_fold(h ^ hash_secret[3], hash_secret[2]);
}

static inline uint64_t hash_u64(uint64_t x)
{
    return hash_last(hash_first(x));
}

/* hash_bytes - Returns the hash of n bytes, as secret as the others. */
uint64_t hash_bytes(const void *p, size_t n);

#endif
