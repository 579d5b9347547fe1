/*
 * say.h - prints the text and the error messages of the commands that print a text (report, diff, explain).
 */
#ifndef GOTOP_TRIAGE_SAY_H
#define GOTOP_TRIAGE_SAY_H

#include "triage/text.h"

/* say_failed - prints "gotop COMMAND: WHAT: WHY" to standard error, cleaned (command NULL: of gotop
 * itself). Returns 2, the exit status. what: a path or an option; a URL without its password
 * (feed_shown()). */
int say_failed(const char *command, const char *what, const char *why);
/* say_out - writes the text to standard output at once. Returns false if it was not written whole; *e says
 * why, ERR_OK if the reader closed the pipe. */
bool say_out(const struct text *t, struct err *e);
/* say_answer - writes the text to the file, NULL: to standard output, and frees it. Returns 0, or 2 after an
 * error message; a closed pipe is no failure. If it is no JSON, but a page, long lines continue below their
 * last column on a narrower terminal. say_list - the same of a list, to standard output as it is. */
int say_answer(const char *command, bool json, const char *path, struct text *t);
int say_list(const char *command, struct text *t);
/* say_columns - sets the width of the terminal; until then it is 0, any. say_width - that width if it is less
 * than `most`, else `most`. */
void say_columns(size_t columns);
size_t say_width(size_t most);
/* say_fitted - adds the text with no line longer than `width`; a longer one continues below its last column.
 * say_help - the same within the terminal, and within 110 columns on a wider one. */
void say_fitted(struct text *out, const char *text, size_t width);
void say_help(struct text *out, const char *text);

#endif
