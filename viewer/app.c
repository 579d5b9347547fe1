/*
 * app.c - which function of layout/ an action calls, and which layer a key goes to.
 *
 * Layers, top first: a prompt takes every key as text; a chord or count under way takes the next key; a pop-up turns
 * lane movement into scrolling. There is no other mode. app_do() is thin: what an action does is layout's.
 */
#include "viewer/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/mem.h"
#include "layout/fmt.h"
#include "layout/when.h"
#include "layout/lanes.h"
#include "layout/plan.h"
#include "viewer/source.h"
#include "viewer/tables.h"

bool app_init(struct app *a, struct trace *tr, const struct keymap *km, int w, int h)
{
    memset(a, 0, sizeof *a);
    a->tr = tr;
    a->km = km;
    a->utf8 = true;
    a->loading = true;
    a->cursor_x = a->cursor_y = -1;
    if (!view_init(&a->view, tr)) return false;
    tri_init(&a->tri, tr);
    a->view.tri = &a->tri;
    app_resize(a, w, h);
    return true;
}

void app_free(struct app *a)
{
    view_free(&a->view);
    tri_free(&a->tri);
    findings_free(&a->fs);
    triage_free(a->tg);
    triage_free(a->part);
    finding_parts_free(&a->parts);
    grid_free(&a->grid);
    help_free(&a->help);
    mem_free(a->yank);
}

/* What the view derives from the trace costs a walk over its lanes: not at every slice of loading. */
static void sync(struct app *a)
{
    if (a->stale && (view_loaded(&a->view) & VR_WORK)) a->working = true;
    a->stale = false;
}

/* Go where the command line said. The window first: a lane at a time then finds that time on the screen. */
static void open_place(struct app *a)
{
    if (trace_fatal(a->tr)) return;
    if (a->open_view) (void)view_switch(&a->view, a->open_view);
    if (a->open_at) (void)view_goto(&a->view, a->open_at);
    if (a->open_lane) (void)view_goto(&a->view, a->open_lane);
    if (a->open_filter && (view_filter(&a->view, a->open_filter) & VR_BELL)) a->open_wrong = a->view.message;
    a->open_filter = NULL;
    a->open_view = 0;
    a->open_at = a->open_lane = NULL;
}

/* trace_load(), with what is shown told of a detail that begins anew. */
static bool load_step(struct app *a, int64_t budget_ns)
{
    const struct trace_info *ti = trace_info(a->tr);
    uint32_t epoch = ti->epoch;
    if (trace_part(a->tr) || a->seeking) view_leave(&a->view);
    bool more = trace_load(a->tr, budget_ns) == LOAD_MORE;
    a->part_done = false;
    a->stale = true;
    if (ti->epoch != epoch && (view_arrive(&a->view) & VR_WORK)) a->working = true;
    return more;
}

bool app_hold(struct app *a, int64_t budget_ns)
{
    const struct trace_info *ti = trace_info(a->tr);
    struct window w = a->view.at.win;
    int64_t t = a->view.at.cursor;
    if (a->loading || !ti->bounded || !a->has_findings) return false; /* the last part has yet to be asked */
    bool far = view_wants(&a->view, &w.t0, &w.t1); /* else what is shown */
    if (!far && a->view.far.look) return false; /* it is being looked through */
    if (far || !tri_shows(a->view.at.view)) {
        if (!far && trace_held(a->tr, w.t0, w.t1) == WANT_WIDE) w = (struct window){t, t + 1};
        if (trace_held(a->tr, w.t0, w.t1) == WANT_AWAY) {
            view_leave(&a->view);
            tables_drop(a);
            a->seeking = trace_want(a->tr, w.t0, w.t1) == WANT_COMING;
            if (view_arrive(&a->view) & VR_WORK) a->working = true;
            a->triaging = true;
        }
    }
    if (a->seeking) a->seeking = load_step(a, budget_ns);
    if (a->seeking) return true;
    sync(a);
    if (!far) return false;
    if (view_brought(&a->view) & VR_WORK) a->working = true;
    return !a->working && view_wants(&a->view, &w.t0, &w.t1);
}

bool app_load(struct app *a, int64_t budget_ns)
{
    if (!a->loading) return false;
    if (trace_part(a->tr) && !tables_part(a, budget_ns)) return true;
    a->loading = load_step(a, budget_ns);
    if (!a->loading) {
        sync(a);
        a->touched |= a->open_view || a->open_at || a->open_lane;
        a->triaging = !trace_fatal(a->tr);
        open_place(a);
    }
    return a->loading;
}

