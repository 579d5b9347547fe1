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

/* The arrays, while no lane is added. */
struct hot {
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

/* The tag of a state with a reason. false: it is not at hand. */
HOT bool hot_tag(const struct fold *f, uint8_t state, uint32_t reason, uint32_t *tag)
{
    const uint32_t k = reason % RECENT_TAGS;
    *tag = reason ? f->recent[state][k].tag : f->tag[state];
    return !reason || f->recent[state][k].reason == reason;
}

/* spans_push() where there is room, and dur < 2^32. */
HOT void hot_push(struct spanlane *l, int64_t t, uint64_t dur, struct waitspan next)
{
    struct waitspan *w = l->wait.next;
    l->wait.next = w + 1;
    l->room--;
    w->dur_who = l->open.dur_who | dur;
    w->rest = l->open.rest;
    l->t0 = t;
    l->open = next;
}

/* A goroutine's own stack may still have something to tell: its name, or it is one of the trace's first. */
HOT bool hot_tells(const struct fold *f, const struct spanlane *l, uint32_t stack)
{
    return stack && (l->special & SPECIAL_NAME || f->nfirst < FIRST_STACKS);
}

/* Both lanes can take a span at t, the P's one that lasted; the counts' bucket goes on. */
HOT bool hot_room(const struct fold *f, const struct spanlane *l, const struct spanlane *pl, int64_t t)
{
    uint64_t dg = (uint64_t)(t - l->t0), dp = (uint64_t)(t - pl->t0);
    return !((l->special & ~SPECIAL_NAME) | pl->special) && l->room && pl->room && !((dg | (dp - 1)) >> 32) && t < f->gb_end;
}

/*
 * The two halves of every change: g goes to a state, and the P it is on, or was on, says so too. Both need hot_room().
 * What names whom (pinfo.g, minfo.g, ..) is the caller's. longest: pinfo.longest, or what will be added to it.
 */
HOT void hot_both(struct fold *f, struct spanlane *l, struct spanlane *pl, int64_t t, uint8_t to, struct waitspan g_next,
                  struct waitspan p_next, int64_t *longest)
{
    uint64_t dg = (uint64_t)(t - l->t0), dp = (uint64_t)(t - pl->t0);
    *longest = (int64_t)dp > *longest ? (int64_t)dp : *longest;
    fold_gcount_move(f, l->state, to, t);
    l->state = to;
    hot_push(l, t, dg, g_next);
    hot_push(pl, t, dp, p_next);
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
    if (l->special & ~SPECIAL_NAME || !l->room || dur >> 32 || t >= f->gb_end || (l->p & l->m) != EV_NONE || l->state == ST_SYSCALL ||
        !hot_tag(f, ST_RUNNABLE, str, &tag))
        return false;
    fold_gcount_move(f, l->state, ST_RUNNABLE, t);
    l->state = ST_RUNNABLE;
    hot_push(l, t, dur, waitspan(0, by, stack, tag));
    return true;
}

/*
 * ---- a run of events on one P and M ----
 *
 * What names whom is only written when the run is over; until then `g` says what runs there.
 */
struct hot_run {
    struct fold *f;
    struct spanlane *lane, *pl;/* of all goroutines; the P's */
    uint32_t ng, p, m, g;      /* g: EV_NONE, nothing runs */
    uint32_t tag_run, tag_sys, tag_sched, tag_runnable;
    int64_t longest;
    struct pinfo *pi;
    struct minfo *mi;
};

/* false: what is there is out of the ordinary. */
HOT bool hot_run_begin(struct hot_run *r, struct fold *f, const struct hot *h, uint32_t p, uint32_t m, uint32_t g)
{
    if (p >= h->np || m >= h->nm)
        return false;
    *r = (struct hot_run){f, h->g, &h->p[p], h->ng, p, m, g, f->tag[ST_RUNNING], f->tag[ST_SYSCALL], f->tag[ST_SCHED],
                          f->tag[ST_RUNNABLE], h->pi[p].longest, &h->pi[p], &h->mi[m]};
    return r->mi->p == p && r->pi->state == ST_SCHED && r->pi->g == g && r->mi->g == g &&
           (g == EV_NONE || (g < h->ng && h->g[g].p == p && h->g[g].m == m));
}

HOT void hot_run_end(const struct hot_run *r)
{
    r->pi->g = r->mi->g = r->g;
    r->pi->m = r->m;
    r->pi->longest = r->longest;
}

HOT bool hot_on_start(struct hot_run *r, int64_t t, uint32_t g)
{
    struct spanlane *l = &r->lane[g];
    if (g >= r->ng || !hot_room(r->f, l, r->pl, t) || (l->p & l->m) != EV_NONE)
        return false;
    l->p = r->p;
    l->m = r->m;
    r->g = g;
    hot_both(r->f, l, r->pl, t, ST_RUNNING, waitspan(0, r->p + 1, 0, r->tag_run), waitspan(0, g + 1, 0, r->tag_run), &r->longest);
    return true;
}

/* What runs there enters (to: ST_SYSCALL) or leaves (ST_RUNNING) a system call, keeping the P. */
HOT bool hot_on_call(struct hot_run *r, int64_t t, uint8_t to, uint32_t stack)
{
    struct spanlane *l = &r->lane[r->g];
    uint32_t tag = to == ST_SYSCALL ? r->tag_sys : r->tag_run;
    if (!hot_room(r->f, l, r->pl, t) || hot_tells(r->f, l, stack))
        return false;
    hot_both(r->f, l, r->pl, t, to, waitspan(0, r->p + 1, stack, tag), waitspan(0, r->g + 1, 0, tag), &r->longest);
    return true;
}

/* hot_push() twice: `brief` lasts 1 ns. */
HOT void hot_push_two(struct spanlane *l, int64_t t, struct waitspan brief, struct waitspan next)
{
    struct waitspan *w = l->wait.next;
    uint64_t dur = (uint64_t)(t - l->t0);
    l->wait.next = w + 2;
    l->room -= 2;
    w[0].dur_who = l->open.dur_who | dur;
    w[0].rest = l->open.rest;
    w[1].dur_who = brief.dur_who | 1;
    w[1].rest = brief.rest;
    l->t0 = t + 1;
    l->open = next;
}

/* What runs there enters a system call and is back 1 ns later: hot_on_call() twice. */
HOT bool hot_on_whole_call(struct hot_run *r, int64_t t, uint32_t stack)
{
    struct fold *f = r->f;
    struct spanlane *l = &r->lane[r->g], *pl = r->pl;
    const unsigned run = GC_RUNNING, sys = GC_SYSCALL;
    if (l->room < 2 || pl->room < 2 || !hot_room(f, l, pl, t) || t + 1 >= f->gb_end || hot_tells(f, l, stack) || !f->gnow[run])
        return false;
    struct gbucket *gb = f->gb_last;
    uint64_t n = f->gnow[sys] + 1;
    gb->ns[run]--;
    gb->ns[sys]++;
    gb->max[sys] = n > gb->max[sys] ? (uint32_t)n : gb->max[sys];
    r->longest = t - pl->t0 > r->longest ? t - pl->t0 : r->longest;
    hot_push_two(l, t, waitspan(0, r->p + 1, stack, r->tag_sys), waitspan(0, r->p + 1, 0, r->tag_run));
    hot_push_two(pl, t, waitspan(0, r->g + 1, 0, r->tag_sys), waitspan(0, r->g + 1, 0, r->tag_run));
    return true;
}

/* What runs there stops or blocks. */
HOT bool hot_on_leave(struct hot_run *r, int64_t t, uint8_t to, uint32_t str, uint32_t stack)
{
    struct spanlane *l = &r->lane[r->g];
    uint32_t tag;
    if (!hot_room(r->f, l, r->pl, t) || hot_tells(r->f, l, stack) || !hot_tag(r->f, to, str, &tag))
        return false;
    l->p = l->m = r->g = EV_NONE;
    hot_both(r->f, l, r->pl, t, to, waitspan(0, 0, stack, tag), waitspan(0, 0, 0, r->tag_sched), &r->longest);
    return true;
}

#undef HOT
#endif
