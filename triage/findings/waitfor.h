/*
 * waitfor.h - which groups wait for which: goroutine groups (by start function) as nodes, waiting time as
 * edges, summed over all waits; and the same followed to its end, past groups that only waited themselves.
 *
 * An edge is recorded: a wait that a goroutine of the other group ended, or the network, or a timer. Its
 * end is inferred, as in explain.h, from at most WAITFOR_LOOK goroutines of each group, and scaled to all.
 * It is not stated if less than half of their waiting for others could be followed. Groups that wait for
 * each other, directly or through others, repeatedly and for WAITFOR_KNOT of their lives or more each, are
 * a knot: none of them is the first cause alone. A group that waits once, for others to end or to begin, is
 * in no knot.
 */
#ifndef GOTOP_TRIAGE_WAITFOR_H
#define GOTOP_TRIAGE_WAITFOR_H

#include "triage/findings/explain.h"
#include "triage/text.h"
#include "triage/triage.h"

#define WAITFOR_LOOK 4
#define WAITFOR_KNOT 0.05
#define WAITFOR_EDGES 256
#define WAITFOR_ENDS 4
enum waitfor_what {
    WF_GROUP,
    WF_NETWORK,
    WF_PIPE, /* stacks_pipe() */
    WF_TIMER,
    WF_NOBODY /* waits not over at the end, of a kind that goroutines end */
};
const char *waitfor_whom(enum waitfor_what what); /* "the network" ..; "" for a group */
struct waitfor_edge {
    uint32_t from, to; /* strings of start functions; to: only if what is WF_GROUP */
    enum waitfor_what what;
    int64_t ns;
    uint64_t count;
    double share;  /* share of the lives of `from` */
    bool again;    /* more often than once in each of these */
    uint32_t knot; /* from 1: the knot that both are in; 0: none */
    struct moment longest;
};
/* of all that a group waits for others: the goroutine it was in the end, and what that one did */
struct waitfor_end {
    uint32_t from;
    int64_t ns; /* of all its waits for others */
    struct {
        uint32_t who, func, stack, frame;
        uint8_t cat;
        bool mixed; /* parts of it had other callers */
        /* the place is of the waiting goroutine; who: the runtime goroutine that ended these waits */
        bool ended;
        struct ran ran;   /* of running */
        struct caller by; /* the caller with most of it */
        double share;     /* of ns */
    } of[WAITFOR_ENDS];
    uint32_t n;
};
struct waitfor {
    struct waitfor_edge edge[WAITFOR_EDGES]; /* longest first */
    uint32_t nedges;
    struct waitfor_end end[16]; /* for groups of the program, by ns */
    uint32_t nends, knots;
};
/* waitfor_new - Valid after TRIAGE_DONE. Returns NULL if out of memory. Each group that is followed to its
 * end costs about WAITFOR_SPANS spans. waitfor_within - The same with a given number of groups followed,
 * and of spans each. */
#define WAITFOR_SPANS 40000
struct waitfor *waitfor_new(const struct triage *tg);
struct waitfor *waitfor_within(const struct triage *tg, uint64_t spans, uint32_t ends);
void waitfor_free(struct waitfor *w);

/* waitfor_edge_text - Append "main.teller waits for main.auditor". waitfor_end_text - Append "in the end
 * main.auditor, running in main.count 84.0%, ..". */
void waitfor_edge_text(struct text *t, const struct trace *tr, const struct waitfor_edge *e);
void waitfor_end_text(struct text *t, const struct trace *tr, const struct waitfor_end *e);

#endif
