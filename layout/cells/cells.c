/*
 * cells.c - the grid of cells, and the gate where a trace's bytes become text.
 *
 * The gate lists the characters that pass: printable, one or two columns wide on every terminal, left to
 * right. Control bytes become '?', bytes that are not UTF-8 become U+FFFD, all other characters become
 * their code points (<5D0>), so different names stay different. A name may hold anything, and the columns
 * still line up. The list replaces the C library's wcwidth(), since a screen must not depend on the locale.
 */
#include "layout/cells/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/rows.h"
#include "decode/base/mem.h"
#include "decode/base/utf8.h"

enum { MAX_W = 2000, MAX_H = 1000, REPLACED = 0xFFFD };

static const char *const names[] = {
#define X(id, name, letter) name,
#include "layout/cells/styles.def"
#undef X
};
static const char letters[] = {
#define X(id, name, letter) letter,
#include "layout/cells/styles.def"
#undef X
};

const char *style_name(enum style s)
{
    return (unsigned)s < STYLE_COUNT ? names[s] : "?";
}

char style_letter(enum style s)
{
    return (unsigned)s < STYLE_COUNT ? letters[s] : '?';
}

/* ---- text ---------------------------------------------------------------------------------------------- */

struct chars {
    uint32_t from, to;
    int width;
};

/* Characters beyond ASCII that pass, ascending. */
static const struct chars allowed[] = {
    {0xA1, 0xAC, 1},       {0xAE, 0x2FF, 1}, /* Latin, without the soft hyphen */
    {0x370, 0x377, 1},     {0x37A, 0x37F, 1},     {0x384, 0x38A, 1},     {0x38C, 0x38C, 1},
    {0x38E, 0x3A1, 1},     {0x3A3, 0x482, 1},     {0x48A, 0x52F, 1},     {0x531, 0x556, 1},
    {0x559, 0x58A, 1},     {0x10A0, 0x10C5, 1},   {0x10D0, 0x10FF, 1},   {0x1E00, 0x1F15, 1},
    {0x1F18, 0x1F1D, 1},   {0x1F20, 0x1F45, 1},   {0x1F48, 0x1F4D, 1},   {0x1F50, 0x1F57, 1},
    {0x1F5F, 0x1F7D, 1},   {0x1F80, 0x1FB4, 1},   {0x2010, 0x2027, 1},   {0x2030, 0x205E, 1},
    {0x2070, 0x2071, 1},   {0x2074, 0x208E, 1},   {0x2090, 0x209C, 1},   {0x20A0, 0x20BF, 1},
    {0x2100, 0x218B, 1},   {0x2190, 0x2319, 1},   {0x231C, 0x2328, 1},   {0x232B, 0x23E8, 1},
    {0x2460, 0x25FC, 1},   {0x25FF, 0x2612, 1},   {0x2800, 0x28FF, 1},   {0x2E80, 0x2E99, 2},
    {0x2E9B, 0x2EF3, 2},   {0x2F00, 0x2FD5, 2},   {0x3000, 0x3029, 2},   {0x3030, 0x303E, 2},
    {0x3041, 0x3096, 2},   {0x309B, 0x30FF, 2},   {0x3105, 0x312F, 2},   {0x3131, 0x3163, 2},
    {0x3165, 0x318E, 2},   {0x3190, 0x31E3, 2},   {0x31F0, 0x321E, 2},   {0x3220, 0x3247, 2},
    {0x3250, 0x4DBF, 2},   {0x4E00, 0xA48C, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAD9, 2},
    {0xFE30, 0xFE52, 2},   {0xFE54, 0xFE66, 2},   {0xFF01, 0xFF60, 2},   {0xFF61, 0xFF9F, 1},
    {0xFFE0, 0xFFE6, 2},   {0xFFFD, 0xFFFD, 1},   {0x1F32D, 0x1F335, 2}, {0x1F337, 0x1F37C, 2},
    {0x1F380, 0x1F393, 2}, {0x1F3A0, 0x1F3CA, 2}, {0x1F400, 0x1F43E, 2}, {0x1F442, 0x1F4FC, 2},
    {0x1F600, 0x1F64F, 2}, {0x1F680, 0x1F6C5, 2}, {0x1F910, 0x1F93A, 2}, {0x20000, 0x2A6DF, 2},
    {0x2A700, 0x2EBE0, 2},
};

