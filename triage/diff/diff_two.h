/*
 * diff_two.h - `gotop diff` of two loaded traces, as text.
 */
#ifndef GOTOP_TRIAGE_DIFF_TWO_H
#define GOTOP_TRIAGE_DIFF_TWO_H

#include "triage/load.h"
#include "triage/text.h"

/* diff_two - adds the verdict and the tables to t. Does not change either trace. */
enum err_code diff_two(const struct loaded *old, const struct loaded *new, struct text *t, struct err *e);

#endif
