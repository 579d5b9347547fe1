/*
 * diff_two.h - `gotop diff` of two traces that are loaded already, as text.
 */
#ifndef GOTOP_TRIAGE_DIFF_TWO_H
#define GOTOP_TRIAGE_DIFF_TWO_H

#include "triage/load.h"
#include "triage/text.h"

/* diff_two - the verdict and the tables, added to t. Both keep what they hold. */
enum err_code diff_two(const struct loaded *old, const struct loaded *new, struct text *t, struct err *e);

#endif
