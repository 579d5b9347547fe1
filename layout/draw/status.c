/*
 * status.c - describes what is under the cursor. Times and lengths are exact here: the picture rounds, this
 * line does not. What the trace does not record is called unknown, never guessed.
 */
#include "layout/draw/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "triage/activity/gstate.h"
#include "layout/cells/wrap.h"
#include "layout/move/kind.h"
#include "layout/move/folded.h"
#include "triage/wall.h"
#include "layout/cells/fmt.h"
#include "layout/move/idle_beside.h"
#include "layout/move/move.h"
#include "triage/tables/tab.h"
#include "triage/triage.h"
#include "triage/tables/stacks.h"
#include "layout/move/record.h"
#include "layout/move/naming.h"
#include "triage/activity/wakeups.h"

/* ---- styled pieces ------------------------------------------------------------------------------------- */

/* This is the text and the width it is for: names take a part of it. */
struct line {
    struct rich *r;
    int w;
};

#define add(l, ...) rich_add((l)->r, __VA_ARGS__)

static void add_name(struct line *l, struct str name, int w, bool ascii, enum style s)
{
    char buf[600];
    str_shorten(name, w, ascii, buf, sizeof buf);
    add(l, s, "%s", buf);
}

static void add_g(struct line *l, const struct view *v, uint32_t g, int w, enum style s)
{
    add(l, s, "%s", name_g(v, g, w).s);
}

static int name_width(const struct line *l)
{
    return l->w > 400 ? 400 : l->w < 10 ? 10 : l->w;
}

/* ---- a mixture ----------------------------------------------------------------------------------------- */

/* Adds the sums, the largest first. */
static void add_sums(struct line *l, enum lane_kind kind, const struct shares *sh, int64_t whole)
{
    char p[FMT_MAX];
    bool done[ST_COUNT] = {false};
    for (int k = 0; k < ST_COUNT; k++) {
        int best = -1;
        for (int s = 0; s < ST_COUNT; s++)
            if (!done[s] && sh->ns[s] > 0 && (best < 0 || sh->ns[s] > sh->ns[best]))
                best = s;
        if (best < 0)
            return;
        done[best] = true;
        add(l, STYLE_STATUS, "  %s ", fmt_percent(sh->ns[best], whole, p));
        add(l, (enum style)(STYLE_STATE + best), "%s", name_state(kind, (enum state)best));
    }
}

static void add_stretch(struct line *l, const struct view *v, const char *word, int64_t t0, int64_t t1)
{
    char a[FMT_MAX], d[FMT_MAX];
    add(l, STYLE_STATUS, "%s%s from %s", word, when_dur(v->tr, t1 - t0, d),
        when_time(v->tr, t0, (t1 - t0) / 4, a));
}

/* ---- one span ------------------------------------------------------------------------------------------ */

/* Adds a state. A goroutine's running span may include a mark assist, which is then listed separately. */
static void add_state(struct line *l, const struct view *v, struct lane lane, const struct span *s)
{
    const int64_t at = v->at.cursor >= s->t0 && v->at.cursor < s->t1 ? v->at.cursor : s->t0 > 0 ? s->t0 : 0;
    enum state is = lane.kind == LANE_G ? gstate_of(v->cache.gstate, v->tr, lane.i, (enum state)s->state, at)
                                        : (enum state)s->state;
    add(l, (enum style)(STYLE_STATE + (int)is), "%s", name_state(lane.kind, is));
    if (lane.kind == LANE_G && s->state == ST_RUNNING &&
        gstate_any(v->cache.gstate, v->tr, lane.i, s->t0, s->t1)) {
        struct shares sh;
        char d[FMT_MAX];
        gstate_shares(v->cache.gstate, v->tr, lane, s->t0 < 0 ? 0 : s->t0, s->t1, &sh);
        if (sh.ns[ST_RUNNING] && sh.ns[ST_ASSIST])
            add(l, STYLE_ASSIST, is == ST_ASSIST ? " (%s of a run)" : " (%s of it mark assist)",
                when_dur(v->tr, sh.ns[ST_ASSIST], d));
    }
    uint32_t why = s->reason ? s->reason : s->label;
    if (why) {
        add(l, STYLE_STATUS, " (");
        add_name(l, name_bracketed(stacks_reason(v->tr, why, s->stack)), 32, glyph_dots(v->scr.tier),
                 STYLE_STATUS);
        add(l, STYLE_STATUS, ")");
    }
}

