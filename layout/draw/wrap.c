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

static int lines_of(struct str text, int first, int w)
{
    int n = 0;
    for (uint32_t next; text.len; n++) {
        (void)wrap_next(text, n ? w : first, &next);
        text = (struct str){text.p + next, text.len - next};
    }
    return n;
}

bool wrap_fold(struct str text, int w, int n, int *head, uint32_t *tail)
{
    int end = n >= 4 ? 2 : 1; /* lines for its end */
    w = w < LEAST ? LEAST : w;
    if (n < 2 || w < LEAST + WRAP_FOLD || lines_of(text, w, w) <= n)
        return false;
    *head = n - end;
    *tail = text.len;
    for (uint32_t at = text.len; at > 0 && text.len - at <= 4 * (uint32_t)(end * w); at--) {
        struct str rest = {text.p + at, text.len - at};
        if (text.p[at - 1] == ' ' && rest.len && rest.p[0] != ' ') {
            if (lines_of(rest, w - WRAP_FOLD, w) > end)
                break;
            *tail = at;
        }
    }
    return *tail < text.len;
}

int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text)
{
    int used = 0, head = 0;
    uint32_t tail = 0;
    w = w < LEAST ? LEAST : w;
    bool fold = wrap_fold(text, w, n, &head, &tail);
    const char *end = text.p + tail;
    for (; text.len && used < n; used++) {
        int in = fold && used == head ? WRAP_FOLD : 0;
        if (in) {
            text = (struct str){end, text.len - (uint32_t)(end - text.p)};
            if (g)
                grid_str(g, x, y + used, w, ".. ", s);
        }
        uint32_t next = 0, len = wrap_next(text, w - in, &next);
        bool cut = used == n - 1 && next < text.len;
        if (cut)
            len = wrap_cut(text, w - in);
        int to = g ? grid_text(g, x + in, y + used, w - in, (struct str){text.p, len}, s) : 0;
        if (g && cut)
            grid_str(g, to, y + used, x + w - to, " ..", s);
        text = (struct str){text.p + next, text.len - next};
    }
    return used;
}
