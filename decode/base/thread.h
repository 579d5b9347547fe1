/*
 * thread.h - a thread of our own beside the caller's.
 *
 * Signals that come from outside are the main thread's, which alone knows what they mean; those that a fault of the
 * thread itself raises stay with it, since a blocked one ends the process without anybody hearing of it.
 */
#ifndef GOTOP_DECODE_THREAD_H
#define GOTOP_DECODE_THREAD_H

#include <pthread.h>

/* thread_start - as pthread_create(); attr NULL = by default. */
int thread_start(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

#endif
