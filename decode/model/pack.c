/* pack.c - see pack.h. */
#include "decode/model/pack.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PACK_SSE 1
#include <pthread.h>
#include <smmintrin.h>
#endif

const uint8_t pack_len_dur[2][4] = {{1, 2, 3, 4}, {1, 2, 3, 8}};
const uint8_t pack_len_id[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}};
const uint64_t pack_mask[9] = {
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX};

struct pack_clock pack_clock(double tick_ns)
{
    unsigned e = 3; /* ticks below 8 ns are not worth it */
    if (!(tick_ns >= 1 << e && tick_ns < 1 << 20))
        return (struct pack_clock){0};
    while (tick_ns >= 2u << e)
        e++;
    const unsigned shift = 31 - e;
    const double mul = tick_ns * (double)((uint64_t)1 << shift),
                 inv = (double)((uint64_t)1 << (62 - shift)) / tick_ns;
    return (struct pack_clock){(uint32_t)(mul + 0.5 < UINT32_MAX ? mul + 0.5 : UINT32_MAX),
                               (uint32_t)(inv + 0.5), shift};
}

/* ---- one value at a time ------------------------------------------------------------------------------- */

static uint8_t *put_plain(uint8_t *o, const uint64_t *v, uint32_t n, const uint8_t len[4])
{
    uint8_t *ctl = o;
    o += (n + 3) / 4;
    for (uint32_t i = 0, bits = 0; i < n; i++) {
        unsigned c = 0;
        while (c < 3 && v[i] & ~pack_mask[len[c]])
            c++;
        bits = i % 4 ? bits | c << i % 4 * 2 : c;
        ctl[i / 4] = (uint8_t)bits;
        memcpy(o, &v[i], 8);
        o += len[c];
    }
    return o;
}

static inline uint64_t dur_stored(int64_t dur, bool units)
{
    uint64_t x = (uint64_t)dur;
    return !units ? x : x & 63 ? x << 1 | 1 : x >> 5;
}

/* Write durations as they are stored; `all` is all of them or'ed. Returns whether that is by PACK_UNIT. */
static bool durs_stored(const struct waitspan *s, uint32_t n, const struct pack_how *how, uint64_t all,
                        uint64_t *v)
{
    const bool ticks = pack_durs(how) == DURS_TICKS && !(all >> PACK_TICK_BITS),
               units = pack_durs(how) == DURS_64 && !(all >> 62);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t dur = wait_dur(&s[i], how->longs);
        v[i] = ticks ? pack_ticks(how->clock, (uint32_t)dur) : dur_stored(dur, units);
    }
    return ticks || units;
}

/* Compute the sums of n spans, one span at a time. */
static void sums_of(const struct waitspan *s, uint32_t n, const struct pack_how *how, struct pack_sums *sums)
{
    *sums = (struct pack_sums){0};
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = wait_dur(&s[i], how->longs);
        unsigned k = how->slot[wait_tag(&s[i])][how->kind];
        sums->slot[k] += d;
        if (k && d > sums->longest)
            sums->longest = d;
    }
}

/* The distinct pairs of tag and stack, in order of appearance; at[i] is the number of span i's pair. 0: too
 * many. */
static uint32_t palette_of(const uint32_t *pair, uint32_t n, uint32_t pal[PALETTE_MOST], uint8_t *at)
{
    enum { SLOTS = 64, SHIFT = 32 - 6 };
    uint8_t slot[SLOTS] = {0}; /* number in the palette + 1 */
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = pair[i] * 2654435761u >> SHIFT;
        while (slot[h] && pal[slot[h] - 1] != pair[i])
            h = (h + 1) % SLOTS;
        if (!slot[h]) {
            if (k == PALETTE_MOST)
                return 0;
            pal[k] = pair[i];
            slot[h] = (uint8_t)++k;
        }
        at[i] = (uint8_t)(slot[h] - 1);
    }
    return k;
}

static uint8_t *put_planes(uint8_t *o, const uint8_t *at, uint32_t n, uint32_t k)
{
    for (unsigned bit = 0; (k - 1) >> bit; bit++, o += (n + 7) / 8) {
        memset(o, 0, (n + 7) / 8);
        for (uint32_t i = 0; i < n; i++)
            o[i / 8] |= (uint8_t)((at[i] >> bit & 1) << i % 8);
    }
    return o;
}

