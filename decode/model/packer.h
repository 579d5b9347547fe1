/*
 * packer.h - full blocks of goroutines' lanes, packed by whichever thread has time.
 *
 * Folding is the longer half of the work where the reader has a thread of its own, and a third of it is packing. So a
 * full block of a goroutine's lane is only put down here by the folding thread, and the reader packs it while the ring
 * of events is full. If it doesn't get to it, the folding thread does it itself: when there is no more room, and before
 * it lets anyone read the model (packer_drain). Blocks are packed in the order they were put down, by one thread at
 * a time.
 *
 * P lanes and bands are packed at once: what a thread held (decode/model/holds.h) is looked up in them while folding.
 */
#ifndef GOTOP_DECODE_PACKER_H
#define GOTOP_DECODE_PACKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "decode/model/spans.h"

#define PACKER_JOBS 256

struct pack_job {
    struct waitspan *s; /* SPAN_BLOCK of them */
    struct spanblocks *to;
    int64_t t0; /* start of the first */
};

struct packer {
    pthread_mutex_t turn;   /* held while packing */
    struct span_pool *pool; /* whose lanes these are */
    struct pack_job job[PACKER_JOBS];
    atomic_uint put, done;   /* jobs ever put down, packed */
    unsigned back;           /* of the packed ones: whose waiting spans the folding thread took back */
    struct bump bump;        /* under turn: where packed blocks go; its chunks go to the pool */
    uint32_t whole;          /* under turn: see struct pack_how */
    uint64_t packed_bytes;   /* under turn: not yet added to the pool's */
    bool oom;                /* under turn */
    struct bump_spare spare; /* the next chunk of either thread */
};

/* packer_new - for this pool, whose packer it becomes. NULL: out of memory. packer_free - nothing may wait in it; the pool has none
   any more. */
struct packer *packer_new(struct span_pool *sp);
/* packer_serve - the folding thread's, before anything was put down: another pool's. */
void packer_serve(struct packer *pk, struct span_pool *sp);
void packer_free(struct packer *pk);

/* packer_put - the folding thread's: a lane's full block. false: out of memory. */
bool packer_put(struct packer *pk, struct spanlane *l);
/* packer_drain - the folding thread's: when it returns, nothing waits, and all blocks can be read. */
void packer_drain(struct packer *pk);
/* packer_ahead - the reader's, while it would wait: have the next chunk ready, its pages included. */
void packer_ahead(struct packer *pk);
/* packer_some - any thread's: pack up to n of the blocks that wait. false: none waited, or somebody else is at it. */
bool packer_some(struct packer *pk, unsigned n);

#endif
