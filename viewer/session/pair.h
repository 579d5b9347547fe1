/*
 * pair.h - two traces, of which one is on the screen. A key shows the other one: the same view and range of
 * time, and the same lane where it has one. Each has an app of its own.
 */
#ifndef GOTOP_VIEWER_PAIR_H
#define GOTOP_VIEWER_PAIR_H

#include "viewer/session/app.h"

/* pair_begin - a is shown first. Both stay their makers', who free them after pair_end(). Returns false: out
 * of memory. */
bool pair_begin(struct app *a, struct app *b);
void pair_end(struct app *a);

/* pair_shown - the app that is shown, of two or of one alone: the one that the caller's loop works with. */
struct app *pair_shown(struct app *a);
/* pair_due - there is work for the app that is not shown, or for their comparison. pair_step - do some of it;
 * returns refresh flags. */
bool pair_due(const struct app *a);
unsigned pair_step(struct app *a, int64_t budget_ns);

/* The action: show the other one. */
unsigned pair_other(struct app *a);

#endif
