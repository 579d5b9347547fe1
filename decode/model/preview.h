/*
 * preview.h - shows the beginning of a large first-family trace while the whole file is looked at.
 *
 * The beginning is in a model of its own and agrees with the finished trace: same lanes, same times. When the
 * reader has events, the trace is decoded from its start.
 */
#ifndef GOTOP_DECODE_PREVIEW_H
#define GOTOP_DECODE_PREVIEW_H

#include "decode/model/trace_priv.h"

/*
 * preview - call before the reader starts, which then adds to the same names. Puts the beginning into the
 * model, and its status into *st. false: the model holds nothing, because the beginning is not known or the
 * trace is small.
 */
bool preview(struct trace *tr, struct source_status *st);
/* preview_over - the reader has events: empty the model again. */
void preview_over(struct trace *tr);

#endif