size_t pack_plain(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                  struct pack_sums *sums)
{
    const int64_t *longs = how->longs;
    if (sums)
        sums_of(s, n, how, sums);
    uint64_t v[SPAN_BLOCK] = {0}, dur[SPAN_BLOCK], d = 0, k = 0, w = 0, t = 0;
    uint32_t is_whole = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t lasts = (uint64_t)wait_dur(&s[i], longs);
        is_whole += !(lasts & 63);
        d |= lasts;
        w |= wait_who(&s[i]);
        k |= wait_stack(&s[i]);
        t |= wait_tag(&s[i]);
    }
    const bool units = durs_stored(s, n, how, d, dur);
    pack_note_whole(how, is_whole, n);
    d = 0;
    for (uint32_t i = 0; i < n; i++)
        d |= dur[i];
    uint32_t pair[SPAN_BLOCK], pal[PALETTE_MOST], np = 0;
    uint8_t at[SPAN_BLOCK];
    if (n >= PALETTE_FROM && t <= 0xff && k <= 0xffffff) {
        for (uint32_t i = 0; i < n; i++)
            pair[i] = wait_stack(&s[i]) | wait_tag(&s[i]) << 24;
        np = palette_of(pair, n, pal, at);
        np = np && palette_pays(np, n, k) ? np : 0;
    }
    unsigned flags = (t > 0xff ? PACK_WIDE_TAG : 0u) | (w ? PACK_WHO : 0u) | (k ? PACK_STACK : 0u) |
                     (d > pack_mask[4] ? PACK_LONG_DUR : 0u) | (w > 0xffffff ? PACK_LONG_WHO : 0u) |
                     (k > 0xffffff ? PACK_LONG_STACK : 0u) | (units ? PACK_UNIT : 0u) |
                     (np ? PACK_PALETTE : 0u);
    uint8_t *o = out;
    *o++ = (uint8_t)flags;
    if (np) {
        o = put_palette(o, pal, np, k);
        o = put_planes(o, at, n, np);
    }
    for (uint32_t i = 0; i < n && !np; i++) {
        *o++ = (uint8_t)wait_tag(&s[i]);
        if (flags & PACK_WIDE_TAG)
            *o++ = (uint8_t)(wait_tag(&s[i]) >> 8);
    }
    o = put_plain(o, dur, n, pack_len_dur[!!(flags & PACK_LONG_DUR)]);
    for (uint32_t i = 0; i < n; i++)
        v[i] = wait_who(&s[i]);
    if (w)
        o = put_plain(o, v, n, pack_len_id[!!(flags & PACK_LONG_WHO)]);
    for (uint32_t i = 0; i < n; i++)
        v[i] = wait_stack(&s[i]);
    if (k && !np)
        o = put_plain(o, v, n, pack_len_id[!!(flags & PACK_LONG_STACK)]);
    return (size_t)(o - out);
}

/* ---- four values at a time ----------------------------------------------------------------------------- */

#ifdef PACK_SSE
/* Comparisons give the length codes of four values, as two planes of (inverted) bits. By the planes, a row
 * gives how to move the values' 16 bytes together, the code byte, and how many bytes that makes. */
struct row {
    uint8_t shuffle[16], code, bytes, pad[14];
};
static struct row row_dur[256], row_id[256];

static void row_fill(struct row *r, unsigned planes, const uint8_t len[4])
{
    unsigned o = 0, code = 0;
    memset(r->shuffle, 0x80, sizeof r->shuffle);
    for (unsigned k = 0; k < 4; k++) {
        unsigned c = 3u ^ ((planes >> k & 1) | (planes >> (4 + k) & 1) << 1);
        code |= c << 2 * k;
        for (unsigned j = 0; j < len[c]; j++)
            r->shuffle[o++] = (uint8_t)(4 * k + j);
    }
    r->code = (uint8_t)code;
    r->bytes = (uint8_t)o;
}

static void rows_fill(void)
{
    for (unsigned i = 0; i < 256; i++) {
        row_fill(&row_dur[i], i, pack_len_dur[0]);
        row_fill(&row_id[i], i, pack_len_id[0]);
    }
    pack_read_init();
}

#define SSE __attribute__((target("sse4.1")))