static void add_length(struct line *l, const struct view *v, struct lane lane, const struct span *s)
{
    char d[WHEN_LENGTH];
    if (record_untimed(v, s)) {
        add(l, STYLE_STATUS, " " TRI_NOT_TIMED);
        return;
    }
    add(l, STYLE_STATUS, " %s",
        when_length(v->tr, time_sub(s->t1, s->t0), record_open(v, lane, s), l->w >= WHEN_WIDE, d));
}

static void add_since(struct line *l, const struct view *v, const struct span *s)
{
    enum { WALL_FROM = 100 }; /* below, the time of day would take a line of its own */
    char a[FMT_MAX], clock[WALL_MAX];
    if (l->w < WHEN_WIDE)
        return;
    add(l, STYLE_STATUS, "  %s %s", record_untimed(v, s) ? "at" : "from", when_exact(v->tr, s->t0, a));
    if (l->w >= WALL_FROM && wall_known(v->tr) && s->t0 >= 0)
        add(l, STYLE_DIM, "  %s", wall_time(v->tr, s->t0, clock));
}

/* Writes goroutine, state and duration; the name in so many columns. */
static void add_span(struct line *l, const struct view *v, struct lane lane, const struct span *s, int name)
{
    uint32_t g = lane.kind == LANE_G ? lane.i : s->who;
    if (lane.kind != LANE_G)
        add(l, STYLE_STATUS_KEY, "%s ", name_lane(v, lane).s);
    if (g != NO_LANE) {
        add_g(l, v, g, name, STYLE_STATUS_KEY);
        add(l, STYLE_STATUS, " ");
    }
    add_state(l, v, lane, s);
    if (lane.kind == LANE_M && s->proc != NO_LANE)
        add(l, STYLE_STATUS, " on %s", name_lane(v, lane_p(s->proc)).s);
    add_length(l, v, lane, s);
}

/* The duration must fit, even if what follows is cut off (".."): shorten the name instead. */
static void describe(struct line *l, const struct view *v, struct lane lane, const struct span *s)
{
    struct rich *r = l->r;
    const size_t from = r->n;
    add_span(l, v, lane, s, name_width(l));
    int over = str_width(rich_last(r), RICH_MOST) - l->w;
    over += l->w >= WHEN_WIDE ? WRAP_MARK : 0;
    uint32_t g = lane.kind == LANE_G ? lane.i : s->who;
    if (over > 0 && g != NO_LANE) {
        const int room = str_width(str_of(name_g(v, g, name_width(l)).s), RICH_MOST) - over,
                  least = (int)strlen(name_lane(v, lane_g(g)).s);
        r->n = from;
        add_span(l, v, lane, s, room < least ? least : room);
    }
    add_since(l, v, s);
}

static void add_frame(struct line *l, const struct view *v, const char *word, uint32_t stack)
{
    if (!name_any(v, stack))
        return;
    uint32_t f = name_function(v->tr, stack, false), user = name_function(v->tr, stack, true);
    if (f) {
        add(l, STYLE_STATUS, "%s ", word);
        add_name(l, trace_str(v->tr, f), name_width(l), glyph_dots(v->scr.tier), STYLE_STATUS);
        if (user != f && l->w >= 60) {
            add(l, STYLE_STATUS, " from ");
            add_name(l, trace_str(v->tr, user), name_width(l), glyph_dots(v->scr.tier), STYLE_STATUS);
        }
    } else {
        add(l, STYLE_STATUS, "%s 0x%" PRIx64, word, trace_frame(v->tr, stack, 0).pc);
    }
    add(l, STYLE_STATUS, "  ");
}

static void add_waker(struct line *l, const struct view *v, uint32_t who, const char *word)
{
    if (who == NO_LANE)
        return;
    add(l, STYLE_STATUS, "%s ", word);
    add_g(l, v, who, name_width(l), STYLE_STATUS_KEY);
    add(l, STYLE_STATUS, "  ");
}

/* Writes the second line: where in the program, who woke it, what was around it; beside `at` not that it was
 * there. */
