/*
 * trace_priv.h - struct trace, for the files that load it (trace.c, loader.c, join.c), that answer from it,
 * and dump.c.
 */
#ifndef GOTOP_DECODE_TRACE_PRIV_H
#define GOTOP_DECODE_TRACE_PRIV_H

#include <pthread.h>

#include "decode/base/mem.h"
#include "decode/input/dialect.h"
#include "decode/model/fold.h"
#include "decode/base/idmap.h"
#include "decode/model/callback.h"
#include "decode/input/input.h"
#include "decode/model/join.h"
#include "decode/events/names.h"
#include "decode/events/source.h"

#define RING 128 /* chunks between the reader's thread and ours: enough to even out bursts of either */
#define CHUNK_HALVES 512 /* of events */
#define FOLD_EVENTS 2048 /* at once, by a reader that folds as it goes */

struct load_cost {              /* Of a trace that is loaded in segments. */
    uint32_t segments, redone;  /* number of segments; of decodings that were in vain */
    int64_t find, tables, join; /* processor time (ns) of the work that is done one segment at a time */
};

struct chunk {
    struct ev_half *evs;
    size_t n; /* 0 = the end */
    struct source_status st;
};

struct trace {
    struct trace_info info;
    struct trace_opts opts;
    char *path;
    struct input in;
    struct dialect dialect;
    struct names names;
    struct fold fold;
    struct source src;
    struct source_status st;                                        /* as of the last folded chunk */
    struct err damage[SOURCE_NOTES + 4], warning[SOURCE_NOTES + 4]; /* the reader's notes, and our own */
    uint32_t ndamage, nwarning;                                     /* number kept in these arrays */
    struct err counted[MISUSE_KINDS + 1]; /* warnings that count what they tell of: behind the others */
    uint32_t ncounted;
    uint32_t taken_damages, taken_warnings; /* how many of the reader's are in them */
    struct err fatal;                       /* once done: why there is nothing to show; ERR_OK: there is */
    bool done;                              /* all is loaded */
    struct idmap find[LANE_KINDS];          /* lane by id: trace_find_lane() fills it as it is asked */
    size_t nfind[LANE_KINDS];               /* number of lanes already in `find` */
    struct join join;                       /* segments; none: the trace is one fold */
    struct callback callback; /* names of goroutines, as of when all that had come was decoded */
    struct loader *loader;    /* while segments are decoded */
    struct load_cost cost;
    uint64_t *memo[MEMOS]; /* once loaded; of nmemo entries each */
    uint32_t nmemo[MEMOS];

    int threads;    /* threads that may work, the caller's included */
    bool started;   /* trace_load() has been called */
    bool full;      /* first family: there is no memory for more */
    uint32_t steps; /* load steps so far */

    /* First family: the reader's thread hands over chunks of events. Without one there is only ring[0]. */
    bool threaded, thread_on; /* there is to be one; it runs */
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t filled, freed;
    struct chunk ring[RING];
    uint64_t head, tail; /* chunks filled, chunks folded; under mu */
    bool quit;           /* under mu: the reader must stop */
};

/* trace_helper - may a goroutine that begins in that function be named by what it runs? */
static inline bool trace_helper(const struct trace *tr, uint32_t func)
{
    return (tr->fold.runs.used && names_helper(&tr->names, func)) || callback_helper(&tr->callback, func);
}

/* trace_full - is there more than the limit allows, with so many goroutines? Without a temporary file,
 * triage's tables of these must fit, too. */
static inline bool trace_full(size_t goroutines)
{
    enum { COUNTING = 160 };
    return mem_over(mem_spills() ? 0 : goroutines * COUNTING);
}

/* tested_package - for trace_info.tested. Call when all names are there. */
struct str tested_package(const struct trace *tr);

/*
 * lane_of_ginfo - the lane_info of goroutine i without first, last and nspans. seg: the segment that g is of,
 * NULL: the one fold.
 */
struct lane_info lane_of_ginfo(const struct trace *tr, const struct segment *seg, uint32_t i,
                               const struct ginfo *g);

/* lane_ends - what a lane's last piece tells of it: when it ends, and how many spans it has. Not of a
 * thread's. */
static inline void lane_ends(const struct trace *tr, const struct piece *p, struct lane_info *li)
{
    const int64_t end = trace_last(tr);
    li->last = p->l->ended || p->l->t0 > end ? p->l->t0 : end;
    li->nspans = p->index0 + spans_count(p->l);
}

/*
 * trace_blocks - report the blocks of a P's, goroutine's or band's lane with spans in [t0,t1), until f
 * returns false, which is then returned: block b of the lane's piece k, p. edge: some spans of the block may
 * lie outside the interval. Blocks with no span of *min_ns (ST_NONE apart) are skipped, and f may raise
 * *min_ns. only: as in struct states_ask.
 */
struct blocks_ask {
    int64_t t0, t1;
    const int64_t *min_ns;
    bool (*f)(void *arg, const struct piece *p, uint32_t k, uint32_t b, bool edge);
    void *arg;
    uint32_t only;
};
bool trace_blocks(const struct trace *tr, struct lane l, const struct blocks_ask *ask);

#endif
