/*
 * siblings.h - names for goroutines that no stack names: what others run that were begun at the same place.
 *
 * WaitGroup.Go and its like (decode/events/helper.h) begin all in one function. Who never blocks leaves no stack that says what it
 * was given to run; whoever was begun by the same stack was given the same, as long as all of those that are known agree.
 */
#ifndef GOTOP_DECODE_SIBLINGS_H
#define GOTOP_DECODE_SIBLINGS_H

#include "decode/base/idmap.h"

struct trace;
struct siblings {
    struct idmap run; /* the stack of a creation: string of what is run, 0 where they differ */
};

/* siblings_learn - once all is loaded. Without memory less is known. */
void siblings_learn(struct trace *tr);
/* siblings_name - the name of a goroutine that is called `name`, begun by a stack; *told: not by a stack of its own. */
uint32_t siblings_name(const struct trace *tr, uint32_t name, uint32_t create_stack, bool *told);

#endif
