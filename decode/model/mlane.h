/*
 * mlane.h - the lanes of threads, without storing anything twice.
 *
 * While an M holds a P, it does what that P's lane shows. So an M's lane is stored as holds: since when it
 * had which P, or was in a system call without one, or neither. A span of an M lane is the part of a span
 * of the P's lane that lies within a hold. A server's threads change their P a thousand times less often
 * than their state, so these lanes cost nearly nothing.
 *
 * Every HOLD_GROUP holds, running totals of the time per state are stored, and of each closed hold of a P
 * its own totals, in a dozen bytes. So the time per state up to a moment takes a search, at most HOLD_GROUP
 * additions, and a look-up in the P's lane for the hold that covers the moment.
 *
 *     h:    hold 0 | hold 1 | ...
 *     sum:  totals before hold 0 | before hold 16 | ...
 *     rec:  of each closed hold of a P: number of spans (varint), a bit per slot used, ns of each of these
 *           slots but the lowest (varints; the lowest has the rest of the hold)
 */
#ifndef GOTOP_DECODE_MLANE_H
#define GOTOP_DECODE_MLANE_H

#include "decode/events/ev.h"
#include "decode/model/spans.h"

#define HOLD_GROUP 16
#define HOLD_CALL (1u << 31)
#define HOLD_LOST (EV_NONE - 1)

struct hold {
    int64_t t0;
    uint32_t who; /* a P; with HOLD_CALL a goroutine in a system call without a P; EV_NONE; HOLD_LOST: not
                     recorded */
} __attribute__((packed, aligned(4)));

/* hold_who - hold.who of a thread that has P p or, if that is EV_NONE, goroutine g in a call without one. */
static inline uint32_t hold_who(uint32_t p, uint32_t g)
{
    return p != EV_NONE ? p : g != EV_NONE ? g | HOLD_CALL : EV_NONE;
}

/*
 * hold_p - returns the P held.
 * hold_g - returns the goroutine in a system call without a P. Both return EV_NONE if there is none.
 */
static inline uint32_t hold_p(const struct hold *h)
{
    return h->who & HOLD_CALL ? EV_NONE : h->who;
}

static inline uint32_t hold_g(const struct hold *h)
{
    return h->who & HOLD_CALL && h->who < HOLD_LOST ? h->who & ~HOLD_CALL : EV_NONE;
}

/* hold_bare - what the thread does without a P. */
static inline enum state hold_bare(const struct hold *h)
{
    return h->who == HOLD_LOST ? ST_UNKNOWN : hold_g(h) != EV_NONE ? ST_SYSCALL : ST_IDLE;
}

struct holdsum { /* Sums over all holds before a group. */
    int64_t tot[SPAN_SLOTS];
    uint64_t count; /* number of spans that began */
    size_t rec;     /* where the group's first record begins */
};

struct mlane {
    struct hold *h;
    struct holdsum *sum;
    uint8_t *rec;
    size_t n, cap, capsum, caprec; /* cap, capsum: 1 at first, as very many threads may have a single hold */
    struct holdsum now;            /* sums up to the start of the open hold; rec: bytes of records */
};

struct fold;

/* mlane_set - from t on m's hold.who is `who`. Returns false when out of memory. */
bool mlane_set(struct fold *f, uint32_t m, int64_t t, uint32_t who);

/* mlane_totals - like spans_totals(). */
void mlane_totals(const struct fold *f, uint32_t m, const struct totals *a);
/* mlane_find - the hold that covers t (clamped); the lane must have a hold. */
size_t mlane_find(const struct mlane *l, int64_t t);
/* mlane_trim - free spare room; the lane is complete. */
void mlane_trim(struct mlane *l);
void mlane_free(struct mlane *l);

#endif
