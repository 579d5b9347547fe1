/*
 * theme.c - palettes: a row per style, from text files (keymaps/NAME.palette) that are built in, and from
 * one that the reader may bring.
 *
 * The 256 colours are computed from the true ones. The 16 are chosen by hand, since the nearest of 16 is
 * rarely a good one. The 8 are the 16 without brightness, or in bold.
 */
#include "viewer/term/theme.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "viewer/keys/keymap_builtin.h"
#include "triage/places.h"

struct row {
    int32_t fg, bg;
    int8_t fg16, bg16;
    uint8_t attrs;
};

#define DIM INK_DIM
#define BOLD INK_BOLD
#define REVERSE INK_REVERSE
#define UNDERLINE INK_UNDERLINE
#define M(s, a) [STYLE_##s] = a,
static const uint8_t mono[STYLE_COUNT] = {
#include "viewer/term/palette_mono.def"
};
#undef M

struct table {
    bool there;
    struct row rows[STYLE_COUNT];
};
static struct table tables[PALETTE_USER + 1]; /* built-in palettes are parsed when they are first used */
static char user_name[64];
static const char *const names[PALETTE_COUNT] = {
    "dark", "light", "neutral", "colour-blind", "colour-blind-light", "contrast"};

/* ---- palettes as text ---------------------------------------------------------------------------------- */

struct reader {
    const char *file;
    int line, errors;
    const struct file_say *say;
    struct table *t;
};

void file_say(const struct file_say *say, bool error, const char *file, int line, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    if (!say || !say->fn)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    say->fn(say->arg, error, file, line, text);
}

#define wrong(r, ...) (file_say((r)->say, true, (r)->file, (r)->line, __VA_ARGS__), (r)->errors++)

/* Parse "-" or "#6cc25a"; with `few`, "-" or 0 to 15. */
static bool colour(const char *w, bool few, int32_t *out)
{
    char *end;
    *out = INK_DEFAULT;
    if (strcmp(w, "-") == 0)
        return true;
    if (few != (*w != '#') || (few && (*w < '0' || *w > '9')))
        return false;
    if (!few && strlen(w) != 7)
        return false;
    long v = strtol(few ? w : w + 1, &end, few ? 10 : 16);
    *out = (int32_t)v;
    return !*end && v >= 0 && v <= (few ? 15 : 0xffffff) &&
           (few || strspn(w + 1, "0123456789abcdefABCDEF") == 6);
}

static int attribute(const char *w)
{
    return strcmp(w, "bold") == 0        ? INK_BOLD
           : strcmp(w, "dim") == 0       ? INK_DIM
           : strcmp(w, "reverse") == 0   ? INK_REVERSE
           : strcmp(w, "underline") == 0 ? INK_UNDERLINE
                                         : 0;
}

static const struct table *palette_table(enum palette p);

static void read_include(struct reader *r, const char *name)
{
    enum palette p;
    if (name && palette_parse(name, &p))
        *r->t = *palette_table(p);
    else
        wrong(r, "include takes one of dark, light, neutral, colour-blind, colour-blind-light, contrast");
}

static void read_line(struct reader *r, char *line)
{
    char *save = NULL, *word[10];
    int n = 0;
    for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
        if (*w == '#' && (n == 0 || n > 4))
            break; /* '#' begins a remark first or after the colours, else a colour */
        if (n == 10)
            break;
        word[n++] = w;
    }
    if (!n)
        return;
    if (strcmp(word[0], "include") == 0) {
        read_include(r, n == 2 ? word[1] : NULL);
        return;
    }
    enum style s = 0;
    while (s < STYLE_COUNT && strcmp(style_name(s), word[0]) != 0)
        s++;
    struct row row = {0};
    int32_t f16 = 0, b16 = 0;
    if (s == STYLE_COUNT) {
        wrong(r, "unknown style '%.40s'", word[0]);
    } else if (n < 5 || !colour(word[1], false, &row.fg) || !colour(word[2], false, &row.bg) ||
               !colour(word[3], true, &f16) || !colour(word[4], true, &b16)) {
        wrong(r, "%.40s: wants two of #rrggbb or -, two of 0..15 or -", word[0]);
    } else {
        row.fg16 = (int8_t)f16;
        row.bg16 = (int8_t)b16;
        for (int i = 5; i < n; i++) {
            int a = attribute(word[i]);
            if (!a)
                wrong(r, "%.40s: '%.40s' is none of bold, dim, reverse, underline", word[0], word[i]);
            row.attrs |= (uint8_t)a;
        }
        r->t->rows[s] = row;
    }
}

