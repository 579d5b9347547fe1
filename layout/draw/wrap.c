/*
 * wrap.c - see wrap.h.
 */
#include "layout/draw/wrap.h"

enum { LEAST = 8 }; /* narrower than that, words would stand one below the other */

/* Does an item of a list end here: a comma and a blank, or two blanks? */
static bool item_ends(struct str s, uint32_t at)
{
    if (at == 0 || at >= s.len || s.p[at] != ' ')
        return false;
    return s.p[at - 1] == ',' || s.p[at - 1] == ';' || (at + 1 < s.len && s.p[at + 1] == ' ');
}

uint32_t wrap_next(struct str text, int w, uint32_t *next)
{
    uint32_t fit = 0, item = 0, end = 0;
    w = w < LEAST ? LEAST : w;
    if (str_width(text, w + 1) <= w)
        return *next = text.len;
    for (int used = 0; end < text.len;) {
        uint32_t at = end;
        int cw;
        str_next(text, &at, &cw);
        if (text.p[end] == ' ') {
            fit = end;
            if (item_ends(text, end))
                item = end;
        }
        if ((used += cw) > w)
            break;
        end = at;
    }
    if (item && str_width((struct str){text.p, item}, w) >= w * 3 / 4) /* a list is best broken behind an item */
        fit = item;
    uint32_t len = fit ? fit : end;
    for (*next = len; *next < text.len && text.p[*next] == ' ';)
        ++*next;
    return len;
}

uint32_t wrap_cut(struct str s, int w)
{
    uint32_t best = 0, end = 0;
    while (end < s.len && str_width((struct str){s.p, end}, w + 1) <= w - 3) {
        if (item_ends(s, end))
            best = end;
        end++;
    }
    while (!best && end > 0 && s.p[end - 1] != ' ')
        end--;
    end = best ? best : end;
    while (end > 0 && s.p[end - 1] == ' ')
        end--;
    return end;
}

int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text)
{
    int used = 0;
    w = w < LEAST ? LEAST : w;
    for (; text.len && used < n; used++) {
        uint32_t next = 0, len = wrap_next(text, w, &next);
        bool cut = used == n - 1 && next < text.len;
        if (cut)
            len = wrap_cut(text, w);
        int to = g ? grid_text(g, x, y + used, w, (struct str){text.p, len}, s) : 0;
        if (g && cut)
            grid_str(g, to, y + used, x + w - to, " ..", s);
        text = (struct str){text.p + next, text.len - next};
    }
    return used;
}