static int char_width(uint32_t cp)
{
    const size_t lo = bisected(sizeof allowed / sizeof *allowed, i, cp > allowed[i].to);
    return lo < sizeof allowed / sizeof *allowed && cp >= allowed[lo].from ? allowed[lo].width : 0;
}

uint32_t str_next(struct str s, uint32_t *at, int *width)
{
    uint32_t cp = REPLACED;
    size_t n = utf8_read(s.p + *at, s.len - *at, &cp);
    *at += n ? (uint32_t)n : 1;
    *width = 1;
    if (cp < 0x20 || cp == 0x7F)
        return '?';
    if (cp < 0x7F)
        return cp;
    int w = utf8_hidden(cp) ? 0 : char_width(cp);
    if (!w)
        return REPLACED;
    *width = w;
    return cp;
}

int str_shown(struct str s, uint32_t *at, uint32_t *cp, char code[STR_CODE])
{
    const uint32_t from = *at;
    uint32_t raw = REPLACED;
    int w;
    *cp = str_next(s, at, &w);
    code[0] = 0;
    if (*cp != REPLACED || !utf8_read(s.p + from, s.len - from, &raw) || raw == REPLACED)
        return w;
    return snprintf(code, STR_CODE, "<%" PRIX32 ">", raw);
}

/* Returns the columns of a character. */
static int cells_step(struct str s, uint32_t *at)
{
    uint32_t cp;
    char code[STR_CODE];
    return str_shown(s, at, &cp, code);
}

int str_width(struct str s, int max)
{
    int total = 0;
    for (uint32_t at = 0; at < s.len && total < max;)
        total += cells_step(s, &at);
    return total < max ? total : max;
}

size_t str_safe(struct str s, char *out, size_t size)
{
    size_t n = 0;
    if (!size)
        return 0;
    for (uint32_t at = 0, cp; at < s.len;) {
        char b[STR_CODE];
        (void)str_shown(s, &at, &cp, b);
        size_t k = b[0] ? strlen(b) : (size_t)utf8_write(cp, b);
        if (n + k >= size)
            break;
        memcpy(out + n, b, k);
        n += k;
    }
    out[n] = 0;
    return n;
}

struct str str_of(const char *s)
{
    return (struct str){s, s ? (uint32_t)strlen(s) : 0};
}

/* These find the offsets where the shorter forms of a Go name begin. The import path ends at the last slash
 * before the first dot of the function's own part. Type arguments in brackets may hold slashes and dots, so
 * only what is before them counts. */
static uint32_t after_path(struct str s)
{
    uint32_t cut = 0;
    for (uint32_t i = 0; i < s.len && s.p[i] != '[' && s.p[i] != '('; i++)
        if (s.p[i] == '/')
            cut = i + 1;
    return cut;
}

static uint32_t after_package(struct str s, uint32_t from)
{
    for (uint32_t i = from; i + 1 < s.len && s.p[i] != '['; i++)
        if (s.p[i] == '.')
            return i + 1;
    return from;
}

static struct str from(struct str s, uint32_t at)
{
    return (struct str){s.p + at, s.len - at};
}

int str_tail(struct str text, int w, bool ascii, char *out, size_t size)
{
    if (!size)
        return 0;
    out[0] = 0;
    if (w <= 0)
        return 0;
    if (text.len > 65536)
        text = from(text, text.len - 65536);
    int total = str_width(text, 1 << 20);
    const char *dots = ascii ? ".." : "\xE2\x80\xA6";
    int dots_w = ascii ? 2 : 1;
    if (total <= w || w < dots_w)
        dots = "", dots_w = 0;
    uint32_t at = 0;
    while (at < text.len && total > w - dots_w)
        total -= cells_step(text, &at);
    size_t k = strlen(dots);
    if (k >= size)
        return 0;
    memcpy(out, dots, k);
    str_safe(from(text, at), out + k, size - k);
    return total + dots_w;
}

