/*
 * helper.h - functions in which goroutines begin only to run a function that they were given: WaitGroup.Go,
 * errgroup, a test.
 *
 * All workers of a program begin in the same one, so its name says nothing about them. The function that they
 * run is next to it at the root of their stacks and gives the goroutine its name: model, views and findings
 * show main.worker, `dump` what Go's reader says.
 */
#ifndef GOTOP_DECODE_HELPER_H
#define GOTOP_DECODE_HELPER_H

#include "decode/trace.h"

/* helper_is - whether the function is a helper. A function that runs several others one after another (a
 * connection's loop) is not. */
bool helper_is(struct str func);
/* helper_own - whether the frame belongs to the helper and not to the function that it runs. */
bool helper_own(struct str helper, struct str frame);
/* helper_hidden - whether stacks leave this helper out, so that their last frame is the function that it
 * runs. */
bool helper_hidden(struct str helper);

#endif