unsigned app_work(struct app *a, int64_t budget_ns)
{
    struct place from = a->view.at;
    unsigned f = view_work(&a->view, budget_ns);
    tables_moved(a, &from);
    a->working = (f & VR_WORK) != 0;
    return f;
}

unsigned app_resize(struct app *a, int w, int h)
{
    return view_resize(&a->view, w, h);
}

enum keyview app_keyview(const struct app *a)
{
    if (a->view.popup) return KEYVIEW_POPUP;
    unsigned no = a->view.at.view;
    return no >= VIEW_TRIAGE && no < VIEW_END ? (enum keyview)(KEYVIEW_TRIAGE + (no - VIEW_TRIAGE)) : KEYVIEW_ANY;
}

/* ---- actions --------------------------------------------------------------------------------------------- */

static unsigned do_help(struct app *a)
{
    if (a->view.popup == POPUP_LINES) {
        a->view.popup = POPUP_NONE;
        return VR_DRAW;
    }
    a->view.popup = POPUP_NONE;
    enum keyview v = app_keyview(a);
    if (!help_make(&a->help, a->km, v, a->view.tier, a->mono)) {
        view_message(&a->view, true, "out of memory");
        return VR_DRAW | VR_BELL;
    }
    snprintf(a->title, sizeof a->title, "Keys in %s", keyview_name(v));
    return view_lines(&a->view, a->title, a->help.lines, a->help.n);
}

static unsigned do_palette(struct app *a)
{
    if (a->no_color) {
        view_message(&a->view, true, "there are no colours here (NO_COLOR, --color=never, or the terminal has none)");
        return VR_DRAW | VR_BELL;
    }
    if (a->mono) {
        a->mono = false;
        a->palette = PALETTE_DARK;
    } else if (a->palette + 1 < PALETTE_COUNT + (palette_loaded() ? 1u : 0u)) {
        a->palette++;
    } else {
        a->mono = true;
    }
    a->view.mono = a->mono;
    view_message(&a->view, false, "palette: %s", a->mono ? "mono" : palette_name(a->palette));
    return VR_DRAW | AR_PALETTE;
}

static unsigned do_glyphs(struct app *a, int n)
{
    if (!a->utf8) {
        view_message(&a->view, true, "the locale has ASCII alone; --glyphs=block shows more all the same");
        return VR_DRAW | VR_BELL;
    }
    return view_tier(&a->view, n);
}

/* A word as a shell reads it back. */
static void put_quoted(FILE *f, const char *s)
{
    bool plain = *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-,@=")];
    if (plain && *s != '-') {
        fputs(s, f);
        return;
    }
    fputs(*s == '-' ? "./'" : "'", f);
    for (; *s; s++) fputs(*s == '\'' ? "'\\''" : (char[]){*s, 0}, f);
    fputc('\'', f);
}

/* The command that opens this very view. */
static void put_command(const struct app *a, FILE *f)
{
    static const char letters[] = {[LANE_P] = 'p', [LANE_G] = 'g', [LANE_M] = 'm'};
    const struct place *at = &a->view.at;
    char from[FMT_MAX], to[FMT_MAX], safe[4096];
    str_safe(str_of(trace_info(a->tr)->path), safe, sizeof safe);
    fputs("gotop ", f);
    put_quoted(f, safe);
    fprintf(f, " --view %d --at %s..%s", at->view, when_exact(a->tr, at->win.t0, from),
            when_exact(a->tr, at->win.t1, to));
    if (at->focus.kind < LANE_BAND && at->focus.i < trace_nlanes(a->tr, at->focus.kind))
        fprintf(f, " --lane %c%llu@%s", letters[at->focus.kind], (unsigned long long)trace_lane(a->tr, at->focus).id,
                when_exact(a->tr, at->cursor, from));
    if (a->view.filter_text[0]) {
        fputs(" --filter ", f);
        put_quoted(f, a->view.filter_text);
    }
    fputc('\n', f);
}

