/*
 * table_spans.h - tables of goroutines' spans (system calls, waits) by their place in the program.
 */
#ifndef GOTOP_LAYOUT_TABLE_SPANS_H
#define GOTOP_LAYOUT_TABLE_SPANS_H

#include "layout/views/table.h"

/* table_spans - for `list`: adds all goroutines' spans in the state that `spans` says. wanted: whether to
 * include a span (NULL: all). next: the following span, NULL at the lane's end. key: the span's type, called
 * once for each reason, stack and, if by_ender, stack of the unblocking goroutine, so not by duration; NULL:
 * type 0 has the program's goroutines, 1 the runtime's own. thing.index is the stack. Waits of the runtime's
 * own goroutines for each other are idle, so they are not included. */
struct spans_from {
    enum state state;
    bool (*wanted)(const struct trace *tr, const struct span *s, const struct span *next);
    void (*key)(const struct trace *tr, const struct span *s, uint32_t ender, uint64_t *a, uint64_t *b);
    bool by_ender;
};
bool table_spans(struct table *t);
/* spans_key - for .key, of any stack. a: the user's function << 32 | its line; 0 for the runtime's own work;
 * without names ~stack << 32. b: the innermost function << 32 | reason. */
void spans_key(const struct trace *tr, const struct span *s, uint32_t ender, uint64_t *a, uint64_t *b);
/* spans_next - the following span, which tells who unblocked it. Returns false if the lane ends there. */
bool spans_next(const struct trace *tr, const struct thing *x, struct span *s);
/* spans_place - the place of a type: "sync.(*Mutex).Lock in main.lookup", without names program counters. Its
 * key is spans_key()'s, and its longest thing has the stack in thing.index. */
void spans_place(struct text *out, const struct table *t, const struct ttype *k);

#endif
