/* thread.c - see thread.h. */
#include "decode/base/thread.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

int thread_start(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others, old;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &old);
    int rc = pthread_create(t, attr, fn, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

void thread_cond(pthread_cond_t *c)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attr);
    pthread_condattr_destroy(&attr);
}

bool thread_wait(pthread_cond_t *c, pthread_mutex_t *mu, int64_t stop)
{
    const struct timespec ts = {stop / 1000000000, stop % 1000000000};
    if (stop == INT64_MAX)
        return pthread_cond_wait(c, mu) == 0;
    return pthread_cond_timedwait(c, mu, &ts) != ETIMEDOUT;
}
