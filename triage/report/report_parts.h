/*
 * report_parts.h - the parts of `report --json` that have a file of their own.
 */
#ifndef GOTOP_TRIAGE_REPORT_PARTS_H
#define GOTOP_TRIAGE_REPORT_PARTS_H

#include "triage/json.h"
#include "triage/report/report.h"

#define TOP 100 /* rows of a table */

/* out_works - what the program does again and again. out_verdict - the typed fields of a finding
 * (report_verdicts.c). */
void out_works(json_t *root, const struct loaded *l);
void out_verdict(json_t *r, const struct trace *tr, const struct verdict *v);
/* out_waitfor - who waits for whom (report_waitfor.c). */
void out_waitfor(json_t *root, const struct loaded *l);
/* out_instances - what was done many times (report_instances.c). */
void out_instances(json_t *root, const struct loaded *l);

#endif
