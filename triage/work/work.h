/*
 * work.h - what a program does repeatedly, how long one takes, and where that time goes: the basis of page,
 * report and verdicts.
 *
 * A work is a population of pieces of one kind, found by general signs (works_find() in pieces.c):
 *
 *   tasks      what the program marks (runtime/trace), by type
 *   requests   what a goroutine does from the read of a request on a connection to the read of the next one;
 *              or goroutines that the reader of a connection creates for what it reads while it reads on
 *   items      what a goroutine does from one wait for more work, in its own loop, to the next; or, where it
 *              waits for none, from one sleep there to the next; or from taking one thing to taking the next
 *   lives      goroutines created for one thing each; or a few that run all along and wait for no more work
 *   main       the main goroutine, from its begin to its end, if nothing else repeats
 *
 * Each work has a tree (tree.c): its pieces explained (explain.h) and merged. A node is a category, the
 * function that was called (LEAF), the first function of the user's around it, and the goroutine whose time
 * it was. Its sums are over three sets of pieces: a fair sample of all, those around the median, and the slow
 * ones (the slowest tenth, or those of it that stand out).
 *
 * Idle time is no cost; it is in `idle` and in no node: waiting for more work, and what nobody waits for
 * (`idle` in pieces.c). Units: ns. Owner: works_free() frees all. Strings, stacks and lanes are those of the
 * trace. Groups of goroutines are looked at side by side, and trees are made side by side.
 */
#ifndef GOTOP_TRIAGE_WORK_H
#define GOTOP_TRIAGE_WORK_H

#include "triage/findings/causes.h"
#include "triage/work/owner.h"

enum work_kind_id { WORK_TASKS, WORK_REQUESTS, WORK_ITEMS, WORK_LIVES, WORK_MAIN, WORK_KINDS };
const char *
/* "tasks", "requests", "items", "goroutines", "main", for text and JSON */
work_kind_name(enum work_kind_id k);

enum { NODE_CALLS = 3 };
enum tree_set { TREE_ALL, TREE_USUAL, TREE_SLOW, TREE_SETS };

struct tree_node {
    uint32_t up, first,
        /* nodes; first, next: NO_LANE if none. Children are sorted, largest first (of all or of the slow
         * pieces) */
        next;
    uint8_t cat, kind, owner; /* enum explain_cat, enum wait_kind; enum owner of `user` */
    /* strings: LEAF; the user's function; start function of the goroutine whose time it is */
    uint32_t leaf, user, who;
    uint32_t let_go;          /* string: of a followed wait, the user's function that ended most of it */
    uint32_t stack, frame;    /* of the longest part; frame: of `user` */
    uint32_t by_stack, by, g; /* the same: where it was ended, by which goroutine, whose time it is; lanes */
    int64_t t0, t1;           /* the longest part */
    uint32_t reason;          /* of the longest part: of a wait, of a stop */
    bool mixed;               /* some of its parts had other callers (the first NODE_CALLS functions) */
    int64_t unstopped;        /* of running: ns in parts that no preemption ended in time (tree_held()) */
    int64_t let_go_ns;
    int64_t ns[TREE_SETS];
    uint32_t n[TREE_SETS], pieces[TREE_SETS]; /* number of parts; number of pieces that have any */
    uint32_t last[TREE_SETS];                 /* used while the tree is built */
    struct ran ran;                           /* of running */
};
struct work_tree {
    struct tree_node *v; /* node 0: the whole */
    uint32_t n;
    struct tab by;
    int64_t idle[TREE_SETS]; /* idle time of the pieces, which is no cost */
    int64_t rest;            /* of it: asleep, or waiting for input */
    uint32_t pieces[TREE_SETS];
    bool cut;    /* some waits were not followed to their end */
    bool handed; /* some piece's time is of several goroutines (tree_explain()) */
};

