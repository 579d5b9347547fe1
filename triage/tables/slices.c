/*
 * slices.c - see slices.h. `turn` says which side runs; it changes only under the lock. The computation's
 * helper threads rest before it gives the turn away.
 */
#include "triage/tables/slices.h"

#include <pthread.h>
#include <stdatomic.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum {
    STACK = 1 << 20,     /* stack of a helper thread */
    STACK_ALL = 8 << 20, /* stack of the computation, which may call anything */
};

struct slices {
    bool (*f)(void *arg);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool turn; /* the computation's */
    bool stop, over, ok;
    int64_t until;
};

enum { AHEAD = 1024 }; /* the most results waiting for their turn: while one job takes long, others go on */
struct result {
    void *kept;
    bool is;
};

/* Threads working on one set of jobs. The lock protects all but the flags. */
struct team {
    const struct slices_job *job;
    size_t n, next, turn;      /* number of jobs; the next to start; the next to add */
    bool adds;                 /* a thread is adding */
    struct result kept[AHEAD]; /* of jobs from turn on, by number */
    unsigned busy;             /* helper threads that run, without the caller */
    atomic_bool pause, failed;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static _Thread_local struct slices *mine;
static _Thread_local struct team *team;
static _Thread_local bool helps; /* not the caller's thread */

static void await(struct slices *s, bool turn)
{
    while (s->turn != turn)
        pthread_cond_wait(&s->changed, &s->lock);
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
    if (!s)
        return NULL;
    *s = (struct slices){
        .f = f, .arg = arg, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_ALL);
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
    int64_t now = host_now();
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
    if (!s)
        return;
    s->stop = true; /* it is our turn, so no other thread reads it now */
    (void)slices_run(s, INT64_MAX);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

/* ---- several threads ----------------------------------------------------------------------------------- */

/* Waits while the condition holds; a helper does not count as busy meanwhile. */
#define REST_WHILE(t, condition) \
    do { \
        (t)->busy -= helps; \
        pthread_cond_broadcast(&(t)->changed); \
        while (condition) \
            pthread_cond_wait(&(t)->changed, &(t)->lock); \
        (t)->busy += helps; \
    } while (0)

/* Lets the helpers rest until all do, or go on. */
static void team_pause(struct team *t, bool pause)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->pause = pause;
    pthread_cond_broadcast(&t->changed);
    while (pause && t->busy)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

bool slices_tick(void)
{
    struct slices *s = mine;
    if (helps) {
        if (team->pause) {
            pthread_mutex_lock(&team->lock);
            REST_WHILE(team, team->pause);
            pthread_mutex_unlock(&team->lock);
        }
        return !team->failed;
    }
    if (!s)
        return true;
    if (!s->stop && host_now() >= s->until) {
        team_pause(team, true);
        pthread_mutex_lock(&s->lock);
        hand_over(s, false);
        await(s, true);
        pthread_mutex_unlock(&s->lock);
        team_pause(team, false);
    }
    return !s->stop;
}

/* Waits for others in short steps, since in between it may be the owner's turn. Needs the lock. */
static void team_wait(struct team *t)
{
    (void)thread_wait(&t->changed, &t->lock, host_now() + 2000000);
    pthread_mutex_unlock(&t->lock);
    if (!slices_tick())
        t->failed = true;
    pthread_mutex_lock(&t->lock);
}

/* Adds the next result. Needs the lock; one thread at a time. */
static void team_add(struct team *t)
{
    const struct slices_job *job = t->job;
    struct result *r = &t->kept[t->turn % AHEAD];
    t->adds = true;
    pthread_mutex_unlock(&t->lock);
    const bool wanted = slices_tick(), ok = wanted && (!job->add || job->add(job->arg, t->turn, r->kept));
    pthread_mutex_lock(&t->lock);
    r->is = !wanted;
    t->turn += wanted;
    t->failed = t->failed || !ok;
    t->adds = false;
    pthread_cond_broadcast(&t->changed);
}

static bool can_add(const struct team *t)
{
    return !t->failed && !t->adds && t->turn < t->n && t->kept[t->turn % AHEAD].is;
}

static bool can_begin(const struct team *t)
{
    return t->next < t->n && t->next < t->turn + AHEAD;
}

static bool is_over(const struct team *t)
{
    return t->failed || t->turn == t->n;
}

/* Does jobs and adds their results until there are none. Needs the lock. */
static void team_work(struct team *t)
{
    const struct slices_job *job = t->job;
    while (!is_over(t)) {
        if (can_add(t)) {
            team_add(t);
        } else if (can_begin(t)) {
            const size_t i = t->next++;
            void *kept = NULL;
            pthread_mutex_unlock(&t->lock);
            const bool ok = job->work(job->arg, i, &kept);
            pthread_mutex_lock(&t->lock);
            t->kept[i % AHEAD] = (struct result){kept, true};
            if (!ok)
                t->failed = true;
            pthread_cond_broadcast(&t->changed);
        } else if (helps) {
            REST_WHILE(t, t->pause || (!is_over(t) && !can_add(t) && !can_begin(t)));
        } else {
            team_wait(t);
        }
        if (helps && t->pause)
            REST_WHILE(t, t->pause);
    }
}

static void *help(void *arg)
{
    team = arg;
    helps = true;
    pthread_mutex_lock(&team->lock);
    team_work(team);
    team->busy--;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

bool slices_each(int threads, size_t n, const struct slices_job *job)
{
    enum { MOST = 64 };
    struct team t = {.job = job, .n = n};
    pthread_t thread[MOST];
    unsigned helpers = 0;
    pthread_attr_t attr;
    pthread_mutex_init(&t.lock, NULL);
    thread_cond(&t.changed);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_mutex_lock(&t.lock);
    team = &t;
    while (helpers < MOST && (int)helpers + 1 < threads && helpers + 1 < n &&
           thread_start(&thread[helpers], &attr, help, &t) ==
               0) { /* without helpers the caller does all jobs */
        helpers++;
        t.busy++;
    }
    team_work(&t);
    while (t.busy) /* a helper that rests is not done */
        team_wait(&t);
    pthread_mutex_unlock(&t.lock);
    for (unsigned i = 0; i < helpers; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < AHEAD; i++)
        if (t.kept[i].is && job->drop)
            job->drop(t.kept[i].kept);
    team = NULL;
    pthread_attr_destroy(&attr);
    pthread_cond_destroy(&t.changed);
    pthread_mutex_destroy(&t.lock);
    return !t.failed;
}
