/*
 * work_text.h - the works of a program as lines of text: what repeats, how long it takes, and where the
 * time goes.
 */
#ifndef GOTOP_TRIAGE_WORK_TEXT_H
#define GOTOP_TRIAGE_WORK_TEXT_H

#include "triage/text.h"
#include "triage/work/work.h"

/* work_one - Returns "request", "goroutine" ..: the singular of its kind. */
const char *work_one(enum work_kind_id k);
/* work_title - Append "requests of main.(*api).order", the same in each trace of a program. work_head -
 * Append "4000 requests of main.(*api).order". work_times - Append "p50 4.5ms  p99 217ms  most
 * 410ms", or the duration if there is only one. */
void work_title(struct text *t, const struct trace *tr, const struct work *w);
void work_head(struct text *t, const struct works *all, const struct work *w);
void work_times(struct text *t, const struct works *all, const struct work *w);
/* node_word - Returns "lock", "network", "running" ..: the kind of a node. */
const char *node_word(const struct tree_node *n);
/* node_what - Append "lock in main.(*ledger).append", "network at pq.(*conn).recv1 in
 * main.(*repo).linesOf": a node's kind and place. */
void node_what(struct text *t, const struct trace *tr, const struct tree_node *n);
/* node_ends - Append ": network 87% in main.ask": what most of a node's time ends in, and the function of the
 * program's nearest to that; " in main.ask" alone if it waits for no other goroutine. */
void node_ends(struct text *t, const struct trace *tr, const struct work_tree *x, uint32_t node,
               enum tree_set s);
/* node_frame - Returns the frame to name: where no function of the program or of a library is, the standard
 * library's that says most. node_text - Append a node's whole description: "main.clerk: waiting (lock) at
 * main.(*bank).move, called by ..". own: the goroutine need not be named. tree_text - Append a heading and a
 * bounded number of lines of a tree of tree_explain(), largest first. Omits what is below half a percent. */
uint32_t node_frame(const struct trace *tr, const struct tree_node *n);
void node_text(struct text *t, const struct trace *tr, const struct tree_node *n, bool own);
void tree_text(struct text *t, const struct trace *tr, const struct work_tree *x, int lines);
/* work_text - Append a work and the branches of its tree, a line each. works_text - Append those that
 * count, largest first. */
void work_text(struct text *t, const struct works *all, const struct work *w);
void works_text(struct text *t, const struct works *all);

#endif
