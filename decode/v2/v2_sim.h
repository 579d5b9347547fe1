/*
 * v2_sim.h - a second-family trace event by event in order, for code that rewrites a part of it.
 *
 * Tables, order and the events' effects are the model's (v2_gen.h, v2_order.h), but nothing is put right: the
 * first thing that is wrong, in any of them, is `damage` and the end. It may start at any generation, taking
 * it as a trace's first. A generation that was run to its end without damage is sound.
 *
 * What is kept of goroutines is what the file itself says: its numbers of strings and stacks, its clock
 * units. No model is made. Memory: all goroutines, Ps and threads, the tables of one generation, and all
 * names there were.
 */
#ifndef GOTOP_DECODE_V2_SIM_H
#define GOTOP_DECODE_V2_SIM_H

#include "decode/damage/v2_step.h"

struct v2s_g { /* a goroutine that is there */
    uint64_t id;
    uint64_t stack;            /* of where it left the processor last; a number of generation stackgen */
    uint64_t kind, kind_stack; /* while it stops the world: why (a string), its stack */
    uint64_t label; /* its label since it runs; a string's number of generation labelgen, 0 = none */
    uint32_t stackgen, labelgen;
    uint32_t next; /* of an entry that is free: the next one, index + 1 */
    bool gone;
};

struct v2s_thread {    /* one thread's events of this generation */
    uint32_t first, n; /* its batches: indices into v2_order.list */
    uint32_t batch;    /* the batch of its last event that is done, */
    uint64_t units;    /* and the time of that event */
};

struct v2s_event {
    struct v2_raw_ev ev;
    uint64_t units;   /* clock units as written */
    uint32_t m, p, g; /* the thread, and the P and goroutine that it had before the event; EV_NONE */
    bool fresh;       /* it is the first status of something that was not known before */
};

enum v2s_rc { V2S_UNTIL, V2S_END };

struct v2_sim {
    struct v2_order o; /* first */
    struct source s;
    struct names names; /* of the tables so far */
    struct v2_gen gen;
    const uint8_t *data;
    uint32_t ordinal; /* of the generation, 1 = the one it started with */
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
    uint64_t n;         /* events that are done, CPU samples included */
    struct err damage;  /* why it can't go on */
    struct v2s_before { /* how things were when the current event was tried */
        size_t np;      /* number of Ps */
        uint32_t p, g;  /* what its thread had */
        uint64_t g_id;
    } was;
    /* Called with each event when it is done. false: no memory. NULL is allowed. */
    bool (*seen)(void *arg, const struct v2s_event *e);
    void *arg;
};

/*
 * v2_sim_begin - start on a generation of the file, which must stay in memory. false: no memory. v2_sim_run -
 * carry out its events before `until` (ns on the trace's clock, as Go tells them). V2S_UNTIL: the next one is
 * not before that. V2S_END: there are no more, or sim->damage says why it can't go on, or sim->o.oom.
 */
bool v2_sim_begin(struct v2_sim *s, const struct v2_file *f, const struct v2_raw_gen *gen);
enum v2s_rc v2_sim_run(struct v2_sim *s, int64_t until);
/* v2_sim_units - the time of a cursor's event in clock units as written; *before: of the one before it in its
 * batch. */
uint64_t v2_sim_units(const struct v2_sim *s, const struct v2_cursor *c, uint64_t *before);
/* v2_sim_copy - copy the state between two generations. false: no memory; free *to either way. */
bool v2_sim_copy(struct v2_sim *to, const struct v2_sim *from);
void v2_sim_free(struct v2_sim *s);

/* v2_sim_of - whose order it is; only of the order in a struct v2_sim. */
static inline struct v2_sim *v2_sim_of(struct v2_order *o)
{
    return (struct v2_sim *)(void *)o;
}

/* v2_sim_g - the goroutine's index in the order; not for one that is gone. */
static inline uint32_t v2_sim_g(const struct v2_sim *s, const struct v2s_g *g)
{
    return idmap_get(&s->o.gs, g->id);
}

/* v2_sim_runs - the goroutine that a thread runs, NULL: none. */
static inline struct v2s_g *v2_sim_runs(const struct v2_sim *s, uint32_t m)
{
    const uint32_t g = s->o.m[m].g, at = g == EV_NONE ? IDMAP_NONE : idmap_get(&s->at, v2_g_at(&s->o, g)->id);
    return at == IDMAP_NONE ? NULL : &s->g[at];
}

#endif
