/*
 * explain_parts.h - what `gotop explain` takes. A subject is intervals of goroutines: g123, g123@1.2s..1.3s,
 * task:NAME, region:NAME, group:FUNCTION, slowest:task:NAME. An id is what other commands print: a verdict
 * ("lock-convoy", or with its subject), a stack ("stack:42"), a moment of a goroutine ("g17@1.25s").
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_PARTS_H
#define GOTOP_TRIAGE_EXPLAIN_PARTS_H

#include "triage/findings/explain.h"
#include "triage/load.h"
#include "triage/text.h"

struct asked {
    struct workpiece *v;       /* longest first */
    size_t n, cap, all;        /* all: the total count */
    struct text title, others; /* error text: the name does not exist, and which names do */
    struct text moment;        /* of g17@1.25s: describes the span at that moment */
    bool failed;
};
/* explain_subject_of - Parse a subject into *q, which must be zeroed. On failure returns false, and *why
 * has the reason or q->failed is set (out of memory). asked_free - also after a failure. */
bool explain_subject_of(struct asked *q, const struct trace *tr, const char *s, const char **why);
void asked_free(struct asked *q);

/* explain_needs_tables - True if the id is of a verdict or a stack; explain_id() explains it. */
bool explain_needs_tables(const char *id);
/* explain_id - Explain an id. Returns false and sets *why if the trace does not have it. */
bool explain_id(struct text *t, const struct loaded *l, const char *id, const char **why);

#endif
