/*
 * export_weights.h - stacks with weights: how often and how long goroutines were in a state, by stack.
 *
 * The table behind pprof profiles and folded stacks. It grows with the number of different stacks, not with the number
 * of spans. Fill it goroutine by goroutine, then read v[0..n). All-zero is the empty one. The fill functions return
 * false when out of memory.
 */
#ifndef GOTOP_TRIAGE_EXPORT_WEIGHTS_H
#define GOTOP_TRIAGE_EXPORT_WEIGHTS_H

#include "triage/export_scope.h"
#include "triage/tab.h"

struct weight {
    uint32_t stack;        /* 0 = none recorded */
    uint32_t func;         /* string: stands for the stack where only the start function is known, else 0 */
    uint32_t reason;       /* string, 0 = none or not told apart */
    uint8_t state;         /* enum state; 0 = not told apart */
    uint64_t count;
    int64_t ns;
};
struct weights {
    struct tab by;
    struct weight *v;
    size_t n, cap;
    uint64_t count;        /* sums over v */
    int64_t ns;
};
void weights_free(struct weights *w);
/* weights_sort - longest first; ties by count, then stack, so that the order is the same each time. */
void weights_sort(struct weights *w);

/* What `go tool trace -pprof` tells apart; all states and reasons of one kind are one row per stack. */
enum weigh { WEIGH_NET, WEIGH_SYNC, WEIGH_SYSCALL, WEIGH_SCHED, WEIGH_CPU, WEIGH_KINDS };
bool weigh_parse(const char *name, enum weigh *out);
const char *weigh_name(enum weigh k);
/* weigh_is - whether a state entered for this reason is of the kind. */
bool weigh_is(const struct trace *tr, enum weigh kind, uint8_t state, uint32_t reason);

/*
 * weights_go - goroutine g's time of one kind (not WEIGH_CPU), as `go tool trace` of Go 1.27 counts it:
 *   net      waits with the reason "network"
 *   sync     waits whose reason has "chan", "sync" or "select" in it
 *   syscall  system calls
 *   sched    runnable: until it runs
 * by the stack of the event that began it: where it blocked, called or stopped; for one that was woken or created that
 * is the stack of who did it. What is not over at the trace's end does not count. Neither does what ended before the
 * goroutine first ran in the trace (Go drops that by accident or design: so all of the latency between its creation
 * and its first run), unless with_first is set.
 */
bool weights_go(struct weights *w, const struct scope *sc, enum weigh kind, bool with_first, uint32_t g);
/*
 * weights_off - all that goroutine g did off its processor: waiting, runnable, in system calls, by state, reason and
 * its own stack. Runnable after a wait or a call counts at the stack it waited at, before its first run at its start
 * function. What is open at either end of the trace counts as far as the trace goes.
 */
bool weights_off(struct weights *w, const struct scope *sc, uint32_t g);
/* weights_run - the time g was running, by its start function: a trace has no more than that without CPU samples. */
bool weights_run(struct weights *w, const struct scope *sc, uint32_t g);
/* weights_samples - CPU samples by stack; ns = count * period. */
bool weights_samples(struct weights *w, const struct scope *sc, int64_t period);

#endif
