/*
 * slice.h - the range on the screen as a trace of its own (decode/write/cut.h).
 */
#ifndef GOTOP_VIEWER_SLICE_H
#define GOTOP_VIEWER_SLICE_H

#include "viewer/session/app.h"

/* slice_ask - ask for the file's name. slice_write - write it: what is selected, else the window. A file
 * that is there is written over if its name is given twice; the trace itself never is. */
unsigned slice_ask(struct app *a);
unsigned slice_write(struct app *a, const char *name);

#endif
