/*
 * instances_priv.h - instances under construction, for instances.c (finds them) and instances_sort.c (sorts
 * them) only.
 */
#ifndef GOTOP_TRIAGE_INSTANCES_PRIV_H
#define GOTOP_TRIAGE_INSTANCES_PRIV_H

#include "triage/findings/instances.h"

enum phase { PH_TASKS, PH_REGIONS, PH_GROUPS, PH_WALK, PH_SORT };

struct found { /* an instance before rows are sorted */
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
};

/* instances_sort - Sort rows by kind and time, and each row's instances longest first, and compute the
 * percentiles. Returns false if out of memory or cancelled (slices.h). */
bool instances_sort(struct instances *in);

#endif
