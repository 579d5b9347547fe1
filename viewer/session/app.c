/*
 * app.c - who gets a key.
 *
 * The first of these that is there takes it: a prompt, as text; a chord or a count under way; a pop-up,
 * which scrolls by the keys that move across lanes; the view. There is no other mode. act.c does the
 * actions.
 */
#include "viewer/session/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <ctype.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/draw/tabs.h"
#include "layout/views/sql_view.h"
#include "layout/move/kind.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "layout/move/plan.h"
#include "layout/draw/popup.h"
#include "viewer/session/app_live.h"
#include "viewer/session/follow.h"
#include "viewer/session/pair.h"
#include "viewer/session/slice.h"
#include "viewer/command/tables.h"

bool app_init(struct app *a, struct trace *tr, const struct keymap *km, int w, int h)
{
    memset(a, 0, sizeof *a);
    a->tr = tr;
    a->km = km;
    a->utf8 = true;
    app_add(a, DUE_LOAD);
    a->cursor_x = a->cursor_y = -1;
    if (!view_init(&a->view, tr))
        return false;
    tri_init(&a->tri, tr);
    a->view.tri = &a->tri;
    app_resize(a, w, h);
    return true;
}

void app_free(struct app *a)
{
    view_free(&a->view);
    tri_free(&a->tri);
    findings_drop(a->finds);
    findings_free(&a->fs);
    triage_free(a->tg);
    grid_free(&a->grid);
    rich_free(&a->help);
    mem_free(a->yank);
}

/* The view walks over all lanes when the trace has grown. So it is told before a key or a frame, not at
 * every slice of loading. */
static void sync(struct app *a)
{
    if (a->stale)
        app_left(a, view_loaded(&a->view));
    a->stale = false;
}

/* The window comes first, so that a lane at a time finds that time on the screen. */
void app_open(struct app *a)
{
    if (trace_fatal(a->tr))
        return;
    unsigned f = VR_NONE;
    if (a->open.at)
        f |= view_goto(&a->view, a->open.at);
    if (a->open.view)
        f |= view_switch(&a->view, a->open.view);
    if (a->open.lane)
        f |= view_goto(&a->view, a->open.lane);
    if (a->open.filter) {
        const unsigned filter = view_filter(&a->view, a->open.filter);
        if (filter & VR_BELL)
            a->open.filter_error = a->view.msg.text;
        f |= filter;
    }
    app_left(a, f);
    if (a->open.view)
        a->view.trail.n = a->view.trail.redo_n = 0; /* the trail begins in this view */
    a->open.filter = NULL;
    a->open.view = 0;
    a->open.at = a->open.lane = NULL;
}

static bool app_load_step(struct app *a, int64_t budget_ns)
{
    const struct trace_info *ti = trace_info(a->tr);
    uint32_t epoch = ti->epoch;
    bool more = trace_load(a->tr, budget_ns) == LOAD_MORE;
    a->stale = true;
    if (ti->epoch != epoch)
        app_left(a, view_anew(&a->view));
    return more;
}

bool app_load(struct app *a, int64_t budget_ns)
{
    if (!app_has(a, DUE_LOAD))
        return false;
    app_set(a, DUE_LOAD, app_load_step(a, budget_ns));
    if (!app_has(a, DUE_LOAD)) {
        sync(a);
        a->key_came |= a->open.view || a->open.at || a->open.lane;
        app_set(a, DUE_TABLES, !trace_fatal(a->tr));
        app_open(a);
    }
    return app_has(a, DUE_LOAD);
}

unsigned app_work(struct app *a, int64_t budget_ns)
{
    struct place from = a->view.at;
    unsigned f = view_work(&a->view, budget_ns);
    tables_moved(a, &from);
    app_set(a, DUE_VIEW, (f & VR_WORK) != 0);
    return f;
}

unsigned app_phase(const struct app *a)
{
    return a->due & (~a->due + 1); /* the lowest bit */
}

