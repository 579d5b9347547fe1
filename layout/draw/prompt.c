/*
 * prompt.c - the prompt line, pop-ups, selection, and what Esc closes first.
 *
 * The prompt holds valid UTF-8 always: characters come one by one as code points, erasing takes whole ones.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/draw/cells.h"
#include "layout/draw/wrap.h"
#include "layout/move/why.h"
#include "layout/move/when.h"
#include "layout/move/goto.h"
#include "layout/views/kind.h"
#include "layout/move/move.h"
#include "layout/draw/popup.h"
#include "layout/move/search.h"
#include "layout/draw/status.h"

unsigned view_prompt(struct view *v, enum prompt_kind k)
{
    v->prompt = k;
    v->prompt_from = v->at;
    v->text[0] = 0;
    v->text_len = v->text_at = 0;
    v->message[0] = 0;
    if (v->popup == POPUP_LINES)
        popup_find_begin(v);
    return VR_DRAW;
}

/* Without a line accepted: back to where a search began to be typed. */
static void close_prompt(struct view *v)
{
    if (v->popup == POPUP_LINES) {
        popup_find_end(v);
        v->prompt = PROMPT_NONE;
        return;
    }
    if (v->search && v->search->typing) {
        search_free(v->search);
        v->search = NULL;
        v->at = v->prompt_from;
        v->message[0] = 0;
        move_settle(v);
    }
    if (v->prompt == PROMPT_SEARCH && kind_here(v)->find)
        (void)kind_here(v)->find(v, "");
    v->prompt = PROMPT_NONE;
}

unsigned view_prompt_put(struct view *v, uint32_t codepoint)
{
    char b[4];
    if (!v->prompt || codepoint < 0x20 || codepoint == 0x7F || codepoint > 0x10FFFF ||
        (codepoint >= 0xD800 && codepoint <= 0xDFFF))
        return VR_NONE;
    size_t n = (size_t)str_utf8(codepoint, b);
    if (v->text_len + n >= sizeof v->text)
        return VR_BELL;
    memmove(v->text + v->text_at + n, v->text + v->text_at, v->text_len - v->text_at + 1);
    memcpy(v->text + v->text_at, b, n);
    v->text_len += n;
    v->text_at += n;
    return VR_DRAW | move_typed(v);
}

/* Where the character before or behind byte `at` begins. */
static size_t char_before(const struct view *v, size_t at)
{
    while (at > 0 && ((unsigned char)v->text[--at] & 0xC0) == 0x80)
        ;
    return at;
}

static size_t char_behind(const struct view *v, size_t at)
{
    while (at < v->text_len && ((unsigned char)v->text[++at] & 0xC0) == 0x80)
        ;
    return at;
}

/* Bytes [from, to) go; the cursor stands where they were. */
static unsigned cut(struct view *v, size_t from, size_t to)
{
    memmove(v->text + from, v->text + to, v->text_len - to + 1);
    v->text_len -= to - from;
    v->text_at = from;
    return from < to ? VR_DRAW | move_typed(v) : VR_DRAW;
}

unsigned view_prompt_erase(struct view *v)
{
    if (!v->text_len) {
        close_prompt(v);
        return VR_DRAW;
    }
    return cut(v, char_before(v, v->text_at), v->text_at);
}

unsigned view_prompt_delete(struct view *v)
{
    if (v->text_at == v->text_len)
        return view_prompt_erase(v);
    return cut(v, v->text_at, char_behind(v, v->text_at));
}

unsigned view_prompt_erase_word(struct view *v)
{
    size_t from = v->text_at;
    while (from > 0 && v->text[from - 1] == ' ')
        from--;
    while (from > 0 && v->text[from - 1] != ' ')
        from--;
    return cut(v, from, v->text_at);
}

unsigned view_prompt_clear(struct view *v)
{
    return cut(v, 0, v->text_at);
}

unsigned view_prompt_kill(struct view *v)
{
    return cut(v, v->text_at, v->text_len);
}

unsigned view_prompt_move(struct view *v, int n)
{
    for (; n < 0 && v->text_at > 0; n++)
        v->text_at = char_before(v, v->text_at);
    for (; n > 0 && v->text_at < v->text_len; n--)
        v->text_at = char_behind(v, v->text_at);
    return VR_DRAW;
}

