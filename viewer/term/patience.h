/*
 * patience.h - a line on the terminal while something takes long before the screen is ours: reading a pipe,
 * unpacking.
 */
#ifndef GOTOP_VIEWER_PATIENCE_H
#define GOTOP_VIEWER_PATIENCE_H

struct patience;
/*
 * patience_begin - after a third of a second "gotop: WHAT (3s, Ctrl-C leaves)" stands on standard error and
 * counts; only if that is a terminal. what must outlive it. NULL: no line will come; patience_end() takes that as
 * well.
 */
struct patience *patience_begin(const char *what);
/* patience_end - the line is wiped away. */
void patience_end(struct patience *p);

#endif
