/* trace_priv.h - struct trace, for those who load it (trace.c, loader.c, join.c), who answer from it, and dump.c. */
#ifndef GOTOP_DECODE_TRACE_PRIV_H
#define GOTOP_DECODE_TRACE_PRIV_H

#include <pthread.h>

#include "decode/input/dialect.h"
#include "decode/model/fold.h"
#include "decode/base/idmap.h"
#include "decode/input/input.h"
#include "decode/model/join.h"
#include "decode/events/names.h"
#include "decode/events/source.h"

#define RING \
    128 /* chunks between the reader's thread and ours: enough to even out what one of them does now and then */
#define CHUNK_HALVES 512 /* of events */
#define FOLD_EVENTS 2048 /* in one go, by a reader that folds as it goes */

struct load_cost {              /* of a trace that was loaded in segments */
    uint32_t segments, again;   /* how many; decodings that were in vain */
    int64_t find, tables, join; /* processor time, ns, of what is done for one segment after the other */
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
    struct source_status st; /* as of the last chunk folded */
    struct err damage[SOURCE_NOTES + 4], warning[SOURCE_NOTES + 4];
    uint32_t ndamage, nwarning; /* kept in those */
    uint32_t taken_damages, taken_warnings;
    struct err fatal;
    bool done;
    struct idmap find[LANE_KINDS];
    size_t found[LANE_KINDS]; /* lanes already in `find` */
    struct join join;
    struct loader *loader; /* while segments are decoded */
    struct load_cost cost;
    uint64_t *aside[ASIDES]; /* once it is loaded; naside of each */
    uint32_t naside[ASIDES];

    int threads;           /* that may be at work, the caller's included */
    bool started;          /* trace_load() has been called */
    bool full;             /* of the first family more can't be held */
    bool glanced;          /* what the model holds is the beginning alone, see glance.h */
    uint64_t shown_events; /* so many that held: fewer are not shown again */
    bool threaded, thread_on;
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t filled, freed;
    struct chunk ring[RING];
    uint64_t head, tail; /* chunks filled, chunks folded; under mu */
    bool quit;           /* under mu: the reader is to stop */
    uint32_t steps;      /* of loading */
};

/* trace_anew - what was shown of the model is void, and lanes have other indices. */
void trace_anew(struct trace *tr);

/* tested_package - see trace_info.tested; once all names are there. */
struct str tested_package(const struct trace *tr);

/* lane_of_ginfo - what is known of a goroutine of a segment (NULL: of the one fold) beside its spans: not first, last, nspans. */
struct lane_info lane_of_ginfo(const struct trace *tr, const struct segment *seg, const struct ginfo *g);

/*
 * trace_blocks - of a lane, no thread's, the blocks with spans in [t0,t1): block b of its piece k, p; edge: not all of its spans need
 * be. Those are left out that have no span of *min_ns (ST_NONE apart), which may grow; only: as in struct states_ask. Until f returns
 * false, which is returned.
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
