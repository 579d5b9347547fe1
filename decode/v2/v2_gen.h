/*
 * v2_gen.h - one generation of a second-family trace: its batches by thread, and its tables (FORMAT.md B.1, B.3).
 */
#ifndef GOTOP_DECODE_V2_GEN_H
#define GOTOP_DECODE_V2_GEN_H

#include "decode/base/idmap.h"
#include "decode/events/source.h"
#include "decode/v2/v2_raw.h"

#define V2_REASONS 64
#define V2_NOT_RECORDED \
    "not recorded" /* a reason that no program has: events are missing from here on; no number below that */

struct v2_batch { /* of timed events */
    const uint8_t *p, *end;
    uint64_t time; /* base, clock units */
    uint64_t m;    /* thread id */
    bool torn;     /* the input ends inside it */
    bool gap;      /* what stands between it and the thread's batch before it may be lost */
};

enum { V2_HOLES = 64 };
struct v2_hole { /* a place in the file where batches were lost, or left out */
    size_t off;
    uint64_t m; /* whose, if `known` */
    bool known;
};

struct v2_sample {
    uint64_t time, m, p, g, stack; /* file ids, clock units */
    int64_t ns;
};

struct v2_slice {
    const uint8_t *p, *end;
    bool torn;
};

/* For who counts, cuts or rewrites a trace: all batches of a generation, as they stand there. */
struct v2_file { /* a trace's bytes, read as of that version */
    const uint8_t *data;
    size_t len;
    int version;
};
struct v2_raw_gen {
    uint64_t number;
    const uint8_t *start, *end;
    struct v2_raw_batch *batch;
    size_t n, cap;
    bool marked;               /* its end mark stands there (1.26) */
    bool torn;                 /* it isn't whole */
    uint64_t min_time;         /* smallest time of its batches */
    struct v2_raw_clock clock; /* its rate is what can be (v2_clock.c), by what was read last, or what is behind it */
    struct err damage;
};
/*
 * v2_raw_gen - read the generation that begins at *pos and move behind it. false: there is none any more (e->code ERR_OK: the file's
 * end), or no memory (ERR_NOMEM). Where it isn't whole `damage` says why, and nothing behind that is of use. Free with
 * v2_raw_gen_free(); may be read into again.
 */
bool v2_raw_gen(const struct v2_file *f, size_t *pos, struct v2_raw_gen *g, struct err *e);
/*
 * v2_raw_gen_shown - the same by the rules of v2_gen_read(): what is shown of a damaged trace is of the same generations. A batch that stands
 * among those of another generation is left out, a size that is wrong passed over; `damage` is the first of these, and behind it the
 * trace goes on. `g` as it was filled for the generation before, or empty.
 */
bool v2_raw_gen_shown(const struct v2_file *f, size_t *pos, struct v2_raw_gen *g, struct err *e);
void v2_raw_gen_free(struct v2_raw_gen *g);

/* v2_raw_next - the next entry of the generation's tables of strings, of stacks; false: there is none. A damaged table ends there. */
struct v2_raw_walk { /* to begin: .gen, and .first: V2R_STRINGS or V2R_STACKS */
    const struct v2_raw_gen *gen;
    enum v2_raw_type first;
    struct v2_raw_string string; /* the entry, of the kind asked for */
    struct v2_raw_stack stack;
    size_t batch;           /* the next one to be looked at */
    const uint8_t *p, *end; /* behind the entry; of its batch */
};
bool v2_raw_next(struct v2_raw_walk *w);

