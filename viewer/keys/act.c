/*
 * act.c - what an action does. Rows of actions.def name a function and its argument. The functions here are
 * about the program (help, palette, copying, leaving); layout has those about the view.
 */
#include "viewer/keys/act.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/views/sql_view.h"
#include "layout/cells/fmt.h"
#include "layout/move/search.h"
#include "layout/move/idle_beside.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "viewer/session/app_live.h"
#include "viewer/session/pair.h"
#include "viewer/session/slice.h"
#include "viewer/session/source.h"
#include "viewer/command/tables.h"

/* ---- the program's own --------------------------------------------------------------------------------- */

static unsigned do_help(struct app *a)
{
    if (a->view.popup.kind == POPUP_LINES) {
        a->view.popup.kind = POPUP_NONE;
        return VR_DRAW;
    }
    a->view.popup.kind = POPUP_NONE;
    enum keyview v = app_keyview(a);
    if (!help_make(&a->help, a->km, &a->view, v))
        return move_fail(&a->view, "out of memory");
    snprintf(a->title, sizeof a->title, "Keys in %s", keyview_name(v));
    return view_popup_text(&a->view, a->title, &a->help);
}

static unsigned do_palette(struct app *a)
{
    if (a->colours.none)
        return move_fail(&a->view,
                         "there are no colours here (NO_COLOR, --color=never, or the terminal has none)");
    bool *mono = &a->view.scr.mono;
    a->colours.by_ground = false;
    if (*mono) {
        *mono = false;
        a->colours.palette = PALETTE_DARK;
    } else if (a->colours.palette + 1 < PALETTE_COUNT + (palette_loaded() ? 1u : 0u)) {
        a->colours.palette++;
    } else {
        *mono = true;
    }
    return view_message(&a->view, false, "palette: %s", *mono ? "mono" : palette_name(a->colours.palette)) |
           AR_PALETTE;
}

static unsigned do_glyphs(struct app *a, int n)
{
    if (!a->utf8)
        return move_fail(&a->view, "the locale has ASCII only; --glyphs=block shows more anyway");
    return view_tier(&a->view, n);
}

/* Quote text so that every shell reads it as one word: in single quotes, with "!" escaped for csh. */
static void quote_text(struct text *t, const char *s, size_t n)
{
    text_lit(t, "'");
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\'' || s[i] == '!')
            text_add(t, "'\\%c'", s[i]);
        else
            text_raw(t, s + i, 1);
    text_lit(t, "'");
}

/* Quote a word so that a shell reads it back. Control bytes are shown as text, since they would end the
 * line. */
static void put_quoted(struct text *t, const char *word)
{
    char s[4096];
    str_safe(str_of(word), s, sizeof s);
    const bool plain =
        *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-,@=")];
    if (plain)
        text_raw(t, s, strlen(s));
    else
        quote_text(t, s, strlen(s));
}

/* Keep a text as what is copied. Returns false if out of memory. */
static bool yank_keep(struct app *a, struct text *t)
{
    mem_free(a->yank);
    a->yank = text_take(t);
    return a->yank != NULL;
}

/* Copy "file:line" of the source, for an editor. */
static unsigned do_source(struct app *a)
{
    char path[4096];
    uint64_t line;
    struct text t = {0};
    if (!source_here(a, path, sizeof path, &line))
        return VR_DRAW | VR_BELL;
    put_quoted(&t, path);
    text_add(&t, ":%llu", (unsigned long long)line);
    if (!yank_keep(a, &t))
        return VR_DRAW | VR_BELL;
    return view_message(&a->view, false, "copied: %s", a->yank) | VR_YANK;
}

/* Make the command that opens this view. */
static void put_command(const struct app *a, struct text *t)
{
    static const char letters[] = {[LANE_P] = 'p', [LANE_G] = 'g', [LANE_M] = 'm'};
    const struct place *at = &a->view.at;
    char from[FMT_MAX], to[FMT_MAX];
    const char *path = trace_info(a->tr)->path;
    text_add(t, path[0] == '-' && path[1] ? "gotop ./" : "gotop "); /* not an option */
    put_quoted(t, path);
    text_add(t, " --view %s --at %s..%s", kind_name(at->view), when_exact(a->tr, at->win.t0, from),
             when_exact(a->tr, at->win.t1, to));
    if (at->focus.kind < LANE_BAND && at->focus.i < trace_nlanes(a->tr, at->focus.kind))
        text_add(t, " --lane %c%llu@%s", letters[at->focus.kind],
                 (unsigned long long)trace_lane_who(a->tr, at->focus).id,
                 when_exact(a->tr, at->cursor, from));
    if (a->view.filters.text[0]) {
        text_lit(t, " --filter ");
        put_quoted(t, a->view.filters.text);
    }
    text_lit(t, "\n");
}

