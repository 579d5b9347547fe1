/* work_text.h - the works of a program as lines of text: what repeats, how long it takes, where the time goes. */
#ifndef GOTOP_TRIAGE_WORK_TEXT_H
#define GOTOP_TRIAGE_WORK_TEXT_H

#include "triage/work/work.h"

/* work_head - "4000 requests of main.(*api).order  p50 4.5ms  p99 217ms  most 410ms". */
void work_head(struct text *t, const struct works *all, const struct work *w);
/* node_what - "lock in main.(*ledger).append", "network, pq.(*conn).recv1 in main.(*repo).linesOf": what a node is, and where. */
void node_what(struct text *t, const struct works *all, const struct tree_node *n);
/* works_text - all works that count, with the branches of their trees. */
void works_text(struct text *t, const struct works *all);

#endif
