/*
 * help.h - the bindings of a keymap as text: the help screen, the footer, docs/KEYS.md. Nothing is written by
 * hand.
 */
#ifndef GOTOP_VIEWER_HELP_H
#define GOTOP_VIEWER_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "layout/cells/rich.h"
#include "layout/move/view.h"
#include "viewer/keys/keymap.h"

struct help { /* lines for a pop-up; all memory is owned by it */
    char *text;
    const char **lines;
    size_t n;
    struct rich legend; /* above them */
};
/*
 * help_make - what the glyphs mean, the keys that mean something of their own in the view shown, and all keys
 * by group of actions. *h may be zeroed. false: out of memory.
 */
bool help_make(struct help *h, const struct keymap *km, const struct view *v, enum keyview view);
void help_free(struct help *h);

/*
 * help_footer - the main keys in one line, most wanted first, of those that do something in the view as it
 * is; or, while a chord is under way, what it can become. out is NUL-terminated.
 */
void help_footer(const struct keymap *km, const struct keystate *st, const struct view *v, enum keyview view,
                 char *out, size_t size);

/* help_key - the easiest way to type an action in a view, "" if there is none; returns out. */
const char *help_key(const struct keymap *km, enum keyview view, enum action a, char *out, size_t size);

/* help_actions - all actions, a line each: name, help. */
void help_actions(FILE *f);
/* help_markdown - docs/KEYS.md from the built-in maps. false: out of memory or a map is broken. */
bool help_markdown(FILE *f);

#endif
