/*
 * v2_order.h - puts one generation's events in order and turns them into neutral events (FORMAT.md B.5).
 *
 * The state of goroutines, Ps, Ms, ranges, regions and tasks carries over from generation to generation.
 */
#ifndef GOTOP_DECODE_V2_ORDER_H
#define GOTOP_DECODE_V2_ORDER_H

#include "decode/base/idmap.h"
#include "decode/base/slabs.h"
#include "decode/events/source.h"
#include "decode/v2/v2_events.h"
#include "decode/v2/v2_gen.h"
#include "decode/v2/v2_park.h"

/*
 * ADV_WAIT: not yet. ADV_BAD: no order can make this right; it is noted as damage, the end. ADV_LONG: of rules that a sink carries
 * out, not this way.
 */
enum adv { ADV_OK, ADV_WAIT, ADV_BAD, ADV_LONG };

struct v2_g {
    uint64_t id, seq;
    uint32_t seqgen;
    uint32_t region;   /* top of its stack of open regions, index + 1 */
    uint32_t stw_kind; /* string, while it stops the world */
    uint8_t status;    /* enum state; ST_NONE = deleted */
    bool stw, assist;
};

/*
 * Goroutines stand by V2_GS neighbours in order of appearance. Where all of these have ended, others take their place: nobody asks
 * for them any more but to hear that they have.
 */
#define V2_GS 128u
struct v2_gs {
    struct v2_g *g; /* all have ended: v2_order.nobody */
    uint32_t gone;  /* how many have ended */
};
_Static_assert(V2_GS * sizeof(struct v2_g) % SLABS_ALIGN == 0, "places stand side by side");

struct v2_p {
    uint64_t id, seq;
    uint32_t seqgen;
    uint32_t m;     /* the M it is bound to, EV_NONE */
    uint8_t status; /* enum v2_pstatus */
    bool sweep;
    uint8_t was; /* in a segment: its status as it began, and whether it swept */
    bool swept;
    bool lost; /* ... it is in a system call, or was left behind by one, and nobody says which thread's */
};

struct v2_m {
    uint64_t id;
    uint32_t g, p;
    uint32_t cur;          /* its cursor in this generation + 1 */
    bool told;             /* its EVK_M_NEW is out */
    bool fresh;            /* it has done nothing yet in this segment */
    uint32_t was_g, was_p; /* what it had when the segment began, by what is told */
};

struct v2_was { /* a goroutine's status as a segment began, or (assists) that it was assisting */
    uint32_t g;
    uint8_t status;
    bool assists;
};

struct v2_open_region { /* one of a goroutine's open regions */
    uint64_t task;
    uint32_t name, below; /* index + 1 */
};

struct v2_cursor {               /* one thread's events of this generation */
    const uint8_t *p, *end, *at; /* at: the current event */
    int64_t t, before;           /* ns, absolute; that of the event before in this batch */
    int64_t until;               /* none of this batch is there or behind it */
    int64_t told;                /* gap: when the thread's last event before it was */
    const uint8_t *late;         /* this event has been found too late */
    uint64_t arg[V2_ARGS];
    uint32_t m;             /* EV_NONE: no thread */
    uint32_t batch, nbatch; /* current one, how many: indices into order.list */
    uint8_t type;
    bool over; /* it has no more */
    bool gap;  /* between the event before it and this one some may be lost ... */
    bool sure; /* ... of this very thread */
    bool cut;  /* so may some behind its last one */
    bool lazy; /* of the current event only `at`, `t`, `before` and `type` are there */
};

struct v2_torn {      /* of a generation of which events were lost */
    struct idmap has; /* which numbered events it has */
    bool rough;       /* so were some of the one before it */
    uint64_t gaps, dropped;
    int64_t least; /* nothing was lost before this; who lost something is looked for when it has come */
    bool reached;
    int64_t before;                /* when the generation before it ended */
    size_t rest_m, rest_g, rest_p; /* how far looking for the silent ones is */
    bool rested, begun;            /* these are done */
};

