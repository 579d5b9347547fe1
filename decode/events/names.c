/*
 * names.c - see names.h.
 *
 * Three tables of the same kind: strings by their bytes, frames by their four values, stacks by their frame
 * ids. Each is a segmented vector plus a map of hashes to ids, which only the writer touches: what is looked
 * for is not compared with what has another hash. A stack's frame ids stand side by side in a chunk: two
 * bytes each, four where one of them takes more. Copies of strings do, too. Chunks are larger the more there
 * is, so little of the last one is left empty.
 */
#include "decode/events/names.h"

#include <string.h>

#include "decode/base/hash.h"
#include "decode/base/mem.h"
#include "decode/events/helper.h"

struct held_str { /* struct str, and in what room it leaves */
    const char *p;
    uint32_t len, hash;
};

enum {
    CHUNK_LEAST = 1 << 13,
    CHUNK_BITS = 20,
    CHUNK_MOST = 1 << CHUNK_BITS,
    CHUNKS = 1 << (32 - CHUNK_BITS)
};
struct stack_ref {
    uint32_t first; /* where its ids begin: the chunk, and CHUNK_BITS of where in it */
    uint32_t n : 31, wide : 1;
};

static inline void *seg_sized(const struct segvec *v, uint32_t i, size_t size)
{
    uint64_t x = (uint64_t)i + (1u << SEG_FIRST_BITS);
    unsigned k = 63u - (unsigned)__builtin_clzll(x) - SEG_FIRST_BITS;
    return (char *)v->seg[k] + (x - ((uint64_t)1 << (k + SEG_FIRST_BITS))) * size;
}

static void *seg_at(const struct segvec *v, uint32_t i)
{
    return seg_sized(v, i, v->size);
}

static void *seg_push(struct segvec *v)
{
    const uint64_t x = (uint64_t)v->n + (1u << SEG_FIRST_BITS);
    const unsigned k = 63u - (unsigned)__builtin_clzll(x) - SEG_FIRST_BITS;
    if (k >= SEG_MAX || v->n == UINT32_MAX)
        return NULL;
    if (!v->seg[k] && !(v->seg[k] = mem_alloc(((size_t)1 << (k + SEG_FIRST_BITS)) * v->size)))
        return NULL;
    __atomic_store_n(&v->n, v->n + 1, __ATOMIC_RELAXED);
    return (char *)v->seg[k] + (x - ((uint64_t)1 << (k + SEG_FIRST_BITS))) * v->size;
}

static void seg_free(struct segvec *v)
{
    for (int k = 0; k < SEG_MAX; k++)
        mem_free(v->seg[k]);
    memset(v->seg, 0, sizeof v->seg);
    v->n = 0;
}

static uint64_t hash_frame(const struct frame *f)
{
    uint64_t h = hash_next(hash_first(f->pc), (uint64_t)f->func << 32 | f->file);
    return hash_last(hash_next(h, f->line));
}

static uint64_t hash_ids(const uint32_t *ids, uint32_t n)
{
    uint64_t h = hash_first(n);
    for (; n >= 2; ids += 2, n -= 2)
        h = hash_next(h, (uint64_t)ids[0] << 32 | ids[1]);
    return hash_last(n ? hash_next(h, ids[0]) : h);
}

/* ---- a stack's frames ---------------------------------------------------------------------------------- */

static const uint16_t *list_of(const struct names *nm, const struct stack_ref *r)
{
    uint16_t *const *chunk = seg_at(&nm->lists.chunk, r->first >> CHUNK_BITS);
    return *chunk + (r->first & (CHUNK_MOST - 1));
}

/* Returns the i-th id of such a list: two bytes each or, if wide, four, the low half first. */
static inline uint32_t frame_id(const uint16_t *list, bool wide, uint32_t i)
{
    return wide ? list[2 * i] | (uint32_t)list[2 * i + 1] << 16 : list[i];
}

/* Returns room for n more behind what the last chunk has. NULL: out of memory. */
static uint16_t *lists_room(struct lists *l, uint32_t n)
{
    if (l->last && n <= l->cap - l->used)
        return l->last + l->used;
    uint64_t cap = l->all / 8 < CHUNK_LEAST ? CHUNK_LEAST : l->all / 8 < CHUNK_MOST ? l->all / 8 : CHUNK_MOST;
    cap = n < cap ? cap : n;
    uint16_t *p = cap <= CHUNK_MOST && l->chunk.n < CHUNKS ? mem_alloc(cap * sizeof *p) : NULL;
    uint16_t **chunk = p ? seg_push(&l->chunk) : NULL;
    if (!chunk) {
        mem_free(p);
        return NULL;
    }
    l->last = *chunk = p;
    l->cap = (uint32_t)cap;
    l->used = 0;
    l->all += cap;
    return p;
}

static void lists_free(struct lists *l)
{
    for (uint32_t i = 0; i < l->chunk.n; i++)
        mem_free(*(uint16_t **)seg_at(&l->chunk, i));
    seg_free(&l->chunk);
}

