/*
 * v2_sim.h - who does what in a second-family trace, event by event in their order, on the file's own ids.
 *
 * The reader makes a model of a trace; this keeps the file's bytes in view, for who writes a part of it anew. Order and
 * times are Go's (the format's "ordering"), so a moment here is the same moment there. Starts at any generation, as at a
 * trace's first one.
 */
#ifndef GOTOP_DECODE_V2_SIM_H
#define GOTOP_DECODE_V2_SIM_H

#include "decode/base/idmap.h"
#include "decode/v2/v2_raw.h"

#define V2S_NONE UINT32_MAX
enum v2s_lack { V2S_WAITS, V2S_AGAIN, V2S_LEFT_OUT };
enum v2s_gstatus { V2S_G_GONE, V2S_G_RUNNABLE, V2S_G_RUNNING, V2S_G_SYSCALL, V2S_G_WAITING };
enum v2s_pstatus { V2S_P_RUNNING = 1, V2S_P_IDLE, V2S_P_SYSCALL, V2S_P_ABANDONED };

struct v2s_g {
    uint64_t id, seq;          /* seq: of its last event that has one, in generation seqgen */
    uint64_t stack;            /* where it left the processor last, in generation stackgen */
    uint64_t kind, kind_stack; /* while it stops the world: string, stack */
    uint32_t seqgen, stackgen;
    uint32_t m;     /* thread that has it, V2S_NONE */
    uint8_t status; /* as in the file, enum v2s_gstatus */
    bool assist, stw;
    uint64_t label; /* string: what it works as since it runs, in generation labelgen; 0 = nothing told */
    uint32_t labelgen;
};
struct v2s_p {
    uint64_t id, seq;
    uint32_t seqgen, m;
    uint8_t status;
    bool sweep;
};
struct v2s_m {
    uint64_t id;
    uint32_t g, p;
};

struct v2s_cursor { /* one thread's events of this generation */
    const uint8_t *p, *end;
    struct v2_raw_ev ev; /* the current one */
    int64_t t;           /* ns */
    uint64_t units;
    uint32_t m, batch, nbatch; /* batch: index in v2_sim.list */
    uint32_t first, all;       /* of its batches, how many */
    bool over;                 /* it has none any more */
};
struct v2s_slot {
    int64_t t;
    uint32_t cursor;
};
struct v2s_sample {
    int64_t t;
    uint64_t v[5]; /* time, thread, P, goroutine, stack */
};

struct v2_sim {
    const uint8_t *data;
    const struct v2_raw_gen *gen;
    uint32_t ordinal; /* of the generation, 1 = the first one here */
    double unit;      /* ns per clock unit */
    uint64_t freq;    /* of this generation or the last one that had any; 0 = none had */
    struct v2s_g *g;
    struct v2s_p *p;
    struct v2s_m *m;
    size_t ng, capg, np, capp, nm, capm;
    uint32_t spare_g; /* entries of goroutines that are over, linked by m; index + 1 */
    struct idmap gs, ps, ms;
    struct v2s_cursor *cur;
    struct v2s_slot *heap;
    uint32_t *list, *aside;
    size_t ncur, capcur, nheap, capheap, caplist, capaside;
    struct v2s_sample *sample;
    size_t nsample, capsample, at_sample;
    enum { V2S_GC_UNKNOWN, V2S_GC_OFF, V2S_GC_ON } gc;
    uint64_t gc_seq;
    uint64_t heap_alloc, heap_goal, procs; /* last told */
    bool has_alloc, has_goal, has_procs;
    const struct v2_raw_batch *twice; /* of the generation's batches one that stands there twice; NULL */
    int64_t last;      /* time of the last event, ns on the trace's clock */
    bool any;          /* there was one */
    uint64_t work;     /* tries that came to nothing */
    struct err damage; /* why it can't go on */
    bool oom, fresh;
    struct v2_raw_ev now; /* what the last event handed out points at */
    /*
     * mend - the cursor's event can't come: not yet, or (bad) never as things are. last: no other can, either. It waits, or
     * is tried again, for v2_sim_do() has changed things, or is left out. NULL: that is damage, and the end.
     */
    enum v2s_lack (*mend)(struct v2_sim *s, uint32_t cursor, bool bad, bool last);
    void *mender; /* mend's own */
    bool written; /* the generation's events are none of the file's bytes */
};

struct v2s_event {
    int64_t t;                  /* ns on the trace's clock, as Go tells it: later than any event before */
    uint64_t units;             /* clock units as written */
    const struct v2_raw_ev *ev; /* NULL: a CPU sample */
    const struct v2s_sample *sample;
    uint32_t m, p, g; /* thread; P and goroutine it had before; V2S_NONE */
    bool fresh;       /* a status, of what nothing was known before */
    bool left_out;    /* by mend: it did not come */
};
enum v2s_rc { V2S_EVENT, V2S_UNTIL, V2S_END };

/*
 * v2_sim_begin - start on a generation, which must stay. false: no memory. v2_sim_next - its next event, which has been
 * taken in when this returns. V2S_UNTIL: the next one would not be before `until`; nothing has changed. V2S_END: there
 * is none any more, or sim->damage says why it can't go on, or sim->oom.
 */
bool v2_sim_begin(struct v2_sim *s, const uint8_t *data, const struct v2_raw_gen *gen);
enum v2s_rc v2_sim_next(struct v2_sim *s, int64_t until, struct v2s_event *e);
/* v2_sim_do - an event on thread m (V2S_NONE: none) that the trace doesn't have. false: it can't come. */
bool v2_sim_do(struct v2_sim *s, uint32_t m, const struct v2_raw_ev *ev);
/* v2_sim_copy - who there is and what is known of them, but not of a generation. false: no memory; free *to either way. */
bool v2_sim_copy(struct v2_sim *to, const struct v2_sim *from);
void v2_sim_free(struct v2_sim *s);

#endif
