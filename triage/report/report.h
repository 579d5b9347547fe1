/*
 * report.h - the commands of triage that print a page: `gotop report`, `gotop diff`, `gotop explain`. Their
 * --help tells the exit status.
 */
#ifndef GOTOP_TRIAGE_REPORT_H
#define GOTOP_TRIAGE_REPORT_H

#include "triage/tables/metrics.h"

int report_main(int argc, char **argv);
/* report_page - the page of the traces on the viewer's command line, where it has no terminal. */
struct options;
int report_page(struct options *o);
int diff_main(int argc, char **argv);
int explain_main(int argc, char **argv);

/* diff_two - adds what `gotop diff` says of two loaded traces. It changes neither. */
enum err_code diff_two(const struct loaded *old, const struct loaded *new, struct text *t, struct err *e);

/* report_rules - prints the rules and their thresholds, for --rules without a file. */
int report_rules(const char *command);
/* report_text - adds one page about one trace. t->ascii says how to write names that are not ASCII. */
void report_text(struct text *t, const struct loaded *l);

/* The conditions of --assert. */
enum { ASSERTS_MOST = 64 };
struct asserts {
    struct asserted {
        const char *said; /* as typed; borrowed */
        struct condition cond;
        /* of the trace: */
        struct metric_value v; /* known: the trace has the metric; if not, the condition does not hold */
        bool held;
    } v[ASSERTS_MOST];
    uint32_t n, evaluated; /* evaluated: so many of them, on this trace */
};
/* report_json - returns works, findings and what they rest on as one JSON object (docs/REPORT.md), which the
 * caller frees with mem_free(); NULL when out of memory. a: the results of conditions; NULL: none were given.
 * */
char *report_json(const struct loaded *l, const struct asserts *a);

#define REPORT_SCHEMA "gotop.report/3"
enum { REPORT_WIDTH = 100 }; /* characters: no line of a page is longer */

#endif
