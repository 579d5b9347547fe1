/* spans.c - see spans.h; the bytes of a block: pack.h. */
#include "decode/model/spans.h"

#include <stddef.h>
#include <string.h>

#include "decode/base/mem.h"

/* The pool's first chunk is so large; each next one is twice as large, up to CHUNK_MOST. */
#define CHUNK_FIRST (1u << 17)
#define CHUNK_MOST (2u << 20)
#define CHUNK_WAIT (1u << 16) /* first chunk of waiting spans */

struct pool_chunk {
    struct pool_chunk *next;
};

static const uint16_t wait_cap[5] = {2, 8, 32, 64, SPAN_BLOCK};

enum err_code pool_init(struct span_pool *sp)
{
    memset(sp, 0, sizeof *sp);
#define X(id, name, p, g, m, band) \
    sp->slot[LANE_P][ST_##id] = p; \
    sp->slot[LANE_G][ST_##id] = g; \
    sp->slot[LANE_M][ST_##id] = m; \
    sp->slot[LANE_BAND][ST_##id] = band;
#include "decode/model/states.def"
#undef X
    sp->whole = SPAN_BLOCK;
    pack_init();
    return pool_tag(sp, ST_NONE, 0, 0) == 0 && !sp->oom ? ERR_OK : ERR_NOMEM;
}

static void bump_free(struct bump *b)
{
    for (struct pool_chunk *c = b->chunks; c;) {
        struct pool_chunk *next = c->next;
        mem_free(c);
        c = next;
    }
    *b = (struct bump){0};
}

void pool_ticks(struct span_pool *sp, double tick_ns)
{
    if (!sp->waits.chunks)
        sp->clock = pack_clock(tick_ns);
}

void pool_waits_free(struct span_pool *sp)
{
    bump_free(&sp->waits);
    memset(sp->free, 0, sizeof sp->free);
}

void pool_free(struct span_pool *sp)
{
    bump_free(&sp->bump);
    bump_free(&sp->waits);
    mem_free(sp->tags);
    mem_free(sp->tagslot);
    idmap_free(&sp->tagof);
    mem_free(sp->longs);
    memset(sp, 0, sizeof *sp);
}

/* Returns n bytes with PACK_SLACK after them; NULL if out of memory. */
static void *bump_bytes(struct bump *b, size_t n)
{
    n = (n + 1) & ~(size_t)1;
    if (!b->at || (size_t)(b->end - b->at) < n + PACK_SLACK) {
        size_t size = b->next ? b->next : CHUNK_FIRST;
        struct pool_chunk *c = mem_alloc(size);
        if (!c)
            return NULL;
        c->next = b->chunks;
        b->chunks = c;
        b->at = (uint8_t *)c + 16;
        b->end = (uint8_t *)c + size;
        const size_t most = b->most ? b->most : CHUNK_MOST, more = b->most ? size / 8 & ~(size_t)63 : size;
        b->next = size + more < most ? size + more : most;
    }
    void *p = b->at;
    b->at += n;
    return p;
}

void *pool_bytes(void *pool, size_t n)
{
    struct span_pool *sp = pool;
    return bump_bytes(&sp->bump, n);
}

static struct waitspan *wait_new(struct span_pool *sp, unsigned class)
{
    void *p = sp->free[class];
    if (p) {
        memcpy(&sp->free[class], p, sizeof sp->free[class]);
        return p;
    }
    if (!sp->waits.next)
        sp->waits.next = CHUNK_WAIT;
    p = bump_bytes(&sp->waits, wait_cap[class] * sizeof(struct waitspan)); /* chunks start aligned */
    sp->oom = sp->oom || !p;
    return p;
}

static unsigned wait_class(uint16_t cap)
{
    unsigned c = 0;
    while (wait_cap[c] < cap)
        c++;
    return c;
}

static void wait_drop(struct span_pool *sp, struct waitspan *p, uint16_t cap)
{
    unsigned c = wait_class(cap);
    memcpy(p, &sp->free[c], sizeof sp->free[c]);
    sp->free[c] = p;
}

uint32_t pool_tag(struct span_pool *sp, uint8_t state, uint32_t reason, uint32_t label)
{
    const uint64_t key = hash_next(
        hash_first(state), (uint64_t)reason << 32 | label); /* two tags with the same hash would become one */
    const uint32_t had = idmap_get(&sp->tagof, key);
    if (had != IDMAP_NONE)
        return had;
    if (sp->ntags > UINT16_MAX) /* a hostile file, because no program has that many reasons; keep the state */
        return reason || label ? pool_tag(sp, state, 0, 0) : 0;
    if (!mem_noted(&sp->oom, mem_room(sp->tagslot, sp->capslots, sp->ntags + 1) &&
                                 idmap_row(&sp->tagof, key, sp->tags, sp->captags, sp->ntags)))
        return 0;
    sp->tags[sp->ntags] = (struct span_tag){.state = state, .reason = reason, .label = label};
    for (int k = 0; k < 4; k++)
        sp->tagslot[sp->ntags][k] = sp->slot[k][state];
    return (uint32_t)sp->ntags++;
}

/* ---- packing ------------------------------------------------------------------------------------------- */

void spans_long(struct span_pool *sp, int64_t dur, struct waitspan *w)
{
    const uint32_t at = (uint32_t)sp->nlongs;
    if (mem_noted(&sp->oom, at != UINT32_MAX && mem_add(sp->longs, sp->caplongs, sp->nlongs, dur)))
        *w = waitspan(at, wait_who(w), wait_stack(w), wait_tag(w) | WAIT_LONG);
}

/* Pack into a buffer first, because the current chunk may be too small. */
static __attribute__((noinline)) uint8_t *pack_copy(struct span_pool *sp, const struct waitspan *s,
                                                    uint32_t n, struct pack_how *how, struct pack_sums *sums,
                                                    size_t *len)
{
    uint8_t buf[PACK_MAX + PACK_SLACK];
    *len = pack_spans(buf, s, n, how, sums);
    uint8_t *p = pool_bytes(sp, *len);
    if (p)
        memcpy(p, buf, *len);
    return p;
}

/* Pack into the pool. NULL: out of memory. */
static inline uint8_t *pack_into(struct span_pool *sp, enum lane_kind kind, const struct waitspan *s,
                                 uint32_t n, struct pack_sums *sums)
{
    struct bump *b = &sp->bump;
    struct pack_how how = {(const uint8_t(*)[4])sp->tagslot, sp->longs, sp->whole, &sp->clock, kind};
    size_t len = 0;
    uint8_t *p = b->at;
    if (p && b->end - p >= PACK_MAX + 2 * PACK_SLACK) { /* nearly always: pack in place */
        len = pack_spans(p, s, n, &how, sums);
        b->at = p + ((len + 1) & ~(size_t)1);
    } else {
        p = pack_copy(sp, s, n, &how, sums, &len);
    }
    sp->whole = how.whole;
    return p;
}

/* ---- appending ----------------------------------------------------------------------------------------- */

void spans_begin(struct spanlane *l, int64_t t, struct waitspan open)
{
    l->t0 = l->wait_t0 = t;
    l->open = open;
    l->started = true;
}

/* Pack the entries of the group that the current block completes. The entry after them becomes the next
 * group's first. */
static bool group_end(struct span_pool *sp, struct spanblocks *v)
{
    const struct columns *c = blocks_pack(v->blk, pool_bytes, sp);
    v->group[v->n / SPAN_GROUP].entry = c;
    v->blk[0] = v->blk[SPAN_GROUP];
    return c;
}

/* Append a block of SPAN_BLOCK spans that begin at t0. Returns false when out of memory. */
static bool block_add(struct span_pool *sp, struct spanblocks *v, enum lane_kind kind,
                      const struct waitspan *s, int64_t t0)
{
    struct pack_sums sums;
    uint8_t *data = blocks_room(v) ? pack_into(sp, kind, s, SPAN_BLOCK, &sums) : NULL;
    if (!data)
        return false;
    struct blk *b = &v->blk[v->n % SPAN_GROUP];
    int64_t dur = 0;
    if (!v->n)
        *b = (struct blk){.t0 = t0};
    b->data = data;
    b->longest = sums.longest;
    for (int i = 0; i < SPAN_SLOTS; i++)
        dur += sums.slot[i];
    b[1] = (struct blk){.t0 = b->t0 + dur};
    for (int i = 1; i < SPAN_SLOTS; i++)
        b[1].cum[i - 1] = b->cum[i - 1] + sums.slot[i];
    struct spangroup *g = &v->group[v->n / SPAN_GROUP];
    if (v->n % SPAN_GROUP == 0)
        *g = (struct spangroup){.t0 = b->t0};
    if (sums.longest > g->longest)
        g->longest = sums.longest;
    if (v->n % SPAN_GROUP == SPAN_GROUP - 1 && !group_end(sp, v))
        return false;
    v->n++;
    return true;
}

static __attribute__((noinline)) bool block_pack(struct span_pool *sp, enum lane_kind kind,
                                                 struct spanlane *l)
{
    struct waitspan *s = spans_wait(l);
    if (!l->blocks)
        l->blocks = mem_zalloc(sizeof *l->blocks);
    bool ok = l->blocks && block_add(sp, l->blocks, kind, s, l->wait_t0);
    sp->oom = sp->oom || !ok;
    if (!ok)
        return false;
    l->wait_t0 = l->t0;
    l->wait.next = s;
    l->room = l->cap;
    return true;
}

/* Append the packed spans of a lane at rest once more, so that others can follow. false: out of memory. */
static bool wait_again(struct span_pool *sp, enum lane_kind kind, struct spanlane *l)
{
    const struct waitspan open = l->open;
    const uint32_t n = l->cap;
    struct spancols c;
    unpack_spans(l->wait.packed, n, &sp->clock, true, &c);
    l->packed = false;
    l->cap = l->room = 0;
    l->t0 = l->wait_t0;
    for (uint32_t i = 0; i < n; i++) {
        l->open = waitspan(0, c.who[i], c.stack[i], c.tag[i]);
        spans_push(sp, kind, l, l->t0 + c.dur[i], open);
    }
    return !sp->oom;
}

bool spans_room(struct span_pool *sp, enum lane_kind kind, struct spanlane *l)
{
    if (sp->oom || (l->packed && !wait_again(sp, kind, l)))
        return false;
    if (l->room)
        return true;
    if (l->cap == SPAN_BLOCK)
        return block_pack(sp, kind, l);
    uint16_t cap = wait_cap[l->cap ? wait_class(l->cap) + 1 : 0];
    struct waitspan *s = wait_new(sp, wait_class(cap)), *old = l->cap ? spans_wait(l) : NULL;
    uint32_t n = l->cap;
    if (!s)
        return false;
    if (old) {
        memcpy(s, old, n * sizeof *s);
        wait_drop(sp, old, l->cap);
    }
    l->wait.next = s + n;
    l->cap = (uint8_t)cap;
    l->room = (uint8_t)(cap - n);
    return true;
}

void spans_end(struct span_pool *sp, enum lane_kind kind, struct spanlane *l, int64_t t)
{
    spans_push(sp, kind, l, t, l->open);
    l->ended = true;
}

void spans_rest(struct span_pool *sp, struct spanlane *l)
{
    if (l->packed || !l->cap)
        return;
    struct waitspan *s = spans_wait(l);
    const uint32_t n = spans_nwait(l);
    uint8_t *p = n ? pack_into(sp, LANE_G, s, n, NULL) : NULL;
    if (n && !p) {
        sp->oom = true;
        return;
    }
    wait_drop(sp, s, l->cap);
    l->wait.packed = p;
    l->packed = p;
    l->cap = (uint8_t)n;
    l->room = 0;
}

void spans_trim(struct spanlane *l)
{
    if (l->blocks)
        blocks_trim(l->blocks);
}

void spans_free(struct spanlane *l)
{
    blocks_free(l->blocks);
    l->blocks = NULL;
}
