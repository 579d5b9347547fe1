/*
 * table_spans.h - things that are spans of goroutines (system calls, waits), by the place in the program
 * where they were.
 */
#ifndef GOTOP_LAYOUT_TABLE_SPANS_H
#define GOTOP_LAYOUT_TABLE_SPANS_H

#include "layout/views/table.h"

/*
 * table_spans - table_add() all goroutines' spans of one state. wanted: is a span one of them (NULL: all
 * are)? next: the one behind it, NULL at the lane's end. key: of which kind it is, asked once for each
 * reason, stack and, where that matters (by_ender), stack of who ended it; NULL: kind 0 has the program's
 * goroutines, 1 the runtime's own. thing.index is the stack. The runtime's own goroutines wait for each
 * other at rest, so their waits are no things.
 */
struct spans_from {
    enum state state;
    bool (*wanted)(const struct trace *tr, const struct span *s, const struct span *next);
    void (*key)(const struct trace *tr, const struct span *s, uint32_t ender, uint64_t *a, uint64_t *b);
    bool by_ender;
};
bool table_spans(struct table *t, const struct spans_from *from);
/* spans_key - for .key: by the stack's first frame of the program, the innermost function and the reason; of
 * what is the runtime's own doing, by the latter two. spans_place says where that is. */
void spans_key(const struct trace *tr, const struct span *s, uint32_t ender, uint64_t *a, uint64_t *b);
/* spans_next - the span behind it, which tells who ended it. false: its lane ends there. */
bool spans_next(const struct trace *tr, const struct thing *x, struct span *s);
/* spans_place - where a kind is: "sync.(*Mutex).Lock in main.lookup"; of its longest thing. */
void spans_place(struct text *out, const struct table *t, const struct ttype *k);

#endif
