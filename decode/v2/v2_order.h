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
#include "decode/damage/v2_noted.h"
#include "decode/v2/v2_park.h"

/*
 * What trying an event came to. ADV_WAIT: it can't come yet. ADV_BAD: no order can make it right, which is
 * noted as damage. ADV_LONG: only from a sink's rules (v2_rules.h): leave this one to v2_adv().
 */
enum adv { ADV_OK, ADV_WAIT, ADV_BAD, ADV_LONG };

struct v2_g {
    uint64_t id, seq;
    uint32_t seqgen;
    uint32_t stw_kind; /* string, while it stops the world */
    uint8_t status;    /* enum state; ST_NONE = deleted */
    bool stw, assist;
};

/*
 * Goroutines are kept in blocks of V2_GS, in order of appearance. When all of a block have ended its memory
 * is used for another one, and its entry points to v2_order.nobody, a block of ended goroutines: that they
 * have ended is all that is still asked of them.
 */
#define V2_GS 128u
struct v2_gs {
    struct v2_g *g;
    uint32_t gone; /* how many have ended */
};
_Static_assert(V2_GS * sizeof(struct v2_g) % SLABS_ALIGN == 0, "blocks stand side by side");

struct v2_p {
    uint64_t id, seq;
    uint32_t seqgen;
    uint32_t m;     /* the M it is bound to, EV_NONE */
    uint8_t status; /* V2_PS_.. (v2_state.h) */
    bool sweep;
    uint8_t was; /* in a segment: its status when that began, and whether it was sweeping then */
    bool swept;
    bool lost; /* ... it is in a system call or was abandoned in one, and which thread's is not known */
};

struct v2_m {
    uint64_t id;
    uint32_t g, p;
    uint32_t cur;          /* its cursor in this generation + 1 */
    bool reported;         /* its EVK_M_NEW is out */
    bool fresh;            /* it has done nothing yet in this segment */
    uint32_t was_g, was_p; /* what it had when the segment began, as far as statuses tell */
};

struct v2_was { /* a goroutine's status when a segment began, or (assists) that it was assisting then */
    uint32_t g;
    uint8_t status;
    bool assists;
};

struct v2_cursor {               /* one thread's events of this generation */
    const uint8_t *p, *end, *at; /* at: the current event */
    int64_t t, before;           /* its time, ns, absolute; the time of the event before it in this batch */
    int64_t until;               /* no event of this batch can be at this time or later */
    int64_t before_gap;          /* gap: time of the thread's last event before the gap */
    const uint8_t *late;         /* the event that was found to come too late */
    uint64_t arg[V2_ARGS];
    uint32_t m; /* EV_NONE: no thread */
    uint32_t batch,
        nbatch; /* index of the current batch in order.list; how many are left, this one included */
    uint8_t type;
    bool over; /* the thread has no more events */
    bool gap;  /* events may be lost between the one before and the current one ... */
    bool sure; /* ... and it is known that they were this thread's */
    bool cut;  /* events may be lost behind the thread's last one */
    bool lazy; /* of the current event only `at`, `t`, `before` and `type` are decoded */
};

struct v2_span { /* from .. to, absolute */
    int64_t from, to;
};
struct v2_times { /* by goroutine or P */
    int64_t *t;
    size_t n;
    uint32_t *set; /* which of them are */
    size_t nset, capset;
};

struct v2_blank { /* v2_blank.h */
    uint8_t *is;
    size_t n;
};

struct v2_loss {      /* state of v2_lossy.c: a generation of which events were lost */
    struct v2_steps { /* which steps the generation has (v2_step.h) */
        struct v2_noted g, p;
        struct idmap
            others; /* of the collector; and which threads' statuses say that something is busy: hashed */
    } has;
    bool odd;   /* a batch of it can't be read to its end */
    bool rough; /* the generation before it lost events, too */
    uint64_t gaps, dropped;
    int64_t least;  /* nothing was lost before this time; */
    bool reached;   /* it has come: now look for what lost something */
    int64_t since;  /* events before this may be late: their threads waited until it was known that some are
                       missing */
    int64_t before; /* when the generation before it ended */
    size_t rest_m, rest_g, rest_p; /* how far the look at all threads, goroutines, Ps has come, */
    bool started;                  /* it is over */
    bool resting, rested;          /* what comes behind all events has begun, is done */
    uint64_t breaks;               /* how often something became unknown */
    uint64_t explained;            /* how many events can't be: each breaks what it was of */
    struct v2_end {
        uint64_t off;
        int64_t t;
    } * behind; /* by hole of the file: the first batch behind it, and when that ends */
    size_t capbehind;
    struct v2_span *hole; /* v2_holes.c: when events may be missing; */
    size_t nhole, caphole;
    bool of_file; /* the file tells when: at least one is one of its own */
    struct v2_times g_last,
        p_last; /* when each was last told of, in this generation; INT64_MIN: not, or not noted */
    int64_t gc_last;
};

