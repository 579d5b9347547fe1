/*
 * v2_order.h - puts the events of one generation in order and turns them into neutral events.
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

/* The result of trying an event. ADV_WAIT: it can't come yet. ADV_BAD: no order makes it possible, which is
 * noted as damage. ADV_LONG: only from the rules of a sink (v2_rules.h): v2_adv() must carry it out. */
enum adv { ADV_OK, ADV_WAIT, ADV_BAD, ADV_LONG };

struct v2_g {
    uint64_t id, seq;
    uint32_t seqgen;
    uint32_t stw_kind; /* reason (a string) while it stops the world */
    uint8_t status;    /* enum state; ST_NONE = ended */
    bool stw, assist;
    uint32_t m; /* the last thread that had it, which has it still if that thread says so: v2_holder() */
};

/* Goroutines are kept in blocks of V2_GS, in order of appearance. When all of a block have ended, its
 * memory is reused, and its entry points to v2_order.nobody, a block of ended goroutines: callers need only
 * know that they have ended. */
#define V2_GS 128u
struct v2_gs {
    struct v2_g *g;
    uint32_t gone; /* number of goroutines that have ended */
};
_Static_assert(V2_GS * sizeof(struct v2_g) % SLABS_ALIGN == 0, "blocks stand side by side");

struct v2_p {
    uint64_t id, seq;
    uint32_t seqgen;
    uint32_t m;     /* the M that has it, or EV_NONE */
    uint8_t status; /* V2_PS_.. (v2_state.h) */
    bool sweep;
    uint8_t was; /* status at the start of the segment, and whether it was sweeping */
    bool swept;
    bool lost; /* it is in a system call, or abandoned in one, of an unknown thread (in a segment) */
};

struct v2_m {
    uint64_t id;
    uint32_t g, p;
    uint32_t cur;          /* index of its cursor in this generation + 1 */
    bool reported;         /* its EVK_M_NEW was emitted */
    bool fresh;            /* it has done nothing in this segment so far */
    uint32_t was_g, was_p; /* its G and P at the start of the segment, as far as statuses show */
};

struct v2_cursor {               /* the events of one thread in this generation */
    const uint8_t *p, *end, *at; /* at: the current event */
    /* absolute times, ns: of the current event, and of the event before it in this batch */
    int64_t t, before;
    int64_t until;      /* all events of this batch must be earlier */
    int64_t before_gap; /* if gap is set: time of the thread's last event before the gap */
    uint64_t arg[V2_ARGS];
    uint32_t m;             /* index of the thread, or EV_NONE */
    uint32_t batch, nbatch; /* index of the current batch in order.list; number of batches from it on */
    uint8_t type;
    bool over; /* the thread has no more events */
    bool gap;  /* events between the previous and the current one may be lost */
    bool sure; /* the lost events are known to be this thread's */
    bool cut;  /* events after the thread's last one may be lost */
    bool lazy; /* only `at`, `t`, `before` and `type` of the current event are decoded */
};

enum { V2_SPANS = 16 };
struct v2_span { /* a range of absolute times */
    int64_t from, to;
};
struct v2_blank { /* see v2_blank.c */
    uint8_t *is;
    size_t n;
};

struct v2_noted {     /* which numbered steps a goroutine, a P or the GC has */
    uint64_t *bits;   /* bit n: number n, if it is near the others */
    size_t nbits;     /* words */
    uint64_t n, most; /* how many, and the greatest one */
    bool known;       /* its status */
};
struct v2_notes {
    struct v2_noted *v;
    size_t n, cap;
    struct idmap at; /* id -> index */
};

