/*
 * theme.h - how a style looks: from style, palette and colour depth to colours and attributes.
 *
 * The palettes are in keymaps/NAME.palette and palette_mono.def. term_open.c hands the result to curses.
 */
#ifndef GOTOP_VIEWER_THEME_H
#define GOTOP_VIEWER_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"
#include "layout/cells/cells.h"

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE };
enum palette {
    PALETTE_DARK,
    PALETTE_LIGHT,
    PALETTE_NEUTRAL, /* readable on both grounds: used until the terminal has reported its own */
    PALETTE_BLIND,
    PALETTE_BLIND_LIGHT,
    PALETTE_CONTRAST, /* brings its own ground */
    PALETTE_COUNT,
    PALETTE_USER = PALETTE_COUNT /* the one that palette_load() read from a file */
};
const char *palette_name(enum palette p); /* "dark", "light", "neutral", "colour-blind", .. , a file's name */
bool palette_parse(const char *name, enum palette *out); /* accepts "color-blind" and "blind", too */

enum ground { GROUND_UNKNOWN, GROUND_DARK, GROUND_LIGHT };
/* ground_of - the ground by a terminal's answer to OSC 11, without its frame ("11;rgb:ffff/fd00/e3"). Any
 * other text gives GROUND_UNKNOWN. */
enum ground ground_of(const char *answer);
/* palette_on - the palette for a ground that serves the same readers as p. */
enum palette palette_on(enum palette p, enum ground g);

/* Receives problems in a file of settings, a palette or a keymap. error: the line was not obeyed; else it is
 * a warning. line 0: the whole file. */
struct file_say {
    void (*fn)(void *arg, bool error, const char *file, int line, const char *what);
    void *arg;
};
void file_say(const struct file_say *say, bool error, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* file_read - places_read() that tells `say` what isn't trusted, and returns ERR_IO then. */
enum err_code file_read(int place, const char *path, char **text, size_t *len, const struct file_say *say);

/* palette_load - load a palette by name (the reader's own, then an installed one, then a built-in one) or
 * by the path of its file. ERR_IO: there is none. ERR_FORMAT: `say` was called for each mistake; good lines
 * count, the others are as in dark. */
enum err_code palette_load(const char *name, enum palette *out, const struct file_say *say);
/* palette_read - parse text as PALETTE_USER. `file` names it in messages. Returns the number of mistakes. */
int palette_read(const char *text, size_t len, const char *file, const struct file_say *say);
bool palette_loaded(void); /* there is a PALETTE_USER */

enum { INK_BOLD = 1, INK_DIM = 2, INK_REVERSE = 4, INK_UNDERLINE = 8 };
#define INK_DEFAULT (-1)

struct ink {
    int32_t fg, bg; /* by depth: 0xRRGGBB, 0 to 255, 0 to 15, 0 to 7; INK_DEFAULT: the terminal's own */
    unsigned attrs;
};
struct ink theme_ink(enum palette p, enum depth d, enum style s);
/* theme_256 - the nearest colour to 0xRRGGBB in the fixed part of the 256 (cube and greys). */
int theme_256(uint32_t rgb);

enum color_when { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS };
bool color_when_parse(const char *word, enum color_when *out);
/* theme_depth - the depth to use. colors: how many the terminal has (terminfo); rgb: it takes direct
 * colours. NO_COLOR, set and not empty, turns "auto" off; "always" means at least 8 colours. */
enum depth theme_depth(enum color_when when, int colors, bool rgb);

#endif