struct v2_held { /* which thread has a goroutine: v2_holder() */
    uint32_t *m; /* by goroutine: the thread that was last given it */
    size_t cap;
    bool on; /* it is kept up to date */
};

/*
 * v2_lossy_ops - what the order calls while it goes through a generation of which events may be missing:
 * v2_lossy.c, which puts gaps into the model, or the simulation for code that rewrites a trace, which ends
 * there (v2_sim.h). Each function may add events to o->out. begin, due, rest and over may be NULL: nothing to
 * do.
 */
struct v2_order;
struct v2_lossy_ops {
    /* begin - called before the generation's first event. false: out of memory (o->oom). */
    bool (*begin)(struct v2_order *o);
    /* due - add what comes before the next event, a few at a time; false: there is nothing (more). rest - the
     * same behind all events. */
    bool (*due)(struct v2_order *o);
    bool (*rest)(struct v2_order *o);
    /* before - the cursor's event is about to be tried. true: don't, the state has changed; look for the
     * earliest event again. */
    bool (*before)(struct v2_order *o, struct v2_cursor *c);
    /*
     * lacks - v2_adv() answered `a` to the cursor's event. ADV_WAIT: the event it waits for is still to come.
     * Else it is dealt with: done, or left out. force: no other event can come any more, so it must not
     * answer ADV_WAIT.
     */
    enum adv (*lacks)(struct v2_order *o, struct v2_cursor *c, enum adv a, bool force);
    /* after - the cursor's event is done; o->out[at] and what follows is what it made. over - the thread has
     * no more events. */
    void (*after)(struct v2_order *o, const struct v2_cursor *c, size_t at);
    void (*over)(struct v2_order *o, uint32_t thread);
};

struct v2_order {
    struct source *s; /* where damage is noted; the names */
    struct v2_gen *gen;

    /* What is there, and in which state: events write it (v2_adv.c, v2_ranges.c, the sink's rules), it goes
     * on from generation to generation. */
    struct v2_gs *gs_at; /* v2_g_at() */
    size_t capgs_at;
    struct slabs places;
    struct v2_g *nobody; /* V2_GS that have ended */
    struct v2_p *p;
    struct v2_m *m;
    size_t ng, np, capp, nm, capm;
    struct idmap gs, ps, ms; /* index by id */
    struct idmap tasks;      /* ids of those that are open */
    enum { GC_UNKNOWN, GC_OFF, GC_ON } gc;
    uint64_t gc_seq;    /* number of the collector's last step */
    bool newer;         /* it was reported that there are events newer than the header */
    bool have_base;     /* there was an event */
    int64_t base, last; /* time of the first event; of the last one (absolute) */

    /* How it is to be done: its owner sets these before the first event (v2_source.c, decode/model/segment.c,
     * v2_sim.c). */
    const struct v2_lossy_ops
        *lossy; /* who deals with missing events; NULL: as far as is known none is missing (become_lossy()) */
    bool doubt; /* look first whether events are missing, rather than to find it out too late */
    bool goes_on; /* set `lossy` when events turn out to be missing; else stop */
    bool strict;  /* with `lossy`: the first thing that is wrong is noted as damage, and the end (v2_sim.h) */
    bool alone;   /* this is a segment: the state before it is not known, and statuses are believed */
    /*
     * holder - a P's status when the segment began, and its thread and goroutine (V2_PS_SYSCALL;
     * V2_PS_RUNNING: untouched if it has none). NULL: not known.
     */
    uint8_t (*holder)(void *arg, uint64_t p, uint64_t *m, uint64_t *g);
    void *holder_arg;

    /* The generation's threads, and whose turn it is: v2_order.c. */
    struct v2_cursor *cur;
    size_t ncur, capcur;
    uint32_t *list; /* batches by thread, in file order */
    size_t caplist;
    struct v2_heap *heap; /* cursors by time */
    size_t nheap, capheap;
    uint32_t *stalled; /* cursors that could not advance just now */
    size_t capstalled;
    struct v2_park park; /* cursors that wait for something, if there are many */
    size_t sample;       /* next CPU sample of the generation */
    uint64_t consumed;   /* bytes of this generation's batches that are done */
    struct ev *out;      /* what v2_adv() made and the sink has not taken yet */
    size_t nout;
    bool stopped; /* damage: nothing more can be ordered; or a sink wants no more */
    bool oom;

