/*
 * v2_names.c - see v2_gen.h.
 */
#include "decode/v2/v2_gen.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/base/bytes.h"
#include "decode/base/hash.h"
#include "decode/v2/v2_raw.h"

/* The tables of a generation have numbers of their own: from 1 on in the order of appearance (names.h), for
 * stacks from 0 on. */
struct v2_read {
    struct names own; /* strings and frames; func and file are indices of these strings */
    uint32_t *frames; /* the frames of all stacks, one after the other */
    size_t nframes, capframes;
    struct read_stack {
        uint32_t hash; /* as any generation has it that reads this stack */
        uint8_t depth; /* frames */
    } * stacks;
    size_t nstacks, capstacks;
    uint64_t *hash; /* of frames */
    size_t caphash;
    uint32_t *str, *frame, *stack; /* number in the trace's names */
};

bool v2_table_bad(struct source *s, struct v2_gen *g, const struct v2_slice *t, const uint8_t *p,
                  const char *what)
{
    if (!t->torn) {
        g->unnamed = true;
        source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, p), "malformed %s table", what);
    }
    return true;
}

/* ---- strings ------------------------------------------------------------------------------------------- */

static bool read_strings(struct source *s, struct v2_gen *g, const struct v2_slice *t)
{
    for (const uint8_t *p = t->p + 1; p < t->end;) {
        const uint8_t *at = p;
        struct v2_raw_string x;
        if (!(p = v2_raw_string(p, t->end, &x)))
            return v2_table_bad(s, g, t, at, "string");
        uint32_t id;
        if (names_str(&g->read->own, (const char *)x.p, x.len, false, &id))
            return false;
        if (!x.id || idmap_get(&g->strs, x.id) != IDMAP_NONE) { /* 0 is the empty string */
            source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, at), "string %" PRIu64 " is defined twice",
                          x.id);
            continue;
        }
        if (!idmap_put(&g->strs, x.id, id))
            return false;
    }
    return true;
}

