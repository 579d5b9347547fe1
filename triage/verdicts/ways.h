/*
 * ways.h - for ways.c and links.c: a work's tree that is followed from what waits to what is waited for.
 */
#ifndef GOTOP_TRIAGE_WAYS_H
#define GOTOP_TRIAGE_WAYS_H

#include "triage/verdicts/verdict.h"

enum {
    WAYS = 512,
    DEEP = 40,
    SERVERS = 16,
    BUSY_SPANS = 4000,
    TOGETHER = 100000 /* ns: wake-ups that are one */
};

struct way { /* what lies under one link, or one place, of one work */
    enum family family;
    uint32_t key;
    uint32_t at, leaf; /* nodes: the link or place; the largest end under it */
    int64_t leaf_ns;
    int64_t ns[TREE_SETS];
    uint32_t path[LINKS], npath; /* links on the way to the largest end */
    struct {                     /* what was done in the end */
        uint32_t node, at;       /* the end; the node of the program's own around it */
        int64_t ns;
    } doing[8];
    unsigned ndoing;
};
struct served { /* goroutines of a group that others wait for */
    bool asked;
    double busy, n;
};
struct link_memo {
    bool asked, queue; /* queue: only behind another link */
    uint8_t family;
};
struct follow {
    struct causes *c;
    const struct works *all;
    const struct work *w;
    struct way *way;
    uint32_t n;
    uint32_t path[DEEP], depth; /* nodes from the root on */
    struct served *served;      /* by group */
    struct link_memo *memo;     /* by node */
    bool failed;
};

/*
 * link_of - the family of what is waited for at a node, if others can mend it; FAM_NONE: nothing that is a
 * link. inside: it lies behind a link already.
 */
enum family link_of(struct follow *f, uint32_t node, bool inside);
/* link_at - the same of one node of a work, by itself. */
enum family link_at(struct causes *c, const struct works *all, const struct work *w, uint32_t node);
/* members_by - members of a group come in the order in which the trace mentions them: how many are known at
 * t? */
uint32_t members_by(const struct causes *c, uint32_t group, int64_t t);
/* served_of - how busy the goroutines of a group are that others wait for; asked once. */
struct served *served_of(struct follow *f, uint32_t group);

#endif
