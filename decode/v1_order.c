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

static const struct rule { uint8_t who; int8_t need_seq; uint8_t need; int8_t new_seq; uint8_t becomes; } RULE[V1_TYPES] = {
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
#define TIE_MAX 64           /* heads of one time that are looked at */
#define FAST_BYTES 96        /* more than any event without a text can have */

/* ---- ids to indices --------------------------------------------------------------------------------------- */

static size_t hash_slot(const struct v1_hash *h, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (h->cap - 1);
}

uint32_t v1_hash_get(const struct v1_hash *h, uint64_t key)
{
    if (!h->cap)
        return 0;
    for (size_t i = hash_slot(h, key);; i = (i + 1) & (h->cap - 1))
        if (!h->val[i] || h->key[i] == key)
            return h->val[i];
}

static bool hash_grow(struct v1_hash *h)
{
    struct v1_hash n = { .cap = h->cap ? 2 * h->cap : 64, .used = h->used };
    n.key = mem_alloc(n.cap * sizeof *n.key);
    n.val = mem_zalloc(n.cap * sizeof *n.val);
    if (!n.key || !n.val) {
        v1_hash_free(&n);
        return false;
    }
    for (size_t j = 0; j < h->cap; j++) {
        if (!h->val[j])
            continue;
        size_t i = hash_slot(&n, h->key[j]);
        while (n.val[i])
            i = (i + 1) & (n.cap - 1);
        n.key[i] = h->key[j];
        n.val[i] = h->val[j];
    }
    v1_hash_free(h);
    *h = n;
    return true;
}

bool v1_hash_put(struct v1_hash *h, uint64_t key, uint32_t val)
{
    if (2 * (h->used + 1) > h->cap && !hash_grow(h))
        return false;
    size_t i = hash_slot(h, key);
    while (h->val[i])
        i = (i + 1) & (h->cap - 1);
    h->key[i] = key;
    h->val[i] = val;
    h->used++;
    return true;
}

void v1_hash_free(struct v1_hash *h)
{
    mem_free(h->key);
    mem_free(h->val);
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

static inline const uint8_t *fast_number(const uint8_t *p, uint64_t *v)
{
    uint64_t b = *p++;
    if (b < 0x80) {
        *v = b;
        return p;
    }
    uint64_t x = b & 0x7f;
    for (unsigned shift = 7; shift < 70; shift += 7) {
        b = *p++;
        x |= (b & 0x7f) << (shift & 63);
        if (b < 0x80)
            break;
    }
    *v = x;
    return p;
}

/* raw_event - the event at *p. The index has checked these bytes; should they have changed since, false. */
static bool raw_event(const struct v1_dialect *d, const uint8_t **pp, const uint8_t *end, struct v1_raw *r)
{
    const uint8_t *p = *pp;
    const struct v1_shape *s = &d->shape[*p & 63];
    if (end - p < FAST_BYTES || !s->timed || (*p & 63) == V1_LOG || (*p >> 6 == 3 && p[1] >= 0x80)) {
        const char *why;
        return v1_read(d, pp, end, r, &why) == V1_READ_OK;
    }
    r->type = *p & 63;
    p += *p >> 6 == 3 ? 2 : 1;
    for (unsigned i = 0; i < s->n; i++)
        p = fast_number(p, &r->v[i]);
    r->n = s->n;
    *pp = p;
    return true;
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
    if (!raw_event(&o->ix->dialect, &c->p, o->s->data + o->s->len, &r) || r.type != V1_BATCH)
        return false;
    c->ticks = r.v[r.n - 1];
    c->seq = r.n > 2 ? r.v[1] : 0;
    return true;
}

/* context - which goroutine the event is about, and which one the P runs after it. */
static void context(struct v1_order *o, struct v1_cursor *c, struct v1_ev *e)
{
    e->g = c->g;
    e->arg_g = 0;
    switch (e->type) {
    case V1_GO_START: case V1_GO_START_LOCAL: case V1_GO_START_LABEL:
        e->g = e->arg_g = c->g = find_g(o, e->v[0]);
        break;
    case V1_SYS_EXIT: case V1_SYS_EXIT_LOCAL: case V1_GO_WAITING: case V1_GO_IN_SYSCALL:
        e->g = e->arg_g = find_g(o, e->v[0]);
        break;
    case V1_GO_CREATE: case V1_GO_UNBLOCK: case V1_UNBLOCK_LOCAL:
        e->arg_g = find_g(o, e->v[0]);
        break;
    case V1_GC_START: case V1_GC_DONE: case V1_STW_START: case V1_STW_DONE:
        e->g = 0;
        break;
    case V1_GO_END: case V1_GO_STOP: case V1_GO_SCHED: case V1_GO_PREEMPT: case V1_GO_SLEEP: case V1_GO_BLOCK:
    case V1_GO_BLOCK_SEND: case V1_GO_BLOCK_RECV: case V1_GO_BLOCK_SELECT: case V1_GO_BLOCK_SYNC:
    case V1_GO_BLOCK_COND: case V1_GO_BLOCK_NET: case V1_GO_BLOCK_GC: case V1_SYS_BLOCK:
        c->g = 0;
        break;
    default:
        break;
    }
}

static void fill(struct v1_order *o, struct v1_cursor *c, struct v1_ev *e, const struct v1_raw *r)
{
    const struct v1_shape *s = &o->ix->dialect.shape[r->type];
    unsigned k = 0;
    e->type = r->type;
    e->moved = false;
    e->p = c->proc;
    e->ticks = c->ticks;
    e->seq = c->seq;
    e->stack = s->stack >= 0 ? r->v[s->stack] : 0;
    e->text = NULL;
    e->len = 0;
    if (r->type == V1_LOG) {
        e->text = r->text;
        e->len = r->len;
    }
    for (unsigned i = s->timed; i < s->n && k < 5; i++)
        e->v[k++] = r->v[i];
    context(o, c, e);
}

/* refill - decode the cursor's next event into its other buffer; false at the end of its chain. */
static bool refill(struct v1_order *o, struct v1_cursor *c)
{
    const struct v1_dialect *d = &o->ix->dialect;
    struct v1_ev *e = &c->buf[c->at ^= 1];
    struct v1_raw r;
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
        if (!raw_event(d, &c->p, o->s->data + o->s->len, &r))
            break;
        const struct v1_shape *s = &d->shape[r.type];
        if (!s->timed)
            continue; /* strings within a batch */
        c->ticks += r.v[s->timed - 1];
        if (d->version == 1005)
            c->seq += r.v[0];
        if (r.type == V1_CPU_SAMPLE || (d->version == 1005 && r.type == V1_SYS_EXIT))
            continue; /* the index has them in lists of their own */
        fill(o, c, e, &r);
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

static int64_t key_of(const struct v1_order *o, const struct v1_ev *e)
{
    return (int64_t)(o->ix->dialect.version == 1005 ? e->seq : e->ticks);
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

static void heap_push(struct v1_order *o, uint32_t cur)
{
    struct v1_slot x = { key_of(o, head(&o->cur[cur])), cur };
    size_t i = o->nheap++;
    while (i && o->heap[(i - 1) / 2].key > x.key) {
        o->heap[i] = o->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    o->heap[i] = x;
}

static void heap_pop(struct v1_order *o)
{
    o->heap[0] = o->heap[--o->nheap];
    if (o->nheap)
        sift_down(o, 0);
}

/* ---- who may come next ------------------------------------------------------------------------------------ */

static uint32_t rule_g(const struct v1_ev *e)
{
    switch (RULE[e->type].who) {
    case WHO_ARG: return e->arg_g;
    case WHO_CTX: return e->g;
    case WHO_GC: return GC_ROW;
    default: return 0;
    }
}

static uint64_t own_seq(const struct v1_ev *e)
{
    return e->type == V1_GC_START ? e->v[0] : e->v[1];
}

static bool ready(const struct v1_order *o, const struct v1_ev *e)
{
    const struct rule *r = &RULE[e->type];
    uint32_t g = rule_g(e);
    if (!g || o->by_time || o->ix->dialect.version < 1007)
        return true;
    const struct v1_g *s = &o->g[g];
    if (s->status != r->need)
        return false;
    if (r->need_seq == SEQ_ANY)
        return true;
    return s->seq == (r->need_seq == SEQ_SAME ? own_seq(e) : (uint64_t)r->need_seq);
}

static void wait_for(struct v1_order *o, uint32_t cur)
{
    struct v1_cursor *c = &o->cur[cur];
    struct v1_g *g = &o->g[rule_g(head(c))];
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
    if (!o->quiet)
        source_damage(o->s, ERR_ORDER, 0, ERR_NO_OFFSET, "%s: from here on events are in order of time alone", why);
    for (uint32_t i = 0; i < o->ix->nproc; i++) {
        if (!o->cur[i].waiting)
            continue;
        o->g[rule_g(head(&o->cur[i]))].waiters = NO_CURSOR;
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
                      v1_type_name(e->type), (unsigned long long)(rule_g(e) > GC_ROW ? o->g[rule_g(e)].id : 0));
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
    uint32_t *link = &o->g[rule_g(head(c))].waiters;
    while (*link != best + 1)
        link = &o->cur[*link - 1].next_wait;
    *link = c->next_wait;
    c->waiting = false;
    c->forced = true;
    o->nwaiting--;
    heap_push(o, best);
}

static void transition(struct v1_order *o, const struct v1_ev *e)
{
    const struct rule *r = &RULE[e->type];
    uint32_t g = rule_g(e);
    if (!g || o->ix->dialect.version < 1007)
        return;
    struct v1_g *s = &o->g[g];
    if (r->new_seq == SEQ_INC)
        s->seq++;
    else if (r->new_seq == SEQ_NEXT)
        s->seq = own_seq(e) + 1;
    else if (r->new_seq != SEQ_KEEP)
        s->seq = (uint64_t)r->new_seq;
    s->status = r->becomes;
    if (s->waiters && !o->by_time)
        wake(o, g);
}

/* tie - the prototype's clock is coarse: of heads of one time take one whose goroutine is in the state it needs. */
static void tie(struct v1_order *o)
{
    size_t stack[TIE_MAX], n = 0, looked = 0;
    int64_t key = o->heap[0].key;
    stack[n++] = 0;
    while (n && looked++ < TIE_MAX) {
        size_t i = stack[--n];
        if (v1_order_fits(o, head(&o->cur[o->heap[i].cur]))) {
            struct v1_slot x = o->heap[i];
            o->heap[i] = o->heap[0];
            o->heap[0] = x;
            return;
        }
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < o->nheap; k++)
            if (o->heap[k].key == key && n < TIE_MAX)
                stack[n++] = k;
    }
}

/* order_next - the next event of the merged chains, as they were written. */
static const struct v1_ev *order_next(struct v1_order *o)
{
    struct v1_cursor *c;
    if (o->work > o->max_work && !o->by_time)
        give_up(o, "too many processors wait for each other");
    for (;;) {
        if (o->oom || (!o->nheap && !o->nwaiting))
            return NULL;
        if (!o->nheap)
            force(o);
        if (o->ix->dialect.version == 0)
            tie(o);
        c = &o->cur[o->heap[0].cur];
        if (c->forced || ready(o, head(c)))
            break;
        uint32_t cur = o->heap[0].cur; /* two wanted the same state, the other was earlier */
        heap_pop(o);
        wait_for(o, cur);
        repair(o, head(c));
    }
    c->forced = false;
    const struct v1_ev *e = head(c);
    uint32_t cur = o->heap[0].cur;
    bool more = refill(o, c);
    if (o->oom)
        return NULL;
    if (more && !o->g[rule_g(e)].waiters) { /* the usual case: nobody to wake */
        transition(o, e);
        if (ready(o, head(c))) {
            o->heap[0].key = key_of(o, head(c));
            sift_down(o, 0);
        } else {
            heap_pop(o);
            wait_for(o, cur);
        }
        return e;
    }
    heap_pop(o);
    transition(o, e);
    if (more)
        place(o, cur);
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

static const struct v1_ev *take_exit(struct v1_order *o)
{
    const struct v1_exit *x = &o->ix->exit[o->exit++];
    uint32_t g = find_g(o, x->g);
    o->extra = (struct v1_ev){ .type = V1_SYS_EXIT, .moved = true, .p = UINT32_MAX, .g = g, .arg_g = g,
                               .ticks = x->ticks, .seq = x->key };
    return o->oom ? NULL : &o->extra;
}

static const struct v1_ev *take_sample(struct v1_order *o)
{
    const struct v1_sample *x = &o->ix->sample[o->sample++];
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
        if (!raw_event(d, &p, o->s->data + o->s->len, &r))
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
        c->proc = i;
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
