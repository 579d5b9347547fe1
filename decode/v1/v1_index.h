/*
 * v1_index.h - the first pass over a trace of the first family.
 *
 * Batches have no length and the tables are at the end, so the whole file has to be parsed once before
 * anything can be ordered. Kept are: the chain of each processor's batches, the places of strings and stacks,
 * the tick rate, and two lists of events whose place in the order is not their place in the file: ends of
 * system calls (their real time is an argument) and CPU samples.
 *
 * Memory: 24 bytes a batch, 24 an end of a system call, 16 a sample, 16 a string or stack.
 */
#ifndef GOTOP_DECODE_V1_INDEX_H
#define GOTOP_DECODE_V1_INDEX_H

#include "decode/base/idmap.h"
#include "decode/events/source.h"
#include "decode/v1/v1_wire.h"

/* Maps the file's ids of strings or stacks to their offset, and later to their interned id (V1_KNOWN). Real
 * traces have dense ids; hostile ones may have any. */
struct v1_ids {
    struct v1_id {
        uint64_t id, val;
    } * e; /* in the file's order */
    size_t n, cap;
    uint64_t *dense; /* val by id, UINT64_MAX = none; behind them those of `far` */
    uint64_t ndense;
    struct idmap far; /* which one is of an id that isn't dense */
};

#define V1_NO_BATCH 0x7fffffffu
struct v1_batch {        /* a Batch event and what follows, up to the last event with a time */
    uint64_t off, ticks; /* offset and time of its beginning */
    uint32_t len;
    uint32_t next : 31; /* next batch of the same P, V1_NO_BATCH = none */
    uint32_t gap : 1;   /* events are missing after it */
};

struct v1_proc {
    int64_t id;           /* -1: the buffer shared by threads without a P */
    uint32_t first, last; /* batches */
};

struct v1_exit {    /* the end of a system call, to be moved to its real time */
    uint64_t key;   /* 1.5: global sequence number; later: real ticks */
    uint64_t ticks; /* real ticks */
    uint64_t g;
    uint64_t seq; /* its goroutine's number before it; V1_NO_SEQ: not recorded */
};
#define V1_NO_SEQ UINT64_MAX

struct v1_sample {
    uint64_t ticks;
    uint64_t off; /* offset of its CPUSample event */
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
    struct idmap proc_of; /* P id + 1 -> index in proc */
    int64_t frequency;    /* ticks per second, 0 = not in the file */
    bool has_footer;      /* the data after the batches was seen, so all batches are known */
    bool tables;          /* the pass is in the tables: no event with a time before the next batch */
    bool incomplete;      /* bytes are missing */
    uint64_t events, nfutile, ngomaxprocs; /* number of events: all, FutileWakeup, Gomaxprocs */
    /* private to the pass */
    uint64_t at;
    uint32_t cur;                               /* index in proc of the batch's P, UINT32_MAX = none yet */
    uint64_t batch_off, batch_ticks, run_ticks; /* of the current batch; ticks of the last event */
    uint64_t least_ticks;                       /* the earliest start of a batch */
    uint64_t procs;                             /* the highest GOMAXPROCS so far, 0 = not recorded */
    /* by an event's first byte: number of values behind it; 4 = a length is before them; 0 = look closer */
    uint8_t skips[256];
    bool unsorted;                    /* a P's batch is earlier than the one before it in the file */
    uint32_t first;                   /* the earliest batch that has events, */
    uint64_t first_ticks, last_ticks; /* when it begins, and when the latest one does */
    uint64_t end_ticks;               /* when the tables start, which is behind all events; 0: not known */
    uint64_t rate_end;                /* offset of the end of the tick rate's event */
    uint64_t table_at; /* where sound tables begin again, behind what was looked at; 0: nobody looked */
    bool batch_open;   /* batch[nbatch - 1] is the current one */
    bool profile;      /* so far that has CPU samples only: it is the profiler's, though it says P 0 */
    bool done;
};

#define V1_PROCS_MAX 65535 /* maximum number of processors; more are taken for damage */

/* v1_index_skew - an upper bound for the difference of the processors' clocks, ticks. */
static inline uint64_t v1_index_skew(const struct v1_index *ix)
{
    enum { SKEW_PER_S = 100, FASTEST = 62500000 }; /* 10 ms */
    return (uint64_t)(ix->frequency > 0 ? ix->frequency : FASTEST) / SKEW_PER_S;
}
/* v1_index_step - go on for about `bytes` bytes; sets ix->done at the end. ERR_OK or ERR_NOMEM; damage is
 * noted in s. */
enum err_code v1_index_step(struct v1_index *ix, struct source *s, uint64_t bytes);
/* v1_index_init - at the first byte behind the header. */
void v1_index_init(struct v1_index *ix, const struct source *s);
void v1_index_free(struct v1_index *ix);
/* v1_ids_find - the id's value; NULL: there is none. Call it only once the index is done. */
uint64_t *v1_ids_find(struct v1_ids *m, uint64_t id);
/* v1_ids_whole - whether it has all ids up to its highest one. Stacks are numbered one by one; a table that
 * was cut short has gaps, if it is not in their order. */
bool v1_ids_whole(const struct v1_ids *m);

/* v1_index_at - the event at an offset; false: none of this type can be read there. */
static inline bool v1_index_at(const struct v1_index *ix, const struct source *s, uint64_t off,
                               enum v1_type type, struct v1_raw *r)
{
    const uint8_t *p = s->data + off;
    const char *why;
    return v1_read(&ix->dialect, &p, s->data + s->len, r, &why) == V1_READ_OK && r->type == type;
}

#endif