static int load_text(struct table *t, const char *text, size_t len, const char *file,
                     const struct file_say *say)
{
    struct reader r = {file, 0, 0, say, t};
    char line[256];
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        r.line++;
        if (n >= sizeof line) {
            wrong(&r, "the line is too long");
        } else if (!utf8_plain(text + at, n)) {
            wrong(&r, "the line holds control characters, or bytes that are no UTF-8");
        } else {
            memcpy(line, text + at, n);
            line[n] = '\0';
            read_line(&r, line);
        }
        at += n + 1;
    }
    t->there = true;
    return r.errors;
}

static const struct table *palette_table(enum palette p)
{
    struct table *t = &tables[p];
    for (enum style s = 0; !t->there && s < STYLE_COUNT; s++)
        t->rows[s] = (struct row){INK_DEFAULT, INK_DEFAULT, INK_DEFAULT, INK_DEFAULT, 0};
    for (const struct builtin_keymap *b = builtin_palettes; !t->there && b->name; b++)
        if (p < PALETTE_COUNT && strcmp(b->name, names[p]) == 0)
            (void)load_text(t, b->text, strlen(b->text), b->name, NULL);
    t->there = true;
    return t;
}

int palette_read(const char *text, size_t len, const char *file, const struct file_say *say)
{
    struct table *t = &tables[PALETTE_USER];
    const char *slash = strrchr(file, '/');
    *t = *palette_table(PALETTE_DARK); /* rows that are not given are as in that palette */
    snprintf(user_name, sizeof user_name, "%s", slash ? slash + 1 : file);
    char *dot = strstr(user_name, ".palette");
    if (dot)
        *dot = '\0';
    return load_text(t, text, len, file, say);
}

enum err_code file_read(int place, const char *path, char **text, size_t *len, const struct file_say *say)
{
    enum err_code rc = places_read(place, path, text, len);
    if (rc == ERR_ARG)
        file_say(say, false, path, 0, PLACES_UNTRUSTED);
    return rc == ERR_ARG ? ERR_IO : rc;
}

enum err_code palette_load(const char *name, enum palette *out, const struct file_say *say)
{
    char path[PLACES_PATH], *text;
    size_t len;
    enum err_code rc = ERR_IO;
    for (int p = 0; p < PLACE_BUILTIN && rc == ERR_IO && !strchr(name, '/'); p++)
        if (places_path(p, name, "palette", path))
            rc = file_read(p, path, &text, &len, say);
    if (rc == ERR_IO && palette_parse(name, out))
        return ERR_OK;
    if (rc == ERR_IO && snprintf(path, sizeof path, "%s", name) < (int)sizeof path)
        rc = places_read(PLACE_COUNT, path, &text, &len);
    if (rc)
        return rc;
    *out = PALETTE_USER;
    rc = palette_read(text, len, path, say) ? ERR_FORMAT : ERR_OK;
    mem_free(text);
    return rc;
}

bool palette_loaded(void)
{
    return tables[PALETTE_USER].there;
}

const char *palette_name(enum palette p)
{
    return p < PALETTE_COUNT ? names[p] : p == PALETTE_USER && user_name[0] ? user_name : "?";
}

bool palette_parse(const char *name, enum palette *out)
{
    if (strcmp(name, "color-blind") == 0 || strcmp(name, "blind") == 0)
        name = names[PALETTE_BLIND];
    for (enum palette p = 0; p < PALETTE_COUNT; p++) {
        if (strcmp(names[p], name) == 0) {
            *out = p;
            return true;
        }
    }
    return false;
}

