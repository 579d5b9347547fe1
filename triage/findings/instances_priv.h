/*
 * instances_priv.h - instances while they are found: for instances.c, which finds them, and instances_sort.c,
 * which puts them in order. Nobody else includes it.
 */
#ifndef GOTOP_TRIAGE_INSTANCES_PRIV_H
#define GOTOP_TRIAGE_INSTANCES_PRIV_H

#include "triage/findings/instances.h"

enum phase { PH_TASKS, PH_REGIONS, PH_GROUPS, PH_WALK, PH_SORT };

struct found { /* an instance, before rows are in order */
    uint32_t row;
    struct workpiece one;
};
enum at_wait { AW_NONE = 1, AW_MORE, AW_PLACE };
struct instances_work {
    enum phase phase;
    size_t next;      /* task, region, goroutine */
    uint64_t step;    /* each so many is looked at */
    struct tab rows;  /* by kind and wait, name */
    struct tab waits; /* what a wait means, by reason and stack: enum at_wait, wait kind, place in `place` */
    uint32_t *place;
    size_t nplaces, cap_places, cap_rows, cap_found, nfound;
    struct found *found;
    bool *walk; /* by group: its goroutines have pieces or wait at places */
    uint64_t *walked, *members;
    int64_t bucket[INSTANCE_BUCKETS]; /* where each begins */
};

/* instances_sort - rows by kind and time, of each its instances, longest first, and their percentiles. false:
 * out of memory, or no longer wanted (slices.h). */
bool instances_sort(struct instances *in);

#endif
