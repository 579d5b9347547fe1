/*
 * helper.h - functions that goroutines begin in to run a function they were given: WaitGroup.Go, errgroup, a test.
 *
 * All of a program's workers begin in the same one, so its name says nothing of them. What they run stands beside it at the
 * root of their stacks, and names the goroutine: model, views and findings show main.worker, `dump` what Go's reader says.
 */
#ifndef GOTOP_DECODE_HELPER_H
#define GOTOP_DECODE_HELPER_H

#include "decode/trace.h"

/* helper_is - is a function such a one? One that runs different functions in its life (a connection's) is none. */
bool helper_is(struct str func);
/* helper_own - is a frame the helper's, not what it was given to run? */
bool helper_own(struct str helper, struct str frame);
/* helper_hidden - stacks leave this one out: their last frame is what it runs. */
bool helper_hidden(struct str helper);

#endif
