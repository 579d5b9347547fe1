/*
 * door.h - the only way for messages to reach a terminal.
 *
 * Messages quote what others wrote: names of files, options, lines of keymaps. None of that may move a
 * cursor or change the text direction: what utf8_hidden() names, bytes that are not UTF-8, and, where the
 * terminal isn't known to take UTF-8, all that isn't ASCII become '?'. Only door.c writes to stderr with a
 * format (.ci/layers).
 */
#ifndef GOTOP_DECODE_DOOR_H
#define GOTOP_DECODE_DOOR_H

#include <stdbool.h>
#include <stdio.h>

/* door_utf8 - Allow UTF-8 in messages from now on. Before that they are ASCII. */
void door_utf8(bool takes);
/* door_printf - Print one line; a line feed stands only at its end. Cut off at 8 KB. */
void door_printf(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* door_status - Print a line on standard error that the next one overwrites, and a message replaces.
 * door_wipe - Remove it, if there is one. */
void door_status(const char *line);
void door_wipe(void);

#endif
