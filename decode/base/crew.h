/*
 * crew.h - threads that are kept, for work of many small parts that takes about a millisecond in all:
 * starting a thread would take longer than such a part. The caller works, too, and alone at first, so that
 * little work wakes no other thread.
 */
#ifndef GOTOP_DECODE_CREW_H
#define GOTOP_DECODE_CREW_H

#include <stddef.h>
#include <stdint.h>

enum { CREW_MOST = 16 }; /* threads; waking more costs more than they would do */

struct crew;
/*
 * crew_new - a crew of this many threads, the caller's included. A thread is started when there is first work
 * for it, and helps when the caller has been at work for alone_ns (0: at once). NULL: out of memory.
 */
struct crew *crew_new(int threads, int64_t alone_ns);
void crew_free(struct crew *c); /* NULL is allowed */

/*
 * crew_do - call part(arg, i, who) once for each i < n, in any order, several at once; returns when all are
 * done. who: the number of the thread that calls it, below CREW_MOST; the caller's is 0. c == NULL: the
 * caller does all of it, in order.
 */
struct crew_job {
    void (*part)(void *arg, size_t i, unsigned who);
    void *arg;
    size_t n;
};
void crew_do(struct crew *c, const struct crew_job *job);

#endif