static void around_g(struct line *l, const struct view *v, struct lane at, uint32_t g, const struct span *s)
{
    struct lane lane = {LANE_G, g};
    struct span_iter it;
    char d[FMT_MAX];
    bool have = span_seek_index(&it, v->tr, lane, s->index);
    switch (s->state) {
    case ST_WAITING:
    case ST_SYSCALL:
        add_frame(l, v, "in", s->stack);
        if (have && span_next(&it)) {
            const struct span *next = span_get(&it);
            if (next->state == ST_RUNNABLE && next->who != NO_LANE)
                add_waker(l, v, next->who, "woken by"); /* a wait was before it: none is born so */
            else if (next->state == ST_RUNNABLE && s->state == ST_WAITING)
                add(l, STYLE_DIM, "woken by: not recorded");
        }
        break;
    case ST_RUNNABLE:
        if (s->who != NO_LANE)
            add_waker(l, v, s->who, wakeups_newborn(v->tr, g, s) ? "created by" : "woken by");
        else
            add_frame(l, v, "stopped in", s->stack);
        break;
    default:
        if (s->state != ST_UNKNOWN && s->who != NO_LANE && (at.kind != LANE_P || at.i != s->who))
            add(l, STYLE_STATUS, "on %s  ", name_lane(v, lane_p(s->who)).s);
        if (have && span_prev(&it) && span_get(&it)->state == ST_RUNNABLE) {
            const struct span *wake = span_get(&it);
            add(l, STYLE_STATUS, "after %s runnable  ", when_dur(v->tr, time_sub(wake->t1, wake->t0), d));
            add_waker(l, v, wake->who, wakeups_newborn(v->tr, g, wake) ? "created by" : "woken by");
        }
        add_frame(l, v, "ends in", s->stack_end);
    }
}

/* Says beside an idle processor whether anything was runnable. */
static void add_idle(struct line *l, const struct view *v)
{
    char buf[400];
    idle_text(v, buf, sizeof buf);
    add(l, STYLE_STATUS, "%s", buf);
}

static void around(struct line *l, const struct view *v, struct lane lane, const struct span *s)
{
    uint32_t g = lane.kind == LANE_G ? lane.i : s->who;
    struct span gs;
    if (lane.kind == LANE_G)
        around_g(l, v, lane, g, s);
    else if (g == NO_LANE)
        add_idle(l, v);
    else if (trace_span_at(v->tr, lane_g(g), s->t0 < 0 ? 0 : s->t0, &gs))
        around_g(l, v, lane, g, &gs);
}

/* ---- all together -------------------------------------------------------------------------------------- */

/* Describes a column, or the selected range, with several spans: its shares, then the largest part. */
static void speak_mixture(struct line *l, const struct view *v, struct lane lane, const struct span *longest,
                          int64_t t0, int64_t t1, const char *word)
{
    const uint64_t count = trace_count(v->tr, lane, t0, t1);
    struct shares sh;
    char n[FMT_MAX];
    record_shares(v, lane, t0, t1, &sh);
    add(l, STYLE_STATUS_KEY, "%s ", name_lane(v, lane).s);
    add_stretch(l, v, word, t0, t1);
    add_sums(l, lane.kind, &sh, time_sub(t1, t0));
    add(l, STYLE_STATUS, "  %s span%s", fmt_count(count, n), count == 1 ? "" : "s");
    rich_para(l->r);
    if (idle_speaks(v)) {
        add_idle(l, v);
    } else if (longest) {
        struct span any; /* a processor or thread that is idle for longer: describe its longest busy span */
        bool rests = lane.kind != LANE_G && trace_longest(v->tr, lane, t0, t1, &any) &&
                     any.t1 - any.t0 > longest->t1 - longest->t0;
        add(l, STYLE_STATUS, rests ? "longest busy: " : "longest: ");
        describe(l, v, lane, longest);
    }
}

