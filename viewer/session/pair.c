/*
 * pair.c - see pair.h. While one app of the two is called, `inside` is set, so it answers for itself.
 */
#include "viewer/session/pair.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/cells/lines.h"
#include "triage/wall.h"
#include "layout/move/kind.h"
#include "triage/report/report.h"

enum align { ALIGN_START, ALIGN_WALL, ALIGN_OPENED, ALIGN_NOT };
enum { HEIGHT_LEAST = 20 }; /* rows; a smaller screen shows one of them */

struct pair {
    struct app *app[2]; /* above, below */
    int active;
    enum align how;
    int64_t by;  /* the moment t above stands over t + by below */
    bool inside; /* one of them is being called */
    int w, h;    /* of the whole screen */
    int y[2];    /* the row where each begins; its view knows its height */
    struct grid grid[2];
    char name[2][160], footer[128];
    struct lines *diff; /* the text of the diff view; NULL: not made yet */
};

static struct pair *pair_of(const struct app *a)
{
    return a->pair;
}

bool pair_host(const struct app *a)
{
    return a->pair && !a->pair->inside;
}

struct app *pair_below(const struct app *a)
{
    return a->pair ? pair_of(a)->app[1] : NULL;
}

struct app *pair_follows(struct app *a)
{
    struct app *host = a->pair ? pair_of(a)->app[0] : a;
    return host->follow ? host : NULL;
}

static struct app *pair_active(const struct pair *p)
{
    return p->app[p->active];
}

static struct app *pair_idle(const struct pair *p)
{
    return p->app[!p->active];
}

/* ---- where both are ------------------------------------------------------------------------------------ */

/* Both axes reach to the end of the longer trace, so that a column is as long in both. */
static void pair_axes(struct pair *p)
{
    struct view *a = &p->app[0]->view, *b = &p->app[1]->view;
    int64_t end0 = trace_info(a->tr)->end, end1 = trace_info(b->tr)->end;
    bool apart = p->how == ALIGN_NOT;
    a->beyond =
        /* a followed trace ends where its program is */
        apart || p->app[0]->follow ? 0 : time_sub(end1, p->by);
    b->beyond = apart ? 0 : time_add(end0, p->by);
}

/* The same lane in the other trace: a goroutine of the same number and start function, a P or M of the same
 * number. */
static struct lane pair_same_lane(const struct view *from, const struct view *to)
{
    struct lane l = from->at.focus;
    if (l.kind >= LANE_BAND || l.i >= trace_nlanes(from->tr, l.kind))
        return to->at.focus;
    struct lane_info li = trace_lane_who(from->tr, l);
    uint32_t i = trace_find_lane(to->tr, l.kind, li.id);
    if (i == NO_LANE)
        return to->at.focus;
    struct lane found = {l.kind, i};
    struct str a = trace_str(from->tr, li.name), b = trace_str(to->tr, trace_lane(to->tr, found).name);
    bool same = l.kind != LANE_G || (a.len == b.len && !memcmp(a.p, b.p, a.len));
    return same ? found : to->at.focus;
}

static void pair_follow(struct pair *p)
{
    struct app *from = pair_active(p), *to = pair_idle(p);
    const struct place *at = &from->view.at;
    int64_t by = p->active == 0 ? p->by : time_sub(0, p->by);
    pair_axes(p);
    if (to->view.at.view != at->view && (kind_of(at->view)->open(&to->view, at->view) & VR_WORK))
        app_add(to, DUE_VIEW);
    if (kind_here(&from->view)->table || p->how == ALIGN_NOT)
        return;
    struct window w = window_of(time_add(at->win.t0, by), time_add(at->win.t1, by));
    view_follow(&to->view, w, time_add(at->cursor, by), pair_same_lane(&from->view, &to->view));
}

static int64_t pair_wall_ns(const struct trace_info *ti)
{
    return time_add(time_muldiv(ti->wall_sec, 1000000000, 1), ti->wall_nsec);
}

