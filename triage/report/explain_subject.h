/*
 * explain_subject.h - the subjects of `gotop explain` as intervals of goroutines: g123, g123@1.2s..1.3s,
 * task:NAME, region:NAME, group:FUNCTION, slowest:task:NAME.
 *
 * The caller calls asked_free(), also after a failure.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_SUBJECT_H
#define GOTOP_TRIAGE_EXPLAIN_SUBJECT_H

#include "triage/findings/explain.h"
#include "triage/text.h"

struct asked {
    struct workpiece *v;       /* longest first */
    size_t n, cap, all;        /* all: the total count */
    struct text title, others; /* error text: the name does not exist, and which names do */
    struct text moment;        /* of g17@1.25s: describes the span at that moment */
    bool failed;
};
/* explain_subject_of - Parse a subject into *q, which must be zeroed. On failure returns false, and *why
 * has the reason or q->failed is set (out of memory). */
bool explain_subject_of(struct asked *q, const struct trace *tr, const char *s, const char **why);
void asked_free(struct asked *q);

#endif