/* What is under the cursor, or what the pop-up shows, and behind it the command that comes back here. */
static unsigned do_yank(struct app *a)
{
    char *text, *whole = NULL;
    size_t size;
    unsigned f = view_yank(&a->view, &text);
    if (!(f & VR_YANK)) return f | VR_DRAW;
    FILE *m = open_memstream(&whole, &size);
    if (m) {
        char *command = strstr(text, "\ngotop "); /* layout knows no file names: ours replaces its command */
        fprintf(m, "%.*s\n", (int)(command ? command - text : (ptrdiff_t)strlen(text)), text);
        put_command(a, m);
        fclose(m);
    }
    mem_free(a->yank);
    a->yank = whole ? mem_alloc(size + 1) : NULL;
    if (a->yank) memcpy(a->yank, whole, size + 1);
    free(whole);
    if (a->yank && a->view.popup) view_message(&a->view, false, "copied: all lines of the pop-up");
    else if (a->yank) view_message(&a->view, false, "copied: %.*s", (int)strcspn(text, "\n"), text);
    mem_free(text);
    return a->yank ? f | VR_DRAW : VR_DRAW | VR_BELL;
}

/* Back: close the top layer. Layout says VR_QUIT when there is none. */
static unsigned do_close(struct app *a, bool may_quit)
{
    unsigned f = view_back(&a->view);
    if ((f & VR_QUIT) && !may_quit) f = VR_NONE;
    return f;
}

static unsigned repeat(unsigned (*f)(struct view *), struct view *v, int n)
{
    unsigned all = 0;
    for (int i = 0; i < n; i++) {
        unsigned one = f(v);
        if ((one & VR_BELL) && i > 0) break; /* as far as it goes */
        all |= one;
        if (one & VR_BELL) break;
    }
    return all;
}

/* What moves over lanes scrolls a pop-up. true: done. */
static bool scroll_popup(struct app *a, enum action act, int n, unsigned *f)
{
    enum { FAR = 1 << 20 };
    switch (act) {
    case ACT_LANE_UP: *f = view_popup_scroll(&a->view, -n); return true;
    case ACT_LANE_DOWN: *f = view_popup_scroll(&a->view, n); return true;
    case ACT_LANE_PAGE_UP: *f = view_popup_page(&a->view, -n); return true;
    case ACT_LANE_PAGE_DOWN: *f = view_popup_page(&a->view, n); return true;
    case ACT_LANE_FIRST: case ACT_GOTO_START: *f = view_popup_scroll(&a->view, -FAR); return true;
    case ACT_LANE_LAST: case ACT_GOTO_END: *f = view_popup_scroll(&a->view, FAR); return true;
    default: return false;
    }
}

static unsigned do_prompt(struct app *a, enum prompt_kind kind, const char *arg)
{
    a->history_at = -1;
    a->view.popup = POPUP_NONE;
    if (!arg) return view_prompt(&a->view, kind);
    if (kind == PROMPT_FILTER) return view_filter(&a->view, arg);
    return kind == PROMPT_SEARCH ? view_search(&a->view, arg) : view_goto(&a->view, arg);
}

/* The letter of a mark: behind the action's name, or the next key. */
static unsigned do_mark(struct app *a, enum action act, const char *arg)
{
    if (!arg) {
        a->letter_for = act;
        return VR_DRAW;
    }
    if (arg[0] == '\'' && !arg[1]) return view_undo(&a->view, 1);
    if (!arg[0] || arg[1]) {
        view_message(&a->view, true, "a mark is one letter, a to z or A to Z");
        return VR_DRAW | VR_BELL;
    }
    return act == ACT_MARK ? view_mark(&a->view, arg[0]) : view_mark_go(&a->view, arg[0]);
}

static unsigned do_debug(struct app *a)
{
    a->show_debug = !a->show_debug;
    a->debug[0] = '\0';
    view_message(&a->view, false, a->show_debug ? "bytes and milliseconds of the frame before, at the right above"
            : "");
    return VR_DRAW;
}