struct v2_held { /* who has a goroutine, where that is asked: v2_holder() */
    uint32_t *m; /* by goroutine: the thread that was last given it */
    size_t cap;
    bool on; /* it is kept */
};

/*
 * v2_loose - what the order calls while it goes through a generation of which events may be missing: v2_torn.c, which puts gaps into
 * the model, or the simulation of a program that rewrites the trace (v2_sim.h). Each function may add events to o->out. begin, due,
 * rest and over may be NULL: nothing to do.
 */
struct v2_order;
struct v2_loose {
    /* begin - called before the generation's first event. false: out of memory (o->oom). */
    bool (*begin)(struct v2_order *o);
    /* due - add what comes before the next event, a few at a time; false: there is nothing (more). rest - the same behind all events. */
    bool (*due)(struct v2_order *o);
    bool (*rest)(struct v2_order *o);
    /* before - the cursor's event is about to be tried. true: don't, the state has changed; look for the earliest event again. */
    bool (*before)(struct v2_order *o, struct v2_cursor *c);
    /*
     * lacks - v2_adv() answered `a` to the cursor's event. ADV_WAIT: the event it waits for is still to come. Else it is dealt with:
     * done, or left out. force: no other event can come any more, so it must not answer ADV_WAIT.
     */
    enum adv (*lacks)(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force);
    /* after - the cursor's event is done; o->out[at] and what follows is what it made. over - the thread has no more events. */
    void (*after)(struct v2_order *o, const struct v2_cursor *c, size_t at);
    void (*over)(struct v2_order *o, uint32_t thread);
    bool tells; /* report an event that can't be as damage; v2_torn expects such events and doesn't */
};

struct v2_order {
    struct source *s;
    struct v2_gen *gen;
    struct v2_gs *gs_at; /* v2_g_at() */
    size_t capgs_at;
    struct slabs places;
    struct v2_g *nobody; /* V2_GS that have ended */
    struct v2_p *p;
    struct v2_m *m;
    size_t ng, np, capp, nm, capm;
    struct idmap gs, ps, ms, tasks;
    struct v2_open_region *region;
    size_t nregion, capregion;
    uint32_t region_free;
    struct v2_cursor *cur;
    size_t ncur, capcur;
    uint32_t *list; /* batches by thread, in file order */
    size_t caplist;
    struct v2_heap *heap; /* cursors by time */
    size_t nheap, capheap;
    uint32_t *aside; /* cursors that could not advance just now */
    size_t capaside;
    struct v2_park park; /* cursors that wait for something, where many do */
    size_t sample;       /* next CPU sample of the generation */
    double unit;
    uint64_t unit64; /* the unit if it is a whole number, else 0 */
    enum { GC_UNKNOWN, GC_OFF, GC_ON } gc;
    uint64_t gc_seq;
    bool gc_strict; /* a GC begins on a goroutine, even where nothing was known of the collector before */
    bool first_gen;
    bool gap_due, gap_over; /* the generation lies behind a gap, which is to be told of; and that it is behind us */
    int64_t gap_since;      /* where the gap begins, absolute */
    const struct v2_loose *loose; /* events of the generation are missing; NULL: none is */
    bool goes_on;                 /* where events turn out to be missing it becomes loose; else it stops */
    bool hurt;                    /* a batch can't be read to its end, or its times are none: some are missing */
    int64_t latest;               /* no event of the generation is there or behind it, ns */
    int64_t skew, step; /* so much may its clocks differ; no shorter step is blamed for a time that can't be */
    struct v2_torn torn;
    struct v2_held held;
    bool newer;         /* it has been said that there are events newer than the header */
    uint32_t cut_torn;  /* the last generation of which it has been said that it is a slice of one with gaps */
    bool alone;         /* a segment: nothing is known of what was before, statuses are taken as they are told */
    bool bad;           /* an event contradicts what is known */
    struct v2_was *was; /* what was told of when the segment began */
    size_t nwas, capwas;
    bool again;   /* what was before must be known, see holder */
    size_t nlost; /* Ps that are v2_p.lost */
    /* holder - a P's status as the segment began, and (V2_PS_SYSCALL) its thread and goroutine. NULL: nobody knows. */
    uint8_t (*holder)(void *arg, uint64_t p, uint64_t *m, uint64_t *g);
    void *holder_arg;
    uint8_t gc_first; /* what the first GC event means, 0: none yet; its number */
    uint64_t gc_first_seq;
    bool have_base;
    bool stopped; /* damage: nothing more can be ordered */
    bool oom;
    int64_t base, last; /* time of the first event; of the last one (absolute) */
    int64_t torn_from;  /* in a torn generation: when the first thread that was busy fell silent; INT64_MAX */
    int64_t sync;       /* where Go's reader lets the generation begin */
    uint64_t consumed;  /* bytes of this generation's batches that are done */
    struct ev *out;     /* what v2_adv() made, and the sink has not taken */
    size_t nout;
};