/* Copy what is under the cursor, or the pop-up, followed by the command that opens it again. Someone will
 * paste this into a shell, and names come from the trace, so the text becomes an argument of ":", which
 * does nothing. Rows of a table are copied as they are. */
static unsigned do_yank(struct app *a)
{
    struct text text = {0}, whole = {0};
    bool rows = false;
    unsigned flags = view_yank(&a->view, &text, &rows);
    text_lit(&whole, ": ");
    quote_text(&whole, text.p, text.n);
    text_lit(&whole, "\n");
    put_command(a, &whole);
    whole.failed |= text.failed;
    if ((flags & VR_YANK) && !yank_keep(a, rows ? &text : &whole))
        flags = move_fail(&a->view, "out of memory");
    text_free(&text);
    text_free(&whole);
    return flags;
}

/* Go back one step. It never leaves the program. */
static unsigned do_close(struct app *a)
{
    const bool wished = a->finding_wish != 0; /* closing the pop-up was the step */
    a->finding_wish = 0;
    return wished ? VR_DRAW : view_back(&a->view);
}

static unsigned do_back(struct app *a)
{
    enum { LONG_MS = 5000 };
    char d[FMT_MAX];
    const unsigned f = view_quit(&a->view);
    if (!(f & VR_QUIT) || a->took_ms < LONG_MS || a->quit_asked)
        return f;
    a->quit_asked =
        /* A reader who goes back step by step easily goes one too far, and would have to load the trace
         * again. */
        true;
    return view_message(&a->view, false, "again to leave: it took %s to read",
                        when_dur(NULL, a->took_ms * 1000000, d));
}

static unsigned do_reconnect(struct app *a)
{
    if (a->follow)
        return app_live_reconnect(a);
    return view_message(&a->view, true, "this trace is a file: there is nothing to connect to");
}

static unsigned do_follow(struct app *a)
{
    if (a->follow)
        return app_live_follow(a);
    return move_fail(&a->view, "this trace is finished: gotop http://host:port follows a program that runs");
}

static unsigned do_prompt(struct app *a, enum prompt_kind kind, const char *arg)
{
    a->typed.at = -1;
    if (kind != PROMPT_SEARCH || arg ||
        a->view.popup.kind != POPUP_LINES) /* in a pop-up of text it finds words there */
        a->view.popup.kind = POPUP_NONE;
    if (kind == PROMPT_SLICE)
        return arg ? slice_write(a, arg) : slice_ask(a);
    if (!arg)
        return view_prompt(&a->view, kind);
    if (kind == PROMPT_FILTER)
        return view_filter(&a->view, arg);
    if (kind >= PROMPT_MARK)
        return kind == PROMPT_MARK ? view_mark(&a->view, arg) : view_mark_go(&a->view, arg);
    if (kind == PROMPT_COMMAND && strncmp(arg, "sql ", 4) == 0)
        return sql_view_ask(&a->view, arg + 4);
    return kind == PROMPT_SEARCH ? view_search(&a->view, arg) : view_goto(&a->view, arg);
}

static unsigned do_debug(struct app *a)
{
    a->show_debug = !a->show_debug;
    a->debug[0] = '\0';
    return view_message(&a->view, false,
                        a->show_debug ? "bytes and milliseconds of the frame before, at the right above"
                                      : "");
}

/* ---- how a row of actions.def is called ---------------------------------------------------------------- */

enum how { HOW_OWN, HOW_APP, HOW_DO, HOW_TO, HOW_ASK, HOW_CALL, HOW_TIMES, HOW_FLAGS };
struct call {
    enum how how;
    int arg; /* a request, a view, a prompt, or flags for the caller */
    int by;  /* the sign of n */
    unsigned (*view)(struct view *v);
    unsigned (*times)(struct view *v, int n);
    unsigned (*own)(struct app *a, int n);
    unsigned (*app)(struct app *a);
    bool keeps; /* a pop-up of text stays open */
};

#define DO(request, sign) .how = HOW_DO, .arg = REQ_##request, .by = sign
#define TO(no) .how = HOW_TO, .arg = VIEW_##no
#define ASK(kind) .how = HOW_ASK, .arg = PROMPT_##kind
#define CALL(f) .how = HOW_CALL, .view = f
#define TIMES(f, sign) .how = HOW_TIMES, .times = f, .by = sign
#define OWN(f, sign) .own = f, .by = sign
#define FLAGS(flags) .how = HOW_FLAGS, .arg = (flags), .keeps = true
#define APP(f) .how = HOW_APP, .app = f
#define KEEP(f) APP(f), .keeps = true
#define STAY(f, sign) OWN(f, sign), .keeps = true
static const struct call calls[ACT_COUNT] = {
    [ACT_NONE] = {FLAGS(VR_NONE)},
#define X(ID, name, group, help, call) [ACT_##ID] = {call},
#include "viewer/keys/actions.def"
#undef X
};

