/*
 * odd.h - finds the traces that differ from the others of a set, by the report's metrics.
 *
 * For each metric, the median of all traces and the distances within which half of them and four in five
 * lie define what is usual: a few odd traces don't change it, and a value that one trace in five has is not
 * odd. Times, bytes and counts are compared by factor, shares by difference; a metric that grows with the
 * length of the trace, per second. A trace at least ODD_FAR usual distances away is odd in that metric.
 */
#ifndef GOTOP_TRIAGE_ODD_H
#define GOTOP_TRIAGE_ODD_H

#include "triage/load.h"
#include "triage/text.h"

enum { ODD_LEAST = 5 }; /* number of traces; in a smaller set none is odd */
#define ODD_FAR 5.0

struct odd;
struct odd *odd_new(void); /* odd_new returns NULL when out of memory; odd_free allows NULL */
void odd_free(struct odd *o);
/* odd_add - adds one trace and copies its path. Returns false when out of memory. */
bool odd_add(struct odd *o, const struct loaded *l);
size_t odd_count(const struct odd *o); /* number of traces added */
/* odd_text - lists the odd traces, the oddest first, at most `limit` (0: all), with a line for each metric
 * in which they are odd. tsv: separated by tabs, in base units, without headings. Returns the number of odd
 * traces; -1 when out of memory. */
int64_t odd_text(struct odd *o, uint64_t limit, bool tsv, struct text *t);

#endif
