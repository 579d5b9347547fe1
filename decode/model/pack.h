/*
 * pack.h - up to SPAN_BLOCK contiguous spans as bytes: how decode/model/spans.c stores a lane.
 *
 * A packed block:
 *   1 byte   flags: PACK_WHO, PACK_STACK (some span has one), PACK_LONG_* (code 3 is that column's longest
 *            form)
 *   PACK_PALETTE, where that is shorter: a goroutine does few different things, over and over
 *     1 byte   number of pairs of tag and stack, at most PALETTE_MOST
 *     pairs    4 bytes each, stack | tag << 24; without PACK_STACK 1 byte each, the tag
 *     planes   the number of each span's pair, a plane per bit of it: (n + 7) / 8 bytes with a bit per span
 *   else
 *     tags     1 byte each, 2 with PACK_WIDE_TAG
 *   columns  duration, then (PACK_WHO) who, then (PACK_STACK without PACK_PALETTE) stack: first two bits of
 *            length code per span (four spans a byte), then the values' bytes
 *
 * PACK_UNIT: durations are stored in the clock's own unit. The second family's clock ticks every 64 ns, but
 * equal times are moved 1 ns apart, so a duration is stored as (units of 64 ns) * 2, or as ns * 2 + 1 if
 * it is no multiple of 64. A tick of the first family's clock is no whole number of ns (struct pack_clock),
 * so a duration can be off by one: it is stored as ticks * 4 + 0, 1 or 2, or as ns * 4 + 3 if it is further
 * off.
 *
 * pack_len_dur and pack_len_id give the length for each code. Readers and writers may touch up to PACK_SLACK
 * bytes after the block.
 */
#ifndef GOTOP_DECODE_PACK_H
#define GOTOP_DECODE_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "decode/trace.h"

/*
 * A closed span that waits to be packed. It is two words, so that closing a span takes two loads and two
 * stores; four 32-bit parts, stored one by one and then loaded together, would stall the processor. Four
 * waiting spans are four vectors of 32-bit parts.
 */
struct waitspan {
    uint64_t dur_who; /* duration in ns, or with WAIT_LONG its index in the list of long ones; who << 32 */
    uint64_t rest;    /* stack; tag << 32, with WAIT_LONG if the span lasted 2^32 ns or more */
};
#define WAIT_LONG 0x80000000u

/*
 * waitspan - a waiting span of a duration below 2^32 ns.
 * wait_who, wait_stack, wait_tag - its parts; `who` is an index + 1, 0: none.
 */
static inline struct waitspan waitspan(uint32_t dur, uint32_t who, uint32_t stack, uint32_t tag)
{
    return (struct waitspan){dur | (uint64_t)who << 32, stack | (uint64_t)tag << 32};
}

static inline uint32_t wait_who(const struct waitspan *w)
{
    return (uint32_t)(w->dur_who >> 32);
}

static inline uint32_t wait_stack(const struct waitspan *w)
{
    return (uint32_t)w->rest;
}

static inline uint32_t wait_tag(const struct waitspan *w) /* without WAIT_LONG */
{
    return (uint16_t)(w->rest >> 32);
}

/*
 * wait_is_long - whether its duration is in the list of long ones.
 * wait_dur - its duration in ns; longs: that list (span_pool.longs).
 */
static inline bool wait_is_long(const struct waitspan *w)
{
    return w->rest >> 63;
}

static inline int64_t wait_dur(const struct waitspan *w, const int64_t *longs)
{
    uint32_t d = (uint32_t)w->dur_who;
    return wait_is_long(w) ? longs[d] : d;
}

enum {
    PACK_WIDE_TAG = 1,
    PACK_WHO = 2,
    PACK_STACK = 4,
    PACK_LONG_DUR = 8,
    PACK_LONG_WHO = 16,
    PACK_LONG_STACK = 32,
    PACK_UNIT = 64,
    PACK_PALETTE = 128
};

#define PALETTE_MOST 32
#define PALETTE_FROM 16 /* with fewer spans a palette does not pay */
#define PACK_SLACK 64
#define PACK_MAX (1 + SPAN_BLOCK * (2 + 8 + 4 + 4) + 3 * (SPAN_BLOCK / 4))

extern const uint8_t pack_len_dur[2][4], pack_len_id[2][4]; /* [PACK_LONG_*][code] */
extern const uint64_t pack_mask[9];                         /* by length in bytes */

/*
 * The first family's clock: a tick takes about mul / 2^shift ns, and a ns is about inv / 2^(62 - shift)
 * ticks. The rounding error of a duration is stored with its ticks. mul == 0: no such clock; PACK_UNIT then
 * means 64 ns.
 */
struct pack_clock {
    uint32_t mul, inv;
    unsigned shift;
};
#define PACK_TICK_BITS 30 /* durations below 2^30 ns may be stored as ticks */

/* pack_clock - the clock for a tick length in ns. No clock (mul == 0) for ticks below 8 ns or of 2^20 ns and
 * more. */
struct pack_clock pack_clock(double tick_ns);

