/*
 * legend.h - what glyphs and colours mean, shown in these glyphs and colours: for the first page of help,
 * and in one line at the foot of a large screen. It uses the tables that lanes are drawn by, so it can't
 * disagree with them.
 */
#ifndef GOTOP_LAYOUT_LEGEND_H
#define GOTOP_LAYOUT_LEGEND_H

#include "layout/cells/glyphs.h"
#include "layout/cells/rich.h"

/* legend_all - a paragraph for each kind of row. mono: as drawn without colours. */
void legend_all(enum tier t, bool mono, struct rich *out);
/* legend_page - the same for the first page: marks, bars, curves. */
void legend_page(enum tier t, struct rich *out);
/* legend_line - the states of processors' or goroutines' lanes, in one paragraph. */
void legend_line(enum tier t, bool mono, bool goroutines, struct rich *out);

#endif
