/*
 * v2_sim.h - a second-family trace event by event in their order, for who writes a part of it anew.
 *
 * The order and what each event does are the model's (v2_order.h); this keeps in view what the file's bytes say: numbers of
 * strings and stacks, clock units. Nothing is interned and nothing becomes a model. Starts at any generation, as at a trace's
 * first one.
 */
#ifndef GOTOP_DECODE_V2_SIM_H
#define GOTOP_DECODE_V2_SIM_H

#include "decode/v2/v2_step.h"

struct v2s_g { /* a goroutine that is there */
    uint64_t id;
    uint64_t stack;            /* where it left the processor last, in generation stackgen */
    uint64_t kind, kind_stack; /* while it stops the world: string, stack */
    uint64_t label;            /* string: what it works as since it runs, in generation labelgen; 0 = nothing told */
    uint32_t stackgen, labelgen;
    uint32_t next; /* of an entry that is free: the next one, index + 1 */
    bool gone;
};

struct v2s_thread {    /* one thread's events of this generation */
    uint32_t first, n; /* its batches: places in v2_order.list */
    uint32_t batch;    /* of its last event that is done, */
    uint64_t units;    /* and that one's time */
};

struct v2s_event {
    struct v2_raw_ev ev;
    uint64_t units;   /* clock units as written */
    uint32_t m, p, g; /* thread; P and goroutine that it had before; EV_NONE */
    bool fresh;       /* a status, of what nothing was known before */
    bool left_out;    /* by who mends: it did not come */
};

enum v2s_rc { V2S_UNTIL, V2S_END };

struct v2_sim {
    struct v2_order o; /* first */
    struct source s;
    struct names names; /* empty: what the file calls by numbers stays so */
    struct v2_gen gen;
    const uint8_t *data;
    uint32_t ordinal; /* of the generation, 1 = the first one here */
    struct v2s_g *g;
    size_t ng, capg;
    uint32_t spare; /* entries of goroutines that are over, index + 1 */
    struct idmap at;
    struct v2s_thread *thread; /* by cursor */
    size_t capthread;
    struct v2s_metric { /* last told, by which event; 0: not yet */
        uint64_t value;
        uint8_t type;
    } metric[METRIC_COUNT];
    int64_t until;
    uint64_t n;         /* events that are done, CPU samples among them */
    struct err damage;  /* why it can't go on */
    bool written;       /* the generation's events are none of the file's bytes */
    struct v2s_before { /* as the event at hand was tried */
        size_t np;      /* how many Ps there were */
        uint32_t p, g;  /* what its thread had */
        uint64_t g_id;
    } was;
    bool left_out; /* mender's to set: the event at hand is */
    /* Called with each event when it is done. false: no memory. NULL is allowed. */
    bool (*seen)(void *arg, const struct v2s_event *e);
    /* mender - makes an event possible that can't come: its begin(), due(), lacks() and over() are called. NULL: that is damage, and
       the end. */
    const struct v2_loose *mender;
    struct v2_loose asks; /* what the order calls: these, and the simulation's own */
    void *arg;
};

/*
 * v2_sim_begin - start on a generation, which must stay. false: no memory. v2_sim_run - its events up to `until` (ns on the
 * trace's clock, as Go tells them). V2S_UNTIL: the next one would not be before that. V2S_END: there is none any more, or
 * sim->damage says why it can't go on, or sim->o.oom.
 */
bool v2_sim_begin(struct v2_sim *s, const uint8_t *data, const struct v2_raw_gen *gen);
enum v2s_rc v2_sim_run(struct v2_sim *s, int64_t until);
/* v2_sim_do - an event on thread m (EV_NONE: none) that the trace doesn't have, in a generation. false: it can't come. */
bool v2_sim_do(struct v2_sim *s, uint32_t m, const struct v2_raw_ev *ev);
/* v2_sim_units - the time of a cursor's event, as written, and of the one before it in its batch. */
uint64_t v2_sim_units(const struct v2_sim *s, const struct v2_cursor *c, uint64_t *before);
/* v2_sim_copy - who there is and what is known of them, but not of a generation. false: no memory; free *to either way. */
bool v2_sim_copy(struct v2_sim *to, const struct v2_sim *from);
void v2_sim_free(struct v2_sim *s);

static inline struct v2_sim *v2_sim_of(struct v2_order *o)
{
    return (struct v2_sim *)(void *)o;
}

/* v2_sim_g - the goroutine's place in the order. Of an entry that isn't gone. */
static inline uint32_t v2_sim_g(const struct v2_sim *s, const struct v2s_g *g)
{
    return idmap_get(&s->o.gs, g->id);
}

/* v2_sim_runs - what a thread runs, NULL. */
static inline struct v2s_g *v2_sim_runs(const struct v2_sim *s, uint32_t m)
{
    const uint32_t g = s->o.m[m].g, at = g == EV_NONE ? IDMAP_NONE : idmap_get(&s->at, v2_g_at(&s->o, g)->id);
    return at == IDMAP_NONE ? NULL : &s->g[at];
}

#endif
