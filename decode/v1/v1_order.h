/*
 * v1_order.h - the first family's events in the order they happened.
 *
 * Each processor's chain of batches is in order by itself and decoded a few events ahead (v1_decode.h). How the chains
 * are merged differs: the prototype by time, 1.5 by a global sequence number, later dialects by the per-goroutine
 * sequence numbers and states of V1_LEAVES, among several ready ones by time.
 *
 * Ends of system calls and CPU samples then take the place their real time gives them (v1_merge_next()).
 * Cost per event: one decode, one step among the processors, at most one look-up of a goroutine by id.
 */
#ifndef GOTOP_DECODE_V1_ORDER_H
#define GOTOP_DECODE_V1_ORDER_H

#include "decode/v1/v1_decode.h"

struct v1_order {
    struct v1_decoder d;
    bool quiet;  /* a rehearsal: no damage notes */
    bool strict; /* where events are missing, or seem to be (stuck), that is the end */
    bool stuck;
    bool by_time; /* gave up on consistency */
    struct v1_slot {
        int64_t key;
        uint32_t cur;
    } * heap; /* cursors whose heads may come next */
    size_t nheap, nwaiting;
    int64_t oldest; /* no event that waits is earlier */
    uint64_t slack; /* so many ticks later than one that waits no other can be what it waits for: it was lost */
    bool sorted;    /* few processors: the "heap" is an array in descending order */
    int64_t side;   /* earliest key of the two lists of moved events */
    uint64_t repairs, max_repairs, work, max_work;
    /* v1_merge_next */
    const struct v1_ev *head;
    bool head_broke,
        broke; /* the event (head; handed over last) came though what it needs did not: some are missing */
    size_t exit, sample;
    struct v1_ev extra;
};

enum err_code v1_order_init(struct v1_order *o, struct source *s, const struct v1_index *ix);
void v1_order_free(struct v1_order *o);
/*
 * v1_merge_next - the next event in final order, NULL at the end (or out of memory: o->d.oom). It stays valid until
 * the next call. Times may still run backwards if the file's clocks do.
 */
const struct v1_ev *v1_merge_next(struct v1_order *o);
/* v1_exits - can a goroutine run now whose system call ends by this event? From 1.7 on it can since the moved one, if it had no P then. */
bool v1_exits(const struct v1_order *o, const struct v1_ev *e);
/* v1_order_torn - events are missing from here on: what waits for them does not wait for long. */
void v1_order_torn(struct v1_order *o);

/* ---- one step among the processors, for the hot loop of v1_play.c ------------------------------------------ */

/* v1_order_settle - the event of the top's cursor was taken, g its rule_g: put everyone where they belong now. */
void v1_order_settle(struct v1_order *o, uint32_t g, uint32_t cur, bool more);
/* v1_order_sift - the first of the heap where it belongs. */
void v1_order_sift(struct v1_order *o);

/* v1_order_overdue - is an event that waits so much earlier than this that it waits in vain? Perhaps. */
static inline bool v1_order_overdue(const struct v1_order *o, int64_t key)
{
    return o->nwaiting && key > o->oldest && (uint64_t)key - (uint64_t)o->oldest > o->slack;
}

/* v1_order_patience - up to this time no event is overdue. */
static inline int64_t v1_order_patience(const struct v1_order *o)
{
    const bool all = !o->nwaiting || o->oldest > INT64_MAX - (int64_t)o->slack - 1;
    return all ? INT64_MAX : o->oldest + (int64_t)o->slack + 1;
}

/* v1_order_head - the cursor's next event; it has one. */
static inline const struct v1_ev *v1_order_head(const struct v1_order *o, uint32_t cur)
{
    return v1_ring(&o->d, &o->d.cur[cur], o->d.cur[cur].head);
}

static inline int64_t v1_order_key(const struct v1_order *o, const struct v1_ev *e)
{
    return (int64_t)(o->d.by_seq ? e->seq : e->ticks);
}

static inline size_t v1_order_top(const struct v1_order *o)
{
    return o->sorted ? o->nheap - 1 : 0;
}

/* v1_order_insert - into the descending array, from its end, where i elements stand. */
static inline void v1_order_insert(struct v1_order *o, size_t i, struct v1_slot x)
{
    struct v1_slot *s = o->heap + i;
    for (; s > o->heap && s[-1].key <= x.key; s--) {
        s->key = s[-1].key; /* not as a whole: what was stored in two is loaded in two */
        s->cur = s[-1].cur;
    }
    s->key = x.key;
    s->cur = x.cur;
}

/* v1_order_replace - the top's cursor has another head now, of this key. */
static inline void v1_order_replace(struct v1_order *o, int64_t key)
{
    if (o->sorted) {
        v1_order_insert(o, o->nheap - 1, (struct v1_slot){key, o->heap[o->nheap - 1].cur});
        return;
    }
    o->heap[0].key = key;
    v1_order_sift(o);
}

/* v1_order_limit - with a head of a key below this the top's cursor stays on top. */
static inline int64_t v1_order_limit(const struct v1_order *o)
{
    int64_t key = INT64_MAX;
    if (o->sorted)
        return o->nheap > 1 ? o->heap[o->nheap - 2].key : key;
    for (size_t i = 1; i < 3 && i < o->nheap; i++)
        key = o->heap[i].key < key ? o->heap[i].key : key;
    return key;
}

#endif
