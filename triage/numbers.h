/*
 * numbers.h - the numbers of a trace in words, a line a subject: collector, stops, utilisation, processors,
 * waits for them, heap. The report and the pop-up of view 1 print them. And who delayed a stop.
 */
#ifndef GOTOP_TRIAGE_NUMBERS_H
#define GOTOP_TRIAGE_NUMBERS_H

#include "triage/text.h"
#include "triage/triage.h"

enum { NUMBERS = 6 };
struct number {
    const char *name; /* "GC", "STW" .. */
    /* say - appends the line behind the name; nothing if the trace has no such number */
    void (*say)(struct text *t, const struct triage *tg);
};
extern const struct number numbers[NUMBERS];

/* stop_text - appends the processor that stopped last in a stop-the-world, what it ran, and how long it took
 * to stop; or, where the lanes show none, that there was none. */
void stop_text(struct text *t, const struct trace *tr, const struct range *stw);

#endif
