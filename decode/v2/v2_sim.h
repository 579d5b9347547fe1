/*
 * v2_sim.h - a second-family trace event by event in order, for code that rewrites a part of it.
 *
 * Tables, order and effects of the events are the model's (v2_gen.h, v2_order.h), but nothing is repaired:
 * the first error in any of them becomes `damage` and ends the simulation. It may start at any generation,
 * which is then the first of the trace. A generation that was run to its end without damage is sound.
 *
 * Goroutines are described as in the file: with its numbers of strings and stacks and its clock units. No
 * model is made. Memory: all goroutines, Ps and threads, the tables of one generation, and all names so
 * far.
 */
#ifndef GOTOP_DECODE_V2_SIM_H
#define GOTOP_DECODE_V2_SIM_H

#include "decode/damage/v2_damage.h"

struct v2s_g { /* a goroutine that exists */
    uint64_t id;
    uint64_t stack;            /* stack where it last left the processor; a number of generation stackgen */
    uint64_t kind, kind_stack; /* while it stops the world: the reason (a string) and the stack */
    uint64_t label; /* its label since it runs; number of a string of generation labelgen, 0 = none */
    uint32_t stackgen, labelgen;
    uint32_t next; /* in a free entry: the next free one, index + 1 */
    bool gone;
};

struct v2s_thread {    /* the events of one thread in this generation */
    uint32_t first, n; /* its batches: indices into v2_order.list */
    uint32_t batch;    /* the batch of its last completed event */
    uint64_t units;    /* the time of that event, clock units */
};

struct v2s_event {
    struct v2_raw_ev ev;
    uint32_t m; /* the thread, EV_NONE: none */
    bool fresh; /* it is the first status of something that was unknown */
};

enum v2s_rc { V2S_UNTIL, V2S_END };

struct v2_sim {
    struct v2_order o; /* must be first: v2_sim_of() */
    struct source s;
    struct names names; /* names of the tables so far */
    struct v2_gen gen;
    const uint8_t *data;
    uint32_t ordinal; /* of the generation; 1 = the one it started with */
    struct v2s_g *g;
    size_t ng, capg;
    uint32_t spare; /* list of free entries of `g`, index + 1 */
    struct idmap at;
    struct v2s_thread *thread; /* by cursor */
    size_t capthread;
    struct v2s_metric { /* last value of each metric, and the type of its event; 0: none so far */
        uint64_t value;
        uint8_t type;
    } metric[METRIC_COUNT];
    int64_t until;
    uint64_t n;         /* number of completed events, CPU samples included */
    struct err damage;  /* why it can't continue */
    struct v2s_before { /* the state just before the current event */
        size_t np;      /* number of Ps */
        uint32_t g;     /* goroutine of its thread */
        uint64_t g_id;
    } was;
    /* Called after each event. Returns false if out of memory. May be NULL. */
    bool (*seen)(void *arg, const struct v2s_event *e);
    void *arg;
};

/*
 * v2_sim_begin - Start on a generation of the file, which must stay in memory. Returns false if out of
 * memory.
 *
 * v2_sim_run - Carry out the events before `until` (ns on the trace's clock, as Go shows them). Returns
 * V2S_UNTIL if the next one is not before that. Returns V2S_END if there are no more, if sim->damage says
 * why it can't continue, or if sim->o.oom.
 */
bool v2_sim_begin(struct v2_sim *s, const struct v2_file *f, const struct v2_raw_gen *gen);
enum v2s_rc v2_sim_run(struct v2_sim *s, int64_t until);
/* v2_sim_units - Returns the time of a cursor's event in clock units as in the file. */
uint64_t v2_sim_units(const struct v2_sim *s, const struct v2_cursor *c);
void v2_sim_free(struct v2_sim *s);

/* v2_sim_of - Returns the simulation that an order belongs to; only for the order in a struct v2_sim. */
static inline struct v2_sim *v2_sim_of(struct v2_order *o)
{
    return (struct v2_sim *)(void *)o;
}

/* v2_sim_g - Returns the goroutine's index in the order. It must not be gone. */
static inline uint32_t v2_sim_g(const struct v2_sim *s, const struct v2s_g *g)
{
    return idmap_get(&s->o.gs, g->id);
}

/* v2_sim_runs - Returns the goroutine that a thread runs, or NULL. */
static inline struct v2s_g *v2_sim_runs(const struct v2_sim *s, uint32_t m)
{
    const uint32_t g = s->o.m[m].g, at = g == EV_NONE ? IDMAP_NONE : idmap_get(&s->at, v2_g_at(&s->o, g)->id);
    return at == IDMAP_NONE ? NULL : &s->g[at];
}

#endif
