/*
 * causes.h - how the program's goroutine groups spend their lives, and which goroutines they are: what works
 * and verdicts are made from.
 *
 * Built from triage's tables when the findings are made; all shares are of the time in which the group was
 * there.
 */
#ifndef GOTOP_TRIAGE_CAUSES_H
#define GOTOP_TRIAGE_CAUSES_H

#include "triage/findings/explain.h"
#include "triage/triage.h"

struct member_of { /* a group's goroutines: causes_nth() */
    uint32_t n;
    uint32_t at, runs; /* where they are told in causes.member, members.c knows how */
};
struct group_life {
    int64_t first, last;  /* the group was there */
    int64_t life;         /* of all its goroutines together */
    int64_t by[WK_KINDS]; /* waits, by kind of their reason ("sync" counts as WK_LOCK here) */
    double n;             /* goroutines on average */
    bool program;         /* begins outside the runtime and the standard library */
};
struct causes {
    const struct triage *tg;
    const struct trace *tr;
    struct explainer *x;
    struct group_life *life; /* by group */
    uint32_t *member;
    struct member_of *of; /* by group */
    struct tab by_name;   /* groups by their start function's string */
    /* On average: */
    double procs, running; /* processors; goroutines of the program running */
    double idle;           /* processors known to have no work: of a damaged trace not all are */
};
bool causes_init(struct causes *c, const struct triage *tg); /* false: out of memory */
void causes_free(struct causes *c);
/* causes_group - the group that goroutines of a start function belong to, UINT32_MAX none. */
uint32_t causes_group(const struct causes *c, uint32_t name);

/*
 * causes_members - which goroutines belong to which group. false: out of memory. causes_nth - the k-th of a
 * group's.
 */
bool causes_members(struct causes *c);
uint32_t causes_nth(const struct causes *c, uint32_t group, uint32_t k);
/* causes_member - of at most so many goroutines of a group, spread over all of it, the i-th: a lane. */
uint32_t causes_member(const struct causes *c, uint32_t group, uint32_t i, uint32_t most);

/* causes_place - the first function outside the runtime and the standard library, 0 if there is none. */
static inline uint32_t causes_place(const struct trace *tr, uint32_t stack)
{
    return stacks_place(tr, stack);
}

#endif
