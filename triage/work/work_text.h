/* work_text.h - the works of a program as lines of text: what repeats, how long it takes, where the time
 * goes. */
#ifndef GOTOP_TRIAGE_WORK_TEXT_H
#define GOTOP_TRIAGE_WORK_TEXT_H

#include "triage/text.h"
#include "triage/work/work.h"

/* work_one - "request", "goroutine": one of that kind. */
const char *work_one(enum work_kind_id k);
/* work_head - "4000 requests of main.(*api).order". work_times - "p50 4.5ms  p99 217ms  most 410ms"; of a
 * single one how long it is. */
void work_head(struct text *t, const struct works *all, const struct work *w);
void work_times(struct text *t, const struct works *all, const struct work *w);
/* node_word - "lock", "network", "running": what a node is. */
const char *node_word(const struct tree_node *n);
/* node_what - "lock in main.(*ledger).append", "network at pq.(*conn).recv1 in main.(*repo).linesOf": what a
 * node is, and where. */
void node_what(struct text *t, const struct works *all, const struct tree_node *n);
/* work_text - a work and the branches of its tree, a line each. works_text - those that count, the largest
 * first. */
void work_text(struct text *t, const struct works *all, const struct work *w);
void works_text(struct text *t, const struct works *all);

#endif
