/*
 * leaves.h - the leaves of an explanation merged by category and function, the largest of them, and their
 * text.
 */
#ifndef GOTOP_TRIAGE_LEAVES_H
#define GOTOP_TRIAGE_LEAVES_H

#include "triage/findings/explain.h"

/* The merged leaves of a tree, largest first; only a bounded number of them. */
struct leaf {
    uint8_t cat, kind;
    /* who: start function of the goroutine with the longest part */
    uint32_t func, who, stack, frame, reason, g;
    int64_t ns, t0, t1;
    uint64_t count;
    bool mixed;                     /* the parts have different callers: no caller is named */
    struct ran ran;                 /* of running time */
    struct callers callers, beyond; /* beyond: callers of the callers */
};
#define LEAVES 24
struct leaves {
    struct leaf v[LEAVES];
    uint32_t n;
    int64_t all; /* sum, including leaves that did not fit */
};
/* causes_leaves - Merge the leaves of all that a tree follows, including EX_QUEUED, by category and
 * function. */
void causes_leaves(const struct explain_tree *t, struct leaves *out);
struct told_at { /* a function of a stack, and what is known of running there */
    uint32_t stack, frame;
    bool mixed;
    struct ran ran;
    struct caller by;
};
/* causes_what_text - Append "waiting for the network in main.ask, called by main.rate". */
void causes_what_text(struct text *t, const struct trace *tr, enum explain_cat cat, const struct told_at *at);

#endif
