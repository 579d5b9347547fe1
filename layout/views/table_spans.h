/*
 * table_spans.h - things that are spans of goroutines (system calls, waits), by the place in the program
 * where they were.
 */
#ifndef GOTOP_LAYOUT_TABLE_SPANS_H
#define GOTOP_LAYOUT_TABLE_SPANS_H

#include "layout/views/table.h"

/*
 * table_spans - table_add() all goroutines' spans of one state. wanted: is a span one of them? next: the one
 * behind it, NULL at the lane's end. A kind is made of the stack's first frame of the program, the innermost
 * function and the reason; of what is the runtime's own doing, of the latter two. thing.index is the stack.
 * The runtime's own goroutines wait for each other at rest, so their waits are no things.
 */
typedef bool spans_wanted(const struct trace *tr, const struct span *s, const struct span *next);
bool table_spans(struct table *t, enum state state, spans_wanted *wanted);
/* spans_next - the span behind it: who ended it. false: none. */
bool spans_next(const struct trace *tr, const struct thing *x, struct span *s);
/* spans_place - where a kind is: "sync.(*Mutex).Lock in main.lookup"; of its longest thing. */
void spans_place(struct text *out, const struct table *t, const struct ttype *k);

#endif
