/*
 * events.h - the events around a moment, in order: transitions of goroutines and processors, ranges, tasks,
 * regions, logs and samples.
 *
 * The trace is not walked. The processors' counts, O(P log spans) each, give the width of a window around
 * the moment that holds about as many events as requested. Each goroutine that lives in that window
 * (decode/model/alive.h) is then asked for its spans there, O(log spans) each. Ranges, tasks, regions, logs
 * and samples are examined one by one, except in blocks of 256 that do not reach the window.
 *
 * Events at the same time are ordered: ends of ranges, transitions of goroutines by lane, starts of ranges.
 */
#ifndef GOTOP_TRIAGE_EVENTS_H
#define GOTOP_TRIAGE_EVENTS_H

#include "decode/model/alive.h"
#include "decode/model/item.h"
#include "decode/trace.h"
#include "triage/query/filter.h"

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
    bool inferred;    /* the previous state was not recorded: this is the first observation of the state */
    uint32_t g, p;    /* lanes, NO_LANE: none */
    uint32_t who;     /* waker or creator */
    uint32_t reason;  /* string: reason, name, message */
    uint32_t stack;
};

struct events_win { /* [t0,t1) */
    int64_t t0, t1;
};
struct events {      /* a zeroed struct is empty */
    struct event *e; /* sorted by time */
    size_t n, cap;
    struct events_win win; /* all events in it are in e */
    bool cut;              /* one moment has so many events that some are missing */

    const struct trace *tr; /* the trace and filter (NULL: all goroutines) of the last call */
    const struct filter *only;
    struct events_block {
        int64_t first, last;
    } * reach[ITEM_ALL]; /* time range of each 256 items of a kind; NULL: unknown */
    size_t nreach[ITEM_ALL];
    bool reach_known;
    int64_t end;   /* the trace's end at the last call */
    int64_t tried; /* the moment and number of rows of the last call */
    size_t tried_rows;
    uint64_t version; /* version of the filter, 0: no filter */
    uint64_t walked;  /* number of spans examined */
};

/* events_around - reads at least `rows` events on both sides of t if there are that many. Keeps the
 * previous events while they suffice; returns true if they were replaced. alive belongs to the goroutines
 * of tr. */
bool events_around(struct events *l, const struct trace *tr, const struct filter *only, struct alive *alive,
                   int64_t t, size_t rows);
/* events_from - returns the index of the first event at or after t, or l->n if there is none. */
size_t events_from(const struct events *l, int64_t t);
/* events_on_p - returns whether a goroutine in that state runs on a processor or still holds one. */
bool events_on_p(uint8_t state);
void events_free(struct events *l);

#endif
