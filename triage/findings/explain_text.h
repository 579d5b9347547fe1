/*
 * explain_text.h - an explanation as lines of text: share, time, count and description, indented by depth.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_TEXT_H
#define GOTOP_TRIAGE_EXPLAIN_TEXT_H

#include "triage/findings/explain.h"
#include "triage/text.h"

/* explain_text - Append a heading and a bounded number of lines of a sorted tree, largest first. Omits what
 * is below half a percent. */
void explain_text(struct text *t, const struct explain_tree *x, int lines);

/* explain_node_text - Append a node's description: "main.clerk: waiting (sync) at main.(*bank).move, called
 * by ..". own: the goroutine need not be named. */
void explain_node_text(struct text *t, const struct trace *tr, const struct explain_node *n, bool own);

#endif
