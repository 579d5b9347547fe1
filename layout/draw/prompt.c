/*
 * prompt.c - the prompt line, pop-ups, selection, and what Esc closes first.
 *
 * The prompt always holds valid UTF-8: characters arrive as code points and are erased whole.
 */
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/cells.h"
#include "layout/cells/wrap.h"
#include "layout/cells/fmt.h"
#include "triage/query/goto.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "layout/draw/popup.h"
#include "layout/move/search.h"
#include "layout/draw/status.h"
#include "layout/move/pick.h"

unsigned view_prompt(struct view *v, enum prompt_kind k)
{
    v->prompt.kind = k;
    v->prompt.from = v->at;
    v->prompt.text[0] = 0;
    v->prompt.len = v->prompt.at = 0;
    v->msg.text[0] = 0;
    v->popup.find.from = v->popup.find.hit;
    v->popup.find.from_top = v->popup.top;
    return VR_DRAW;
}

/* Returns to where the search started, since the line was not accepted. */
static void close_prompt(struct view *v)
{
    if (v->popup.kind == POPUP_LINES) {
        v->prompt.text[v->prompt.len = 0] = 0;
        (void)popup_typed(v);
        v->prompt.kind = PROMPT_NONE;
        return;
    }
    if (v->search && v->search->typing) {
        search_free(v->search);
        v->search = NULL;
        v->at = v->prompt.from;
        v->msg.text[0] = 0;
        move_settle(v);
    }
    if (v->prompt.kind == PROMPT_SEARCH && kind_here(v)->find)
        (void)kind_here(v)->find(v, "");
    v->prompt.kind = PROMPT_NONE;
}

unsigned view_prompt_put(struct view *v, uint32_t codepoint)
{
    char b[4];
    if (!v->prompt.kind || codepoint < 0x20 || codepoint == 0x7F || codepoint > 0x10FFFF ||
        (codepoint >= 0xD800 && codepoint <= 0xDFFF))
        return VR_NONE;
    size_t n = (size_t)utf8_write(codepoint, b);
    if (v->prompt.len + n >= sizeof v->prompt.text)
        return VR_BELL;
    memmove(v->prompt.text + v->prompt.at + n, v->prompt.text + v->prompt.at,
            v->prompt.len - v->prompt.at + 1);
    memcpy(v->prompt.text + v->prompt.at, b, n);
    v->prompt.len += n;
    v->prompt.at += n;
    if (v->prompt.kind >= PROMPT_MARK) /* one letter is all of it */
        return view_prompt_accept(v);
    return VR_DRAW | move_typed(v);
}

/* Returns where the character before or after byte `at` starts. */
static size_t char_before(const struct view *v, size_t at)
{
    while (at > 0 && ((unsigned char)v->prompt.text[--at] & 0xC0) == 0x80)
        ;
    return at;
}

static size_t char_behind(const struct view *v, size_t at)
{
    while (at < v->prompt.len && ((unsigned char)v->prompt.text[++at] & 0xC0) == 0x80)
        ;
    return at;
}

/* Deletes bytes [from, to) and moves the cursor there. */
static unsigned prompt_cut(struct view *v, size_t from, size_t to)
{
    memmove(v->prompt.text + from, v->prompt.text + to, v->prompt.len - to + 1);
    v->prompt.len -= to - from;
    v->prompt.at = from;
    return from < to ? VR_DRAW | move_typed(v) : VR_DRAW;
}

unsigned view_prompt_edit(struct view *v, enum prompt_edit e)
{
    struct prompt *p = &v->prompt;
    size_t word = p->at;
    while (word > 0 && p->text[word - 1] == ' ')
        word--;
    while (word > 0 && p->text[word - 1] != ' ')
        word--;
    if (e == EDIT_DELETE && p->at == p->len)
        e = EDIT_ERASE;
    if (e == EDIT_ERASE && !p->len) {
        close_prompt(v);
        return VR_DRAW;
    }
    switch (e) {
    case EDIT_ERASE: return prompt_cut(v, char_before(v, p->at), p->at);
    case EDIT_DELETE: return prompt_cut(v, p->at, char_behind(v, p->at));
    case EDIT_ERASE_WORD: return prompt_cut(v, word, p->at);
    case EDIT_CLEAR: return prompt_cut(v, 0, p->at);
    case EDIT_KILL: return prompt_cut(v, p->at, p->len);
    case EDIT_LEFT: p->at = char_before(v, p->at); break;
    case EDIT_RIGHT: p->at = char_behind(v, p->at); break;
    case EDIT_HOME: p->at = 0; break;
    case EDIT_END: p->at = p->len; break;
    }
    return VR_DRAW;
}

