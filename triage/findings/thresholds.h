/*
 * thresholds.h - the numbers that decide when a rule speaks, and a user's own in place of them.
 *
 * They hold for the whole process: a command reads its --rules FILE before it looks at a trace. The file is
 * text, a line each, '#' begins a remark:
 *
 *     stw-long.longest = 5ms          a time: ns us ms s
 *     procs-below.busy = 95%          a share: with %, or of 1
 *     heap-growth.grown = 64MB        bytes: B KB MB GB (1024)
 *     one-goroutine.queue = 2         a count
 *     slow-task = off                 the rule is not asked at all
 */
#ifndef GOTOP_TRIAGE_THRESHOLDS_H
#define GOTOP_TRIAGE_THRESHOLDS_H

#include "triage/findings/findings.h"

enum threshold {
#define X(ID, rule, name, value, unit, meaning) TH_##ID,
#include "triage/findings/thresholds.def"
#undef X
    TH_COUNT
};

double threshold(enum threshold t);     /* in the unit's base: ns, of 1, bytes, count */
int64_t threshold_ns(enum threshold t); /* of a time */
bool rule_is_off(enum rule r);
/* threshold_reached - True if `part` is at least the share t of `whole`. */
bool threshold_reached(enum threshold t, int64_t part, int64_t whole);

/* thresholds_read - Read the numbers from a file. On failure nothing changes, and *e has the file's line,
 * its text and what was expected. thresholds_parse - The same for text; `name` is used as the file name. What
 * stands in neither is as shipped. */
enum err_code thresholds_read(const char *path, struct err *e);
enum err_code thresholds_parse(const char *name, const char *text, size_t n, struct err *e);

struct text;
/* rules_text - Append each rule with its help and its current numbers: the output of --rules. */
void rules_text(struct text *t);

#endif
