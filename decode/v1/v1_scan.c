/*
 * v1_scan.c - see v1_scan.h.
 *
 * A number ends with a byte below 0x80. So an event with n values, up to three, ends at the n-th such byte
 * after its first, which the high bits of eight bytes show at once. An event with more values has its length
 * written in the file.
 */
#include "decode/v1/v1_scan.h"

#include <string.h>

#include "decode/base/bytes.h"

#define ROOM 16 /* bytes that pass() may look at from an event's start */
#define HIGH UINT64_C(0x8080808080808080)
#define ALWAYS static inline __attribute__((always_inline))

void v1_scan_init(struct v1_scan *sc, const struct v1_dialect *d, const bool kept[V1_TYPES])
{
    memset(sc, 0, sizeof *sc);
    for (unsigned b = 0; b < 256; b++) {
        const struct v1_shape *s = &d->shape[b & 63];
        if (!s->timed || kept[b & 63] || (b & 63) == V1_LOG)
            continue;
        if (b >> 6 == 3)
            sc->values[b] = 4;
        else if ((b >> 6) + d->base == s->n && s->n <= 3)
            sc->values[b] = s->n;
    }
}

/* Returns how many of the first n <= 8 bytes at p end a number. */
static inline unsigned ends(const uint8_t *p, unsigned n)
{
    uint64_t m = ~bytes_load8(p) & HIGH;
    m = n >= 8 ? m : m & ((UINT64_C(1) << 8 * n) - 1);
    return (unsigned)(((m >> 7) * UINT64_C(0x0101010101010101)) >> 56);
}

/* Skip an event that says how long it is. */
static const uint8_t *with_length(const struct v1_dialect *d, const uint8_t *p)
{
    unsigned len = p[1];
    if (len - 1 > 11 || p[1 + len] >= 0x80)
        return NULL;
    unsigned have = ends(p + 2, len) + (len > 8 ? ends(p + 8, len - 6) - ends(p + 8, 2) : 0);
    return have == d->shape[*p & 63].n ? p + 2 + len : NULL;
}

/* Skip one event, at least ROOM bytes before the end. NULL: it needs a closer look. */
ALWAYS const uint8_t *pass(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *p)
{
    uint64_t m = ~bytes_load8(p + 1) & HIGH;
    unsigned values = sc->values[*p];
    if (values == 4)
        return with_length(d, p);
    uint64_t n = *p >> 6; /* `values` would be one more load to wait for; branches would be guessed wrong */
    m &= (m - 1) | (0 - ((n - 1) >> 63));
    m &= (m - 1) | (0 - ((n - 2) >> 63));
    if (!values || !m)
        return NULL;
    return p + 2 + (unsigned)__builtin_ctzll(m) / 8;
}

const uint8_t *v1_scan_over(const struct v1_scan *sc, const struct v1_dialect *d, const uint8_t *p,
                            const uint8_t *stop, const uint8_t *end, uint64_t *n)
{
    if (stop > end - ROOM)
        stop = end - ROOM + 1;
    for (const uint8_t *q; p < stop && (q = pass(sc, d, p)); p = q)
        ++*n;
    return p;
}