struct work {
    enum work_kind_id kind;
    uint32_t name, group; /* string: type of task or start function; group: UINT32_MAX for tasks */
    uint32_t user;        /* string: the user's function that does them all, the handler; 0: unknown */
    uint32_t more;        /* stack in which it waits for more work, 0 if none */
    /* estimated number of pieces with both ends; `looked`: number examined, which d describes */
    uint64_t n;
    uint64_t open;
    struct dist d;
    int64_t total;       /* estimated total of all n */
    double at_once;      /* average */
    bool background;     /* background: no request, not main, and no one outside waits for it */
    bool inner;          /* another work that counts waits for it, so its time is in that one's tree */
    bool played;         /* requests to a peer that is played in the same process */
    bool lives;          /* pieces are whole goroutines, from begin to end */
    bool paced;          /* items, each after a pause */
    bool own;            /* the program's functions are in it, and not a library's alone */
    bool single;         /* paced, or taken one by one: hardly any is several that stood in a queue */
    bool standing;       /* lives that take most of the trace: there is no usual and no slow one */
    bool job;            /* standing, and all over when the trace ends: then nothing of it is rest */
    bool asks;           /* standing, and what most of its goroutines wait for outside are answers: no rest */
    struct workpiece *v; /* the examined pieces, longest first */
    uint32_t looked;
    /* pieces that hang: not over at the end of the trace, much older than the p99, and for most of that in
     * one wait in which the others were soon done. They are not in v, n and d; the tree's slow ones have
     * them. Longest first. */
    struct workpiece *hung;
    uint32_t nhung;
    /* number of slow pieces, the longest: a tenth, or those of it that are much longer than usual */
    uint32_t slow;
    struct work_tree tree;
    double weight; /* 0..1: its share of the time of the works that count, scaled to 1 for the largest */
};
struct stand {               /* a goroutine waits when the trace ends, since t = `since` */
    uint32_t g, user, stack; /* lane; string: the user's function */
    uint8_t kind;            /* enum wait_kind */
    bool more;               /* for more work */
    bool strange; /* it stands long, where many others went on after a tenth of that at most, or for a lock */
    int64_t since;
};
struct works {
    const struct trace *tr;
    struct owners *own;
    struct stand *stand; /* by lane */
    uint32_t nstands;
    struct work *v; /* the works that count come first, by weight */
    uint32_t n;
};
/* works_new - Find the works and make their trees. Returns false if out of memory. Of each of at most
 * WORKS_MOST works about 100,000 spans are explained, never more than TREE_SPANS, and twice as many
 * walked. */
enum { TREE_SPANS = 1000000, WORKS_MOST = 24 };
/* works_pairs - who waits for whom (triage.h): so many are looked at, those with the most time. */
static inline uint32_t works_pairs(const struct causes *c)
{
    return c->tg->npairs < 4096 ? c->tg->npairs : 4096;
}
/* works_passed - Returns how often goroutines of one name (string) waited for what those of another one hand
 * on. */
uint64_t works_passed(const struct causes *c, uint32_t waiter, uint32_t waker);
bool works_new(struct causes *c, struct works *out);
void works_free(struct works *w);

/* stand_of - Returns the wait that goroutine g stands in at the end, or NULL. */
const struct stand *stand_of(const struct works *w, uint32_t g);

/* ---- pieces.c, taken.c, serving.c, matter.c, stands.c, tree.c ------------------------------------------ */

/* The parts that the goroutines of one group take, where one function begins those of all connections of
 * several servers. A part is the function that waits for requests, or the handler; 0: it is unknown. */
enum { SERVING = 4 };
struct serving {
    uint32_t v[SERVING], n; /* the most frequent one first */
};
/* serving_of - Returns the parts, or part 0 alone if most goroutines take none that is known. http: they are
 * of net/http's server. serving_at - Returns the index of g's part; 0 if it takes none of these. */
struct serving serving_of(const struct causes *c, uint32_t group, bool http);
uint32_t serving_at(const struct causes *c, bool http, const struct serving *p, uint32_t g);
/* serving_messages - Returns the function in which most goroutines of net/http's server read messages from a
 * connection that they took over (websockets), 0 if they don't. Each message is a request then. */
uint32_t serving_messages(const struct causes *c, uint32_t group);
/* stands_find - Find the waits that the trace ends with. Returns false if out of memory. */
bool stands_find(const struct causes *c, struct works *out);

/* pieces_taken - Call add for each thing that the goroutines of a group take from others that wait to send
 * it: what is done from there to the next one; none if that is not most of their time. Returns false if out
 * of memory. */
