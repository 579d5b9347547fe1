/*
 * v2_turn.h - a thread's turns: its commonest events, one after another, while they are the earliest. What v2_order.c
 * (whose turn it is) and v2_turn.c (the events) share. Nobody else includes it.
 */
#ifndef GOTOP_DECODE_V2_TURN_H
#define GOTOP_DECODE_V2_TURN_H

#include "decode/model/fold_hot.h"
#include "decode/v2/v2_state.h"

#define HOT static inline __attribute__((always_inline))

/* The longest event: its type, the time, and all arguments. */
#define EVENT_MAX (1 + 10 + 10 * (ptrdiff_t)(sizeof((struct v2_cursor *)0)->arg / sizeof(uint64_t)))

enum { TURNS = 32 }; /* threads whose turns are held open; a power of two */

/* A look-up in a table that nobody adds to meanwhile: nearly always the id stands where it is looked for first. */
struct lookup {
    const uint64_t *key;
    const uint32_t *val;
    uint64_t mask;
    const struct idmap *map;
};

HOT struct lookup lookup_take(const struct idmap *m)
{
    return (struct lookup){m->key, m->val, (uint64_t)m->cap - 1, m};
}

/*
 * A thread's turns of the commonest events. Nobody else looks at what it runs until an event comes that is not one of
 * them, so nothing of it need be written between two turns, nor looked up again.
 */
struct turn {
    struct v2_cursor *c; /* whose; its own copies of what follows are as they were */
    struct v2_m *vm;
    struct v2_p *p;
    const uint8_t *at;     /* the next event */
    const uint8_t *args;   /* its arguments, if its time is known, and that time; else NULL */
    const uint8_t *behind; /* no event that begins here can end beyond its batch */
    int64_t now;           /* times are those that are handed over: since the trace's first event */
    int64_t before;        /* time of the thread's last one */
    uint8_t status;        /* of what runs there */
    bool told;             /* the stream has an EVS_ON for it */
    struct hot_run r;      /* into o->out: only p, m, g */
};

/* All of it stands in memory: there is too much of it for registers. */
struct turns {
    bool ready;       /* none of the tables is empty */
    uint32_t ordinal; /* of the generation */
    uint64_t unit;
    int64_t base;
    struct lookup gs, stacks;
    const uint32_t *reason;
    struct v2_g *g;
    int64_t last;         /* time of the last event */
    int64_t limit, until; /* up to when the current turn may go on: for good; until it is another thread's */
    int64_t over;         /* time of the event that is later */
    size_t room;          /* how many events more there may be */
    size_t n;             /* how many there were */
    struct hot h;
    struct evs *out; /* the next in the stream; NULL: they are folded */
    int64_t told;    /* time of the last event in the stream, as its reader knows it */
    struct v2_order *o;
    uint64_t rest[2][V2_REASONS]; /* turn_reason(): GoBlock's, GoStop's */
    const struct v2_m *vms;       /* where the arrays stood when the turns were opened */
    const struct v2_p *vps;
    uint32_t nopen;
    struct turn open[TURNS];
};

/* Before the first turn, and after any event that is not one of theirs. */
HOT void turns_take(struct turns *ts, const struct v2_order *o, struct fold *f)
{
    const struct v2_gen *gen = o->gen;
    ts->ready = !o->park.n && !o->loose && o->have_base && o->unit64 && o->gs.cap && gen->stacks.cap;
    ts->ordinal = gen->ordinal;
    ts->unit = o->unit64;
    ts->base = o->base;
    ts->gs = lookup_take(&o->gs);
    ts->stacks = lookup_take(&gen->stacks);
    ts->reason = gen->reason;
    ts->g = o->g;
    ts->last = o->last - o->base;
    ts->out = f ? NULL : o->out + o->nout;
    if (f)
        ts->h = hot_take(f);
}

/* Into the stream: on which P and M the short ones behind it are, and what runs there. */
HOT void put_on(struct turns *ts, const struct hot_run *r)
{
    *ts->out++ = (struct evs){.dt = r->p, .stack = r->m, .kind = EVS_ON, .g = r->g};
}

/*
 * v2_turn_out, v2_turn_fold - events of a turn into the stream, or into the model: what v2_adv() does, without what can't
 * matter for them. Up to ts->room of them, which is counted down. true: the next one's time is known, and it is later
 * than ts->until. false: the next one is none of them, or beyond ts->limit (then ts->over is its time), or the batch ends.
 */
bool v2_turn_out(struct turns *ts, struct turn *u);
bool v2_turn_fold(struct turns *ts, struct turn *u);

#undef HOT
#endif