static unsigned accepted(struct view *v)
{
    enum prompt_kind k = v->prompt;
    struct target g;
    char line[VIEW_TEXT];
    memcpy(line, v->text, sizeof line);
    v->prompt = PROMPT_NONE;
    if (k == PROMPT_FILTER)
        return VR_DRAW | view_filter(v, line);
    if (k == PROMPT_SEARCH && v->popup == POPUP_LINES)
        return popup_find_accept(v);
    if (k == PROMPT_SEARCH && move_typed_done(v, line))
        return VR_DRAW | move_typed_on(v);
    if (k == PROMPT_SEARCH)
        return VR_DRAW | view_search(v, line);
    if (k == PROMPT_SLICE) {
        memcpy(v->command, line, sizeof v->command);
        return VR_DRAW;
    }
    if (k != PROMPT_COMMAND || !line[strspn(line, " ")])
        return VR_DRAW;
    if (goto_is(line, &g))
        return view_goto(v, line);
    memcpy(v->command, line, sizeof v->command);
    return VR_DRAW | VR_COMMAND;
}

unsigned view_prompt_accept(struct view *v)
{
    const struct place from = v->prompt_from;
    const unsigned f = accepted(v);
    kind_leads(v, &from);
    return f;
}

/* ---- pop-ups --------------------------------------------------------------------------------------------
 */

unsigned view_lines(struct view *v, const char *title, const char *const *lines, size_t n)
{
    if (v->popup != POPUP_LINES || v->popup_title != title) {
        v->find.text[0] = 0;
        v->find.hit = 0;
    }
    v->popup = POPUP_LINES;
    v->popup_top = 0;
    v->popup_title = title;
    v->popup_text = lines;
    v->popup_ntext = n;
    v->popup_rich = NULL;
    return VR_DRAW;
}

bool view_popup_span(struct view *v)
{
    struct lane l;
    int64_t t;
    if (!kind_here(v)->span || !kind_here(v)->span(v, &l, &t))
        return false;
    v->popup = POPUP_SPAN;
    v->popup_top = 0;
    v->popup_lane = l;
    v->popup_t = t;
    return true;
}

void view_popup_follow(struct view *v, const struct place *from)
{
    const struct place *at = &v->at;
    bool moved = at->view != from->view || at->cursor != from->cursor || at->focus.kind != from->focus.kind ||
                 at->focus.i != from->focus.i;
    if (v->popup == POPUP_SPAN && moved && !view_popup_span(v))
        v->popup = POPUP_NONE;
}

unsigned view_popup_scroll(struct view *v, int n)
{
    int most = v->popup_lines > v->popup_rows ? v->popup_lines - v->popup_rows : 0;
    int64_t to = (int64_t)v->popup_top + n;
    int top = to < 0 ? 0 : to > most ? most : (int)to;
    if (!v->popup || top == v->popup_top)
        return VR_NONE;
    v->popup_top = top;
    return VR_DRAW;
}

unsigned view_popup_page(struct view *v, int n)
{
    int page = v->popup_rows > 1 ? v->popup_rows - 1 : 1;
    n = n > 10000 ? 10000 : n < -10000 ? -10000 : n;
    return view_popup_scroll(v, n * page);
}

/* ---- selection, Esc -------------------------------------------------------------------------------------
 */

unsigned view_select(struct view *v)
{
    char a[FMT_MAX];
    if (v->selected) {
        v->selected = false;
        return VR_DRAW;
    }
    if (!v->selecting) {
        v->selecting = true;
        v->sel0 = v->sel1 = v->at.cursor;
        view_message(v, false, "range from %s: move, then the same key again", when_exact(v->tr, v->sel0, a));
        return VR_DRAW;
    }
    int64_t t0, t1, from = v->sel0;
    view_column(v, &t0, &t1);
    v->selecting = false;
    if (v->at.cursor >= from) {
        v->sel1 = v->at.exact && v->at.cursor > from ? v->at.cursor : t1;
    } else {
        v->sel1 = from;
        v->sel0 = v->at.cursor;
    }
    v->selected = v->sel1 > v->sel0;
    v->message[0] = 0;
    return v->selected ? view_sums(v) : VR_DRAW;
}

