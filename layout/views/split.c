/*
 * split.c - the part below the lanes (evlog.h), and the pop-ups made of lines, as a goroutine's life.
 */
#include "layout/views/tri.h"
#include "layout/views/evlog.h"

#include <inttypes.h>
#include <stdio.h>

#include "layout/move/record.h"
#include "triage/triage.h"
#include "triage/tables/stacks.h"
#include "triage/activity/gstate.h"
#include "layout/move/idle_beside.h"
#include "layout/draw/popup.h"
#include "layout/draw/status.h"
#include "layout/move/naming.h"

static const char *split_name(enum split s)
{
    static const char *const names[SPLIT_COUNT] = {"nothing", "event log", "stacks"};
    return (unsigned)s < SPLIT_COUNT ? names[s] : "?";
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Returns the text of a pop-up of ours, emptied. */
static struct rich *own_text(struct view *v, const char *title)
{
    rich_clear(&v->cache.own);
    snprintf(v->cache.own_title, sizeof v->cache.own_title, "%s", title);
    return &v->cache.own;
}

static unsigned open_own(struct view *v)
{
    const int top = v->popup.kind == POPUP_LINES && v->popup.text == &v->cache.own ? v->popup.top : 0;
    if (v->cache.own.oom)
        return move_fail(v, "out of memory");
    v->msg.text[0] = 0;
    view_popup_text(v, v->cache.own_title, &v->cache.own);
    v->popup.top = top;
    return VR_DRAW;
}

/* Returns the columns for names in it. */
static int own_width(const struct view *v)
{
    const int w = v->scr.w - 6;
    return w < 30 ? 30 : w > 110 ? 110 : w;
}

unsigned split_idle(struct view *v)
{
    enum { AT_ONCE_NS = 40000000 }; /* the rest comes while it is read */
    char title[80];
    snprintf(title, sizeof title, "%s idle", name_lane(v, v->at.focus).s);
    (void)idle_reason_step(v->cache.idle, AT_ONCE_NS);
    idle_lines(v, own_text(v, title), own_width(v));
    return open_own(v) | (idle_pending(v) ? VR_WORK : VR_NONE);
}

/* ---- a goroutine's life -------------------------------------------------------------------------------- */

enum { LIST = 200 };

static void func_of(const struct view *v, uint32_t stack, int w, char *out, size_t size)
{
    out[0] = 0;
    uint32_t f = name_function(v->tr, stack, true);
    if (f)
        str_shorten(trace_str(v->tr, f), w, glyph_dots(v->scr.tier), out, size);
}

static void life_origin(const struct view *v, struct lane l, const struct lane_info *li, struct rich *out,
                        int w)
{
    char name[400], file[300], t[FMT_MAX], d[FMT_MAX];
    const struct frame begins = trace_frame(v->tr, li->start_stack, 0);
    if (begins.func && begins.func != li->name) {
        str_shorten(trace_str(v->tr, begins.func), w - 40, glyph_dots(v->scr.tier), name, sizeof name);
        rich_say(out, STYLE_POPUP, "begins in %s, which runs it%s", name,
                 li->name_inferred ? " (likely)" : "");
    } else if (li->name_inferred) {
        rich_say(out, STYLE_POPUP, "its name is taken from one of its stacks");
    }
    if (li->created) {
        name_goroutine(v, li->creator, w - 30, name, sizeof name);
        rich_say(out, STYLE_POPUP, "created at %s by %s", when_exact(v->tr, li->seen, t),
                 li->creator != NO_LANE       ? name
                 : tri_by_timer(v->tr, l, li) ? "a timer"
                                              : "(not recorded)");
        struct frame f = trace_frame(v->tr, li->create_stack, 0);
        for (uint32_t i = 0, n = trace_stack(v->tr, li->create_stack); i < n && i < 4; i++) {
            f = trace_frame(v->tr, li->create_stack, i);
            str_shorten(trace_str(v->tr, f.func), w / 2, glyph_dots(v->scr.tier), name, sizeof name);
            str_tail(trace_str(v->tr, f.file), w / 2 - 10, glyph_dots(v->scr.tier), file, sizeof file);
            rich_say(out, STYLE_POPUP, "    %s  %s:%" PRIu64, name, file, f.line);
        }
    } else {
        rich_say(out, STYLE_POPUP, "%s; first mentioned at %s",
                 trace_info(v->tr)->ndamages ? "its creation is not in this trace"
                                             : "it existed when the trace began",
                 when_exact(v->tr, li->seen, t));
    }
    int64_t first = li->created ? li->seen : li->first;
    rich_say(out, STYLE_POPUP, "%s at %s, %s in this trace%s", li->ended ? "ended" : "not ended; last known",
             when_exact(v->tr, li->last, t), when_dur(v->tr, li->last - first, d),
             li->is_system ? "; one of the runtime's own" : "");
}

static void life_states(const struct view *v, struct lane l, const struct lane_info *li, struct rich *out)
{
    struct shares sh;
    char d[FMT_MAX], p[FMT_MAX];
    int64_t end = li->last > li->first ? li->last : li->first + 1;
    gstate_shares(v->cache.gstate, v->tr, l, li->first, end, &sh);
    const bool timed = tri_any_timed(v->tr, l, li->first, end, sh.ns[ST_SYSCALL]);
    rich_blank(out);
    for (int s = 0; s < ST_COUNT; s++)
        if (s == ST_SYSCALL && sh.ns[s] > 0 && !timed)
            rich_say(out, STYLE_POPUP, "%-16s %10s", state_name(ST_SYSCALL), TRI_UNTIMED);
        else if (sh.ns[s] > 0 && s != ST_NONE)
            rich_say(out, STYLE_POPUP, "%-16s %10s  %6s", state_name((enum state)s),
                     when_dur(v->tr, sh.ns[s], d), fmt_percent(sh.ns[s], end - li->first, p));
    if (li->no_p_ns)
        rich_say(out, STYLE_POPUP, "%-16s %10s  (system calls that lost their processor)",
                 "  of it without P", when_dur(v->tr, li->no_p_ns, d));
}

static void life_list(const struct view *v, struct lane l, int64_t t, struct rich *out, int w)
{
    struct span_iter it;
    char d[FMT_MAX], f[300], why[100], whom[100], from[FMT_MAX];
    if (!span_seek(&it, v->tr, l, t))
        return;
    uint64_t here = span_get(&it)->index;
    for (int i = 0; i < LIST / 2 && span_prev(&it); i++)
        ;
    rich_blank(out);
    rich_say(out, STYLE_POPUP, "spans from number %" PRIu64 " on ('>': the cursor, '+': at least that long)",
             span_get(&it)->index);
    for (int i = 0; i < LIST; i++) {
        const struct span *s = span_get(&it);
        whom[0] = 0;
        if (s->who != NO_LANE)
            snprintf(whom, sizeof whom, "%s",
                     name_lane(v, (struct lane){s->state == ST_RUNNABLE ? LANE_G : LANE_P, s->who}).s);
        func_of(v, s->state == ST_RUNNABLE && s->who != NO_LANE ? 0 : s->stack, w > 90 ? w - 60 : 30, f,
                sizeof f);
        str_head(name_bracketed(stacks_reason(v->tr, s->reason ? s->reason : s->label, s->stack)), 24, why,
                 sizeof why);
        rich_say(out, STYLE_POPUP, "%c %15s %10s %c %s%s%s%s%s%s%s%s", s->index == here ? '>' : ' ',
                 when_exact(v->tr, s->t0, from),
                 record_untimed(v, s) ? TRI_UNTIMED : when_dur(v->tr, s->t1 - s->t0, d),
                 record_open(v, l, s) ? '+' : ' ', state_name(record_state(v, l, s)), *why ? " (" : "", why,
                 *why ? ")" : "", *whom ? (s->state == ST_RUNNABLE ? " by " : " on ") : "", whom,
                 *f ? " in " : "", f);
        if (!span_next(&it))
            break;
    }
}

/* Writes the text of goroutine g in w columns; the spans around moment t are listed. */
static void life_text(const struct view *v, uint32_t g, int64_t t, struct rich *out, int w)
{
    struct lane l = {LANE_G, g};
    struct lane_info li = trace_lane(v->tr, l);
    char name[600];
    str_safe(trace_str(v->tr, li.name), name, sizeof name);
    rich_say(out, STYLE_POPUP, "%s %s", name_lane(v, l).s,
             li.name ? name : "(its start function is not in the trace)");
    life_origin(v, l, &li, out, w);
    life_states(v, l, &li, out);
    life_list(v, l, t, out, w);
}

unsigned view_life(struct view *v)
{
    struct lane l;
    struct span s;
    uint32_t g = NO_LANE;
    int64_t t = v->at.cursor, end;
    char title[64];
    if (!move_lanes_const(v) && kind_here(v)->table) {
        if (!why_here(v, &g, &t, &end))
            return move_fail(v, "no goroutine here: Enter leads to one");
    } else if (v->at.focus.kind == LANE_G && (move_lanes_const(v) || kind_here(v)->plan == PLAN_LOG))
        g = v->at.focus.i;
    else if (view_span_here(v, &l, &s))
        g = s.who;
    if (g == NO_LANE || g >= trace_nlanes(v->tr, LANE_G))
        return move_fail(v, "no goroutine here");
    snprintf(title, sizeof title, "The life of %s", name_lane(v, lane_g(g)).s);
    life_text(v, g, t, own_text(v, title), own_width(v));
    v->popup.kind = POPUP_NONE;
    return open_own(v);
}

/* ---- what is cut short --------------------------------------------------------------------------------- */

unsigned view_read(struct view *v)
{
    enum { WHOLE = 1000 };
    struct rich *out = own_text(v, "In full");
    if (v->msg.text[0]) {
        if (!v->msg.of || !tri_read_finding(v, v->msg.of - 1, out))
            rich_say(out, STYLE_POPUP, "%s", v->msg.text);
        rich_blank(out);
    }
    if (kind_here(v)->read)
        kind_here(v)->read(v, out);
    else
        kind_here(v)->speak(v, WHOLE, out);
    if (!rich_paras(out))
        return move_fail(v, "nothing is said here");
    v->popup.kind = POPUP_NONE;
    return open_own(v);
}

/* ---- below the lanes ----------------------------------------------------------------------------------- */

unsigned view_split(struct view *v, int n)
{
    int s = ((int)v->scr.split + (n ? n : 1)) % SPLIT_COUNT;
    v->scr.split = (enum split)(s < 0 ? s + SPLIT_COUNT : s);
    move_anew(v);
    return view_message(v, false, "below the lanes: %s%s", split_name(v->scr.split),
                        v->scr.split && v->scr.h < 12 ? " (when the screen is higher)" : "");
}

static void split_heading(struct grid *g, const struct view *v, int y, const char *what)
{
    grid_fill(g, 0, y, g->w, 1, glyph_mark(v->scr.tier, MARK_H), STYLE_POPUP_BORDER);
    char buf[200];
    snprintf(buf, sizeof buf, " %s ", what);
    grid_str(g, 2, y, g->w - 4, buf, STYLE_POPUP_HEAD);
}

void split_draw(struct grid *g, struct view *v, int y, int n)
{
    const struct view_kind *k = kind_here(v);
    struct lane l;
    int64_t t;
    if (n < 2)
        return;
    split_heading(g, v, y, split_name(v->scr.split));
    if (v->scr.split == SPLIT_LOG)
        (void)evlog_draw(g, v, y + 1, n - 1);
    else if (v->scr.split == SPLIT_STACK && move_lanes_const(v) && k->span && k->span(v, &l, &t))
        popup_span(g, v, l, t, y + 1, n - 1);
}
