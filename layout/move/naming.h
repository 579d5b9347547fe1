/*
 * naming.h - names as all views write them: a lane, a goroutine with its start function, a state, the
 * function of a stack. The text is safe to print and fits the given columns.
 */
#ifndef GOTOP_LAYOUT_NAMING_H
#define GOTOP_LAYOUT_NAMING_H

#include "layout/move/view.h"

/* Names are returned as they are, for one expression: name_lane(v, l).s */
struct lane_name {
    char s[32];
};
struct goroutine_name {
    char s[600];
};
/* name_lane - "P2", "G412", "M1234" (never more than 24 bytes). */
struct lane_name name_lane(const struct view *v, struct lane l);
/* name_g, name_goroutine - "G412 http.(*conn).serve" in at most w columns. */
struct goroutine_name name_g(const struct view *v, uint32_t g, int w);
void name_goroutine(const struct view *v, uint32_t g, int w, char *out, size_t size);
/* name_state - the state of a lane of that kind, or of a gap: a P without events is "not recorded". */
const char *name_state(enum lane_kind k, enum state s);
/* name_bracketed - a reason or label as shown in brackets: "dedicated" of "GC (dedicated)". */
struct str name_bracketed(struct str why);
/* name_any - whether this stack has a function or at least an address. Some stacks are one frame of zeros. */
bool name_any(const struct view *v, uint32_t stack);

/* name_function - returns the innermost function outside the runtime, and with `calls` also outside library
 * calls that only block (sync, syscall, time.Sleep). If there is none: the innermost function; 0 for an empty
 * stack. */
uint32_t name_function(const struct trace *tr, uint32_t stack, bool calls);

#endif
