/*
 * say.h - what the commands that print a text (report, diff, explain) say where something fails, and where
 * their text goes.
 */
#ifndef GOTOP_TRIAGE_SAY_H
#define GOTOP_TRIAGE_SAY_H

#include "triage/text.h"

/* say_failed - "gotop COMMAND: WHAT: WHY" to standard error, cleaned (command NULL: of gotop itself); 2, the
 * exit status. what: a path, an option; of a URL without its password (feed_shown()). */
int say_failed(const char *command, const char *what, const char *why);
/* say_out - the text to standard output, at once. false: it was not taken whole, *e says why; ERR_OK: its
 * reader had enough. */
bool say_out(const struct text *t, struct err *e);
/* say_text - the text to the file, NULL: to standard output. 0; or 2, said. A pipe whose reader had enough is
 * no failure. */
int say_text(const char *command, const char *path, const struct text *t);
/* say_list - a text to standard output, which is freed: a list, usage. 0; or 2, said, if it is not whole. */
int say_list(const char *command, struct text *t);
/* say_columns - how long a terminal's lines are; 0 (until it is called): usage stands as it is written. */
void say_columns(size_t columns);
size_t say_width(void); /* what it was told */
/* say_page - say_text() of a page whose longer lines go on below their last column, where a terminal's are
 * shorter. */
int say_page(const char *command, const char *path, const struct text *t);
void say_broken(struct text *out, const char *text);
/* say_fitted - the text with no line longer than that: what is broken goes on where a line's last column of
 * words begins, and takes the next line along if that goes on there, too. */
void say_fitted(struct text *out, const char *text);

#endif
