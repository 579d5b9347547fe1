/*
 * wrap.c - see wrap.h.
 */
#include "layout/cells/wrap.h"

#include <string.h>

enum { LEAST = 8 }; /* in fewer columns each word would have its own line */

/* An item of a list ends here: at a comma and a blank, or at two blanks. */
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

/* The last word before `end` needs what follows it ("by", "in"). */
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

/* Break between words; before a bracket that would stay open, if that is not much further left. */
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

static int wrap_lines(struct str text, int first, int w)
{
    int n = 0;
    for (uint32_t next; text.len; n++) {
        (void)wrap_next(text, n ? w : first, &next);
        text = (struct str){text.p + next, text.len - next};
    }
    return n;
}

/* The places where a text may be cut: after a sentence (2) or an item of a list (1), not within brackets.
 * For each, the lines that the text before it needs, and those that the text after it needs behind ".. ". */
enum { PLACES = 64 };
struct place {
    uint32_t at;
    int kind, head, tail;
};

static bool wrap_begins(struct str s, const char *with)
{
    size_t n = strlen(with);
    return s.len >= n && memcmp(s.p, with, n) == 0;
}

static uint32_t places_of(struct str s, struct place v[PLACES])
{
    uint32_t n = 0;
    int deep = 0;
    for (uint32_t at = 1; at < s.len && n < PLACES; at++) {
        char before = s.p[at - 1];
        deep += before == '(' ? 1 : before == ')' && deep ? -1 : 0;
        if (s.p[at] != ' ' || deep || at + 1 >= s.len || s.p[at + 1] == ' ' || before == ' ')
            continue;
        bool upper = (s.p[at + 1] >= 'A' && s.p[at + 1] <= 'Z') || (s.p[at + 1] >= '0' && s.p[at + 1] <= '9');
        struct str rest = {s.p + at + 1, s.len - at - 1};
        int kind = before == '.' && upper ? 2 : before == ',' || before == ';' ? 1 : 0;
        if (kind && !wrap_begins(rest, "called by ") &&
            !wrap_begins(rest, "by ")) /* a function and its callers are one item */
            v[n++] = (struct place){.at = at, .kind = kind};
    }
    return n;
}

/* No sentence or item ends where it should, so cut between words. */
static bool fold_words(struct str text, int w, int n, uint32_t *head, uint32_t *tail)
{
    int end = n >= 4 ? 2 : 1; /* lines for the end of the text */
    struct str s = text;
    for (int i = 0; i < n - end; i++) {
        uint32_t next;
        (void)wrap_next(s, w, &next);
        s = (struct str){s.p + next, s.len - next};
    }
    *head = (uint32_t)(s.p - text.p);
    *tail = text.len;
    int deep = 0; /* the end does not begin in a bracket, if it can begin after it */
    uint32_t any = text.len;
    for (uint32_t at = text.len; at > *head && text.len - at <= 4 * (uint32_t)(end * w); at--) {
        struct str rest = {text.p + at, text.len - at};
        char here = at < text.len ? text.p[at] : 0;
        deep += here == ')' ? 1 : here == '(' && deep ? -1 : 0;
        if (text.p[at - 1] == ' ' && rest.len && rest.p[0] != ' ') {
            if (wrap_lines(rest, w - WRAP_FOLD, w) > end)
                break;
            any = at;
            *tail = deep ? *tail : at;
        }
    }
    *tail = *tail < text.len ? *tail : any;
    return *tail < text.len;
}

bool wrap_fold(struct str text, int w, int n, uint32_t *head, uint32_t *tail)
{
    struct place v[PLACES];
    uint32_t nv, best = UINT32_MAX;
    w = w < LEAST ? LEAST : w;
    if (n < 2 || w < LEAST + WRAP_FOLD || wrap_lines(text, w, w) <= n)
        return false;
    nv = places_of(text, v);
    for (uint32_t i = 0; i < nv; i++) {
        v[i].head = wrap_lines((struct str){text.p, v[i].at}, w, w);
        v[i].tail = wrap_lines((struct str){text.p + v[i].at + 1, text.len - v[i].at - 1}, w - WRAP_FOLD, w);
    }
    for (uint32_t i = 0, k = 0; i < nv && v[i].head < n;
         i++) { /* the longer the head, the later the tail begins */
        k = k < i ? i : k;
        while (k < nv && v[i].head + v[k].tail > n)
            k++;
        if (k == nv)
            break;
        uint32_t to = k; /* prefer a tail that begins a sentence: the rest of one says little */
        while (to < nv && v[to].kind < 2)
            to++;
        bool part = to == nv;
        to = part ? k : to;
        uint32_t lost =
            v[to].at - v[i].at + (v[i].kind < 2 ? (uint32_t)w / 2 : 0) + (part ? 4 * (uint32_t)w : 0);
        if (to > i && lost < best) {
            best = lost;
            *head = v[i].at;
            *tail = v[to].at + 1;
        }
    }
    return best != UINT32_MAX || fold_words(text, w, n, head, tail);
}

int wrap_with(const struct wrap_how *h, int x, int y, int w, int n, struct str text)
{
    int used = 0;
    uint32_t head = 0, tail = 0;
    w = w < LEAST ? LEAST : w;
    bool fold = h->fold && wrap_fold(text, w, n, &head, &tail);
    struct str rest = {text.p + tail, text.len - tail};
    text.len = fold ? head : text.len;
    for (; used < n && (text.len || fold); used++) {
        int in = 0;
        if (!text.len) { /* the head is written: now the tail */
            in = WRAP_FOLD;
            text = rest;
            fold = false;
            if (h->g)
                grid_str(h->g, x, y + used, w, grid_cut(h->g), h->mark);
        }
        uint32_t next = 0, len = wrap_next(text, w - in, &next);
        bool cut = used == n - 1 && next < text.len;
        if (cut)
            len = wrap_cut(text, w - in);
        int to = h->g ? h->put(h, x + in, y + used, w - in, (struct str){text.p, len}) : 0;
        if (h->g && cut)
            grid_str(h->g, to + 1, y + used, x + w - to - 1, grid_cut(h->g), h->mark);
        text = (struct str){text.p + next, text.len - next};
    }
    return used;
}

static int plain_put(const struct wrap_how *h, int x, int y, int w, struct str line)
{
    return grid_text(h->g, x, y, w, line, h->mark);
}

int wrap_draw(struct grid *g, int x, int y, int w, int n, enum style s, struct str text)
{
    return wrap_with(&(struct wrap_how){.g = g, .mark = s, .fold = true, .put = plain_put}, x, y, w, n, text);
}
