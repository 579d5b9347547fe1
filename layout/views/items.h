/*
 * items.h - views whose rows are things with a start and an end: GC cycles and stop-the-worlds (view 8),
 * tasks with their regions and logs (view 7). Rows are on the same time axis as lanes; moving to a row
 * moves the cursor to its start.
 */
#ifndef GOTOP_LAYOUT_ITEMS_H
#define GOTOP_LAYOUT_ITEMS_H

#include "layout/move/view.h"

enum item_kind { ITEM_GC, ITEM_STW, ITEM_TASK, ITEM_REGION, ITEM_LOG };

struct item {
    int64_t t0, t1;
    uint32_t index; /* in the model's array of its kind */
    uint32_t name, stack, g;
    uint8_t kind;  /* enum item_kind */
    uint8_t depth; /* indent */
    bool open;     /* one of its ends is not in the trace */
};

void items_free(struct items *it);

#endif