struct v2_loss {              /* state of v2_lossy.c in a generation of which events were lost */
    struct v2_steps {         /* the steps that the generation has (v2_step.c) */
        struct v2_notes g, p; /* the GC's: of P V2_NO_P */
    } has;
    bool rough; /* the generation before it lost events, too */
    uint64_t gaps, dropped;
    int64_t least;  /* nothing was lost before this time */
    int64_t since;  /* events before this may be late: their threads waited until the loss was known */
    int64_t before; /* when the generation before it ended */
    size_t rest_m, rest_g, rest_p; /* how far the walk over all threads, goroutines, Ps has come */
    bool started;                  /* that over threads is finished */
    bool resting, rested;          /* what follows all events has started, is finished */
    uint64_t breaks;               /* how often a state became unknown */
    struct v2_span hole[V2_SPANS]; /* when events may be missing */
    size_t nhole;
    bool of_file;    /* at least one of these times is that of a hole in the file */
    int64_t gc_last; /* time of the last event that names the GC, in this generation; INT64_MIN: none */
};

struct v2_order {
    struct source *s; /* receives damage; has the names */
    struct v2_gen *gen;

    /* The state that events change (v2_adv.c, v2_ranges.c, the sink's rules). It carries over from
     * generation to generation. */
    struct v2_gs *gs_at; /* access by v2_g_at() */
    size_t capgs_at;
    struct slabs places;
    struct v2_g *nobody; /* a block of V2_GS ended goroutines */
    struct v2_p *p;
    struct v2_m *m;
    size_t ng, np, capp, nm, capm;
    struct idmap gs, ps, ms; /* index by id */
    struct idmap tasks;      /* ids of open tasks */
    enum { GC_UNKNOWN, GC_OFF, GC_ON } gc;
    uint64_t gc_seq;    /* number of the last step of the GC */
    bool newer;         /* a warning about events newer than the header was reported */
    bool have_base;     /* there was an event, so base is set */
    int64_t base, last; /* absolute times of the first and of the last event */

    /* Options: the owner sets these before the first event (v2_source.c, decode/model/segment.c). */
    bool lossy;   /* events are missing: decode/damage/v2_lossy.c; false: none is known to be */
    bool goes_on; /* when events turn out to be missing, set `lossy`; else stop */
    bool alone;   /* this is a segment: the state before it is unknown, and statuses are trusted */
    /* holder - Returns the status of a P at the start of the segment, and sets its thread and goroutine
     * (V2_PS_SYSCALL, V2_PS_RUNNING; unchanged if it has none). NULL: unknown. */
    uint8_t (*holder)(void *arg, uint64_t p, uint64_t *m, uint64_t *g);
    void *holder_arg;

    /* The generation's threads and which is next: v2_order.c. */
    struct v2_cursor *cur;
    size_t ncur, capcur;
    struct v2_batch **list; /* by thread, in file order (moved(): by time) */
    size_t nlist, caplist;
    struct heap *heap; /* cursors by time */
    size_t nheap, capheap;
    uint32_t *stalled; /* cursors that could not advance on this try */
    size_t capstalled;
    struct v2_park park; /* waiting cursors, if there are many */
    size_t sample;       /* index of the next CPU sample of the generation */
    uint64_t consumed;   /* number of bytes of this generation's batches that are done */
    struct ev *out;      /* events that v2_adv() made and the sink has not taken */
    size_t nout;
    bool stopped; /* nothing more can be ordered because of damage, or the sink wants no more */
    bool oom;

    /* The generation's clock: v2_order_begin() sets these. */
    bool first_gen; /* no state is known before it */
    double unit;
    uint64_t whole;   /* v2_whole(unit) */
    int64_t sync;     /* when the generation begins for Go's reader */
    int64_t back;     /* how much before the end of the previous generation this one begins */
    int64_t latest;   /* all events of the generation must be earlier, ns */
    int64_t skew;     /* how far the clocks of the host's processors may differ, ns */
    int64_t step;     /* if a time is impossible, a step between two events of at least this is blamed, ns */
    int64_t patience; /* where events are missing, an event waits at most this long for another, ns */

    /* Gaps between generations (v2_order_forget()), and what may be missing in a generation: v2_lossy.c and
     * its parts. */
    bool gap_due;      /* the generation comes after a gap: emit EVK_GAP before its first event */
    bool gap_over;     /* emit EVK_GAP at its end */
    int64_t gap_since; /* when the gap begins, absolute */
    bool hurt;         /* a batch can't be read to its end, or has impossible times: events are missing */
    /* in a torn generation: when the events of the first busy thread end; INT64_MAX: none do */
    int64_t loss_from;
    struct v2_loss loss;
    struct v2_blank blank_g, blank_p, blank_m;

