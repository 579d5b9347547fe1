/*
 * lanes.h - which lanes a view shows, in which order: row <-> lane, both ways in O(1).
 *
 * Processors and threads stand by number. Goroutines stand by first appearance unless sorted, and only those
 * show that live in the window: of a hundred thousand that is what a reader can look at. As long as that is
 * all of them and nothing is sorted, no memory is needed however many there are.
 */
#ifndef GOTOP_LAYOUT_LANES_H
#define GOTOP_LAYOUT_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/move/view.h"

/*
 * lanes_update - follow the trace's growth, the wished order, the window. keep: a lane that shows in any
 * case. false: out of memory; what was shown before is shown, or all lanes. O(rows) if something changed
 * (alive.h), else O(1); in an order other than the first appearance O(lanes), a bit each.
 */
bool lanes_update(struct lanes *l, const struct trace *tr, struct window w, uint32_t keep);
/*
 * lanes_work - an order needs something of every lane: with many lanes it is made in slices, the old order
 * stands until it is complete. budget in ns. true: nothing (more) to do.
 */
bool lanes_work(struct lanes *l, int64_t budget_ns);
int lanes_share(const struct lanes *l); /* how much of it is done, in per cent */
bool lanes_pinned(const struct lanes *l, uint32_t lane);
bool lanes_is_hidden(const struct lanes *l, uint32_t lane);
/* lanes_hide - hide a lane or show it again; false: out of memory. */
bool lanes_hide(struct lanes *l, const struct trace *tr, uint32_t lane, bool hide);
/* lanes_fold - fold or unfold the group of that name. */
void lanes_fold(struct lanes *l, uint32_t name, bool fold);
/* lanes_folded - do goroutines with this start function (a string) share a row now? */
bool lanes_folded(const struct lanes *l, uint32_t name);
/* lanes_more - how many further goroutines stand behind this row's folded group. */
uint32_t lanes_more(const struct lanes *l, uint32_t row);
/*
 * lanes_behind - the first goroutine from `lane` on that shows, if anywhere, as one of a folded group: its
 * head or one of those behind it. NO_LANE: no more.
 */
uint32_t lanes_behind(struct lanes *l, const struct trace *tr, uint32_t lane);
void lanes_free(struct lanes *l);
uint32_t lanes_at(const struct lanes *l, uint32_t row);   /* lane index; NO_LANE beyond the last row */
uint32_t lanes_row(const struct lanes *l, uint32_t lane); /* row; NO_LANE if the lane doesn't show */

#endif
