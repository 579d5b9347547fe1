/*
 * v2_names.c - see v2_names.h.
 *
 * Stacks are most of some traces. Their frames are mostly the same few thousand, so a frame is looked for by its bytes: where it
 * ends is seen in 64 of them at once.
 */
#include "decode/v2/v2_names.h"

#include <inttypes.h>
#include <stdio.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "decode/base/bytes.h"
#include "decode/v2/v2_raw.h"

/*
 * Frames as they stand in the file, four varints, and what they are called, each in one of two places. What a place had before
 * goes to the other one, and what that had is forgotten.
 */
enum { KNOWN_FRAMES = 2048, KNOWN_BYTES = 15 };
struct known_frame {
    uint64_t w[2]; /* its bytes, in the last their number; 0: none */
    uint32_t id;
};

/*
 * What a generation's tables say, by numbers of their own: from 1 on in the order of appearance (names.h), of stacks from 0 on. A
 * frame takes two bytes in a stack, FAR_FRAME and four more where there are very many.
 */
enum { FAR_FRAME = UINT16_MAX, FRAME_MOST = 3 };
struct v2_read {
    struct names own; /* strings and frames; of these func and file are strings of here */
    struct known_frame known[KNOWN_FRAMES];
    uint16_t *frames; /* all stacks', one behind the other */
    size_t nframes, capframes;
    uint8_t *depth; /* how many each has */
    size_t nstacks, capdepth;
    uint32_t *str, *stack; /* the trace's numbers */
};

static size_t off_of(const struct source *s, const uint8_t *p)
{
    return (size_t)(p - s->data);
}

bool v2_table_bad(struct source *s, struct v2_gen *g, const struct v2_slice *t, const uint8_t *p, const char *what)
{
    if (!t->torn) {
        g->torn = true;
        source_damage(s, ERR_FORMAT, g->ordinal, off_of(s, p), "malformed %s table", what);
    }
    return true;
}

/* ---- strings ---------------------------------------------------------------------------------------------- */

static bool read_strings(struct source *s, struct v2_gen *g, const struct v2_slice *t)
{
    for (const uint8_t *p = t->p + 1; p < t->end;) {
        const uint8_t *at = p;
        struct v2_raw_string x;
        if (!(p = v2_raw_string(p, t->end, &x)))
            return v2_table_bad(s, g, t, at, "string");
        uint32_t id;
        if (names_str(&g->read->own, (const char *)x.p, x.len, &id))
            return false;
        if (idmap_get(&g->strs, x.id) != IDMAP_NONE) {
            source_damage(s, ERR_FORMAT, g->ordinal, off_of(s, at), "string %" PRIu64 " is defined twice", x.id);
            continue;
        }
        if (!idmap_put(&g->strs, x.id, id))
            return false;
    }
    return true;
}

/* Where the table of strings was cut a program counter says more than the number of a name. */
static bool frame_str(struct v2_gen *g, uint64_t id, uint32_t *str)
{
    *str = id ? idmap_get(&g->strs, id) : 0;
    if (*str != IDMAP_NONE)
        return true;
    *str = 0;
    g->missing++;
    if (g->torn)
        return true;
    char name[24];
    const int n = snprintf(name, sizeof name, "#%" PRIu64, id);
    return !names_str_copy(&g->read->own, name, (uint32_t)n, str);
}

/* ---- frames ----------------------------------------------------------------------------------------------- */

#ifndef __SSE2__
/* Which of eight bytes end a varint. */
static inline unsigned varint_ends(uint64_t w)
{
    return (unsigned)((~w & 0x8080808080808080u) * 0x0002040810204081u >> 56);
}
#endif

/* Which of 64 bytes end a varint. */
static inline uint64_t ends_in(const uint8_t *p)
{
    uint64_t ends = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < 4; i++) {
        const __m128i w = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
        ends |= (uint64_t)(unsigned)_mm_movemask_epi8(w) << 16 * i;
    }
    return ~ends;
#else
    for (unsigned i = 0; i < 8; i++)
        ends |= (uint64_t)varint_ends(bytes_load8(p + 8 * i)) << 8 * i;
    return ends;
#endif
}

static inline uint64_t without_three(uint64_t bits)
{
    bits &= bits - 1;
    bits &= bits - 1;
    return bits & (bits - 1);
}

/*
 * The bytes of a frame that ends before `next`: they and their number, or (false) they are too many. A frame that is shorter than 16
 * bytes has 16 to be read.
 */