bool app_busy(const struct app *a)
{
    return a->due || pair_due(a);
}

/* The view's work goes first, unless the tables are what the reader looks at. */
static bool tables_turn(const struct app *a)
{
    return app_has(a, DUE_TABLES) && (!app_has(a, DUE_VIEW) || tri_shows(a->view.at.view));
}

unsigned app_step(struct app *a, int64_t budget_ns, unsigned *flags)
{
    unsigned phase = app_phase(a);
    *flags = VR_NONE;
    if (phase == DUE_LOAD) {
        if (!app_load(a, budget_ns))
            *flags = VR_DRAW;
    } else if (tables_turn(a)) {
        *flags = app_triage(a, budget_ns);
    } else if (app_has(a, DUE_VIEW)) {
        *flags = app_work(a, budget_ns);
    } else if (pair_due(a)) {
        *flags = pair_step(a, budget_ns);
    }
    return phase;
}

unsigned app_resize(struct app *a, int w, int h)
{
    a->live.still = false;
    return view_resize(&a->view, w, h);
}

enum keyview app_keyview(const struct app *a)
{
    if (a->view.popup.kind)
        return KEYVIEW_POPUP;
    return (enum keyview)a->view.at.view;
}

/* ---- the prompt ---------------------------------------------------------------------------------------- */

static int history_of(const struct app *a)
{
    return a->view.prompt.kind == PROMPT_SEARCH ? 1 : a->view.prompt.kind == PROMPT_FILTER ? 2 : 0;
}

static void history_add(struct app *a)
{
    int h = history_of(a), *n = &a->typed.n[h];
    if (!a->view.prompt.len || (*n && strcmp(a->typed.line[h][*n - 1], a->view.prompt.text) == 0))
        return;
    if (*n == APP_HISTORY)
        memmove(a->typed.line[h][0], a->typed.line[h][1], sizeof a->typed.line[h][0] * (size_t)-- * n);
    memcpy(a->typed.line[h][(*n)++], a->view.prompt.text, VIEW_TEXT);
}

static void prompt_set(struct app *a, const char *text)
{
    (void)view_prompt_edit(&a->view, EDIT_END);
    (void)view_prompt_edit(&a->view, EDIT_CLEAR);
    struct str s = str_of(text);
    for (uint32_t at = 0; at < s.len;) {
        int width;
        view_prompt_put(&a->view, str_next(s, &at, &width));
    }
}

static unsigned history_move(struct app *a, int by)
{
    int h = history_of(a), n = a->typed.n[h];
    int at = a->typed.at < 0 ? n : a->typed.at;
    at += by;
    if (at < 0 || at > n || n == 0 || a->view.prompt.kind >= PROMPT_SLICE)
        return VR_NONE;
    a->typed.at = at;
    prompt_set(a, at < n ? a->typed.line[h][at] : "");
    return VR_DRAW;
}

enum { NAME_COUNT = ACT_COUNT + 2 * VIEW_END, NAME_ROOM = 64 };

/* Returns the i-th word that a line behind ':' may begin with: an action, a view, or "view-" and a view. "":
 * there is no such word. */
static const char *command_name(int i, char out[NAME_ROOM])
{
    const int view = (i - ACT_COUNT) / 2;
    if (i < ACT_COUNT)
        return i > ACT_NONE ? action_name((enum action)i) : "";
    if (view <= VIEW_NONE || view >= VIEW_END)
        return "";
    snprintf(out, NAME_ROOM, "%s%s", i % 2 == ACT_COUNT % 2 ? "view-" : "", kind_name(view));
    return action_find(out, strlen(out)) == ACT_NONE ? out : "";
}

/* Returns the i-th word that can be completed, of a command or of SQL. */
static const char *word_name(bool sql, int i, char out[NAME_ROOM])
{
    const char *name = sql ? sql_view_word((unsigned)i) : command_name(i, out);
    return name ? name : "";
}

