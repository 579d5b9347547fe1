/*
 * theme.h - what a style looks like: style, palette and colour depth in, colours and attributes out.
 *
 * Pure tables (viewer/palette_*.def): the terminal's part is in term.c.
 */
#ifndef GOTOP_VIEWER_THEME_H
#define GOTOP_VIEWER_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/cells.h"

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE };
enum palette { PALETTE_DARK, PALETTE_LIGHT, PALETTE_BLIND, PALETTE_CONTRAST, PALETTE_COUNT };
const char *palette_name(enum palette p); /* "dark", "light", "colour-blind", "contrast" */
bool palette_parse(const char *name, enum palette *out); /* "color-blind" and "blind" are understood, too */

enum { INK_BOLD = 1, INK_DIM = 2, INK_REVERSE = 4, INK_UNDERLINE = 8 };
#define INK_DEFAULT (-1)

struct ink {
    int32_t fg, bg; /* as the depth says: 0xRRGGBB, 0..255, 0..15, 0..7; INK_DEFAULT = the terminal's own */
    unsigned attrs;
};
struct ink theme_ink(enum palette p, enum depth d, enum style s);
/* theme_256 - the colour of the fixed part of the 256 (cube and greys) that comes nearest to 0xRRGGBB. */
int theme_256(uint32_t rgb);

enum color_when { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS };
bool color_when_parse(const char *word, enum color_when *out);
/*
 * theme_depth - which depth to use. colors: how many the terminal has (terminfo), rgb: it takes them directly.
 * NO_COLOR (set and not empty) turns "auto" off; "always" means at least 8 colours.
 */
enum depth theme_depth(enum color_when when, int colors, bool rgb);

#endif
