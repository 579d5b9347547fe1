/*
 * allocs_text.h - which functions allocate, as sentences that name the amount and kind of evidence
 * (triage/tables/allocs.h).
 */
#ifndef GOTOP_TRIAGE_ALLOCS_TEXT_H
#define GOTOP_TRIAGE_ALLOCS_TEXT_H

#include "triage/tables/allocs.h"
#include "triage/text.h"

/* allocs_text - Appends " Of 22 collections that an allocation began, 19 began in main.load, 3 in
 * main.parse. main.load had 91.2% of the time in mark assists, ..", for the two functions that allocate
 * most. Appends nothing without evidence. */
void allocs_text(struct text *t, const struct trace *tr, const struct allocs *a);

#endif
