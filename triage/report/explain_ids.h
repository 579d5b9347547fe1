/*
 * explain_ids.h - explanations of ids that other commands print: a verdict ("lock-convoy", or with its
 * subject), a stack ("stack:42"), a moment of a goroutine ("g17@1.25s").
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_IDS_H
#define GOTOP_TRIAGE_EXPLAIN_IDS_H

#include "triage/load.h"
#include "triage/text.h"

/* explain_needs_tables - True if the id is of a verdict or a stack; explain_id() explains it. */
bool explain_needs_tables(const char *id);
/* explain_id - Explain an id. Returns false and sets *why if the trace does not have it. */
bool explain_id(struct text *t, const struct loaded *l, const char *id, const char **why);
/* explain_moment - Store the span of goroutine g at t in *s and describe it: what it is, what came before,
 * what ended it. Returns false if g has no span there. */
bool explain_moment(struct text *t, const struct trace *tr, uint32_t g, int64_t at, struct span *s);

#endif