typedef void piece_fn(void *arg, struct workpiece p);
bool pieces_taken(const struct causes *c, uint32_t group, piece_fn *add, void *arg);
/* works_find - Find the works, without trees. */
bool works_find(struct causes *c, struct works *out);
/* works_matter - Decide which works count, which are part of another one (inner), and which are in the
 * background. mains: the group of the main goroutine, UINT32_MAX: none. Returns false if out of memory. */
bool works_matter(struct causes *c, struct works *all, uint32_t mains);
/* work_outside - True if someone outside waits for it, or the program marks it, and there is enough of it
 * to be the program's purpose. */
bool work_outside(const struct causes *c, const struct work *w);
/* work_slow_part - Returns the slow pieces' share of the time of all pieces. */
double work_slow_part(const struct work *w);
void work_free(struct work *w); /* what one holds */
/* work_counts - True if a page shows it: it is neither in the background nor part of another work. */
static inline bool work_counts(const struct work *w)
{
    return !w->background && !w->inner;
}
/* work_awaited - True if someone outside waits for each piece. */
static inline bool work_awaited(const struct work *w)
{
    return w->kind == WORK_TASKS || w->kind == WORK_REQUESTS;
}
/* tree_make - Explain the pieces of a work. sampled: what its CPU samples say. Several threads make trees,
 * each with an explainer of its own. */
struct sampled;
bool tree_make(struct causes *c, struct works *all, struct explainer *x, struct sampled *sampled,
               struct work *w);
/* tree_explain - Explain every step-th of n pieces to the nanosecond: nothing is idle, and waits that cost
 * more than their piece's part of so many spans are cut. The slow ones are the first tenth, of 20 and more.
 * Returns false if out of memory. */
bool tree_explain(struct work_tree *t, const struct trace *tr, struct explainer *x, const struct workpiece *v,
                  size_t n, size_t step, uint64_t spans);
void tree_free(struct work_tree *t);
struct by_name { /* times of the first few names */
    uint32_t name[8];
    int64_t ns[8];
};
void by_name_add(struct by_name *k, uint32_t name, int64_t ns);
uint32_t by_name_most(const struct by_name *k);
/* tree_ns - Returns the total of all nodes of a set: the explained time that counts. */
static inline int64_t tree_ns(const struct work_tree *t, enum tree_set s)
{
    return t->n ? t->v[0].ns[s] - t->idle[s] : 0;
}
/* tree_both - Returns a node's time in all pieces and in the slow ones. */
static inline int64_t tree_both(const struct tree_node *n)
{
    return ns_add(n->ns[TREE_ALL], n->ns[TREE_SLOW]);
}
/* tree_top - Returns the node that a node is under, of those of the pieces themselves. */
static inline uint32_t tree_top(const struct work_tree *t, uint32_t node)
{
    while (t->v[node].up)
        node = t->v[node].up;
    return node;
}
/* tree_held - True if most of a node's time is in runs so long that the runtime would have preempted them:
 * the host did not run the thread. */
static inline bool tree_held(const struct tree_node *n)
{
    return n->unstopped > 0 && n->unstopped >= tree_both(n) / 2;
}
/* work_rest - Returns the share of its time in which a standing work is at rest, which is in no node. */
static inline double work_rest(const struct work *w)
{
    return w->standing && w->tree.rest ? (double)w->tree.rest / (double)w->tree.v[0].ns[TREE_ALL] : 0;
}
/* tree_part - Returns what share of that so many ns are, 0..1. tree_share - Returns a node's. */
static inline double tree_part(const struct work_tree *t, int64_t ns, enum tree_set s)
{
    return ns_share(ns, tree_ns(t, s));
}
static inline double tree_share(const struct work_tree *t, uint32_t node, enum tree_set s)
{
    return tree_part(t, t->v[node].ns[s], s);
}
/* work_counted - Returns the time of all pieces that counts, estimated from the explained ones. */
static inline double work_counted(const struct work *w)
{
    return w->tree.n ? (double)w->total * ns_share(tree_ns(&w->tree, TREE_ALL), w->tree.v[0].ns[TREE_ALL])
                     : 0;
}

#endif