static unsigned act_call(struct app *a, const struct call *c, int n, const char *arg)
{
    unsigned f;
    switch (c->how) {
    case HOW_DO: f = view_do(&a->view, (enum request)c->arg, c->by * n); break;
    case HOW_CALL: f = c->view(&a->view); break;
    case HOW_TO: return view_switch(&a->view, c->arg);
    case HOW_FLAGS: return (unsigned)c->arg;
    case HOW_ASK: return do_prompt(a, (enum prompt_kind)c->arg, arg);
    case HOW_APP: return c->app(a);
    case HOW_TIMES: return c->times(&a->view, c->by * n);
    default: return c->own(a, c->by * n);
    }
    tables_early(a, f);
    return f;
}

/* Returns whether the action scrolls a pop-up. */
static bool act_scrolls(const struct call *c)
{
    return c->how == HOW_DO &&
           (c->arg == REQ_LANE || c->arg == REQ_LANE_PAGE || c->arg == REQ_PAGE || c->arg == REQ_FIRST ||
            c->arg == REQ_LAST || c->arg == REQ_START || c->arg == REQ_END);
}

/* Returns whether the action finds words in a pop-up of text. */
static bool act_finds(const struct view *v, enum action act, const char *arg)
{
    return (act == ACT_SEARCH && !arg) ||
           ((act == ACT_SEARCH_NEXT || act == ACT_SEARCH_PREV) && popup_finds(v));
}

/* Returns whether the action leads to the waker. It is offered where there is one. */
static bool leads_to_waker(const struct view *v, enum action act)
{
    return act == ACT_CAUSE && !kind_here(v)->word[REQ_CAUSE];
}

bool act_answers(const struct view *v, enum action act)
{
    const struct call *c = &calls[act];
    if (c->how == HOW_DO)
        return view_answers(v, (enum request)c->arg) && (!leads_to_waker(v, act) || view_cause_word(v));
    if (c->how == HOW_TO && c->arg == kind_key(v->at.view))
        return kind_next(v) != v->at.view;
    if (c->view == view_fold) /* a key that switches between two views needs no hint */
        return kind_before(v) != kind_next(v) || kind_here(v)->lanes == LANE_G;
    if (act == ACT_FINDING_NEXT && v->tri && v->tri->fs && !v->tri->fs->n)
        return false; /* the findings are made, and there are none */
    if (act == ACT_WHY) {
        uint32_t g;
        int64_t t0, t1;
        return why_here(v, &g, &t0, &t1);
    }
    return c->view != view_enter || view_answers(v, REQ_DETAILS);
}

bool act_leads(const struct view *v, enum action act)
{
    const struct call *c = &calls[act];
    return c->how == HOW_TO && c->arg == kind_key(v->at.view);
}

/* Enter shows who waited for an idle processor, since that has no stack. */
static const char *details_word(const struct view *v)
{
    const char *word = kind_here(v)->word[REQ_DETAILS];
    return !word && kind_here(v)->lanes == LANE_P && idle_speaks(v) ? "why idle" : word;
}

const char *act_word(const struct view *v, enum action act)
{
    const struct call *c = &calls[act];
    if (c->how == HOW_TO && c->arg == kind_key(v->at.view))
        return kind_name(kind_next(v));
    return leads_to_waker(v, act)                    ? view_cause_word(v)
           : c->how == HOW_DO                        ? kind_here(v)->word[c->arg]
           : c->view == view_enter                   ? details_word(v)
           : act == ACT_SEARCH && kind_here(v)->find ? "filter"
           : act == ACT_WHY                          ? "why"
           : c->view == view_fold ? kind_before(v) != kind_next(v) ? kind_name(kind_before(v)) : NULL
                                  : NULL;
}

unsigned app_do(struct app *a, enum action act, uint32_t count, const char *arg)
{
    int n = count > 0 && count < KEYMAP_COUNT_MAX ? (int)count : count ? KEYMAP_COUNT_MAX : 1;
    const struct call *c = &calls[act < ACT_COUNT ? act : ACT_NONE];
    unsigned had = 0, f;
    struct place from = a->view.at;
    a->key_came = true;
    a->quit_asked = a->quit_asked && act == ACT_BACK;
    if (act == ACT_BACK)
        a->finding_wish = 0;
    if (a->view.msg.text[0] && act != ACT_READ &&
        !((act == ACT_BACK || act == ACT_CLOSE) &&
          view_message_open(&a->view))) { /* the message stays until the next action, and takes no key */
        view_message(&a->view, false, "%s", "");
        had = VR_DRAW;
    }
    if (a->view.popup.kind == POPUP_LINES && !c->keeps && !act_scrolls(c) && !act_finds(&a->view, act, arg)) {
        a->view.popup.kind = POPUP_NONE; /* it has been read */
        had = VR_DRAW;
    }
    f = act_call(a, c, n, arg);
    view_popup_follow(&a->view, &from);
    tables_moved(a, &from);
    app_live_acted(a, act, &from);
    return app_left(a, f) | had;
}
