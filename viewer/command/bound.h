/*
 * bound.h - `--bytes N`, for any command. Standard output ends with the last whole line that fits into N
 * bytes, and standard error says how much is left out. JSON that does not fit is not printed, since a part
 * of it is not JSON.
 */
#ifndef GOTOP_VIEWER_BOUND_H
#define GOTOP_VIEWER_BOUND_H

#include <stdbool.h>

/* bound_take - the option's value. Returns false after an error was printed: it is no size. bound_json - the
 * output is JSON. */
bool bound_take(const char *size);
void bound_json(void);
/* bound_begin - bound what is printed from now on; call it inside the sandbox. Without the option it does
 * nothing. bound_end - print what fits and report what is left out; returns the exit status. */
void bound_begin(bool printed);
int bound_end(int status);

#endif
