/*
 * help.c - key bindings as text.
 *
 * Everything comes from actions.def and a keymap, so help shows what works.
 */
#include "viewer/keys/help.h"

#include <string.h>

#include "layout/move/kind.h"
#include "layout/cells/legend.h"
#include "viewer/keys/act.h"

enum { KEYS_SIZE = 256, WANT_KEYS = 140 };

/* Write all keys of one action: "Left  h  a". */
static void join_keys(const struct keymap *km, enum keyview view, enum action a, char *out, size_t size)
{
    const struct binding *b;
    size_t len = 0;
    out[0] = '\0';
    for (size_t at = 0; (b = keymap_next(km, view, a, &at)) != NULL && len < size;) {
        char one[96];
        len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "  " : "",
                                binding_keys(b, one, sizeof one));
        if (b->arg && len < size)
            len += (size_t)snprintf(out + len, size - len, " (%s)", b->arg);
    }
}

/* ---- what is wanted most ------------------------------------------------------------------------------- */

/* The footer's actions, most wanted first, since a narrow screen cuts the end. Those that the view does not
 * answer are left out. */
struct want {
    enum action a, b;
    const char *label; /* NULL: the view's word, or the action's */
};
static const struct want lanes_want[] = {
    {ACT_HELP, ACT_NONE, "keys"},
    {ACT_BACK, ACT_NONE, NULL},
    {ACT_CLOSE, ACT_NONE, NULL},
    {ACT_ZOOM_IN, ACT_ZOOM_OUT, "zoom"},
    {ACT_DETAILS, ACT_NONE, "stack"},
    {ACT_VIEW_TASKS, ACT_NONE, NULL},
    {ACT_VIEW_GC, ACT_NONE, NULL},
    {ACT_FOLD, ACT_NONE, NULL},
    {ACT_WHY, ACT_NONE, NULL},
    {ACT_CAUSE, ACT_NONE, "woken by"},
    {ACT_SEARCH, ACT_NONE, "find"},
    {ACT_FINDING_NEXT, ACT_NONE, "finding"},
    {ACT_PAN_LEFT, ACT_PAN_RIGHT, "move"}, /* everybody tries the arrows anyway */
    {ACT_LANE_DOWN, ACT_LANE_UP, "lane"},
    {ACT_SORT, ACT_NONE, "order"},
    {ACT_GOTO, ACT_NONE, "go to"},
    {ACT_SPAN_NEXT, ACT_SPAN_PREV, "span"},
    {ACT_GC_NEXT, ACT_NONE, "GC"},
    {ACT_SWAP, ACT_NONE, "G/P"},
    {ACT_YANK, ACT_NONE, "copy"},
    {ACT_UNDO, ACT_NONE, "undo"},
    {0},
};
static const struct want table_want[] = {
    {ACT_HELP, ACT_NONE, "keys"},
    {ACT_BACK, ACT_NONE, NULL},
    {ACT_CLOSE, ACT_NONE, NULL},
    {ACT_VIEW_TRIAGE, ACT_NONE, NULL}, /* what changed between two traces */
    {ACT_DETAILS, ACT_NONE, "look there"},
    {ACT_WHY, ACT_NONE, NULL},
    {ACT_CAUSE, ACT_NONE, NULL},
    {ACT_VIEW_GROUPS, ACT_NONE, NULL},
    {ACT_VIEW_WAITS, ACT_NONE, NULL},
    {ACT_VIEW_TASKS, ACT_NONE, NULL},
    {ACT_VIEW_GC, ACT_NONE, NULL},
    {ACT_FOLD, ACT_NONE, NULL},
    {ACT_SEARCH, ACT_NONE, NULL},
    {ACT_SORT, ACT_SORT_INVERT, "sort"},
    {ACT_ZOOM_IN, ACT_ZOOM_OUT, "zoom"},
    {ACT_PAN_LEFT, ACT_PAN_RIGHT, "beside"},
    {ACT_SELECT, ACT_NONE, "range"},
    {ACT_LANE_DOWN, ACT_LANE_UP, "row"},
    {ACT_FINDING_NEXT, ACT_NONE, "finding"},
    {ACT_VIEW_FLAME, ACT_NONE, "flame"},
    {ACT_YANK, ACT_NONE, "copy"},
    {0},
};
static const struct want popup_want[] = {
    {ACT_CLOSE, ACT_NONE, "close"},
    {ACT_LANE_DOWN, ACT_LANE_UP, "scroll"},
    {ACT_WHY, ACT_NONE, "why"},
    {ACT_YANK, ACT_NONE, "copy all"},
    {ACT_SOURCE, ACT_NONE, "source"},
    {ACT_CAUSE, ACT_NONE, "woken by"},
    {ACT_EFFECT, ACT_NONE, "whom it wakes"},
    {ACT_SEARCH, ACT_NONE, "find in it"},
    {0},
};