static unsigned do_move(struct app *a, enum action act, int n)
{
    struct view *v = &a->view;
    switch (act) {
    case ACT_PAN_LEFT: return view_pan(v, -n);
    case ACT_PAN_RIGHT: return view_pan(v, n);
    case ACT_PAGE_LEFT: return view_page(v, -n);
    case ACT_PAGE_RIGHT: return view_page(v, n);
    case ACT_CURSOR_LEFT: return view_cursor(v, -n);
    case ACT_CURSOR_RIGHT: return view_cursor(v, n);
    case ACT_GOTO_START: return view_start(v);
    case ACT_GOTO_END: return view_finish(v);
    case ACT_ZOOM_IN: return view_zoom(v, n);
    case ACT_ZOOM_OUT: return view_zoom(v, -n);
    case ACT_ZOOM_ALL: return view_zoom_all(v);
    case ACT_FIT: return view_fit(v);
    case ACT_CENTER: return view_center(v);
    case ACT_LANE_UP: return view_lane(v, -n);
    case ACT_LANE_DOWN: return view_lane(v, n);
    case ACT_LANE_PAGE_UP: return view_lane_page(v, -n);
    case ACT_LANE_PAGE_DOWN: return view_lane_page(v, n);
    case ACT_LANE_FIRST: return view_lane_first(v);
    case ACT_LANE_LAST: return view_lane_last(v);
    case ACT_SPAN_NEXT: return view_span(v, n);
    case ACT_SPAN_PREV: return view_span(v, -n);
    case ACT_SAME_NEXT: return view_same(v, n);
    case ACT_SAME_PREV: return view_same(v, -n);
    case ACT_CAUSE: return repeat(view_cause, v, n);
    case ACT_EFFECT: return repeat(view_effect, v, n);
    case ACT_GC_NEXT: return view_gc(v, n);
    case ACT_GC_PREV: return view_gc(v, -n);
    default: return VR_NONE;
    }
}

static unsigned do_rest(struct app *a, enum action act, int n, const char *arg)
{
    struct view *v = &a->view;
    switch (act) {
    case ACT_SWAP: return view_swap(v);
    case ACT_SEARCH: return do_prompt(a, PROMPT_SEARCH, arg);
    case ACT_SEARCH_NEXT: return view_search_next(v, n);
    case ACT_SEARCH_PREV: return view_search_next(v, -n);
    case ACT_GOTO: return do_prompt(a, PROMPT_COMMAND, arg);
    case ACT_FILTER: return do_prompt(a, PROMPT_FILTER, arg);
    case ACT_FILTER_POP: return view_filter_pop(v);
    case ACT_RELATED: return view_related(v);
    case ACT_SUMS: return view_sums(v);
    case ACT_LIFE: return view_life(v);
    case ACT_SPLIT: return view_split(v, n);
    case ACT_MARK: case ACT_MARK_GO: return do_mark(a, act, arg);
    case ACT_VIEW_LOG: return view_switch(v, VIEW_LOG);
    case ACT_GROUP: return view_group(v);
    case ACT_FOLD: return view_fold(v);
    case ACT_PIN: return view_pin(v);
    case ACT_HIDE: return view_hide(v);
    case ACT_SHOW_ALL: return view_show_all(v);
    case ACT_DEBUG: return do_debug(a);
    case ACT_SOURCE: return source_open(a);
    case ACT_SELECT: return view_select(v);
    case ACT_DETAILS: return tables_details(a);
    case ACT_FINDING_NEXT: return tables_walk(a, n);
    case ACT_FINDING_PREV: return tables_walk(a, -n);
    case ACT_VIEW_TRIAGE: return view_switch(v, VIEW_TRIAGE);
    case ACT_VIEW_GROUPS: return view_switch(v, VIEW_GROUPS);
    case ACT_VIEW_WAITS: return view_switch(v, VIEW_WAITS);
    case ACT_VIEW_FLAME: return view_switch(v, VIEW_FLAME);
    case ACT_YANK: return do_yank(a);
    case ACT_UNDO: return view_undo(v, n);
    case ACT_REDO: return view_redo(v, n);
    case ACT_VIEW_PROCS: return view_switch(v, VIEW_PROCS);
    case ACT_VIEW_GOROUTINES: return view_switch(v, VIEW_GOROUTINES);
    case ACT_VIEW_THREADS: return view_switch(v, VIEW_THREADS);
    case ACT_VIEW_TASKS: return view_switch(v, VIEW_TASKS);
    case ACT_VIEW_GC: return view_switch(v, VIEW_GC);
    case ACT_HERE: return view_here(v);
    case ACT_SORT: return view_sort(v, n);
    case ACT_SORT_INVERT: return view_sort_invert(v);
    case ACT_GLYPHS: return do_glyphs(a, n);
    case ACT_PALETTE: return do_palette(a);
    case ACT_REDRAW: return VR_DRAW | AR_REDRAW;
    case ACT_SUSPEND: return AR_SUSPEND;
    case ACT_HELP: return do_help(a);
    case ACT_CLOSE: return do_close(a, false);
    case ACT_BACK: return do_close(a, true);
    case ACT_QUIT: return VR_QUIT;
    default: return do_move(a, act, n);
    }
}

