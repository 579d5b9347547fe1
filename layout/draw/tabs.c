/*
 * tabs.c - see tabs.h.
 */
#include "layout/draw/tabs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "layout/move/kind.h"

int tabs_text(const struct view *v, enum tabs form, char out[TABS_MOST])
{
    const int shown = v->at.view, key = kind_here(v)->over ? VIEW_NONE : kind_key(shown);
    int n = 0;
    out[0] = '\0';
    for (int no = VIEW_NONE + 1; no <= KIND_DIGITS && form != TABS_SHOWN; no++)
        if (no == key)
            n += snprintf(out + n, TABS_MOST - (size_t)n, "%s[%d:%s]", n ? " " : "", no, kind_name(shown));
        else if (form == TABS_NAMES)
            n += snprintf(out + n, TABS_MOST - (size_t)n, "%s%d:%s", n ? " " : "", no,
                          kind_name(kind_opens(v, no)));
        else
            n += snprintf(out + n, TABS_MOST - (size_t)n, "%s%d", n ? " " : "", no);
    if (key == VIEW_NONE)
        n += snprintf(out + n, TABS_MOST - (size_t)n, "%s[%s]", n ? " " : "", kind_name(shown));
    else if (form == TABS_SHOWN)
        n += snprintf(out + n, TABS_MOST - (size_t)n, "[%d:%s]", key, kind_name(shown));
    return n;
}

int tabs_draw(struct grid *g, struct view *v, enum tabs form, int x)
{
    char text[TABS_MOST];
    const int n = tabs_text(v, form, text);
    v->scr.tabs_x = x;
    v->scr.tabs = form;
    grid_str(g, x, 0, n, text, STYLE_TITLE_NOTE);
    const char *from = strchr(text, '['), *to = strchr(text, ']');
    if (from && to)
        (void)grid_text(g, x + (int)(from - text), 0, n, (struct str){from, (uint32_t)(to + 1 - from)},
                        STYLE_TITLE);
    return x + n;
}

int tabs_at(const struct view *v, int x)
{
    char text[TABS_MOST];
    const int n = v->scr.tabs == TABS_FORMS ? 0 : tabs_text(v, v->scr.tabs, text);
    if (x < v->scr.tabs_x || x >= v->scr.tabs_x + n)
        return VIEW_NONE;
    for (x -= v->scr.tabs_x; x >= 0; x--)
        if (isdigit((unsigned char)text[x]) && (!x || !isalpha((unsigned char)text[x - 1])))
            return text[x] - '0';
    return VIEW_NONE;
}
