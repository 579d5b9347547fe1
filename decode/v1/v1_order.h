/*
 * v1_order.h - the first family's events in the order in which they happened.
 *
 * Each processor's chain of batches is in order by itself (v1_decode.h). How the chains are merged depends on
 * the dialect: the prototype by time; 1.5 by a global sequence number; later ones by each goroutine's
 * sequence numbers and states (V1_LEAVES), and among several events that are ready by time. Ends of system
 * calls and CPU samples are then moved to their real times (v1_merge_next()).
 *
 * Cost of an event: decoding it, one step among the processors, at most one look-up of a goroutine by id.
 */
#ifndef GOTOP_DECODE_V1_ORDER_H
#define GOTOP_DECODE_V1_ORDER_H

#include "decode/base/heap.h"
#include "decode/v1/v1_decode.h"

struct v1_order {
    struct v1_decoder d;
    bool quiet;        /* don't note damage: this is the rehearsal of v1_source.c */
    bool by_time;      /* too much contradicts: from here on events are ordered by time alone */
    struct heap *heap; /* cursors whose next events are ready, by v1_order_key() */
    size_t nheap, nwaiting;
    int64_t oldest; /* no waiting event is earlier */
    uint64_t slack; /* ticks: what an event waits for comes by then, or was lost */
    int64_t side;   /* time of the next moved event: the earlier one of the index's two lists */
    uint64_t repairs, max_repairs, work, max_work; /* beyond the limits: by_time */
    /* v1_merge_next */
    const struct v1_ev *head; /* the next event as written, if it is taken already */
    /* head, the event returned last: it came though what it needs did not, so events are missing. */
    bool head_broke, broke;
    size_t exit, sample; /* the next ones in the index's lists */
    struct v1_ev extra;
};

/* v1_order_init - s and ix, whose index is done, must outlive it. ERR_NOMEM:
 * v1_order_free() it all the same. */
enum err_code v1_order_init(struct v1_order *o, struct source *s, const struct v1_index *ix);
void v1_order_free(struct v1_order *o);
/*
 * v1_merge_next - the next event in final order; NULL: there is none, or out of memory (o->d.oom). It is
 * valid until the next call. Times run backwards where the file's clocks do.
 */
const struct v1_ev *v1_merge_next(struct v1_order *o);
/*
 * v1_exits - does a goroutine's system call end by this event? From 1.7 on that is written twice, at the real
 * time and where it was written. The first one counts if the goroutine had no P then; else the second one
 * does.
 */
bool v1_exits(const struct v1_order *o, const struct v1_ev *e);
/* v1_order_lossy - events are missing from here on: don't wait long for what an event waits for. */
void v1_order_lossy(struct v1_order *o);

/* ---- one step among the processors, for the hot loop of v1_fast.c -------------------------------------- */

/* v1_order_settle - the top's event was taken, which belongs to cursor cur and changed g (its rule_g): put
   cur and g's waiters where they belong now. more: cur has further events. */
void v1_order_settle(struct v1_order *o, uint32_t g, uint32_t cur, bool more);
/* v1_order_overdue - may there be an event that waits in vain, being so much earlier than this key? */
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

/* v1_order_key - what events are merged by: the global sequence number (1.5), else the ticks. */
static inline int64_t v1_order_key(const struct v1_order *o, const struct v1_ev *e)
{
    return (int64_t)(o->d.by_seq ? e->seq : e->ticks);
}

/* v1_order_replace - the top's cursor has another next event, with this key. */
static inline void v1_order_replace(struct v1_order *o, int64_t key)
{
    o->heap[0].t = key;
    heap_down(o->heap, o->nheap, true);
}

#endif
