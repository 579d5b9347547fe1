/*
 * app_live.h - a running program on the screen. The window moves with the end of the trace until the reader
 * moves; then it stays, and `F` follows again. follow.h has the trace, app.h the state (struct app_live).
 */
#ifndef GOTOP_VIEWER_APP_LIVE_H
#define GOTOP_VIEWER_APP_LIVE_H

#include "viewer/session/app.h"

/* app_live_begin - show f from now on. Call it after app_init() with f's trace, before any key. f and
 * `where` are borrowed; f is closed after app_free(). */
void app_live_begin(struct app *a, struct follow *f, const char *where);
/* app_live - receive, decode and show more, for about budget_ns. Returns refresh flags. *busy: call again at
 * once. */
unsigned app_live(struct app *a, int64_t budget_ns, bool *busy);
/* app_live_waits - more may come without a key. */
bool app_live_waits(const struct app *a);

/* app_live_acted - an action is done, and the reader stood at `from` before it: if it moved, the window
 * stays. */
void app_live_acted(struct app *a, enum action act, const struct place *from);
/* The actions: go to the end and follow again; connect once more after the end. */
unsigned app_live_follow(struct app *a);
unsigned app_live_reconnect(struct app *a);
/* app_live_pause - gotop is about to be suspended, and the program must not wait for it: let it go. */
void app_live_pause(struct app *a);

#endif
