/*
 * v2_gen.h - one generation of a second-family trace: its batches by thread, and its tables (FORMAT.md B.1,
 * B.3).
 */
#ifndef GOTOP_DECODE_V2_GEN_H
#define GOTOP_DECODE_V2_GEN_H

#include "decode/base/idmap.h"
#include "decode/events/source.h"
#include "decode/v2/v2_raw.h"

#define V2_REASONS 64

struct v2_batch { /* of timed events */
    const uint8_t *p, *end;
    uint64_t time; /* base, clock units */
    uint64_t m;    /* thread id */
    bool spoilt;   /* v2_lossy.c: it can't be read to its end, or that isn't where it says */
    bool torn;     /* the input ends inside it */
    bool gap;      /* the thread's events between the batch before it and this one may be lost */
};

enum { V2_HOLES = 64 };
struct v2_hole { /* a place in the file where batches were lost or left out */
    size_t off;
    uint64_t m; /* the thread whose they were, if that is known */
    bool known;
    bool tables; /* they stood behind all events, among the tables */
};

struct v2_sample {
    uint64_t time, m, p, g, stack; /* file ids, clock units */
    int64_t ns;
};

struct v2_slice {
    const uint8_t *p, *end;
    bool torn;
};

/* For code that counts, cuts or rewrites a trace: all batches of a generation as they stand in the file. */
struct v2_file { /* a trace's bytes, to be read by the rules of that version */
    const uint8_t *data;
    size_t len;
    int version;
};
struct v2_raw_gen {
    uint64_t number;
    const uint8_t *start, *end;
    struct v2_raw_batch *batch;
    size_t n, cap;
    bool marked;       /* it has its end mark (1.26) */
    bool torn;         /* its end, or its clock, is missing */
    uint64_t min_time; /* smallest time of its batches */
    uint64_t lo, hi;   /* as in v2_gen */
    bool lo_near;
    struct v2_raw_clock
        clock;         /* freq: as v2_clock.c corrects it, by the generation read before and the one behind */
    struct err damage; /* the first thing in it that is wrong; ERR_OK: nothing is */
    struct v2_hole hole[V2_HOLES]; /* where batches were passed over, and how often: as in v2_gen */
    size_t nhole;
};
/*
 * v2_raw_gen - read the generation that begins at *pos and move *pos behind it. Damage is passed over as
 * v2_gen_read() does it, so both agree on what the generations of a damaged trace are: a batch among those of
 * another generation is left out, a wrong size is skipped. g: as filled for the generation before, or all
 * zeros. false: there is no further generation (e->code is ERR_OK at the end of the file), or no memory
 * (ERR_NOMEM). Free with v2_raw_gen_free().
 */
bool v2_raw_gen(const struct v2_file *f, size_t *pos, struct v2_raw_gen *g, struct err *e);
void v2_raw_gen_free(struct v2_raw_gen *g);

/*
 * source_v2_base - v2_source.c: the time of the trace's first event on its clock, ns, as the reader has it,
 * be it damaged. ERR_EMPTY: it has none.
 */
enum err_code source_v2_base(const struct v2_file *f, size_t header, int64_t *base, struct err *e);

/* v2_raw_next - the next entry of the generation's tables of strings, or of stacks; false: there is none. A
 * damaged batch ends early. */
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
    struct v2_read *read;      /* what its tables say, between v2_names_read() and v2_names_put() */
    uint64_t min_time;         /* smallest base time of all its batches */
    struct v2_first {          /* the batch that has it, and the second smallest time: v2_batches_time() */
        uint64_t time, next;
        size_t off;
        bool events;
    } first;
    uint64_t freq;            /* clock units per second, 0 = not seen */
    struct v2_raw_clock snap; /* the clock snapshot, if has_wall is set */
    bool no_freq, assumed;    /* it states no frequency: freq is another generation's; freq is a guess */
    bool rate_stated;         /* it states a frequency that a clock can have */
    bool clock_broken;        /* the batch with the frequency can't be read to its end */
    bool torn;                /* it isn't whole, so missing table entries are no surprise */
    bool unnamed;   /* nor are they here: a table can't be read to its end. All events may be there */
    bool after_gap; /* nothing was recorded right before it, so no state is known (source.gap) */
    struct v2_hole hole[V2_HOLES];
    size_t nhole;        /* if more than V2_HOLES: anything may be lost anywhere */
    bool ends_in_hole;   /* the last one is behind all its batches: batches of the next generation may be lost
                            in it */
    bool suspect;        /* times or order of its batches must be checked */
    uint64_t lo, hi;     /* its batches begin between these, clock units; 0, UINT64_MAX: not known */
    bool strings_seen;   /* a batch of strings was seen */
    bool lo_near;        /* the first events come right behind `lo` */
    const uint8_t *last; /* payload of the last batch that was taken */
    bool has_stacks;     /* it has stacks. They are written behind all events, so no thread's last events are
                          missing */
    bool at_end;         /* nothing behind it can be read */
    bool closed;      /* don't add names that aren't in its tables: another thread may be adding names now */
    uint32_t missing; /* table entries that were asked for and aren't there; */
    struct source_lack lack; /* the first one, n: is it set? */
    struct v2_raw_gen *raw;  /* each batch is added here, too; NULL: not needed */
    /* Wait and stop reasons by string id. The runtime registers them first thing in every generation, so they
       have small ids, the same ones each time. A generation whose string table was cut off can therefore use
       those of the one before. */
    uint32_t reason[V2_REASONS], last_reason[V2_REASONS];
    bool reason_inferred; /* some reasons were taken from last_reason */
    bool by_order;        /* some strings are inferred from the order in which the runtime registers them */
};

