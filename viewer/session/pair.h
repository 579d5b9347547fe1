/*
 * pair.h - two traces on one screen, one above the other: two apps that look like one. Keys go to the active
 * one. The other shows the same view, the same range of time, and the same lane where it has one. Keys in
 * tables go to both.
 *
 * The caller (interactive.c, headless.c, tests) knows only the upper app: app_key() and the others ask
 * pair_host() whether to work for both.
 */
#ifndef GOTOP_VIEWER_PAIR_H
#define GOTOP_VIEWER_PAIR_H

#include "viewer/session/app.h"

/* pair_begin - show b below a. Both stay their makers', who free them after pair_end(). Returns false: out
 * of memory. */
bool pair_begin(struct app *a, struct app *b);
/* pair_unlink - neither moves with the other, until pair_align(). */
void pair_unlink(struct app *a);
void pair_end(struct app *a);

/* pair_host - a call for this app is meant for both, so app.c calls the functions below. */
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

/* pair_follows - the one that follows a running program, of two or of one alone; NULL: none. */
struct app *pair_follows(struct app *a);

/* The actions: make the other one active; align them another way (by start, by time of day). */
unsigned pair_other(struct app *a, int n);
unsigned pair_align(struct app *a, int n);

#endif
