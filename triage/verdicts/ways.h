/*
 * ways.h - follows a work's tree from each wait to what it waits for. Shared by ways.c and links.c.
 */
#ifndef GOTOP_TRIAGE_WAYS_H
#define GOTOP_TRIAGE_WAYS_H

#include "triage/verdicts/verdict.h"

enum {
    WAYS = 512,
    DEEP = 40,
    SERVERS = 16,
    BUSY_SPANS = 4000,
    TOGETHER = 100000 /* ns: wake-ups closer than this count as one */
};

struct way { /* the time of one work that lies under one link, or at one place */
    enum family family;
    uint8_t cat; /* what slows a few (struct ending); else 0 */
    uint32_t key;
    uint32_t at, leaf; /* nodes: the link or place, and the largest end under it */
    int64_t leaf_ns;
    int64_t ns[TREE_SETS];
    uint32_t path[LINKS], npath; /* the links on the path to the largest end */
    struct {                     /* what happened at the ends */
        uint32_t node, at;       /* the end, and the node of the program's own function around it */
        int64_t ns;
    } doing[8];
    unsigned ndoing;
};
struct served { /* how busy the goroutines of a group are that others wait for */
    bool asked;
    double busy, n;
};
struct link_memo {
    bool asked, queue; /* queue: a link only inside another link */
    bool news;         /* it waits for what others bring, and has nothing to do */
    uint8_t family;
};
struct follow {
    struct causes *c;
    const struct works *all;
    const struct work *w;
    struct way *way;
    uint32_t n;
    uint32_t path[DEEP], depth; /* nodes from the root down */
    struct served *served;      /* indexed by group */
    struct link_memo *memo;     /* indexed by node */
    struct tab questions;       /* calls_questions() by goroutine */
    bool failed;
};

/* link_of - returns the family of the wait at a node if other goroutines have what it waits for and could
 * release it sooner; FAM_NONE if it is no link. inside: the node lies inside another link. */
enum family link_of(struct follow *f, uint32_t node, bool inside);
/* link_at - returns the same for a single node of a work. */
enum family link_at(struct causes *c, const struct works *all, const struct work *w, uint32_t node);
/* link_news - returns whether goroutines that were not asked end the waits at a verdict's place, where no
 * timer does, and close a channel for it: they bring news, and no answer. */
bool link_news(const struct causes *c, const struct works *all, const struct verdict *v);
/* members_by - returns how many members of a group are known at time t. Members are in the order in which
 * the trace first mentions them. */
uint32_t members_by(const struct causes *c, uint32_t group, int64_t t);
/* busy_of - returns the share of a goroutine's life in which it does not wait for more work. */
double busy_of(const struct causes *c, uint32_t g);
/* served_of - returns how busy the goroutines of a group are that others wait for. Computed once per
 * group. */
struct served *served_of(struct follow *f, uint32_t group);
/* ways_counts - sets which pieces of a set go to a node, how often, and how long each time. */
void ways_counts(const struct work_tree *t, const struct tree_node *at, enum tree_set s, struct verdict *v);
/* ways_repeats - for waits for answers at a node, decides by the pieces whether they, or the slow ones alone,
 * ask again and again from one line (repeats.c). If not, it stays what they wait for. */
void ways_repeats(const struct follow *f, const struct tree_node *at, struct verdict *v);

#endif