/* Write n values of v, which has room for the next multiple of four. */
static SSE inline __attribute__((always_inline)) uint8_t *put_column(uint8_t *o, const uint32_t *v,
                                                                     uint32_t n, bool ids)
{
    const struct row *rows = ids ? row_id : row_dur;
    const __m128i zero = _mm_setzero_si128();
    uint8_t *ctl = o;
    o += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i += 4) {
        __m128i x = _mm_load_si128((const __m128i *)(const void *)&v[i]);
        __m128i y = _mm_cmpeq_epi32(_mm_srli_epi32(x, 8), zero),
                z = _mm_cmpeq_epi32(_mm_srli_epi32(x, 16), zero);
        __m128i low = ids ? _mm_cmpeq_epi32(x, zero) : y, mid = ids ? y : z;
        __m128i high = ids ? z : _mm_cmpeq_epi32(_mm_srli_epi32(x, 24), zero);
        unsigned one =
            (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_xor_si128(_mm_xor_si128(low, mid), high)));
        unsigned two = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(mid));
        const struct row *r = &rows[one | two << 4];
        _mm_storeu_si128((__m128i *)(void *)o,
                         _mm_shuffle_epi8(x, _mm_load_si128((const __m128i *)(const void *)r->shuffle)));
        *ctl++ = r->code;
        o += r->bytes;
    }
    return o;
}

struct split { /* spans by value */
    _Alignas(16) uint32_t dur[SPAN_BLOCK], who[SPAN_BLOCK], stack[SPAN_BLOCK], pair[SPAN_BLOCK];
};

/* These are collected over all spans, four at a time. */
struct seen {
    __m128i whole, all,
        most; /* number of durations that are multiples of 64 ns; everything or'ed; the longest duration */
};

/* This is pack_ticks() of four durations. */
static SSE inline __attribute__((always_inline)) __m128i ticks_four(const struct pack_clock *k, __m128i ns)
{
    const __m128i inv = _mm_set1_epi32((int)k->inv), mul = _mm_set1_epi32((int)k->mul),
                  half = _mm_set1_epi64x((int64_t)1 << (61 - k->shift)),
                  down = _mm_cvtsi32_si128((int)k->shift), up = _mm_cvtsi32_si128((int)(62 - k->shift));
    __m128i even = _mm_srl_epi64(_mm_add_epi64(_mm_mul_epu32(ns, inv), half), up);
    __m128i odd = _mm_srl_epi64(_mm_add_epi64(_mm_mul_epu32(_mm_srli_epi64(ns, 32), inv), half), up);
    const __m128i ticks = _mm_or_si128(even, _mm_slli_epi64(odd, 32));
    even = _mm_srl_epi64(_mm_mul_epu32(even, mul), down);
    odd = _mm_srl_epi64(_mm_mul_epu32(odd, mul), down);
    const __m128i rest = _mm_sub_epi32(_mm_add_epi32(ns, _mm_set1_epi32(1)),
                                       _mm_or_si128(even, _mm_slli_epi64(odd, 32))),
                  two = _mm_set1_epi32(2), near = _mm_cmpeq_epi32(_mm_max_epu32(rest, two), two);
    return _mm_blendv_epi8(_mm_or_si128(_mm_slli_epi32(ns, 2), _mm_set1_epi32(3)),
                           _mm_or_si128(_mm_slli_epi32(ticks, 2), rest), near);
}

/* Split four spans into columns. raw gets the durations in ns. */
static SSE inline __attribute__((always_inline)) void split_four(const struct waitspan *s, struct split *c,
                                                                 uint32_t i, uint8_t *tag, uint32_t *raw,
                                                                 struct seen *in, enum pack_durs durs,
                                                                 const struct pack_clock *clock)
{
    const __m128i *v = (const __m128i *)(const void *)s;
    __m128i a = _mm_loadu_si128(v), b = _mm_loadu_si128(v + 1), d = _mm_loadu_si128(v + 2),
            e = _mm_loadu_si128(v + 3);
    __m128i ab = _mm_unpacklo_epi32(a, b), de = _mm_unpacklo_epi32(d, e);
    __m128i ab2 = _mm_unpackhi_epi32(a, b), de2 = _mm_unpackhi_epi32(d, e);
    __m128i dur = _mm_unpacklo_epi64(ab, de), t = _mm_unpackhi_epi64(ab2, de2);
    __m128i whole = _mm_cmpeq_epi32(_mm_and_si128(dur, _mm_set1_epi32(63)), _mm_setzero_si128());
    in->whole = _mm_sub_epi32(in->whole, whole);
    in->all = _mm_or_si128(in->all, _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(d, e)));
    in->most = _mm_max_epu32(in->most, dur);
    _mm_store_si128((__m128i *)(void *)raw, dur);
    if (durs == DURS_TICKS)
        dur = ticks_four(clock, dur);
    if (durs == DURS_64)
        dur = _mm_blendv_epi8(_mm_or_si128(_mm_slli_epi32(dur, 1), _mm_set1_epi32(1)), _mm_srli_epi32(dur, 5),
                              whole);
    _mm_store_si128((__m128i *)(void *)&c->dur[i], dur);
    _mm_store_si128((__m128i *)(void *)&c->who[i], _mm_unpackhi_epi64(ab, de));
    __m128i stack = _mm_unpacklo_epi64(ab2, de2);
    _mm_store_si128((__m128i *)(void *)&c->stack[i], stack);
    _mm_store_si128((__m128i *)(void *)&c->pair[i], _mm_or_si128(stack, _mm_slli_epi32(t, 24)));
    t = _mm_packus_epi16(_mm_packus_epi32(t, t), t);
    uint32_t tags = (uint32_t)_mm_cvtsi128_si32(t);
    memcpy(tag, &tags, 4);
}

