/*
 * bound.h - `--bytes N`, of any command: standard output ends with the last whole line that fits into N
 * bytes, and standard error says how much is left out. JSON that doesn't fit isn't printed at all: a part of
 * it would be none.
 */
#ifndef GOTOP_VIEWER_BOUND_H
#define GOTOP_VIEWER_BOUND_H

#include <stdbool.h>

/* bound_take - take "--bytes N" out of the options. false: N is no size, said. */
bool bound_take(int *argc, char **argv);
/* bound_begin - from here on what is printed is bounded; call it inside the sandbox. Without the option it
 * does nothing. bound_end - print what fits, say what is left out; returns the exit status. */
void bound_begin(bool printed);
int bound_end(int status);

#endif
