/*
 * rules_lots.c - goroutines that are begun together, lot after lot, and are done together: they share out what there is to do. That each
 * makes one call after the other is how a set of workers looks, and says nothing of calls that could go side by side.
 */
#include "triage/findings/causes.h"
#include "triage/findings/thresholds.h"
#include "triage/findings/works.h"

#include <stdlib.h>

#include "decode/base/mem.h"

#define KIDS 4096 /* of a group, the first */

struct kid {
    uint32_t creator, g;
    int64_t first, last;
};

static int cmp_kid(const void *a, const void *b)
{
    const struct kid *x = a, *y = b;
    return x->creator != y->creator ? (x->creator > y->creator) - (x->creator < y->creator)
           : x->first != y->first   ? (x->first > y->first) - (x->first < y->first)
                                    : (x->g > y->g) - (x->g < y->g);
}

/* Those from v[i] on that one goroutine began before the first of them was done; *late: how long that was before the last was. */
static size_t lot_of(const struct kid *v, size_t i, size_t n, int64_t *late)
{
    int64_t least = v[i].last, most = least;
    size_t k = i + 1;
    for (; k < n && v[k].creator == v[i].creator && v[k].first < least; k++) {
        least = v[k].last < least ? v[k].last : least;
        most = v[k].last > most ? v[k].last : most;
    }
    *late = most - least;
    return k;
}

bool works_in_lots(struct causes *c, uint32_t group, int64_t call)
{
    const uint32_t of = c->of[group].n, n = of < KIDS ? of : KIDS;
    struct kid *v = mem_alloc(((size_t)n + 1) * sizeof *v);
    size_t kids = 0, together = 0;
    c->rs->failed |= !v;
    for (uint32_t i = 0; v && i < n; i++) {
        const uint32_t g = causes_nth(c, group, i);
        const struct lane_info li = trace_lane(c->tr, (struct lane){LANE_G, g});
        if (li.created && li.ended && li.creator != NO_LANE) {
            v[kids++] = (struct kid){li.creator, g, li.first, li.last};
        }
    }
    if (kids) {
        qsort(v, kids, sizeof *v, cmp_kid);
    }
    for (size_t i = 0, k; i < kids; i = k) {
        int64_t late;
        k = lot_of(v, i, kids, &late);
        if ((double)(k - i) >= threshold(TH_CALLS_LOT) && (double)late <= threshold(TH_CALLS_LATE) * (double)call) {
            together += k - i;
        }
    }
    mem_free(v);
    return kids && threshold_reached(TH_CALLS_LOTS, (int64_t)together, (int64_t)kids);
}
