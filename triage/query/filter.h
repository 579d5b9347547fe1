/*
 * filter.h - a line of text that says which goroutines and which of their spans matter.
 *
 * Terms stand apart by blanks; all of them must hold for one and the same span (a goroutine shows when it has
 * such a span). A leading '-' negates a term. Values with blanks stand in double quotes.
 *
 *     conn).serve  ~^net/http     function: its start function, or one in the span's own stack; ~ regular
 *                  expression
 *     g123  p2                    that goroutine; running on that processor
 *     state=waiting  state=gc     running, runnable, waiting, syscall, gc (mark worker or assist), assist,
 *                    unknown
 *     reason=sync                 a part of the reason (or of a GC worker's label)
 *     dur>1ms  dur<=20us          how long the span is
 *     gc                          overlaps a GC cycle
 *     wokenby:NAME                wake-ups that NAME did (NAME: function or g123)
 *     task:NAME  region:NAME      within a user task or region of that name, on its goroutine
 *     is:system                   goroutines of the runtime itself
 *
 * Which goroutines show is found out in steps with a budget; a filter never walks what exact sums can
 * exclude.
 */
#ifndef GOTOP_TRIAGE_FILTER_H
#define GOTOP_TRIAGE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"

struct filter;

/* filter_new - parses text. Returns NULL if the text is wrong or if out of memory; why[] then says so. tr
 * must outlive it. */
enum { FILTER_WHY = 160 };
struct filter *filter_new(const struct trace *tr, const char *text, char why[FILTER_WHY]);
void filter_free(struct filter *f);
/* filter_step - decides about more goroutines for about budget_ns. Returns true when all are decided.
 * Follows a growing trace. */
bool filter_step(struct filter *f, int64_t budget_ns);
struct filter_known {
    int share;        /* progress in per cent */
    uint64_t count;   /* goroutines that show so far */
    uint64_t version; /* increases whenever the results of filter_shows() may have changed */
};
struct filter_known filter_known(const struct filter *f);
/* filter_hint - returns a suggestion ("; ..") if nothing passes, or "". */
void filter_hint(const struct filter *f, char *out, size_t size);
/* filter_shows - returns whether this goroutine has a matching span; false if undecided. */
bool filter_shows(const struct filter *f, uint32_t g);
/* filter_next - returns the first goroutine at or after g that shows, or NO_LANE. */
uint32_t filter_next(const struct filter *f, uint32_t g);
/* filter_span - returns whether this span of goroutine lane g matches. O(terms), and a few O(log) searches
 * with gc, task or region. */
bool filter_span(const struct filter *f, uint32_t g, const struct span *s);
/* filter_whole - returns whether the terms concern whole goroutines only: every span of one that shows
 * matches. */
bool filter_whole(const struct filter *f);
/* filter_wide - returns the minimum duration of a matching span (dur>), 0 if any can match. */
int64_t filter_wide(const struct filter *f);

/* What users call states. states_named - returns a bit for each enum state that a word names, as on screen or
 * in Go's own tools; ignores case. 0: none. */
uint32_t states_named(const char *word);

#endif
