/*
 * patience.h - a line on the terminal while something slow happens before the screen opens (a pipe,
 * unpacking).
 */
#ifndef GOTOP_VIEWER_PATIENCE_H
#define GOTOP_VIEWER_PATIENCE_H

struct patience;
/* patience_begin - after a third of a second, show "gotop: WHAT (3s, Ctrl-C leaves)" on standard error, if
 * that is a terminal, and count. `what` is borrowed until patience_end(), which wipes the line away. Returns
 * NULL when there will be no line; patience_end() accepts that. */
struct patience *patience_begin(const char *what);
void patience_end(struct patience *p);

#endif
