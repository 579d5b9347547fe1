/*
 * leaves.h - what an explanation comes to: its ends put together by what was done and by the function, the
 * largest of them, and their words.
 */
#ifndef GOTOP_TRIAGE_LEAVES_H
#define GOTOP_TRIAGE_LEAVES_H

#include "triage/findings/explain.h"

/* What leaves of a tree were, put together, largest first; so many of the largest. */
struct leaf {
    uint8_t cat, kind;
    uint32_t func, who, stack, frame, reason, g; /* who: start function of whose time the longest is */
    int64_t ns, t0, t1;
    uint64_t count;
    bool mixed;     /* not all were called by those that called the longest: no caller is said */
    struct ran ran; /* of running */
    struct callers callers, beyond; /* beyond: who called these */
};
#define LEAVES 24
struct leaves {
    struct leaf v[LEAVES];
    uint32_t n;
    int64_t all; /* of those that didn't fit, too */
};
/* causes_leaves - the ends of all that a tree follows, EX_QUEUED among them, put together by category and
 * function. */
void causes_leaves(const struct explain_tree *t, struct leaves *out);
struct told_at { /* a function of a stack, and what is known of running there */
    uint32_t stack, frame;
    bool mixed;
    struct ran ran;
    struct caller by;
};
/* causes_what_text - "waiting for the network in main.ask, called by main.rate". */
void causes_what_text(struct text *t, const struct trace *tr, enum explain_cat cat, const struct told_at *at);

#endif