/* Where the table of strings was cut off, a program counter says more than the number of a name. */
static bool frame_str(struct v2_gen *g, uint64_t id, uint32_t *str)
{
    *str = id ? idmap_get(&g->strs, id) : 0;
    if (*str != IDMAP_NONE)
        return true;
    *str = 0;
    g->missing++;
    if (g->torn || g->unnamed)
        return true;
    char name[24];
    const int n = snprintf(name, sizeof name, "#%" PRIu64, id);
    return !names_str(&g->read->own, name, (uint32_t)n, true, str);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

/* Add a frame to the hash of a stack. The factor is secret, so the writer of a file can't predict it. */
static inline uint64_t stack_hash_next(uint64_t h, uint64_t frame)
{
    return (h + frame) * hash_secret[1];
}

/* This is a table that is being read. */
struct reading {
    struct v2_gen *g;
    const uint8_t *end;
    bool oom;
};

/* Sets *id to the frame with these numbers. Returns false if out of memory. */
static inline bool frame_of(struct v2_gen *g, const uint64_t v[4], uint32_t *id)
{
    struct v2_read *t = g->read;
    struct frame f = {.pc = v[0], .line = v[3]};
    const uint32_t had = names_nframes(&t->own);
    if (!frame_str(g, v[1], &f.func) || !frame_str(g, v[2], &f.file) || names_frame_id(&t->own, &f, id))
        return false;
    if (*id < had)
        return true;
    if (!mem_room(t->hash, t->caphash, had + (size_t)1))
        return false;
    t->hash[had] = names_frame_hash(&t->own, &f);
    return true;
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

/* Estimate the number of frames in the tables of stacks: most take at least seven bytes there. */
static bool room_for(struct v2_read *t, const struct v2_gen *g)
{
    enum { FRAME_BYTES = 7 };
    size_t n = 0;
    for (size_t i = 0; i < g->ntable; i++)
        n += *g->table[i].p == V2R_STACKS ? (size_t)(g->table[i].end - g->table[i].p) / FRAME_BYTES : 0;
    return mem_room(t->frames, t->capframes, n);
}

/* Make room for one more stack. */
static inline bool stack_room(struct v2_read *t)
{
    return mem_room(t->frames, t->capframes, t->nframes + V2_RAW_FRAMES) &&
           mem_room(t->stacks, t->capstacks, t->nstacks + 1);
}

/* Read a stack at p. NULL: malformed, or out of memory. */
static const uint8_t *read_stack(struct reading *r, const uint8_t *p, uint64_t *id)
{
    struct v2_read *t = r->g->read;
    uint64_t head[2]; /* its id, the number of its frames */
    if (*p++ != V2R_STACK || !(p = bytes_varints(p, r->end, head, 2)) || head[1] > V2_RAW_FRAMES)
        return NULL;
    const uint64_t n = head[1];
    *id = head[0];
    if (!mem_noted(&r->oom, stack_room(t)))
        return NULL;
    uint32_t *const f = t->frames + t->nframes;
    uint64_t hash = hash_first(n), v[4];
    for (unsigned i = 0; i < n; i++) {
        p = bytes_varints(p, r->end, v, 4);
        if (!p || !mem_noted(&r->oom, frame_of(r->g, v, &f[i])))
            return NULL;
        hash = stack_hash_next(hash, t->hash[f[i]]);
    }
    t->stacks[t->nstacks++] = (struct read_stack){(uint32_t)hash_last(hash), (uint8_t)n};
    t->nframes += n;
    return p;
}

static bool read_stacks(struct source *s, struct v2_gen *g, const struct v2_slice *t)
{
    struct reading r = {.g = g, .end = t->end};
    for (const uint8_t *p = t->p + 1; p < t->end;) {
        const uint8_t *at = p;
        uint64_t id = 0;
        if (!(p = read_stack(&r, p, &id)))
            return !r.oom && v2_table_bad(s, g, t, at, "stack");
        if (!id || idmap_get(&g->stacks, id) != IDMAP_NONE) {
            source_damage(s, ERR_FORMAT, g->ordinal, source_off(s, at), "stack %" PRIu64 " is defined twice",
                          id);
            continue;
        }
        if (!idmap_put(&g->stacks, id, (uint32_t)(g->read->nstacks - 1)))
            return false;
    }
    return true;
}

typedef bool read_fn(struct source *s, struct v2_gen *g, const struct v2_slice *t);
static bool read_tables(struct source *s, struct v2_gen *g, enum v2_raw_type type, read_fn *read)
{
    bool ok = true;
    for (size_t i = 0; ok && i < g->ntable; i++)
        if (*g->table[i].p == type)
            ok = !source_left(s) && read(s, g, &g->table[i]);
    return ok;
}

bool v2_names_read(struct source *s, struct v2_gen *g)
{
    return (g->read = mem_zalloc(sizeof *g->read)) && !names_init(&g->read->own) && room_for(g->read, g) &&
           read_tables(s, g, V2R_STRINGS, read_strings) && read_tables(s, g, V2R_STACKS, read_stacks);
}

/* ---- numbers in the trace's names ---------------------------------------------------------------------- */

enum { AHEAD = 12 }; /* stacks */
enum { LOOKED_AFTER = 1 << 14 };

/* Returns whether the load was cancelled. Called for each string, frame and stack. */
static inline bool cancelled_at(const struct source *s, size_t i)
{
    return i % LOOKED_AFTER == 0 && source_left(s);
}

static bool give_strings(struct source *s, struct v2_read *r)
{
    for (uint32_t i = 0, n = names_nstrs(&r->own); i < n; i++) {
        const uint8_t *p = (const uint8_t *)names_get(&r->own, i).p;
        const bool lives = p >= s->data && p <= s->data + s->len;
        r->str[i] = 0;
        if (cancelled_at(s, i) || (i && names_str_of(s->names, &r->own, i, !lives, &r->str[i])))
            return false;
    }
    return true;
}

static bool give_frames(struct source *s, struct v2_read *r)
{
    for (uint32_t i = 0, n = names_nframes(&r->own); i < n; i++) {
        struct frame f = names_frame_at(&r->own, i);
        f.func = r->str[f.func];
        f.file = r->str[f.file];
        if (cancelled_at(s, i) || names_frame_id(s->names, &f, &r->frame[i]))
            return false;
    }
    return true;
}

static bool give_stacks(struct source *s, struct v2_read *r)
{
    struct names *nm = s->names;
    uint32_t ids[V2_RAW_FRAMES];
    const uint32_t *f = r->frames;
    for (size_t k = 0; k < r->nstacks; k++) {
        const struct read_stack *st = &r->stacks[k];
        if (k + AHEAD < r->nstacks)
            names_stack_ahead(nm, st[AHEAD].hash);
        for (unsigned i = 0; i < st->depth; i++)
            ids[i] = r->frame[f[i]];
        f += st->depth;
        if (cancelled_at(s, k) || names_stack_like(nm, st->hash, ids, st->depth, &r->stack[k]))
            return false;
    }
    return true;
}

static bool give_begin(struct v2_read *r)
{
    return (r->str = mem_alloc((names_nstrs(&r->own) + (size_t)1) * sizeof *r->str)) &&
           (r->frame = mem_alloc((names_nframes(&r->own) + (size_t)1) * sizeof *r->frame)) &&
           (r->stack = mem_alloc((r->nstacks + 1) * sizeof *r->stack));
}

bool v2_names_give(struct source *s, struct v2_gen *g)
{
    struct v2_read *r = g->read;
    return give_begin(r) && give_strings(s, r) && give_frames(s, r) && give_stacks(s, r);
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
    mem_free(r->stacks);
    mem_free(r->hash);
    mem_free(r->str);
    mem_free(r->frame);
    mem_free(r->stack);
    mem_free(r);
    g->read = NULL;
}
