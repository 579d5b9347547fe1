/*
 * events.h - what happened around a moment, as events in their order: transitions of goroutines and
 * processors, ranges, tasks, regions, logs and samples.
 *
 * Method and cost. No walk over the trace: the processors' counts, O(P log spans) each, tell how wide a
 * window around the moment holds about as many events as are asked for. Then every goroutine whose life
 * touches that window is asked for its spans there: decode/model/alive.h says whose, then O(log spans) for
 * each that lives there. Ranges, tasks, regions, logs and samples are looked at one by one, but for those
 * that lie among 256 which the window doesn't reach.
 *
 * Within one moment the order is: ranges that end, what goroutines do (in order of their lane), ranges that
 * begin.
 */
#ifndef GOTOP_TRIAGE_EVENTS_H
#define GOTOP_TRIAGE_EVENTS_H

#include "decode/model/alive.h"
#include "decode/trace.h"
#include "triage/activity/window.h"
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
    bool inferred;    /* what came before it was not recorded: the state was so when first seen */
    uint32_t g, p;    /* lanes, NO_LANE: none */
    uint32_t who;     /* waker or creator */
    uint32_t reason;  /* string: reason, name, message */
    uint32_t stack;
};

/* The arrays that tell of what happened besides the spans: ranges by their kind, and these. */
enum { EVENTS_TASKS = RANGE_KINDS, EVENTS_REGIONS, EVENTS_LOGS, EVENTS_SAMPLES, EVENTS_ARRAYS };

struct events {      /* a zeroed one has read nothing yet */
    struct event *e; /* by time */
    size_t n, cap;
    struct window win; /* all events in it are in e */
    bool cut;          /* so many events at one moment that not all are here */

    const struct trace *tr; /* of whom, and (NULL: of all) which goroutines: as last asked */
    const struct filter *only;
    struct events_block {
        int64_t first, last;
    } * reach[EVENTS_ARRAYS]; /* of each 256 entries; NULL: not known */
    size_t nreach[EVENTS_ARRAYS];
    bool reach_known;
    int64_t end;   /* of the trace then */
    int64_t tried; /* the moment and lines it was last read for */
    size_t tried_rows;
    uint64_t version; /* of the filter, 0 none */
    uint64_t walked;  /* spans looked at */
};

/*
 * events_around - at least `rows` events on both sides of t, if there are; what was read before is kept as
 * long as it holds these. true: they were read anew. alive: of the goroutines of tr.
 */
bool events_around(struct events *l, const struct trace *tr, const struct filter *only, struct alive *alive,
                   int64_t t, size_t rows);
/* events_from - the first event at or after t; l->n: there is none. */
size_t events_from(const struct events *l, int64_t t);
/* events_on_p - is a goroutine in that state on a processor, or does it still hold one? */
bool events_on_p(uint8_t state);
void events_free(struct events *l);

#endif
