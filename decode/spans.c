/*
 * spans.c - see spans.h.
 *
 * A packed block:
 *   1 byte   flags: PACK_WIDE_TAG (tags take 2 bytes), PACK_WHO, PACK_STACK (the column is there), PACK_LONG_*
 *            (code 3 of that column means its longest form)
 *   tags     1 or 2 bytes each
 *   columns  duration, then who, then stack: two bits of length code per span (four spans a byte), then the bytes
 *            PACK_UNIT: a duration is stored as units of 64 ns * 2, or as ns * 2 + 1 where it is no multiple. (The
 *            second family's clock ticks every 64 ns, but equal times are pushed apart by 1 ns.)
 * Lengths by code are in the tables below. Eight bytes may be read past a value, so chunks end in slack.
 */
#include "decode/spans.h"

#include <stddef.h>
#include <string.h>

#include "decode/mem.h"

enum { PACK_WIDE_TAG = 1, PACK_WHO = 2, PACK_STACK = 4, PACK_LONG_DUR = 8, PACK_LONG_WHO = 16, PACK_LONG_STACK = 32, PACK_UNIT = 64 };

static const uint8_t len_dur[2][4] = {{1, 2, 3, 5}, {1, 2, 3, 8}};
static const uint8_t len_id[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}};
static const uint64_t len_mask[9] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX};

#define CHUNK (1u << 20)
#define SLACK 16
#define PACK_MAX (1 + SPAN_BLOCK * (2 + 8 + 4 + 4) + 3 * (SPAN_BLOCK / 4))

struct pool_chunk {
    struct pool_chunk *next;
};

static const uint16_t wait_cap[5] = {2, 8, 32, 64, SPAN_BLOCK};

