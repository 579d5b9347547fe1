/* spans.c - see spans.h; the bytes of a block: pack.h. */
#include "decode/spans.h"

#include <stddef.h>
#include <string.h>

#include "decode/mem.h"
#include "decode/packer.h"

#define CHUNK_FIRST (1u << 20) /* the pool's first chunk; each next one is twice as large, up to CHUNK_MOST */
#define CHUNK_MOST (2u << 20)
#define CHUNK_WAIT (1u << 16)  /* the first one of waiting spans */

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
    mem_free(sp->taghash);
    mem_free(sp->longs);
    memset(sp, 0, sizeof *sp);
}

/* n bytes, and PACK_SLACK behind them. NULL: out of memory. */
static void *bump_bytes(struct bump *b, size_t n)
{
    n = (n + 1) & ~(size_t)1;
    if (!b->at || (size_t)(b->end - b->at) < n + PACK_SLACK) {
        size_t size = b->next ? b->next : CHUNK_FIRST;
        struct pool_chunk *c = mem_alloc(size);
        if (!c)
            return NULL;
        mem_touch(c);
        c->next = b->chunks;
        b->chunks = c;
        b->at = (uint8_t *)c + 16;
        b->end = (uint8_t *)c + size;
        b->next = size < CHUNK_MOST ? size * 2 : size;
    }
    void *p = b->at;
    b->at += n;
    return p;
}

void bump_move(struct bump *to, struct bump *from)
{
    struct pool_chunk **last = &from->chunks;
    while (*last)
        last = &(*last)->next;
    *last = to->chunks;
    to->chunks = from->chunks;
    from->chunks = NULL;
}

static struct waitspan *wait_new(struct span_pool *sp, unsigned class)
{
    void *p = sp->free[class];
    if (p) {
        memcpy(&sp->free[class], p, sizeof(void *));
        return p;
    }
    if (!sp->waits.next)
        sp->waits.next = CHUNK_WAIT;
    p = bump_bytes(&sp->waits, wait_cap[class] * sizeof(struct waitspan)); /* chunks start aligned */
    sp->oom = sp->oom || !p;
    return p;
}

struct waitspan *spans_wait_new(struct span_pool *sp)
{
    return wait_new(sp, sizeof wait_cap / sizeof *wait_cap - 1);
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
    memcpy(p, &sp->free[c], sizeof(void *));
    sp->free[c] = p;
}

void spans_wait_drop(struct span_pool *sp, struct waitspan *s)
{
    wait_drop(sp, s, SPAN_BLOCK);
}

/* Who packs reads these lists, which are about to move. */
static void before_move(struct span_pool *sp, size_t n, size_t cap)
{
    if (n == cap && sp->packer)
        packer_drain(sp->packer);
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
    if (t)
        sp->tags = t;
    before_move(sp, sp->ntags, sp->capslots);
    uint8_t (*slot)[4] = t ? mem_grow(sp->tagslot, &sp->capslots, sp->ntags + 1, sizeof *slot) : NULL;
    if (!slot) {
        sp->oom = true;
        return 0;
    }
    if (slot != sp->tagslot) /* who packs may be reading it */
        sp->tagslot = slot;
    t[sp->ntags] = (struct span_tag){.state = state, .reason = reason, .label = label};
    for (int k = 0; k < 4; k++)
        slot[sp->ntags][k] = sp->slot[k][state];
    sp->taghash[at] = (uint32_t)++sp->ntags;
    return (uint32_t)sp->ntags - 1;
}

/* ---- packing -------------------------------------------------------------------------------------------- */

void spans_long(struct span_pool *sp, int64_t dur, struct waitspan *w)
{
    before_move(sp, sp->nlongs, sp->caplongs);
    int64_t *v = mem_grow(sp->longs, &sp->caplongs, sp->nlongs + 1, sizeof *v);
    if (!v || sp->nlongs == UINT32_MAX) {
        sp->oom = true;
        return;
    }
    if (v != sp->longs)
        sp->longs = v;
    v[sp->nlongs] = dur;
    *w = waitspan((uint32_t)sp->nlongs++, wait_who(w), wait_stack(w), wait_tag(w) | WAIT_LONG);
}

