/*
 * pair.c - see pair.h. Moments correspond by the time of day if both traces have it and overlap, else by the
 * time since their starts.
 */
#include "viewer/session/pair.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/mem.h"
#include "layout/move/kind.h"
#include "layout/move/move.h"
#include "triage/report/report.h"

struct pair {
    struct app *app[2];
    int shown;
    char name[2][160];
    struct rich diff; /* the text of the diff view */
    bool compared;    /* it is made */
};

struct app *pair_shown(struct app *a)
{
    return a->pair ? a->pair->app[a->pair->shown] : a;
}

static struct app *pair_hidden(const struct app *a)
{
    return a->pair->app[!a->pair->shown];
}

/* ---- the same place in the other trace ----------------------------------------------------------------- */

/* Finds the same lane: a goroutine of the same number and start function, a P or M of the same number. */
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
    bool same = l.kind != LANE_G || str_same(a, b);
    return same ? found : to->at.focus;
}

static int64_t pair_wall_ns(const struct trace_info *ti)
{
    return time_add(time_muldiv(ti->wall_sec, 1000000000, 1), ti->wall_nsec);
}

/* Returns the difference: the moment t of `from` is t + this of `to`. */
static int64_t pair_by(const struct trace_info *from, const struct trace_info *to)
{
    if (!from->has_wall || !to->has_wall)
        return 0;
    const int64_t by = time_sub(pair_wall_ns(from), pair_wall_ns(to));
    return by < to->end && time_add(by, from->end) > 0 ? by : 0;
}

static void pair_follow(const struct app *from, struct app *to)
{
    const struct place *at = &from->view.at;
    const struct trace_info *a = trace_info(from->tr), *b = trace_info(to->tr);
    const int64_t by = pair_by(a, b);
    (void)view_resize(&to->view, from->view.scr.w, from->view.scr.h);
    to->view.beyond = time_add(a->end, by); /* both axes reach to the end of the longer trace */
    if (to->view.at.view != at->view)
        app_left(to, kind_of(at->view)->open(&to->view, at->view));
    if (!kind_here(&from->view)->table)
        view_follow(&to->view, window_of(time_add(at->win.t0, by), time_add(at->win.t1, by)),
                    time_add(at->cursor, by), pair_same_lane(&from->view, &to->view));
    to->key_came = true;
    to->utf8 = from->utf8;
    to->utf8_tier = from->utf8_tier;
    to->colours = from->colours;
    to->show_debug = from->show_debug;
    to->show = from->show;
    to->show_arg = from->show_arg;
    to->view.scr.mono = from->view.scr.mono;
    to->view.scr.tier = from->view.scr.tier;
    to->view.scr.unfolded = from->view.scr.unfolded;
}

unsigned pair_other(struct app *a)
{
    if (!a->pair)
        return move_fail(&a->view, "one trace is open: gotop OLD NEW opens two");
    pair_follow(a, pair_hidden(a));
    a->pair->shown = !a->pair->shown;
    return VR_DRAW;
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

static void pair_compare(struct pair *p)
{
    struct text t = {0};
    struct err e = {0};
    struct loaded a = pair_loaded(p->app[0]), b = pair_loaded(p->app[1]);
    if (diff_two(&a, &b, &t, &e))
        rich_say(&p->diff, STYLE_NORMAL, "%s", e.what);
    for (char *line = t.p, *end; line && *line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        rich_say(&p->diff,
                 *line == '!'   ? STYLE_WARN
                 : *line == ' ' ? STYLE_NORMAL
                                : STYLE_STATUS_KEY,
                 "%s", *line ? line : " ");
    }
    text_free(&t);
    p->app[0]->view.compared = p->app[1]->view.compared = &p->diff;
    p->compared = true;
}

bool pair_due(const struct app *a)
{
    const struct pair *p = a->pair;
    return p && (pair_hidden(a)->due || (!p->compared && p->app[0]->tri.tg && p->app[1]->tri.tg &&
                                         kind_here(&p->app[p->shown]->view) == &kind_diff));
}

unsigned pair_step(struct app *a, int64_t budget_ns)
{
    unsigned flags;
    if (pair_hidden(a)->due) {
        (void)app_step(pair_hidden(a), budget_ns, &flags);
        return VR_NONE;
    }
    pair_compare(a->pair);
    return VR_DRAW;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

bool pair_begin(struct app *a, struct app *b)
{
    struct pair *p = mem_zalloc(sizeof *p);
    if (!p)
        return false;
    p->app[0] = a;
    p->app[1] = b;
    a->pair = b->pair = p;
    b->key_came = true; /* it shows what the first one shows, so its findings do not open by themselves */
    for (int i = 0; i < 2; i++) {
        const char *path = trace_info(p->app[i]->tr)->path, *slash = path ? strrchr(path, '/') : NULL;
        snprintf(p->name[i], sizeof p->name[i], "%d/2 %.140s", i + 1,
                 !path               ? "trace"
                 : slash && slash[1] ? slash + 1
                                     : path);
        p->app[i]->name = p->name[i];
        p->app[i]->view.beyond = 1; /* there is another axis, whose end is not known yet */
    }
    return true;
}

void pair_end(struct app *a)
{
    struct pair *p = a->pair;
    if (!p)
        return;
    for (int i = 0; i < 2; i++) {
        p->app[i]->pair = NULL;
        p->app[i]->name = NULL;
        p->app[i]->view.compared = NULL;
        p->app[i]->view.beyond = 0;
    }
    rich_free(&p->diff);
    mem_free(p);
}
