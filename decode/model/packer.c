/* packer.c - see packer.h. */
#include "decode/model/packer.h"

#include "decode/base/mem.h"

struct packer *packer_new(struct span_pool *sp)
{
    struct packer *pk = mem_zalloc(sizeof *pk);
    if (!pk)
        return NULL;
    pthread_mutex_init(&pk->turn, NULL);
    packer_serve(pk, sp);
    return pk;
}

void packer_serve(struct packer *pk, struct span_pool *sp)
{
    pk->pool = sp;
    pk->whole = sp->whole;
    sp->packer = pk;
    sp->bump.spare = pk->bump.spare = &pk->spare;
}

void packer_free(struct packer *pk)
{
    if (!pk)
        return;
    pk->pool->packer = NULL;
    pk->pool->bump.spare = NULL;
    pthread_mutex_destroy(&pk->turn);
    mem_free(atomic_load(&pk->spare.chunk));
    mem_free(pk);
}

/* One block. Its lane's own fields are the folding thread's; `to` is ours until it is done. */
static void job_do(struct packer *pk, const struct pack_job *j)
{
    struct pack_how how = {(const uint8_t(*)[4])pk->pool->tagslot, pk->pool->longs, pk->whole, &pk->pool->clock};
    if (!pk->oom && !spans_block_add(&pk->bump, j->to, LANE_G, j->s, j->t0, &how, &pk->packed_bytes))
        pk->oom = true;
    pk->whole = how.whole;
}

/* Under turn. */
static bool jobs_do(struct packer *pk, unsigned n)
{
    unsigned at = atomic_load_explicit(&pk->done, memory_order_relaxed);
    bool any = false;
    for (; n && at != atomic_load_explicit(&pk->put, memory_order_acquire); n--, any = true) {
        job_do(pk, &pk->job[at % PACKER_JOBS]);
        atomic_store_explicit(&pk->done, ++at, memory_order_release);
    }
    return any;
}

bool packer_some(struct packer *pk, unsigned n)
{
    if (atomic_load_explicit(&pk->done, memory_order_relaxed) ==
            atomic_load_explicit(&pk->put, memory_order_acquire) ||
        pthread_mutex_trylock(&pk->turn))
        return false;
    bool any = jobs_do(pk, n);
    pthread_mutex_unlock(&pk->turn);
    return any;
}

/* The arrays of blocks that are packed can be used again. */
static void take_back(struct packer *pk)
{
    unsigned done = atomic_load_explicit(&pk->done, memory_order_acquire);
    for (; pk->back != done; pk->back++)
        spans_wait_drop(pk->pool, pk->job[pk->back % PACKER_JOBS].s);
}

void packer_drain(struct packer *pk)
{
    struct span_pool *sp = pk->pool;
    pthread_mutex_lock(&pk->turn);
    jobs_do(pk, UINT32_MAX);
    sp->packed_bytes += pk->packed_bytes;
    pk->packed_bytes = 0;
    sp->oom = sp->oom || pk->oom;
    bump_move(&sp->bump, &pk->bump);
    pthread_mutex_unlock(&pk->turn);
    take_back(pk);
}

bool packer_put(struct packer *pk, struct spanlane *l)
{
    unsigned put = atomic_load_explicit(&pk->put, memory_order_relaxed);
    if (put - pk->back >= PACKER_JOBS - 1)
        take_back(pk);
    if (put - pk->back >= PACKER_JOBS - 1)
        packer_drain(pk);
    if (!l->blocks && !(l->blocks = mem_zalloc(sizeof *l->blocks)))
        return false;
    struct waitspan *s = spans_wait_new(pk->pool);
    if (!s)
        return false;
    pk->job[put % PACKER_JOBS] = (struct pack_job){spans_wait(l), l->blocks, l->wait_t0};
    l->wait.next = s;
    l->room = l->cap;
    l->wait_t0 = l->t0;
    atomic_store_explicit(&pk->put, put + 1, memory_order_release);
    return true;
}

void packer_ahead(struct packer *pk)
{
    bump_ahead(&pk->spare);
}
