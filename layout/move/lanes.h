/*
 * lanes.h - the lanes that a view shows and their order: row <-> lane in O(1) both ways.
 *
 * Processors and threads are ordered by number. Goroutines are ordered by first appearance unless sorted,
 * and only those alive in the window show: a reader can look at those even if the trace has a hundred
 * thousand. While all lanes show unsorted, no memory is needed.
 */
#ifndef GOTOP_LAYOUT_LANES_H
#define GOTOP_LAYOUT_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/move/view.h"

/* lanes_update - updates the rows after the trace grew or the order or window changed. Lane `keep` always
 * shows. Returns false when out of memory: the old rows, or all lanes, then show. O(1) if nothing changed;
 * else O(rows) in order of first appearance (alive.h) and O(lanes) with a small constant in other orders. */
bool lanes_update(struct lanes *l, const struct trace *tr, struct window w, uint32_t keep);
/* lanes_work - continues making an order. Every lane needs a key, so an order of many lanes is made in
 * slices while the old one stays in use. budget in ns. Returns true when nothing remains to be done. */
bool lanes_work(struct lanes *l, int64_t budget_ns);
int lanes_share(const struct lanes *l); /* the share of it that is done, in per cent */
bool lanes_pinned(const struct lanes *l, uint32_t lane);
bool lanes_is_hidden(const struct lanes *l, uint32_t lane);
/* lanes_hide - hides a lane or shows it; returns false when out of memory. */
bool lanes_hide(struct lanes *l, uint32_t lane, bool hide);
void lanes_unhide(struct lanes *l); /* shows all lanes that were hidden */
/* lanes_fold - folds or unfolds the group of that name. */
void lanes_fold(struct lanes *l, uint32_t name, bool fold);
/* lanes_folded - whether goroutines with this start function (a string) share a row now. */
bool lanes_folded(const struct lanes *l, uint32_t name);
/* lanes_more - the number of further goroutines in the folded group of this row. */
uint32_t lanes_more(const struct lanes *l, uint32_t row);
/* lanes_behind - the first goroutine at or after `lane` that belongs to a folded group, as its first or a
 * later member. NO_LANE: no more. */
uint32_t lanes_behind(struct lanes *l, const struct trace *tr, uint32_t lane);
void lanes_free(struct lanes *l);
uint32_t lanes_at(const struct lanes *l, uint32_t row);   /* lane index; NO_LANE past the last row */
uint32_t lanes_row(const struct lanes *l, uint32_t lane); /* row; NO_LANE if the lane doesn't show */

#endif
