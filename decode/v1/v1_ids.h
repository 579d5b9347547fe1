/*
 * v1_ids.h - ids of the file's strings and stacks to values: where they stand, later what they were interned as.
 *
 * Ids are dense in real traces, anything in hostile ones: those that are not are sorted.
 */
#ifndef GOTOP_DECODE_V1_IDS_H
#define GOTOP_DECODE_V1_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v1_ids {
    struct v1_id {
        uint64_t id, val;
    } * e; /* as found; sorted by id at the end, if not dense */
    size_t n, cap;
    uint64_t *dense; /* val by id, UINT64_MAX = none */
    uint64_t ndense;
};

/* v1_ids_add - values ascend. v1_ids_seal - all are there; of those of one id the last counts, or the first. false: out of memory. */
bool v1_ids_add(struct v1_ids *m, uint64_t id, uint64_t val);
bool v1_ids_seal(struct v1_ids *m, bool last_wins);
/* v1_ids_find - once sealed. NULL: not there. O(1), sparse O(log n). */
uint64_t *v1_ids_find(struct v1_ids *m, uint64_t id);
void v1_ids_free(struct v1_ids *m);

#endif