int str_head(struct str text, int w, char *out, size_t size)
{
    uint32_t at = 0;
    int used = 0;
    while (at < text.len) {
        uint32_t next = at;
        const int cw = cells_step(text, &next);
        if (used + cw > w)
            break;
        used += cw;
        at = next;
    }
    str_safe((struct str){text.p, at}, out, size);
    return used;
}

int str_middle(struct str text, int w, bool ascii, char *out, size_t size)
{
    if (!size)
        return 0;
    if (text.len > 65536 || str_width(text, w + 1) <= w) {
        str_safe(text, out, size);
        return str_width(text, w);
    }
    int head = str_head(text, w / 3, out, size);
    size_t n = strlen(out);
    return head + str_tail(text, w - head, ascii, out + n, size - n);
}

int str_shorten(struct str name, int w, bool ascii, char *out, size_t size)
{
    if (!size)
        return 0;
    out[0] = 0;
    if (w <= 0)
        return 0;
    if (name.len > 4096) /* the end of such a long name says most */
        name = from(name, name.len - 4096);
    uint32_t path = after_path(name), package = after_package(name, path);
    const uint32_t starts[] = {0, path, package};
    for (int i = 0; i < 3; i++) {
        int need = str_width(from(name, starts[i]), w + 1);
        if (need <= w) {
            str_safe(from(name, starts[i]), out, size);
            return need;
        }
    }
    return str_tail(from(name, package), w, ascii, out, size);
}

/* ---- a text with functions' names ---------------------------------------------------------------------- */

enum form { FORM_PATH, FORM_PACKAGE, FORM_RECEIVER }; /* what a shorter form of a name lacks */

struct shrink {
    char p[4096];
    uint32_t n;
    int w; /* columns that there are */
};

static bool shrink_fits(const struct shrink *s)
{
    return str_width((struct str){s->p, s->n}, s->w + 1) <= s->w;
}

static void shrink_drop(struct shrink *s, uint32_t from, uint32_t to)
{
    memmove(s->p + from, s->p + to, s->n - to);
    s->n -= to - from;
}

static bool is_function(struct str word)
{
    const char *dot = word.len ? memchr(word.p, '.', word.len - 1) : NULL;
    return dot && dot > word.p && dot[1] != '.' && !(*word.p >= '0' && *word.p <= '9');
}

/* Returns where that form of a function's name begins. */
static uint32_t form_begins(struct str name, enum form f)
{
    const uint32_t slash = after_path(name), path = slash < name.len ? slash : 0,
                   package = name.p[path] == '(' ? path : after_package(name, path);
    uint32_t own = package;
    while (f == FORM_RECEIVER && own < name.len && name.p[package] == '(' && name.p[own] != '.')
        own++;
    return f == FORM_PATH ? path : own < name.len ? own + (own > package) : package;
}

/* Finds the word that ends before *end. Returns false if there is none. */
static bool word_before(const struct shrink *s, uint32_t *end, uint32_t *at)
{
    while (*end > 0 && s->p[*end - 1] == ' ')
        --*end;
    for (*at = *end; *at > 0 && s->p[*at - 1] != ' ';)
        --*at;
    return *end > 0;
}

/* Shortens functions' names from number `from` on to `to`, counted from the end. Returns whether it fits. */
static bool shrink_names(struct shrink *s, enum form f, int from, int to)
{
    int i = 0;
    for (uint32_t end = s->n, at; !shrink_fits(s) && word_before(s, &end, &at); end = at) {
        const struct str word = {s->p + at, end - at};
        if (is_function(word) && i++ >= from && i <= to)
            shrink_drop(s, at, at + form_begins(word, f));
    }
    return shrink_fits(s);
}

/* Shortens "lock at (*Mutex).Lock in main.run" to "lock in main.run". */
static bool shrink_called(struct shrink *s)
{
    uint32_t in = s->n, end, at;
    while (in > 0 && (in + 4 > s->n || memcmp(s->p + in, " in ", 4) != 0))
        in--;
    end = in;
    if (word_before(s, &end, &at) && at > 4 &&
        (!memcmp(s->p + at - 4, " at ", 4) || !memcmp(s->p + at - 4, " in ", 4)))
        shrink_drop(s, at - 4, in);
    return shrink_fits(s);
}

