/*
 * fast_path.h - folds a second-family generation as it is ordered: the sink of decode/v2/v2_order.h.
 *
 * It carries out a thread's commonest events itself, right on the lanes (fold_hot.h), by the rules of
 * decode/v2/v2_rules.h.
 */
#ifndef GOTOP_DECODE_FAST_PATH_H
#define GOTOP_DECODE_FAST_PATH_H

#include "decode/model/fold_hot.h"
#include "decode/v2/v2_order.h"

/* A thread on the fast path. Until an event comes that is not one of the commonest, no other thread's event
 * depends on what this thread runs. So until then its state is kept here only, and is neither written back
 * nor looked up between its events. */
struct fast_thread {
    struct v2_cursor *c; /* the thread's; its copies of the fields below are out of date. NULL: unused */
    uint32_t cursor;     /* its number; UINT32_MAX: unused */
    struct v2_p *p;
    struct v2_g *own;      /* the goroutine it runs, which never moves */
    const uint8_t *at;     /* the next event */
    const uint8_t *args;   /* the next event's arguments, if `now` is its time; else NULL */
    const uint8_t *behind; /* an event that begins after this place may end outside its batch */
    int64_t now;           /* in the model's time, from the trace's first event */
    int64_t before;        /* time of the thread's last event */
    int64_t clock;         /* times after this one need a closer look */
    struct hot_run r;
};

/* lookup - read access to a table that does not change meanwhile. The id is nearly always in its first
 * slot. */
struct lookup {
    const uint64_t *key;
    const uint32_t *val;
    uint64_t mask;
    const struct idmap *map;
};

enum { FAST_THREADS = 32 }; /* threads that are on the fast path at once; a power of two */

/* This is the fast path as a whole. It is kept in memory, having more fields than there are registers. */
struct fast_path {
    struct v2_sink k;
    bool ready;       /* no table is empty, and no event may be missing (v2_order.lossy) */
    uint32_t ordinal; /* number of the generation */
    uint64_t unit;
    int64_t base;
    struct lookup gs, stacks;
    const uint32_t *reason;
    const struct v2_gs *gs_at;
    int64_t last; /* time of the last event */
    /* how far the thread may go on, all limits counted; when another thread's event is due */
    int64_t limit, until;
    int64_t over;     /* time of the thread's next event, if that is beyond `limit` */
    uint64_t metrics; /* number of events of the fast path that are metrics */
    uint64_t ranges;  /* number of events of the fast path that begin or end a range */
    struct hot h;
    /* waitspan.rest for each reason of GoBlock and GoStop, filled in when first asked for; 0: not known */
    uint64_t rest[2][V2_REASONS];
    const struct v2_p *vps; /* the array's address when the threads were opened */
    uint32_t nopen;
    struct fast_thread open[FAST_THREADS];
};

/* fast_path_init - make a sink that folds into f. */
void fast_path_init(struct fast_path *ts, struct fold *f);

#endif
