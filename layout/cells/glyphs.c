/*
 * glyphs.c - the tables of glyphs.h. No glyph is wider than one column or rarer than its tier says.
 *
 * ASCII uses no letter twice, and no letter in its ramp. So a plain screen tells user code (the ramp) from
 * GC workers, assists, sweeping and system calls (letters).
 */
#include "layout/cells/glyphs.h"
#include "decode/base/wide.h"
#include <string.h>

#include "layout/cells/cells.h"

static const char *const tiers[TIER_COUNT] = {"ascii", "block", "eighth"};

/* Heights are 0 to 8, and 0 to 8 eighths from the left. */
static const uint32_t heights[TIER_COUNT][9] = {
    [TIER_ASCII] = {' ', '.', ':', '-', '=', '+', '*', '%', '@'},
    [TIER_BLOCK] = {' ', 0x2584, 0x2584, 0x2584, 0x2584, 0x2584, 0x2588, 0x2588, 0x2588},
    [TIER_EIGHTH] = {' ', 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588},
};
static const uint32_t lefts[TIER_COUNT][9] = {
    [TIER_ASCII] = {' ', '.', ':', '-', '=', '+', '*', '%', '@'},
    [TIER_BLOCK] = {' ', 0x258C, 0x258C, 0x258C, 0x258C, 0x258C, 0x258C, 0x2588, 0x2588},
    [TIER_EIGHTH] = {' ', 0x258F, 0x258E, 0x258D, 0x258C, 0x258B, 0x258A, 0x2589, 0x2588},
};

/* A goroutine's states. Runnable is latency and must catch the eye; waiting must not. Kinds of work share
 * the full block where colour tells them apart; mono and ASCII screens use the letters of glyph_busy(). */
static const uint32_t plain[ST_COUNT] = {
    [ST_NONE] = ' ',    [ST_IDLE] = ' ',  [ST_SCHED] = '`',   [ST_RUNNING] = '#',  [ST_GCWORK] = 'G',
    [ST_ASSIST] = 'A',  [ST_SWEEP] = 'W', [ST_SYSCALL] = '~', [ST_RUNNABLE] = 'r', [ST_WAITING] = '-',
    [ST_UNKNOWN] = '?', [ST_GC] = '#',    [ST_STW] = '!',
};
static const uint32_t drawn[ST_COUNT] = {
    [ST_NONE] = ' ',        [ST_IDLE] = ' ',       [ST_SCHED] = 0xB7,   [ST_RUNNING] = 0x2588,
    [ST_GCWORK] = 0x2588,   [ST_ASSIST] = 0x2588,  [ST_SWEEP] = 0x2588, [ST_SYSCALL] = 0x2584,
    [ST_RUNNABLE] = 0x2592, [ST_WAITING] = 0x2500, [ST_UNKNOWN] = '?',  [ST_GC] = 0x2588,
    [ST_STW] = 0x2588,
};

/* The fonts of a bare console have only the blocks and shades of old PCs, so `block` uses nothing else. */
enum { FONT_ASCII, FONT_PC, FONT_FULL, FONTS };
static const uint32_t marks[MARK_COUNT][FONTS] = {
    [MARK_TICK] = {'|', 0x2502, 0x2502},      [MARK_STW] = {'!', '!', 0x2579},
    [MARK_STW_FULL] = {'!', 0x2588, 0x2588},  [MARK_TRACE] = {'_', '_', 0x2581},
    [MARK_CURSOR] = {'v', 0x25BC, 0x25BC},    [MARK_HIT] = {'*', '*', 0x25C6},
    [MARK_GOAL] = {'"', '"', 0x2594},         [MARK_MORE_UP] = {'^', 0x25B2, 0x25B2},
    [MARK_MORE_DOWN] = {'v', 0x25BC, 0x25BC}, [MARK_H] = {'-', 0x2500, 0x2500},
    [MARK_V] = {'|', 0x2502, 0x2502},         [MARK_TL] = {'+', 0x250C, 0x250C},
    [MARK_TR] = {'+', 0x2510, 0x2510},        [MARK_BL] = {'+', 0x2514, 0x2514},
    [MARK_BR] = {'+', 0x2518, 0x2518},        [MARK_SAMPLE] = {'\'', '\'', 0x2575},
};

const char *tier_name(enum tier t)
{
    return (unsigned)t < TIER_COUNT ? tiers[t] : "?";
}

bool tier_parse(const char *name, enum tier *out)
{
    const uint32_t i = find_first(k, TIER_COUNT, !strcmp(name, tiers[k]));
    if (i < TIER_COUNT)
        *out = (enum tier)i;
    return i < TIER_COUNT;
}

bool glyph_dots(enum tier t)
{
    return t <= TIER_BLOCK;
}

uint32_t glyph_level(enum tier t, int64_t part, int64_t whole)
{
    if (part <= 0)
        return ' ';
    if (whole <= 0 || part >= whole)
        return heights[t][8];
    int level = ((int)wide_muldiv((uint64_t)part, 16, (uint64_t)whole) + 1) / 2; /* rounded to eighths */
    return heights[t][level < 1 ? 1 : level];
}

uint32_t glyph_height(enum tier t, int level)
{
    return heights[t][level < 0 ? 0 : level > 8 ? 8 : level];
}

uint32_t glyph_left(enum tier t, int n)
{
    return lefts[t][n < 0 ? 0 : n > 8 ? 8 : n];
}

uint32_t glyph_state(enum tier t, enum state s)
{
    /* This is a base line on which all else stands; it is higher where MARK_TRACE looks like that. */
    if (s == ST_WAITING && t > TIER_BLOCK)
        return '_';
    return (unsigned)s >= ST_COUNT ? '?' : t == TIER_ASCII ? plain[s] : drawn[s];
}

uint32_t glyph_busy(enum state s, bool most)
{
    switch (s) {
    case ST_GCWORK: return most ? 'G' : 'g';
    case ST_ASSIST: return most ? 'A' : 'a';
    case ST_SWEEP: return most ? 'W' : 'w';
    case ST_SYSCALL: return most ? 'S' : 's';
    default: return '?';
    }
}

uint32_t glyph_mark(enum tier t, enum mark m)
{
    return marks[m][t == TIER_ASCII ? FONT_ASCII : t == TIER_BLOCK ? FONT_PC : FONT_FULL];
}

void glyph_bar(struct grid *g, enum tier t, int x, int y, int w, uint64_t n, uint64_t most, enum style s)
{
    int eighths = most ? (int)wide_muldiv(n, (unsigned)w * 8, most) : 0;
    if (n && !eighths)
        eighths = 1;
    for (int i = 0; i < w && eighths > 0; i++, eighths -= 8)
        grid_put(g, x + i, y, glyph_left(t, eighths > 8 ? 8 : eighths), s);
}
