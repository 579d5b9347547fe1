/*
 * glance.h - what is shown of a large trace of the first family while all of it is looked at: its beginning, in a model of its own.
 *
 * It is true of the finished trace: the same lanes, the same times. Once the reader has events, the trace is decoded from its start.
 */
#ifndef GOTOP_DECODE_GLANCE_H
#define GOTOP_DECODE_GLANCE_H

#include "decode/model/trace_priv.h"

/*
 * glance - before the reader starts, which then goes on with the same names: the model holds the beginning, and st is as of its end.
 * false: it holds nothing; the beginning is not known, or the trace is small enough to wait for.
 */
bool glance(struct trace *tr, struct source_status *st);
/* glance_over - the reader has events: the model holds nothing again. */
void glance_over(struct trace *tr);

#endif
