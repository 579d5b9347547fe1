/* hash.c - see hash.h. */
#include "decode/base/hash.h"

#include <string.h>

#include "decode/base/host.h"

uint64_t hash_secret[4];

/* This runs before main(): no table is older than the secret, and no thread sees it change. */
static __attribute__((constructor)) void draw(void)
{
    host_random(hash_secret, sizeof hash_secret);
    for (int i = 1; i < 4; i++)
        hash_secret[i] |= 1;
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
