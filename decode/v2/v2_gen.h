/*
 * v2_gen.h - one generation of a second-family trace: its batches by thread, and its tables.
 */
#ifndef GOTOP_DECODE_V2_GEN_H
#define GOTOP_DECODE_V2_GEN_H

#include "decode/base/idmap.h"
#include "decode/events/source.h"
#include "decode/v2/v2_raw.h"

#define V2_REASONS 64

struct v2_batch { /* a batch of timed events */
    const uint8_t *p, *end;
    uint64_t time; /* base time, clock units */
    uint64_t m;    /* thread id */
    bool spoilt;   /* set by v2_lossy.c: it can't be read to its end, or its size is wrong */
    bool torn;     /* the input ends inside it */
    bool gap;      /* events of its thread between the batch before it and this one may be lost */
};

enum { V2_HOLES = 64 };
struct v2_hole { /* a place in the file where batches were lost or left out */
    size_t off;
    uint64_t m; /* the thread that wrote them, if known is set */
    bool known;
    bool tables; /* they were after all events, among the tables */
};

struct v2_sample {
    uint64_t time, m, p, g, stack; /* file ids, clock units */
    int64_t ns;
};

struct v2_slice {
    const uint8_t *p, *end;
    bool torn;
};

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
    struct idmap strs, stacks; /* id in the file -> id in names */
    struct v2_read *read;      /* content of its tables, between v2_names_read() and v2_names_put() */
    uint64_t min_time;         /* smallest base time of all its batches */
    struct v2_first {          /* the batch with that time, and the second smallest time: v2_batches_time() */
        uint64_t time, next;
        size_t off;
        bool events;
    } first;
    uint64_t freq;            /* clock units per second, 0 = unknown */
    struct v2_raw_clock snap; /* the clock snapshot, if has_wall is set */
    /* it states no frequency, so freq is that of another generation; freq is a guess */
    bool no_freq, assumed;
    bool clock_broken; /* the batch with the frequency can't be read to its end */
    bool torn;         /* it is incomplete, so missing table entries are expected */
    /* table entries may be missing, as a table can't be read to its end; events may be complete */
    bool unnamed;
    bool after_gap; /* nothing was recorded just before it, so no state is known (source.gap) */
    struct v2_hole hole[V2_HOLES];
    size_t nhole; /* more than V2_HOLES: anything may be lost anywhere */
    /* the last hole is after all its batches: batches of the next generation may be lost in it */
    bool ends_in_hole;
    uint64_t lo, hi;     /* bounds of the base times of its batches, clock units; 0, UINT64_MAX: unknown */
    bool strings_seen;   /* a batch of strings was seen */
    bool lo_near;        /* the first events come right after `lo` */
    const uint8_t *last; /* payload of the last batch that was added */
    /* it has stacks. They are written after all events, so each thread's last events are present */
    bool has_stacks;
    bool at_end;      /* nothing after it can be read */
    bool closed;      /* don't add names that its tables lack, as another thread may be adding names */
    uint32_t missing; /* number of look-ups of table entries that don't exist */
    bool marked;      /* it has its end mark (1.26) */
    bool lists;       /* all its batches are added to `all`, for code that counts or rewrites them */
    struct v2_raw_batch *all;
    size_t nall, capall;
    uint32_t reason[V2_REASONS]; /* wait and stop reasons by string id, as far as they were asked for */
    /* The runtime registers reasons and labels first in every generation, in an order of its own: where a
     * table of strings was cut off, that says what their numbers mean. */
    bool by_order; /* it was asked */
};

enum v2_gen_rc { V2_GEN, V2_GEN_LAST, V2_GEN_NONE, V2_GEN_OOM };

/*
 * v2_gen_scan - Find the batches and the end of the generation at *pos, without reading events, and move
 * *pos to its end. On entry g is the generation before, or what v2_gen_after() made of it. Damage is noted
 * in s. Returns V2_GEN: more may follow; V2_GEN_LAST: usable, but nothing after it is; V2_GEN_NONE: there
 * is none. Where only the bytes matter, s.grows makes it return also one that has only started.
 *
 * v2_gen_tables - Read the tables of that generation. Returns false if out of memory or cancelled
 * (trace_opts.leave). It calls v2_gen_parse(), which touches only g and s, so several generations can be
 * parsed in parallel; then v2_names_give() and v2_names_put().
 */
