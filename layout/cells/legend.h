/*
 * legend.h - what the glyphs and colours mean, in these glyphs and colours: for the first page of help, and
 * in one line for the foot of a large screen. Made of the tables that lanes are drawn by, so it can't say
 * anything else.
 */
#ifndef GOTOP_LAYOUT_LEGEND_H
#define GOTOP_LAYOUT_LEGEND_H

#include "layout/cells/glyphs.h"
#include "layout/cells/rich.h"

/* legend_all - a paragraph for each kind of row. mono: as drawn without colours. */
void legend_all(enum tier t, bool mono, struct rich *out);
/* legend_page - the same of the first page: marks, bars, curves. */
void legend_page(enum tier t, struct rich *out);
/* legend_line - the states of processors' lanes (or goroutines') in one paragraph. */
void legend_line(enum tier t, bool mono, bool goroutines, struct rich *out);

#endif
