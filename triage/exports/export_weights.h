/*
 * export_weights.h - all that goroutines do, by state, reason and the goroutine's own stack: the table behind
 * folded stacks. (Profiles, by kind and by the stack of whoever caused it: stackweights.h.)
 *
 * It grows with the number of different stacks, not with the number
 * of spans. Fill it goroutine by goroutine, then read v[0..n). All-zero is the empty one. The fill functions
 * return false when out of memory.
 */
#ifndef GOTOP_TRIAGE_EXPORT_WEIGHTS_H
#define GOTOP_TRIAGE_EXPORT_WEIGHTS_H

#include "triage/exports/export_scope.h"
#include "triage/tables/tab.h"

struct weight {
    uint32_t stack;  /* 0 = none recorded */
    uint32_t func;   /* string: stands for the stack where only the start function is known, else 0 */
    uint32_t reason; /* string, 0 = none */
    uint8_t state;   /* enum state; of CPU samples 0 */
    uint64_t count;
    int64_t ns;
};
struct weights {
    struct tab by;
    struct weight *v;
    size_t n, cap;
    uint64_t count; /* sums over v */
    int64_t ns;
};
void weights_free(struct weights *w);
/* weights_sort - longest first; ties by count, then stack, so that the order is the same each time. */
void weights_sort(struct weights *w);

/*
 * weights_off - all that goroutine g did off its processor: waiting, runnable, in system calls, by state,
 * reason and its own stack. Runnable after a wait or a call counts at the stack it waited at, before its
 * first run at its start function. What is open at either end of the trace counts as far as the trace goes.
 */
bool weights_off(struct weights *w, const struct scope *sc, uint32_t g);
/* weights_run - the time g was running, by its start function: a trace has no more than that without CPU
 * samples. */
bool weights_run(struct weights *w, const struct scope *sc, uint32_t g);
/* weights_samples - CPU samples by stack; ns stays 0. */
bool weights_samples(struct weights *w, const struct scope *sc);

#endif