enum ground ground_of(const char *answer)
{
    unsigned value[3] = {0};
    static const char *const begins[] = {"11;rgb:",
                                         "11;rgba:"}; /* the latter of a ground that shines through */
    const bool rgba = strncmp(answer, begins[1], strlen(begins[1])) == 0;
    if (strncmp(answer, begins[rgba], strlen(begins[rgba])) != 0)
        return GROUND_UNKNOWN;
    answer += strlen(begins[rgba]);
    for (int i = 0; i < 3; i++) { /* each has one to four digits; the first two are enough */
        size_t n = strspn(answer, "0123456789abcdefABCDEF");
        char two[3] = {answer[0], n > 1 ? answer[1] : answer[0], '\0'};
        if (n < 1 || n > 4 || answer[n] != (i < 2 || rgba ? '/' : '\0'))
            return GROUND_UNKNOWN;
        value[i] = (unsigned)strtoul(two, NULL, 16);
        answer += n + 1;
    }
    return 299 * value[0] + 587 * value[1] + 114 * value[2] > 127500 ? GROUND_LIGHT : GROUND_DARK;
}

enum palette palette_on(enum palette p, enum ground g)
{
    if (p == PALETTE_DARK || p == PALETTE_LIGHT || p == PALETTE_NEUTRAL)
        return g == GROUND_DARK ? PALETTE_DARK : g == GROUND_LIGHT ? PALETTE_LIGHT : PALETTE_NEUTRAL;
    if (p == PALETTE_BLIND || p == PALETTE_BLIND_LIGHT)
        return g == GROUND_LIGHT ? PALETTE_BLIND_LIGHT : PALETTE_BLIND;
    return p;
}

bool color_when_parse(const char *word, enum color_when *out)
{
    if (strcmp(word, "auto") == 0)
        *out = COLOR_AUTO;
    else if (strcmp(word, "never") == 0)
        *out = COLOR_NEVER;
    else if (strcmp(word, "always") == 0)
        *out = COLOR_ALWAYS;
    else
        return false;
    return true;
}

enum depth theme_depth(enum color_when when, int colors, bool rgb)
{
    const char *no = getenv("NO_COLOR");
    if (when == COLOR_NEVER || (when == COLOR_AUTO && no && *no))
        return DEPTH_MONO;
    if (rgb)
        return DEPTH_TRUE;
    if (colors >= 256)
        return DEPTH_256;
    if (colors >= 16)
        return DEPTH_16;
    return colors >= 8 || when == COLOR_ALWAYS ? DEPTH_8 : DEPTH_MONO;
}

static int cube_step(int v) /* the levels are 0, 95, 135, 175, 215, 255 */
{
    return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

static int rgb_dist(int r, int g, int b, int r2, int g2, int b2)
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
    bool cube = rgb_dist(r, g, b, level[cr], level[cg], level[cb]) <= rgb_dist(r, g, b, gv, gv, gv);
    return cube ? 16 + 36 * cr + 6 * cg + cb : 232 + grey;
}

static int32_t to_256(int32_t rgb)
{
    return rgb == INK_DEFAULT ? INK_DEFAULT : theme_256((uint32_t)rgb);
}

/* With 8 colours, a bright foreground is bold. Bright black is dim instead, since bold black is often
 * invisible. */
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
    if (k.bg >= 8)
        k.bg -= 8;
    return k;
}

struct ink theme_ink(enum palette p, enum depth d, enum style s)
{
    if (p > PALETTE_USER || s >= STYLE_COUNT)
        return (struct ink){INK_DEFAULT, INK_DEFAULT, 0};
    const struct row *r = &palette_table(p)->rows[s];
    switch (d) {
    case DEPTH_TRUE: return (struct ink){r->fg, r->bg, r->attrs};
    case DEPTH_256: return (struct ink){to_256(r->fg), to_256(r->bg), r->attrs};
    case DEPTH_16: return (struct ink){r->fg16, r->bg16, r->attrs};
    case DEPTH_8: return ink_8(r);
    case DEPTH_MONO: break;
    }
    return (struct ink){INK_DEFAULT, INK_DEFAULT, mono[s]};
}
