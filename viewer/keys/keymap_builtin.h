/*
 * keymap_builtin.h - the key maps and palettes of keymaps/ and a page of docs/, embedded when building by
 * keymaps/embed.sh.
 *
 * The table ends with a row of null pointers. Text is that of the file, byte for byte.
 */
#ifndef GOTOP_VIEWER_KEYMAP_BUILTIN_H
#define GOTOP_VIEWER_KEYMAP_BUILTIN_H

struct builtin_keymap {
    const char *name; /* the file's name without its suffix: "default" */
    const char *text;
};
extern const struct builtin_keymap builtin_keymaps[], builtin_palettes[];
extern const struct builtin_keymap builtin_pages[]; /* docs/AGENTS.md */

#endif
