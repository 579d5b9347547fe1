/*
 * v1_index.h - the first pass over a trace of the first family.
 *
 * Batches have no length and the table of names stands at the end, so the whole file is parsed once before anything
 * can be ordered. What is kept: for each processor the chain of its batches that hold events, where strings and
 * stacks stand, the tick rate, and two lists of events whose place in the order is not their place in the file:
 * ends of system calls (their real time is an argument) and CPU samples. No event is kept otherwise.
 *
 * Cost: 24 bytes a batch, 24 an end of a system call, 16 a sample, 16 a string or stack.
 */
#ifndef GOTOP_DECODE_V1_INDEX_H
#define GOTOP_DECODE_V1_INDEX_H

#include "decode/events/source.h"
#include "decode/v1/v1_scan.h"

/* Ids of the file's strings and stacks to values: where they stand, later what they were interned as. Dense in real traces, anything in
   hostile ones: those that are not are sorted. */
struct v1_ids {
    struct v1_id {
        uint64_t id, val;
    } * e; /* as found; sorted by id at the end, if not dense */
    size_t n, cap;
    uint64_t *dense; /* val by id, UINT64_MAX = none */
    uint64_t ndense;
};

#define V1_NO_BATCH 0x7fffffffu
struct v1_batch {        /* a Batch event and what follows it up to its last event with a time */
    uint64_t off, ticks; /* ticks: when it begins */
    uint32_t len;
    uint32_t next : 31; /* next batch of the same P, V1_NO_BATCH = none */
    uint32_t gap : 1;   /* events are missing behind it */
};

struct v1_proc {
    int64_t id;           /* -1: the buffer shared by threads without a P */
    uint32_t first, last; /* batches */
};

struct v1_exit {    /* the end of a system call, to be placed by its real time */
    uint64_t key;   /* 1.5: global sequence number; later: real ticks */
    uint64_t ticks; /* real ticks */
    uint64_t g;
};

struct v1_sample {
    uint64_t ticks;
    uint64_t off; /* of its CPUSample event */
};

struct v1_index {
    struct v1_dialect dialect;
    struct v1_batch *batch;
    size_t nbatch, batch_cap;
    struct v1_proc *proc;
    size_t nproc, proc_cap;
    struct v1_exit *exit;
    size_t nexit, exit_cap;
    struct v1_sample *sample;
    size_t nsample, sample_cap;
    struct v1_ids strings, stacks;
    uint32_t *proc_of; /* index in proc by P id + 1, UINT32_MAX = none */
    size_t proc_of_cap;
    int64_t frequency;                     /* ticks per second, 0 = not in the file */
    bool has_footer;                       /* the list of batches is complete: what follows them was seen */
    bool tables;                           /* in the tables: an event with a time needs a batch first */
    bool incomplete;                       /* bytes are missing */
    uint64_t events, nfutile, ngomaxprocs; /* of all types; of two */
    uint64_t end;                          /* offset up to which the file was understood */
    /* private to the pass */
    uint64_t at;
    uint32_t cur; /* index in proc of the batch's P, UINT32_MAX = none yet */
    uint64_t batch_off, batch_ticks, run_ticks, least_ticks; /* least: of any batch */
    uint64_t procs;                                          /* the greatest GOMAXPROCS so far, 0 = not told */
    struct v1_scan scan;
    bool unsorted;  /* a P's batch is earlier than the one in front of it */
    uint32_t first; /* the earliest of all batches, and its ticks; the latest one's */
    uint64_t first_ticks, last_ticks;
    uint64_t end_ticks; /* when the tables were begun, behind all events; 0: nobody knows */
    uint64_t rate_end;  /* where the tick rate's event ends */
    bool batch_open;    /* batch[nbatch - 1] is the one that is being read */
    bool done;
};

#define V1_PROCS_MAX 65535 /* processors, more are taken for damage */

/* v1_index_skew - clocks of processors differ by less, ticks. */
static inline uint64_t v1_index_skew(const struct v1_index *ix)
{
    enum { SKEW_PER_S = 100, FASTEST = 62500000 }; /* 10 ms */
    return (uint64_t)(ix->frequency > 0 ? ix->frequency : FASTEST) / SKEW_PER_S;
}
/* v1_index_step - go on for about `bytes` bytes; *done at the end. ERR_OK or ERR_NOMEM; damage goes to the source. */
enum err_code v1_index_step(struct v1_index *ix, struct source *s, uint64_t bytes);
/* v1_index_leap - leave out what stands before `to`, where a batch begins: it is missing of every processor. */
void v1_index_leap(struct v1_index *ix, uint64_t to);
bool v1_index_init(struct v1_index *ix, const struct source *s);
void v1_index_free(struct v1_index *ix);
/* v1_ids_find - once sealed. NULL: not there. O(1), sparse O(log n). */
uint64_t *v1_ids_find(struct v1_ids *m, uint64_t id);

/* ---- v1_place.c: where in the file a batch seems to begin. Nothing says so for sure; who goes on from there sees by what follows -- */

#define V1_BATCH_BYTES 65536             /* what a writer's buffer holds */
#define V1_PLACE_P 4096                  /* processors there may be, where nothing tells */
#define V1_PLACE_MORE 4                  /* times what it was so far a program may set GOMAXPROCS to */
#define V1_NEAR_TICKS (INT64_C(1) << 32) /* a minute or more */

/* v1_place_work - what it took to read the events from..to, behind which `last` was read or not: about a byte's for each value. */
static inline uint64_t v1_place_work(const uint8_t *from, const uint8_t *to, const struct v1_raw *last)
{
    return (uint64_t)(to - from) + (last->type == V1_STACK ? 4 * (uint64_t)last->len : 1);
}

/* v1_place_next - the first in [off, end) from which some events make sense, or end. */
uint64_t v1_place_next(const struct v1_index *ix, const struct source *s, uint64_t off, uint64_t end);

/* v1_place_proc - may this be the number of a batch's processor? */
static inline bool v1_place_proc(uint64_t p, uint64_t limit)
{
    return p == UINT64_MAX || p < limit;
}

/* ---- v1_batches.c: batches that don't stand as they were written: in another order, twice, or with a time they can't have --------- */

/*
 * v1_batches_mend - all batches were seen: leave out those that say a time before the trace began or behind its end, put each processor's
 * chain in order. Cost: nothing if all are as they were written, else their bytes once more. ERR_OK or ERR_NOMEM.
 */
enum err_code v1_batches_mend(struct v1_index *ix, struct source *s);

/*
 * ---- v1_glance.c: the beginning of a large trace, to be shown before all of it is indexed
 *
 * A writer puts down a processor's batch when it is full, and at the end what there is of each. So the first batches of a file and its
 * last ones tell all of the trace's beginning, unless a processor comes up in the last ones alone that may have one in between;
 * then there is nothing to show yet.
 */
#define V1_GLANCE_HALVES 60000 /* of events that are told of it, about */

/*
 * v1_glance_index - the index of the beginning and of the end, as of a trace of which the middle is missing. false: the beginning is not
 * known by these, or there is no memory.
 */
bool v1_glance_index(struct v1_index *ix, struct source *s);

#endif