int str_where(struct str s, int w, bool ascii, char *out, size_t size)
{
    enum { LEAST = 8, ALL = 1000 }; /* columns in which the end of a word is readable */
    struct shrink k = {.w = w};
    if (size && w < LEAST)
        return str_head(s, w < 0 ? 0 : w, out, size);
    if (!size || s.len > sizeof k.p || str_width(s, w + 1) <= w)
        return str_middle(s, w, ascii, out, size);
    memcpy(k.p, s.p, k.n = s.len);
    if (shrink_names(&k, FORM_PATH, 1, ALL) || shrink_names(&k, FORM_PATH, 0, 1) ||
        shrink_names(&k, FORM_PACKAGE, 1, 2) || shrink_called(&k) || shrink_names(&k, FORM_PACKAGE, 1, ALL) ||
        shrink_names(&k, FORM_PACKAGE, 0, 1) || shrink_names(&k, FORM_RECEIVER, 1, ALL))
        return str_head((struct str){k.p, k.n}, w, out, size);
    struct str longest = {k.p, 0};
    for (uint32_t end = k.n, at; word_before(&k, &end, &at); end = at)
        longest = end - at > longest.len ? (struct str){k.p + at, end - at} : longest;
    const struct str lead = {k.p, (uint32_t)(longest.p - k.p)},
                     tail = from((struct str){k.p, k.n}, lead.len + longest.len);
    const int rest = str_width(lead, w + 1) + str_width(tail, w + 1);
    if (!rest || rest + LEAST > w)
        return str_middle(s, w, ascii, out, size);
    size_t n = str_safe(lead, out, size);
    const int used = rest + str_tail(longest, w - rest, ascii, out + n, size - n);
    n += strlen(out + n);
    (void)str_safe(tail, out + n, size - n);
    return used;
}

/* ---- grid ---------------------------------------------------------------------------------------------- */

bool grid_resize(struct grid *g, int w, int h)
{
    w = w < 1 ? 1 : w > MAX_W ? MAX_W : w;
    h = h < 1 ? 1 : h > MAX_H ? MAX_H : h;
    size_t need = (size_t)w * (size_t)h;
    if (need > g->cap) {
        struct cell *p = mem_resize(g->cells, need * sizeof *p);
        if (!p)
            return false;
        g->cells = p;
        g->cap = need;
    }
    g->w = w;
    g->h = h;
    grid_clear(g);
    return true;
}

void grid_free(struct grid *g)
{
    mem_free(g->cells);
    *g = (struct grid){0};
}

void grid_clear(struct grid *g)
{
    for (size_t i = 0; i < (size_t)g->w * (size_t)g->h; i++)
        g->cells[i] = (struct cell){' ', STYLE_NORMAL, 0};
}

static struct cell *at(const struct grid *g, int x, int y)
{
    return x >= 0 && y >= 0 && x < g->w && y < g->h ? &g->cells[(size_t)y * (size_t)g->w + (size_t)x] : NULL;
}

const char *grid_cut(const struct grid *g)
{
    return g->ascii ? ".." : "\xE2\x80\xA6";
}

const struct cell *grid_at(const struct grid *g, int x, int y)
{
    return at(g, x, y);
}

/* Before a cell is overwritten, blank the other half of a wide character. */
static void split(struct grid *g, int x, int y)
{
    struct cell *c = at(g, x, y), *other = NULL;
    if (c->flags & CELL_WIDE)
        other = at(g, x + 1, y);
    else if (c->flags & CELL_TAIL)
        other = at(g, x - 1, y);
    if (other) {
        other->glyph = ' ';
        other->flags = (uint16_t)(other->flags & ~(CELL_WIDE | CELL_TAIL));
    }
}

