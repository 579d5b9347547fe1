/*
 * report.h - the commands of triage: `gotop report` and `gotop diff`.
 *
 * argv[0] is the command's name. They print to standard output and error and return the exit status: 0 all
 * well, 1 a condition broken, 2 a file could not be read or the command line makes no sense, 3 a trace is
 * there in part only.
 */
#ifndef GOTOP_TRIAGE_REPORT_H
#define GOTOP_TRIAGE_REPORT_H

#include "triage/load.h"
#include "triage/text.h"

/* The commands; they return the exit status (docs/REPORT.md). */
int report_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int explain_main(int argc, char **argv); /* gotop explain: explain_main.c */

/* report_rules - prints the rules and their numbers, for --rules without a file. */
int report_rules(const char *command);
/* report_text - one page about one trace. t->ascii decides how names that are not ASCII look. */
void report_text(struct text *t, const struct loaded *l);
/* report_json - the same and more as one JSON object (docs/REPORT.md); mem_free() it; NULL when out of
 * memory. */
char *report_json(const struct loaded *l);
/* report_json_with - with what became of conditions (asserts.h); NULL: none. */
struct asserts;
char *report_json_with(const struct loaded *l, const struct asserts *a);
/* report_status - 0 or 3. */
int report_status(const struct loaded *l);

/* Of the page (report_text.c): words in lines of report_columns() from column `indent`, at most `lines` of
 * them (u is freed); a duration right-aligned; count and quantiles; what was done many times
 * (report_instances.c). */
void report_wrapped(struct text *t, struct text *u, int indent, int lines);
void report_cell(struct text *t, int64_t ns, size_t most);
void report_dist(struct text *t, const struct dist *d);
void report_instances(struct text *t, const struct loaded *l);
void report_waitfor(struct text *t, const struct loaded *l); /* report_waitfor.c */

#define REPORT_SCHEMA "gotop.report/2"
enum {
    REPORT_WIDTH = 100,
    REPORT_NARROW = 72
}; /* characters in a line: at most, and at least where a terminal has fewer columns */
/* report_fit - pages that are made from now on are for a terminal of so many columns; 0: for any.
 * report_columns - at most so many characters. report_room - what has so many of them in a line of
 * REPORT_WIDTH, less what this one lacks. */
void report_fit(size_t columns);
size_t report_columns(void);
size_t report_room(size_t n);

#endif