static uint8_t *pack_into(struct bump *b, enum lane_kind kind, const struct waitspan *s, uint32_t n, struct pack_how *how,
                          struct pack_sums *sums, uint64_t *packed_bytes)
{
    size_t len;
    uint8_t *p;
    if (b->at && b->end - b->at >= PACK_MAX + 2 * PACK_SLACK) { /* nearly always: right where it stays */
        len = pack_spans(b->at, s, n, kind, how, sums);
        p = bump_bytes(b, len);
    } else {
        uint8_t buf[PACK_MAX + PACK_SLACK];
        len = pack_spans(buf, s, n, kind, how, sums);
        p = bump_bytes(b, len);
        if (p)
            memcpy(p, buf, len);
    }
    *packed_bytes += len;
    return p;
}

static struct pack_how how_of(const struct span_pool *sp)
{
    return (struct pack_how){(const uint8_t (*)[4])sp->tagslot, sp->longs, sp->whole};
}

/* ---- appending ------------------------------------------------------------------------------------------ */

void spans_begin(struct spanlane *l, int64_t t, uint32_t tag, uint32_t who, uint32_t stack)
{
    l->t0 = l->wait_t0 = t;
    l->open = waitspan(0, who, stack, tag);
    l->begun = true;
}

/* With the block at hand a group is full: its entries are packed, and the one behind them is the next group's first. */
static bool group_end(struct bump *to, struct spanblocks *v)
{
    uint8_t buf[BLK_ROWS_MOST + 8];
    size_t n = blocks_rows(v->blk, buf);
    uint8_t *p = bump_bytes(to, n); /* with PACK_SLACK behind it */
    if (!p)
        return false;
    memcpy(p, buf, n);
    v->group[v->n / SPAN_GROUP].rows = p;
    v->blk[0] = v->blk[SPAN_GROUP];
    return true;
}

bool spans_block_add(struct bump *to, struct spanblocks *v, enum lane_kind kind, const struct waitspan *s, int64_t t0,
                     struct pack_how *how, uint64_t *packed_bytes)
{
    struct pack_sums sums;
    uint8_t *data = blocks_room(v) ? pack_into(to, kind, s, SPAN_BLOCK, how, &sums, packed_bytes) : NULL;
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
    if (v->n % SPAN_START == 0)
        g->start[v->n % SPAN_GROUP / SPAN_START] = b->t0;
    if (v->n % SPAN_GROUP == 0 || sums.longest > g->longest)
        g->longest = sums.longest;
    if (v->n % SPAN_GROUP == SPAN_GROUP - 1 && !group_end(to, v))
        return false;
    v->n++;
    return true;
}

static bool block_pack(struct span_pool *sp, enum lane_kind kind, struct spanlane *l)
{
    struct waitspan *s = spans_wait(l);
    struct pack_how how = how_of(sp);
    if (!l->blocks)
        l->blocks = mem_zalloc(sizeof *l->blocks);
    bool ok = l->blocks && spans_block_add(&sp->bump, l->blocks, kind, s, l->wait_t0, &how, &sp->packed_bytes);
    sp->whole = how.whole;
    sp->oom = sp->oom || !ok;
    if (!ok)
        return false;
    l->wait_t0 = l->t0;
    l->wait.next = s;
    l->room = l->cap;
    return true;
}

/* What was packed, as it waited. */
static bool wait_again(struct span_pool *sp, struct spanlane *l)
{
    uint32_t n = l->cap;
    uint16_t cap = n >= 64 ? SPAN_BLOCK : n >= 32 ? 64 : n >= 8 ? 32 : 8;
    struct waitspan *s = wait_new(sp, wait_class(cap));
    struct rawspan raw[SPAN_BLOCK];
    if (!s)
        return false;
    unpack_spans(l->wait.packed, n, raw);
    for (uint32_t i = 0; i < n; i++) {
        s[i] = waitspan((uint32_t)raw[i].dur, raw[i].who, raw[i].stack, raw[i].tag);
        if ((uint64_t)raw[i].dur >> 32)
            spans_long(sp, raw[i].dur, &s[i]);
    }
    l->wait.next = s + n;
    l->cap = (uint8_t)cap;
    l->room = (uint8_t)(cap - n);
    l->packed = false;
    return true;
}