enum v2_gen_rc v2_gen_scan(struct source *s, struct v2_gen *g, size_t *pos);
bool v2_gen_tables(struct source *s, struct v2_gen *g);
bool v2_gen_parse(struct source *s, struct v2_gen *g);
/* v2_gen_lossy - Whether some of its batches were lost or left out. */
bool v2_gen_lossy(const struct v2_gen *g);
/* v2_gen_hole - Whether batches of thread m may be lost between two file offsets. *known: they certainly
 * are. */
bool v2_gen_hole(const struct v2_gen *g, size_t from, size_t to, uint64_t m, bool *known);
/* v2_gen_after - Make g an empty generation, ready to scan the one after `before`. */
void v2_gen_after(struct v2_gen *g, const struct v2_gen *before);
void v2_gen_free(struct v2_gen *g);

/* Returns ns per clock unit. */
double v2_gen_unit(const struct v2_gen *g);

/* Convert a time or delta of the file to ns, truncated as Go does it, at most SOURCE_TIME_MAX. No clock has
 * that time, so the caller leaves such an event or batch out. */
static inline int64_t v2_ns(uint64_t units, double unit)
{
    double t = (double)units * unit;
    return t < (double)SOURCE_TIME_MAX ? (int64_t)t : SOURCE_TIME_MAX;
}

/*
 * Most units are a whole number of ns. A short delta is then converted without floating point, to the same
 * result.
 *
 * v2_whole - Returns the unit if it is a whole number, else 0. v2_delta - v2_ns() of a delta, using both.
 */
#define V2_SHORT (UINT64_C(1) << 40) /* clock units; most of a day at 64 ns each */
static inline uint64_t v2_whole(double unit)
{
    return unit == (double)(uint64_t)unit && unit < 1e6 ? (uint64_t)unit : 0;
}
static inline int64_t v2_delta(uint64_t units, double unit, uint64_t whole)
{
    return whole && units < V2_SHORT ? (int64_t)(units * whole) : v2_ns(units, unit);
}

/* v2_gen_str - Returns the id in names of a string of this generation. If the tables lack it, returns 0 and
 * counts it in g->missing. */
uint32_t v2_gen_str(struct source *s, struct v2_gen *g, uint64_t id);
/* v2_gen_stack - The same for a stack; the tables must have been read. Id 0 is no stack, and not missing. */
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
/* v2_gen_reason - Like v2_gen_str(), for the reason of GoBlock and GoStop. */
uint32_t v2_gen_reason(struct source *s, struct v2_gen *g, uint64_t id);

/* v2_clock_notes - Report what is missing of the clock. Called later, so that the notes of the scan come
 * first. */
void v2_clock_notes(struct source *s, const struct v2_gen *g);

/*
 * ---- v2_names.c: strings and stacks: first read, then named
 *
 * The trace's names are numbered in file order (decode/events/names.h), so numbers are assigned to one
 * generation after another. Most of the work doesn't depend on that order: tables are read into names of
 * the generation's own, in parallel. The ordered part is one look-up for each string, frame and stack.
 */
/*
 * v2_names_read - Read the tables of strings and stacks. g->strs and g->stacks then hold the ids that
 * exist, with numbers of the generation's own.
 *
 * v2_names_give - Find or add all of them in s->names; in file order, by one thread at a time.
 *
 * v2_names_put - Make g->strs and g->stacks map to the trace's ids.
 *
 * The first two return false if out of memory or cancelled.
 */
bool v2_names_read(struct source *s, struct v2_gen *g);
bool v2_names_give(struct source *s, struct v2_gen *g);
void v2_names_put(struct v2_gen *g);
/* v2_names_free - Free g->read, which may be NULL. */
void v2_names_free(struct v2_gen *g);

/* v2_table_bad - Note that a table can't be read from p on. Always returns true: no lack of memory. */
bool v2_table_bad(struct source *s, struct v2_gen *g, const struct v2_slice *t, const uint8_t *p,
                  const char *what);

#endif
