/*
 * allocs_text.h - who allocates, in words that say how much of which evidence there is
 * (triage/tables/allocs.h).
 */
#ifndef GOTOP_TRIAGE_ALLOCS_TEXT_H
#define GOTOP_TRIAGE_ALLOCS_TEXT_H

#include "triage/tables/allocs.h"
#include "triage/text.h"

/*
 * allocs_text - " Of 22 collections that an allocation began, 19 began in main.load, 3 in main.parse.
 * main.load had 91.2% of the time in mark assists, ..": of the two that allocate most; nothing where there
 * is no evidence.
 */
void allocs_text(struct text *t, const struct trace *tr, const struct allocs *a);

#endif
