/*
 * patience.h - a line on the terminal while something slow happens before the screen opens (a pipe,
 * unpacking), and a key that ends the waiting.
 */
#ifndef GOTOP_VIEWER_PATIENCE_H
#define GOTOP_VIEWER_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>

enum { PATIENCE_TYPED = 64 };

struct patience;
/* patience_begin - after a third of a second, show "gotop: WHAT (3s, q leaves)" on standard error, if that
 * is a terminal, and count. `what` is borrowed until patience_end(). When q is pressed the terminal is
 * restored and leave() is called in another thread. If leave is NULL or no terminal gives keys, the line
 * says "Ctrl-C leaves" and no key is read. Returns NULL when there will be no line; patience_end() accepts
 * that. */
struct patience *patience_begin(const char *what, void (*leave)(void));
/* patience_end - wipe the line away and restore the terminal. Returns true if q was pressed and leave()
 * called. typed (PATIENCE_TYPED bytes) gets what else was typed. */
bool patience_end(struct patience *p, char *typed);

#endif
