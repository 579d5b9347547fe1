/*
 * asserts.h - what became of the conditions of --assert on one trace, for people, for JSON, and for what runs
 * tests: JUnit's XML and GitHub's annotations.
 */
#ifndef GOTOP_TRIAGE_ASSERTS_H
#define GOTOP_TRIAGE_ASSERTS_H

#include "triage/load.h"
#include "triage/tables/metrics.h"
#include "triage/text.h"

enum { ASSERTS_MOST = 64 };
struct assert_on {
    const char *said; /* as typed; borrowed */
    struct condition cond;
};
struct asserted {
    const struct assert_on *on;
    struct metric_value v; /* known: false: the trace has no such thing; then it isn't held */
    bool held;
};
struct asserts {
    const char *path; /* of the trace */
    struct asserted v[ASSERTS_MOST];
    uint32_t n;
    bool partial; /* it is of a part of the trace */
};

/* asserts_of - all of them asked. false: one makes no sense for this trace, *which says which, *e why. */
bool asserts_of(struct asserts *a, const struct loaded *l, const struct assert_on *on, uint32_t n,
                uint32_t *which, struct err *e);
uint32_t asserts_broken(const struct asserts *a);
/* asserts_text - a line each: "held   stw.max<1ms: 137us  trace.out". */
void asserts_text(struct text *t, const struct asserts *a);
/* asserts_junit - one <testsuite>: of all traces between asserts_junit_begin() and _end(), whose counts it
 * needs. */
void asserts_junit_begin(struct text *t, uint32_t tests, uint32_t failures);
void asserts_junit(struct text *t, const struct asserts *a);
void asserts_junit_end(struct text *t);
/* asserts_github - a line for each that is broken: "::error title=..::..". */
void asserts_github(struct text *t, const struct asserts *a);

#endif