unsigned app_do(struct app *a, enum action act, uint32_t count, const char *arg)
{
    int n = count > 0 && count < KEYMAP_COUNT_MAX ? (int)count : count ? KEYMAP_COUNT_MAX : 1;
    unsigned had = 0, f;
    bool said = a->view.message[0] != '\0';
    struct place from = a->view.at;
    a->touched = true;
    if (act == ACT_CLOSE || act == ACT_BACK) a->wish = 0;
    if (said && act != ACT_CLOSE) {
        view_message(&a->view, false, "%s", ""); /* a message lasts until the next action, and eats none */
        had = VR_DRAW;
    }
    if (a->view.popup && scroll_popup(a, act, n, &f)) return f | had;
    if (a->view.popup == POPUP_LINES && act != ACT_HELP && act != ACT_CLOSE && act != ACT_BACK && act != ACT_REDRAW &&
        act != ACT_PALETTE && act != ACT_GLYPHS && act != ACT_SUSPEND && act != ACT_YANK) {
        a->view.popup = POPUP_NONE; /* read, and now done */
        had = VR_DRAW;
    }
    f = tables_do(a, act, n, count > 0);
    if (f == TABLES_NOT_MINE) f = do_rest(a, act, n, arg);
    else tables_early(a, f);
    tables_moved(a, &from);
    if (f & VR_WORK) a->working = true;
    return f | had;
}

/* ---- the prompt ------------------------------------------------------------------------------------------ */

static int history_of(const struct app *a)
{
    return a->view.prompt == PROMPT_SEARCH ? 1 : a->view.prompt == PROMPT_FILTER ? 2 : 0;
}

static void history_add(struct app *a)
{
    int h = history_of(a), *n = &a->history_n[h];
    if (!a->view.text_len || (*n && strcmp(a->history[h][*n - 1], a->view.text) == 0)) return;
    if (*n == APP_HISTORY) memmove(a->history[h][0], a->history[h][1], sizeof a->history[h][0] * (size_t)--*n);
    memcpy(a->history[h][(*n)++], a->view.text, VIEW_TEXT);
}

static void prompt_set(struct app *a, const char *text)
{
    view_prompt_clear(&a->view);
    struct str s = str_of(text);
    for (uint32_t at = 0; at < s.len;) {
        int width;
        view_prompt_put(&a->view, str_next(s, &at, &width));
    }
}

static unsigned history_move(struct app *a, int by)
{
    int h = history_of(a), n = a->history_n[h];
    int at = a->history_at < 0 ? n : a->history_at;
    at += by;
    if (at < 0 || at > n || n == 0) return VR_NONE;
    a->history_at = at;
    prompt_set(a, at < n ? a->history[h][at] : "");
    return VR_DRAW;
}

/* Complete an action's name as far as it is certain. */
static unsigned prompt_complete(struct app *a)
{
    const char *text = a->view.text, *first = NULL;
    size_t len = a->view.text_len, common = 0;
    char all[VIEW_MESSAGE] = "";
    int n = 0;
    if (a->view.prompt != PROMPT_COMMAND) return VR_NONE;
    for (enum action act = ACT_NONE + 1; act < ACT_COUNT; act++) {
        const char *name = action_name(act);
        if (strncmp(name, text, len) != 0) continue;
        if (n++ == 0) {
            first = name;
            common = strlen(name);
        }
        size_t same = 0;
        while (same < common && name[same] == first[same]) same++;
        common = same;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", name);
    }
    if (n == 0) return VR_BELL;
    for (size_t i = len; i < common; i++) view_prompt_put(&a->view, (unsigned char)first[i]);
    if (n > 1) view_message(&a->view, false, "%s", all);
    return VR_DRAW;
}

