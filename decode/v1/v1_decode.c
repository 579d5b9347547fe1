/*
 * v1_decode.c - see v1_decode.h.
 *
 * Invariants: a ring's slots [head, fill) are decoded events. The slot before head, taken last, stays as it
 * is until the next one is taken. c->p is the place after the last decoded event, and c->g the goroutine that
 * its P runs there. The index has checked all bytes, but the file may have changed since: so bounds are
 * checked again.
 */
#include "decode/v1/v1_decode.h"

#include <string.h>

#include "decode/events/ev.h"
#include "decode/base/bytes.h"
#include "decode/base/mem.h"

enum who { WHO_NOBODY, WHO_ARG, WHO_CTX, WHO_GC };
enum { SEQ_0, SEQ_1, SEQ_2, SEQ_ANY = -1, SEQ_KEEP = -1, SEQ_SAME = -2, SEQ_NEXT = -3, SEQ_INC = -4 };

static const struct rule {
    uint8_t who;
    int8_t need_seq;
    uint8_t need;
    int8_t new_seq;
    uint8_t becomes;
} RULE[V1_TYPES] = {
#define V1_LEAVES(id, state, reason, wakeup, who, need_seq, need, new_seq, becomes) \
    [V1_##id] = {WHO_##who, SEQ_##need_seq, V1_##need, SEQ_##new_seq, V1_##becomes},
#include "decode/v1/events_v1.def"
};

enum whose { OWN, STOPS, NAMES, NAMED, STARTS, NOBODY };

static const struct {
    uint8_t whose, means;
} EVENT[V1_TYPES] = {
    [V1_NONE] = {OWN, V1_MEANS_GAP},
#define V1_EVENT(number, id, name, whose, means, from, shape) [number] = {whose, V1_MEANS_##means},
#include "decode/v1/events_v1.def"
};

#define NONE_ V1S_NONE, ST_NONE, 0
#define ENDED_ V1S_ENDED, ST_NONE, 0
#define WAITING_ V1S_WAITING, ST_WAITING, EVF_OWN_STACK
#define RUNNABLE_ V1S_RUNNABLE, ST_RUNNABLE, EVF_OWN_STACK | EVF_STOPPED
#define RUNNING_ V1S_RUNNING, ST_RUNNING, 0
#define SYSCALL_ V1S_SYSCALL, ST_SYSCALL, 0
const struct v1_left V1_LEFT[V1_TYPES] = {
#define V1_LEAVES(id, state, reason, ...) [V1_##id] = {state##_, reason},
#include "decode/v1/events_v1.def"
};

#define FAST_BYTES 96    /* more than any event without a text has */
#define RING_SLOTS 32768 /* of all cursors together, about */
#define RING_BITS_MAX 8

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Returns a new row or a free one; 0 if out of memory. */
static uint32_t new_g_row(struct v1_decoder *d, uint64_t id)
{
    uint32_t i = d->spare;
    if (i) {
        d->spare = d->g[i].lane;
    } else {
        if (!mem_noted(&d->oom, d->ng < IDMAP_NONE - 1 && mem_room(d->g, d->gcap, d->ng + 1)))
            return 0;
        i = (uint32_t)d->ng++;
    }
    d->g[i] = (struct v1_g){.id = id, .lane = EV_NONE, .p = EV_NONE};
    return i;
}

uint32_t v1_find_g(struct v1_decoder *d, uint64_t id)
{
    const uint32_t known = idmap_get(&d->gid, id);
    if (!id || known != IDMAP_NONE)
        return id ? known : 0;
    const uint32_t i = new_g_row(d, id);
    d->oom |= i && !idmap_put(&d->gid, id, i);
    return i;
}

void v1_give_back(struct v1_decoder *d, uint32_t g)
{
    idmap_del(&d->gid, d->g[g].id);
    d->g[g] = (struct v1_g){.lane = d->spare, .p = EV_NONE};
    d->spare = g;
}

/* ---- cursors ------------------------------------------------------------------------------------------- */

/* Read a number where at least ten bytes can be read. */
static inline const uint8_t *fast_number(const uint8_t *p, uint64_t *v)
{
    const uint8_t *q = bytes_varint_within(p, v);
    if (q)
        return q;
    *v = 0; /* more than ten bytes: the file has changed */
    return p + 10;
}

/* Read the event at *p in the general way. Returns false if the file has changed since the index was made. */
static bool slow_event(const struct v1_decoder *d, const uint8_t **p, struct v1_raw *r)
{
    const char *why;
    return v1_read(&d->ix->dialect, p, d->s->data + d->s->len, r, &why) == V1_READ_OK;
}

/* Returns the time when a batch must be over, because `next` is its processor's next batch. */
static uint64_t until_of(const struct v1_decoder *d, uint32_t next)
{
    const uint64_t t = next == V1_NO_BATCH ? d->ix->end_ticks : d->ix->batch[next].ticks;
    return !d->by_seq && t && t < UINT64_MAX - d->skew ? t + d->skew : UINT64_MAX;
}

/* Begin the cursor's next batch. Returns false if there is none. */
static bool next_batch(struct v1_decoder *d, struct v1_cursor *c)
{
    struct v1_raw r;
    if (c->batch == V1_NO_BATCH)
        return false;
    const struct v1_batch *b = &d->ix->batch[c->batch];
    c->p = d->s->data + b->off;
    c->end = c->p + b->len;
    c->gap = b->gap;
    c->batch = b->next;
    d->bytes += b->len;
    if (!slow_event(d, &c->p, &r) || r.type != V1_BATCH)
        return false;
    if (!d->by_seq && (int64_t)(r.v[r.n - 1] + d->skew - c->ticks) < 0) {
        source_damage(d->s, ERR_CLOCK, 0, b->off,
                      "a batch of processor %lld says a time before the end of the one in front of it: it is "
                      "left out",
                      (long long)d->ix->proc[c - d->cur].id);
        c->p = c->end;
        c->gap = true;
        return true;
    }
    c->ticks = r.v[r.n - 1];
    c->seq = r.n > 2 ? r.v[1] : 0;
    c->until = until_of(d, c->batch);
    if (c->until < c->ticks) /* batches may be out of order themselves */
        c->until = UINT64_MAX;
    return true;
}

/* F_STOP to F_CALL are the commonest, and decoded without a look at a table, from 1.7 on. F_NUMBERS: all its
 * values are numbers. */
enum form { F_SLOW, F_STOP, F_START, F_WAKE, F_CALL, F_NUMBERS };

static inline uint32_t short_stack(uint64_t id)
{
    return id < V1_FAR_STACK ? (uint32_t)id : V1_FAR_STACK;
}

static inline uint32_t g_row(struct v1_decoder *d, uint64_t id)
{
    const uint32_t g = idmap_get(&d->gid, id);
    return __builtin_expect(g != IDMAP_NONE, 1) ? g : v1_find_g(d, id);
}

/* This is what an event's numbers say besides its own value and its stack: the steps of ticks and sequence,
 * and the goroutine that it names. */
struct v1_numbers {
    uint64_t dt, dseq, id;
};

/* Read the numbers of an event with room after it, if its form is not one of the four commonest. */
static inline const uint8_t *numbers_of(const struct v1_decoder *d, const uint8_t *p, const struct v1_kind *k,
                                        struct v1_ev *e, struct v1_numbers *x)
{
    uint64_t v[V1_VALUES], stack = 0;
    if (d->by_seq)
        p = fast_number(p, &x->dseq);
    p = fast_number(p, &x->dt);
    v[0] = v[1] = 0;
    for (unsigned i = 0; i < k->k; i++)
        p = fast_number(p, &v[i]);
    if (k->stack)
        p = fast_number(p, &stack);
    x->id = k->name ? v[0] : 0;
    e->own = k->name ? v[1] : v[0];
    e->stack = short_stack(stack);
    return p;
}

/* Read the numbers of an event that is long, has an odd form or is near the file's end. NULL: no event. */
static const uint8_t *numbers_slow(const struct v1_decoder *d, const uint8_t *p, struct v1_ev *e,
                                   struct v1_numbers *x)
{
    struct v1_raw r;
    if (!slow_event(d, &p, &r))
        return NULL;
    const struct v1_kind *k = &d->kind[r.type];
    if (!k->timed)
        return p;
    x->dseq = d->by_seq ? r.v[0] : 0;
    x->dt = r.v[k->timed - 1];
    const uint64_t *v = r.v + k->timed;
    x->id = k->name ? v[0] : 0;
    e->own = k->own ? v[k->name ? 1 : 0] : 0;
    e->stack = short_stack(k->stack ? r.v[r.n - 1] : 0);
    return p;
}

/* Set the event's goroutine and the state that it waits for. Returns the row of the goroutine that its P runs
 * after it. */
static inline uint32_t place_event(struct v1_decoder *d, const struct v1_kind *k, struct v1_ev *e,
                                   uint64_t id, uint32_t run)
{
    uint32_t arg = g_row(d, id);
    e->arg_g = arg;
    e->g = (run & k->g_run) | (arg & k->g_arg);
    e->rule_g = (e->g & k->rule_g) | (arg & k->rule_arg) | (V1_GC_ROW & k->rule_gc);
    e->tag = e->rule_g ? k->tag : k->bare;
    e->want = k->want + ((e->own & k->numbered) << 2);
    return (run & k->run_run) | (arg & k->run_arg);
}

/* Go on at the end of a batch. Returns 1 if there is a gap, which is put into e; 0 if events follow; -1 if
 * all are read. */
static int boundary(struct v1_decoder *d, struct v1_cursor *c, struct v1_ev *e)
{
    while (c->p >= c->end && !c->gap)
        if (!next_batch(d, c))
            return -1;
    if (c->p < c->end)
        return 0;
    c->gap = false;
    *e = (struct v1_ev){.p = e->p, .g = c->g, .ticks = c->ticks, .seq = c->seq, .own = UINT64_MAX};
    if (c->batch != V1_NO_BATCH)
        e->own = d->ix->batch[c->batch].ticks;
    e->tag = d->kind[V1_NONE].bare;
    c->g = 0;
    return 1;
}

/* Decode the event at c->p. Returns 1 if it is in e; 0 if it is not passed on; -1 if all are read. */
static int decode_other(struct v1_decoder *d, struct v1_cursor *c, struct v1_ev *e)
{
    const uint8_t *p = c->p;
    if (p >= c->end)
        return boundary(d, c, e);
    unsigned type = *p & 63;
    const struct v1_kind *k = &d->kind[type];
    struct v1_numbers x = {0};
    e->at = p;
    if (k->form != F_SLOW && p < d->safe && (*p < 0xc0 || p[1] < 0x80))
        p = numbers_of(d, p + (*p < 0xc0 ? 1 : 2), k, e, &x);
    else
        p = numbers_slow(d, p, e, &x);
    if (!p) { /* the file has changed since the index was made */
        c->p = c->end;
        return -1;
    }
    c->p = p;
    c->ticks += x.dt;
    c->seq += x.dseq;
    if (!k->timed)
        return 0; /* strings may stand within a batch */
    if (type == V1_CPU_SAMPLE || (d->by_seq && type == V1_SYS_EXIT))
        return 0; /* the index keeps them in lists of their own */
    e->ticks = c->ticks;
    c->g = place_event(d, k, e, x.id, c->g);
    if (d->by_seq)
        e->seq = c->seq;
    return 1;
}

/* This is the state of decoding a cursor's events. */
struct v1_run {
    const uint8_t *p;
    uint64_t ticks;
    uint32_t g;
};

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void fast_time(struct v1_run *r, struct v1_ev *e)
{
    uint64_t dt;
    e->at = r->p;
    r->p = fast_number(r->p + 1, &dt);
    e->ticks = r->ticks += dt;
}

ALWAYS uint32_t fast_stack(struct v1_run *r)
{
    uint64_t stack;
    r->p = fast_number(r->p, &stack);
    return short_stack(stack);
}

ALWAYS void fast_stop(struct v1_run *r, struct v1_ev *e, const struct v1_kind *k)
{
    fast_time(r, e);
    e->want = V1_RUNNING;
    e->g = e->rule_g = r->g;
    e->arg_g = 0;
    e->stack = fast_stack(r);
    e->tag = r->g ? k->tag : k->bare;
    r->g = 0;
}

ALWAYS void fast_start(struct v1_decoder *d, struct v1_run *r, struct v1_ev *e, const struct v1_kind *k)
{
    uint64_t id;
    fast_time(r, e);
    r->p = fast_number(r->p, &id);
    e->want = V1_RUNNABLE;
    r->g = g_row(d, id);
    e->g = e->arg_g = e->rule_g = r->g;
    e->stack = 0;
    e->tag = r->g ? k->tag : k->bare;
}

ALWAYS void fast_wake(struct v1_decoder *d, struct v1_run *r, struct v1_ev *e, const struct v1_kind *k)
{
    uint64_t id;
    fast_time(r, e);
    r->p = fast_number(r->p, &id);
    e->stack = fast_stack(r);
    const uint32_t row = g_row(d, id);
    e->want = V1_WAITING;
    e->g = r->g;
    e->arg_g = e->rule_g = row;
    e->tag = row ? k->tag : k->bare;
}

ALWAYS void fast_call(struct v1_run *r, struct v1_ev *e, const struct v1_kind *k)
{
    fast_time(r, e);
    e->g = r->g;
    e->arg_g = e->rule_g = 0;
    e->stack = fast_stack(r);
    e->tag = k->bare;
}

ALWAYS const uint8_t *fast_end(const struct v1_decoder *d, const struct v1_cursor *c)
{
    return c->end < d->safe ? c->end : d->safe;
}

/* ---- batches that go on too long ----------------------------------------------------------------------- */

/* Drop the rest of a batch, from the cursor's event i on. The event before that was at `ticks`. */
static void cut_batch(struct v1_cursor *c, uint32_t i, uint64_t ticks)
{
    c->fill = i;
    c->p = c->end;
    c->ticks = ticks;
    c->gap = true;
    c->ended = false;
}

/* Events of the batch are later than the trace's end or the begin of its processor's next batch. If one step
 * of time is too long, damage changed it, and what follows is dropped. Otherwise one of the two batches is
 * another processor's. from: the first event that was decoded now; the one before it was at `ticks`. */
static void note_beyond(struct v1_decoder *d, struct v1_cursor *c, uint32_t from, uint64_t ticks)
{
    const uint8_t *at = NULL; /* place of the first of them that is not a gap */
    uint64_t step = 0;
    uint32_t i = from;
    for (; i != c->fill; i++) {
        const struct v1_ev *e = v1_ring(d, c, i);
        at = at ? at : e->at;
        step = e->ticks - ticks;
        if ((int64_t)(e->ticks - c->until) > 0 && (step > d->skew || c->batch == V1_NO_BATCH))
            break;
        ticks = e->ticks;
    }
    const double seconds = (double)(c->ticks - c->until + d->skew) / (double)(100 * d->skew);
    const bool cut = i != c->fill;
    if (cut && v1_ring(d, c, i)->at)
        at = v1_ring(d, c, i)->at;
    source_damage(d->s, ERR_CLOCK, 0, source_off(d->s, at ? at : c->p),
                  cut ? "a batch of processor %lld goes on %.6f s behind %s: the rest of it is left out"
                      : "a batch of processor %lld goes on %.6f s behind %s: one of them is another's",
                  (long long)d->ix->proc[c - d->cur].id, seconds,
                  c->batch == V1_NO_BATCH ? "the trace's end" : "the next one's begin");
    if (cut)
        cut_batch(c, i, ticks);
    c->until = UINT64_MAX;
}

/* ---- a cursor's next events ---------------------------------------------------------------------------- */

bool v1_fill(struct v1_decoder *d, struct v1_cursor *c)
{
    const uint32_t from = c->fill;
    const uint64_t began = c->ticks;
    uint32_t fill = c->fill;
    uint32_t until = c->ended ? fill : fill + d->ahead;
    const uint32_t mask = d->mask;
    struct v1_run r = {c->p, c->ticks, c->g};
    const uint8_t *end = fast_end(d, c);
    struct v1_ev *const ring = c->ring;
    while (fill != until) {
        struct v1_ev *e = &ring[fill & mask];
        const unsigned b = r.p < end ? *r.p : 0; /* 0: F_SLOW */
        const struct v1_kind *k = &d->kind[b & 63];
        switch (d->form[b]) {
        case F_STOP: fast_stop(&r, e, k); break;
        case F_START: fast_start(d, &r, e, k); break;
        case F_WAKE: fast_wake(d, &r, e, k); break;
        case F_CALL: fast_call(&r, e, k); break;
        default:
            c->p = r.p;
            c->ticks = r.ticks;
            c->g = r.g;
            if (c->p >= c->end && (int64_t)(c->ticks - c->until) > 0 && c->until != UINT64_MAX) {
                until = fill;
                continue;
            }
            const int rc = decode_other(d, c, e);
            r = (struct v1_run){c->p, c->ticks, c->g};
            end = fast_end(d, c);
            c->ended = rc < 0;
            if (rc < 0)
                until = fill;
            fill += rc > 0;
            continue;
        }
        fill++;
    }
    c->p = r.p;
    c->ticks = r.ticks;
    c->g = r.g;
    c->fill = fill;
    if (__builtin_expect((int64_t)(r.ticks - c->until) > 0, 0) && c->until != UINT64_MAX) {
        note_beyond(d, c, from, began);
        if (c->head == c->fill && !c->ended && !d->oom)
            return v1_fill(d, c);
    }
    return c->head != c->fill && !d->oom;
}

/* ---- values that are seldom asked for ------------------------------------------------------------------ */

bool v1_ev_values(const struct v1_decoder *d, const struct v1_ev *e, struct v1_raw *r)
{
    const uint8_t *p = e->at;
    if (p && slow_event(d, &p, r) && r->type == e->tag.type && d->kind[r->type].timed) {
        unsigned t = d->kind[r->type].timed;
        memmove(r->v, r->v + t, (V1_VALUES - t) * sizeof r->v[0]);
        r->n = (uint8_t)(r->n - t);
        return true;
    }
    memset(r, 0, sizeof *r);
    return false;
}

uint64_t v1_ev_stack(const struct v1_decoder *d, const struct v1_ev *e)
{
    struct v1_raw r;
    if (e->stack != V1_FAR_STACK)
        return e->stack;
    return v1_ev_values(d, e, &r) ? r.v[r.n - 1] : 0;
}

uint64_t v1_ev_real_ticks(const struct v1_decoder *d, const struct v1_ev *e)
{
    bool local = e->tag.type == V1_SYS_EXIT_LOCAL;
    struct v1_raw r;
    if ((!local && (e->tag.type != V1_SYS_EXIT || d->ix->dialect.version < 1007)) || !v1_ev_values(d, e, &r))
        return 0;
    return r.v[local ? 1 : 2];
}

/* Returns whether an event of this type shows if a system call that the same P is in blocks. Those about
 * another goroutine or none do not. */
static bool says(unsigned type)
{
    return EVENT[type].whose != NOBODY && EVENT[type].whose != NAMED;
}

bool v1_blocks(const struct v1_decoder *d, const struct v1_cursor *c)
{
    for (uint32_t i = c->head; i != c->fill; i++) {
        const uint8_t type = v1_ring(d, c, i)->tag.type;
        if (says(type))
            return type == V1_SYS_BLOCK;
    }
    const uint8_t *p = c->p, *end = c->end;
    uint32_t batch = c->batch;
    bool gap = c->gap;
    while (!c->ended) {
        struct v1_raw r;
        if (p >= end) {
            if (gap || batch == V1_NO_BATCH)
                return false;
            const struct v1_batch *b = &d->ix->batch[batch];
            p = d->s->data + b->off;
            end = p + b->len;
            gap = b->gap;
            batch = b->next;
        }
        if (!slow_event(d, &p, &r))
            return false;
        if (d->kind[r.type].timed && says(r.type))
            return r.type == V1_SYS_BLOCK;
    }
    return false;
}

/* ---- set-up -------------------------------------------------------------------------------------------- */

/* Returns the form of an event without a length: that of one of the four commonest, or the kind's. */
static uint8_t common_form(const struct v1_kind *k, unsigned t, const struct v1_dialect *d)
{
    if (d->version < 1007)
        return k->form;
    if (EVENT[t].whose == STOPS && RULE[t].who == WHO_CTX && k->stack)
        return F_STOP;
    return t == V1_GO_START_LOCAL  ? F_START
           : t == V1_UNBLOCK_LOCAL ? F_WAKE
           : t == V1_SYS_CALL      ? F_CALL
                                   : k->form;
}

static void kind_init(struct v1_kind *k, unsigned t, const struct v1_dialect *d)
{
    const struct v1_shape *s = &d->shape[t];
    const struct rule *r = &RULE[t];
    const uint8_t whose = EVENT[t].whose;
    memset(k, 0, sizeof *k);
    k->tag = k->bare = (struct v1_tag){.type = (uint8_t)t, .means = EVENT[t].means};
    k->keep = UINT64_MAX;
    k->timed = s->timed;
    k->stack = s->name && s->stack >= 0;
    if (!s->timed)
        return;
    k->k = (uint8_t)(s->n - s->timed - k->stack);
    k->name = whose == STARTS || whose == NAMED || whose == NAMES ? UINT32_MAX : 0;
    k->own = k->k > (k->name ? 1 : 0);
    k->form = t == V1_LOG ? F_SLOW : F_NUMBERS;
    k->g_arg = whose == STARTS || whose == NAMED ? UINT32_MAX : 0;
    k->g_run = k->g_arg || whose == NOBODY ? 0 : UINT32_MAX;
    k->run_arg = whose == STARTS ? UINT32_MAX : 0;
    k->run_run = whose == STARTS || whose == STOPS ? 0 : UINT32_MAX;
    if (d->version < 1007 || r->who == WHO_NOBODY)
        return;
    k->rule_arg = r->who == WHO_ARG ? UINT32_MAX : 0;
    k->rule_g = r->who == WHO_CTX ? UINT32_MAX : 0;
    k->rule_gc = r->who == WHO_GC ? UINT32_MAX : 0;
    bool next = r->new_seq == SEQ_INC || r->new_seq == SEQ_NEXT;
    k->tag.mask = r->need_seq == SEQ_ANY ? 3 : -1;
    k->tag.delta = (int8_t)(r->becomes - r->need +
                            (next             ? 4
                             : r->new_seq > 0 ? 4 * (r->new_seq - r->need_seq)
                                              : 0));
    k->want = r->need + (r->need_seq > 0 ? 4 * (uint64_t)r->need_seq : 0);
    k->numbered = r->need_seq == SEQ_SAME ? UINT64_MAX : 0;
    k->keep = r->new_seq == SEQ_KEEP || r->new_seq == SEQ_INC ? ~UINT64_C(3) : 0;
    k->add = r->becomes + (r->new_seq > 0 ? 4 * (uint64_t)r->new_seq : 0) + (next ? 4 : 0);
}

enum err_code v1_decoder_init(struct v1_decoder *d, struct source *s, const struct v1_index *ix)
{
    memset(d, 0, sizeof *d);
    d->s = s;
    d->ix = ix;
    d->by_seq = ix->dialect.version == 1005;
    d->skew = v1_index_skew(ix);
    d->safe = s->len > FAST_BYTES ? s->data + s->len - FAST_BYTES : s->data;
    uint32_t bits = 1;
    while (bits < RING_BITS_MAX && (ix->nproc << bits) < RING_SLOTS)
        bits++;
    d->mask = (1u << bits) - 1;
    d->ahead = 1;
    for (unsigned t = 0; t < V1_TYPES; t++) {
        kind_init(&d->kind[t], t, &ix->dialect);
        d->ask |= says(t) && t != V1_SYS_BLOCK ? 0 : UINT64_C(1) << t;
    }
    for (unsigned b = 0; b < 0xc0; b++)
        d->form[b] = common_form(&d->kind[b & 63], b & 63, &ix->dialect);
    new_g_row(d, 0);
    new_g_row(d, UINT64_MAX);
    d->cur = mem_zalloc(ix->nproc * sizeof *d->cur);
    d->ring = mem_zalloc((ix->nproc << bits) * sizeof *d->ring);
    if (d->oom || !d->cur || !d->ring)
        return ERR_NOMEM; /* v1_decoder_free() frees what was allocated */
    for (size_t i = 0; i < ix->nproc; i++) {
        d->cur[i].batch = ix->proc[i].first;
        d->cur[i].until = UINT64_MAX;
        d->cur[i].ring = d->ring + (i << bits);
        for (size_t j = 0; j <= d->mask; j++)
            d->cur[i].ring[j].p = (uint32_t)i;
    }
    return ERR_OK;
}

void v1_decoder_free(struct v1_decoder *d)
{
    idmap_free(&d->gid);
    mem_free(d->g);
    mem_free(d->cur);
    mem_free(d->ring);
    memset(d, 0, sizeof *d);
}
