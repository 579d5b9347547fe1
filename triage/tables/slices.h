/*
 * slices.h - a long computation in slices, without taking it to pieces: it runs in a thread of its own, but
 * only while its owner waits in slices_run(). One of the two runs at a time, so nothing that both touch needs
 * a lock. Parts of it may be done by several threads (slices_each); they run while the computation does.
 *
 * The computation calls slices_tick() wherever a loop may take long; there it may have to wait for the next
 * slice.
 */
#ifndef GOTOP_TRIAGE_SLICES_H
#define GOTOP_TRIAGE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slices;

/* slices_new - f(arg) is to be computed; it says false when out of memory or told to end. NULL: no memory, no
 * thread. */
struct slices *slices_new(bool (*f)(void *arg), void *arg);

enum slices_state { SLICES_MORE, SLICES_DONE, SLICES_FAILED };
/* slices_run - go on for about budget_ns. Behind SLICES_DONE and SLICES_FAILED (f said false) there is no
 * more to run. */
enum slices_state slices_run(struct slices *s, int64_t budget_ns);
/* slices_free - if f has not come to its end it is told to, and waited for. NULL is allowed. */
void slices_free(struct slices *s);

/*
 * slices_tick - a place where the computation may be interrupted; cheap enough for every hundredth step of a
 * loop. false: it is no longer wanted, return. Where nothing is sliced it is always true.
 */
bool slices_tick(void);
/* slices_tick_now - the same, between long steps: it looks at the clock each time. */
bool slices_tick_now(void);

/*
 * slices_each - n jobs by up to so many threads, the caller's among them. work(arg, i, &kept) does job i
 * beside others and may keep what it made; add(arg, i, kept) is called in the order of i, one at a time, and
 * owns it; drop(kept) is called instead where there is no more use for it (NULL too). work and add say false
 * when out of memory or no longer wanted: then all ends, and slices_each() says so. slices_tick() works in
 * both: between two slices every thread stands still. A job has no jobs of its own.
 */
struct slices_job {
    bool (*work)(void *arg, size_t i, void **kept);
    bool (*add)(void *arg, size_t i, void *kept);
    void (*drop)(void *kept);
    void *arg;
};
bool slices_each(int threads, size_t n, const struct slices_job *job);

#endif