bool view_told(const struct view *v)
{
    return v->message[0] && !v->message_error &&
           (v->message_of || wrap_draw(NULL, 0, 0, v->w, 2, STYLE_NORMAL, str_of(v->message)) > 1);
}

/* What lies over the view is closed. VR_NONE: nothing does. */
static unsigned close_top(struct view *v)
{
    if (v->prompt)
        close_prompt(v);
    else if (v->popup)
        v->popup = POPUP_NONE;
    else if (view_searching(v)) {
        search_free(v->search);
        v->search = NULL;
        view_message(v, false, "search stopped");
    } else if (view_told(v))
        v->message[0] = 0;
    else
        return VR_NONE;
    return VR_DRAW;
}

/* What the reader has marked in the view goes. VR_NONE: there is nothing of it. */
static unsigned drop_mark(struct view *v)
{
    if (v->selecting || v->selected)
        v->selecting = v->selected = false;
    else if (v->search && !v->search->hidden)
        v->search->hidden = true;
    else if (v->at.guest && kind_here(v)->lanes == LANE_G) {
        view_guest(v, NO_LANE, 0);
        move_settle(v);
    } else if (why_shown(v) && kind_here(v)->lanes == LANE_G)
        return view_related(v); /* all goroutines again */
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
        f = view_do(v, DEED_BACK, 0);
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
    return v->prompt || v->popup ? "close"
           : view_searching(v)   ? "stop"
           : view_told(v)        ? "close"
           : kind_led(v)         ? kind_led(v)
           : up                  ? up
           : kind_under(v)       ? "back"
                                 : NULL;
}

const char *view_drop_word(const struct view *v)
{
    const bool goroutines = kind_here(v)->lanes == LANE_G;
    return v->prompt || v->popup || view_searching(v) || view_told(v) ? NULL
           : v->selecting || v->selected                              ? "no range"
           : v->search && !search_is_hidden(v->search)                ? "no marks"
           : v->at.guest && goroutines                                ? "drop top lane"
           : why_shown(v) && goroutines                               ? "all lanes"
                                                                      : NULL;
}

/* ---- yank -----------------------------------------------------------------------------------------------
 */

/* The command that opens this place; the viewer puts its own, which names the file, in its place. */
static void yank_command(const struct view *v, FILE *f)
{
    char t[FMT_MAX], id[32];
    status_lane(v, v->at.focus, id);
    id[0] = (char)(id[0] | 0x20);
    fprintf(f, "\ngotop --at %s --lane %s --view %s\n", when_exact(v->tr, v->at.cursor, t), id,
            kind_name(v->at.view));
}

unsigned view_yank(struct view *v, char **out)
{
    char line[RICH_MOST], *text = NULL;
    size_t size;
    *out = NULL;
    const unsigned copied = !v->popup && kind_here(v)->copy ? kind_here(v)->copy(v) : VR_NONE;
    if (copied) {
        *out = v->copied;
        v->copied = NULL;
        return copied;
    }
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return move_fail(v, "out of memory");
    bool rows = !v->popup && kind_here(v)->tsv &&
                kind_here(v)->tsv(v, f); /* lines for another program, and no more */
    if (v->popup) {
        popup_print(v, f);
    } else if (!rows) {
        status_text(v, line, sizeof line);
        fputs(line, f);
    }
    if (!v->popup && !rows && (kind_here(v)->tsv || kind_here(v)->copy) && !line[0]) {
        fclose(f);
        free(text);
        return move_fail(v, "no rows here to copy");
    }
    view_message(v, false, "%s%s", rows ? "copied: all rows, as TSV" : "yanked: ",
                 v->popup ? "the pop-up"
                 : rows   ? ""
                          : line);
    if (!rows)
        yank_command(v, f);
    if (fclose(f) == 0)
        *out = mem_alloc(size + 1);
    if (*out)
        memcpy(*out, text, size + 1);
    free(text);
    return *out ? VR_DRAW | VR_YANK : move_fail(v, "out of memory");
}