static unsigned accepted(struct view *v)
{
    enum prompt_kind k = v->prompt.kind;
    struct target g;
    char line[VIEW_TEXT];
    memcpy(line, v->prompt.text, sizeof line);
    v->prompt.kind = PROMPT_NONE;
    if (k == PROMPT_FILTER)
        return VR_DRAW | view_filter(v, line);
    if (k == PROMPT_MARK)
        return view_mark(v, line);
    if (k == PROMPT_MARK_GO)
        return view_mark_go(v, line);
    if (k == PROMPT_SEARCH && v->popup.kind == POPUP_LINES)
        return v->popup.find.hit || !*line ? VR_DRAW : move_fail(v, "not found here: %.100s", line);
    if (k == PROMPT_SEARCH && move_typed_done(v, line))
        return VR_DRAW | move_typed_on(v);
    if (k == PROMPT_SEARCH)
        return VR_DRAW | view_search(v, line);
    if (k == PROMPT_SLICE) {
        memcpy(v->prompt.command, line, sizeof v->prompt.command);
        return VR_DRAW;
    }
    if (k != PROMPT_COMMAND || !line[strspn(line, " ")])
        return VR_DRAW;
    if (goto_parse(NULL, line, &g, NULL))
        return view_goto(v, line);
    memcpy(v->prompt.command, line, sizeof v->prompt.command);
    return VR_DRAW | VR_COMMAND;
}

unsigned view_prompt_accept(struct view *v)
{
    const struct place from = v->prompt.from;
    const unsigned f = accepted(v);
    kind_leads(v, &from);
    return f;
}

/* ---- pop-ups ------------------------------------------------------------------------------------------- */

unsigned view_popup_text(struct view *v, const char *title, const struct rich *text)
{
    if (v->popup.kind != POPUP_LINES || v->popup.title != title) {
        v->popup.find.text[0] = 0;
        v->popup.find.hit = 0;
    }
    v->popup.kind = POPUP_LINES;
    v->popup.top = 0;
    v->popup.title = title;
    v->popup.text = text;
    return VR_DRAW;
}

bool view_popup_span(struct view *v)
{
    struct lane l;
    int64_t t;
    if (!kind_here(v)->span || !kind_here(v)->span(v, &l, &t))
        return false;
    v->popup.kind = POPUP_SPAN;
    v->popup.top = 0;
    v->popup.lane = l;
    v->popup.t = t;
    return true;
}

void view_popup_follow(struct view *v, const struct place *from)
{
    const struct place *at = &v->at;
    bool moved = at->view != from->view || at->cursor != from->cursor || at->focus.kind != from->focus.kind ||
                 at->focus.i != from->focus.i;
    if (v->popup.kind == POPUP_SPAN && moved && !view_popup_span(v))
        v->popup.kind = POPUP_NONE;
}

unsigned view_popup_scroll(struct view *v, int n)
{
    int most = v->popup.lines > v->popup.rows ? v->popup.lines - v->popup.rows : 0;
    int64_t to = (int64_t)v->popup.top + n;
    int top = to < 0 ? 0 : to > most ? most : (int)to;
    if (!v->popup.kind || top == v->popup.top)
        return VR_NONE;
    v->popup.top = top;
    return VR_DRAW;
}

/* ---- selection, Esc ------------------------------------------------------------------------------------ */

unsigned view_select(struct view *v, int n)
{
    (void)n;
    char a[FMT_MAX];
    if (v->sel.stands) {
        v->sel.stands = false;
        return VR_DRAW;
    }
    if (!v->sel.going) {
        v->sel.going = true;
        v->sel.t0 = v->sel.t1 = v->at.cursor;
        return view_message(v, false, "range from %s: move, then the same key again",
                            when_exact(v->tr, v->sel.t0, a));
    }
    int64_t t0, t1, from = v->sel.t0;
    view_column(v, &t0, &t1);
    v->sel.going = false;
    if (v->at.cursor >= from) {
        v->sel.t1 = v->at.exact && v->at.cursor > from ? v->at.cursor : t1;
    } else {
        v->sel.t1 = from;
        v->sel.t0 = v->at.cursor;
    }
    v->sel.stands = v->sel.t1 > v->sel.t0;
    v->msg.text[0] = 0;
    return VR_DRAW;
}

