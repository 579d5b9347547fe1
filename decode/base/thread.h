/*
 * thread.h - start a thread beside the caller's.
 *
 * Signals from outside go to the main thread, which alone handles them. Signals raised by a fault of the
 * thread itself are not blocked, since a blocked one would end the process without a message.
 */
#ifndef GOTOP_DECODE_THREAD_H
#define GOTOP_DECODE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* thread_start - Like pthread_create(); attr NULL = default. */
int thread_start(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

/* thread_cond - Initialise a condition for thread_wait(). thread_wait - Like pthread_cond_wait(), up to the
 * time `stop` of host_now(); INT64_MAX: no limit. Returns false when that time has come. */
void thread_cond(pthread_cond_t *c);
bool thread_wait(pthread_cond_t *c, pthread_mutex_t *mu, int64_t stop);

#endif
