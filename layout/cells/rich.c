/*
 * rich.c - see rich.h.
 */
#include "layout/cells/rich.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layout/cells/wrap.h"

void rich_init(struct rich *r)
{
    r->n = 0;
    r->nparas = 1;
    r->para[0] = 0;
}

void rich_str(struct rich *r, enum style s, struct str text)
{
    size_t k = str_safe(text, r->text + r->n, sizeof r->text - r->n);
    memset(r->style + r->n, (int)s, k);
    r->n += (uint32_t)k;
}

void rich_add(struct rich *r, enum style s, const char *fmt, ...)
{
    char raw[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    rich_str(r, s, str_of(raw));
}

void rich_para(struct rich *r)
{
    if (r->nparas == RICH_PARAS || r->para[r->nparas - 1] == r->n)
        return;
    r->para[r->nparas++] = r->n;
}

static struct str para(const struct rich *r, uint32_t i)
{
    uint32_t from = r->para[i], to = i + 1 < r->nparas ? r->para[i + 1] : r->n;
    while (to > from && r->text[to - 1] == ' ')
        to--;
    return (struct str){r->text + from, to - from};
}

/* Draw the bytes of a line, style by style. Returns the column after them. */
static int put(const struct rich *r, struct grid *g, int x, int y, int w, struct str s)
{
    uint32_t at = (uint32_t)(s.p - r->text), end = at + s.len;
    int right = x + w;
    while (at < end) {
        uint32_t to = at;
        while (to < end && r->style[to] == r->style[at])
            to++;
        x = grid_text(g, x, y, right - x, (struct str){r->text + at, to - at}, (enum style)r->style[at]);
        at = to;
    }
    return x;
}

static int lines_of(struct str s, int w)
{
    return wrap_draw(NULL, 0, 0, w, 1000, STYLE_NORMAL, s);
}

/* Draws a paragraph into n lines. */
static void para_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n, struct str text)
{
    for (int i = 0; i < n && text.len; i++) {
        const char *line = text.p;
        bool cut;
        const uint32_t len = wrap_line(&text, w, i == n - 1, &cut);
        const int to = put(r, g, x, y + i, w, (struct str){line, len});
        if (cut)
            grid_str(g, to + 1, y + i, x + w - to - 1, grid_cut(g), STYLE_DIM);
    }
}

int rich_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n)
{
    int used = 0, need[RICH_PARAS] = {0}, rest = 0;
    for (uint32_t i = 0; i < r->nparas; i++)
        rest += need[i] = para(r, i).len ? lines_of(para(r, i), w) : 0;
    for (uint32_t i = 0; i < r->nparas && used < n; i++) {
        if (!need[i])
            continue;
        rest -= need[i];
        int most = n - used - rest;
        most = most < 1 ? 1 : need[i] < most ? need[i] : most;
        if (g)
            para_draw(r, g, x, y + used, w, most, para(r, i));
        used += most;
    }
    return used;
}

void rich_text(const struct rich *r, char *out, size_t size)
{
    size_t n = 0;
    if (!size)
        return;
    out[0] = 0;
    for (uint32_t i = 0; i < r->nparas; i++) {
        struct str s = para(r, i);
        if (!s.len || n + 3 >= size)
            continue;
        if (n)
            n += (size_t)snprintf(out + n, size - n, "  ");
        n += str_safe(s, out + n, size - n);
    }
}

bool rich_line(const struct rich *r, int w, uint32_t *at, uint32_t *from, uint32_t *len)
{
    uint32_t i = 0, next = 0;
    if (*at >= r->n)
        return false;
    while (i + 1 < r->nparas && r->para[i + 1] <= *at)
        i++;
    uint32_t end = i + 1 < r->nparas ? r->para[i + 1] : r->n;
    *from = *at;
    *len = wrap_next((struct str){r->text + *at, end - *at}, w, &next);
    *at += next ? next : 1;
    return true;
}

void rich_put(const struct rich *r, struct grid *g, int x, int y, int w, uint32_t from, uint32_t len)
{
    put(r, g, x, y, w, (struct str){r->text + from, len});
}
