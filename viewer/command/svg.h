/*
 * svg.h - a screen as a picture, for a ticket or a page: a grid in a palette's colours.
 */
#ifndef GOTOP_VIEWER_SVG_H
#define GOTOP_VIEWER_SVG_H

#include <stdio.h>

#include "layout/cells/cells.h"
#include "viewer/term/theme.h"

/* svg_print - print the grid as one SVG image, 8 x 17 units a cell. Bars, shades and lines are shapes, so
 * they need no font. */
void svg_print(const struct grid *g, enum palette p, FILE *out);

#endif
