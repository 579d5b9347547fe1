/*
 * bytes.h - reading and writing bytes and varints.
 *
 * Unsigned LEB128, at most 10 bytes and 64 bits, padded encodings allowed. A read that would
 * pass the end, or a varint that is longer, returns NULL and touches nothing.
 */
#ifndef GOTOP_DECODE_BYTES_H
#define GOTOP_DECODE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* bytes_load8 - Returns eight bytes as a number, little-endian. */
static inline uint64_t bytes_load8(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* bytes_store8 - Store a number as eight bytes, little-endian. */
static inline void bytes_store8(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, sizeof v);
}

/* bytes_put_varint - Write a varint of at most 10 bytes; returns its length. */
static inline size_t bytes_put_varint(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        p[n++] = (uint8_t)(v | 0x80);
    p[n++] = (uint8_t)v;
    return n;
}

static __attribute__((noinline, unused)) const uint8_t *bytes_varint_slow(const uint8_t *p,
                                                                          const uint8_t *end, uint64_t *v)
{
    uint64_t x = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (p == end)
            return NULL;
        uint8_t b = *p++;
        if (shift == 63 && b > 1)
            return NULL;
        x |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *v = x;
            return p;
        }
    }
    return NULL;
}

/* bytes_varint_within - Read a varint where at least 10 bytes can be read. Returns its end, or NULL. */
static inline __attribute__((always_inline)) const uint8_t *bytes_varint_within(const uint8_t *p, uint64_t *v)
{
    uint64_t b = p[0];
    if (b < 0x80) {
        *v = b;
        return p + 1;
    }
    uint64_t x = (b & 0x7f) | (uint64_t)p[1] << 7;
    if (p[1] < 0x80) {
        *v = x;
        return p + 2;
    }
    if (p[2] < 0x80) {
        *v = (x & 0x3fff) | (uint64_t)p[2] << 14;
        return p + 3;
    }
    return bytes_varint_slow(p, p + 10, v);
}

/* bytes_varint - Read a varint. Returns its end, or NULL. */
static inline const uint8_t *bytes_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    return end - p >= 10 ? bytes_varint_within(p, v) : bytes_varint_slow(p, end, v);
}

/* bytes_varints - Read n varints. Returns the end of the last one, or NULL. */
static inline const uint8_t *bytes_varints(const uint8_t *p, const uint8_t *end, uint64_t *v, unsigned n)
{
    for (unsigned i = 0; i < n && p; i++)
        p = bytes_varint(p, end, &v[i]);
    return p;
}

#endif
