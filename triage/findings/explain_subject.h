/*
 * explain_subject.h - what `gotop explain` is asked for: g123, g123@1.2s..1.3s, task:NAME, region:NAME,
 * group:FUNCTION, slowest:task:NAME, as stretches of goroutines.
 *
 * Owner: asked_free(), whatever came of it.
 */
#ifndef GOTOP_TRIAGE_EXPLAIN_SUBJECT_H
#define GOTOP_TRIAGE_EXPLAIN_SUBJECT_H

#include "triage/findings/explain.h"
#include "triage/text.h"

struct asked {
    struct workpiece *v;       /* longest first */
    size_t n, cap, all;        /* all: how many there are */
    struct text title, others; /* others: that there is no such name, and which there are */
    struct text moment;        /* of g17@1.25s: what the span there is */
    bool failed;
};
/* explain_subject_of - into *q, which is all zero. false: *why says what is wrong with it, or q->failed: out
 * of memory. */
bool explain_subject_of(struct asked *q, const struct trace *tr, const char *s, const char **why);
void asked_free(struct asked *q);

#endif