bool view_message_open(const struct view *v)
{
    return v->msg.text[0] && !v->msg.error && wrap_lines(str_of(v->msg.text), v->scr.w) > 1;
}

/* Closes what lies over the view. VR_NONE: nothing does. */
static unsigned close_top(struct view *v)
{
    if (v->prompt.kind)
        close_prompt(v);
    else if (v->popup.kind)
        v->popup.kind = POPUP_NONE;
    else if (view_searching(v)) {
        search_free(v->search);
        v->search = NULL;
        view_message(v, false, "search stopped");
    } else if (view_message_open(v))
        v->msg.text[0] = 0;
    else
        return VR_NONE;
    return VR_DRAW;
}

/* Drops what the reader has marked in the view. VR_NONE: nothing is marked. */
static unsigned drop_mark(struct view *v)
{
    if (v->sel.going || v->sel.stands)
        v->sel.going = v->sel.stands = false;
    else if (v->search && !v->search->hidden)
        v->search->hidden = true;
    else if (v->at.guest && kind_here(v)->lanes == LANE_G) {
        view_guest(v, NO_LANE, 0);
        move_settle(v);
    } else if (v->lanes[LANE_G].only && kind_here(v)->lanes == LANE_G)
        return view_related(v); /* show all goroutines */
    else
        return VR_NONE;
    return VR_DRAW;
}

unsigned view_quit(struct view *v)
{
    unsigned f = close_top(v);
    if (!f && kind_led(v))
        return kind_return(v);
    if (!f)
        f = view_do(v, REQ_BACK, 0);
    return f == VR_QUIT && kind_under(v) ? view_undo(v, kind_under(v)) : f;
}

unsigned view_back(struct view *v)
{
    unsigned f = close_top(v);
    f = f ? f : drop_mark(v);
    f = f ? f : view_quit(v);
    return f == VR_QUIT ? move_fail(v, "there is nothing to go back from: q leaves") : f;
}

bool view_searching(const struct view *v)
{
    return v->search && !v->search->done;
}

const char *view_quit_word(const struct view *v)
{
    const struct view_kind *here = kind_here(v);
    const char *up = here->back_word ? here->back_word(v) : NULL;
    return v->prompt.kind || v->popup.kind ? "close"
           : view_searching(v)             ? "stop"
           : view_message_open(v)          ? "close"
           : kind_led(v)                   ? kind_led(v)
           : up                            ? up
           : kind_under(v)                 ? "back"
                                           : NULL;
}

const char *view_drop_word(const struct view *v)
{
    const bool goroutines = kind_here(v)->lanes == LANE_G;
    return v->prompt.kind || v->popup.kind || view_searching(v) || view_message_open(v) ? NULL
           : v->sel.going || v->sel.stands                                              ? "no range"
           : v->search && !v->search->hidden                                            ? "no marks"
           : v->at.guest && goroutines                                                  ? "drop top lane"
           : v->lanes[LANE_G].only && goroutines                                        ? "all lanes"
                                                                                        : NULL;
}

/* ---- yank ---------------------------------------------------------------------------------------------- */

unsigned view_yank(struct view *v, struct text *t, bool *rows)
{
    const struct view_kind *k = kind_here(v);
    char line[STATUS_MOST];
    *rows = !v->popup.kind && k->tsv && k->tsv(v, t); /* only lines for another program */
    if (*rows) {
        view_message(v, false, "%s",
                     k->rows(v) > KIND_COPIED ? "copied: the first 20,000 rows; gotop sql prints more"
                                              : "copied: all rows");
    } else if (v->popup.kind) {
        popup_print(v, t);
        view_message(v, false, "copied: all lines of the pop-up");
    } else {
        status_text(v, line, sizeof line);
        if (k->tsv && !line[0])
            return move_fail(v, "no rows here to copy");
        text_raw(t, line, strlen(line));
        view_message(v, false, "copied: %s", line);
    }
    return VR_DRAW | VR_YANK;
}
