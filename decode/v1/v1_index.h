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
#include "decode/v1/v1_ids.h"
#include "decode/v1/v1_scan.h"

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

#endif
