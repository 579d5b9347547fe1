/*
 * late.h - when goroutines were runnable for longer than a hand-over takes, for idle.c, which asks how many
 * at once, and never for more than there are processors.
 *
 * So of neighbours it is enough to tell of as many at once: sums of what is cut off there are right as far as
 * anybody looks. A burst of thousands that begin together comes to a few changes instead of two for each.
 */
#ifndef GOTOP_TRIAGE_LATE_H
#define GOTOP_TRIAGE_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "triage/tri.h"

struct late { /* all-zero: none */
    uint64_t *key;
    size_t n, cap;
    int64_t first, last, sum; /* from the first to the last of them; how long all of them are */
};
bool late_room(struct late *l, size_t n); /* for n more; false: out of memory */
/* late_put - from t0 to t1; there is room. */
static inline void late_put(struct late *l, int64_t t0, int64_t t1)
{
    t0 = t0 > 0 ? t0 : 0;
    t1 = t1 > 0 ? t1 : 0;
    l->first = !l->n || t0 < l->first ? t0 : l->first;
    l->last = t1 > l->last ? t1 : l->last;
    l->sum = ns_add(l->sum, t1 - t0);
    l->key[l->n] = CHANGE_KEY(t0, CHANGE_RUNNABLE, 1);
    l->key[l->n + 1] = CHANGE_KEY(t1, CHANGE_RUNNABLE, 0);
    l->n += 2;
}
/* late_add - the same. false: out of memory. late_queued - each of n queued from first[i] on for ns[i]. */
static inline bool late_add(struct late *l, int64_t t0, int64_t t1)
{
    if (l->n + 2 > l->cap && !late_room(l, 1))
        return false;
    late_put(l, t0, t1);
    return true;
}
bool late_queued(struct late *l, const int64_t *first, const int64_t *ns, uint32_t n);
/* late_tell - what they come to, as changes (CHANGE_KEY) behind keys[0..*n): at most `most` at once count.
 * false: out of memory, or no longer wanted. */
bool late_tell(struct late *l, int64_t most, uint64_t **keys, size_t *n, size_t *cap);
void late_free(struct late *l);

#endif