enum v2_gen_rc { V2_GEN, V2_GEN_LAST, V2_GEN_NONE, V2_GEN_OOM };

/*
 * v2_gen_scan - find the batches and the end of the generation that starts at *pos, without looking at
 * events, and move *pos behind it; on entry g is the generation before it, or what v2_gen_after() makes of
 * that. Damage is noted in s. V2_GEN: more may follow. V2_GEN_LAST: usable, but nothing behind it is.
 * V2_GEN_NONE: there is none.
 *
 * v2_gen_tables - then read its tables; false: out of memory, or nobody wants them any more
 * (trace_opts.leave). It has two parts of its own: v2_gen_parse(), which touches nothing but g and s, so
 * several generations can be parsed at once; then v2_names_give() and _put().
 */
enum v2_gen_rc v2_gen_scan(struct source *s, struct v2_gen *g, size_t *pos);
bool v2_gen_tables(struct source *s, struct v2_gen *g);
bool v2_gen_parse(struct source *s, struct v2_gen *g);
/* v2_gen_lossy - some of its batches were lost, or had to be left out. */
bool v2_gen_lossy(const struct v2_gen *g);
/* v2_gen_hole - may batches of thread m be lost between these two places of the file? *known: they are. */
bool v2_gen_hole(const struct v2_gen *g, size_t from, size_t to, uint64_t m, bool *known);
/* v2_gen_after - make g an empty generation, ready to be scanned as the one behind `before`. */
void v2_gen_after(struct v2_gen *g, const struct v2_gen *before);
/*
 * v2_gen_late - look at each thread's last batch; v2_late_last - from that, foretell the time of the
 * generation's last event (absolute, ns). `last`: when the generation before ended, INT64_MIN if there is
 * none. The answer may be slightly off where threads' events have to be put in another order than that of
 * their times; then the segment behind is decoded again.
 */
struct v2_late {
    int64_t least, most; /* no event is before it; the latest time stated */
    int64_t *t;          /* times of the last moments' events, ascending; the caller frees it */
    size_t n, cap;
    bool oom;
};
void v2_gen_late(const struct v2_gen *g, struct v2_late *late);
int64_t v2_late_last(const struct v2_late *late, int64_t last);
/*
 * v2_gen_workers - call told() for each goroutine that is one of the collector's mark workers, maybe more
 * than once: known by where it was created or (inferred) by its stacks. Looks at all events, of a huge
 * generation at some, without ordering them. func: the names' id of the workers' function.
 */
typedef void v2_worker_fn(void *arg, uint64_t g, uint32_t func, bool inferred);
void v2_gen_workers(const struct v2_gen *g, const struct names *nm, v2_worker_fn *found, void *arg);
/* v2_gen_next_rate - the clock frequency that the generation behind g states; 0: none, or that isn't the next
 * generation. */
uint64_t v2_gen_next_rate(const struct source *s, const struct v2_gen *g);
void v2_gen_free(struct v2_gen *g);
/* v2_gen_add - add one of its batches of events or tables. false: out of memory. */
bool v2_gen_add(struct v2_gen *g, const struct v2_raw_batch *h);

/* Nanoseconds per clock unit; the file's times are converted as Go does it (FORMAT.md B.4). */
double v2_gen_unit(const struct v2_gen *g);

/*
 * A time or delta of the file in ns, truncated as Go does it. What is more than SOURCE_TIME_MAX becomes
 * SOURCE_TIME_MAX: no clock has such a time, so whoever reads one from the file leaves the event or batch
 * out.
 */
static inline int64_t v2_ns(uint64_t units, double unit)
{
    double t = (double)units * unit;
    return t < (double)SOURCE_TIME_MAX ? (int64_t)t : SOURCE_TIME_MAX;
}

