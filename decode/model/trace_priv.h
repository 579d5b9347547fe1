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
#define FOLD_EVENTS 2048 /* events that a reader which folds as it goes takes at once */

struct load_cost {             /* The cost of loading a trace in segments. */
    uint32_t segments, redone; /* number of segments; number of decodings that were thrown away */
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
    struct err counted[MISUSE_KINDS]; /* warnings with a count of misuses, listed after the others */
    uint32_t ncounted;
    /* number of the reader's notes that are copied into damage, warning */
    uint32_t taken_damages, taken_warnings;
    struct err fatal; /* once done: why nothing can be shown; ERR_OK if something can */
    bool done;        /* all is loaded */
    struct join join; /* segments; empty if the trace is one fold */
    /* names from callbacks, as of the last time that all input so far was decoded */
    struct callback callback;
    struct loader *loader; /* while segments are decoded */
    struct load_cost cost;
    uint64_t *memo[MEMOS]; /* once loaded; memo[m] has nmemo[m] entries */
    uint32_t nmemo[MEMOS];

    int threads;    /* threads that may work, the caller's included */
    bool started;   /* trace_load() has been called */
    bool full;      /* first family: the memory limit is reached */
    uint32_t steps; /* load steps so far */

    /* First family: the reader's thread hands over chunks of events. Without that thread only ring[0] is
     * used. */
    bool threaded, thread_on; /* whether the reader gets a thread; whether that thread runs */
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t filled, freed;
    struct chunk ring[RING];
    uint64_t head, tail; /* chunks filled, chunks folded; under mu */
    bool quit;           /* under mu: the reader must stop */
};

/*
 * loader.c: finds the segments, decodes them side by side, joins them in order.
 *
 * loader_new - returns NULL if out of memory, or if the trace must be read as one.
 * loader_free - stops its threads. Segments that are not joined are lost.
 * loader_some - decode and join until the clock (host_now()) reaches `stop`, or everything is done.
 */
enum loaded_rc {
    LOADER_MORE,
    LOADER_DONE, /* all segments are joined */
    LOADER_FULL, /* all segments that fit into memory are joined */
    LOADER_CANT  /* the generations of this trace cannot be decoded independently; tr->fold is unusable */
};
struct loader *loader_new(struct trace *tr, int threads);
void loader_free(struct loader *l);
enum loaded_rc loader_some(struct loader *l, int64_t stop);

/* trace_helper - whether goroutines that start in this function may be named after the function that they
 * were passed. */
static inline bool trace_helper(const struct trace *tr, uint32_t func)
{
    return (tr->fold.runs.used && names_helper(&tr->names, func)) || callback_helper(&tr->callback, func);
}

/* trace_full - whether the memory limit is exceeded with so many goroutines. Without a temporary file,
 * triage's tables of goroutines must fit, too. */
static inline bool trace_full(size_t goroutines)
{
    enum { COUNTING = 160 };
    return mem_over(mem_spills() ? 0 : goroutines * COUNTING);
}

/* tested_package - the package under test, for trace_info.tested. Call it once all names are read. */
struct str tested_package(const struct trace *tr);

/* trace_name - the name of goroutine i, of which this is known. *inferred: its own stacks do not show it. */
uint32_t trace_name(const struct trace *tr, uint32_t i, const struct ginfo *g, bool *inferred);
/* trace_lane_at, trace_who_at - trace_lane(), trace_lane_who() of goroutine g, whose trace_home() is h. */
struct lane_info trace_lane_at(const struct trace *tr, uint32_t g, const struct home *h);
struct lane_info trace_who_at(const struct trace *tr, uint32_t g, const struct home *h);

/* trace_blocks - call f for each block of a lane (of a P, a goroutine or a band) that has spans in [t0,t1),
 * until f returns false, which is then returned. f gets block b of the lane's piece k, p. edge: some spans
 * of the block may lie outside the interval. Blocks without a span of *min_ns other than ST_NONE are
 * skipped, and f may raise *min_ns. only: as in struct states_ask. */
struct blocks_ask {
    int64_t t0, t1;
    const int64_t *min_ns;
    bool (*f)(void *arg, const struct piece *p, uint32_t k, uint32_t b, bool edge);
    void *arg;
    uint32_t only;
};
bool trace_blocks(const struct trace *tr, struct lane l, const struct blocks_ask *ask);

#endif
