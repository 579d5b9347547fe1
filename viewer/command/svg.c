/*
 * svg.c - see svg.h.
 *
 * A picture has three layers: grounds, bars, text. A grid holds no control characters, so only the three
 * characters that XML reserves need escaping.
 */
#include "viewer/command/svg.h"

#include <inttypes.h>

enum { CELL_W = 8, CELL_H = 17, BASE = 13 };

struct svg {
    const struct grid *g;
    enum palette palette;
    FILE *out;
    uint32_t ground, letter; /* the colours of a style that leaves them to the terminal */
};

struct look {
    uint32_t fg, bg;
    unsigned attrs;
};

static struct look svg_look(const struct svg *s, const struct cell *c)
{
    const struct ink k = theme_ink(s->palette, DEPTH_TRUE, (enum style)c->style);
    struct look l = {k.fg == INK_DEFAULT ? s->letter : (uint32_t)k.fg,
                     k.bg == INK_DEFAULT ? s->ground : (uint32_t)k.bg, k.attrs};
    if (!(k.attrs & INK_REVERSE) != !(c->flags & CELL_REVERSE))
        l = (struct look){l.bg, l.fg, k.attrs};
    l.attrs |= (c->flags & CELL_BOLD ? INK_BOLD : 0u) | (c->flags & CELL_UNDERLINE ? INK_UNDERLINE : 0u);
    return l;
}

static void svg_rect(const struct svg *s, double x, double y, double w, double h, uint32_t color,
                     double opacity)
{
    fprintf(s->out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06" PRIx32 "\"", x, y, w, h,
            color);
    if (opacity < 1)
        fprintf(s->out, " opacity=\"%g\"", opacity);
    fputs("/>\n", s->out);
}

/* Draw n equal cells whose glyph is a shape: blocks (U+2580 to U+2595) and the lines that gotop uses. They
 * become one shape where that is possible. */
static void svg_shape(const struct svg *s, uint32_t glyph, int n, double x, double y, uint32_t color)
{
    const double w = CELL_W * n, h = CELL_H;
    if (glyph >= 0x2581 && glyph <= 0x2588) {
        const double part = h * (double)(glyph - 0x2580) / 8;
        svg_rect(s, x, y + h - part, w, part, color, 1);
    } else if (glyph >= 0x2589 && glyph <= 0x258f) {
        svg_rect(s, x, y, w * (double)(0x2590 - glyph) / 8, h, color, 1);
    } else if (glyph >= 0x2591 && glyph <= 0x2593) {
        svg_rect(s, x, y, w, h, color, (double)(glyph - 0x2590) / 4);
    } else {
        switch (glyph) {
        case 0x2580: svg_rect(s, x, y, w, h / 2, color, 1); break;
        case 0x2594: svg_rect(s, x, y, w, h / 8, color, 1); break;
        case '_': svg_rect(s, x, y + h - 1, w, 1, color, 1); break;
        case 0x2500: svg_rect(s, x, y + h / 2, w, 1, color, 1); break;
        case 0x2502: svg_rect(s, x + w / 2 - 0.5, y, 1, h, color, 1); break;
        case 0x2579: svg_rect(s, x + w / 2 - 1, y, 2, h / 2, color, 1); break;
        default: break;
        }
    }
}

/* Returns whether the shape fills its cell from side to side, so that neighbours can be joined. */
static bool svg_goes_through(uint32_t glyph)
{
    return glyph == '_' || glyph == 0x2500 || glyph == 0x2580 || glyph == 0x2594 ||
           (glyph >= 0x2581 && glyph <= 0x2588) || (glyph >= 0x2591 && glyph <= 0x2593);
}

static void svg_grounds(const struct svg *s, int y)
{
    const struct cell *row = s->g->cells + (size_t)y * (size_t)s->g->w;
    for (int x = 0, end; x < s->g->w; x = end) {
        const uint32_t bg = svg_look(s, &row[x]).bg;
        for (end = x + 1; end < s->g->w && svg_look(s, &row[end]).bg == bg; end++)
            ;
        if (bg != s->ground)
            svg_rect(s, x * CELL_W, y * CELL_H, (end - x) * CELL_W, CELL_H, bg, 1);
    }
}

static void svg_letter(const struct svg *s, uint32_t glyph)
{
    char utf8[4];
    switch (glyph) {
    case '<': fputs("&lt;", s->out); break;
    case '>': fputs("&gt;", s->out); break;
    case '&': fputs("&amp;", s->out); break;
    default: fwrite(utf8, 1, (size_t)utf8_write(glyph, utf8), s->out);
    }
}

static bool svg_is_text(const struct cell *c)
{
    return c->glyph > ' ' && c->glyph != '_' && !(c->glyph >= 0x2580 && c->glyph <= 0x2595) &&
           c->glyph != 0x2500 && c->glyph != 0x2502 && c->glyph != 0x2579;
}

/* Returns the column after the text that begins at x: letters of one style, and the blanks between them. */
static int svg_text_end(const struct svg *s, const struct cell *row, int x)
{
    const struct look l = svg_look(s, &row[x]);
    int end = x;
    for (int i = x; i < s->g->w && (svg_is_text(&row[i]) || row[i].glyph == ' ' || row[i].flags & CELL_TAIL);
         i++) {
        const struct look k = svg_look(s, &row[i]);
        if (row[i].glyph != ' ' && (k.fg != l.fg || k.attrs != l.attrs))
            break;
        if (row[i].glyph != ' ')
            end = i + 1;
    }
    return end;
}

/* The length of a text is given, so its letters keep their columns in any font. */
static void svg_text(const struct svg *s, const struct cell *row, int x, int end, int y)
{
    const struct look l = svg_look(s, &row[x]);
    fprintf(s->out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06" PRIx32 "\"%s%s>", x * CELL_W,
            y * CELL_H + BASE, (end - x) * CELL_W, l.fg, l.attrs & INK_BOLD ? " font-weight=\"bold\"" : "",
            l.attrs & INK_UNDERLINE ? " text-decoration=\"underline\"" : "");
    for (int i = x; i < end; i++)
        if (!(row[i].flags & CELL_TAIL))
            svg_letter(s, row[i].glyph);
    fputs("</text>\n", s->out);
}

static void svg_marks(const struct svg *s, int y)
{
    const struct cell *row = s->g->cells + (size_t)y * (size_t)s->g->w;
    for (int x = 0, end; x < s->g->w; x = end) {
        const struct look l = svg_look(s, &row[x]);
        end = x + 1;
        if (svg_is_text(&row[x])) {
            end = svg_text_end(s, row, x);
            svg_text(s, row, x, end, y);
            continue;
        }
        while (end < s->g->w && svg_goes_through(row[x].glyph) && row[end].glyph == row[x].glyph &&
               svg_look(s, &row[end]).fg == l.fg)
            end++;
        svg_shape(s, row[x].glyph, end - x, x * CELL_W, y * CELL_H, l.fg);
    }
}

void svg_print(const struct grid *g, enum palette p, FILE *out)
{
    const bool light = p == PALETTE_LIGHT || p == PALETTE_BLIND_LIGHT;
    const struct svg s = {g, p, out, light ? 0xffffff : 0x12151a, light ? 0x202020 : 0xd8d8d8};
    const int w = g->w * CELL_W, h = g->h * CELL_H;
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13.29\">\n",
        w, h, w, h);
    svg_rect(&s, 0, 0, w, h, s.ground, 1);
    for (int y = 0; y < g->h; y++)
        svg_grounds(&s, y);
    for (int y = 0; y < g->h; y++)
        svg_marks(&s, y);
    fputs("</svg>\n", out);
}
