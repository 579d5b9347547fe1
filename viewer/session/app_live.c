/*
 * app_live.c - see app_live.h.
 *
 * Tables (views 1, 5, 6, M) need a model that does not change. When the model grows they are dropped, and
 * made again if the reader looks at one. Nothing is decoded while they are made, for a while after that, or
 * while the reader has stopped at a table. Receiving never stops, and when the program ends everything that
 * came is decoded. Until the new tables are ready, the screen keeps the old ones unless a key asks for
 * more.
 */
#include "viewer/session/app_live.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/host.h"
#include "decode/input/feed.h"
#include "layout/cells/fmt.h"
#include "triage/query/goto.h"
#include "layout/move/move.h"
#include "layout/views/top.h"
#include "layout/views/tri.h"
#include "viewer/session/follow.h"
#include "viewer/command/tables.h"

static const char piped_name[] = "standard input";
#define FOLLOW_NS 10000000000
#define TABLES_SHARE 8 /* making tables takes at most this share of the time */
#define TABLES_AT_ONCE_NS 100000000
#define TABLES_STAND_NS 2000000000 /* after that time, what has come must be decoded */

/* Returns what differs between programs in a URL: "host:port", without what all have. */
static const char *short_where(const struct app *a, char out[61])
{
    const char *from = feed_is_url(a->live.where) ? strstr(a->live.where, "://") : NULL;
    from = from ? from + 3 : a->live.where;
    const char *path = feed_is_url(a->live.where) ? strstr(from, "/debug/pprof/trace") : NULL;
    snprintf(out, 61, "%.*s", path && path > from ? (int)(path - from < 60 ? path - from : 60) : 60, from);
    return out;
}

static void name_live(struct app *a)
{
    char by[FMT_MAX], where[61];
    const struct place *at = &a->view.at;
    int64_t behind = time_sub(trace_info(a->tr)->end, at->view == VIEW_TOP ? at->cursor + 1 : at->win.t1);
    /* Nothing is decoded while tables stand, so "behind" is unknown. */
    const bool tables = a->tri.tg && tri_shows(at->view);
    char lost[FMT_MAX + 16] = "", size[FMT_MAX], silent[32] = "", late[32] = "";
    if (a->live.silent_s)
        snprintf(silent, sizeof silent, ", silent %ds", a->live.silent_s);
    if (a->live.late_s)
        snprintf(late, sizeof late, ", %ds late", a->live.late_s);
    if (follow_now(a->follow).left_out)
        snprintf(lost, sizeof lost, ", %s LEFT OUT", fmt_bytes(follow_now(a->follow).left_out, size));
    if (follow_now(a->follow).ended)
        snprintf(a->live.title, sizeof a->live.title, "%s ENDED%s%s", short_where(a, where),
                 follow_now(a->follow).connecting ? ", connecting" : "", lost);
    else if (a->live.follows)
        snprintf(a->live.title, sizeof a->live.title, "%s LIVE%s%s%s", short_where(a, where), late, silent,
                 lost);
    else if (tables)
        snprintf(a->live.title, sizeof a->live.title, "%s HELD%s", short_where(a, where), lost);
    else
        snprintf(a->live.title, sizeof a->live.title, "%s HELD, %s behind%s", short_where(a, where),
                 when_dur(a->tr, behind < 0 ? 0 : behind, by), lost);
}

/* Move the window so that it ends with the trace. */
static void pin(struct app *a)
{
    int64_t end = view_end(&a->view);
    a->view.at.win = window_of(end > a->live.window_ns ? end - a->live.window_ns : 0, end);
    a->view.at.cursor = end - 1;
    move_settle(&a->view);
}

static void tables_away(struct app *a)
{
    if (!a->tg && !app_has(a, DUE_TABLES))
        return;
    a->live.still |= a->tri.tg && a->live.drawn == a->view.at.view && tri_shows(a->view.at.view);
    tables_drop(a);
    findings_free(&a->fs);
    a->tri.fs = NULL;
    app_set(a, DUE_TABLES, false);
}

/* Returns whether the place lies after the end of what has come. */
static bool to_come(const struct app *a, const char *place)
{
    struct target to;
    int64_t end = trace_info(a->tr)->end;
    return place && goto_parse(a->tr, place, &to, NULL) &&
           ((to.has_time && to.t0 > end) || (to.has_range && to.t1 > end));
}

/* Open the place that the command line names, once the trace has reached it. The window then stays there. */
static void open_once(struct app *a)
{
    if (!a->open.view && !a->open.at && !a->open.lane && !a->open.filter)
        return;
    if (!follow_now(a->follow).ended && (to_come(a, a->open.at) || to_come(a, a->open.lane)))
        return;
    a->live.follows = !a->open.at && !a->open.lane;
    app_open(a);
}

