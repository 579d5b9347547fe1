/*
 * v1_order.c - see v1_order.h.
 *
 * Invariants: every cursor that has not ended is either in the heap (its head may come next) or waits in the list
 * of the one goroutine whose state its head needs; a goroutine's list is looked at when that goroutine changes.
 * If everyone waits, events are missing or contradict each other: the earliest head is forced, which is counted.
 * Looking at waiters is on a budget, so that a made-up file with thousands of processors can't take quadratic time.
 */
#include "decode/v1_order.h"

#include <string.h>

#include "decode/mem.h"

enum who { WHO_NOBODY, WHO_ARG, WHO_CTX, WHO_GC };
enum { SEQ_ANY = -1, SEQ_KEEP = -1, SEQ_SAME = -2, SEQ_NEXT = -3, SEQ_INC = -4 };

struct rule {
    uint8_t who;
    int8_t need_seq;
    uint8_t need;
    int8_t new_seq;
    uint8_t becomes;
};
static const struct rule RULE[V1_TYPES] = {
#define ANY SEQ_ANY
#define KEEP SEQ_KEEP
#define SAME SEQ_SAME
#define NEXT SEQ_NEXT
#define INC SEQ_INC
#define V1_RULE(id, who, need_seq, need, new_seq, becomes) \
    [V1_##id] = { WHO_##who, need_seq, V1_##need, new_seq, V1_##becomes },
#include "decode/events_v1.def"
#undef ANY
#undef KEEP
#undef SAME
#undef NEXT
#undef INC
};

#define GC_ROW 1
#define NO_CURSOR 0
/* Which goroutine an event belongs to, by the one its P runs: none other than that one; ... */
enum ctx {
    CTX_PLAIN,
    CTX_START,   /* to the one it names, which the P runs from now on */
    CTX_IS_ARG,  /* to the one it names */
    CTX_NAMES,   /* to the one the P runs; it names another */
    CTX_NONE,    /* to none */
    CTX_STOP     /* to the one the P runs, which it does no more */
};

static const uint8_t CTX[V1_TYPES] = {
    [V1_GO_START] = CTX_START, [V1_GO_START_LOCAL] = CTX_START, [V1_GO_START_LABEL] = CTX_START,
    [V1_SYS_EXIT] = CTX_IS_ARG, [V1_SYS_EXIT_LOCAL] = CTX_IS_ARG, [V1_GO_WAITING] = CTX_IS_ARG,
    [V1_GO_IN_SYSCALL] = CTX_IS_ARG,
    [V1_GO_CREATE] = CTX_NAMES, [V1_GO_UNBLOCK] = CTX_NAMES, [V1_UNBLOCK_LOCAL] = CTX_NAMES,
    [V1_GC_START] = CTX_NONE, [V1_GC_DONE] = CTX_NONE, [V1_STW_START] = CTX_NONE, [V1_STW_DONE] = CTX_NONE,
    [V1_SYS_BLOCK] = CTX_STOP,
#define V1_STOPS(id, state, reason) [V1_##id] = CTX_STOP,
#include "decode/events_v1.def"
};

#define SORTED_MAX 32        /* processors that are kept in an array instead of a heap */
#define TIE_MAX 64           /* heads of one time that are looked at */
#define FAST_BYTES 96        /* more than any event without a text can have */

/* ---- ids to indices --------------------------------------------------------------------------------------- */

static size_t hash_slot(const struct v1_hash *h, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (h->cap - 1);
}

uint32_t v1_hash_get(const struct v1_hash *h, uint64_t key)
{
    if (key < h->ndense && h->dense[key])
        return h->dense[key];
    if (!h->used)
        return 0;
    for (size_t i = hash_slot(h, key);; i = (i + 1) & (h->cap - 1))
        if (!h->slot[i].val || h->slot[i].key == key)
            return h->slot[i].val;
}

static bool hash_grow(struct v1_hash *h)
{
    size_t cap = h->cap ? 2 * h->cap : 64, old = h->cap;
    struct v1_hslot *from = h->slot, *to = mem_zalloc(cap * sizeof *to);
    if (!to)
        return false;
    h->slot = to;
    h->cap = cap;
    for (size_t j = 0; j < old; j++) {
        if (!from[j].val)
            continue;
        size_t i = hash_slot(h, from[j].key);
        while (to[i].val)
            i = (i + 1) & (cap - 1);
        to[i] = from[j];
    }
    mem_free(from);
    return true;
}

/* dense_room - the array is allowed to have as many slots as a few times the ids there are. */
static bool dense_room(struct v1_hash *h, uint64_t key)
{
    if (key < h->ndense)
        return true;
    if (key >= 8 * (uint64_t)h->n + 4096)
        return false;
    size_t cap = h->ndense;
    uint32_t *d = mem_grow(h->dense, &cap, (size_t)key + 1, sizeof *d);
    if (!d)
        return false;
    memset(d + h->ndense, 0, (cap - h->ndense) * sizeof *d);
    h->dense = d;
    h->ndense = cap;
    return true;
}

bool v1_hash_put(struct v1_hash *h, uint64_t key, uint32_t val)
{
    h->n++;
    if (dense_room(h, key)) {
        h->dense[key] = val;
        return true;
    }
    if (2 * (h->used + 1) > h->cap && !hash_grow(h))
        return false;
    size_t i = hash_slot(h, key);
    while (h->slot[i].val)
        i = (i + 1) & (h->cap - 1);
    h->slot[i] = (struct v1_hslot){ key, val };
    h->used++;
    return true;
}

void v1_hash_free(struct v1_hash *h)
{
    mem_free(h->dense);
    mem_free(h->slot);
    memset(h, 0, sizeof *h);
}

static uint32_t add_g(struct v1_order *o, uint64_t id)
{
    struct v1_g *g = mem_grow(o->g, &o->gcap, o->ng + 1, sizeof *g);
    if (!g || o->ng >= UINT32_MAX - 1) {
        o->oom = true;
        return 0;
    }
    o->g = g;
    memset(&g[o->ng], 0, sizeof *g);
    g[o->ng].id = id;
    g[o->ng].lane = EV_NONE;
    g[o->ng].p = EV_NONE;
    return (uint32_t)o->ng++;
}

static uint32_t find_g(struct v1_order *o, uint64_t id)
{
    if (!id)
        return 0;
    uint32_t i = v1_hash_get(&o->gid, id);
    if (i)
        return i;
    i = add_g(o, id);
    if (i && !v1_hash_put(&o->gid, id, i))
        o->oom = true;
    return i;
}

/* ---- cursors: one event ahead ----------------------------------------------------------------------------- */

static inline uint64_t load8(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* squeeze - the number in the last + 1 <= 8 bytes at p: eight bytes are read, groups of seven bits moved together. */
static inline uint64_t squeeze(const uint8_t *p, unsigned last)
{
    uint64_t w = load8(p) & UINT64_C(0x7f7f7f7f7f7f7f7f) & (UINT64_MAX >> (56 - 8 * last));
    w = (w & UINT64_C(0x7f007f007f007f00)) >> 1 | (w & UINT64_C(0x007f007f007f007f));
    w = (w & UINT64_C(0x3fff00003fff0000)) >> 2 | (w & UINT64_C(0x00003fff00003fff));
    return (w & UINT64_C(0x0fffffff00000000)) >> 4 | (w & UINT64_C(0x000000000fffffff));
}

/* fast_number - a number where ten bytes can be read. */
static inline const uint8_t *fast_number(const uint8_t *p, uint64_t *v)
{
    if (p[0] < 0x80) {
        *v = p[0];
        return p + 1;
    }
    if (p[1] < 0x80) {
        *v = (uint32_t)p[1] << 7 | (p[0] & 0x7fu);
        return p + 2;
    }
    if (p[2] < 0x80) {
        *v = (uint32_t)p[2] << 14 | (p[1] & 0x7fu) << 7 | (p[0] & 0x7fu);
        return p + 3;
    }
    uint64_t m = ~load8(p) & UINT64_C(0x8080808080808080);
    if (!m) {
        const uint8_t *q = v1_varint(p, p + 10, v);
        return q ? q : p + 10;
    }
    unsigned last = (unsigned)__builtin_ctzll(m) / 8;
    *v = squeeze(p, last);
    return p + last + 1;
}

/* slow_event - the event at *p by v1_read(). The index has checked these bytes; should they have changed, false. */
static bool slow_event(const struct v1_order *o, const uint8_t **p, struct v1_raw *r)
{
    const char *why;
    return v1_read(&o->ix->dialect, p, o->s->data + o->s->len, r, &why) == V1_READ_OK;
}

/* next_batch - begin the cursor's next batch; false: there is none. */
static bool next_batch(struct v1_order *o, struct v1_cursor *c)
{
    struct v1_raw r;
    if (c->batch == V1_NO_BATCH)
        return false;
    const struct v1_batch *b = &o->ix->batch[c->batch];
    c->p = o->s->data + b->off;
    c->end = c->p + b->len;
    c->gap = b->gap;
    c->batch = b->next;
    o->bytes += b->len;
    if (!slow_event(o, &c->p, &r) || r.type != V1_BATCH)
        return false;
    c->ticks = r.v[r.n - 1];
    c->seq = r.n > 2 ? r.v[1] : 0;
    return true;
}

/* finish - from the values to which goroutine the event is about, which its P runs then, and what it waits for. */
static inline void finish(struct v1_order *o, struct v1_cursor *c, struct v1_ev *e, const struct v1_kind *k)
{
    uint64_t id = e->v[0] & k->name;
    uint32_t arg = id < o->gid.ndense ? o->gid.dense[id] : 0;
    if (!arg && id)
        arg = find_g(o, id);
    e->ticks = c->ticks;
    e->seq = c->seq;
    e->arg_g = arg;
    e->g = (c->g & k->g_run) | (arg & k->g_arg);
    c->g = (c->g & k->run_run) | (arg & k->run_arg);
    uint32_t g = (e->g & k->rule_g) | (arg & k->rule_arg) | (GC_ROW & k->rule_gc);
    uint64_t own = ((e->v[0] & k->own_1) | (e->v[1] & k->own_2)) << 2;
    uint64_t there = g ? UINT64_MAX : 0; /* [0] stays 0 and is ready for everyone */
    e->rule_g = g;
    e->want = (k->want + (own & k->want_own)) & there;
    e->add = (k->add + (own & k->add_own)) & there;
    __builtin_prefetch(&o->g[g]);
}

/* take_slow - the event at c->p when it is long, or stands near the file's end. */
static bool take_slow(struct v1_order *o, struct v1_cursor *c, struct v1_ev *e, uint64_t *dt, uint64_t *dseq)
{
    struct v1_raw r;
    if (!slow_event(o, &c->p, &r))
        return false;
    const struct v1_kind *k = &o->kind[r.type];
    e->type = r.type;
    if (!k->timed)
        return true;
    *dseq = r.v[0];
    *dt = r.v[k->timed - 1];
    for (unsigned i = 0; i < k->k; i++)
        e->v[i] = r.v[k->timed + i];
    e->stack = k->stack ? r.v[r.n - 1] : 0;
    e->text = r.text;
    e->len = r.len;
    return true;
}

/* take_any - any event but a log, with room behind it. */
static void take_any(const struct v1_order *o, struct v1_cursor *c, struct v1_ev *e, const struct v1_kind *k,
                     uint64_t *dt, uint64_t *dseq)
{
    const uint8_t *p = c->p + (*c->p < 0xc0 ? 1 : 2);
    if (o->by_seq)
        p = fast_number(p, dseq);
    p = fast_number(p, dt);
    for (unsigned i = 0; i < k->k; i++)
        p = fast_number(p, &e->v[i]);
    e->stack = 0;
    if (k->stack)
        p = fast_number(p, &e->stack);
    c->p = p;
}

/* refill - decode the cursor's next event into its other buffer; false at the end of its chain. */
static bool refill(struct v1_order *o, struct v1_cursor *c)
{
    struct v1_ev *e = &c->buf[c->at ^= 1];
    while (!c->ended) {
        if (c->p >= c->end) {
            if (c->gap) {
                c->gap = false;
                *e = (struct v1_ev){ .type = V1_NONE, .p = c->proc, .g = c->g, .ticks = c->ticks, .seq = c->seq };
                c->g = 0;
                return true;
            }
            if (!next_batch(o, c))
                break;
            continue;
        }
        const uint8_t *p = c->p;
        const struct v1_kind *k = &o->kind[*p & 63];
        uint64_t dt = 0, dseq = 0;
        bool room = p < o->safe && (*p < 0xc0 || p[1] < 0x80);
        e->type = *p & 63;
        if (room && k->any) {
            take_any(o, c, e, k, &dt, &dseq);
        } else {
            if (!take_slow(o, c, e, &dt, &dseq))
                break;
            if (!k->timed)
                continue; /* strings within a batch */
        }
        c->ticks += dt;
        c->seq += dseq;
        if (e->type == V1_CPU_SAMPLE || (o->by_seq && e->type == V1_SYS_EXIT))
            continue; /* the index has them in lists of their own */
        finish(o, c, e, k);
        return !o->oom;
    }
    c->ended = true;
    return false;
}

static struct v1_ev *head(struct v1_cursor *c)
{
    return &c->buf[c->at];
}

/* ---- the heap --------------------------------------------------------------------------------------------- */

static inline int64_t key_of(const struct v1_order *o, const struct v1_ev *e)
{
    return (int64_t)(o->by_seq ? e->seq : e->ticks);
}

static inline size_t top(const struct v1_order *o)
{
    return o->sorted ? o->nheap - 1 : 0;
}

static void sift_down(struct v1_order *o, size_t i)
{
    struct v1_slot x = o->heap[i];
    for (;;) {
        size_t k = 2 * i + 1;
        if (k >= o->nheap)
            break;
        if (k + 1 < o->nheap && o->heap[k + 1].key < o->heap[k].key)
            k++;
        if (o->heap[k].key >= x.key)
            break;
        o->heap[i] = o->heap[k];
        i = k;
    }
    o->heap[i] = x;
}

/* insert - into the descending array, from its end, where i elements stand. */
static inline void insert(struct v1_order *o, size_t i, struct v1_slot x)
{
    for (; i && o->heap[i - 1].key <= x.key; i--)
        o->heap[i] = o->heap[i - 1];
    o->heap[i] = x;
}

static void heap_push(struct v1_order *o, uint32_t cur)
{
    const struct v1_ev *e = head(&o->cur[cur]);
    struct v1_slot x = { key_of(o, e), e };
    size_t i = o->nheap++;
    if (o->sorted) {
        insert(o, i, x);
        return;
    }
    while (i && o->heap[(i - 1) / 2].key > x.key) {
        o->heap[i] = o->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    o->heap[i] = x;
}

static inline void heap_pop(struct v1_order *o)
{
    o->nheap--;
    if (!o->sorted) {
        o->heap[0] = o->heap[o->nheap];
        if (o->nheap)
            sift_down(o, 0);
    }
}

/* heap_replace - the top's cursor has another head now. */
static inline void heap_replace(struct v1_order *o, const struct v1_ev *e)
{
    struct v1_slot x = { key_of(o, e), e };
    if (o->sorted) {
        insert(o, o->nheap - 1, x);
        return;
    }
    o->heap[0] = x;
    sift_down(o, 0);
}

/* ---- who may come next ------------------------------------------------------------------------------------ */

static inline bool ready(const struct v1_order *o, const struct v1_ev *e)
{
    return !((o->g[e->rule_g].key ^ e->want) & o->kind[e->type].mask);
}

static void wait_for(struct v1_order *o, uint32_t cur)
{
    struct v1_cursor *c = &o->cur[cur];
    struct v1_g *g = &o->g[head(c)->rule_g];
    c->waiting = true;
    c->next_wait = g->waiters;
    g->waiters = cur + 1;
    o->nwaiting++;
}

static void place(struct v1_order *o, uint32_t cur)
{
    if (ready(o, head(&o->cur[cur])))
        heap_push(o, cur);
    else
        wait_for(o, cur);
}

/* wake - look again at all that wait for g. */
static void wake(struct v1_order *o, uint32_t g)
{
    uint32_t w = o->g[g].waiters;
    o->g[g].waiters = NO_CURSOR;
    while (w) {
        uint32_t cur = w - 1;
        w = o->cur[cur].next_wait;
        o->cur[cur].waiting = false;
        o->nwaiting--;
        o->work++;
        place(o, cur);
    }
}

static void give_up(struct v1_order *o, const char *why)
{
    o->by_time = true;
    for (unsigned t = 0; t < V1_TYPES; t++)
        o->kind[t].mask = 0;
    if (!o->quiet)
        source_damage(o->s, ERR_ORDER, 0, ERR_NO_OFFSET, "%s: from here on events are in order of time alone", why);
    for (uint32_t i = 0; i < o->ix->nproc; i++) {
        if (!o->cur[i].waiting)
            continue;
        o->g[head(&o->cur[i])->rule_g].waiters = NO_CURSOR;
        o->cur[i].waiting = false;
        heap_push(o, i);
    }
    o->nwaiting = 0;
}

static void repair(struct v1_order *o, const struct v1_ev *e)
{
    if (!o->repairs++ && !o->quiet)
        source_damage(o->s, ERR_ORDER, 0, ERR_NO_OFFSET,
                      "no order makes all events consistent (first at %s, goroutine %llu): some are missing",
                      v1_type_name(e->type), (unsigned long long)(e->rule_g > GC_ROW ? o->g[e->rule_g].id : 0));
    if (o->repairs > o->max_repairs)
        give_up(o, "too many events contradict each other");
}

/* force - everyone waits: let the earliest go. */
static void force(struct v1_order *o)
{
    o->work += o->ix->nproc;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < o->ix->nproc; i++)
        if (o->cur[i].waiting && (best == UINT32_MAX || key_of(o, head(&o->cur[i])) < key_of(o, head(&o->cur[best]))))
            best = i;
    struct v1_cursor *c = &o->cur[best];
    repair(o, head(c));
    if (o->by_time)
        return; /* all are in the heap now */
    uint32_t *link = &o->g[head(c)->rule_g].waiters;
    while (*link != best + 1)
        link = &o->cur[*link - 1].next_wait;
    *link = c->next_wait;
    c->waiting = false;
    c->forced = true;
    o->nwaiting--;
    heap_push(o, best);
}

/* tie - the prototype's clock is coarse: of heads of one time take one whose goroutine is in the state it needs. */
static void tie(struct v1_order *o)
{
    size_t at = top(o), stack[TIE_MAX], n = 0, looked = 0;
    int64_t key = o->heap[at].key;
    stack[n++] = at;
    while (n && looked++ < TIE_MAX) {
        size_t i = stack[--n];
        if (v1_order_fits(o, o->heap[i].e)) {
            struct v1_slot x = o->heap[i];
            o->heap[i] = o->heap[at];
            o->heap[at] = x;
            return;
        }
        if (o->sorted) {
            if (i && o->heap[i - 1].key == key)
                stack[n++] = i - 1;
            continue;
        }
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < o->nheap; k++)
            if (o->heap[k].key == key && n < TIE_MAX)
                stack[n++] = k;
    }
}

/* order_next - the next event of the merged chains, as they were written. */
static const struct v1_ev *order_next(struct v1_order *o)
{
    const struct v1_ev *e;
    if (o->work > o->max_work && !o->by_time)
        give_up(o, "too many processors wait for each other");
    for (;;) {
        if (o->oom || (!o->nheap && !o->nwaiting))
            return NULL;
        if (!o->nheap)
            force(o);
        if (o->ix->dialect.version == 0)
            tie(o);
        e = o->heap[top(o)].e;
        if (ready(o, e) || o->cur[e->p].forced)
            break;
        heap_pop(o); /* two wanted the same state, the other was earlier */
        wait_for(o, e->p);
        repair(o, e);
    }
    struct v1_cursor *c = &o->cur[e->p];
    c->forced = false;
    bool more = refill(o, c);
    if (o->oom)
        return NULL;
    struct v1_g *g = &o->g[e->rule_g];
    g->key = (g->key & o->kind[e->type].keep) + e->add;
    if (more && !g->waiters && ready(o, head(c))) { /* the usual case */
        heap_replace(o, head(c));
        return e;
    }
    heap_pop(o);
    if (g->waiters)
        wake(o, e->rule_g);
    if (more)
        place(o, e->p);
    return e;
}

/* ---- the final order -------------------------------------------------------------------------------------- */

/* exit_due - is the next moved end of a system call before x (NULL: x is the end)? */
static bool exit_due(const struct v1_order *o, const struct v1_ev *x)
{
    if (o->exit >= o->ix->nexit)
        return false;
    int64_t key = (int64_t)o->ix->exit[o->exit].key;
    if (!x)
        return o->ix->dialect.version == 1005;
    if (key < key_of(o, x))
        return true;
    /* x is the written place of an exit, perhaps of this very one: it can't stay behind it */
    if (x->type == V1_SYS_EXIT && o->ix->dialect.version >= 1007)
        return x->v[2] && key <= (int64_t)x->v[2];
    return x->type == V1_SYS_EXIT_LOCAL && x->v[1] && key <= (int64_t)x->v[1];
}

/* look_aside - when the next of the two lists is due. */
static void look_aside(struct v1_order *o)
{
    o->side = INT64_MAX;
    if (o->exit < o->ix->nexit)
        o->side = (int64_t)o->ix->exit[o->exit].key;
    if (o->sample < o->ix->nsample && o->ix->sample[o->sample].ticks < o->side)
        o->side = o->ix->sample[o->sample].ticks;
}

static const struct v1_ev *take_exit(struct v1_order *o)
{
    const struct v1_exit *x = &o->ix->exit[o->exit++];
    look_aside(o);
    uint32_t g = find_g(o, x->g);
    o->extra = (struct v1_ev){ .type = V1_SYS_EXIT, .moved = true, .p = UINT32_MAX, .g = g, .arg_g = g,
                               .ticks = x->ticks, .seq = x->key };
    return o->oom ? NULL : &o->extra;
}

static const struct v1_ev *take_sample(struct v1_order *o)
{
    const struct v1_sample *x = &o->ix->sample[o->sample++];
    look_aside(o);
    const uint8_t *p = o->s->data + x->off;
    struct v1_raw r;
    const char *why;
    if (v1_read(&o->ix->dialect, &p, o->s->data + o->s->len, &r, &why) != V1_READ_OK || r.type != V1_CPU_SAMPLE)
        memset(&r, 0, sizeof r);
    o->extra = (struct v1_ev){ .type = V1_CPU_SAMPLE, .p = UINT32_MAX, .g = r.v[3] ? v1_hash_get(&o->gid, r.v[3]) : 0,
                               .ticks = (uint64_t)x->ticks, .stack = r.v[4] };
    if (r.v[2] < o->ix->proc_of_cap && r.v[2] + 1 < o->ix->proc_of_cap)
        o->extra.p = o->ix->proc_of[r.v[2] + 1];
    return &o->extra;
}

const struct v1_ev *v1_merge_next(struct v1_order *o)
{
    if (!o->head)
        o->head = order_next(o);
    if (o->oom)
        return NULL;
    const struct v1_ev *x = o->head;
    if (x && key_of(o, x) <= o->side && x->type != V1_SYS_EXIT && x->type != V1_SYS_EXIT_LOCAL) {
        o->head = NULL;
        return x;
    }
    bool exit = exit_due(o, x);
    bool sample = o->sample < o->ix->nsample && (!x || o->ix->sample[o->sample].ticks < (int64_t)x->ticks);
    if (exit && sample && o->ix->sample[o->sample].ticks < (int64_t)o->ix->exit[o->exit].ticks)
        exit = false;
    if (exit)
        return take_exit(o);
    if (sample)
        return take_sample(o);
    o->head = NULL;
    return x;
}

/* ---- questions -------------------------------------------------------------------------------------------- */

/* verdict - what an event on the P of a system call tells about it: 1 it blocks, 0 it does not, -1 nothing. */
static int verdict(unsigned type)
{
    switch (type) {
    case V1_GC_START: case V1_GC_DONE: case V1_STW_START: case V1_STW_DONE: case V1_SYS_EXIT: case V1_SYS_EXIT_LOCAL:
    case V1_GO_WAITING: case V1_GO_IN_SYSCALL: case V1_CPU_SAMPLE:
        return -1; /* these name a goroutine of their own, or none */
    default:
        return type == V1_SYS_BLOCK;
    }
}

bool v1_order_blocks(const struct v1_order *o, const struct v1_ev *call)
{
    const struct v1_cursor *c = &o->cur[call->p];
    const struct v1_dialect *d = &o->ix->dialect;
    if (c->ended)
        return false;
    int v = verdict(c->buf[c->at].type);
    if (v >= 0)
        return v;
    const uint8_t *p = c->p, *end = c->end;
    uint32_t batch = c->batch;
    bool gap = c->gap;
    for (;;) {
        struct v1_raw r;
        if (p >= end) {
            if (gap || batch == V1_NO_BATCH)
                return false;
            const struct v1_batch *b = &o->ix->batch[batch];
            p = o->s->data + b->off;
            end = p + b->len;
            gap = b->gap;
            batch = b->next;
        }
        if (!slow_event(o, &p, &r))
            return false;
        if (d->shape[r.type].timed && (v = verdict(r.type)) >= 0)
            return v;
    }
}

bool v1_order_fits(const struct v1_order *o, const struct v1_ev *e)
{
    uint8_t s = o->g[e->arg_g].state;
    switch (e->type) {
    case V1_GO_START: return s == V1S_RUNNABLE || s == V1S_LISTED;
    case V1_GO_UNBLOCK: return s == V1S_WAITING;
    case V1_SYS_EXIT: return s == V1S_SYSCALL;
    case V1_GO_WAITING:
    case V1_GO_IN_SYSCALL: return s == V1S_LISTED || s == V1S_RUNNABLE;
    default: return true;
    }
}

/* ---- set-up ----------------------------------------------------------------------------------------------- */

static void kind_init(struct v1_kind *k, unsigned t, const struct v1_dialect *d)
{
    const struct v1_shape *s = &d->shape[t];
    const struct rule *r = &RULE[t];
    uint8_t ctx = CTX[t];
    memset(k, 0, sizeof *k);
    k->timed = s->timed;
    k->stack = s->name && s->stack >= 0;
    k->keep = 3;
    if (!s->timed)
        return;
    k->k = (uint8_t)(s->n - s->timed - k->stack);
    k->any = t != V1_LOG;
    k->name = ctx == CTX_START || ctx == CTX_IS_ARG || ctx == CTX_NAMES ? UINT64_MAX : 0;
    k->g_arg = ctx == CTX_START || ctx == CTX_IS_ARG ? UINT32_MAX : 0;
    k->g_run = k->g_arg || ctx == CTX_NONE ? 0 : UINT32_MAX;
    k->run_arg = ctx == CTX_START ? UINT32_MAX : 0;
    k->run_run = ctx == CTX_START || ctx == CTX_STOP ? 0 : UINT32_MAX;
    if (d->version < 1007 || r->who == WHO_NOBODY)
        return;
    k->rule_arg = r->who == WHO_ARG ? UINT32_MAX : 0;
    k->rule_g = r->who == WHO_CTX ? UINT32_MAX : 0;
    k->rule_gc = r->who == WHO_GC ? UINT32_MAX : 0;
    k->own_1 = t == V1_GC_START ? UINT64_MAX : 0;
    k->own_2 = ~k->own_1;
    k->mask = r->need_seq == SEQ_ANY ? 3 : UINT64_MAX;
    k->want = r->need + (r->need_seq > 0 ? 4 * (uint64_t)r->need_seq : 0);
    k->want_own = r->need_seq == SEQ_SAME ? UINT64_MAX : 0;
    k->keep = r->new_seq == SEQ_KEEP || r->new_seq == SEQ_INC ? ~UINT64_C(3) : 0;
    k->add = r->becomes + (r->new_seq > 0 ? 4 * (uint64_t)r->new_seq : 0);
    k->add += r->new_seq == SEQ_INC || r->new_seq == SEQ_NEXT ? 4 : 0;
    k->add_own = r->new_seq == SEQ_NEXT ? UINT64_MAX : 0;
}

enum err_code v1_order_init(struct v1_order *o, struct source *s, const struct v1_index *ix)
{
    memset(o, 0, sizeof *o);
    o->s = s;
    o->ix = ix;
    uint64_t events = 0;
    for (unsigned t = 0; t < V1_TYPES; t++)
        events += ix->count[t];
    o->max_repairs = events / 100 > 64 ? events / 100 : 64;
    o->max_work = 64 * events + 1000000;
    o->by_seq = ix->dialect.version == 1005;
    o->sorted = ix->nproc <= SORTED_MAX;
    o->safe = s->len > FAST_BYTES ? s->data + s->len - FAST_BYTES : s->data;
    for (unsigned t = 0; t < V1_TYPES; t++)
        kind_init(&o->kind[t], t, &ix->dialect);
    look_aside(o);
    add_g(o, 0);
    add_g(o, UINT64_MAX);
    o->cur = mem_zalloc(ix->nproc * sizeof *o->cur);
    o->heap = mem_alloc(ix->nproc * sizeof *o->heap);
    if (o->oom || !o->cur || !o->heap) {
        v1_order_free(o);
        return ERR_NOMEM;
    }
    for (uint32_t i = 0; i < ix->nproc; i++) {
        struct v1_cursor *c = &o->cur[i];
        c->proc = c->buf[0].p = c->buf[1].p = i;
        c->batch = ix->proc[i].first;
        if (refill(o, c))
            place(o, i);
    }
    return o->oom ? ERR_NOMEM : ERR_OK;
}

void v1_order_free(struct v1_order *o)
{
    v1_hash_free(&o->gid);
    mem_free(o->g);
    mem_free(o->cur);
    mem_free(o->heap);
    memset(o, 0, sizeof *o);
}
