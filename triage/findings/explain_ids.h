/*
 * explain_ids.h - what `gotop explain` says of an id that other commands print: of a verdict ("lock-convoy",
 * or with its subject), a stack ("stack:42"), a moment of a goroutine ("g17@1.25s").
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_IDS_H
#define GOTOP_TRIAGE_EXPLAIN_IDS_H

#include "triage/load.h"
#include "triage/text.h"

/* explain_needs_tables - is it the id of a verdict or a stack? Then explain_id() says what it is. */
bool explain_needs_tables(const char *id);
/* explain_id - false: this trace has no such thing, *why says so. */
bool explain_id(struct text *t, const struct loaded *l, const char *id, const char **why);
/* explain_moment - the span of goroutine g at t, into *s, and in words: what it is, what was before, what
 * ended it. false: g has none there. */
bool explain_moment(struct text *t, const struct trace *tr, uint32_t g, int64_t at, struct span *s);

#endif
