/*
 * door.h - the one door through which messages reach a terminal.
 *
 * What we say quotes what others wrote: names of files, options, lines of keymaps. Behind this door nothing
 * of it can move a cursor or turn a direction: what utf8_hidden() names, bytes that are no UTF-8, and, where
 * the terminal isn't known to take UTF-8, all that isn't ASCII become '?'. No file but door.c writes to
 * stderr with a format (.ci/layers).
 */
#ifndef GOTOP_DECODE_DOOR_H
#define GOTOP_DECODE_DOOR_H

#include <stdbool.h>
#include <stdio.h>

/* door_utf8 - messages may hold UTF-8 from now on. Before that they are ASCII. */
void door_utf8(bool takes);
/* door_printf - one line: a line feed stands only at its end. Beyond 8 KB it is cut. */
void door_printf(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* door_status - on standard error a line that the next one overwrites; door_progress - "WHAT  12%"; door_wipe
 * - away with it. */
void door_status(const char *line);
void door_progress(const char *what, double share);
void door_wipe(void);

#endif