struct v2_gen {
    uint64_t number;
    uint32_t ordinal;  /* 1 = the first one in the file */
    size_t start, end; /* file offsets */
    struct v2_batch *batch;
    size_t nbatch, capbatch;
    struct v2_slice *table; /* string batches, then stack batches, then sample batches */
    size_t ntable, captable;
    struct v2_sample *sample;
    size_t nsample, capsample;
    struct idmap strs, stacks; /* id of the file -> id in names */
    struct v2_read *read;      /* what its tables say, while it isn't named: see v2_names_read() */
    uint64_t min_time;         /* smallest base time of all its batches */
    struct v2_first {          /* which has it, and the next one's: v2_doubt_time() */
        uint64_t time, next;
        size_t off;
        bool events;
    } first;
    uint64_t freq;            /* units per second, 0 = not seen */
    struct v2_raw_clock snap; /* what the other clocks said, if it has_wall */
    bool no_freq, assumed;    /* its frequency is another generation's; nobody's */
    bool rate_told;           /* it said one that a clock can have */
    bool clock_broken;        /* the batch that says it can't be read to its end */
    bool torn;                /* it isn't whole: missing table entries are no surprise */
    bool apart;               /* what was before it is not recorded: nothing is known (source.gap) */
    struct v2_hole hole[V2_HOLES];
    size_t nhole;           /* more than V2_HOLES: anything may be lost anywhere */
    bool suspect;           /* times or places of its batches are to be looked at */
    uint64_t lo, hi;        /* its batches begin between these, clock units; 0, UINT64_MAX: nobody knows */
    bool strings_begun;     /* there was a batch of strings */
    bool lo_near;           /* the first events come right behind it */
    const uint8_t *last;    /* payload of the last batch that was taken */
    bool all_told;          /* it has stacks, which are written behind all events: of those none is missing */
    bool at_end;            /* nothing behind it can be read */
    bool closed;            /* no name may come that isn't in its tables: somebody else may be adding some */
    uint32_t missing;       /* table entries asked for in vain */
    struct v2_raw_gen *raw; /* gets each batch, too; NULL: nobody asks for them */
    bool strict;            /* up to where one is broken, or of another generation; else it goes on behind that */
    /* Wait and stop reasons by string id. The runtime registers them first thing in every generation, so they have
       small ids, the same ones each time: where a cut took the string table, the last one's are as good. */
    uint32_t reason[V2_REASONS], last_reason[V2_REASONS];
    bool reason_inferred; /* some were needed from there */
    bool by_order;        /* some are inferred from the order in which the runtime registers them */
};

enum v2_gen_rc { V2_GEN, V2_GEN_LAST, V2_GEN_NONE, V2_GEN_OOM };

/*
 * v2_gen_read - read the generation that starts at *pos and move *pos behind it. Damage is noted in s.
 * V2_GEN: more may follow. V2_GEN_LAST: usable, but nothing behind it is. V2_GEN_NONE: the end.
 */
enum v2_gen_rc v2_gen_read(struct source *s, struct v2_gen *g, size_t *pos);
/*
 * The same in two steps. v2_gen_scan - find its batches and where it ends, without looking at an event; g: the generation
 * before it, or as much of it as v2_gen_after() takes over. v2_gen_tables - read its tables; false: out of memory. That in two
 * steps, again: v2_gen_parse - of which nothing but g and s is touched; then the names (v2_names.c).
 */
enum v2_gen_rc v2_gen_scan(struct source *s, struct v2_gen *g, size_t *pos);
bool v2_gen_tables(struct source *s, struct v2_gen *g);
bool v2_gen_parse(struct source *s, struct v2_gen *g);
/* v2_gen_lossy - batches of it were lost, are left out, or came in another order than they were written. */
bool v2_gen_lossy(const struct v2_gen *g);
/* v2_gen_hole - there is a hole between two places of the file that may concern thread m; *known: it does. */
bool v2_gen_hole(const struct v2_gen *g, size_t from, size_t to, uint64_t m, bool *known);
/* v2_gen_after - an empty generation, to be scanned as the one behind `before`. */
void v2_gen_after(struct v2_gen *g, const struct v2_gen *before);
/*
 * v2_late_last - the time of a generation's last event (absolute, ns), when the one before it ended at `last` (INT64_MIN: there is
 * none), by what v2_gen_late() saw when it looked at each thread's last batch. It may err, by little, where many threads' events are
 * told in another order than that of their times.
 */
struct v2_late {
    int64_t least, most; /* before it nothing is; the latest time that is told */
    int64_t *t;          /* of the last moments' events, ascending; to be freed */
    size_t n, cap;
    bool oom;
};
void v2_gen_late(const struct v2_gen *g, struct v2_late *late);
int64_t v2_late_last(const struct v2_late *late, int64_t last);
/*
 * v2_gen_workers - goroutines that are the collector's mark workers, by where they were created or (inferred) by their stacks, each
 * maybe more than once: a look at all events (of a huge one at some), without their order. func: the name of the function.
 */