bool spans_room(struct span_pool *sp, enum lane_kind kind, struct spanlane *l)
{
    if (sp->oom || (l->packed && !wait_again(sp, l)))
        return false;
    if (l->room)
        return true;
    if (l->cap == SPAN_BLOCK && kind == LANE_G && sp->packer) {
        sp->oom = !packer_put(sp->packer, l) || sp->oom;
        return !sp->oom;
    }
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
    spans_push(sp, kind, l, t, wait_tag(&l->open), wait_who(&l->open), wait_stack(&l->open));
    l->ended = true;
    spans_rest(sp, l);
}

void spans_rest(struct span_pool *sp, struct spanlane *l)
{
    if (l->packed || !l->cap)
        return;
    struct waitspan *s = spans_wait(l);
    uint32_t n = spans_nwait(l);
    uint8_t *p = NULL;
    if (n) {
        struct pack_how how = how_of(sp);
        p = pack_into(&sp->bump, LANE_G, s, n, &how, NULL, &sp->packed_bytes);
        sp->whole = how.whole;
        sp->oom = sp->oom || !p;
        if (!p)
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
    if (l->blocks) /* give back what growing left over */
        blocks_trim(l->blocks);
}

void spans_free(struct spanlane *l)
{
    blocks_free(l->blocks);
    l->blocks = NULL;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

int64_t spans_first(const struct spanlane *l)
{
    return l->blocks && l->blocks->n ? blocks_t0(l->blocks, 0) : l->wait_t0;
}

uint32_t spans_block(const struct span_pool *sp, const struct spanlane *l, uint32_t b, struct rawspan out[SPAN_BLOCK + 1],
                     int64_t *t0, int64_t end)
{
    if (b < spans_nblk(l)) {
        struct blk k = blocks_get(l->blocks, b);
        unpack_spans(k.data, SPAN_BLOCK, out);
        *t0 = k.t0;
        return SPAN_BLOCK;
    }
    *t0 = l->wait_t0;
    uint32_t n = spans_nwait(l);
    if (l->packed)
        unpack_spans(l->wait.packed, n, out);
    for (uint32_t i = 0; !l->packed && i < n; i++) {
        const struct waitspan *w = &spans_wait(l)[i];
        out[i] = (struct rawspan){wait_dur(w, sp->longs), wait_who(w), wait_stack(w), wait_tag(w)};
    }
    if (l->begun && !l->ended)
        out[n++] = (struct rawspan){end > l->t0 ? end - l->t0 : 0, wait_who(&l->open), wait_stack(&l->open), wait_tag(&l->open)};
    return n;
}

static inline int64_t start_at(const struct spanblocks *v, uint32_t k)
{
    enum { EACH = SPAN_GROUP / SPAN_START };
    return v->group[k / EACH].start[k % EACH];
}

static uint32_t nstarts(const struct spanblocks *v)
{
    return (v->n + SPAN_START - 1) / SPAN_START;
}

/* Of the starts from lo up to hi the last one not behind t; that of lo isn't. */
static uint32_t start_between(const struct spanblocks *v, int64_t t, uint32_t lo, uint32_t hi)
{
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (start_at(v, mid) <= t)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The last block not behind t of those that go with start k. */
static uint32_t block_at(const struct spanblocks *v, int64_t t, uint32_t k)
{
    uint32_t b = k * SPAN_START, end = v->n - b < SPAN_START ? v->n : b + SPAN_START;
    while (b + 1 < end && blocks_t0(v, b + 1) <= t)
        b++;
    return b;
}

uint32_t spans_find(const struct spanlane *l, int64_t t)
{
    uint32_t n = spans_nblk(l); /* the last block whose t0 <= t */
    if (!n || t >= l->wait_t0)
        return n ? (spans_nwait(l) || !l->ended ? n : n - 1) : 0;
    return block_at(l->blocks, t, start_between(l->blocks, t, 0, nstarts(l->blocks)));
}

/* A position in a lane that only moves forward: totals up to `t`, which is the start of span `i` of the block. */
struct walk {
    int64_t t, tot[SPAN_SLOTS];
    uint32_t b, i, n;
    const uint8_t *tags, *ctl, *dur, *len; /* packed; tags: NULL with a palette */
    bool wide;
    unsigned flags;
    struct pack_pairs pairs;               /* with a palette */
    uint8_t at[16];                        /* and which of them spans i & ~15 .. are */
    bool skips;                            /* pack_skip() may be asked */
    int64_t far;                           /* as long as some 16 spans: worth going by fours */
    const struct waitspan *raw;            /* or not */
    const struct span_pool *sp;
};

/* Before a palette's span i is looked at, when i is a multiple of 16 or has gone on by more than one. */
static inline void walk_pairs(struct walk *w)
{
    palette_sixteen(w->pairs.planes, w->pairs.np, w->n, w->i & ~15u, w->at);
}

static void walk_enter(const struct spanlane *l, uint32_t b, struct walk *w)
{
    uint32_t nblk = spans_nblk(l);
    w->b = b;
    w->i = 0;
    memset(w->tot, 0, sizeof w->tot);
    const uint8_t *p = l->packed ? l->wait.packed : NULL;
    int64_t lasts = 0;
    if (nblk) {
        struct blk k = blocks_get(l->blocks, b);
        w->t = k.t0;
        int64_t sum = 0;
        for (int s = 1; s < SPAN_SLOTS; s++)
            sum += w->tot[s] = k.cum[s - 1];
        w->tot[0] = k.t0 - blocks_t0(l->blocks, 0) - sum;
        if (b < nblk) {
            p = k.data;
            lasts = blocks_t0(l->blocks, b + 1) - k.t0;
        }
    } else {
        w->t = l->wait_t0;
    }
    w->n = b < nblk ? SPAN_BLOCK : spans_nwait(l);
    w->raw = p ? NULL : spans_wait(l);
    w->far = !p ? INT64_MAX : lasts / 8;
    if (p) {
        unsigned flags = *p++;
        w->flags = flags;
        w->wide = flags & PACK_WIDE_TAG;
        if (flags & PACK_PALETTE) {
            struct pack_pairs *x = &w->pairs;
            x->k = *p++;
            x->step = flags & PACK_STACK ? 2 : 0;
            x->tag = p + (flags & PACK_STACK ? 3 : 0);
            x->np = x->k > 1 ? 32 - (unsigned)__builtin_clz(x->k - 1) : 0;
            x->planes = p += x->k << x->step;
            p += x->np * ((w->n + 7) / 8);
            w->skips = b < nblk && lasts < INT32_MAX && !(flags & PACK_LONG_DUR);
            walk_pairs(w);
            w->tags = NULL;
        } else {
            w->tags = p;
            p += w->wide ? 2 * w->n : w->n;
        }
        w->ctl = p;
        w->dur = p + (w->n + 3) / 4;
        w->len = pack_len_dur[!!(flags & PACK_LONG_DUR)];
    }
}

/* The span at hand: how long, the slot its time goes to, and how many bytes its duration takes. */
static inline int64_t walk_dur(const struct walk *w, enum lane_kind kind, unsigned *slot, unsigned *bytes)
{
    if (w->raw) {
        *slot = w->sp->tagslot[wait_tag(&w->raw[w->i])][kind];
        *bytes = 0;
        return wait_dur(&w->raw[w->i], w->sp->longs);
    }
    *slot = w->sp->tagslot[!w->tags ? w->pairs.tag[(unsigned)w->at[w->i % 16] << w->pairs.step]
                           : w->wide ? w->tags[2 * w->i] | (uint32_t)w->tags[2 * w->i + 1] << 8 : w->tags[w->i]][kind];
    *bytes = w->len[w->ctl[w->i / 4] >> (w->i % 4 * 2) & 3];
    uint64_t x;
    memcpy(&x, w->dur, 8);
    return pack_dur_ns(x & pack_mask[*bytes], w->flags);
}

/*
 * Four spans at a time, as long as all of them lie before t. Each of the four has sums of its own, so that none waits
 * for the one before it. `units`, `wide`, `palette`: as the block's flags say, known where this is compiled.
 */
static inline __attribute__((always_inline)) void walk_fours(struct walk *w, const uint8_t (*slot)[4], enum lane_kind kind,
                                                             int64_t t, bool units, bool wide, bool palette)
{
    const uint8_t *len = w->len, *p = w->dur, *ctl = w->ctl, *tags = w->tags;
    int64_t tot[4][SPAN_SLOTS] = {{0}}, at = w->t;
    uint32_t i = w->i, n = w->n;
    while (i + 4 <= n) {
        unsigned c = ctl[i / 4], l[4] = {len[c & 3], len[c >> 2 & 3], len[c >> 4 & 3], len[c >> 6]}, used = 0;
        int64_t d[4], sum = 0;
#define TAKE(k)                              \
    memcpy(&x, p + used, 8);                 \
    used += l[k];                            \
    x &= pack_mask[l[k]];                    \
    sum += d[k] = (int64_t)(!units ? x : x & 1 ? x >> 1 : x << 5)
        uint64_t x;
        TAKE(0);
        TAKE(1);
        TAKE(2);
        TAKE(3);
#undef TAKE
        if (sum >= t - at)
            break;
        if (palette && i % 16 == 0 && i > w->i)
            palette_sixteen(w->pairs.planes, w->pairs.np, n, i, w->at);
#define ADD(k) tot[k][slot[palette ? w->pairs.tag[(unsigned)w->at[(i + k) % 16] << w->pairs.step]                                             \
                           : wide ? tags[2 * (i + k)] | (unsigned)tags[2 * (i + k) + 1] << 8 : tags[i + k]][kind]] += d[k]
        ADD(0);
        ADD(1);
        ADD(2);
        ADD(3);
#undef ADD
        at += sum;
        i += 4;
        p += used;
    }
    if (i == w->i)
        return;
    w->t = at;
    w->i = i;
    w->dur = p;
    if (palette && i % 16 == 0 && i < n)
        walk_pairs(w);
    for (int s = 0; s < SPAN_SLOTS; s++)
        w->tot[s] += tot[0][s] + tot[1][s] + tot[2][s] + tot[3][s];
}

static void walk_on(struct walk *w, const uint8_t (*slot)[4], enum lane_kind kind, int64_t t)
{
    if (w->flags & PACK_PALETTE && w->skips && w->i % 16 == 0) {
        uint32_t i = pack_skip(&w->pairs, w->flags, w->ctl, &w->dur, w->n, w->i, slot, kind, &w->t, t, w->tot);
        if (i > w->i) {
            w->i = i;
            if (i < w->n)
                walk_pairs(w);
        }
    }
    if (w->flags & PACK_PALETTE)
        walk_fours(w, slot, kind, t, w->flags & PACK_UNIT, false, true);
    else if (w->wide)
        walk_fours(w, slot, kind, t, w->flags & PACK_UNIT, true, false);
    else
        walk_fours(w, slot, kind, t, w->flags & PACK_UNIT, false, false);
}

enum { AHEAD = 64 };

/*
 * The blocks of up to AHEAD ascending moments behind the lane's first. All are looked for together, step by step: so
 * none waits for what another one has to fetch. What will be read of each is asked for beforehand.
 */
static void find_all(const struct spanlane *l, const int64_t *t, uint32_t n, uint32_t b[AHEAD])
{
    const struct spanblocks *v = l->blocks;
    uint32_t known = 0, k[AHEAD];
    if (v && v->n)
        while (known < n && t[known] - 1 < l->wait_t0)
            known++;
    if (known) {
        uint32_t first = start_between(v, t[0] - 1, 0, nstarts(v));
        uint32_t len = start_between(v, t[known - 1] - 1, first, nstarts(v)) - first + 1;
        for (uint32_t i = 0; i < known; i++)
            k[i] = first;
        for (uint32_t half; len > 1; len -= half) {
            half = len / 2;
            for (uint32_t i = 0; i < known; i++)
                k[i] += start_at(v, k[i] + half) < t[i] ? half : 0;
        }
    }
    for (uint32_t i = 0; i < known; i++) {
        if (i && k[i] == k[i - 1])
            continue;
        blocks_ahead(v, k[i] * SPAN_START);
    }
    for (uint32_t i = 0; i < n; i++) {
        b[i] = i < known ? block_at(v, t[i] - 1, k[i]) : spans_find(l, t[i] - 1);
        if (i >= known || (i && b[i] == b[i - 1]))
            continue;
        const uint8_t *data = blocks_data(v, b[i]);
        for (uint32_t o = 0; o < 5; o++)
            __builtin_prefetch(data + 64 * o);
    }
}

void spans_totals(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, const int64_t *t, uint32_t n,
                  int64_t end, int64_t (*out)[SPAN_SLOTS], uint64_t *count)
{
    struct walk w;
    w.sp = sp;
    uint32_t nblk = spans_nblk(l), i = 0, b[AHEAD], found = 0; /* b: of moments from..found */
    bool in = false;
    int64_t first = l->begun ? spans_first(l) : INT64_MAX;
    for (; i < n && t[i] <= first; i++) {
        memset(out[i], 0, sizeof out[i]);
        if (count)
            count[i] = 0;
    }
    for (uint32_t from = i; i < n; i++) {
        if (i == from + found || !found) {
            from = i;
            found = n - i < AHEAD ? n - i : AHEAD;
            find_all(l, t + i, found, b);
        }
        if (!in || b[i - from] != w.b)
            walk_enter(l, b[i - from], &w);
        in = true;
        unsigned slot = 0, bytes = 0;
        while (w.i < w.n && w.t < t[i]) { /* a span of no length at t doesn't start before t */
            if (w.i % 4 == 0 && t[i] - w.t > w.far) {
                walk_on(&w, sp->tagslot, kind, t[i]);
                if (w.i == w.n)
                    break;
            }
            int64_t d = walk_dur(&w, kind, &slot, &bytes);
            if (d > t[i] - w.t)
                break;
            w.tot[slot] += d;
            w.t += d;
            if (bytes)
                w.dur += bytes;
            if (++w.i % 16 == 0 && w.i < w.n && !w.raw && !w.tags)
                walk_pairs(&w);
        }
        memcpy(out[i], w.tot, sizeof out[i]);
        if (w.i < w.n)
            out[i][slot] += t[i] - w.t;
        else if (w.b == nblk && !l->ended) {
            int64_t stop = t[i] < end ? t[i] : end;
            if (stop > w.t)
                out[i][sp->tagslot[wait_tag(&l->open)][kind]] += stop - w.t;
        }
        if (count)
            count[i] = (uint64_t)w.b * SPAN_BLOCK + w.i + (w.i < w.n ? w.t < t[i] : w.b == nblk && !l->ended && w.t < t[i]);
    }
}

bool spans_since(const struct span_pool *sp, enum lane_kind kind, const struct spanlane *l, int64_t from, int64_t to,
                 int64_t sum[SPAN_SLOTS], uint64_t *count)
{
    if (!l->begun || l->ended || l->packed || from < l->wait_t0 || from >= to)
        return false;
    int64_t end = to, t = l->t0; /* the span to look at next ends at `end` and begins at t */
    const struct waitspan *w = &l->open, *first = spans_wait(l), *next = l->wait.next;
    for (;;) {
        int64_t a = t > from ? t : from, b = end < to ? end : to;
        if (b > a)
            sum[sp->tagslot[wait_tag(w)][kind]] += b - a;
        *count += t < to;
        if (t <= from || next == first)
            return true;
        w = --next;
        end = t;
        t -= wait_dur(w, sp->longs);
    }
}
