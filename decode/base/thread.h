/*
 * thread.h - a thread of our own beside the caller's.
 *
 * Signals that come from outside are the main thread's, which alone knows what they mean; those that a fault
 * of the thread itself raises stay with it, since a blocked one ends the process without anybody hearing of
 * it.
 */
#ifndef GOTOP_DECODE_THREAD_H
#define GOTOP_DECODE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* thread_start - as pthread_create(); attr NULL = by default. */
int thread_start(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

/*
 * thread_cond - initialise a condition that thread_wait() waits for.
 * thread_wait - as pthread_cond_wait(), up to the moment `stop` of host_now(); INT64_MAX: as long as it
 * takes. false: that moment has come.
 */
void thread_cond(pthread_cond_t *c);
bool thread_wait(pthread_cond_t *c, pthread_mutex_t *mu, int64_t stop);

#endif
