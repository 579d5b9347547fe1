/*
 * let_go.h - how what others wait for is given back: several locks at one moment, and sets that have one thing only.
 *
 * Who unlocks a mutex wakes one. Who ends several such waits at one moment, again and again, held as many locks until then. And
 * where each that is let in is the one that lets the next one in, there is one at a time: a lock, made of a channel or a condition.
 * Both inferred.
 */
#ifndef GOTOP_TRIAGE_LET_GO_H
#define GOTOP_TRIAGE_LET_GO_H

#include "triage/findings/causes.h"

struct let_go {
    uint32_t bursts, waits, g; /* how often, how many waits ended so, by whom the last time (lane) */
    uint32_t stack;            /* there, 0 not told */
    bool
        for_all; /* most of the waits there, in the function in which they wait: one did something for all, and had nothing of a set */
};
/* let_go_bursts - are the waits for locks that are asked for in a function ended by several at one moment? */
bool let_go_bursts(struct causes *c, uint32_t place, struct let_go *out);
/*
 * let_go_together - are waits of a group at a place, for what is given back there, ended by several in one run, without a wait between, by
 * one that, since it last ended some, has waited there itself at least half as often? It had as many at once.
 */
bool let_go_together(struct causes *c, uint32_t group, uint32_t place, struct let_go *out);
#define LET_GO_KEEPS "one keeps what others wait for" /* the title */
/* let_go_together_text - who, to stand before what is told of these waits, and what to do. */
void let_go_together_text(struct text *t, struct text *next, const struct causes *c, const struct let_go *l);
/*
 * let_go_gives - are most of the waits of a group at a place ended by goroutines, of it or not, that hardly ever wait there for what others give? Who
 * takes one of a set waits for it as the others do; those do something else than the others, though they began in one function.
 * *one: who ended nearly all of them, NO_LANE if it is several.
 */
bool let_go_gives(struct causes *c, uint32_t group, uint32_t place, uint32_t *one);
/* let_go_crew - the same of those of the group, and who they are: lanes. 0: it is not so, or they are more than that. */
#define LET_GO_CREW 16
uint32_t let_go_crew(struct causes *c, uint32_t group, uint32_t place, uint32_t crew[LET_GO_CREW]);
/* let_go_is_lock - is what goroutines of p wait for at a place one thing, that they hand to each other? */
bool let_go_is_lock(struct causes *c, const struct pair_row *p, uint32_t place);

#endif
