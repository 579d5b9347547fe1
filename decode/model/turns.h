/*
 * turns.h - a second-family generation into a model: the sink of decode/v2/v2_order.h.
 *
 * A thread's commonest events are carried out here, right on the lanes (fold_hot.h), by the rules of decode/v2/v2_rules.h.
 */
#ifndef GOTOP_DECODE_TURNS_H
#define GOTOP_DECODE_TURNS_H

#include "decode/model/fold_hot.h"
#include "decode/v2/v2_order.h"

/*
 * A thread's turns. Nobody else looks at what it runs until an event comes that is not one of the commonest, so nothing of it
 * need be written between two turns, nor looked up again.
 */
struct turn {
    struct v2_cursor *c; /* whose; its own copies of what follows are as they were. NULL: free */
    uint32_t cursor;     /* its number; UINT32_MAX: free */
    struct v2_m *vm;
    struct v2_p *p;
    struct v2_g *own;      /* of what it runs; it stays where it is */
    const uint8_t *at;     /* the next event */
    const uint8_t *args;   /* its arguments, if its time is known, and that time; else NULL */
    const uint8_t *behind; /* no event that begins here can end beyond its batch */
    int64_t now;           /* times are the model's: since the trace's first event */
    int64_t before;        /* time of the thread's last one */
    int64_t clock;         /* what is later is looked at closely */
    struct hot_run r;
};

/* A look-up in a table that nobody adds to meanwhile: nearly always the id stands where it is looked for first. */
struct lookup {
    const uint64_t *key;
    const uint32_t *val;
    uint64_t mask;
    const struct idmap *map;
};

enum { TURNS = 32 }; /* threads whose turns are held open; a power of two */

/* All of it stands in memory: there is too much of it for registers. */
struct turns {
    struct v2_sink k;
    bool ready;       /* none of the tables is empty */
    uint32_t ordinal; /* of the generation */
    uint64_t unit;
    int64_t base;
    struct lookup gs, stacks;
    const uint32_t *reason;
    const struct v2_gs *gs_at;
    int64_t last;         /* time of the last event */
    int64_t limit, until; /* up to when the current turn may go on: for good; until it is another thread's */
    int64_t over;         /* time of the event that is later */
    uint64_t metrics;     /* so many of the turns' events are */
    uint64_t ranges;      /* so many begin or end one */
    struct hot h;
    uint64_t rest[2]
                 [V2_REASONS]; /* what a span says of GoBlock's, GoStop's reasons, once asked for; 0: not at hand */
    const struct v2_m *vms;    /* where the arrays stood when the turns were opened */
    const struct v2_p *vps;
    uint32_t nopen;
    struct turn open[TURNS];
};

/* turns_init - a sink into f. */
void turns_init(struct turns *ts, struct fold *f);

#endif