/* Tell the view that the trace has grown. */
static unsigned grown(struct app *a)
{
    const struct window w = a->view.at.win;
    tables_away(a);
    unsigned f = view_loaded(&a->view);
    /* A held window stays, even if it showed the whole trace. */
    if (a->live.held && !follow_now(a->follow).ended) {
        a->view.at.win = w;
        move_settle(&a->view);
    }
    if (trace_info(a->tr)->done)
        open_once(a);
    if (a->live.follows)
        pin(a);
    app_left(a, f);
    return VR_DRAW;
}

/* Show another trace, which begins by ns later. */
static unsigned exchanged(struct app *a, int64_t by)
{
    tables_away(a);
    a->tr = follow_now(a->follow).trace;
    tri_free(&a->tri);
    tri_init(&a->tri, a->tr);
    a->tri.so_far = !follow_now(a->follow).ended;
    app_left(a, view_exchange(&a->view, a->tr, by));
    follow_release(a->follow);
    return grown(a);
}

/* Begin to make the tables that the reader looks at. Short ones are made at once, so the screen doesn't
 * flicker. */
static unsigned tables_wanted(struct app *a)
{
    int64_t now = host_now();
    /* The live top wants the pieces of work, which need tables. */
    const bool works = a->view.at.view == VIEW_TOP && top_asks(&a->view);
    if (app_has(a, DUE_TABLES) || a->tg || (!tri_shows(a->view.at.view) && !a->finding_wish && !works))
        return VR_NONE;
    if (a->live.unseen && app_live_waits(a))
        return VR_NONE;
    if (a->live.follows && !a->finding_wish && now < a->live.tables_next)
        return VR_NONE;
    app_add(a, DUE_TABLES);
    unsigned f = app_triage(a, TABLES_AT_ONCE_NS);
    const int64_t rest = (host_now() - now) * TABLES_SHARE;
    a->live.tables_next = now + rest;
    a->live.tables_until = now + (rest < TABLES_STAND_NS ? rest : TABLES_STAND_NS);
    return f | VR_DRAW;
}

/* The reader looks at tables, so nothing is decoded: their model must not change. When the program ends,
 * the rest is decoded all the same; without it the tables would look like those of the whole trace. */
static bool stands(const struct app *a)
{
    return app_has(a, DUE_TABLES) ||
           (!follow_now(a->follow).ended && a->tri.tg && tri_shows(a->view.at.view) &&
            (!a->live.follows || tri_makes(&a->view) || host_now() < a->live.tables_until));
}

/* "LIVE" alone would mislead when nothing comes. The silent seconds are shown at 5, 10, 20 and so on: each
 * change of the screen costs bytes. */
static unsigned silence(struct app *a, bool news)
{
    enum { FIRST_S = 5, MOST_S = 1 << 20 };
    const int64_t now = host_now();
    int s = 0;
    if (news || !a->live.news_at || stands(a) || follow_now(a->follow).ended)
        a->live.news_at = now;
    for (int k = FIRST_S; k < MOST_S && now - a->live.news_at >= (int64_t)k * 1000000000; k *= 2)
        s = k;
    if (s == a->live.silent_s)
        return VR_NONE;
    a->live.silent_s = s;
    return VR_DRAW;
}

/* The connection is slower than the trace, so the screen shows what the program did some time ago. */
static unsigned lateness(struct app *a)
{
    enum { TOLD_S = 5 };
    const int64_t ns = follow_now(a->follow).ended ? 0 : follow_now(a->follow).late_ns;
    const int s = ns >= LIVE_LATE ? (int)(ns / 1000000000) : 0;
    if (s == a->live.late_s)
        return VR_NONE;
    if (s >= TOLD_S && !a->live.late_reported)
        view_message(&a->view, true,
                     "the connection is slower than the trace (the title says by how much), and "
                     "the program holds the rest in its memory");
    a->live.late_reported |= s >= TOLD_S;
    a->live.late_s = s;
    return VR_DRAW;
}

static unsigned live_ended(struct app *a)
{
    const char *why = follow_now(a->follow).why;
    a->tri.so_far = false;
    char key[64] = "";
    if (strcmp(a->live.where, piped_name) != 0)
        keymap_key(a->km, app_keyview(a), ACT_RECONNECT, key, sizeof key);
    return view_message(&a->view, *why, "the trace has ended%s%.160s%s%s%s", *why ? ": " : "", why,
                        *key ? "; " : "", key, *key ? " connects again" : "");
}

void app_live_begin(struct app *a, struct follow *f, const char *where)
{
    a->follow = f;
    a->live.where = where;
    a->live.follows = true;
    a->live.window_ns = FOLLOW_NS;
    app_set(a, DUE_LOAD, false);
    a->tri.so_far = !follow_now(f).ended;
    a->key_came = true; /* the findings do not open by themselves */
    a->name = a->live.title;
    if (follow_now(f).ended) {
        a->live.follows = false;
        (void)live_ended(a);
    }
    name_live(a);
}