typedef void v2_worker_fn(void *arg, uint64_t g, uint32_t func, bool inferred);
void v2_gen_workers(const struct v2_gen *g, const struct names *nm, v2_worker_fn *told, void *arg);
/* v2_gen_next_rate - of the generation behind g, as it says; 0: it has none, or another one stands there. */
uint64_t v2_gen_next_rate(const struct source *s, const struct v2_gen *g);
void v2_gen_free(struct v2_gen *g);
/* v2_gen_add - one of its batches of events or tables. v2_gen_samples - its tables of CPU samples, by time. false: out of memory. */
bool v2_gen_add(struct v2_gen *g, const struct v2_raw_batch *h);
bool v2_gen_samples(struct source *s, struct v2_gen *g);

/* Nanoseconds per clock unit; the file's times are converted as Go does it (FORMAT.md B.4). */
double v2_gen_unit(const struct v2_gen *g);

/*
 * A time or delta of the file in ns, truncated as Go does it. Beyond SOURCE_TIME_MAX it is that: such a time is damage,
 * and whoever reads it from the file leaves out what has it.
 */
static inline int64_t v2_ns(uint64_t units, double unit)
{
    double t = (double)units * unit;
    return t < (double)SOURCE_TIME_MAX ? (int64_t)t : SOURCE_TIME_MAX;
}

/* The names' id of a string or stack of this generation; 0 and a count in g->missing if it isn't there. */
uint32_t v2_gen_str(struct source *s, struct v2_gen *g, uint64_t id);
static inline uint32_t v2_gen_stack(struct v2_gen *g, uint64_t id)
{
    if (!id)
        return 0;
    uint32_t mine = idmap_get(&g->stacks, id);
    if (__builtin_expect(mine == IDMAP_NONE, 0)) {
        g->missing++;
        return 0;
    }
    return mine;
}
/* v2_gen_reason - as v2_gen_str, for the reason of GoBlock and GoStop; may be the last generation's. */
uint32_t v2_gen_reason(struct source *s, struct v2_gen *g, uint64_t id);

/*
 * ---- v2_clock.c: how many units a second has, and what the wall clock said meanwhile; and whether that can be
 *
 * All times of a generation are told in these units, so a wrong rate moves and stretches everything without a contradiction among
 * events. Two things stand against it: from 1.25 on what the runtime's own clock said at the same moment (where the units are 64 ns of
 * that very clock, they say the same), and the generations before, for a running program's clock doesn't change.
 */
/* v2_clock_read - of a Frequency batch, or a Sync batch, which has a clock snapshot too. Nothing else may stand there. */
void v2_clock_read(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h);
/*
 * v2_clock_settle - all batches were seen: what rate is taken. last: that of the generation before, 0: none; last_told: it stood there.
 * v2_clock_notes - what of it is told behind all that scanning notes.
 */
void v2_clock_settle(struct source *s, struct v2_gen *g, uint64_t last, bool last_told);
void v2_clock_notes(struct source *s, const struct v2_gen *g);

/*
 * ---- v2_names.c: strings and stacks: read by themselves, then named
 *
 * The trace's names are numbered in the order in which the file has them (decode/events/names.h), so who gives these numbers goes
 * from generation to generation. Reading is not done there: it makes names of the generation's own, whoever reads others beside it.
 * What is left to do in order is one look-up for each string, each of its frames and each stack.
 */
/*
 * v2_names_read - read the tables of strings and of stacks. Until v2_names_put() g->strs and g->stacks know which ids there are, not
 * yet what the trace calls them. v2_names_give - find or add all of them in s->names: generation by generation, nobody else at it.
 * v2_names_put - from now on g->strs and g->stacks say the trace's names. The first two: false, out of memory.
 */
bool v2_names_read(struct source *s, struct v2_gen *g);
bool v2_names_give(struct source *s, struct v2_gen *g);
void v2_names_put(struct v2_gen *g);
/* v2_names_free - what stands between the steps; nothing is allowed. */
void v2_names_free(struct v2_gen *g);

/* v2_table_bad - note that a table can't be read from p on; true. */
bool v2_table_bad(struct source *s, struct v2_gen *g, const struct v2_slice *t, const uint8_t *p, const char *what);

#endif