/* Returns the offset of the word to complete: SQL has several, a command only the first. */
static size_t word_begins(const char *text, size_t len, bool *sql)
{
    *sql = strncmp(text, "sql ", 4) == 0;
    while (*sql && len > 4 && (isalnum((unsigned char)text[len - 1]) || text[len - 1] == '_'))
        len--;
    return *sql ? len : 0;
}

/* Answer Tab: add the letters that all matching words share; several words are listed. */
static unsigned prompt_complete(struct app *a)
{
    bool sql;
    const size_t from = word_begins(a->view.prompt.text, a->view.prompt.len, &sql);
    const char *text = a->view.prompt.text + from;
    size_t len = a->view.prompt.len - from, common = 0;
    char all[VIEW_MESSAGE] = "", first[NAME_ROOM] = "", buf[NAME_ROOM];
    int n = 0;
    if (a->view.prompt.kind != PROMPT_COMMAND)
        return VR_NONE;
    for (int i = 0; i < (sql ? SQL_VIEW_WORDS : NAME_COUNT); i++) {
        const char *name = word_name(sql, i, buf);
        if (!*name || strncmp(name, text, len) != 0)
            continue;
        if (n++ == 0) {
            snprintf(first, sizeof first, "%s", name);
            common = strlen(first);
        }
        size_t same = 0;
        while (same < common && name[same] == first[same])
            same++;
        common = same;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", name);
    }
    if (n == 0)
        return VR_BELL;
    (void)view_prompt_edit(&a->view, EDIT_END);
    for (size_t i = len; i < common; i++)
        view_prompt_put(&a->view, (unsigned char)first[i]);
    if (n > 1)
        return view_message(&a->view, false, "%s", all);
    return VR_DRAW;
}

/* Find a view by its name, unless an action has the same; "view-NAME" always means the view. */
static int view_named(const char *name, size_t len)
{
    enum { PREFIX = sizeof "view-" - 1 };
    if (len > PREFIX && !strncmp(name, "view-", PREFIX))
        return kind_find(name + PREFIX, len - PREFIX);
    return action_complete(name, len) == ACT_NONE ? kind_find(name, len) : VIEW_NONE;
}

/* Run a line behind ':' that is not a place: an action, with a count or an argument; a view; or SQL. */
static unsigned run_command(struct app *a)
{
    char line[VIEW_TEXT];
    snprintf(line, sizeof line, "%s", a->view.prompt.command);
    char *name = line + strspn(line, " ");
    size_t len = strcspn(name, " ");
    enum action act = action_complete(name, len);
    if (act == ACT_NONE && ((len == 1 && name[0] == 'q') || (len == 2 && !strncmp(name, "q!", 2))))
        act = ACT_QUIT;
    if (len == 3 && !strncmp(name, "sql", 3) && name[len + strspn(name + len, " ")])
        return VR_DRAW | sql_view_ask(&a->view, name + len);
    const int view = view_named(name, len);
    if (view != VIEW_NONE)
        return VR_DRAW | view_show(&a->view, view);
    if (act == ACT_NONE)
        return move_fail(&a->view, "'%.*s' is no time, range, lane, view or action (Tab completes names)",
                         (int)len, name);
    char *arg = name + len;
    arg += strspn(arg, " ");
    uint32_t count = 0;
    for (const char *c = arg; *c >= '0' && *c <= '9' && count < KEYMAP_COUNT_MAX; c++)
        count = count * 10 + (uint32_t)(*c - '0');
    return VR_DRAW | app_do(a, act, count, *arg ? arg : NULL);
}

static unsigned prompt_accept(struct app *a)
{
    bool slice = a->view.prompt.kind == PROMPT_SLICE;
    if (!slice)
        history_add(a);
    unsigned f = view_prompt_accept(&a->view);
    if (slice)
        return f | slice_write(a, a->view.prompt.command);
    if (f & VR_COMMAND)
        f = (f & ~(unsigned)VR_COMMAND) | run_command(a);
    return app_left(a, f);
}

