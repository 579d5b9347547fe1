/*
 * rules.h - what the files with the rules share: each rule looks at the tables and drafts findings.
 */
#ifndef GOTOP_TRIAGE_RULES_H
#define GOTOP_TRIAGE_RULES_H

#include "triage/tables/chain.h"
#include "triage/findings/findings.h"
#include "triage/sentence.h"

struct rules {
    const struct triage *tg;
    const struct trace *tr;
    struct findings *out;
    size_t cap;
    bool failed;
};

struct draft { /* a finding being written */
    struct finding f;
    struct text amount, text, next;
};

void draft_start(struct draft *d, enum rule r, int64_t severity_ns);
/* draft_subject - names what it is about in f.key, from a string of the trace. */
void draft_subject(struct draft *d, const struct rules *rs, uint32_t str);
/* draft_about - the same, and the stack that shows it; 0: none. */
void draft_about(struct draft *d, const struct rules *rs, uint32_t str, uint32_t stack);
/* draft_at - where to look: what `e` shows. draft_moment - at one of a goroutine's. */
void draft_moment(struct draft *d, const struct moment *m);
void draft_at(struct draft *d, int64_t t0, int64_t t1, enum lane_kind k, uint32_t lane);
/* draft_end - hands the finding over; what it costs is at most the trace. */
void draft_end(struct rules *rs, struct draft *d);
/* draft_titled - the same, under other words than the rule's title: where that says more than this finding does. */
void draft_titled(struct rules *rs, struct draft *d, const char *title);

/* findings_leave_out - the i-th is not told after all. */
void findings_leave_out(struct findings *fs, uint32_t i);

int64_t rules_procs(const struct rules *rs); /* GOMAXPROCS on average, at least 1 */

void rules_gc(struct rules *rs);     /* rules_gc.c */
void rules_sched(struct rules *rs);  /* rules_sched.c */
void rules_locks(struct rules *rs);  /* rules_locks.c */
void rules_leaks(struct rules *rs);  /* rules_leaks.c: leaks, churn, workers, tasks */
void rules_causes(struct rules *rs); /* causes.c: those of causes.h */

#endif
