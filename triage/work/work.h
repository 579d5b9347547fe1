/*
 * work.h - what a program does again and again, how long one takes, and where that time goes: the backbone of
 * page, report and verdicts.
 *
 * A work is a population of pieces of one kind, found by general signs (works_find() in pieces.c):
 *
 *   tasks      what the program marks (runtime/trace), by type
 *   requests   what a goroutine does from the read that brings a question over a connection to the next one;
 *              goroutines that who reads from a connection begins for what it reads, reading on
 *   items      what a goroutine does from one wait for more of it, in its own loop, to the next
 *   lives      goroutines begun for one thing each; or a few that run all along and wait for no more work
 *   main       the main goroutine, from its begin to its end, where nothing else repeats
 *
 * Each work has a tree (tree.c): its pieces explained (explain.h) and merged. A node is a category, the
 * function that was called (LEAF), the first function of the user's own around it, and whose time it was. Its
 * sums are of three sets of pieces: a fair sample of all, those around the median, and the slow ones (the
 * slowest tenth, or what stands out of it).
 *
 * Idle time is no cost, and stands in `idle`, in no node: waiting for more work, and what nobody waits for
 * (`idle` in pieces.c). Units: ns. Owner: works_free() frees all. Strings, stacks and lanes are those of the
 * trace. One thread.
 */
#ifndef GOTOP_TRIAGE_WORK_H
#define GOTOP_TRIAGE_WORK_H

#include "triage/findings/causes.h"
#include "triage/work/owner.h"

enum work_kind_id { WORK_TASKS, WORK_REQUESTS, WORK_ITEMS, WORK_LIVES, WORK_MAIN, WORK_KINDS };
const char *
work_kind_name(enum work_kind_id k); /* "tasks", "requests", "items", "goroutines", "main": text and JSON */

enum tree_set { TREE_ALL, TREE_USUAL, TREE_SLOW, TREE_SETS };

struct tree_node {
    uint32_t up, first,
        next; /* nodes; first, next: NO_LANE none. Children largest first (of all or of the slow) */
    uint8_t cat, kind, owner; /* enum explain_cat, enum wait_kind; enum owner of `user` */
    uint32_t leaf, user, who; /* strings: LEAF; the user's function; start function of whose time it is */
    uint32_t let_go;          /* string: a followed wait: the user's function that ended most of it */
    uint32_t stack, frame;    /* of the longest part; frame: of `user` */
    uint32_t by_stack, by, g; /* the same: where it was ended, by whom, whose it is; lanes */
    int64_t t0, t1;           /* the longest part */
    int64_t let_go_ns;
    int64_t ns[TREE_SETS];
    uint32_t n[TREE_SETS], pieces[TREE_SETS]; /* parts; pieces that have any */
    uint32_t last[TREE_SETS];                 /* while it is built */
    struct ran ran;                           /* of running */
};
struct work_tree {
    struct tree_node *v; /* node 0: all of it */
    uint32_t n;
    size_t cap;
    struct tab by;
    int64_t idle[TREE_SETS]; /* of the pieces' time: no cost */
    uint32_t pieces[TREE_SETS];
    bool cut; /* some waits were not followed to their end */
};

struct work {
    enum work_kind_id kind;
    uint32_t name, group; /* string: type of task or start function; group: UINT32_MAX for tasks */
    uint32_t user;        /* string: the user's function that does it, the handler; `name` if unknown */
    uint32_t more;        /* stack in which more is waited for, 0 none */
    uint64_t n;           /* pieces with both ends, about; `looked`: at those is looked, d is of them */
    uint64_t open;
    struct dist d;
    int64_t total;       /* about: of all n */
    double at_once;      /* on average */
    bool background;     /* nobody outside, no request and not main, waits for it */
    bool inner;          /* another work that counts waits for it: its time is in that one's tree */
    bool lives;          /* pieces are whole goroutines, from begin to end */
    bool standing;       /* lives that take most of the trace: there is no usual and no slow one */
    bool asks;           /* standing, and what most of its goroutines wait for outside are answers: no rest */
    struct workpiece *v; /* those looked at, longest first */
    uint32_t looked;
    uint32_t slow; /* so many, the longest, are the slow ones: a tenth, or what of that is much longer than
                      usual */
    struct work_tree tree;
    double weight; /* 0..1: of the works that count, how much of their time it is, the largest 1 */
};
struct works {
    const struct trace *tr;
    struct owners *own;
    struct work *v; /* those that count first, by their weight */
    uint32_t n;
};
/* works_new - finds them and makes their trees. false: out of memory. Costs at most WORKS_SPANS spans
 * explained and as many walked. */
enum { WORKS_SPANS = 1000000, WORKS_MOST = 24 };
/* works_pairs - who waits for whom (triage.h): so many are looked at, those with the most time. */
static inline uint32_t works_pairs(const struct causes *c)
{
    return c->tg->npairs < 4096 ? c->tg->npairs : 4096;
}
bool works_new(struct causes *c, struct works *out);
void works_free(struct works *w);

/* ---- pieces.c, tree.c ---------------------------------------------------------------------------------- */

/* works_find - the works, without trees. */
bool works_find(struct causes *c, struct works *out);
/* work_outside - does somebody outside wait for it, or the program mark it, and is there enough of it to be
 * what the program is for? */
bool work_outside(const struct causes *c, const struct work *w);
/* work_slow_part - of the time of all pieces, the slow ones' share. */
double work_slow_part(const struct work *w);
void work_free(struct work *w); /* what one holds */
/* work_counts - does a page show it? What is in the background, or another one's, it doesn't. */
static inline bool work_counts(const struct work *w)
{
    return !w->background && !w->inner;
}
/* work_awaited - does somebody outside wait for each piece? */
static inline bool work_awaited(const struct work *w)
{
    return w->kind == WORK_TASKS || w->kind == WORK_REQUESTS;
}
/* tree_make - explains the pieces of a work; sampled: what its CPU samples tell. */
struct sampled;
bool tree_make(struct causes *c, struct works *all, struct sampled *sampled, struct work *w);
/* tree_ns - what all nodes of a set come to: the explained time that counts. */
static inline int64_t tree_ns(const struct work_tree *t, enum tree_set s)
{
    return t->n ? t->v[0].ns[s] - t->idle[s] : 0;
}
/* tree_share - a node's share of that, 0..1. */
static inline double tree_share(const struct work_tree *t, uint32_t node, enum tree_set s)
{
    const int64_t all = tree_ns(t, s);
    return all > 0 ? (double)t->v[node].ns[s] / (double)all : 0;
}

#endif