/* Write ids as they stand in a list. *wide: they take two places each. */
static inline void list_put(uint16_t *o, const uint32_t *ids, uint32_t n, bool *wide)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        all |= ids[i];
        o[i] = (uint16_t)ids[i];
    }
    *wide = all > UINT16_MAX;
    for (uint32_t i = 0; *wide && i < n; i++) {
        o[2 * i] = (uint16_t)ids[i];
        o[2 * i + 1] = (uint16_t)(ids[i] >> 16);
    }
}

/* ---- looked up by what they are ------------------------------------------------------------------------ */

/* Names with one hash are kept under this hash, then under one higher by this, and so on. */
#define SAME_HASH ((uint64_t)1 << 32)

enum err_code names_init(struct names *nm)
{
    memset(nm, 0, sizeof *nm);
    nm->strs.size = sizeof(struct held_str);
    nm->frames.size = sizeof(struct frame);
    nm->lists.chunk.size = nm->copies.chunk.size = sizeof(uint16_t *);
    nm->stacks.size = sizeof(struct stack_ref);
    struct held_str *s = seg_push(&nm->strs);
    struct stack_ref *r = s ? seg_push(&nm->stacks) : NULL;
    if (!r)
        return ERR_NOMEM;
    *s = (struct held_str){"", 0, 0};
    *r = (struct stack_ref){0};
    return ERR_OK;
}

void names_rest(struct names *nm)
{
    idmap_free(&nm->hstr);
    idmap_free(&nm->hframe);
    idmap_free(&nm->hstack);
}

void names_free(struct names *nm)
{
    names_rest(nm);
    seg_free(&nm->strs);
    seg_free(&nm->frames);
    lists_free(&nm->lists);
    lists_free(&nm->copies);
    seg_free(&nm->stacks);
    memset(nm, 0, sizeof *nm);
}

static char *copy_bytes(struct names *nm, const char *p, uint32_t len)
{
    const uint32_t n = len / 2 + len % 2;
    uint16_t *to = lists_room(&nm->copies, n);
    if (!to)
        return NULL;
    nm->copies.used += n;
    return memcpy(to, p, len);
}

/* intern - copy: what it says is not to stay where it is. */
static enum err_code intern(struct names *nm, struct held_str x, bool copy, uint32_t *id)
{
    *id = 0;
    if (!x.len)
        return ERR_OK;
    uint64_t key = x.hash;
    for (uint32_t i; (i = idmap_get(&nm->hstr, key)) != IDMAP_NONE; key += SAME_HASH) {
        const struct held_str *s = seg_at(&nm->strs, i);
        if (s->len == x.len && !memcmp(s->p, x.p, x.len)) {
            *id = i;
            return ERR_OK;
        }
    }
    if (copy && !(x.p = copy_bytes(nm, x.p, x.len)))
        return ERR_NOMEM;
    struct held_str *s = seg_push(&nm->strs);
    if (!s)
        return ERR_NOMEM;
    *s = x;
    *id = nm->strs.n - 1;
    if (nm->nhelper < NAMES_HELPERS && helper_is((struct str){x.p, x.len})) {
        nm->helper[nm->nhelper] = *id;
        __atomic_store_n(&nm->nhelper, nm->nhelper + 1, __ATOMIC_RELEASE);
    }
    return idmap_put(&nm->hstr, key, *id) ? ERR_OK : ERR_NOMEM;
}

enum err_code names_str(struct names *nm, const char *p, uint32_t len, bool copy, uint32_t *id)
{
    return intern(nm, (struct held_str){p, len, (uint32_t)hash_bytes(p, len)}, copy, id);
}

enum err_code names_str_of(struct names *nm, const struct names *from, uint32_t i, bool copy, uint32_t *id)
{
    return intern(nm, *(const struct held_str *)seg_at(&from->strs, i), copy, id);
}

enum err_code names_frame_id(struct names *nm, const struct frame *f, uint32_t *id)
{
    uint64_t key = (uint32_t)hash_frame(f);
    for (uint32_t i; (i = idmap_get(&nm->hframe, key)) != IDMAP_NONE; key += SAME_HASH) {
        const struct frame *o = seg_at(&nm->frames, i);
        if (o->pc == f->pc && o->func == f->func && o->file == f->file && o->line == f->line) {
            *id = i;
            return ERR_OK;
        }
    }
    struct frame *o = seg_push(&nm->frames);
    if (!o)
        return ERR_NOMEM;
    *o = *f;
    *id = nm->frames.n - 1;
    return idmap_put(&nm->hframe, key, *id) ? ERR_OK : ERR_NOMEM;
}

uint64_t names_frame_hash(const struct names *nm, const struct frame *f)
{
    const struct held_str *func = seg_at(&nm->strs, f->func), *file = seg_at(&nm->strs, f->file);
    const uint64_t h = hash_next(hash_first(f->pc), (uint64_t)func->hash << 32 | file->hash);
    return hash_last(hash_next(h, f->line));
}

