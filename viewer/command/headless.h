/*
 * headless.h - the program driven by a script instead of a terminal.
 */
#ifndef GOTOP_VIEWER_HEADLESS_H
#define GOTOP_VIEWER_HEADLESS_H

#include <stdbool.h>
#include <stdio.h>

#include "viewer/session/app.h"

/* The screen as text, a line per row without trailing blanks; that and a second grid, a letter per style;
 * or a picture (svg.h). */
enum headless_as { HEADLESS_TEXT, HEADLESS_STYLES, HEADLESS_SVG };
/*
 * headless_run - run a key script, then print the screen. Words are separated by blanks:
 *
 *     zoom-in w C-x Enter   an action's name or a key's
 *     12 /main :1.5s        typed character by character: a count, a prompt with its text
 *     "main.foo bar"        typed text; within a prompt any other word is typed as well
 *     @print                print the screen as it is now
 *     @size=100x30          the terminal changed its size
 *
 * The trace is loaded whole before the first key, and every search runs to its end, so output depends on the
 * trace and the script alone. A script that quits prints nothing more. false: a word makes no sense (one line
 * went to errors) or memory ran out.
 */
bool headless_run(struct app *a, const char *keys, enum headless_as as, FILE *out, FILE *errors);
/* headless_linear - for screen readers and logs. Instead of a screen it prints a line of text about the
 * place, at the start and after every key or action (for a prompt: when it is accepted). An open pop-up is
 * one line, too. keys as above. If keys is NULL, words are read from `in`: a line is obeyed when it is
 * complete, an empty line prints the place again, and a wrong word is reported in `out` and skipped. */
bool headless_linear(struct app *a, const char *keys, FILE *in, FILE *out, FILE *errors);
/* headless_print - print the screen as it is now. */
bool headless_print(struct app *a, enum headless_as as, FILE *out);

#endif