/* There are four sums per slot, so that one addition need not wait for another. */
struct sums_four {
    int64_t v[4][8];
};

/* This is by hand: the compiler's way of clearing so much costs a twentieth of a block. */
static SSE inline __attribute__((always_inline)) void sums_clear(struct sums_four *f)
{
    const __m128i zero = _mm_setzero_si128();
    for (int i = 0; i < 4; i++) {
        __m128i *v = (__m128i *)(void *)f->v[i];
        _mm_storeu_si128(v, zero);
        _mm_storeu_si128(v + 1, zero);
        _mm_storeu_si128(v + 2, zero);
        _mm_storeu_si128(v + 3, zero);
    }
}

static SSE inline __attribute__((always_inline)) void add_four(struct sums_four *f, const uint32_t *raw,
                                                               const uint8_t *tag, const uint8_t (*slot)[4],
                                                               enum lane_kind kind)
{
    f->v[0][slot[tag[0]][kind]] += raw[0];
    f->v[1][slot[tag[1]][kind]] += raw[1];
    f->v[2][slot[tag[2]][kind]] += raw[2];
    f->v[3][slot[tag[3]][kind]] += raw[3];
}

struct planes {
    uint64_t w[5][2]; /* a bit per span */
};

/* This is palette_of() for 16 pairs at a time, and makes the planes as well. */
static SSE uint32_t palette_sse(const uint32_t *pair, uint32_t n, uint32_t pal[PALETTE_MOST],
                                struct planes *out)
{
    uint64_t left[2] = {n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX, n <= 64 ? 0
                                                                      : n < 128
                                                                          ? ((uint64_t)1 << (n - 64)) - 1
                                                                          : UINT64_MAX};
    const __m128i *v = (const __m128i *)(const void *)pair;
    uint32_t k = 0, groups = (n + 15) / 16;
    memset(out, 0, sizeof *out);
    while (left[0] | left[1]) {
        if (k == PALETTE_MOST)
            return 0;
        uint32_t i = left[0] ? (uint32_t)__builtin_ctzll(left[0]) : 64 + (uint32_t)__builtin_ctzll(left[1]);
        const __m128i it = _mm_set1_epi32((int)pair[i]);
        uint64_t in[2] = {0, 0};
        for (uint32_t g = 0; g < groups; g++) {
            __m128i a = _mm_packs_epi32(_mm_cmpeq_epi32(v[4 * g], it), _mm_cmpeq_epi32(v[4 * g + 1], it));
            __m128i b = _mm_packs_epi32(_mm_cmpeq_epi32(v[4 * g + 2], it), _mm_cmpeq_epi32(v[4 * g + 3], it));
            in[g / 4] |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << g % 4 * 16;
        }
        for (int w = 0; w < 2; w++) {
            in[w] &= left[w];
            left[w] ^= in[w];
            for (unsigned bit = 0; k >> bit; bit++)
                if (k >> bit & 1)
                    out->w[bit][w] |= in[w];
        }
        pal[k++] = pair[i];
    }
    return k;
}

static uint8_t *put_planes_sse(uint8_t *o, const struct planes *p, uint32_t n, uint32_t k)
{
    for (unsigned bit = 0; (k - 1) >> bit; bit++, o += (n + 7) / 8)
        memcpy(o, p->w[bit], 16);
    return o;
}

