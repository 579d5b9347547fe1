/*
 * spent.h - where the time of a task or region went, which processor delayed an STW pause, and which
 * processor is behind a band, in words and as places.
 */
#ifndef GOTOP_TRIAGE_SPENT_H
#define GOTOP_TRIAGE_SPENT_H

#include "triage/text.h"
#include "triage/triage.h"

/* spent_text - appends what the goroutine of a task or region (index in trace_tasks(), trace_regions())
 * spent its time on, largest first. Appends nothing if that is not recorded. Who else worked for a task, and
 * what kept them, is told by explain.h. */
void spent_text(struct text *t, const struct trace *tr, bool region, uint32_t index);
/* spent_stop - appends the processor that stopped last, what it ran, and how long it took to stop. Returns
 * false and appends nothing if the lanes do not show it. */
bool spent_stop(struct text *t, const struct trace *tr, const struct range *stw);
/* spent_band - finds the processor that spent most time in the band's state in [t0,t1), and its longest
 * span there. Returns false if there is none or no processor state belongs to the band. */
bool spent_band(const struct trace *tr, enum band b, int64_t t0, int64_t t1, uint32_t *p, int64_t *at);

#endif
