/*
 * pair.h - two traces, one above the other: two apps behind one. Keys go to the one that is active; the other
 * shows the same view, the same stretch of time, and the same lane where it has one. Keys in tables go to
 * both.
 *
 * Whoever drives an app (interactive.c, headless.c, tests) drives the upper one; app_key() and the like see
 * that it has another one below it.
 */
#ifndef GOTOP_VIEWER_PAIR_H
#define GOTOP_VIEWER_PAIR_H

#include "viewer/session/app.h"

/* pair_begin - put b below a, which owns nothing of it: both are freed by who made them, behind pair_end().
 * false: memory. */
bool pair_begin(struct app *a, struct app *b);
/* pair_unlink - each stays where it is until it is moved itself, or pair_align() is asked for. */
void pair_unlink(struct app *a);
void pair_end(struct app *a);

/* What app.c leaves to it while it isn't at work itself (pair_host). */
bool pair_host(const struct app *a);
unsigned pair_key(struct app *a, const struct key_event *ev);
unsigned pair_do(struct app *a, enum action act, uint32_t count, const char *arg);
unsigned pair_step(struct app *a, int64_t budget_ns, unsigned *flags);
bool pair_busy(const struct app *a);
unsigned pair_resize(struct app *a, int w, int h);
bool pair_interruptible(const struct app *a);
unsigned pair_interrupt(struct app *a);
bool pair_draw(struct app *a);
/* pair_below - the lower app; NULL: there is none. */
struct app *pair_below(const struct app *a);

/* pair_follows - which of them, or of one alone, follows a program; NULL: none. */
struct app *pair_follows(struct app *a);

/* Actions: the other one active; the next way to align them (start, time of day, what was last opened in
 * both). */
unsigned pair_other(struct app *a, int n);
unsigned pair_align(struct app *a, int n);

#endif
