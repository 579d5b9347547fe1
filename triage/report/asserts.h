/*
 * asserts.h - the results of the --assert conditions on one trace: for people and as JSON.
 */
#ifndef GOTOP_TRIAGE_ASSERTS_H
#define GOTOP_TRIAGE_ASSERTS_H

#include "triage/load.h"
#include "triage/tables/metrics.h"
#include "triage/text.h"

enum { ASSERTS_MOST = 64 };
struct asserted {
    const char *said; /* as typed; borrowed */
    struct condition cond;
    /* of the trace: */
    struct metric_value v; /* known: the trace has the metric; if not, the condition does not hold */
    bool held;
};
struct asserts {
    const char *path; /* of the trace */
    struct asserted v[ASSERTS_MOST];
    uint32_t n, told; /* told: so many were evaluated on this trace */
    bool partial;     /* only part of the trace was read */
};

/* asserts_of - evaluates all conditions on a trace. Returns false if the last one told makes no sense for it;
 * *e says why. */
bool asserts_of(struct asserts *a, const struct loaded *l, struct err *e);
bool asserts_broken(const struct asserts *a); /* at least one does not hold */
/* asserts_text - adds a line for each: "held   stw.max<1ms: 137us  trace.out". */
void asserts_text(struct text *t, const struct asserts *a);

#endif
