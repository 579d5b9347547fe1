/*
 * evlog.h - events as text, around the cursor: transitions of goroutines and processors, ranges, tasks,
 * regions, logs and samples (view 9, and below the lanes in a split).
 *
 * Method and cost. No walk over the trace: first the processors' counts, O(P log spans) each, tell how wide a
 * window around the cursor holds about as many events as fill a few screens. Then every goroutine whose life
 * touches that window is asked for its spans there: decode/model/alive.h says whose, then O(log spans) for
 * each that lives there. The result is kept until the cursor leaves its middle: stepping costs nothing.
 * Ranges, tasks, regions, logs and samples are looked at one by one, but for those that lie among 256 which
 * the window doesn't reach.
 */
#ifndef GOTOP_LAYOUT_EVLOG_H
#define GOTOP_LAYOUT_EVLOG_H

#include "layout/cells/rich.h"
#include "layout/move/view.h"

enum event_kind {
    EV_STATE,
    EV_PROC,
    EV_RANGE_BEGIN,
    EV_RANGE_END,
    EV_TASK_BEGIN,
    EV_TASK_END,
    EV_REGION_BEGIN,
    EV_REGION_END,
    EV_LOG,
    EV_SAMPLE
};

struct event {
    int64_t t;
    uint8_t kind;     /* enum event_kind */
    uint8_t from, to; /* EV_STATE, EV_PROC: enum state; ranges: to is enum range_kind */
    bool inferred;    /* what came before it was not recorded: the state was so when first seen */
    uint32_t g, p;    /* lanes, NO_LANE: none */
    uint32_t who;     /* waker or creator */
    uint32_t reason;  /* string: reason, name, message */
    uint32_t stack;
};

/* The arrays that tell of what happened besides the spans: ranges by their kind, and these. */
enum { EVLOG_TASKS = RANGE_KINDS, EVLOG_REGIONS, EVLOG_LOGS, EVLOG_SAMPLES, EVLOG_ARRAYS };

struct evlog {
    struct moments {
        int64_t first, last;
    } * reach[EVLOG_ARRAYS]; /* of each 256 entries; NULL: not known */
    bool reach_known;
    struct event *e; /* by time */
    size_t n, cap;
    size_t cur;        /* the event the cursor stands on, or the last before it; n when there is none */
    struct window win; /* all events in it are in e */
    struct window all; /* what there was to read from: the trace */
    int64_t tried;     /* the moment and lines it was last made for */
    size_t tried_rows;
    uint64_t filter; /* version of the filter, 0 none */
    uint64_t walked; /* spans looked at for it */
    bool cut;        /* so many events at one moment that not all are here */
    bool oom;
};

void evlog_free(struct evlog *l);
/* evlog_move - the cursor by n events: time and goroutine follow. */
unsigned evlog_move(struct view *v, int n);
/* evlog_draw - lines [y, y + rows) of the grid, the cursor's event about in the middle. */
void evlog_draw(struct grid *g, struct view *v, int y, int rows);
uint32_t evlog_goroutine(const struct view *v); /* of the event under the cursor; NO_LANE: none */
void evlog_status(const struct view *v, int w, struct rich *out);
/* evlog_line - event i as one line of safe text (for yank and tests), names in at most name_w columns. */
void evlog_line(const struct view *v, size_t i, int name_w, char *out, size_t size);

#endif