/* Handle keys that edit the line. Returns false when the key means something else. */
static bool prompt_edit(struct view *v, keycode k, unsigned *f)
{
    static const struct {
        keycode key;
        enum prompt_edit edit;
    } keys[] = {{K_BACKSPACE, EDIT_ERASE},       {K_CTRL | 'h', EDIT_ERASE},
                {K_DELETE, EDIT_DELETE},         {K_CTRL | 'd', EDIT_DELETE},
                {K_CTRL | 'w', EDIT_ERASE_WORD}, {K_CTRL | 'u', EDIT_CLEAR},
                {K_CTRL | 'k', EDIT_KILL},       {K_LEFT, EDIT_LEFT},
                {K_CTRL | 'b', EDIT_LEFT},       {K_RIGHT, EDIT_RIGHT},
                {K_CTRL | 'f', EDIT_RIGHT},      {K_HOME, EDIT_HOME},
                {K_CTRL | 'a', EDIT_HOME},       {K_END, EDIT_END},
                {K_CTRL | 'e', EDIT_END}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == k) {
            *f = view_prompt_edit(v, keys[i].edit);
            return true;
        }
    return false;
}

static unsigned prompt_key(struct app *a, keycode k)
{
    unsigned f;
    if (prompt_edit(&a->view, k, &f))
        return f;
    if (k == K_ENTER)
        return prompt_accept(a);
    if (k == K_ESC || k == (K_CTRL | 'g'))
        return view_back(&a->view) | VR_DRAW; /* a search under way returns to where it began */
    if (k == K_UP || k == (K_CTRL | 'p'))
        return history_move(a, -1);
    if (k == K_DOWN || k == (K_CTRL | 'n'))
        return history_move(a, 1);
    if (k == K_TAB)
        return prompt_complete(a);
    if (k < K_NAMED)
        return view_prompt_put(&a->view, k);
    return VR_NONE;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* The wheel scrolls where there is nothing to zoom: in tables, the log and pop-ups. */
static bool scrolls(const struct app *a, keycode k, enum action act)
{
    return key_is_mouse(k) && (act == ACT_ZOOM_IN || act == ACT_ZOOM_OUT) &&
           (a->view.popup.kind || kind_here(&a->view)->table || a->view.at.view == VIEW_LOG);
}

static unsigned feed(struct app *a, keycode k)
{
    enum { NOTCH = 3 };
    const struct binding *hit = NULL;
    uint32_t count = 0;
    char chord[96];
    keystate_text(&a->keys, chord, sizeof chord);
    switch (keymap_feed(a->km, &a->keys, app_keyview(a), k, &hit, &count)) {
    case KEYFEED_HIT: {
        uint64_t n = (uint64_t)(count ? count : 1) * hit->times;
        if (n > KEYMAP_COUNT_MAX)
            n = KEYMAP_COUNT_MAX;
        bool given = count || hit->times != 1;
        if (scrolls(a, k, hit->action))
            return VR_DRAW | app_do(a, hit->action == ACT_ZOOM_IN ? ACT_LANE_UP : ACT_LANE_DOWN, NOTCH, NULL);
        return VR_DRAW | app_do(a, hit->action, given ? (uint32_t)n : 0, hit->arg);
    }
    case KEYFEED_MORE:
        view_message(&a->view, false, "%s", ""); /* a message would hide the footer, which shows the chord */
        return VR_DRAW;
    case KEYFEED_CANCEL: return VR_DRAW;
    case KEYFEED_NONE: break;
    }
    if (key_is_mouse(k))
        return VR_NONE;
    char name[KEY_NAME_MAX], help[64];
    keymap_key(a->km, app_keyview(a), ACT_HELP, help, sizeof help);
    return view_message(&a->view, false, "%s%s%s does nothing here%s%s%s", chord, chord[0] ? " " : "",
                        key_text(k, name), help[0] ? "; " : "", help, help[0] ? " lists the keys" : "") |
           VR_BELL;
}

/* Move the cursor to the cell under the mouse: time and row; in the ruler and the bands only the time; in
 * tables and the log only the row. */
static unsigned app_point(struct app *a, int x, int y)
{
    struct view *v = &a->view;
    const struct view_kind *here = kind_here(v);
    int64_t t0, t1, by;
    struct plan p;
    const bool row = view_listed(v, y, &by);
    unsigned f = row && by ? view_do(v, REQ_LANE, (int)by) : VR_NONE;
    plan_view(&p, v, here->lanes < LANE_KINDS ? v->lanes[here->lanes].n : tri_rows(v));
    if (here->table || (row && here->plan == PLAN_LOG) || x < p.gutter || x >= p.gutter + p.plot_w ||
        y < p.y[ROW_RULER] || y >= p.y[ROW_STATUS])
        return f;
    const int cols = x - p.gutter - view_column(v, &t0, &t1);
    return cols ? f | view_cursor(v, cols) : f;
}

/* Handle a click that is not on a row: on a tab, a column's title, or what the view itself takes. */
static unsigned touch(struct app *a, int x, int y)
{
    struct view *v = &a->view;
    const struct view_kind *here = kind_here(v);
    int64_t by;
    struct plan p;
    if (y == 0)
        return tabs_at(v, x) == VIEW_NONE ? VR_NONE : view_switch(v, tabs_at(v, x));
    if (!here->touch || view_listed(v, y, &by))
        return VR_NONE;
    plan_view(&p, v, 0); /* such a view has no lanes and no items */
    return here->touch(v, &p, x, y);
}

/* Select the range between the cells in which the button went down and up. */
static unsigned drag(struct app *a, int x, int y)
{
    unsigned f = app_point(a, a->press_x, a->press_y);
    if (kind_here(&a->view)->table)
        return f; /* columns of a table are not times */
    if (a->view.sel.stands || a->view.sel.going)
        f |= view_back(&a->view);
    f |= view_select(&a->view, 0);
    f |= app_point(a, x, y);
    return (f | view_select(&a->view, 0)) & ~(unsigned)VR_QUIT;
}

/* Returns whether Alt with this key is bound, or continues a chord. */
static bool alt_means(const struct app *a, keycode k)
{
    struct keystate st = a->keys;
    const struct binding *hit;
    uint32_t count;
    return keymap_feed(a->km, &st, app_keyview(a), k, &hit, &count) != KEYFEED_NONE;
}

static unsigned mouse(struct app *a, const struct key_event *ev)
{
    if (a->view.popup.kind || ev->x < 0 || ev->key == K_RELEASE)
        return VR_NONE;
    a->quit_asked = false;
    if (ev->key == K_DRAG)
        return drag(a, ev->x, ev->y);
    if (ev->key == K_CLICK) {
        a->press_x = ev->x;
        a->press_y = ev->y;
        return app_point(a, ev->x, ev->y) | touch(a, ev->x, ev->y);
    }
    return app_point(a, ev->x, ev->y);
}

/* A double click that hits no row, frame or window opens nothing. */
static bool beside_rows(struct app *a, const struct key_event *ev)
{
    int64_t by;
    const struct view_kind *here = kind_here(&a->view);
    if (ev->key == K_DOUBLE && ev->y == 0)
        return true;
    if (ev->key != K_DOUBLE || a->view.popup.kind || !here->table || view_listed(&a->view, ev->y, &by))
        return false;
    return here->rows || !touch(a, ev->x, ev->y);
}

/* Pasted text goes to a prompt. Elsewhere its letters would act as keys that nobody pressed. */
static unsigned app_pasted(struct app *a, const struct key_event *ev)
{
    struct key_event plain = {ev->key & ~K_PASTED, -1, -1};
    char key[KEY_NAME_MAX * 2];
    if (a->view.prompt.kind)
        return app_key(a, &plain);
    keymap_key(a->km, app_keyview(a), ACT_SEARCH, key, sizeof key);
    return view_message(&a->view, false, "pasted text is not taken as keys%s%s%s", key[0] ? "; " : "", key,
                        key[0] ? " finds it" : "");
}

unsigned app_key(struct app *a, const struct key_event *ev)
{
    keycode k = ev->key;
    if (k & K_PASTED)
        return app_pasted(a, ev);
    a->key_came = true;
    a->live.still = false;
    a->note = NULL;
    a->open.view = 0; /* the reader goes elsewhere now */
    a->open.at = a->open.lane = NULL;
    sync(a);
    if ((k & K_ALT) && (a->view.prompt.kind || !alt_means(a, k))) {
        /* Esc and a key that arrive together look like Alt with that key. */
        struct key_event esc = {K_ESC, -1, -1}, rest = {k & ~K_ALT, ev->x, ev->y};
        unsigned f = app_key(a, &esc);
        return f & VR_QUIT ? f : f | app_key(a, &rest);
    }
    if (a->view.prompt.kind) {
        struct place from = a->view.at;
        unsigned f = key_is_mouse(k) ? VR_NONE : prompt_key(a, k);
        tables_moved(a, &from);
        app_live_acted(a, ACT_NONE, &from);
        return app_left(a, f); /* the search continues while one types */
    }
    struct place from = a->view.at;
    if (beside_rows(a, ev))
        return VR_NONE;
    unsigned f = key_is_mouse(k) ? mouse(a, ev) : VR_NONE;
    tables_moved(a, &from);
    bool pending = a->keys.n || a->keys.counting;
    f |= feed(a, k);
    if (pending)
        f |= VR_DRAW;
    return f;
}

bool app_interruptible(const struct app *a)
{
    const struct view *v = &a->view;
    return v->prompt.kind || a->keys.n || a->keys.counting || view_searching(v);
}

unsigned app_interrupt(struct app *a)
{
    struct key_event esc = {K_ESC, -1, -1};
    a->view.msg.text[0] = '\0';
    if (a->keys.n || a->keys.counting) {
        a->keys = (struct keystate){0};
        return VR_DRAW;
    }
    return app_key(a, &esc) & ~(unsigned)VR_QUIT;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

bool app_still(const struct app *a)
{
    return a->live.still && !a->tri.trouble && tri_lacks(&a->view);
}

/* Write the keys of the view; with two traces, the one that shows the other trace goes first. */
static void foot(void *arg)
{
    struct app *a = arg;
    char key[40] = "";
    size_t n = 0;
    if (a->pair && !a->keys.n && !a->view.popup.kind)
        (void)keymap_key(a->km, app_keyview(a), ACT_OTHER, key, sizeof key);
    if (*key)
        n = (size_t)snprintf(a->footer, sizeof a->footer, "%s\tother trace  ", key);
    help_footer(a->km, &a->keys, &a->view, app_keyview(a), a->footer + n, sizeof a->footer - n);
}

bool app_draw(struct app *a)
{
    a->live.still = false;
    a->live.drawn = a->view.at.view;
    char more[64];
    struct frame_text txt = {
        .name = a->name,
        .footer = a->footer,
        .foot = foot,
        .foot_arg = a,
        .more = more,
        .debug = a->debug[0] ? a->debug : a->note,
        .live = a->follow != NULL,
        .unsaved = a->follow && !follow_now(a->follow).saves,
        .loading = app_has(a, DUE_LOAD),
    };
    sync(a);
    (void)keymap_key(a->km, app_keyview(a), ACT_READ, more, sizeof more);
    popup_measure(&a->view); /* the footer offers scrolling only for a pop-up that is longer than its frame */
    a->grid.ascii = !a->utf8;
    if (!frame_draw(&a->grid, &a->view, &txt))
        return false;
    if (view_pending(&a->view))
        app_add(a, DUE_VIEW);
    a->cursor_x = txt.screen_x;
    a->cursor_y = txt.screen_y;
    return true;
}
