/*
 * lanes.h - which lanes a view shows, in which order: row <-> lane, both ways in O(1).
 *
 * Processors and threads stand by number. Goroutines stand by first appearance unless sorted; that order is the
 * identity and needs no memory however many there are.
 */
#ifndef GOTOP_LAYOUT_LANES_H
#define GOTOP_LAYOUT_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/view.h"

/* lanes_update - follow the trace's growth and v's wish for order. false: out of memory, the old order stands. */
bool lanes_update(struct lanes *l, const struct trace *tr);
void lanes_free(struct lanes *l);
uint32_t lanes_at(const struct lanes *l, uint32_t row);   /* lane index; NO_LANE beyond the last row */
uint32_t lanes_row(const struct lanes *l, uint32_t lane); /* row; NO_LANE if the lane has none (yet) */

#endif