/* pack_ticks - a duration (ns) as PACK_UNIT stores it with this clock. */
static inline uint32_t pack_ticks(const struct pack_clock *k, uint32_t ns)
{
    const uint64_t ticks = (ns * (uint64_t)k->inv + ((uint64_t)1 << (61 - k->shift))) >> (62 - k->shift);
    const uint32_t rest = ns + 1 - (uint32_t)(ticks * k->mul >> k->shift);
    return rest <= 2 ? (uint32_t)ticks << 2 | rest : ns << 2 | 3;
}

/* These are for a block's index entry. */
struct pack_sums {
    int64_t slot[8]; /* ns per slot */
    int64_t longest; /* the longest span, except in slot 0 */
};

/* Packing depends on these, besides the spans. */
struct pack_how {
    const uint8_t (*slot)[4]; /* by tag and lane kind: the slot of the state */
    const int64_t *longs;     /* durations of the spans with WAIT_LONG */
    uint32_t whole; /* without a clock: multiples of 64 ns in the previous block's durations; updated */
    const struct pack_clock *clock;
    enum lane_kind kind; /* kind of the spans' lane */
};

/* pack_planes - the number of bits that the number of one of k pairs takes, which is the number of planes. */
static inline uint32_t pack_planes(uint32_t k)
{
    return k > 1 ? 32 - (uint32_t)__builtin_clz(k - 1) : 0;
}

/* palette_pays - whether a palette of k pairs is smaller, for n spans of which some (stacks) have a stack. */
static inline bool palette_pays(uint32_t k, uint32_t n, bool stacks)
{
    const uint32_t size = 1 + k * (stacks ? 4 : 1) + pack_planes(k) * ((n + 7) / 8);
    return k <= PALETTE_MOST &&
           size < n + (stacks ? (n + 3) / 4 + n / 2
                              : 0); /* estimate: half of the spans have a stack of one byte */
}

/* put_palette - write k pairs; the planes come next. */
static inline uint8_t *put_palette(uint8_t *o, const uint32_t *pal, uint32_t k, bool stacks)
{
    *o++ = (uint8_t)k;
    for (uint32_t i = 0; i < k; i++) {
        if (stacks)
            memcpy(o, &pal[i], 4);
        else
            *o = (uint8_t)(pal[i] >> 24);
        o += stacks ? 4 : 1;
    }
    return o;
}

/*
 * pack_spans - pack n <= SPAN_BLOCK spans of one lane into out, which must have PACK_MAX + PACK_SLACK
 * bytes. Returns the number of bytes. sums, unless NULL, gets the index entry's sums.
 * pack_plain - the same, one value at a time: for unusual spans, and to check the others against.
 * pack_sse - the same with vectors. Returns 0 and packs nothing if the processor has none or the spans are
 * unusual.
 */
size_t pack_spans(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                  struct pack_sums *sums);
size_t pack_plain(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                  struct pack_sums *sums);
size_t pack_sse(uint8_t *out, const struct waitspan *s, uint32_t n, struct pack_how *how,
                struct pack_sums *sums);

#define PACK_WHOLE_MOST \
    (SPAN_BLOCK / 2) /* for pack_how.whole: from here on durations are stored in units of 64 ns */

/* pack_durs - how the durations of a block are stored, unless they are too long for that. */
enum pack_durs { DURS_NS, DURS_64, DURS_TICKS };
static inline enum pack_durs pack_durs(const struct pack_how *how)
{
    return how->clock->mul ? DURS_TICKS : how->whole >= PACK_WHOLE_MOST ? DURS_64 : DURS_NS;
}

/* pack_note_whole - update how->whole; a short block says too little about the next durations. */
static inline void pack_note_whole(struct pack_how *how, uint32_t is, uint32_t n)
{
    if (n >= SPAN_BLOCK / 4 && !how->clock->mul)
        how->whole = is * SPAN_BLOCK / n;
}

void pack_init(void); /* call before the first pack_spans() or unpack_spans(); repeated calls are harmless */
void pack_read_init(void); /* called by pack_init() */

/* unpack_spans - unpack n <= SPAN_BLOCK spans with the clock they were packed with. Unless all is wanted only
 * durations and tags are sure to be filled in, for a third of the cost. */
void unpack_spans(const uint8_t *p, uint32_t n, const struct pack_clock *clock, bool all,
                  struct spancols *out);
/* unpack_first - the stack of the first of SPAN_BLOCK spans; false: it takes an unpack_spans(). */
bool unpack_first(const uint8_t *p, uint32_t *stack);

/* pack_dur_ns - a stored duration in ns. */
static inline int64_t pack_dur_ns(uint64_t x, unsigned flags, const struct pack_clock *clock)
{
    if (!(flags & PACK_UNIT))
        return (int64_t)x;
    if (clock->mul)
        return (int64_t)((x & 3) == 3 ? x >> 2 : ((x >> 2) * clock->mul >> clock->shift) + (x & 3) - 1);
    return (int64_t)(x & 1 ? x >> 1 : x << 5);
}

#endif
