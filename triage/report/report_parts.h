/*
 * report_parts.h - the parts of `report --json` that have their own file.
 */
#ifndef GOTOP_TRIAGE_REPORT_PARTS_H
#define GOTOP_TRIAGE_REPORT_PARTS_H

#include "triage/json.h"
#include "triage/report/report.h"

/* out_works - adds the units of work the program repeats. out_verdict - adds the typed fields of a finding
 * (report_verdicts.c). */
void out_works(json_t *root, const struct loaded *l);
void out_verdict(json_t *r, const struct trace *tr, const struct verdict *v);

#endif
