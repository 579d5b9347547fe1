/*
 * fold_hot.h - what nearly all events do to the model: a known goroutine starts on a P, enters or leaves a system call
 * with it, stops, blocks, is woken. For fold.c, and for a reader that folds as it goes (decode/v2_order.c).
 *
 * Everything that could make it more than a few stores is asked first: a special lane, a full block, a long duration,
 * a new bucket of the counts, a tag not at hand, a thread that changes its P. Then these return false, nothing has
 * changed, and the event goes the long way as a struct ev. So there is no call in here, and a loop around it keeps its
 * values in registers.
 */
#ifndef GOTOP_DECODE_FOLD_HOT_H
#define GOTOP_DECODE_FOLD_HOT_H

#include "decode/fold_priv.h"

#define HOT static inline __attribute__((always_inline))

struct hot { /* the arrays, while no lane is added */
    struct spanlane *g, *p;
    struct pinfo *pi;
    struct minfo *mi;
    uint32_t ng, np, nm;
};

HOT struct hot hot_take(const struct fold *f)
{
    return (struct hot){f->lane[LANE_G], f->lane[LANE_P], f->p, f->m, (uint32_t)f->nlane[LANE_G], (uint32_t)f->nlane[LANE_P],
                        (uint32_t)f->nlane[LANE_M]};
}

/* spans_push() where there is room, and dur < 2^32. */
HOT void hot_push(struct spanlane *l, int64_t t, uint32_t dur, uint32_t tag, uint32_t who, uint32_t stack)
{
    struct waitspan *w = l->wait.next;
    l->wait.next = w + 1;
    l->room--;
    w->dur_who = l->open.dur_who | dur;
    w->rest = l->open.rest;
    l->t0 = t;
    l->open = waitspan(0, who, stack, tag);
}

HOT bool hot_tag(const struct fold *f, uint8_t state, uint32_t reason, uint32_t *tag)
{
    const uint32_t k = reason % RECENT_TAGS;
    *tag = f->recent[state][k].tag;
    return f->recent[state][k].reason == reason;
}

/* Both lanes can take a span at t, the P's one that lasted; the counts' bucket goes on. */
HOT bool hot_room(const struct fold *f, const struct spanlane *l, const struct spanlane *pl, int64_t t)
{
    uint64_t dg = (uint64_t)(t - l->t0), dp = (uint64_t)(t - pl->t0);
    return !(l->special | pl->special) && l->room && pl->room && !((dg | (dp - 1)) >> 32) && t < f->gb_end;
}

/* to: ST_RUNNING or ST_SYSCALL. str: its reason. */
HOT bool hot_run(struct fold *f, const struct hot *h, int64_t t, uint32_t g, uint32_t p, uint32_t m, uint8_t to, uint32_t str,
                 uint32_t stack)
{
    uint32_t tag, p_tag = f->tag[to];
    if (g >= h->ng || p >= h->np || m >= h->nm)
        return false;
    struct spanlane *l = &h->g[g], *pl = &h->p[p];
    struct pinfo *pi = &h->pi[p];
    struct minfo *mi = &h->mi[m];
    if (!hot_room(f, l, pl, t) || !hot_tag(f, to, str, &tag))
        return false;
    if (((l->p ^ p) | (l->m ^ m)) != 0 && (l->p & l->m) != EV_NONE)
        return false;
    if (mi->p != p || wait_same(&pl->open, p_tag, g + 1))
        return false;
    uint32_t dp = (uint32_t)(t - pl->t0);
    if (dp > pi->longest)
        pi->longest = dp;
    l->p = p;
    l->m = pi->m = m;
    pi->g = mi->g = g;
    pi->state = ST_SCHED;
    fold_gcount_move(f, l->state, to, t);
    l->state = to;
    hot_push(l, t, (uint32_t)(t - l->t0), tag, p + 1, stack);
    hot_push(pl, t, dp, p_tag, g + 1, 0);
    return true;
}

/* to: ST_RUNNABLE or ST_WAITING, from where it runs. */
HOT bool hot_leave(struct fold *f, const struct hot *h, int64_t t, uint32_t g, uint8_t to, uint32_t str, uint32_t stack)
{
    uint32_t tag;
    if (g >= h->ng)
        return false;
    struct spanlane *l = &h->g[g];
    uint32_t p = l->p, m = l->m;
    if (p >= h->np || m >= h->nm || l->state == ST_SYSCALL)
        return false;
    struct pinfo *pi = &h->pi[p];
    struct spanlane *pl = &h->p[p];
    struct minfo *mi = &h->mi[m];
    uint32_t p_tag = f->tag[pi->state];
    if (!hot_room(f, l, pl, t) || !hot_tag(f, to, str, &tag))
        return false;
    if (pi->g != g || mi->g != g || mi->p == EV_NONE || wait_same(&pl->open, p_tag, 0))
        return false;
    uint32_t dp = (uint32_t)(t - pl->t0);
    if (dp > pi->longest)
        pi->longest = dp;
    l->p = l->m = pi->g = mi->g = EV_NONE;
    fold_gcount_move(f, l->state, to, t);
    l->state = to;
    hot_push(l, t, (uint32_t)(t - l->t0), tag, 0, stack);
    hot_push(pl, t, dp, p_tag, 0, 0);
    return true;
}

/* It runs nowhere, and is woken; by: who did it, EV_NONE. */
HOT bool hot_wake(struct fold *f, const struct hot *h, int64_t t, uint32_t g, uint32_t by, uint32_t str, uint32_t stack)
{
    uint32_t tag;
    by++; /* EV_NONE + 1 is 0 */
    if (g >= h->ng || by > h->ng)
        return false;
    struct spanlane *l = &h->g[g];
    uint64_t dur = (uint64_t)(t - l->t0);
    if (l->special || !l->room || dur >> 32 || t >= f->gb_end || (l->p & l->m) != EV_NONE || l->state == ST_SYSCALL ||
        !hot_tag(f, ST_RUNNABLE, str, &tag))
        return false;
    fold_gcount_move(f, l->state, ST_RUNNABLE, t);
    l->state = ST_RUNNABLE;
    hot_push(l, t, (uint32_t)dur, tag, by, stack);
    return true;
}

#undef HOT
#endif