/* Decode what has come. Drawing takes time that following needs, so it waits for several goes while there
 * is more. */
static unsigned follow_more(struct app *a, int64_t budget_ns, int64_t *by)
{
    enum { GOES = 6 };
    unsigned all = 0, news;
    int i = 0;
    do {
        news = follow_step(a->follow, stands(a) ? 0 : budget_ns, by);
        all = (all & ~(unsigned)FOLLOW_BUSY) | news;
    } while (++i < GOES && a->live.follows && (news & FOLLOW_BUSY) &&
             !(news & ~(unsigned)(FOLLOW_BUSY | FOLLOW_GREW)));
    return all;
}

unsigned app_live(struct app *a, int64_t budget_ns, bool *busy)
{
    int64_t by = 0;
    unsigned news = follow_more(a, budget_ns, &by), f = VR_NONE;
    if (news & FOLLOW_MOVED)
        f |= exchanged(a, by);
    else if (news & FOLLOW_GREW)
        f |= grown(a);
    if (news & FOLLOW_LEFT_OUT)
        f |= view_message(&a->view, true,
                          "the program writes faster than gotop reads: a part is left out, before the gap");
    if (news & FOLLOW_UNSAVED)
        f |= view_message(&a->view, true, "%.200s: gotop shows what comes, but saves no more",
                          follow_now(a->follow).unsaved);
    if (news & FOLLOW_REFUSED)
        f |= view_message(&a->view, true, "no connection: %.160s", follow_now(a->follow).refused);
    if (news & FOLLOW_RECONNECTED) {
        a->live.late_reported = false;
        a->live.follows = true;
        a->live.held = false;
        pin(a);
        view_message(&a->view, false, "connected again%s",
                     follow_now(a->follow).joined
                         ? ": behind a gap the same program goes on"
                         : ": to another process, so this is another trace, with its own 0");
    }
    if (news & FOLLOW_ENDED)
        f |= live_ended(a);
    if ((news & FOLLOW_ENDED) && follow_now(a->follow).replaced)
        f |= app_live_reconnect(a);
    if (follow_now(a->follow).ended && !follow_now(a->follow).lacks)
        a->live.follows = false; /* everything that came before the end is decoded */
    f |= silence(a, news != 0) | lateness(a);
    *busy = news != 0;
    if (!(news & FOLLOW_BUSY))
        f |= tables_wanted(a);
    if (f)
        name_live(a);
    return f;
}

void app_live_acted(struct app *a, enum action act, const struct place *from)
{
    const struct place *at = &a->view.at;
    if (!a->follow || !a->live.follows || act == ACT_FOLLOW)
        return;
    if (at->win.t1 > trace_info(a->tr)->end) /* nothing has been drawn yet that could be held */
        return;
    bool window = at->win.t0 != from->win.t0 || at->win.t1 != from->win.t1;
    bool row = at->view == from->view && at->row != from->row && tri_shows(at->view);
    if ((act == ACT_ZOOM_IN || act == ACT_ZOOM_OUT) && window) { /* a zoom changes the length, not the end */
        a->live.window_ns = window_len(at->win);
        pin(a);
    } else if (window || (act == ACT_DETAILS && a->view.popup.kind == POPUP_SPAN) ||
               at->cursor != from->cursor || at->exact != from->exact || row) {
        a->live.follows = false;
        a->live.held = true;
    }
    name_live(a);
}

unsigned app_live_follow(struct app *a)
{
    if (follow_now(a->follow).ended) {
        unsigned f = view_finish(&a->view, 0);
        return f | live_ended(a);
    }
    a->live.follows = true;
    a->live.held = false;
    if (a->view.popup.kind == POPUP_SPAN) /* it shows a span of the held window */
        a->view.popup.kind = POPUP_NONE;
    pin(a);
    name_live(a);
    return VR_DRAW;
}

void app_live_pause(struct app *a)
{
    if (!follow_now(a->follow).ended) {
        follow_stop(a->follow);
        (void)live_ended(a);
    }
    name_live(a);
}

unsigned app_live_reconnect(struct app *a)
{
    struct err e = {0};
    if (follow_now(a->follow).connecting)
        view_message(&a->view, true, "still waiting for the program's first second");
    else if (!follow_now(a->follow).ended)
        view_message(&a->view, true,
                     feed_is_url(a->live.where) ? "it is still connected" : "it is still followed");
    else if (strcmp(a->live.where, piped_name) == 0)
        view_message(&a->view, true, "standard input can't be asked again");
    else if (follow_reconnect(a->follow, &e))
        view_message(&a->view, true, "no connection: %.160s", e.what);
    else
        view_message(&a->view, false, "connecting again");
    name_live(a);
    return VR_DRAW;
}

bool app_live_waits(const struct app *a)
{
    return a->follow &&
           (follow_now(a->follow).connecting || follow_now(a->follow).lacks || !follow_now(a->follow).ended);
}
