/*
 * pack_read.c - packed blocks back into spans: see pack.h.
 *
 * A column is read four values at a time where the processor can shuffle bytes: their byte of codes says where each of
 * the four begins, and a table, by code byte, which bytes of the sixteen at hand become which of four 32-bit numbers.
 */
#include "decode/model/pack.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PACK_SSE 1
#include <pthread.h>
#include <smmintrin.h>
#define SSE __attribute__((target("sse4.1")))
#endif

/* ---- palettes ---------------------------------------------------------------------------------------------- */

/* The palette of a packed block, and its planes. p: behind the flags; *end: behind the planes. Returns how many planes. */
static unsigned palette_unpack(const uint8_t *p, uint32_t n, unsigned flags, uint32_t pair[PALETTE_MOST],
                               const uint8_t **planes, const uint8_t **end)
{
    uint32_t k = *p++;
    for (uint32_t i = 0; i < k && i < PALETTE_MOST; i++, p += flags & PACK_STACK ? 4 : 1) {
        if (flags & PACK_STACK)
            memcpy(&pair[i], p, 4);
        else
            pair[i] = (uint32_t)*p << 24;
    }
    unsigned np = k > 1 ? 32 - (unsigned)__builtin_clz(k - 1) : 0;
    *planes = p;
    *end = p + np * ((n + 7) / 8);
    return np;
}

/* Which pairs spans 8 * i .. 8 * i + 7 are, a byte each. */
static uint64_t palette_eight(const uint8_t *planes, unsigned np, uint32_t n, uint32_t i)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < np; k++) {
        uint64_t x = planes[k * ((n + 7) / 8) + i];
        /* bit b of x to bit 0 of byte b: each copy of x keeps another bit, and what is kept is carried to the byte's top */
        x = (x * 0x0101010101010101u) & 0x8040201008040201u;
        x = (x + 0x00406070787c7e7fu) >> 7 & 0x0101010101010101u;
        v |= x << k;
    }
    return v;
}

#ifdef PACK_SSE
/*
 * A plane's sixteen bits: each copied to a byte of its own, which keeps that bit and becomes all ones or none. Four planes,
 * there or not: a branch that goes this way and that costs more.
 */
static SSE void sixteen_sse(const uint8_t *planes, unsigned np, uint32_t size, uint8_t out[16])
{
    const __m128i copy = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1),
                  bit = _mm_set1_epi64x((int64_t)0x8040201008040201);
    __m128i at = _mm_setzero_si128();
#define PLANE(k) \
    do { \
        uint16_t b; \
        memcpy(&b, planes + (k)*size, 2); \
        __m128i x = _mm_and_si128(_mm_shuffle_epi8(_mm_cvtsi32_si128(b), copy), bit); \
        at = _mm_or_si128(at, _mm_and_si128(_mm_cmpeq_epi8(x, bit), _mm_set1_epi8(1 << (k)))); \
    } while (0)
    PLANE(0);
    PLANE(1);
    PLANE(2);
    PLANE(3);
    if (np > 4)
        PLANE(4);
#undef PLANE
    _mm_storeu_si128((__m128i *)(void *)out, _mm_and_si128(at, _mm_set1_epi8((char)((1 << np) - 1))));
}
#endif

void palette_sixteen(const uint8_t *planes, unsigned np, uint32_t n, uint32_t i, uint8_t out[16])
{
#ifdef PACK_SSE
    if (__builtin_cpu_supports("sse4.1")) {
        sixteen_sse(planes + i / 8, np, (n + 7) / 8, out);
        return;
    }
#endif
    for (uint32_t k = 0; k < 2 && i + 8 * k < n; k++) {
        uint64_t at = palette_eight(planes, np, n, i / 8 + k);
        for (uint32_t b = 0; b < 8; b++, at >>= 8)
            out[8 * k + b] = (uint8_t)at;
    }
}

/* ---- columns ------------------------------------------------------------------------------------------------ */

/* What lengths a column's codes mean. */
enum lengths { DUR, DUR_LONG, ID, ID_LONG };

static const uint8_t *lengths_of(enum lengths k)
{
    return k < ID ? pack_len_dur[k == DUR_LONG] : pack_len_id[k == ID_LONG];
}

static const uint8_t *column_plain(const uint8_t *p, uint32_t n, enum lengths k, uint64_t *out)
{
    const uint8_t *ctl = p, *len = lengths_of(k);
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i++) {
        unsigned l = len[ctl[i / 4] >> (i % 4 * 2) & 3];
        uint64_t x;
        memcpy(&x, p, 8);
        out[i] = x & pack_mask[l];
        p += l;
    }
    return p;
}

#ifdef PACK_SSE
static struct {
    uint8_t bytes[256][16], used[256];
} shuffle[ID_LONG + 1]; /* none for DUR_LONG: a value may have eight bytes */

