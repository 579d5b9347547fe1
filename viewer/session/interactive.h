/*
 * interactive.h - the program on a terminal.
 */
#ifndef GOTOP_VIEWER_INTERACTIVE_H
#define GOTOP_VIEWER_INTERACTIVE_H

#include "viewer/session/app.h"
#include "viewer/term/term.h"

/* interactive_run - read keys, load in slices and draw, until the reader leaves, a signal asks to leave, or
 * the trace turns out to be unreadable (trace_fatal()). logs: write what each frame costs to standard error.
 * Returns the signal; 0: none. */
int interactive_run(struct app *a, struct term *t, bool logs);

#endif