static inline struct v2_g *v2_g_at(const struct v2_order *o, uint32_t g)
{
    return &o->gs_at[g / V2_GS].g[g % V2_GS];
}

/* v2_order_begin - start on a generation. false: out of memory. */
bool v2_order_begin(struct v2_order *o, struct v2_gen *gen);
/* v2_order_apart - it has begun, and what was before it is not recorded (v2_gen.apart): nothing of what was so holds. */
void v2_order_apart(struct v2_order *o);
/*
 * v2_order_run - about cap events into the sink, which nobody else may use or read meanwhile. Returns how many: 0, the generation is
 * done, or o->stopped.
 */
struct v2_sink;
size_t v2_order_run(struct v2_order *o, struct v2_sink *k, size_t cap);
void v2_order_free(struct v2_order *o);

/* ---- v2_source.c: what whoever reads generations singly needs of it -------------------------------------- */

/* v2_gen_notes - what there is to say once a generation's events are in order; where a table entry was missing in one that should
   be whole, it is said once. v2_wall_clock - the time of day when the trace began, if its first generation tells. */
void v2_gen_notes(struct source *s, const struct v2_gen *gen, struct v2_order *o);
void v2_wall_clock(struct source *s, const struct v2_gen *gen, const struct v2_order *o);

/*
 * ---- a sink: where a generation's events go, in their order
 *
 * v2_order.c decides whose event is next. Most events of a trace are of the few common kinds, come one after another from
 * one thread, and are what the state asks for: these the sink carries out itself, by the rules of v2_rules.h, for as long as
 * they are the earliest. All others are carried out by v2_adv() and given to the sink as struct ev.
 */
enum turn_rc {
    TURN_ON,   /* the next event's time is known, and it is later than `until`: it goes on later */
    TURN_OUT,  /* the next event is the cursor's again, untried */
    TURN_OVER, /* the cursor has no more */
    TURN_DONE  /* the heap is as it should be again, and there is something else to look at, or o->stopped */
};

struct v2_sink {
    struct v2_order *o; /* whose events; v2_order_run()'s to set */
    size_t n, others;   /* events that turns took since begin(), and that take() was given */
    size_t room;        /* how many more turns may take, at least one; counted down */
    /* begin, end - around any number of events. false: no memory, or there are to be no more. */
    bool (*begin)(struct v2_sink *k);
    void (*end)(struct v2_sink *k);
    /*
     * turns - threads' events, one thread's after another's, always the earliest ones: until one comes that is not for here, or
     * there is something else to look at. The answer is of the first cursor, whose time in the heap may be later now. What they
     * change of a thread, and what it runs, need not be written down before close(). *until: v2_alone_until() of the last turn.
     */
    enum turn_rc (*turns)(struct v2_sink *k, int64_t *until);
    void (*pause)(
        struct v2_sink
            *k); /* how far turns have come is in o->last, before an event that concerns its own thread only */
    void (*close)(struct v2_sink *k); /* and all else that they changed is in o, before one that may concern any */
    bool (*take)(struct v2_sink *k);  /* o->out[0 .. o->nout), which is empty then. false: no memory */
};

#endif