static SSE inline __attribute__((always_inline)) void
add_up_four(struct pack_sums *sums, const struct sums_four *four, const uint32_t most[4])
{
    for (int k = 0; k < 8; k++)
        sums->slot[k] = four->v[0][k] + four->v[1][k] + four->v[2][k] + four->v[3][k];
    uint32_t x = most[0] > most[1] ? most[0] : most[1], y = most[2] > most[3] ? most[2] : most[3];
    sums->longest = x > y ? x : y;
}

/* This does as pack_sse(). It returns 0 and packs nothing if the spans are unusual. */
static SSE inline __attribute__((always_inline)) size_t pack_fours(uint8_t *out, const struct waitspan *s,
                                                                   uint32_t n, struct pack_how *how,
                                                                   struct pack_sums *sums,
                                                                   enum pack_durs durs)
{
    const enum lane_kind kind = how->kind;
    struct split c;
    struct sums_four four;
    struct planes planes;
    struct seen in = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
    _Alignas(16) uint32_t raw[4];
    uint32_t i = 0, extra = (4 - n % 4) % 4;
    uint8_t *o = out + 1;
    if (sums)
        sums_clear(&four);
    for (; i + 4 <= n; i += 4) {
        split_four(&s[i], &c, i, o + i, raw, &in, durs, how->clock);
        if (sums)
            add_four(&four, raw, o + i, how->slot, kind);
    }
    uint32_t some[4], all[4], most[4];
    _mm_storeu_si128((__m128i *)(void *)some, in.whole);
    uint32_t is_whole = some[0] + some[1] + some[2] + some[3];
    if (extra) {
        struct waitspan last[4] = {{0}};
        uint32_t k = i;
        for (; i < n; i++)
            last[i - k] = s[i];
        split_four(last, &c, k, o + k, raw, &in, durs, how->clock);
        _mm_storeu_si128((__m128i *)(void *)some, in.whole);
        is_whole = some[0] + some[1] + some[2] + some[3] - extra;
        if (sums)
            add_four(&four, raw, o + k, how->slot, kind); /* the filling spans last 0 ns */
    }
    _mm_storeu_si128((__m128i *)(void *)all, in.all);
    _mm_storeu_si128((__m128i *)(void *)most, in.most);
    /* Stored as DURS_64, a duration takes one bit more. */
    const int dur_bits = durs == DURS_TICKS ? PACK_TICK_BITS : 31;
    if (all[0] >> dur_bits || (all[1] | all[2]) >> 24 || all[3] >> 8)
        return 0;
    if (sums) {
        add_up_four(sums, &four, most);
        if (sums->slot[0])
            sums_of(s, n, how, sums);
    }
    pack_note_whole(how, is_whole, n);
    uint32_t pal[PALETTE_MOST], k = n >= PALETTE_FROM ? palette_sse(c.pair, n, pal, &planes) : 0;
    k = k && palette_pays(k, n, all[2]) ? k : 0;
    out[0] = (uint8_t)((durs ? PACK_UNIT : 0) | (all[1] ? PACK_WHO : 0) | (all[2] ? PACK_STACK : 0) |
                       (k ? PACK_PALETTE : 0));
    o = k ? put_planes_sse(put_palette(o, pal, k, all[2]), &planes, n, k) : o + n;
    /* A filling span takes one byte as a duration, none as an id. */
    o = put_column(o, c.dur, n, false) - extra;
    if (all[1])
        o = put_column(o, c.who, n, true);
    if (all[2] && !k)
        o = put_column(o, c.stack, n, true);
    return (size_t)(o - out);
}

static SSE size_t pack_by_units(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                                struct pack_sums *sums)
{
    const enum pack_durs durs = pack_durs(how);
    if (!sums)
        return pack_fours(out, s, n, how, NULL, durs);
    switch (durs) {
    case DURS_TICKS: return pack_fours(out, s, n, how, sums, DURS_TICKS);
    case DURS_64: return pack_fours(out, s, n, how, sums, DURS_64);
    default: return pack_fours(out, s, n, how, sums, DURS_NS);
    }
}

size_t pack_sse(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                struct pack_sums *sums)
{
    return __builtin_cpu_supports("sse4.1") ? pack_by_units(out, s, n, how, sums) : 0;
}

void pack_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, rows_fill);
}

#else

void pack_init(void)
{
}

size_t pack_sse(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                struct pack_sums *sums)
{
    (void)out, (void)s, (void)n, (void)how, (void)sums;
    return 0;
}

#endif

size_t pack_spans(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                  struct pack_sums *sums)
{
    const size_t len = pack_sse(out, s, n, how, sums);
    return len ? len : pack_plain(out, s, n, how, sums);
}