static bool same_stack(const struct names *nm, uint32_t stack, const uint16_t *list, uint32_t n, bool wide)
{
    const struct stack_ref *r = seg_at(&nm->stacks, stack);
    return r->n == n && r->wide == wide && !memcmp(list_of(nm, r), list, (size_t)n << wide << 1);
}

enum err_code names_stack_like(struct names *nm, uint32_t hash, const uint32_t *ids, uint32_t n, uint32_t *id)
{
    bool wide;
    *id = 0;
    if (!n)
        return ERR_OK;
    uint16_t *list = n <= CHUNK_MOST / 2 ? lists_room(&nm->lists, 2 * n) : NULL;
    if (!list)
        return ERR_NOMEM;
    list_put(list, ids, n, &wide);
    uint64_t key = hash;
    for (uint32_t i; (i = idmap_get(&nm->hstack, key)) != IDMAP_NONE; key += SAME_HASH)
        if (same_stack(nm, i, list, n, wide)) {
            *id = i;
            return ERR_OK;
        }
    struct stack_ref *r = seg_push(&nm->stacks);
    if (!r)
        return ERR_NOMEM;
    *r = (struct stack_ref){(nm->lists.chunk.n - 1) << CHUNK_BITS | nm->lists.used, n & INT32_MAX, wide};
    nm->lists.used += n << wide;
    *id = nm->stacks.n - 1;
    return idmap_put(&nm->hstack, key, *id) ? ERR_OK : ERR_NOMEM;
}

enum err_code names_stack(struct names *nm, const struct frame *f, uint32_t n, uint32_t *id)
{
    uint32_t small[128], *ids = small;
    enum err_code rc = ERR_OK;
    *id = 0;
    if (n > 128 && !(ids = mem_alloc(n * sizeof *ids)))
        return ERR_NOMEM;
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = names_frame_id(nm, &f[i], &ids[i]);
    if (!rc)
        rc = names_stack_like(nm, (uint32_t)hash_ids(ids, n), ids, n, id);
    if (ids != small)
        mem_free(ids);
    return rc;
}

struct frame names_frame_at(const struct names *nm, uint32_t id)
{
    return *(struct frame *)seg_at(&nm->frames, id);
}

struct str names_get(const struct names *nm, uint32_t id)
{
    if (id >= __atomic_load_n(&nm->strs.n, __ATOMIC_RELAXED))
        return (struct str){"", 0};
    const struct held_str *s = seg_at(&nm->strs, id);
    return (struct str){s->p, s->len};
}

uint32_t names_depth(const struct names *nm, uint32_t stack)
{
    return stack < __atomic_load_n(&nm->stacks.n, __ATOMIC_RELAXED)
               ? ((struct stack_ref *)seg_at(&nm->stacks, stack))->n
               : 0;
}

struct frame names_frame(const struct names *nm, uint32_t stack, uint32_t i)
{
    if (stack >= __atomic_load_n(&nm->stacks.n, __ATOMIC_RELAXED))
        return (struct frame){0};
    const struct stack_ref *r = seg_at(&nm->stacks, stack);
    if (i >= r->n)
        return (struct frame){0};
    return *(struct frame *)seg_at(&nm->frames, frame_id(list_of(nm, r), r->wide, i));
}

uint32_t names_ids(const struct names *nm, uint32_t stack, uint32_t from, uint32_t *id, uint32_t most)
{
    if (stack >= __atomic_load_n(&nm->stacks.n, __ATOMIC_RELAXED))
        return 0;
    const struct stack_ref r = *(struct stack_ref *)seg_sized(&nm->stacks, stack, sizeof r);
    if (from >= r.n)
        return 0;
    const uint16_t *list = list_of(nm, &r) + ((size_t)from << r.wide);
    const uint32_t n = r.n - from < most ? r.n - from : most;
    for (uint32_t i = 0; !r.wide && i < n; i++)
        id[i] = list[i];
    for (uint32_t i = 0; r.wide && i < n; i++)
        id[i] = frame_id(list, true, i);
    return n;
}

uint32_t names_root_func(const struct names *nm, uint32_t stack)
{
    uint32_t n = names_depth(nm, stack);
    return n ? names_frame(nm, stack, n - 1).func : 0;
}

uint32_t names_runs(const struct names *nm, uint32_t stack, uint32_t begins)
{
    const uint32_t root = names_root_func(nm, stack);
    const struct str helper = names_get(nm, root);
    if (begins && begins != root && !helper_hidden(names_get(nm, begins)))
        return 0;
    if (!names_helper(nm, root))
        return root;
    for (uint32_t i = names_depth(nm, stack); i-- > 0;) {
        const uint32_t func = names_frame(nm, stack, i).func;
        if (!helper_own(helper, names_get(nm, func)))
            return func;
    }
    return begins ? 0 : root;
}
