/*
 * rich.c - see rich.h.
 */
#include "layout/cells/rich.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/wrap.h"

void rich_clear(struct rich *r)
{
    r->n = r->nparas = 0;
    r->oom = false;
}

void rich_free(struct rich *r)
{
    mem_free(r->text);
    mem_free(r->style);
    mem_free(r->para);
    *r = (struct rich){0};
}

void rich_str(struct rich *r, enum style s, struct str text)
{
    enum { GROWS = 3 }; /* times as long is a text at most that is made safe */
    const size_t most = r->n + GROWS * (size_t)text.len + 1;
    if (!mem_noted(&r->oom, most <= RICH_MOST && mem_room(r->text, r->cap, most) &&
                                mem_room(r->style, r->cap_style, most)))
        return;
    const size_t k = str_safe(text, r->text + r->n, most - r->n);
    memset(r->style + r->n, (int)s, k);
    r->n += k;
}

static void rich_vadd(struct rich *r, enum style s, const char *fmt, va_list ap)
{
    char raw[4096];
    vsnprintf(raw, sizeof raw, fmt, ap);
    rich_str(r, s, str_of(raw));
}

void rich_add(struct rich *r, enum style s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    rich_vadd(r, s, fmt, ap);
    va_end(ap);
}

static size_t para_start(const struct rich *r, size_t i)
{
    return i ? r->para[i - 1] : 0;
}

void rich_para(struct rich *r)
{
    if (para_start(r, r->nparas) != r->n)
        r->oom |= !mem_add(r->para, r->cap_paras, r->nparas, r->n);
}

void rich_say(struct rich *r, enum style s, const char *fmt, ...)
{
    va_list ap;
    rich_para(r);
    va_start(ap, fmt);
    rich_vadd(r, s, fmt, ap);
    va_end(ap);
    rich_para(r);
}

void rich_blank(struct rich *r)
{
    rich_say(r, STYLE_NORMAL, " ");
}

size_t rich_paras(const struct rich *r)
{
    return r->nparas + (para_start(r, r->nparas) < r->n);
}

struct str rich_at(const struct rich *r, size_t i)
{
    const size_t from = para_start(r, i);
    size_t to = i < r->nparas ? r->para[i] : r->n;
    while (to > from && r->text[to - 1] == ' ')
        to--;
    return (struct str){r->text + from, (uint32_t)(to - from)};
}

struct str rich_last(const struct rich *r)
{
    return rich_at(r, r->nparas);
}

int rich_width(const struct rich *r, int most)
{
    int widest = 0;
    for (size_t i = 0; i < rich_paras(r); i++) {
        const int w = str_width(rich_at(r, i), most);
        widest = w > widest ? w : widest;
    }
    return widest;
}

/* Draw the bytes of a line, style by style. Returns the column after them. */
static int put_line(const struct rich *r, struct grid *g, int x, int y, int w, struct str s)
{
    size_t at = (size_t)(s.p - r->text), end = at + s.len;
    int right = x + w;
    while (at < end) {
        size_t to = at;
        while (to < end && r->style[to] == r->style[at])
            to++;
        x = grid_text(g, x, y, right - x, (struct str){r->text + at, (uint32_t)(to - at)},
                      (enum style)r->style[at]);
        at = to;
    }
    return x;
}

/* Draws a paragraph into n lines. */
static void para_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n, struct str text)
{
    for (int i = 0; i < n && text.len; i++) {
        const char *line = text.p;
        bool cut;
        const uint32_t len = wrap_line(&text, w, i == n - 1, &cut);
        const int to = put_line(r, g, x, y + i, w, (struct str){line, len});
        if (cut)
            grid_str(g, to + 1, y + i, x + w - to - 1, grid_cut(g), STYLE_DIM);
    }
}

int rich_draw(const struct rich *r, struct grid *g, int x, int y, int w, int n)
{
    int used = 0, rest = 0;
    for (size_t i = 0; i < rich_paras(r); i++)
        rest += wrap_lines(rich_at(r, i), w);
    for (size_t i = 0; i < rich_paras(r) && used < n; i++) {
        const int need = wrap_lines(rich_at(r, i), w);
        if (!need)
            continue;
        rest -= need;
        int most = n - used - rest;
        most = most < 1 ? 1 : need < most ? need : most;
        if (g)
            para_draw(r, g, x, y + used, w, most, rich_at(r, i));
        used += most;
    }
    return used;
}

/* Returns the column below which a paragraph goes on. */
static int indent(struct str s, int w)
{
    enum { IN = 4 };
    uint32_t lead = 0, to;
    while (lead < s.len && s.p[lead] == ' ')
        lead++;
    for (to = lead; to + 2 < s.len && !(s.p[to] == ' ' && s.p[to + 1] == ' ');)
        to++;
    while (to < s.len && s.p[to] == ' ')
        to++;
    const int second = str_width((struct str){s.p, to}, w), in = (int)lead + IN;
    return second < w / 3 ? second : in < w / 3 ? in : 0;
}

bool rich_row(const struct rich *r, int w, struct rich_row *row)
{
    struct str s = {0};
    uint32_t next;
    if (row->para)
        s = rich_at(r, row->para - 1);
    if (!row->para || r->text + row->next >= s.p + s.len) {
        if (row->para == rich_paras(r))
            return false;
        s = rich_at(r, row->para++);
        row->next = (size_t)(s.p - r->text);
        row->in = 0;
    } else {
        row->in = indent(s, w);
    }
    row->at = row->next;
    row->len = wrap_next((struct str){r->text + row->at, (uint32_t)(s.p + s.len - r->text - row->at)},
                         w - row->in, &next);
    row->next += next;
    return true;
}

void rich_put(const struct rich *r, const struct rich_row *row, struct grid *g, int x, int y, int w,
              enum style s)
{
    const struct str part = {r->text + row->at, row->len};
    if (s == STYLE_COUNT)
        (void)put_line(r, g, x + row->in, y, w - row->in, part);
    else
        (void)grid_text(g, x + row->in, y, w - row->in, part, s);
}

int rich_copy(struct rich *r, const struct rich *from, const struct rich_row *row)
{
    const size_t end = row->at + row->len;
    rich_add(r, STYLE_NORMAL, "%*s", row->in, "");
    for (size_t at = row->at, to; at < end; at = to) {
        for (to = at + 1; to < end && from->style[to] == from->style[at];)
            to++;
        rich_str(r, (enum style)from->style[at], (struct str){from->text + at, (uint32_t)(to - at)});
    }
    return row->in + str_width((struct str){from->text + row->at, row->len}, RICH_MOST);
}

void rich_print(const struct rich *r, struct text *t)
{
    for (size_t i = 0; i < rich_paras(r); i++) {
        text_raw(t, rich_at(r, i).p, rich_at(r, i).len);
        text_lit(t, "\n");
    }
}
