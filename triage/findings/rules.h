/*
 * rules.h - what the files with the rules share: each rule looks at the tables and drafts findings.
 *
 * A new rule is a row of rules.def (its id, title and help), rows of thresholds.def (its numbers), a row of steps.def (when it speaks), rows
 * of under.def (which others tell the same trouble), and a function in a file of its own, which is given what causes.h says:
 *
 *     draft_start(&d, RULE_X, cost_ns);          findings are ranked by what they cost of the clock; d.f.note: nothing is lost
 *     draft_about(&d, c->rs, place, stack);      what it is about, and the stack that shows it
 *     draft_moment(&d, &p->longest);             where `e` leads
 *     text_say(&d.text, c->tr, t_place(stack, 3), " waits for ..");      (sentence.h)
 *     text_lit(&d.next, "What to do about it.");
 *     draft_end(c->rs, &d);                      retell.h: what is told already is told otherwise
 *
 * What several rules ask: waits by place (waits_at.h), what an explanation comes to (leaves.h), work done many times (works.h), who asks
 * whom over the network (asks.h), how lives are spent (causes.h). A rule that only looks at the tables is called by findings.c itself.
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
void rules_leaks(struct rules *rs);  /* rules_leaks.c: leaks, workers, tasks */
void rules_churn(struct rules *rs);  /* rules_churn.c */
void rules_causes(struct rules *rs); /* causes.c: those of causes.h */

#endif
