/*
 * patience.h - a line on the terminal while something takes long before the screen is ours, a pipe or
 * unpacking, and the key that ends the waiting.
 */
#ifndef GOTOP_VIEWER_PATIENCE_H
#define GOTOP_VIEWER_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>

enum { PATIENCE_TYPED = 64 };

struct patience;
/*
 * patience_begin - after a third of a second "gotop: WHAT (3s, q leaves)" stands on standard error and
 * counts; only if that is a terminal. what must outlive it. leave: called, in another thread, when q is
 * pressed; the terminal is as it was by then. NULL, or no terminal to read keys from: "Ctrl-C leaves", and no
 * key is read. NULL is returned: no line will come; patience_end() takes that as well.
 */
struct patience *patience_begin(const char *what, void (*leave)(void));
/*
 * patience_end - the line is wiped away, the terminal as it was. true: q was pressed, and leave() called.
 * typed (of PATIENCE_TYPED bytes): what else was.
 */
bool patience_end(struct patience *p, char *typed);

#endif