static inline bool frame_bytes(const uint8_t *p, const uint8_t *next, uint64_t w[2])
{
    /* What of 16 bytes is the first n: from 16 - n on. */
    static const uint8_t first[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    const size_t n = (size_t)(next - p);
    if (n > KNOWN_BYTES)
        return false;
    const uint8_t *is = first + 16 - n;
    w[0] = bytes_load8(p) & bytes_load8(is);
    w[1] = (bytes_load8(p + 8) & bytes_load8(is + 8)) | (uint64_t)n << 56;
    return true;
}

static inline uint32_t frame_place(const uint64_t w[2])
{
    return ((w[0] ^ w[1]) * 0x9E3779B97F4A7C15u >> 40) % KNOWN_FRAMES;
}

static inline bool is_frame(const struct known_frame *k, const uint64_t w[2])
{
    return k->w[0] == w[0] && k->w[1] == w[1];
}

/* Of the n frames at *at those that are known by their bytes, up to the first that isn't: how many, their numbers to f. */
static unsigned known_frames(const struct known_frame *known, const uint8_t **at, const uint8_t *end, unsigned n,
                             uint16_t *f)
{
    const uint8_t *p = *at, *from = p;
    uint64_t ends = 0; /* of varints, in the 64 bytes from `from` on: those that p isn't behind */
    unsigned i = 0;
    for (; i < n; i++) {
        uint64_t w[2], own = without_three(ends);
        if (!own && end - p >= 64 + 16) {
            from = p;
            own = without_three(ends_in(p));
        }
        if (!own)
            break;
        const uint8_t *next = from + (unsigned)__builtin_ctzll(own) + 1;
        if (!frame_bytes(p, next, w))
            break;
        const uint32_t place = frame_place(w);
        const struct known_frame *k = &known[place];
        if (!is_frame(k, w) && !is_frame(k = &known[place ^ 1], w))
            break;
        f[i] = (uint16_t)k->id;
        ends = own & (own - 1);
        p = next;
    }
    *at = p;
    return i;
}

/* A table being read. */
struct reading {
    struct v2_gen *g;
    const uint8_t *end;
    bool oom;
};

/* The next time that these bytes stand somewhere they are this frame. */
static void frame_known(struct v2_read *t, const uint8_t *p, const uint8_t *next, const uint8_t *end, uint32_t id)
{
    uint64_t w[2];
    if (id >= FAR_FRAME || end - p < 16 || !frame_bytes(p, next, w))
        return;
    struct known_frame *k = t->known + frame_place(w), *other = t->known + (frame_place(w) ^ 1);
    *other = *k;
    *k = (struct known_frame){{w[0], w[1]}, id};
}

/* The frame at p by its four numbers. Where it names what isn't there it is not known by its bytes: each time is counted. */
static const uint8_t *read_frame(struct reading *r, const uint8_t *p, uint32_t *id)
{
    struct v2_read *t = r->g->read;
    const uint32_t missing = r->g->missing;
    uint64_t v[4];
    struct frame f;
    const uint8_t *next = v2_raw_frame(p, r->end, v);
    if (!next)
        return NULL;
    f.pc = v[0];
    f.line = v[3];
    r->oom = !frame_str(r->g, v[1], &f.func) || !frame_str(r->g, v[2], &f.file) || names_frame_id(&t->own, &f, id);
    if (r->oom)
        return NULL;
    if (r->g->missing == missing)
        frame_known(t, p, next, r->end, *id);
    return next;
}

/* n frames at p; their numbers to *f, which is moved behind them. */
static const uint8_t *read_frames(struct reading *r, const uint8_t *p, unsigned n, uint16_t **f)
{
    while (n) {
        const unsigned known = known_frames(r->g->read->known, &p, r->end, n, *f);
        uint32_t id;
        *f += known;
        n -= known;
        if (!n)
            break;
        if (!(p = read_frame(r, p, &id)))
            return NULL;
        n--;
        *(*f)++ = id < FAR_FRAME ? (uint16_t)id : FAR_FRAME;
        if (id >= FAR_FRAME) {
            *(*f)++ = (uint16_t)id;
            *(*f)++ = (uint16_t)(id >> 16);
        }
    }
    return p;
}

/* ---- stacks ----------------------------------------------------------------------------------------------- */

/* For one stack more. */
static inline bool room(struct v2_read *t)
{
    if (t->nstacks < t->capdepth && t->nframes + V2_RAW_FRAMES * FRAME_MOST <= t->capframes)
        return true;
    uint16_t *f = mem_grow(t->frames, &t->capframes, t->nframes + V2_RAW_FRAMES * FRAME_MOST, sizeof *f);
    uint8_t *depth = mem_grow(t->depth, &t->capdepth, t->nstacks + 1, sizeof *depth);
    t->frames = f ? f : t->frames;
    t->depth = depth ? depth : t->depth;
    return f && depth;
}

/* One stack at p. NULL: malformed, or out of memory. */
static const uint8_t *read_stack(struct reading *r, const uint8_t *p, uint64_t *id)
{
    struct v2_read *t = r->g->read;
    uint64_t n;
    if (*p++ != V2R_STACK || !(p = bytes_varint(p, r->end, id)) || !(p = bytes_varint(p, r->end, &n)) ||
        n > V2_RAW_FRAMES)
        return NULL;
    if (!room(t)) {
        r->oom = true;
        return NULL;
    }
    uint16_t *f = t->frames + t->nframes;
    if (!(p = read_frames(r, p, (unsigned)n, &f)))
        return NULL;
    t->nframes = (size_t)(f - t->frames);
    t->depth[t->nstacks++] = (uint8_t)n;
    return p;
}

static bool read_stacks(struct source *s, struct v2_gen *g, const struct v2_slice *t)
{
    struct reading r = {.g = g, .end = t->end};
    for (const uint8_t *p = t->p + 1; p < t->end;) {
        const uint8_t *at = p;
        const uint32_t missing = g->missing;
        uint64_t id = 0;
        if (!(p = read_stack(&r, p, &id)))
            return !r.oom && v2_table_bad(s, g, t, at, "stack");
        if (g->missing > missing && !g->torn) {
            source_damage(s, ERR_FORMAT, g->ordinal, off_of(s, at),
                          "stack %" PRIu64 " names a string that is not defined", id);
            g->missing = missing;
        }
        if (idmap_get(&g->stacks, id) != IDMAP_NONE) {
            source_damage(s, ERR_FORMAT, g->ordinal, off_of(s, at), "stack %" PRIu64 " is defined twice", id);
            continue;
        }
        if (!idmap_put(&g->stacks, id, (uint32_t)(g->read->nstacks - 1)))
            return false;
    }
    return true;
}

bool v2_names_read(struct source *s, struct v2_gen *g)
{
    static const struct {
        uint8_t first;
        bool (*read)(struct source *, struct v2_gen *, const struct v2_slice *);
    } kind[] = {{V2R_STRINGS, read_strings}, {V2R_STACKS, read_stacks}};
    bool ok = (g->read = mem_zalloc(sizeof *g->read)) && !names_init(&g->read->own);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < g->ntable && ok; i++)
            ok = *g->table[i].p != kind[k].first || kind[k].read(s, g, &g->table[i]);
    return ok;
}

