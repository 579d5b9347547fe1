/*
 * report_parts.h - what the files of `gotop report` share: the conditions of --assert, the parts of its JSON.
 */
#ifndef GOTOP_TRIAGE_REPORT_PARTS_H
#define GOTOP_TRIAGE_REPORT_PARTS_H

#include "triage/json.h"
#include "triage/report/report.h"
#include "triage/tables/metrics.h"

enum { ASSERTS_MOST = 64 };
struct asserts {
    struct asserted {
        const char *said; /* as typed; borrowed */
        struct condition cond;
        /* of the trace: */
        struct metric_value v; /* known: the trace has the metric; if not, the condition does not hold */
        bool held;
    } v[ASSERTS_MOST];
    uint32_t n, told; /* told: so many were evaluated on this trace */
};

/* out_works - adds the units of work the program repeats. out_verdict - adds the typed fields of a finding
 * (report_verdicts.c). */
void out_works(json_t *root, const struct loaded *l);
void out_verdict(json_t *r, const struct trace *tr, const struct verdict *v);

#endif
