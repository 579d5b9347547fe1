/*
 * leaves.h - what an explanation comes to: its ends put together by what was done and by the function, the largest of
 * them, and their words.
 */
#ifndef GOTOP_TRIAGE_LEAVES_H
#define GOTOP_TRIAGE_LEAVES_H

#include "triage/findings/causes.h"

/* What leaves of a tree were, put together, largest first; so many of the largest. */
struct leaf {
    uint8_t cat, kind;
    uint32_t func, who, stack, frame, reason, g; /* who: start function of whose time the longest is */
    int64_t ns, t0, t1;
    uint64_t count;
    bool mixed;                     /* not all were called by those that called the longest: no caller is said */
    struct ran ran;                 /* of running */
    struct callers callers, beyond; /* beyond: who called these */
};
/*
 * causes_calls_text - the leaf's place: "link.ask, called by main.notifyShop", with the caller of most of it where
 * there are several.
 */
void causes_calls_text(struct text *t, const struct trace *tr, const struct leaf *l);
#define LEAVES 24
struct leaves {
    struct leaf v[LEAVES];
    uint32_t n;
    int64_t all; /* of those that didn't fit, too */
};
/* causes_leaves - the ends of all that a tree follows, EX_QUEUED among them, put together by category and function. */
void causes_leaves(const struct explain_tree *t, struct leaves *out);
/* causes_leaves_of - put together by category and by whose time it was: leaf.func is a start function. */
void causes_leaves_of(const struct explain_tree *t, struct leaves *out);
/* causes_tops - of the time itself, waits not followed: by category and function. */
void causes_tops(const struct explain_tree *t, struct leaves *out);
struct told_at { /* a function of a stack, and what is known of running there */
    uint32_t stack, frame;
    bool mixed;
    struct ran ran;
    struct caller by;
};
/* causes_what_text - "waiting for the network in main.ask, called by main.rate". causes_leaf_text: with its share. */
void causes_what_text(struct text *t, const struct trace *tr, enum explain_cat cat, const struct told_at *at);
void causes_leaf_text(struct text *t, const struct trace *tr, const struct leaf *l, int64_t of);
/*
 * leaves_text - of the largest, up to `most` of them, each that is more than that part of all (20: a twentieth), and
 * the first in any case.
 */
void leaves_text(struct text *t, const struct trace *tr, const struct leaves *v, uint32_t most, int64_t part);
/*
 * leaves_between - what goroutine g did in [t0,t1), and waited for, followed to its ends. false: out of memory, *out
 * is empty.
 */
bool leaves_between(struct causes *c, uint32_t g, int64_t t0, int64_t t1, struct leaves *out);
/* leaves_work - in a finding about one goroutine: what most of its work is, and the stack of that. */
void leaves_work(struct draft *d, const struct trace *tr, const struct leaves *v);
/*
 * causes_doing - what goroutines of a group did while they were not waiting for work: running and calls, at most 8 of
 * them.
 */
bool causes_doing(struct causes *c, uint32_t group, struct leaves *out);
/*
 * causes_main_tree - the main goroutine's way, followed: what it did and waited for. false: there is none, or no
 * memory. To be freed.
 */
bool causes_main_tree(struct causes *c, struct explain_tree *t);
/* causes_main_way - what the main goroutine did and waited for, followed to its end; by (NULL: not asked): the same
 * by whose time it was. false: there is none, or out of memory. */
bool causes_main_way(struct causes *c, struct leaves *out, struct leaves *by);
/*
 * causes_ran_instead - what ran on the processors in [t0,t1), by samples of moments: the function. false: no one has
 * most of them.
 */
bool causes_ran_instead(struct causes *c, int64_t t0, int64_t t1, struct leaf *out);
/*
 * held_advice - who had what others wait for waited for the network with it: not to, then. false: it did not, or not
 * mostly.
 */
bool held_advice(struct text *next, const struct trace *tr, const struct leaves *v);
/* leaves_holder - what the holder did during the longest wait, as a sentence, and held_advice(). */
bool leaves_holder(struct text *t, struct text *next, const struct trace *tr, const struct leaves *v);

#endif
