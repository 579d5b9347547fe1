/*
 * wrap.c - see wrap.h.
 */
#include "layout/cells/wrap.h"

#include <string.h>

enum { LEAST = 8 }; /* in fewer columns each word would have its own line */

/* Returns whether an item of a list ends here: at a comma and a blank, or at two blanks. */
static bool item_ends(struct str s, uint32_t at)
{
    if (at == 0 || at >= s.len || s.p[at] != ' ')
        return false;
    return s.p[at - 1] == ',' || s.p[at - 1] == ';' || (at + 1 < s.len && s.p[at + 1] == ' ');
}

uint32_t wrap_next(struct str text, int w, uint32_t *next)
{
    uint32_t fit = 0, item = 0, end = 0;
    int used = 0, item_cols = 0;
    w = w < LEAST ? LEAST : w;
    while (end < text.len) {
        uint32_t at = end, cp;
        char code[STR_CODE];
        const int cw = str_shown(text, &at, &cp, code);
        if (text.p[end] == ' ') {
            fit = end;
            if (item_ends(text, end))
                item = end, item_cols = used;
        }
        if (used + cw > w)
            break;
        used += cw;
        end = at;
    }
    if (end == text.len)
        return *next = end;
    if (item && item_cols >= w * 3 / 4) /* a list breaks best after an item */
        fit = item;
    uint32_t len = fit ? fit : end;
    for (*next = len; *next < text.len && text.p[*next] == ' ';)
        ++*next;
    return len;
}

static uint32_t without_blanks(struct str s, uint32_t end)
{
    while (end > 0 && s.p[end - 1] == ' ')
        end--;
    return end;
}

/* Returns whether the last word before `end` needs what follows it ("by", "in"). */
static bool leads_on(struct str s, uint32_t end)
{
    static const char *const words[] = {" by",   " in", " at", " of",  " for", " from",
                                        " with", " on", " to", " and", " the", " behind"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (end > n && !memcmp(s.p + end - n, words[i], n))
            return true;
    }
    return false;
}

/* Breaks between words, or before a bracket that would stay open if that is not much further left. */
static uint32_t cut_word(struct str s, uint32_t end)
{
    uint32_t open = 0;
    while (end > 0 && s.p[end - 1] != ' ')
        end--;
    end = without_blanks(s, end);
    for (uint32_t i = 0; i < end; i++)
        open = s.p[i] == '(' && i && s.p[i - 1] == ' ' ? i : s.p[i] == ')' ? 0 : open;
    end = open > end / 2 ? without_blanks(s, open) : end;
    while (leads_on(s, end)) {
        while (end > 0 && s.p[end - 1] != ' ')
            end--;
        end = without_blanks(s, end);
    }
    return end;
}

uint32_t wrap_cut(struct str s, int w)
{
    uint32_t best = 0, end = 0, deep = 0;
    while (end < s.len && str_width((struct str){s.p, end}, w + 1) <= w - 3) {
        if (item_ends(s, end) && !deep) /* a list in brackets is part of one item */
            best = end;
        deep += s.p[end] == '(' ? 1u : s.p[end] == ')' && deep ? -1u : 0u;
        end++;
    }
    uint32_t word = cut_word(s, end);
    return best * 2 < word
               ? word
               : without_blanks(s, best); /* break after an item, unless that wastes half of the room */
}

uint32_t wrap_line(struct str *text, int w, bool last, bool *cut)
{
    uint32_t next = 0, len = wrap_next(*text, w, &next);
    *cut = last && next < text->len;
    if (*cut)
        len = wrap_cut(*text, w < LEAST ? LEAST : w);
    *text = (struct str){text->p + next, text->len - next};
    return len;
}

int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text)
{
    int used = 0;
    w = w < LEAST ? LEAST : w;
    for (; used < n && text.len; used++) {
        const char *line = text.p;
        bool cut;
        const uint32_t len = wrap_line(&text, w, used == n - 1, &cut);
        const int to = grid_text(g, x, y + used, w, (struct str){line, len}, s);
        if (cut)
            grid_str(g, to + 1, y + used, x + w - to - 1, grid_cut(g), s);
    }
    return used;
}

int wrap_lines(struct str text, int w)
{
    int n = 0;
    for (uint32_t next; text.len; n++) {
        (void)wrap_next(text, w, &next);
        text = (struct str){text.p + next, text.len - next};
    }
    return n;
}