static const struct want also[] = {
    {ACT_GOTO, ACT_NONE, "go to, or any action"},
    {ACT_SELECT, ACT_NONE, "select a range"},
    {ACT_RELATED, ACT_NONE, "related goroutines"},
    {ACT_SUMS, ACT_NONE, "top of the window"},
    {ACT_SPLIT, ACT_NONE, "below the lanes"},
    {ACT_SOURCE, ACT_NONE, "source"},
    {ACT_VIEW_TOP, ACT_NONE, "live top"},
    {ACT_VIEW_FLAME, ACT_NONE, "flame graph"},
    {ACT_FILTER, ACT_NONE, "filter"},
    {ACT_PICTURE, ACT_NONE, "the screen as a picture"},
    {0},
};

static const struct want *want_list(const struct view *v)
{
    return v->popup.kind ? popup_want : kind_here(v)->table ? table_want : lanes_want;
}

/* Returns whether the action would do something now. */
static bool offered(const struct view *v, const struct want *w)
{
    bool lines = v->popup.kind == POPUP_LINES;
    if (v->popup.kind && w->a == ACT_LANE_DOWN)
        return v->popup.lines > v->popup.rows;
    if (v->popup.kind == POPUP_SPAN && w->a == ACT_SEARCH)
        return false;
    if (lines && (w->a == ACT_WHY || w->a == ACT_SOURCE || w->a == ACT_CAUSE || w->a == ACT_EFFECT))
        return false;
    if (!w->label && w->a == ACT_CLOSE)
        return view_drop_word(v) != NULL;
    if (!w->label && w->a != ACT_BACK && !act_word(v, w->a))
        return false; /* only where the view has a word for it */
    if (w->label && act_leads(v, w->a))
        return false; /* offered by its action, as the next view */
    return act_answers(v, w->a);
}

static const char *want_label(const struct view *v, const struct want *w)
{
    const char *word = w->a == ACT_BACK                     ? view_quit_word(v)
                       : w->a == ACT_CLOSE                  ? view_drop_word(v)
                       : v->popup.kind && w->a != ACT_CAUSE ? NULL
                                                            : act_word(v, w->a);
    return word ? word : w->a == ACT_BACK ? "quit" : w->label;
}

/* Write the keys of what is wanted. Returns false when there are none, or they would do nothing now. */
static bool want_keys(const struct view *v, const struct keymap *km, enum keyview view, const struct want *w,
                      const char *gap, char out[WANT_KEYS])
{
    char one[64], two[64] = "";
    (void)keymap_key(km, view, w->a, one, sizeof one);
    if (!one[0] || !offered(v, w))
        return false;
    if (w->b != ACT_NONE && act_answers(v, w->b))
        (void)keymap_key(km, view, w->b, two, sizeof two);
    snprintf(out, WANT_KEYS, "%s%s%s", one, two[0] ? gap : "", two);
    return true;
}

/* ---- the help screen ----------------------------------------------------------------------------------- */

static void help_counts(struct rich *t, const struct keymap *km, enum keyview view)
{
    struct keystate st = {0};
    const struct binding *hit;
    uint32_t count;
    bool plain = keymap_feed(km, &st, view, '5', &hit, &count) == KEYFEED_MORE && st.counting;
    char prefix[64];
    (void)keymap_key(km, view, ACT_COUNT_PREFIX, prefix, sizeof prefix);
    rich_say(t, STYLE_POPUP_HEAD, "Counts");
    if (plain)
        rich_say(t, STYLE_POPUP, "  Digits before a key repeat it: 5 and a key.");
    else if (prefix[0])
        rich_say(t, STYLE_POPUP, "  Digits are bound here, so a count begins with %s : %s 5 and a key.",
                 prefix, prefix);
}

enum { FIRST_KEYS = 12, KEYS_COLS = 13, HALF_COLS = 36 };

/* Add at most FIRST_KEYS of these, two in a row. */
static void help_wants(struct rich *t, const struct view *v, const struct keymap *km, enum keyview view,
                       const struct want *w)
{
    char row[160] = "";
    for (int shown = 0; w->a != ACT_NONE && shown < FIRST_KEYS; w++) {
        char keys[WANT_KEYS];
        if (!want_keys(v, km, view, w, "  ", keys))
            continue;
        if (shown++ % 2)
            rich_say(t, STYLE_POPUP, "%s  %-*s %s", row, KEYS_COLS, keys, want_label(v, w));
        else
            snprintf(row, sizeof row, "  %-*.60s %-*.60s", KEYS_COLS, keys, HALF_COLS - KEYS_COLS - 3,
                     want_label(v, w));
        row[0] = shown % 2 ? row[0] : '\0';
    }
    if (row[0])
        rich_say(t, STYLE_POPUP, "%s", row);
}

