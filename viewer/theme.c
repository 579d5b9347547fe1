/*
 * theme.c - palettes: one row per style and palette, from data files.
 *
 * 256 colours are computed from the true ones; 16 are chosen by hand, since the nearest of 16 is rarely a good
 * one; 8 are those with brightness given up, or kept as bold.
 */
#include "viewer/theme.h"

#include <stdlib.h>
#include <string.h>

struct row {
    int32_t fg, bg;
    int8_t fg16, bg16;
    uint8_t attrs;
};

#define D INK_DEFAULT
#define BOLD INK_BOLD
#define DIM INK_DIM
#define REVERSE INK_REVERSE
#define UNDERLINE INK_UNDERLINE
#define P(s, f, b, f16, b16, a) [STYLE_##s] = {f, b, f16, b16, a},
static const struct row palettes[PALETTE_COUNT][STYLE_COUNT] = {
    [PALETTE_DARK] = {
#include "viewer/palette_dark.def"
    },
    [PALETTE_LIGHT] = {
#include "viewer/palette_light.def"
    },
    [PALETTE_BLIND] = {
#include "viewer/palette_blind.def"
    },
    [PALETTE_CONTRAST] = {
#include "viewer/palette_contrast.def"
    },
};
#undef P
#define M(s, a) [STYLE_##s] = a,
static const uint8_t mono[STYLE_COUNT] = {
#include "viewer/palette_mono.def"
};
#undef M
#undef D

static const char *const names[PALETTE_COUNT] = {"dark", "light", "colour-blind", "contrast"};

const char *palette_name(enum palette p)
{
    return p < PALETTE_COUNT ? names[p] : "?";
}

bool palette_parse(const char *name, enum palette *out)
{
    if (strcmp(name, "color-blind") == 0 || strcmp(name, "blind") == 0) name = names[PALETTE_BLIND];
    for (enum palette p = 0; p < PALETTE_COUNT; p++) {
        if (strcmp(names[p], name) == 0) {
            *out = p;
            return true;
        }
    }
    return false;
}

bool color_when_parse(const char *word, enum color_when *out)
{
    if (strcmp(word, "auto") == 0) *out = COLOR_AUTO;
    else if (strcmp(word, "never") == 0) *out = COLOR_NEVER;
    else if (strcmp(word, "always") == 0) *out = COLOR_ALWAYS;
    else return false;
    return true;
}

enum depth theme_depth(enum color_when when, int colors, bool rgb)
{
    const char *no = getenv("NO_COLOR");
    if (when == COLOR_NEVER || (when == COLOR_AUTO && no && *no)) return DEPTH_MONO;
    if (rgb) return DEPTH_TRUE;
    if (colors >= 256) return DEPTH_256;
    if (colors >= 16) return DEPTH_16;
    return colors >= 8 || when == COLOR_ALWAYS ? DEPTH_8 : DEPTH_MONO;
}

static int cube_step(int v) /* 0, 95, 135, 175, 215, 255 */
{
    return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

static int distance(int r, int g, int b, int r2, int g2, int b2)
{
    return (r - r2) * (r - r2) + (g - g2) * (g - g2) + (b - b2) * (b - b2);
}

int theme_256(uint32_t rgb)
{
    static const int level[6] = {0, 95, 135, 175, 215, 255};
    int r = (int)(rgb >> 16 & 255), g = (int)(rgb >> 8 & 255), b = (int)(rgb & 255);
    int cr = cube_step(r), cg = cube_step(g), cb = cube_step(b);
    int mean = (r + g + b) / 3, grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
    int gv = 8 + 10 * grey;
    bool cube = distance(r, g, b, level[cr], level[cg], level[cb]) <= distance(r, g, b, gv, gv, gv);
    return cube ? 16 + 36 * cr + 6 * cg + cb : 232 + grey;
}

static int32_t to_256(int32_t rgb)
{
    return rgb == INK_DEFAULT ? INK_DEFAULT : theme_256((uint32_t)rgb);
}

/* 8 colours: a bright foreground is bold; bright black would often be no colour at all, so it is dim instead. */
static struct ink ink_8(const struct row *r)
{
    struct ink k = {r->fg16, r->bg16, r->attrs};
    if (k.fg == 8) {
        k.fg = INK_DEFAULT;
        k.attrs |= INK_DIM;
    } else if (k.fg > 8) {
        k.fg -= 8;
        k.attrs |= INK_BOLD;
    }
    if (k.bg >= 8) k.bg -= 8;
    return k;
}

struct ink theme_ink(enum palette p, enum depth d, enum style s)
{
    if (p >= PALETTE_COUNT || s >= STYLE_COUNT) return (struct ink){INK_DEFAULT, INK_DEFAULT, 0};
    const struct row *r = &palettes[p][s];
    switch (d) {
    case DEPTH_TRUE: return (struct ink){r->fg, r->bg, r->attrs};
    case DEPTH_256: return (struct ink){to_256(r->fg), to_256(r->bg), r->attrs};
    case DEPTH_16: return (struct ink){r->fg16, r->bg16, r->attrs};
    case DEPTH_8: return ink_8(r);
    case DEPTH_MONO: break;
    }
    return (struct ink){INK_DEFAULT, INK_DEFAULT, mono[s]};
}
