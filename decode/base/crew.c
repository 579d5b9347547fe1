/*
 * crew.c - see crew.h. Whoever takes part calls two more, so that many are at work after a few wakings, and
 * nobody wakes all of them. A call that nobody has followed when the work is done is taken back.
 */
#include "decode/base/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum { STACK = 1 << 20, CALLS = 2 };

struct hand {
    struct crew *crew;
    unsigned who;
    pthread_t thread;
};

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t call, rest;
    int64_t alone_ns;
    unsigned most, hands; /* threads beside the caller's: there may be, there are */
    unsigned called;      /* calls nobody has followed yet */
    unsigned busy;        /* hands at work */
    bool over;
    struct crew_job job; /* written while no hand is busy, nor called */
    atomic_size_t next;
    struct hand hand[CREW_MOST];
};

static void *help(void *arg);

/* One more thread. Under the lock. */
static bool hire(struct crew *c)
{
    struct hand *h = &c->hand[c->hands];
    pthread_attr_t attr;
    *h = (struct hand){.crew = c, .who = c->hands + 1};
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    const bool ok = thread_start(&h->thread, &attr, help, h) == 0;
    pthread_attr_destroy(&attr);
    c->hands += ok;
    c->most = ok ? c->most : c->hands; /* what can't be had isn't asked for again */
    return ok;
}

/* As long as there are parts for them. Under the lock. */
static void call_more(struct crew *c)
{
    for (int i = 0; i < CALLS; i++) {
        const size_t next = atomic_load_explicit(&c->next, memory_order_relaxed);
        const unsigned there = c->busy + c->called;
        if (there >= c->most || next >= c->job.n || c->job.n - next <= c->called ||
            (there == c->hands && !hire(c)))
            return;
        c->called++;
        pthread_cond_signal(&c->call);
    }
}

static bool take(struct crew *c, size_t *i)
{
    *i = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
    return *i < c->job.n;
}

static void *help(void *arg)
{
    const struct hand *h = arg;
    struct crew *c = h->crew;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!c->over && !c->called)
            pthread_cond_wait(&c->call, &c->lock);
        if (c->over)
            break;
        c->called--;
        c->busy++;
        call_more(c);
        pthread_mutex_unlock(&c->lock);
        for (size_t i; take(c, &i);)
            c->job.part(c->job.arg, i, h->who);
        pthread_mutex_lock(&c->lock);
        if (--c->busy == 0)
            pthread_cond_signal(&c->rest);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

struct crew *crew_new(int threads, int64_t alone_ns)
{
    struct crew *c = mem_zalloc(sizeof *c);
    if (!c)
        return NULL;
    c->most = threads < 1 ? 0 : threads < CREW_MOST ? (unsigned)threads - 1 : CREW_MOST - 1;
    c->alone_ns = alone_ns;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->call, NULL);
    pthread_cond_init(&c->rest, NULL);
    return c;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->over = true;
    pthread_cond_broadcast(&c->call);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->hands; i++)
        pthread_join(c->hand[i].thread, NULL);
    pthread_cond_destroy(&c->call);
    pthread_cond_destroy(&c->rest);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}

static void call_first(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    call_more(c);
    pthread_mutex_unlock(&c->lock);
}

/* Nobody who was called comes any more, and who is at work has done it. */
static void await(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->called = 0;
    while (c->busy)
        pthread_cond_wait(&c->rest, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void crew_do(struct crew *c, const struct crew_job *job)
{
    size_t i = 0;
    if (!c || !c->most || job->n < 2) {
        for (; i < job->n; i++)
            job->part(job->arg, i, 0);
        return;
    }
    bool alone = true;
    const int64_t until = host_now() + c->alone_ns;
    c->job = *job;
    atomic_store_explicit(&c->next, 0, memory_order_relaxed);
    for (;;) {
        if (alone && (!c->alone_ns || host_now() >= until)) {
            alone = false;
            call_first(c);
        }
        if (!take(c, &i))
            break;
        job->part(job->arg, i, 0);
    }
    if (!alone)
        await(c);
}
