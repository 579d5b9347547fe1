/*
 * crew.h - threads that stay, for work that many small parts make up and that is over in a millisecond: to start a thread takes longer
 * than such a part. The caller works, too, alone at first: who has little to do wakes nobody.
 */
#ifndef GOTOP_DECODE_CREW_H
#define GOTOP_DECODE_CREW_H

#include <stddef.h>
#include <stdint.h>

enum { CREW_MOST = 16 }; /* threads; what more would do less than to wake them costs */

struct crew;
/*
 * crew_new - a crew of so many threads, the caller's included; none is started before there is work for it. They help once the caller has
 * been at work for alone_ns (0: at once). NULL: out of memory.
 */
struct crew *crew_new(int threads, int64_t alone_ns);
void crew_free(struct crew *c); /* NULL is allowed */

/*
 * crew_do - part(arg, i, who) for each i < n, once, in any order, beside others; returns when all are done. who < CREW_MOST: the thread's
 * own number among those at work, the caller's is 0. c == NULL: all of it by the caller, in order.
 */
struct crew_job {
    void (*part)(void *arg, size_t i, unsigned who);
    void *arg;
    size_t n;
};
void crew_do(struct crew *c, const struct crew_job *job);

#endif
