/*
 * patience.c - a thread that only sleeps and writes; what takes long goes on in the caller's thread, undisturbed.
 */
#include "viewer/term/patience.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

struct patience {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool over;
    const char *what;
};

static void add_ms(struct timespec *t, long ms)
{
    t->tv_nsec += ms % 1000 * 1000000;
    t->tv_sec += ms / 1000 + t->tv_nsec / 1000000000;
    t->tv_nsec %= 1000000000;
}

static void *run(void *arg)
{
    struct patience *p = arg;
    struct timespec at;
    bool said = false;
    int seconds = 0;
    clock_gettime(CLOCK_REALTIME, &at);
    add_ms(&at, 333);
    pthread_mutex_lock(&p->lock);
    while (!p->over) {
        if (pthread_cond_timedwait(&p->wake, &p->lock, &at) != ETIMEDOUT)
            continue;
        char line[80];
        snprintf(line, sizeof line, "gotop: %s (%ds, Ctrl-C leaves)", p->what, seconds++);
        door_status(line);
        said = true;
        add_ms(&at, 1000);
    }
    pthread_mutex_unlock(&p->lock);
    if (said)
        door_wipe();
    return NULL;
}

struct patience *patience_begin(const char *what)
{
    struct patience *p = isatty(STDERR_FILENO) ? mem_zalloc(sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->what = what;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (!thread_start(&p->thread, NULL, run, p))
        return p;
    mem_free(p);
    return NULL;
}

void patience_end(struct patience *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}