/* Add the keys that one needs first in this view, and those that one would not guess. */
static void help_here(struct rich *t, const struct view *v, const struct keymap *km, enum keyview view)
{
    rich_say(t, STYLE_POPUP_HEAD, "The keys of this view");
    help_wants(t, v, km, view, want_list(v));
    rich_blank(t);
    rich_say(t, STYLE_POPUP_HEAD, "Also");
    help_wants(t, v, km, view, also);
    rich_say(t, STYLE_POPUP,
             "  The mouse: a click points, a second one opens, the wheel zooms or scrolls, dragging selects "
             "a range; a click on a column's title sorts, on a tab it shows that view.");
    rich_blank(t);
}

/* Add all actions by group. Keys that are too long for their column are followed by two blanks. */
static void help_all(struct rich *t, const struct keymap *km, enum keyview view)
{
    const char *group = "";
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        char keys[KEYS_SIZE];
        join_keys(km, view, a, keys, sizeof keys);
        if (!keys[0])
            snprintf(keys, sizeof keys, ":%s", action_name(a));
        if (strcmp(group, action_group(a)) != 0) {
            if (*group)
                rich_blank(t);
            rich_say(t, STYLE_POPUP_HEAD, "%s", action_group(a));
            group = action_group(a);
        }
        rich_say(t, STYLE_POPUP, "  %-18s  %s", keys, action_help(a));
    }
    rich_blank(t);
    help_counts(t, km, view);
    rich_blank(t);
    rich_say(t, STYLE_POPUP_HEAD, "In a prompt");
    rich_say(t, STYLE_POPUP,
             "  Enter accepts, Esc gives up, Up and Down bring back earlier lines, Tab completes an action's "
             "name or a view's, Left, Right, Home and End move in the line, "
             "Ctrl-U clears it, Ctrl-W a word, Ctrl-K the rest. / in a text like this one finds "
             "words in it, n and N the next line that has them.");
    rich_say(t, STYLE_POPUP, "%s",
             "  Behind : stands a time (1.25s, 50%), a range (1.2s..1.3s), a goroutine "
             "(g123), a processor (p4), a "
             "thread (m7), or the name of an action or a view (view-cycles).");
}

bool help_make(struct rich *out, const struct keymap *km, const struct view *v, enum keyview view)
{
    rich_clear(out);
    if (!kind_here(v)->table) /* none of the legend's signs appears in a table */
        legend_all(v->scr.tier, v->scr.mono, out);
    else if (v->at.view == VIEW_TRIAGE)
        legend_page(v->scr.tier, out);
    if (out->n)
        rich_blank(out);
    help_here(out, v, km, view);
    help_all(out, km, view);
    return !out->oom;
}

/* ---- the footer, drawn --------------------------------------------------------------------------------- */

static void footer_chord(const struct keymap *km, const struct keystate *st, char *out, size_t size)
{
    char so_far[96], key[KEY_NAME_MAX];
    size_t at = (size_t)snprintf(out, size, "%s ...", keystate_text(st, so_far, sizeof so_far));
    const struct binding *b;
    for (size_t i = 0; st->n && at < size && (b = keymap_continues(km, st, &i)) != NULL;)
        at += (size_t)snprintf(out + at, size - at, "  %s %s",
                               key_text(b->keys[st->n < b->nkeys ? st->n : 0], key), action_name(b->action));
}

enum { OF_VIEW = 1, OF_CURSOR = 2 };

/* Returns on what it depends whether it is offered: on where the cursor is, or on the view alone. */
static int of_what(const struct want *w)
{
    return w->a == ACT_WHY || w->a == ACT_CAUSE ? OF_CURSOR : OF_VIEW;
}

/* Add the keys that the view offers everywhere, those that it offers where the cursor is, or both. */
static size_t footer_keys(const struct view *v, const struct keymap *km, enum keyview view, int which,
                          char *out, size_t size, size_t at)
{
    for (const struct want *w = want_list(v); w->a != ACT_NONE && at < size; w++) {
        char keys[WANT_KEYS];
        if ((which & of_what(w)) && want_keys(v, km, view, w, " ", keys))
            at += (size_t)snprintf(out + at, size - at, "%s%s\t%s", at ? "  " : "", keys, want_label(v, w));
    }
    return at;
}

void help_footer(const struct keymap *km, const struct keystate *st, const struct view *v, enum keyview view,
                 char *out, size_t size)
{
    if (st->n || st->counting) {
        footer_chord(km, st, out, size);
        return;
    }
    out[0] = '\0';
    /* If there is room for all, those that come and go stand last, and the others stay in place. */
    if (footer_keys(v, km, view, OF_VIEW | OF_CURSOR, out, size, 0) <= (size_t)v->scr.w)
        (void)footer_keys(v, km, view, OF_CURSOR, out, size, footer_keys(v, km, view, OF_VIEW, out, size, 0));
}

/* ---- a list for scripts ------------------------------------------------------------------------------- */

void help_actions(FILE *f)
{
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++)
        fprintf(f, "%-18s %s\n", action_name(a), action_help(a));
}
