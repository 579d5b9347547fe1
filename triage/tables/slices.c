/* slices.c - see slices.h. `turn` says who runs; it changes hands under the lock only. */
#include "triage/tables/slices.h"

#include <pthread.h>
#include <time.h>

#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum { LOOK = 8, STACK = 1 << 20 }; /* ticks between two looks at the clock */

struct slices {
    bool (*f)(void *arg);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool turn; /* the computation's */
    bool stop, over, ok;
    int64_t until;
    unsigned ticks;
};

static _Thread_local struct slices *mine;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void await(struct slices *s, bool turn)
{
    while (s->turn != turn) {
        pthread_cond_wait(&s->changed, &s->lock);
    }
}

static void hand_over(struct slices *s, bool turn)
{
    s->turn = turn;
    pthread_cond_signal(&s->changed);
}

static void *compute(void *arg)
{
    struct slices *s = arg;
    mine = s;
    pthread_mutex_lock(&s->lock);
    await(s, true);
    pthread_mutex_unlock(&s->lock);
    s->ok = !s->stop && s->f(s->arg);
    pthread_mutex_lock(&s->lock);
    s->over = true;
    hand_over(s, false);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

struct slices *slices_new(bool (*f)(void *arg), void *arg)
{
    struct slices *s = mem_zalloc(sizeof *s);
    pthread_attr_t attr;
    if (!s) {
        return NULL;
    }
    s->f = f;
    s->arg = arg;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    int rc = thread_start(&s->thread, &attr, compute, s);
    pthread_attr_destroy(&attr);
    if (rc) {
        pthread_cond_destroy(&s->changed);
        pthread_mutex_destroy(&s->lock);
        mem_free(s);
        return NULL;
    }
    return s;
}

enum slices_state slices_run(struct slices *s, int64_t budget_ns)
{
    int64_t now = now_ns();
    pthread_mutex_lock(&s->lock);
    if (!s->over) {
        s->until = budget_ns > INT64_MAX - now ? INT64_MAX : now + budget_ns;
        hand_over(s, true);
        await(s, false);
    }
    pthread_mutex_unlock(&s->lock);
    return !s->over ? SLICES_MORE : s->ok ? SLICES_DONE : SLICES_FAILED;
}

void slices_free(struct slices *s)
{
    if (!s) {
        return;
    }
    s->stop = true; /* it is our turn: nobody else reads it now */
    (void)slices_run(s, INT64_MAX);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

bool slices_tick(void)
{
    struct slices *s = mine;
    if (!s) {
        return true;
    }
    if (!s->stop && ++s->ticks % LOOK == 0 && now_ns() >= s->until) {
        pthread_mutex_lock(&s->lock);
        hand_over(s, false);
        await(s, true);
        pthread_mutex_unlock(&s->lock);
    }
    return !s->stop;
}
