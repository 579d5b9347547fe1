/*
 * explain_text.h - an explanation as lines: a share, a time, how often, and what, indented by how deep it
 * lies.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_TEXT_H
#define GOTOP_TRIAGE_EXPLAIN_TEXT_H

#include "triage/findings/explain.h"
#include "triage/text.h"

/* explain_text - a sorted tree, largest first, a heading and at most so many lines; what is below half a per
 * cent is left out. */
void explain_text(struct text *t, const struct explain_tree *x, int lines);

/* explain_node_text - what a node is: "main.clerk: waiting (sync) at main.(*bank).move, called by ..". own:
 * whose it is goes without saying. */
void explain_node_text(struct text *t, const struct trace *tr, const struct explain_node *n, bool own);

#endif
