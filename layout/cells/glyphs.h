/*
 * glyphs.h - which glyph shows what, in three tiers of fonts.
 *
 * Each glyph is a row of a table with an entry for each tier, so none can be forgotten.
 */
#ifndef GOTOP_LAYOUT_GLYPHS_H
#define GOTOP_LAYOUT_GLYPHS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/trace.h"
#include "layout/cells/cells.h"

enum tier { TIER_ASCII, TIER_BLOCK, TIER_EIGHTH, TIER_COUNT };
const char *tier_name(enum tier t); /* "ascii", "block", "eighth" */
bool tier_parse(const char *name, enum tier *out);

bool glyph_dots(enum tier t); /* two dots mark a cut, since its fonts have no ellipsis */

/* glyph_level - a height for part/whole: blank only when part is 0, full only when it is (nearly) the
 * whole. */
uint32_t glyph_level(enum tier t, int64_t part, int64_t whole);
/* glyph_height - a plot's cell, filled from below to level 0 to 8. */
uint32_t glyph_height(enum tier t, int level);
/* glyph_left - a cell filled from the left by n eighths, 1 to 7; tiers without it use their nearest. */
uint32_t glyph_left(enum tier t, int n);
/* glyph_state - a goroutine's or thread's state in a cell that it fills or dominates. */
uint32_t glyph_state(enum tier t, enum state s);
/* glyph_busy - a processor's cell in a state other than user code, for ASCII and mono: a letter. */
uint32_t glyph_busy(enum state s, bool most);

enum mark {
    MARK_TICK,
    MARK_STW,
    MARK_STW_FULL,
    MARK_TRACE,
    MARK_CURSOR,
    MARK_HIT,
    MARK_GOAL,
    MARK_MORE_UP,
    MARK_MORE_DOWN,
    MARK_H,
    MARK_V,
    MARK_TL,
    MARK_TR,
    MARK_BL,
    MARK_BR,
    MARK_SAMPLE,
    MARK_COUNT
};
uint32_t glyph_mark(enum tier t, enum mark m);

/* glyph_bar - n of `most` as a bar of at most w columns, to an eighth of one; more than 0 has at least an
 * eighth. */
void glyph_bar(struct grid *g, enum tier t, int x, int y, int w, uint64_t n, uint64_t most, enum style s);

#endif