static bool pair_align_as(struct pair *p, enum align how)
{
    const struct trace_info *a = trace_info(p->app[0]->tr), *b = trace_info(p->app[1]->tr);
    if (how == ALIGN_WALL && !(a->has_wall && b->has_wall))
        return false;
    p->how = how;
    p->by = how == ALIGN_START  ? 0
            : how == ALIGN_WALL ? time_sub(pair_wall_ns(a), pair_wall_ns(b))
                                : time_sub(p->app[1]->view.at.cursor, p->app[0]->view.at.cursor);
    return true;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* The loop reads these from the upper app. */
static void pair_yank_up(const struct pair *p, struct app *from, unsigned f)
{
    struct app *host = p->app[0];
    if ((f & VR_YANK) && from != host) {
        mem_free(host->yank);
        host->yank = from->yank;
        from->yank = NULL;
    }
}

static unsigned pair_hand_up(struct pair *p, struct app *from, unsigned f)
{
    struct app *host = p->app[0], *other = from == host ? p->app[1] : host;
    pair_yank_up(p, from, f);
    if ((f & AR_SOURCE) && from != host) {
        memcpy(host->source.path, from->source.path, sizeof host->source.path);
        host->source.line = from->source.line;
    }
    other->colours.palette = from->colours.palette;
    other->colours.mono = other->view.scr.mono = from->colours.mono;
    other->view.scr.tier = from->view.scr.tier;
    other->view.scr.unfolded = from->view.scr.unfolded;
    host->show_debug = from->show_debug;
    return f;
}

static bool pair_in_table(const struct app *a)
{
    return kind_here(&a->view)->table;
}

/* One key, or one action, for an app. */
struct press {
    const struct key_event *ev; /* NULL: an action */
    enum action act;
    uint32_t count;
    const char *arg;
};

static unsigned pair_give(struct app *a, const struct press *k)
{
    return k->ev ? app_key(a, k->ev) : app_do(a, k->act, k->count, k->arg);
}

/* The moments they show are no longer those that stand one above the other. */
static bool pair_moved(const struct pair *p)
{
    return time_sub(p->app[1]->view.at.cursor, p->app[0]->view.at.cursor) != p->by;
}

static unsigned pair_press(struct pair *p, const struct press *k)
{
    struct app *a = pair_active(p), *b = pair_idle(p);
    int was = p->active, view = a->view.at.view;
    bool both = pair_in_table(a) && b->view.at.view == view;
    p->inside = true;
    unsigned f = pair_give(a, k);
    if (p->active != was) { /* this key has made the other one active */
        a = pair_active(p), b = pair_idle(p);
    } else if (both && !(f & VR_QUIT)) {
        unsigned g = pair_give(b, k);
        f |= g & ((unsigned)VR_DRAW | VR_WORK);
        view_message(&b->view, false, "%s", "");
        if (p->how != ALIGN_NOT && !pair_in_table(a) && !pair_in_table(b) &&
            a->view.at.view == b->view.at.view && pair_moved(p))
            (void)pair_align_as(p, ALIGN_OPENED);
    }
    if (!(f & VR_QUIT))
        pair_follow(p);
    p->inside = false;
    return pair_hand_up(p, a, f) | VR_DRAW;
}

unsigned pair_key(struct app *a, const struct key_event *ev)
{
    struct pair *p = pair_of(a);
    struct key_event at = *ev;
    if (key_is_mouse(ev->key) && p->y[1] > p->y[0] && ev->y >= 0) {
        p->active = ev->y >= p->y[1];
        at.y -= p->y[p->active];
    }
    struct press k = {.ev = &at};
    return pair_press(p, &k);
}

unsigned pair_do(struct app *a, enum action act, uint32_t count, const char *arg)
{
    struct press k = {.act = act, .count = count, .arg = arg};
    return pair_press(pair_of(a), &k);
}

static unsigned pair_alone(struct app *a)
{
    view_message(&a->view, true, "one trace is open: gotop OLD NEW shows two");
    return VR_DRAW | VR_BELL;
}

unsigned pair_other(struct app *a, int n)
{
    (void)n;
    if (!a->pair)
        return pair_alone(a);
    pair_of(a)->active = !pair_of(a)->active;
    return VR_DRAW;
}

unsigned pair_align(struct app *a, int n)
{
    static const char *const said[] = {[ALIGN_START] = "aligned by their starts",
                                       [ALIGN_WALL] = "aligned by the time of day",
                                       [ALIGN_OPENED] = "aligned at what was opened in both"};
    (void)n;
    if (!a->pair)
        return pair_alone(a);
    struct pair *p = pair_of(a);
    enum align next = p->how == ALIGN_START ? ALIGN_WALL : ALIGN_START;
    if (!pair_align_as(p, next) && p->how == ALIGN_START) {
        view_message(&a->view, true, "aligned by their starts: the time of day isn't in both traces");
        return VR_DRAW | VR_BELL;
    }
    view_message(&a->view, false, "%s", said[p->how]);
    return VR_DRAW;
}

bool pair_interruptible(const struct app *a)
{
    struct pair *p = pair_of(a);
    p->inside = true;
    bool can = app_interruptible(pair_active(p));
    p->inside = false;
    return can;
}

unsigned pair_interrupt(struct app *a)
{
    struct pair *p = pair_of(a);
    p->inside = true;
    unsigned f = app_interrupt(pair_active(p));
    if (pair_in_table(pair_active(p)))
        (void)app_interrupt(pair_idle(p));
    p->inside = false;
    return f;
}

/* ---- work ---------------------------------------------------------------------------------------------- */

static struct loaded pair_loaded(const struct app *a)
{
    return (struct loaded){.path = trace_info(a->tr)->path,
                           .tr = a->tr,
                           .tg = a->tg,
                           .fs = a->fs,
                           .partial = trace_info(a->tr)->ndamages > 0};
}

/* The diff view is shown, and both traces have their tables. */
static bool pair_due(const struct pair *p)
{
    return !p->diff && kind_here(&pair_active(p)->view) == &kind_diff && p->app[0]->tri.tg &&
           p->app[1]->tri.tg;
}

static void pair_compare(struct pair *p)
{
    struct text t = {0};
    struct err e = {0};
    struct loaded a = pair_loaded(p->app[0]), b = pair_loaded(p->app[1]);
    if (!(p->diff = lines_new("diff")))
        return;
    if (diff_two(&a, &b, &t, &e)) {
        lines_add(p->diff, "%s", e.what);
    } else {
        char *rest = t.p;
        for (char *line = rest; line && *line; line = rest) {
            rest = strchr(line, '\n');
            if (rest)
                *rest++ = 0;
            lines_add(p->diff, "%s", line);
        }
    }
    text_free(&t);
    p->app[0]->view.compared = p->app[1]->view.compared = p->diff;
}

bool pair_busy(const struct app *a)
{
    struct pair *p = pair_of(a);
    p->inside = true;
    bool busy = app_busy(p->app[0]) || app_busy(p->app[1]) || pair_due(p);
    p->inside = false;
    return busy;
}

unsigned pair_step(struct app *a, int64_t budget_ns, unsigned *flags)
{
    struct pair *p = pair_of(a);
    p->inside = true;
    if (!app_busy(pair_active(p)) && !app_busy(pair_idle(p)) && pair_due(p)) {
        pair_compare(p);
        p->inside = false;
        *flags = VR_DRAW;
        return DUE_TABLES;
    }
    struct app *who = app_busy(pair_active(p)) ? pair_active(p) : pair_idle(p);
    if (app_phase(pair_idle(p)) &&
        app_phase(pair_idle(p)) < app_phase(who)) /* both load before either makes tables */
        who = pair_idle(p);
    int view = pair_active(p)->view.at.view;
    unsigned phase = app_step(who, budget_ns, flags);
    pair_yank_up(p, who, *flags);
    pair_axes(p);
    if (who == pair_active(p) &&
        pair_active(p)->view.at.view != view) /* the findings have opened by themselves */
        pair_follow(p);
    p->inside = false;
    return phase;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

/* Divide the screen. The diff view, and any view on a small screen, has all of it. */
static void pair_divide(struct pair *p)
{
    bool one = p->h < HEIGHT_LEAST || kind_here(&pair_active(p)->view) == &kind_diff;
    int h0 = one ? p->h : (p->h + 1) / 2, h1 = one ? p->h : p->h - h0;
    p->y[0] = 0;
    p->y[1] = one ? 0 : h0;
    (void)view_resize(&p->app[0]->view, p->w, h0);
    (void)view_resize(&p->app[1]->view, p->w, h1);
}

unsigned pair_resize(struct app *a, int w, int h)
{
    struct pair *p = pair_of(a);
    p->w = w;
    p->h = h;
    pair_divide(p);
    return VR_DRAW;
}

static void pair_put(struct grid *to, const struct grid *from, int y)
{
    for (int row = 0; row < from->h && y + row < to->h; row++)
        memcpy(to->cells + (size_t)(y + row) * (size_t)to->w, from->cells + (size_t)row * (size_t)from->w,
               (size_t)(from->w < to->w ? from->w : to->w) * sizeof *to->cells);
}

/* Name both in their titles, and mark the active one. The other's footer says which key makes it active. */
static void pair_name(struct pair *p, int i)
{
    struct app *a = p->app[i];
    char key[40], align_key[40];
    const char *path = a->label ? a->label : trace_info(a->tr)->path;
    const char *slash = path && !a->label ? strrchr(path, '/') : NULL;
    snprintf(p->name[i], sizeof p->name[i], "%s%.150s", p->active == i ? "> " : "  ",
             !path               ? "trace"
             : slash && slash[1] ? slash + 1
                                 : path);
    a->name = p->name[i];
    a->footer_instead = NULL;
    if (p->active == i)
        return;
    help_key(a->km, app_keyview(a), ACT_OTHER, key, sizeof key);
    help_key(a->km, app_keyview(a), ACT_ALIGN, align_key, sizeof align_key);
    snprintf(p->footer, sizeof p->footer, "%s to this trace  %s align", key, align_key);
    a->footer_instead = p->footer;
}

bool pair_draw(struct app *a)
{
    struct pair *p = pair_of(a);
    bool ok = true;
    pair_divide(p);
    pair_axes(p);
    p->inside = true;
    for (int i = 0; i < 2 && ok; i++) {
        struct app *one = p->app[i];
        pair_name(p, i);
        if (p->y[1] == 0 && i != p->active)
            continue;
        ok = app_draw(one);
        struct grid was = p->grid[i];
        p->grid[i] = one->grid;
        one->grid = was;
    }
    p->inside = false;
    if (!ok || !grid_resize(&a->grid, p->w, p->h))
        return false;
    grid_clear(&a->grid);
    for (int i = 0; i < 2; i++)
        if (p->y[1] > 0 || i == p->active)
            pair_put(&a->grid, &p->grid[i], p->y[i]);
    struct app *on = pair_active(p);
    int x = on->cursor_x, y = on->cursor_y;
    a->cursor_x = x;
    a->cursor_y = y < 0 ? y : y + p->y[p->active];
    return true;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

bool pair_begin(struct app *a, struct app *b)
{
    struct pair *p = mem_zalloc(sizeof *p);
    if (!p)
        return false;
    p->app[0] = a;
    p->app[1] = b;
    p->w = a->view.scr.w;
    p->h = a->view.scr.h;
    a->pair = b->pair = p;
    b->key_came = true; /* it shows what the upper one shows, so its findings do not open by themselves */
    pair_divide(p);
    return true;
}

void pair_unlink(struct app *a)
{
    pair_of(a)->how = ALIGN_NOT;
    pair_follow(pair_of(a));
}

void pair_end(struct app *a)
{
    struct pair *p = pair_of(a);
    if (!p)
        return;
    p->app[0]->pair = p->app[1]->pair = NULL;
    (void)view_resize(&p->app[0]->view, p->w, p->h);
    p->app[0]->view.compared = p->app[1]->view.compared = NULL;
    grid_free(&p->grid[0]);
    grid_free(&p->grid[1]);
    lines_free(p->diff);
    mem_free(p);
}