/* A line behind ':' that is no place to go: an action's name and perhaps a count or an argument. */
static unsigned run_command(struct app *a)
{
    char line[VIEW_TEXT];
    snprintf(line, sizeof line, "%s", a->view.command);
    char *name = line + strspn(line, " ");
    size_t len = strcspn(name, " ");
    enum action act = action_complete(name, len);
    if (act == ACT_NONE && len == 1 && name[0] == 'q') act = ACT_QUIT;
    if (act == ACT_NONE) {
        view_message(&a->view, true, "'%.*s' is no time, range, lane or action (Tab completes names)", (int)len,
                     name);
        return VR_DRAW | VR_BELL;
    }
    char *arg = name + len;
    arg += strspn(arg, " ");
    uint32_t count = 0;
    for (const char *c = arg; *c >= '0' && *c <= '9' && count < KEYMAP_COUNT_MAX; c++)
        count = count * 10 + (uint32_t)(*c - '0');
    return VR_DRAW | app_do(a, act, count, *arg ? arg : NULL);
}

static unsigned prompt_accept(struct app *a)
{
    history_add(a);
    unsigned f = view_prompt_accept(&a->view);
    if (f & VR_COMMAND) f = (f & ~(unsigned)VR_COMMAND) | run_command(a);
    if (f & VR_WORK) a->working = true;
    return f;
}

