/*
 * slices.h - runs a long computation in slices without splitting its code: it has its own thread, which
 * runs only while its owner waits in slices_run(). One of the two runs at a time, so what both use needs no
 * lock. slices_each() spreads parts over several threads, which run while the computation does.
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

/* slices_new - prepares the computation f(arg), which returns false when out of memory or cancelled.
 * Returns NULL if there is no memory or no thread. */
struct slices *slices_new(bool (*f)(void *arg), void *arg);

enum slices_state { SLICES_MORE, SLICES_DONE, SLICES_FAILED };
/* slices_run - continues for about budget_ns. After SLICES_DONE and SLICES_FAILED (f returned false) there
 * is nothing more to run. */
enum slices_state slices_run(struct slices *s, int64_t budget_ns);
/* slices_free - stops f if it is not done, waits for it and frees s. NULL is allowed. */
void slices_free(struct slices *s);

/* slices_tick - a point at which the computation may be paused; cheap enough for every hundredth step of a
 * loop. Returns false if the result is no longer wanted: then the caller returns. Without slices it always
 * returns true. */
bool slices_tick(void);

/* slices_each - runs n jobs on up to `threads` threads, including the caller's. work(arg, i, &kept) does job
 * i in parallel with others and may return a result in kept. add(arg, i, kept) is called in the order of i,
 * one at a time, and owns the result; drop(kept) is called instead for results no longer needed (NULL too).
 * Where jobs return none, both may be NULL.
 * If work or add returns false (out of memory, no longer wanted), all jobs stop and slices_each() returns
 * false. Both may call slices_tick(): between two slices every thread stands still. A job must not start
 * jobs of its own. */
struct slices_job {
    bool (*work)(void *arg, size_t i, void **kept);
    bool (*add)(void *arg, size_t i, void *kept);
    void (*drop)(void *kept);
    void *arg;
};
bool slices_each(int threads, size_t n, const struct slices_job *job);

#endif
