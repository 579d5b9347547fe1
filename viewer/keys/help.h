/*
 * help.h - a keymap's bindings as text: the help screen, the footer, docs/KEYS.md. All of it is generated.
 */
#ifndef GOTOP_VIEWER_HELP_H
#define GOTOP_VIEWER_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "layout/cells/rich.h"
#include "layout/move/view.h"
#include "viewer/keys/keymap.h"

/* help_make - the text of a pop-up: what glyphs mean, the keys of the view shown, and all keys by group.
 * Returns false when out of memory. */
bool help_make(struct rich *out, const struct keymap *km, const struct view *v, enum keyview view);

/* help_footer - the main keys that do something now, in one line, most wanted first; while a chord is under
 * way, how it can continue. out gets a NUL. */
void help_footer(const struct keymap *km, const struct keystate *st, const struct view *v, enum keyview view,
                 char *out, size_t size);

/* help_actions - print all actions, a line each: name, help. */
void help_actions(FILE *f);

#endif
