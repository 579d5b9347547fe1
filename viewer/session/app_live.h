/*
 * app_live.h - a program that is running, on the screen: the window goes with its end until the reader moves.
 */
#ifndef GOTOP_VIEWER_APP_LIVE_H
#define GOTOP_VIEWER_APP_LIVE_H

#include "viewer/session/app.h"

/* app_live_begin - from now on show what `f` holds; before any key, after app_init() on its trace. */
void app_live_begin(struct app *a, struct follow *f, const char *where);
/* app_live - read, decode and show more, for about budget_ns. Returns refresh flags; *busy: call again at
 * once. */
unsigned app_live(struct app *a, int64_t budget_ns, bool *busy);
/* app_live_acted - what was done since the reader stood at `from` has moved: the picture stands still now. */
void app_live_acted(struct app *a, enum action act, const struct place *from);
/* app_live_follow - to the end, and on with it. */
unsigned app_live_follow(struct app *a);
/* app_live_reconnect - after the end: connect once more. app_live_waits - may there
 * be more to see without a key? */
unsigned app_live_reconnect(struct app *a);
bool app_live_waits(const struct app *a);
/* app_live_end - before the app is left: the program is let go, and its trace given back. */
void app_live_end(struct app *a);
/* app_live_pause - the process is about to be stopped: the program must not wait for us meanwhile, so it is
 * let go. */
void app_live_pause(struct app *a);

#endif