static unsigned prompt_key(struct app *a, keycode k)
{
    if (k == K_ENTER) return prompt_accept(a);
    if (k == K_ESC || k == (K_CTRL | 'g')) {
        return view_back(&a->view) | VR_DRAW; /* a search under way goes back to where it was begun */
    }
    if (k == K_BACKSPACE || k == (K_CTRL | 'h') || k == K_DELETE) return view_prompt_erase(&a->view);
    if (k == (K_CTRL | 'w')) return view_prompt_erase_word(&a->view);
    if (k == (K_CTRL | 'u')) return view_prompt_clear(&a->view);
    if (k == K_UP || k == (K_CTRL | 'p')) return history_move(a, -1);
    if (k == K_DOWN || k == (K_CTRL | 'n')) return history_move(a, 1);
    if (k == K_TAB) return prompt_complete(a);
    if (k < K_NAMED) return view_prompt_put(&a->view, k);
    return VR_NONE;
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

static unsigned feed(struct app *a, keycode k)
{
    const struct binding *hit = NULL;
    uint32_t count = 0;
    switch (keymap_feed(a->km, &a->keys, app_keyview(a), k, &hit, &count)) {
    case KEYFEED_HIT: {
        uint64_t n = (uint64_t)(count ? count : 1) * hit->times;
        if (n > KEYMAP_COUNT_MAX) n = KEYMAP_COUNT_MAX;
        bool given = count || hit->times != 1;
        return VR_DRAW | app_do(a, hit->action, given ? (uint32_t)n : 0, hit->arg);
    }
    case KEYFEED_MORE:
    case KEYFEED_CANCEL: return VR_DRAW; /* the footer shows what is under way */
    case KEYFEED_NONE: break;
    }
    if (key_is_mouse(k)) return VR_NONE;
    char name[KEY_NAME_MAX], help[64];
    help_key(a->km, app_keyview(a), ACT_HELP, help, sizeof help);
    view_message(&a->view, false, "%s does nothing here%s%s%s", key_text(k, name), help[0] ? "; " : "", help,
                 help[0] ? " lists the keys" : "");
    return VR_DRAW | VR_BELL;
}

/* The cell under the mouse pointer becomes the cursor; in ruler and bands its time alone. */
static unsigned point(struct app *a, int x, int y)
{
    struct view *v = &a->view;
    enum view_no no = (enum view_no)v->at.view;
    const struct lanes *l = no == VIEW_PROCS ? &v->lanes[LANE_P] : no == VIEW_GOROUTINES ? &v->lanes[LANE_G]
                          : no == VIEW_THREADS ? &v->lanes[LANE_M] : NULL;
    unsigned f = VR_NONE;
    struct plan p;
    uint32_t rows = l ? l->n : v->items.n; /* a view shows lanes or items */
    plan_view(&p, v, rows);
    int64_t row = y >= p.y[ROW_LANES] ? view_line_row(v, y - p.y[ROW_LANES]) : 0;
    if (y >= p.y[ROW_LANES] && y < p.y[ROW_LANES] + p.n[ROW_LANES] && row < rows) {
        int64_t now = l ? lanes_row(l, v->at.focus.i) : v->at.row;
        if (row != now) f |= view_lane(v, (int)(row - now));
    }
    if (x >= p.gutter && x < p.gutter + p.plot_w && y >= p.y[ROW_RULER] && y < p.y[ROW_STATUS]) {
        int64_t t0, t1;
        int by = x - p.gutter - view_column(v, &t0, &t1);
        if (by) f |= view_cursor(v, by);
    }
    return f;
}

/* The button was pressed in one cell and released in another: select what lies between. */
static unsigned drag(struct app *a, int x, int y)
{
    unsigned f = point(a, a->press_x, a->press_y);
    if (a->view.selected || a->view.selecting) f |= view_back(&a->view);
    f |= view_select(&a->view);
    f |= point(a, x, y);
    return (f | view_select(&a->view)) & ~(unsigned)VR_QUIT;
}

/* Is Alt with this key bound, or could it go on with what is under way? */
static bool alt_means(const struct app *a, keycode k)
{
    struct keystate st = a->keys;
    const struct binding *hit;
    uint32_t count;
    return keymap_feed(a->km, &st, app_keyview(a), k, &hit, &count) != KEYFEED_NONE;
}

static unsigned mouse(struct app *a, const struct key_event *ev)
{
    if (a->view.popup || ev->x < 0 || ev->key == K_RELEASE) return VR_NONE;
    if (ev->key == K_DRAG) return drag(a, ev->x, ev->y);
    if (ev->key == K_CLICK) {
        a->press_x = ev->x;
        a->press_y = ev->y;
    }
    return point(a, ev->x, ev->y);
}

unsigned app_key(struct app *a, const struct key_event *ev)
{
    keycode k = ev->key;
    a->touched = true;
    a->note = NULL;
    a->open_view = 0; /* the reader has taken the wheel */
    a->open_at = a->open_lane = NULL;
    sync(a);
    if ((k & K_ALT) && (a->view.prompt || !alt_means(a, k))) {
        /* Esc and a key typed (or sent) in one go look like Alt: take them as the two */
        struct key_event esc = {K_ESC, -1, -1}, rest = {k & ~K_ALT, ev->x, ev->y};
        unsigned f = app_key(a, &esc);
        return f & VR_QUIT ? f : f | app_key(a, &rest);
    }
    if (a->letter_for != ACT_NONE && !key_is_mouse(k)) {
        enum action act = a->letter_for;
        char letter[2] = {k < 0x80 ? (char)k : '?', 0};
        a->letter_for = ACT_NONE;
        if (k == K_ESC) return VR_DRAW;
        return VR_DRAW | app_do(a, act, 0, letter);
    }
    if (a->view.prompt) {
        struct place from = a->view.at;
        unsigned f = key_is_mouse(k) ? VR_NONE : prompt_key(a, k);
        tables_moved(a, &from);
        a->working |= (f & VR_WORK) != 0; /* searches go on while one types */
        return f;
    }
    struct place from = a->view.at;
    unsigned f = key_is_mouse(k) ? mouse(a, ev) : VR_NONE;
    tables_moved(a, &from);
    bool pending = a->keys.n || a->keys.counting;
    f |= feed(a, k);
    if (pending) f |= VR_DRAW;
    return f;
}

bool app_interruptible(const struct app *a)
{
    const struct view *v = &a->view;
    return v->prompt || a->letter_for != ACT_NONE || a->keys.n || a->keys.counting || v->far.look || view_searching(v);
}

unsigned app_interrupt(struct app *a)
{
    struct key_event esc = {K_ESC, -1, -1};
    a->view.message[0] = '\0';
    if (a->keys.n || a->keys.counting) {
        a->keys = (struct keystate){0};
        return VR_DRAW;
    }
    return app_key(a, &esc) & ~(unsigned)VR_QUIT;
}

/* ---- drawing --------------------------------------------------------------------------------------------- */

bool app_draw(struct app *a)
{
    struct frame_text txt = {
        .name = a->name,
        .footer = a->footer,
        .debug = a->debug[0] ? a->debug : a->note,
        .loading = a->loading,
        .rate = a->rate,
    };
    sync(a);
    if (a->letter_for != ACT_NONE)
        snprintf(a->footer, sizeof a->footer, "%s: a letter, a to z or A to Z", action_name(a->letter_for));
    else
        help_footer(a->km, &a->keys, app_keyview(a), a->footer, sizeof a->footer);
    a->grid.ascii = !a->utf8;
    if (!frame_draw(&a->grid, &a->view, &txt)) return false;
    if (view_pending(&a->view)) a->working = true;
    a->cursor_x = txt.screen_x;
    a->cursor_y = txt.screen_y;
    return true;
}
