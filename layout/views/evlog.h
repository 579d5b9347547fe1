/*
 * evlog.h - events as text around the cursor (view 9, and the split below the lanes).
 * triage/activity/events.h reads them; it reads more when the cursor leaves those it has, so stepping is
 * cheap.
 */
#ifndef GOTOP_LAYOUT_EVLOG_H
#define GOTOP_LAYOUT_EVLOG_H

#include "layout/cells/rich.h"
#include "layout/move/view.h"
#include "triage/activity/events.h"

struct evlog {
    struct events of;
    size_t cur; /* the event at the cursor, or the last one before it; of.n if there is none */
};

void evlog_free(struct evlog *l);
/* evlog_draw - draws lines [y, y + rows) of the grid, with the cursor's event near the middle. Returns the
 * first event that is drawn. */
size_t evlog_draw(struct grid *g, struct view *v, int y, int rows);
uint32_t evlog_goroutine(const struct view *v); /* goroutine of the event under the cursor; NO_LANE: none */
/* evlog_line - event i as one line of safe text (for yank and tests), names in at most name_w columns. */
void evlog_line(const struct view *v, size_t i, int name_w, char *out, size_t size);

/* The part below the lanes: the event log, or the stacks of the span under the cursor.
 * split_draw - draws rows [y, y + n); the first is a heading. */
void split_draw(struct grid *g, struct view *v, int y, int n);
/* split_idle - opens a pop-up with the goroutines that were runnable while the processor under the cursor
 * was idle. */
unsigned split_idle(struct view *v);

#endif