/* Describes the row of a folded group: what all its goroutines did in the cursor's column. */
static void speak_group(struct line *l, const struct view *v, uint32_t lane, uint32_t members)
{
    const struct shares *col = folded_of(v, lane);
    int64_t t0, t1, there = 0;
    char n[FMT_MAX];
    view_column(v, &t0, &t1);
    int c = window_col(v->at.win, v->scr.plot_w, v->at.cursor);
    add(l, STYLE_STATUS_KEY, "%s goroutines ", fmt_count(members, n));
    add_name(l, trace_str(v->tr, trace_g_name(v->tr, lane)), name_width(l), glyph_dots(v->scr.tier),
             STYLE_STATUS_KEY);
    rich_para(l->r);
    if (view_selected(v, &t0, &t1)) { /* the sums of all goroutines exist only per column */
        add_stretch(l, v, "range ", t0, t1);
        add(l, STYLE_STATUS, ": T adds up what they do in it");
        return;
    }
    if (!col || c < 0 || c >= v->scr.plot_w) {
        add(l, STYLE_STATUS, "adding up what they do, %d%%", folded_share(v));
        return;
    }
    for (int s = 0; s < ST_COUNT; s++)
        there = ns_add(there, col[c].ns[s]);
    add_stretch(l, v, "", t0, t1);
    if (!there) {
        add(l, STYLE_STATUS, "  none of them is alive");
        return;
    }
    add(l, STYLE_STATUS, "  %.*f alive on average:", there < 10 * (t1 - t0) ? 2 : 0,
        (double)there / (double)(t1 - t0));
    add_sums(l, LANE_G, &col[c], there);
}

/* Limits a thread's last idle span to its recorded part, or to the unknown part if the cursor is there. */
static void known_part(const struct view *v, struct lane lane, struct span *s)
{
    const int64_t known = record_until(v, lane);
    if (v->at.cursor >= known) {
        s->state = ST_UNKNOWN;
        s->t0 = s->t0 > known ? s->t0 : known;
    } else if (s->t1 > known) {
        s->t1 = known;
    }
}

static void speak_lane(struct line *l, const struct view *v)
{
    struct lane lane = v->at.focus;
    const struct trace_info *ti = trace_info(v->tr);
    struct span s;
    int64_t t0, t1;
    char a[FMT_MAX];
    if (!move_lanes_const(v) || lane.i >= trace_nlanes(v->tr, lane.kind)) {
        add(l, STYLE_STATUS, "no lane");
        return;
    }
    view_column(v, &t0, &t1);
    if (v->at.cursor > ti->end || (v->at.cursor == ti->end && !ti->done)) {
        add(l, STYLE_STATUS, "%s: %s", when_time(v->tr, v->at.cursor, 1000, a),
            ti->done ? "this trace has ended before" : "not decoded yet");
        return;
    }
    const bool range = view_selected(v, &t0, &t1); /* then it is not the cursor's column that is spoken of */
    const bool here = range ? view_span_longest(v, lane, t0, t1, &s) : view_span_here(v, &lane, &s);
    if (here)
        known_part(v, lane, &s);
    const uint32_t members = lane.kind == LANE_G ? folded_members(v, v->at.focus.i) : 0;
    if (members) {
        speak_group(l, v, v->at.focus.i, members);
        return;
    }
    if (l->w < 60 && idle_speaks(v)) { /* narrow: the sum has the length in it, and needs the lines */
        add(l, STYLE_STATUS_KEY, "%s ", name_lane(v, lane).s);
        add_idle(l, v);
        return;
    }
    const bool at = here && v->at.exact && v->at.cursor >= s.t0 && v->at.cursor < s.t1;
    if (!range && here && (at || trace_count(v->tr, lane, t0, t1) == 1)) {
        describe(l, v, lane, &s);
        rich_para(l->r);
        around(l, v, lane, &s);
        return;
    }
    speak_mixture(l, v, lane, here ? &s : NULL, t0, t1, range ? "range " : "");
}

void status_lane_rich(const struct view *v, int w, struct rich *out)
{
    struct line l = {out, w};
    speak_lane(&l, v);
}

bool status_draw(struct grid *g, const struct view *v, int y, int n)
{
    struct rich r = {0};
    kind_here(v)->speak(v, g->w, &r);
    rich_draw(&r, g, 0, y, g->w, n);
    const bool all = rich_draw(&r, NULL, 0, 0, g->w, n + 1) <= n;
    rich_free(&r);
    return all;
}

void status_text(const struct view *v, char *out, size_t size)
{
    struct rich r = {0};
    size_t n = 0;
    kind_here(v)->speak(v, 1000, &r);
    *out = 0;
    for (size_t i = 0; i < rich_paras(&r); i++) {
        const struct str s = rich_at(&r, i);
        if (!s.len || n + 3 >= size)
            continue;
        n += n ? (size_t)snprintf(out + n, size - n, "  ") : 0;
        n += str_safe(s, out + n, size - n);
    }
    rich_free(&r);
}
