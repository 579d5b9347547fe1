/* hash.c - see hash.h. */
#include "decode/base/hash.h"

#include <string.h>

#include "decode/base/host.h"

uint64_t hash_secret[4];

static void take(const uint64_t k[4])
{
    for (int i = 0; i < 4; i++)
        hash_secret[i] = k[i] | (i > 0);
}

void hash_reseed(uint64_t seed)
{
    uint64_t k[4];
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t x = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        k[i] = x ^ x >> 31;
    }
    take(k);
}

/* Runs before main(): no table is older than the secret, and no thread sees it change. */
static __attribute__((constructor)) void draw(void)
{
    uint64_t k[4];
    host_random(k, sizeof k);
    take(k);
}

uint64_t hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t x, h = hash_first(n);
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&x, p, 8);
        h = hash_next(h, x);
    }
    x = 0;
    memcpy(&x, p, n);
    return hash_last(hash_next(h, x));
}