enum err_code pool_init(struct span_pool *sp)
{
    memset(sp, 0, sizeof *sp);
#define X(id, name, letter, p, g, m) \
    sp->slot[LANE_P][ST_##id] = p; \
    sp->slot[LANE_G][ST_##id] = g; \
    sp->slot[LANE_M][ST_##id] = m; \
    sp->slot[LANE_BAND][ST_##id] = ST_##id == ST_GC ? 1 : ST_##id == ST_STW ? 2 : ST_##id == ST_NONE ? 0 : 3;
#include "decode/states.def"
#undef X
    return pool_tag(sp, ST_NONE, 0, 0) == 0 && !sp->oom ? ERR_OK : ERR_NOMEM;
}

void pool_free(struct span_pool *sp)
{
    for (struct pool_chunk *c = sp->chunks; c;) {
        struct pool_chunk *next = c->next;
        mem_free(c);
        c = next;
    }
    mem_free(sp->tags);
    mem_free(sp->taghash);
    memset(sp, 0, sizeof *sp);
}

static void *pool_bytes(struct span_pool *sp, size_t n)
{
    n = (n + 1) & ~(size_t)1;
    if (!sp->at || (size_t)(sp->end - sp->at) < n + SLACK) {
        struct pool_chunk *c = mem_alloc(CHUNK);
        if (!c) {
            sp->oom = true;
            return NULL;
        }
        c->next = sp->chunks;
        sp->chunks = c;
        sp->at = (uint8_t *)c + 16;
        sp->end = (uint8_t *)c + CHUNK;
    }
    void *p = sp->at;
    sp->at += n;
    return p;
}

static struct rawspan *wait_new(struct span_pool *sp, unsigned class)
{
    void *p = sp->free[class];
    if (p) {
        memcpy(&sp->free[class], p, sizeof(void *));
        return p;
    }
    if (sp->at) { /* packed blocks leave odd ends; chunks start aligned */
        size_t pad = (8 - ((uintptr_t)sp->at & 7)) & 7;
        sp->at += pad < (size_t)(sp->end - sp->at) ? pad : (size_t)(sp->end - sp->at);
    }
    return pool_bytes(sp, wait_cap[class] * sizeof(struct rawspan));
}

static unsigned wait_class(uint16_t cap)
{
    unsigned c = 0;
    while (wait_cap[c] < cap)
        c++;
    return c;
}

static void wait_drop(struct span_pool *sp, struct rawspan *p, uint16_t cap)
{
    unsigned c = wait_class(cap);
    memcpy(p, &sp->free[c], sizeof(void *));
    sp->free[c] = p;
}

uint32_t pool_tag(struct span_pool *sp, uint8_t state, uint32_t reason, uint32_t label)
{
    if (sp->ntags * 2 >= sp->tagcap) {
        uint32_t cap = sp->tagcap ? sp->tagcap * 2 : 64;
        uint32_t *h = mem_zalloc(cap * sizeof *h);
        if (!h) {
            sp->oom = true;
            return 0;
        }
        for (uint32_t i = 0; i < sp->ntags; i++) {
            const struct span_tag *t = &sp->tags[i];
            uint32_t at = (t->state * 31u + t->reason * 2654435761u + t->label * 40503u) & (cap - 1);
            while (h[at])
                at = (at + 1) & (cap - 1);
            h[at] = i + 1;
        }
        mem_free(sp->taghash);
        sp->taghash = h;
        sp->tagcap = cap;
    }
    uint32_t at = (state * 31u + reason * 2654435761u + label * 40503u) & (sp->tagcap - 1);
    for (; sp->taghash[at]; at = (at + 1) & (sp->tagcap - 1)) {
        const struct span_tag *t = &sp->tags[sp->taghash[at] - 1];
        if (t->state == state && t->reason == reason && t->label == label)
            return sp->taghash[at] - 1;
    }
    if (sp->ntags > UINT16_MAX) /* hostile: no program has that many reasons; keep the state */
        return reason || label ? pool_tag(sp, state, 0, 0) : 0;
    struct span_tag *t = mem_grow(sp->tags, &sp->captags, sp->ntags + 1, sizeof *t);
    if (!t) {
        sp->oom = true;
        return 0;
    }
    sp->tags = t;
    t[sp->ntags] = (struct span_tag){.state = state, .reason = reason, .label = label};
    for (int k = 0; k < 4; k++)
        t[sp->ntags].slot[k] = sp->slot[k][state];
    sp->taghash[at] = (uint32_t)++sp->ntags;
    return (uint32_t)sp->ntags - 1;
}

/* ---- packing -------------------------------------------------------------------------------------------- */

/* Length code of a duration by the bytes it needs. */
static const uint8_t code_dur[9] = {0, 0, 1, 2, 3, 3, 3, 3, 3};

static inline unsigned dur_code(uint64_t x)
{
    return code_dur[(71u - (unsigned)__builtin_clzll(x | 1)) / 8];
}

static inline uint64_t dur_stored(int64_t dur, bool in_units)
{
    uint64_t x = (uint64_t)dur;
    return !in_units ? x : x & 63 ? x << 1 | 1 : x >> 5;
}

/*
 * One column: the length codes of four values make a byte, the values stand behind all codes.
 *
 * Four values go at once: their codes come from vector compares, and a table tells by the byte they make where each
 * value goes, so nothing waits for the length of the one before. Values of more than 32 bits are rare: one by one.
 */
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

#define LEN(c, k, A, B, C, D) ((c) >> (k) * 2 & 3 ? (c) >> (k) * 2 & 2 ? (c) >> (k) * 2 & 1 ? D : C : B : A)
#define END1(c, ...) LEN(c, 0, __VA_ARGS__)
#define END2(c, ...) END1(c, __VA_ARGS__) + LEN(c, 1, __VA_ARGS__)
#define END3(c, ...) END2(c, __VA_ARGS__) + LEN(c, 2, __VA_ARGS__)
#define END4(c, ...) END3(c, __VA_ARGS__) + LEN(c, 3, __VA_ARGS__)
#define ROW(c, ...) {END1(c, __VA_ARGS__), END2(c, __VA_ARGS__), END3(c, __VA_ARGS__), END4(c, __VA_ARGS__)}
#define ROWS2(c, ...) ROW(c, __VA_ARGS__), ROW(c + 1, __VA_ARGS__)
#define ROWS4(c, ...) ROWS2(c, __VA_ARGS__), ROWS2(c + 2, __VA_ARGS__)
#define ROWS8(c, ...) ROWS4(c, __VA_ARGS__), ROWS4(c + 4, __VA_ARGS__)
#define ROWS16(c, ...) ROWS8(c, __VA_ARGS__), ROWS8(c + 8, __VA_ARGS__)
#define ROWS32(c, ...) ROWS16(c, __VA_ARGS__), ROWS16(c + 16, __VA_ARGS__)
#define ROWS64(c, ...) ROWS32(c, __VA_ARGS__), ROWS32(c + 32, __VA_ARGS__)
#define ROWS128(c, ...) ROWS64(c, __VA_ARGS__), ROWS64(c + 64, __VA_ARGS__)
#define ROWS(...) {ROWS128(0, __VA_ARGS__), ROWS128(128, __VA_ARGS__)}

/* Where the 2nd, 3rd, 4th value and the next four begin, by code byte. Lengths as in len_dur and len_id. */
static const uint8_t ends_dur[2][256][4] = {ROWS(1, 2, 3, 5), ROWS(1, 2, 3, 8)};
static const uint8_t ends_id[2][256][4] = {ROWS(0, 1, 2, 3), ROWS(0, 1, 2, 4)};

/* v has room for the next multiple of four; up to 11 bytes behind the column are overwritten. */
static inline __attribute__((always_inline)) uint8_t *put_column(uint8_t *o, uint32_t *v, uint32_t n, bool ids,
                                                                const uint8_t ends[256][4])
{
    uint8_t *ctl = o;
    uint32_t groups = (n + 3) / 4, extra = groups * 4 - n;
    for (uint32_t i = 0; i < extra; i++)
        v[n + i] = 0;
    o += groups;
    for (uint32_t i = 0; i < groups * 4; i += 4) {
        u32x4 x, code = {3, 3, 3, 3}; /* a compare that holds adds -1 */
        memcpy(&x, &v[i], sizeof x);
        code += (u32x4)(x >> 8 == 0) + (u32x4)(x >> 16 == 0) + (ids ? (u32x4)(x == 0) : (u32x4)(x >> 24 == 0));
        u64x2 pairs = (u64x2)code;
        uint64_t bits = pairs[0] | pairs[1] << 4;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bits = bits << 32 | bits >> 32;
#endif
        uint8_t c = (uint8_t)(bits | bits >> 30);
        *ctl++ = c;
        uint64_t v0 = v[i], v1 = v[i + 1], v2 = v[i + 2], v3 = v[i + 3];
        memcpy(o, &v0, 8);
        memcpy(o + ends[c][0], &v1, 8);
        memcpy(o + ends[c][1], &v2, 8);
        memcpy(o + ends[c][2], &v3, 8);
        o += ends[c][3];
    }
    return ids ? o : o - extra; /* what was filled up takes no byte as an id, one as a duration */
}

static uint8_t *put_long_durations(uint8_t *o, const struct rawspan *s, uint32_t n, bool in_units,
                                   const uint8_t len[4])
{
    uint8_t *ctl = o;
    o += (n + 3) / 4;
    for (uint32_t i = 0, bits = 0; i < n; i++) {
        uint64_t v = dur_stored(s[i].dur, in_units);
        unsigned c = dur_code(v);
        bits = i % 4 ? bits | c << i % 4 * 2 : c;
        ctl[i / 4] = (uint8_t)bits;
        memcpy(o, &v, 8);
        o += len[c];
    }
    return o;
}

/* Gathered over all spans, four at a time: how many durations are multiples (by vector lane), everything or'ed. */
struct seen {
    u32x4 whole;
    u64x2 all;                /* a duration; who and stack */
    uint32_t tags;
};
_Static_assert(offsetof(struct rawspan, who) == 8, "duration, who and stack are the first 16 bytes");
_Static_assert(offsetof(struct rawspan, stack) == 12, "duration, who and stack are the first 16 bytes");

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW 1
#else
#define LOW 0
#endif

/* Four spans into columns. The durations are cut to 32 bits: where that is not enough they are not used. */
static inline void split_four(const struct rawspan *s, struct seen *in, uint32_t *dur, uint32_t *who, uint32_t *stack,
                              uint8_t *tag)
{
    u32x4 v0, v1, v2, v3;
    memcpy(&v0, &s[0], sizeof v0);
    memcpy(&v1, &s[1], sizeof v1);
    memcpy(&v2, &s[2], sizeof v2);
    memcpy(&v3, &s[3], sizeof v3);
    in->all |= (u64x2)(v0 | v1 | v2 | v3);
    in->tags |= s[0].tag | s[1].tag | s[2].tag | s[3].tag;
    tag[0] = (uint8_t)s[0].tag;
    tag[1] = (uint8_t)s[1].tag;
    tag[2] = (uint8_t)s[2].tag;
    tag[3] = (uint8_t)s[3].tag;
    u32x4 id0 = __builtin_shufflevector(v0, v1, 2, 6, 3, 7), id1 = __builtin_shufflevector(v2, v3, 2, 6, 3, 7);
    u32x4 w = __builtin_shufflevector(id0, id1, 0, 1, 4, 5), k = __builtin_shufflevector(id0, id1, 2, 3, 6, 7);
    u32x4 d0 = __builtin_shufflevector(v0, v1, LOW, 4 + LOW, 1 - LOW, 5 - LOW);
    u32x4 d1 = __builtin_shufflevector(v2, v3, LOW, 4 + LOW, 1 - LOW, 5 - LOW);
    u32x4 d = __builtin_shufflevector(d0, d1, 0, 1, 4, 5);
    u32x4 is_whole = (u32x4)((d & 63) == 0);
    in->whole -= is_whole;
    d = (is_whole & d >> 5) | (~is_whole & (d << 1 | 1));
    memcpy(dur, &d, sizeof d);
    memcpy(who, &w, sizeof w);
    memcpy(stack, &k, sizeof k);
}

static size_t pack(uint8_t *out, const struct rawspan *s, uint32_t n)
{
    uint32_t dur[SPAN_BLOCK], who[SPAN_BLOCK], stack[SPAN_BLOCK];
    struct seen in = {0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        split_four(&s[i], &in, &dur[i], &who[i], &stack[i], out + 1 + i);
    uint32_t whole = in.whole[0] + in.whole[1] + in.whole[2] + in.whole[3], t = in.tags;
    uint64_t d = in.all[0];
    uint32_t w = ((u32x4)in.all)[2], k = ((u32x4)in.all)[3];
    for (; i < n; i++) {
        uint64_t x = (uint64_t)s[i].dur;
        whole += !(x & 63);
        d |= x;
        dur[i] = (uint32_t)dur_stored(s[i].dur, true);
        t |= s[i].tag;
        w |= who[i] = s[i].who;
        k |= stack[i] = s[i].stack;
        out[1 + i] = (uint8_t)s[i].tag;
    }
    bool in_units = whole * 2 >= n && d < (uint64_t)1 << 62;
    if (in_units)
        d <<= 1;
    unsigned flags = (t > 0xff ? PACK_WIDE_TAG : 0u) | (w ? PACK_WHO : 0u) | (k ? PACK_STACK : 0u) |
                     (d > len_mask[5] ? PACK_LONG_DUR : 0u) | (w > 0xffffff ? PACK_LONG_WHO : 0u) |
                     (k > 0xffffff ? PACK_LONG_STACK : 0u) | (in_units ? PACK_UNIT : 0u);
    uint8_t *o = out;
    *o++ = (uint8_t)flags;
    for (i = 0; flags & PACK_WIDE_TAG && i < n; i++) {
        o[2 * i] = (uint8_t)s[i].tag;
        o[2 * i + 1] = (uint8_t)(s[i].tag >> 8);
    }
    o += flags & PACK_WIDE_TAG ? 2 * n : n;
    if (d > 0x7fffffff) { /* one more bit: the mark of what is no multiple */
        o = put_long_durations(o, s, n, in_units, len_dur[!!(flags & PACK_LONG_DUR)]);
    } else {
        for (i = 0; !in_units && i < n; i++)
            dur[i] = (uint32_t)s[i].dur;
        o = put_column(o, dur, n, false, ends_dur[0]);
    }
    if (w)
        o = put_column(o, who, n, true, ends_id[!!(flags & PACK_LONG_WHO)]);
    if (k)
        o = put_column(o, stack, n, true, ends_id[!!(flags & PACK_LONG_STACK)]);
    return (size_t)(o - out);
}

/* A stored duration in ns. */
static inline int64_t dur_ns(uint64_t x, unsigned flags)
{
    if (!(flags & PACK_UNIT))
        return (int64_t)x;
    return (int64_t)(x & 1 ? x >> 1 : x << 5);
}

static const uint8_t *get_column(const uint8_t *p, uint32_t n, const uint8_t len[4], uint64_t *out)
{
    const uint8_t *ctl = p;
    p += (n + 3) / 4;
    for (uint32_t i = 0; i < n; i++) {
        unsigned l = len[ctl[i / 4] >> (i % 4 * 2) & 3];
        uint64_t x;
        memcpy(&x, p, 8);
        out[i] = x & len_mask[l];
        p += l;
    }
    return p;
}

static void unpack(const uint8_t *p, uint32_t n, struct rawspan *out)
{
    uint64_t v[SPAN_BLOCK];
    unsigned flags = *p++;
    for (uint32_t i = 0; i < n; i++) {
        out[i].tag = *p++;
        if (flags & PACK_WIDE_TAG)
            out[i].tag |= (uint32_t)*p++ << 8;
    }
    p = get_column(p, n, len_dur[!!(flags & PACK_LONG_DUR)], v);
    for (uint32_t i = 0; i < n; i++)
        out[i].dur = dur_ns(v[i], flags);
    if (flags & PACK_WHO)
        p = get_column(p, n, len_id[!!(flags & PACK_LONG_WHO)], v);
    for (uint32_t i = 0; i < n; i++)
        out[i].who = flags & PACK_WHO ? (uint32_t)v[i] : 0;
    if (flags & PACK_STACK)
        get_column(p, n, len_id[!!(flags & PACK_LONG_STACK)], v);
    for (uint32_t i = 0; i < n; i++)
        out[i].stack = flags & PACK_STACK ? (uint32_t)v[i] : 0;
}

static uint8_t *pack_into_pool(struct span_pool *sp, const struct rawspan *s, uint32_t n)
{
    size_t len;
    uint8_t *p;
    if (sp->at && sp->end - sp->at >= PACK_MAX + 2 * SLACK) { /* nearly always: right where it stays */
        len = pack(sp->at, s, n);
        p = pool_bytes(sp, len);
    } else {
        uint8_t buf[PACK_MAX + SLACK];
        len = pack(buf, s, n);
        p = pool_bytes(sp, len);
        if (p)
            memcpy(p, buf, len);
    }
    sp->packed_bytes += len;
    return p;
}

/* ---- appending ------------------------------------------------------------------------------------------ */

void spans_begin(struct spanlane *l, int64_t t, uint32_t tag, uint32_t who, uint32_t stack)
{
    l->t0 = l->wait_t0 = t;
    l->tag = tag;
    l->who = who;
    l->stack = stack;
    l->begun = true;
}

void spans_pack(struct span_pool *sp, enum lane_kind kind, struct spanlane *l)
{
    struct rawspan *s = l->wait.raw;
    if (l->nblk + 2 > l->capblk) {
        size_t cap = l->capblk;
        struct blk *b = mem_grow(l->blk, &cap, l->nblk + 2, sizeof *b);
        if (!b) {
            sp->oom = true;
            return;
        }
        if (!l->blk)
            b[0] = (struct blk){.t0 = l->wait_t0};
        l->blk = b;
        l->capblk = (uint32_t)cap;
        int64_t *g = mem_resize(l->group, (cap / SPAN_GROUP + 1) * sizeof *g);
        if (!g) {
            sp->oom = true;
            return;
        }
        l->group = g;
    }
    uint8_t *data = pack_into_pool(sp, s, SPAN_BLOCK);
    if (!data)
        return;
    struct blk *b = &l->blk[l->nblk];
    int64_t sum[SPAN_SLOTS] = {0}, longest = 0, dur = 0;
    const struct span_tag *tags = sp->tags;
    for (uint32_t i = 0; i < SPAN_BLOCK; i++) {
        unsigned slot = tags[s[i].tag].slot[kind];
        sum[slot] += s[i].dur;
        if (slot && s[i].dur > longest)
            longest = s[i].dur;
    }
    for (int i = 0; i < SPAN_SLOTS; i++)
        dur += sum[i];
    b->data = data;
    b->longest = longest;
    b[1] = (struct blk){.t0 = b->t0 + dur};
    for (int i = 1; i < SPAN_SLOTS; i++)
        b[1].cum[i - 1] = b->cum[i - 1] + sum[i];
    int64_t *g = &l->group[l->nblk / SPAN_GROUP];
    if (l->nblk % SPAN_GROUP == 0 || longest > *g)
        *g = longest;
    l->nblk++;
    l->wait_t0 = b[1].t0;
    l->nwait = 0;
}

bool spans_room(struct span_pool *sp, struct spanlane *l)
{
    if (sp->oom)
        return false;
    if (l->packed) { /* at rest: unpack again */
        uint16_t cap = l->nwait >= 64 ? SPAN_BLOCK : l->nwait >= 32 ? 64 : l->nwait >= 8 ? 32 : 8;
        struct rawspan *s = wait_new(sp, wait_class(cap));
        if (!s)
            return false;
        unpack(l->wait.packed, l->nwait, s);
        l->wait.raw = s;
        l->capwait = cap;
        l->packed = false;
    }
    if (l->nwait < l->capwait)
        return true;
    uint16_t cap = wait_cap[l->capwait ? wait_class(l->capwait) + 1 : 0];
    struct rawspan *s = wait_new(sp, wait_class(cap));
    if (!s)
        return false;
    if (l->capwait) {
        memcpy(s, l->wait.raw, l->nwait * sizeof *s);
        wait_drop(sp, l->wait.raw, l->capwait);
    }
    l->wait.raw = s;
    l->capwait = cap;
    return true;
}

void spans_end(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t)
{
    spans_push(sp, kind, l, t, l->tag, l->who, l->stack);
    l->ended = true;
    spans_rest(sp, l);
}

void spans_rest(struct span_pool *sp, struct spanlane *l)
{
    if (l->packed || !l->capwait)
        return;
    struct rawspan *s = l->wait.raw;
    if (l->nwait) {
        uint8_t *p = pack_into_pool(sp, s, l->nwait);
        if (!p)
            return;
        l->wait.packed = p;
        l->packed = true;
    }
    wait_drop(sp, s, l->capwait);
    l->capwait = 0;
    if (!l->packed)
        l->wait.raw = NULL;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

int64_t spans_first(const struct spanlane *l)
{
    return l->nblk ? l->blk[0].t0 : l->wait_t0;
}

uint32_t spans_block(const struct span_pool *sp, const struct spanlane *l, uint32_t b, struct rawspan out[SPAN_BLOCK + 1],
                     int64_t *t0, int64_t end)
{
    (void)sp;
    if (b < l->nblk) {
        unpack(l->blk[b].data, SPAN_BLOCK, out);
        *t0 = l->blk[b].t0;
        return SPAN_BLOCK;
    }
    *t0 = l->wait_t0;
    uint32_t n = l->nwait;
    if (n && l->packed)
        unpack(l->wait.packed, n, out);
    else if (n)
        memcpy(out, l->wait.raw, n * sizeof *out);
    if (l->begun && !l->ended)
        out[n++] = (struct rawspan){end > l->t0 ? end - l->t0 : 0, l->who, l->stack, l->tag};
    return n;
}

uint32_t spans_find(const struct spanlane *l, int64_t t)
{
    uint32_t lo = 0, hi = l->nblk; /* the last block whose t0 <= t */
    if (!hi || t >= l->wait_t0)
        return hi ? (l->nwait || !l->ended ? hi : hi - 1) : 0;
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->blk[mid].t0 <= t)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* A position in a lane that only moves forward: totals up to `t`, which is the start of span `i` of the block. */
struct walk {
    int64_t t, tot[SPAN_SLOTS];
    uint32_t b, i, n;
    const uint8_t *tags, *ctl, *dur, *len; /* packed */
    bool wide;
    unsigned flags;
    const struct rawspan *raw;             /* or not */
};

static void walk_enter(const struct spanlane *l, uint32_t b, struct walk *w)
{
    w->b = b;
    w->i = 0;
    memset(w->tot, 0, sizeof w->tot);
    if (l->nblk) {
        const struct blk *k = &l->blk[b];
        w->t = k->t0;
        int64_t sum = 0;
        for (int s = 1; s < SPAN_SLOTS; s++)
            sum += w->tot[s] = k->cum[s - 1];
        w->tot[0] = k->t0 - l->blk[0].t0 - sum;
    } else {
        w->t = l->wait_t0;
    }
    const uint8_t *p = b < l->nblk ? l->blk[b].data : l->packed ? l->wait.packed : NULL;
    w->n = b < l->nblk ? SPAN_BLOCK : l->nwait;
    w->raw = p ? NULL : l->wait.raw;
    if (p) {
        unsigned flags = *p++;
        w->tags = p;
        w->flags = flags;
        w->wide = flags & PACK_WIDE_TAG;
        p += w->wide ? 2 * w->n : w->n;
        w->ctl = p;
        w->dur = p + (w->n + 3) / 4;
        w->len = len_dur[!!(flags & PACK_LONG_DUR)];
    }
}

static inline int64_t walk_dur(const struct walk *w, uint32_t *tag, unsigned *bytes)
{
    if (w->raw) {
        *tag = w->raw[w->i].tag;
        *bytes = 0;
        return w->raw[w->i].dur;
    }
    *tag = w->wide ? w->tags[2 * w->i] | (uint32_t)w->tags[2 * w->i + 1] << 8 : w->tags[w->i];
    *bytes = w->len[w->ctl[w->i / 4] >> (w->i % 4 * 2) & 3];
    uint64_t x;
    memcpy(&x, w->dur, 8);
    return dur_ns(x & len_mask[*bytes], w->flags);
}

void spans_totals(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, const int64_t *t, uint32_t n,
                  int64_t end, int64_t (*out)[SPAN_SLOTS], uint64_t *count)
{
    struct walk w = {0};
    bool in = false;
    int64_t first = l->begun ? spans_first(l) : INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (t[i] <= first) {
            memset(out[i], 0, sizeof out[i]);
            if (count)
                count[i] = 0;
            continue;
        }
        /* Stay in the block while the moment is in it, else search. */
        if (!in || (w.b < l->nblk && t[i] >= l->blk[w.b + 1].t0)) {
            uint32_t b = spans_find(l, t[i] - 1);
            if (!in || b != w.b)
                walk_enter(l, b, &w);
            in = true;
        }
        uint32_t tag = 0;
        unsigned bytes = 0;
        while (w.i < w.n && w.t < t[i]) { /* a span of no length at t doesn't start before t */
            int64_t d = walk_dur(&w, &tag, &bytes);
            if (d > t[i] - w.t)
                break;
            w.tot[sp->tags[tag].slot[kind]] += d;
            w.t += d;
            if (bytes)
                w.dur += bytes;
            w.i++;
        }
        memcpy(out[i], w.tot, sizeof out[i]);
        if (w.i < w.n)
            out[i][sp->tags[tag].slot[kind]] += t[i] - w.t;
        else if (w.b == l->nblk && !l->ended) {
            int64_t stop = t[i] < end ? t[i] : end;
            if (stop > w.t)
                out[i][sp->tags[l->tag].slot[kind]] += stop - w.t;
        }
        if (count)
            count[i] = (uint64_t)w.b * SPAN_BLOCK + w.i + (w.i < w.n ? w.t < t[i] : w.b == l->nblk && !l->ended && w.t < t[i]);
    }
}
