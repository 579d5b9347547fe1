/*
 * popup_find.c - search in a pop-up of text (help, a goroutine's life): '/' searches it instead of
 * the trace, which it covers.
 */
#include <string.h>

#include "layout/move/popup_find.h"
#include "triage/query/match.h"
#include "layout/move/move.h"

bool popup_finds(const struct view *v)
{
    return v->popup.kind == POPUP_LINES && v->popup.find.text[0];
}

/* Goes to the next matching entry at or after `from` (1: the first one), dir < 0: before it; wraps around. */
static bool to_entry(struct view *v, size_t from, int dir)
{
    struct match m;
    char why[120];
    const size_t n = rich_paras(v->popup.text);
    if (!match_init(&m, v->popup.find.text, false, why, sizeof why))
        return false;
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        const size_t at = dir < 0 ? (from + 2 * n - 1 - i) % n : (from + n - 1 + i) % n;
        found = match_str(&m, rich_at(v->popup.text, at));
        if (found) {
            v->popup.find.hit = at + 1;
            v->popup.find.show = true;
        }
    }
    match_free(&m);
    return found;
}

void popup_find_begin(struct view *v)
{
    v->popup.find.from = v->popup.find.hit;
    v->popup.find.from_top = v->popup.top;
}

unsigned popup_typed(struct view *v)
{
    memcpy(v->popup.find.text, v->prompt.text, sizeof v->popup.find.text);
    v->popup.find.hit = 0;
    v->popup.top = v->popup.find.from_top;
    if (v->prompt.len)
        (void)to_entry(v, v->popup.find.from ? v->popup.find.from : 1, 1);
    return VR_DRAW;
}

void popup_find_end(struct view *v)
{
    v->popup.find.text[0] = 0;
    v->popup.find.hit = 0;
    v->popup.top = v->popup.find.from_top;
}

unsigned popup_find_next(struct view *v, int n)
{
    const bool back = n < 0;
    const size_t all = rich_paras(v->popup.text);
    if (!all)
        return VR_NONE;
    for (int i = 0; i < (back ? -n : n) && i < 1000; i++)
        if (!to_entry(v, back ? v->popup.find.hit + all - 1 : v->popup.find.hit + 1, n))
            return move_fail(v, "not found here: %.100s", v->popup.find.text);
    return VR_DRAW;
}

unsigned popup_find_accept(struct view *v)
{
    return v->popup.find.hit || !v->popup.find.text[0]
               ? VR_DRAW
               : move_fail(v, "not found here: %.100s", v->popup.find.text);
}
