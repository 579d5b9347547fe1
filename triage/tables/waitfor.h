/*
 * waitfor.h - which groups wait for which: goroutine groups (by start function) as nodes, waiting time as
 * edges, summed over all waits.
 *
 * An edge is recorded: a wait that a goroutine of the other group ended, or the network, or a timer. Where
 * such waiting ends, past groups that only waited themselves, explain.h infers. A group that waits for
 * another one again and again, as that one does for it, is no more the cause than the other.
 */
#ifndef GOTOP_TRIAGE_WAITFOR_H
#define GOTOP_TRIAGE_WAITFOR_H

#include "triage/triage.h"

#define WAITFOR_EDGES 256
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
    double share; /* share of the lives of `from` */
    bool again;   /* more often than once in each of these */
    struct moment longest;
};
struct waitfor {
    struct waitfor_edge edge[WAITFOR_EDGES]; /* longest first */
    uint32_t nedges;
};
/* waitfor_new - Valid after TRIAGE_DONE; free with mem_free(). Returns NULL if out of memory. */
struct waitfor *waitfor_new(const struct triage *tg);

#endif