static void shuffle_fill(void)
{
    for (int k = 0; k <= ID_LONG; k++)
        for (unsigned c = 0; c < 256; c++) {
            uint8_t at = 0;
            for (unsigned i = 0; i < 16; i++) {
                unsigned l = lengths_of((enum lengths)k)[c >> (i / 4 * 2) & 3];
                shuffle[k].bytes[c][i] = i % 4 < l ? at++ : 0x80; /* 0x80: a byte of zeros */
            }
            shuffle[k].used[c] = at;
        }
}

/* Up to three values more than n are written. */
static SSE const uint8_t *column_sse(const uint8_t *p, uint32_t n, enum lengths k, uint32_t *out)
{
    const uint8_t *ctl = p;
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i += 4) {
        unsigned c = ctl[i / 4];
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle[k].bytes[c]));
        _mm_storeu_si128((__m128i *)(void *)(out + i), x);
        p += shuffle[k].used[c];
    }
    for (uint32_t i = n; i % 4; i++) /* what fills the last byte of codes up may have a length, but no bytes */
        p -= lengths_of(k)[ctl[i / 4] >> (i % 4 * 2) & 3];
    return p;
}
#endif

static bool have_sse(void)
{
#ifdef PACK_SSE
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (__builtin_cpu_supports("sse4.1")) {
        pthread_once(&once, shuffle_fill);
        return true;
    }
#endif
    return false;
}

static const uint8_t *column_ids(const uint8_t *p, uint32_t n, enum lengths k, bool sse, uint32_t *out)
{
    uint64_t v[SPAN_BLOCK];
#ifdef PACK_SSE
    if (sse)
        return column_sse(p, n, k, out);
#endif
    (void)sse;
    p = column_plain(p, n, k, v);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint32_t)v[i];
    return p;
}

/* A block's durations and tags; stack: NULL, or its spans' stacks where they stand in a palette. Returns what stands behind. */
static const uint8_t *unpack_front(const uint8_t *p, uint32_t n, bool sse, int64_t *dur, uint32_t *tag,
                                   uint32_t *stack)
{
    uint32_t v[SPAN_BLOCK + 4];
    const unsigned flags = *p++;
    if (flags & PACK_PALETTE) {
        uint32_t pair[PALETTE_MOST];
        uint8_t at[SPAN_BLOCK + 16];
        const uint8_t *planes;
        unsigned np = palette_unpack(p, n, flags, pair, &planes, &p);
        for (uint32_t i = 0; i < n; i += 16)
            palette_sixteen(planes, np, n, i, at + i);
        for (uint32_t i = 0; i < n; i++)
            tag[i] = pair[at[i]] >> 24;
        for (uint32_t i = 0; stack && i < n; i++)
            stack[i] = pair[at[i]] & 0xffffff;
    }
    for (uint32_t i = 0; i < n && !(flags & PACK_PALETTE); i++) {
        tag[i] = *p++;
        if (flags & PACK_WIDE_TAG)
            tag[i] |= (uint32_t)*p++ << 8;
    }
    if (flags & PACK_LONG_DUR) {
        uint64_t l[SPAN_BLOCK];
        p = column_plain(p, n, DUR_LONG, l);
        for (uint32_t i = 0; i < n; i++)
            dur[i] = pack_dur_ns(l[i], flags);
    } else {
        p = column_ids(p, n, DUR, sse, v);
        for (uint32_t i = 0; i < n; i++)
            dur[i] = pack_dur_ns(v[i], flags);
    }
    return p;
}

void unpack_times(const uint8_t *p, uint32_t n, int64_t dur[SPAN_BLOCK], uint32_t tag[SPAN_BLOCK])
{
    unpack_front(p, n, have_sse(), dur, tag, NULL);
}

void unpack_spans(const uint8_t *p, uint32_t n, struct rawspan *out)
{
    int64_t dur[SPAN_BLOCK];
    uint32_t tag[SPAN_BLOCK], stack[SPAN_BLOCK + 4], who[SPAN_BLOCK + 4];
    const unsigned flags = *p;
    const bool sse = have_sse();
    p = unpack_front(p, n, sse, dur, tag, stack);
    if (flags & PACK_WHO)
        p = column_ids(p, n, flags & PACK_LONG_WHO ? ID_LONG : ID, sse, who);
    else
        memset(who, 0, n * sizeof *who);
    if (!(flags & PACK_PALETTE) && flags & PACK_STACK)
        column_ids(p, n, flags & PACK_LONG_STACK ? ID_LONG : ID, sse, stack);
    else if (!(flags & PACK_PALETTE))
        memset(stack, 0, n * sizeof *stack);
    for (uint32_t i = 0; i < n; i++)
        out[i] = (struct rawspan){dur[i], who[i], stack[i], tag[i]};
}
