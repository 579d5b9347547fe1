/*
 * odd.h - which traces of many are unlike the others, by the report's metrics.
 *
 * For each metric the median of all traces, and how far from it half of them and four in five lie, say what
 * is usual: a few odd traces don't change it, and what one in five has is not odd. Times, bytes and counts
 * are compared by factors, shares by their difference; what grows with a trace's length, by second. A trace
 * that is ODD_FAR usual distances away is odd in that metric.
 */
#ifndef GOTOP_TRIAGE_ODD_H
#define GOTOP_TRIAGE_ODD_H

#include "triage/load.h"
#include "triage/text.h"

enum { ODD_LEAST = 5 }; /* traces; of fewer none is odd */
#define ODD_FAR 5.0

struct odd;
struct odd *odd_new(void); /* NULL: no memory. odd_free: NULL is allowed */
void odd_free(struct odd *o);
/* odd_add - one more trace; its path is copied. false: no memory. */
bool odd_add(struct odd *o, const struct loaded *l);
size_t odd_count(const struct odd *o); /* how many were added */
/*
 * odd_text - the odd ones, the oddest first, at most `limit` of them (0: all), a line for each metric that
 * makes it odd; tsv: apart by tabs, numbers in their base units, no heads. Returns how many are odd; -1: no
 * memory.
 */
int64_t odd_text(struct odd *o, uint64_t limit, bool tsv, struct text *t);

#endif
