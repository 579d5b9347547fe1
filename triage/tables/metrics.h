/*
 * metrics.h - single numbers of a trace by name, and conditions on them: for --assert, --until, --fail-if.
 *
 * A metric is a name ("gc.share"), or a statistic of a set of durations: "p99(sched)" or "sched.p99".
 * Statistics are count, total, min, avg, sd, p50, p90, p95, p99, p99.9, max. Sets are
 *
 *   sched, stw, stw.gc       waits for a processor; stops of the world; those for GC
 *   task, region, task:NAME, region:NAME
 *   request, request:NAME    what is done for one question over a connection (work.h), by handler or start
 *                            function
 *   piece:NAME               one piece of the works of that name: a type of task, a handler, a start function
 *   exec:FUNC, wait:FUNC, syscall:FUNC, assist:FUNC, life:FUNC, sched:FUNC
 *                            over the goroutines started at FUNC
 *   blocked:REASON           waits for a reason (count, total, max)
 *
 * and "mmu(1ms)" is the minimum mutator utilisation of a window.
 */
#ifndef GOTOP_TRIAGE_METRICS_H
#define GOTOP_TRIAGE_METRICS_H

#include "triage/load.h"
#include "triage/text.h"

struct metric_value {
    enum unit unit;
    bool known; /* false: the trace does not have it */
    double v;   /* a share is 0..1 */
};

/* metric_get - computes the value of a metric. Returns ERR_ARG if there is no such metric. */
enum err_code metric_get(const struct loaded *l, const char *name, struct metric_value *out, struct err *e);
void metric_text(struct text *t,
                 const struct metric_value *v); /* with its unit; "-" if the trace does not have it */
/* metric_number - returns the name of the i-th number that every trace has, without names of the program's;
 * NULL after the last. */
const char *metric_number(size_t i);
/* metric_list - returns the i-th plain name and its meaning, for help and tests; NULL after the last. */
const char *metric_list(size_t i, const char **help);

struct condition {
    char metric[128];
    char op[3]; /* "<" "<=" ">" ">=" "==" "!=" */
    double v;
    enum unit unit; /* unit of v */
    bool relative;  /* v is a change ("+20%", "-5ms"); only in a diff */
    bool percent;   /* relative: v is a share of the old value */
};
/* condition_parse - parses "p99(sched)<200us"; with `change` also "p99(sched)>+20%". The metric must exist,
 * and the value have its unit or be 0. */
enum err_code condition_parse(const char *s, bool change, struct condition *c, struct err *e);
/* condition_holds - whether the condition is true for v, in c->unit's base unit. The caller first turns a
 * change into a value. */
bool condition_holds(const struct condition *c, double v);

#endif