/* ---- what the trace calls them ---------------------------------------------------------------------------- */

static bool give_strings(struct source *s, struct v2_read *r)
{
    const uint32_t n = names_nstrs(&r->own);
    if (!(r->str = mem_alloc(n * sizeof *r->str)))
        return false;
    r->str[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        const struct str x = names_get(&r->own, i);
        const bool lives = (const uint8_t *)x.p >= s->data && (const uint8_t *)x.p <= s->data + s->len;
        if (lives ? names_str(s->names, x.p, x.len, &r->str[i]) : names_str_copy(s->names, x.p, x.len, &r->str[i]))
            return false;
    }
    return true;
}

static bool give_frames(struct source *s, struct v2_read *r, uint32_t *of)
{
    for (uint32_t i = 0; i < names_nframes(&r->own); i++) {
        struct frame f = names_frame_at(&r->own, i);
        f.func = r->str[f.func];
        f.file = r->str[f.file];
        if (names_frame_id(s->names, &f, &of[i]))
            return false;
    }
    return true;
}

static bool give_stacks(struct source *s, struct v2_read *r, const uint32_t *of)
{
    uint32_t ids[V2_RAW_FRAMES];
    const uint16_t *f = r->frames;
    for (size_t k = 0; k < r->nstacks; k++) {
        for (unsigned i = 0; i < r->depth[k]; i++) {
            uint32_t frame = *f++;
            if (frame == FAR_FRAME) {
                frame = f[0] | (uint32_t)f[1] << 16;
                f += 2;
            }
            ids[i] = of[frame];
        }
        if (names_stack_of(s->names, ids, r->depth[k], &r->stack[k]))
            return false;
    }
    return true;
}

bool v2_names_give(struct source *s, struct v2_gen *g)
{
    struct v2_read *r = g->read;
    uint32_t *of = mem_alloc((names_nframes(&r->own) + (size_t)1) * sizeof *of);
    const bool ok = of && (r->stack = mem_alloc((r->nstacks + 1) * sizeof *r->stack)) && give_strings(s, r) &&
                    give_frames(s, r, of) && give_stacks(s, r, of);
    mem_free(of);
    return ok;
}

void v2_names_put(struct v2_gen *g)
{
    idmap_renumber(&g->strs, g->read->str);
    idmap_renumber(&g->stacks, g->read->stack);
    v2_names_free(g);
}

void v2_names_free(struct v2_gen *g)
{
    struct v2_read *r = g->read;
    if (!r)
        return;
    names_free(&r->own);
    mem_free(r->frames);
    mem_free(r->depth);
    mem_free(r->str);
    mem_free(r->stack);
    mem_free(r);
    g->read = NULL;
}
