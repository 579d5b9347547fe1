/*
 * shares_of.h - is what goroutines wait for given in shares of different sizes, first come first served? Then one at the head that wants
 * more than is free holds up all behind it. No trace says how much is taken; who gives back and lets nobody in though somebody waits does.
 */
#ifndef GOTOP_TRIAGE_SHARES_OF_H
#define GOTOP_TRIAGE_SHARES_OF_H

#include "triage/findings/causes.h"

struct shares_of {
    uint32_t turns;         /* from being let in to the next wait there, while somebody waited all the time */
    uint32_t none;          /* of these: let nobody in */
    uint32_t many;          /* let in several at once */
    uint32_t waits, passed; /* waits looked at; of these one ended while another that had begun before went on */
};
/* shares_of - of a group's waits at a place that another goroutine ends. false: it is not so, too little is seen, or they are more than 64. */
bool shares_of(struct causes *c, uint32_t group, uint32_t place, struct shares_of *out);
#define SHARES_TITLE "all wait behind one that needs much"
/* shares_text - that it is so, and what to do. */
void shares_text(struct text *t, struct text *next, const struct trace *tr, const struct shares_of *s);

#endif
