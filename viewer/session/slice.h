/*
 * slice.h - write the range on the screen as a trace of its own (decode/write/cut.h).
 */
#ifndef GOTOP_VIEWER_SLICE_H
#define GOTOP_VIEWER_SLICE_H

#include "viewer/session/app.h"

/* slice_ask - ask for a file name. slice_write - write the selection, else the window, into that file. An
 * existing file is overwritten if it is named twice; the trace itself never is. Both return refresh flags. */
unsigned slice_ask(struct app *a);
unsigned slice_write(struct app *a, const char *name);

#endif