    /* The generation's clock: v2_order_begin() sets these. */
    bool first_gen; /* nothing was known before it */
    double unit;
    uint64_t whole;   /* v2_whole() of it */
    int64_t sync;     /* where Go's reader lets the generation begin */
    int64_t back;     /* how much earlier the generation begins than the one before it ended */
    int64_t latest;   /* no event of the generation can be at this time or later, ns */
    int64_t skew;     /* how far its processors' clocks may differ, ns */
    int64_t step;     /* the shortest step between two events that is blamed for an impossible time, ns */
    int64_t patience; /* where events are missing, none waits longer than this for another */

    /* Gaps between generations (v2_order_forget()), and what may be missing in
     * one: v2_lossy.c and its parts. */
    bool gap_due;  /* the generation lies behind a gap: EVK_GAP is to be put out before its first event, */
    bool gap_over; /* and at its end */
    int64_t gap_since; /* when the gap begins, absolute */
    bool hurt;         /* a batch can't be read to its end, or has impossible times: events are missing */
    int64_t
        loss_from; /* in a torn generation: when the first busy thread's events end; INT64_MAX: none's do */
    struct v2_loss loss;
    struct v2_blank blank_g, blank_p, blank_m;
    struct v2_held held;

    /* Of a segment: what joining checks against the segments before it (decode/model/join.c). */
    bool bad;           /* an event contradicts what is known */
    struct v2_was *was; /* the statuses that say how things were when the segment began */
    size_t nwas, capwas;
    bool redo;        /* it must be decoded again with `holder` set */
    size_t nlost;     /* how many Ps are v2_p.lost */
    uint8_t gc_first; /* enum v2_means of the first GC event, 0: none yet; its number */
    uint64_t gc_first_seq;
};

static inline struct v2_g *v2_g_at(const struct v2_order *o, uint32_t g)
{
    return &o->gs_at[g / V2_GS].g[g % V2_GS];
}

/* v2_order_begin - start on a generation. false: out of memory. */
bool v2_order_begin(struct v2_order *o, struct v2_gen *gen);
/* v2_order_forget - forget all states: nothing was recorded right before the generation that has begun
 * (v2_gen.apart). */
void v2_order_forget(struct v2_order *o);
/*
 * v2_order_run - put about cap events into the sink, which nobody else may use meanwhile. Returns how many;
 * 0: the generation is done, or o->stopped.
 */
struct v2_sink;
size_t v2_order_run(struct v2_order *o, struct v2_sink *k, size_t cap);
void v2_order_free(struct v2_order *o);

/* ---- v2_source.c: what is also needed by the loader, which reads generations one by one ---------------- */

/* v2_gen_notes - report what was found while a generation's events were put in order: missing table entries,
   gaps. v2_wall_clock - set the time of day when the trace began, if its first generation has it. */
void v2_gen_notes(struct source *s, const struct v2_gen *gen, struct v2_order *o);
void v2_wall_clock(struct source *s, const struct v2_gen *gen, const struct v2_order *o);

/*
 * ---- a sink: where a generation's events go, in their order
 *
 * v2_order.c decides whose event is next. Most events are of a few common kinds, come one after another from
 * one thread, and fit the state: these the sink carries out itself, by the rules of v2_rules.h, as long as
 * they are the earliest. All others are carried out by v2_adv() and given to the sink as struct ev.
 */
enum fast_rc {            /* how fast() ended, for the heap's first cursor */
               FAST_ON,   /* its next event is later than `until`: another cursor may be first now */
               FAST_OUT,  /* its next event is not for the sink, and was not tried */
               FAST_OVER, /* it has no more events */
               FAST_DONE  /* the heap is in order; there is something else to look at, or o->stopped */
};

struct v2_sink {
    struct v2_order *o; /* whose events; v2_order_run() sets it */
    size_t n, others;   /* since begin(): events that fast() took; events that take() was given */
    size_t room;        /* how many more fast() may take, at least one; it counts down */
    /* begin, end - around any number of events. false: no memory, or no more events are wanted. */
    bool (*begin)(struct v2_sink *k);
    void (*end)(struct v2_sink *k);
    /*
     * fast - carry out threads' events, always the earliest, until one comes that is not for the sink or
     * there is something else to look at. The time of the heap's first cursor may have become later. What it
     * changes of a thread and of what that runs may be kept back until close(). *until: v2_alone_until() of
     * the last thread.
     */
    enum fast_rc (*fast)(struct v2_sink *k, int64_t *until);
    /* pause - set o->last; called before an event that concerns its own thread only. close - and write back
       all that was kept back; called before an event that may concern any thread. */
    void (*pause)(struct v2_sink *k);
    void (*close)(struct v2_sink *k);
    bool (*take)(struct v2_sink *k); /* take o->out[0 .. o->nout), which is empty then. false: no memory */
};

#endif