    /* For a segment: what joining checks against the segments before it (decode/model/join.c). */
    bool bad;         /* an event contradicts what is known */
    bool redo;        /* it must be decoded a second time with `holder` set */
    size_t nlost;     /* number of Ps with v2_p.lost */
    uint8_t gc_first; /* enum v2_means and number of the first GC event, 0: none so far */
    uint64_t gc_first_seq;
};

static inline struct v2_g *v2_g_at(const struct v2_order *o, uint32_t g)
{
    return &o->gs_at[g / V2_GS].g[g % V2_GS];
}

/* v2_order_begin - Start on a generation. Returns false if out of memory. */
bool v2_order_begin(struct v2_order *o, struct v2_gen *gen);
/* v2_order_forget - Forget all states: nothing was recorded just before the current generation
 * (v2_gen.after_gap). */
void v2_order_forget(struct v2_order *o);
/* v2_order_run - Put about cap events into the sink, which nothing else may use meanwhile. Returns how
 * many; 0 if the generation is done or o->stopped. */
struct v2_sink;
size_t v2_order_run(struct v2_order *o, struct v2_sink *k, size_t cap);
void v2_order_free(struct v2_order *o);

/* v2_next_sample - Returns the time of the next CPU sample; INT64_MAX if there is none or a parked event is
 * earlier. */
static inline int64_t v2_next_sample(struct v2_order *o)
{
    if (o->sample >= o->gen->nsample)
        return INT64_MAX;
    const int64_t t = o->gen->sample[o->sample].ns;
    return !o->park.n || t < v2_park_first(o) ? t : INT64_MAX;
}

/* ---- v2_source.c: what the loader, which reads generations one by one, needs too ----------------------- */

/* v2_gen_notes - Report what ordering a generation found: missing table entries, gaps. v2_wall_clock - Set
 * the time of day of the trace's start, if its first generation has it. */
void v2_gen_notes(struct source *s, const struct v2_gen *gen, struct v2_order *o);
void v2_wall_clock(struct source *s, const struct v2_gen *gen, const struct v2_order *o);

/*
 * ---- a sink: receives the events of a generation in order
 *
 * v2_order.c decides which thread's event is next. Most events are of a few common kinds, come one after
 * another from one thread, and fit the state. A sink with a fast path carries these out itself, by the rules
 * of v2_rules.h, as long as they are the earliest. All others are carried out by v2_adv() and passed to the
 * sink as struct ev; a sink that sets nothing but take() gets all of them so.
 */
enum fast_rc {            /* how fast() ended; "it" is the heap's first cursor */
               FAST_ON,   /* its next event is later than `until`: another cursor may be first */
               FAST_OUT,  /* its next event is not for the sink, and was not tried */
               FAST_OVER, /* it has no more events */
               FAST_DONE  /* the heap is in order; something else must be handled, or o->stopped */
};

struct v2_sink {
    struct v2_order *o; /* the order that it serves; set by v2_order_run() */
    size_t n, others;   /* number of events since begin(): that fast() took; that take() received */
    size_t room;        /* how many more fast() may take, at least one; counts down */
    /* begin, end - Called around any number of events. begin returns false if out of memory or if no more
     * events are wanted. */
    bool (*begin)(struct v2_sink *k);
    void (*end)(struct v2_sink *k);
    /* fast - Carry out threads' events, always the earliest, until one is not for the sink or something
     * else must be handled. The time of the heap's first cursor may have become later. Changes to a thread
     * and to what it runs may be kept back until close(). *until: heap_until() of the last thread. */
    enum fast_rc (*fast)(struct v2_sink *k, int64_t *until);
    /* pause - Set o->last; called before an event that concerns only its own thread. close - Also write
     * back all that was kept back; called before an event that may concern any thread. */
    void (*pause)(struct v2_sink *k);
    void (*close)(struct v2_sink *k);
    /* Take o->out[0 .. o->nout) and empty it. Returns false if out of memory. */
    bool (*take)(struct v2_sink *k);
};

#endif