void grid_put(struct grid *g, int x, int y, uint32_t glyph, enum style s)
{
    struct cell *c = at(g, x, y);
    if (!c)
        return;
    split(g, x, y);
    if (g->ascii && glyph > 0x7E)
        glyph = '?';
    *c = (struct cell){glyph, (uint16_t)s, 0};
}

void grid_fill(struct grid *g, int x, int y, int w, int h, uint32_t glyph, enum style s)
{
    for (int j = y < 0 ? 0 : y; j < y + h && j < g->h; j++)
        for (int i = x < 0 ? 0 : x; i < x + w && i < g->w; i++)
            grid_put(g, i, j, glyph, s);
}

void grid_flags(struct grid *g, int x, int y, int w, int h, uint16_t set)
{
    for (int j = y < 0 ? 0 : y; j < y + h && j < g->h; j++)
        for (int i = x < 0 ? 0 : x; i < x + w && i < g->w; i++)
            at(g, i, j)->flags |= set;
}

void grid_toggle(struct grid *g, int x, int y, uint16_t flags)
{
    struct cell *c = at(g, x, y);
    if (!c)
        return;
    c->flags ^= flags;
    struct cell *other = c->flags & CELL_WIDE   ? at(g, x + 1, y)
                         : c->flags & CELL_TAIL ? at(g, x - 1, y)
                                                : NULL;
    if (other)
        other->flags ^= flags;
}

int grid_text(struct grid *g, int x, int y, int w, struct str text, enum style s)
{
    int end = w > g->w - x ? g->w : x + w;
    for (uint32_t i = 0, cp; i < text.len && x < end;) {
        char code[STR_CODE];
        const int cw = str_shown(text, &i, &cp, code);
        if (x + cw > end) { /* half a character does not fit: fill the hole */
            while (x < end)
                grid_put(g, x++, y, ' ', s);
            break;
        }
        if (code[0]) {
            for (int k = 0; k < cw; k++)
                grid_put(g, x + k, y, (unsigned char)code[k], s);
        } else if (g->ascii && cp > 0x7E) {
            for (int k = 0; k < cw; k++)
                grid_put(g, x + k, y, '?', s);
        } else {
            grid_put(g, x, y, cp, s);
            if (cw == 2) {
                grid_put(g, x + 1, y, 0, s);
                struct cell *a = at(g, x, y), *b = at(g, x + 1, y);
                if (a && b)
                    a->flags |= CELL_WIDE, b->flags |= CELL_TAIL;
                else if (b)
                    b->glyph = ' '; /* its left half is outside */
            }
        }
        x += cw;
    }
    return x;
}

int grid_str(struct grid *g, int x, int y, int w, const char *text, enum style s)
{
    return grid_text(g, x, y, w, str_of(text), s);
}

int grid_right(struct grid *g, int x, int y, int w, const char *text, enum style s)
{
    int need = str_width(str_of(text), w);
    grid_str(g, x + w - need, y, need, text, s);
    return x + w - need;
}

size_t grid_line(const struct grid *g, int y, char *out, size_t size)
{
    size_t n = 0, keep = 0; /* the length without trailing blanks */
    for (int x = 0; x < g->w; x++) {
        const struct cell *c = grid_at(g, x, y);
        if (!c || c->flags & CELL_TAIL)
            continue;
        char b[4];
        size_t k = (size_t)utf8_write(c->glyph, b);
        for (size_t i = 0; i < k; i++, n++)
            if (n + 1 < size)
                out[n] = b[i];
        if (c->glyph != ' ')
            keep = n;
    }
    if (size)
        out[keep < size ? keep : size - 1] = 0;
    return keep;
}

size_t grid_line_styles(const struct grid *g, int y, char *out, size_t size)
{
    size_t n = 0, keep = 0;
    for (int x = 0; x < g->w; x++, n++) {
        const struct cell *c = grid_at(g, x, y);
        char ch = c ? style_letter((enum style)c->style) : ' ';
        if (c && c->style == STYLE_NORMAL && c->glyph == ' ')
            ch = ' ';
        if (n + 1 < size)
            out[n] = ch;
        if (ch != ' ')
            keep = n + 1;
    }
    if (size)
        out[keep < size ? keep : size - 1] = 0;
    return keep;
}