/*
 * Most units are a whole number of ns: then a delta, which is short, is converted without floating point, to
 * the same. v2_whole - the unit if it is such a number, else 0. v2_delta - v2_ns() of a delta, given both.
 */
#define V2_SHORT (UINT64_C(1) << 40) /* units; most of a day, at 64 ns each */
static inline uint64_t v2_whole(double unit)
{
    return unit == (double)(uint64_t)unit && unit < 1e6 ? (uint64_t)unit : 0;
}
static inline int64_t v2_delta(uint64_t units, double unit, uint64_t whole)
{
    return whole && units < V2_SHORT ? (int64_t)(units * whole) : v2_ns(units, unit);
}

/* v2_gen_lacks - a string or stack was asked for that the tables lack. v2_gen_lacks_in - of what: an event,
 * or a stack. */
void v2_gen_lacks(struct v2_gen *g, uint64_t id, bool stack);
static inline void v2_gen_lacks_in(struct v2_gen *g, const char *event, uint64_t off, uint64_t of)
{
    if (g->lack.n && !g->lack.event) {
        g->lack.event = event;
        g->lack.off = off;
        g->lack.g = of;
    }
}

/* v2_gen_str - the names' id of a string of this generation. If the tables lack it: 0, and g->missing counts
 * it. */
uint32_t v2_gen_str(struct source *s, struct v2_gen *g, uint64_t id);
/* v2_gen_stack - the same of a stack, which is known by then. 0 is none, and not missing. */
static inline uint32_t v2_gen_stack(struct v2_gen *g, uint64_t id)
{
    if (!id)
        return 0;
    uint32_t mine = idmap_get(&g->stacks, id);
    if (__builtin_expect(mine == IDMAP_NONE, 0)) {
        v2_gen_lacks(g, id, true);
        return 0;
    }
    return mine;
}
/*
 * v2_untold - in [p, end), the first event that names a string or a stack which these lack; NULL: none does.
 * Looks at *most names, about, and counts them down.
 */
const uint8_t *v2_untold(const uint8_t *p, const uint8_t *end, const struct idmap *strs,
                         const struct idmap *stacks, unsigned *most);
/* v2_gen_reason - as v2_gen_str(), for the reason of GoBlock and GoStop; may be taken from the generation
 * before. */
uint32_t v2_gen_reason(struct source *s, struct v2_gen *g, uint64_t id);

/*
 * ---- v2_clock.c: how many clock units a second has, what the wall clock said, and whether both can be true
 *
 * All times of a generation count these units, so a wrong rate stretches everything without any contradiction
 * among the events. Two things can reveal it: the clock snapshot (from 1.25 on), in which the runtime's own
 * clock must agree if the units are 64 ns of that clock; and the generations before, as the clock of a
 * running program doesn't change.
 */
/* v2_clock_read - read a Frequency batch, or a Sync batch, which has a clock snapshot as well. */
void v2_clock_read(struct source *s, struct v2_gen *g, const struct v2_raw_batch *h);
/*
 * v2_clock_settle - decide on g->freq once all batches were seen. last: the rate of the generation before, 0
 * if there is none; last_stated: that generation stated it itself. v2_clock_notes - report what is missing;
 * later, so that scanning's notes come first.
 */
void v2_clock_settle(struct source *s, struct v2_gen *g, uint64_t last, bool last_stated);
void v2_clock_notes(struct source *s, const struct v2_gen *g);

/*
 * ---- v2_names.c: strings and stacks: first read, then named
 *
 * The trace's names are numbered in the order in which the file has them (decode/events/names.h), so numbers
 * are given to one generation after another. Most of the work doesn't depend on that order: tables are read
 * into names of the generation's own, those of several generations at once. What is left for the ordered part
 * is one look-up for each string, frame and stack.
 */
/*
 * v2_names_read - read the tables of strings and stacks. g->strs and g->stacks then tell which ids exist,
 * with numbers of the generation's own. v2_names_give - find or add all of them in s->names; in the file's
 * order, by one thread at a time. v2_names_put - make g->strs and g->stacks give the trace's ids. The first
 * two return false if out of memory, or left.
 */
bool v2_names_read(struct source *s, struct v2_gen *g);
bool v2_names_give(struct source *s, struct v2_gen *g);
void v2_names_put(struct v2_gen *g);
/* v2_names_free - free g->read; NULL is allowed. */
void v2_names_free(struct v2_gen *g);

/* v2_table_bad - note that a table can't be read from p on. Always returns true, for "no memory problem". */
bool v2_table_bad(struct source *s, struct v2_gen *g, const struct v2_slice *t, const uint8_t *p,
                  const char *what);

#endif
