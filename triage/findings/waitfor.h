/*
 * waitfor.h - who waits for whom: groups of goroutines (by start function) as nodes, waiting time as edges,
 * summed over all waits; and the same followed to its end, past those who only waited themselves.
 *
 * An edge is what is recorded: a wait of the one that the other ended, or the network, or a timer. Where it
 * ends is inferred, as in explain.h, from at most WAITFOR_LOOK goroutines of each group, put on the scale of
 * all; it isn't said where less than half of the time they wait for others could be followed. Groups that
 * wait for each other, directly or by way of others, for WAITFOR_KNOT of their lives or more each, again and
 * again, are a knot: none of them is the first cause alone. Who waits once, for others to end or to begin, is
 * in none.
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
    WF_NOBODY /* waits that are not over at the end, of a kind that goroutines end */
};
const char *waitfor_whom(enum waitfor_what what); /* "the network" ..; of a group "" */
struct waitfor_edge {
    uint32_t from, to; /* start functions' strings; to: if what is WF_GROUP */
    enum waitfor_what what;
    int64_t ns;
    uint64_t count;
    double share;  /* of the lives of `from` */
    bool again;    /* more often than once in each of these */
    uint32_t knot; /* 1 ..: both are in that one; 0 none */
    struct moment longest;
};
struct waitfor_end { /* of all that a group waits for others: who it was in the end, and what that one did */
    uint32_t from;
    int64_t ns; /* of all its waits for others */
    struct {
        uint32_t who, func, stack, frame;
        uint8_t cat;
        bool mixed;       /* not all of it had these callers */
        bool ended;       /* the place is the waiting one's own; who: of the runtime, ended these waits */
        struct ran ran;   /* of running */
        struct caller by; /* who called most of it */
        double share;     /* of ns */
    } of[WAITFOR_ENDS];
    uint32_t n;
};
struct waitfor {
    struct waitfor_edge edge[WAITFOR_EDGES]; /* the longest first */
    uint32_t nedges;
    struct waitfor_end end[16]; /* of groups of the program, by ns */
    uint32_t nends, knots;
};
/*
 * waitfor_new - after TRIAGE_DONE. NULL: out of memory. Each group that is followed to its end costs about
 * WAITFOR_SPANS spans. waitfor_within - the same with so many groups followed, at the cost of so many spans
 * each.
 */
#define WAITFOR_SPANS 40000
struct waitfor *waitfor_new(const struct triage *tg);
struct waitfor *waitfor_within(const struct triage *tg, uint64_t spans, uint32_t ends);
void waitfor_free(struct waitfor *w);

/* waitfor_edge_text - "main.teller waits for main.auditor". waitfor_end_text - "in the end main.auditor,
 * running in main.count 84.0%, ..". */
void waitfor_edge_text(struct text *t, const struct trace *tr, const struct waitfor_edge *e);
void waitfor_end_text(struct text *t, const struct trace *tr, const struct waitfor_end *e);

#endif
