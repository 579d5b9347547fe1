/*
 * epoch.c - the trace is replaced by another one of the same program, or decoded again (trace_info.epoch).
 * Lanes then have other indices, or are gone.
 *
 * Whatever names a lane for longer than a frame (places, pins) is kept by its id meanwhile. What was
 * derived from the old lanes is made again: orders, the results of filter and search, the log. Hidden lanes
 * show again.
 */
#include <string.h>

#include "layout/frame/life.h"
#include "triage/query/filter.h"
#include "layout/move/lanes.h"
#include "layout/move/move.h"
#include "layout/move/search.h"
#include "layout/move/view.h"

/* A lane that is gone is replaced by another one until it comes back or the reader moves. */
static void place_leave(const struct trace *tr, struct place *p, int64_t by)
{
    (void)by;
    if (p->focus.kind >= LANE_BAND || p->focus.i >= trace_nlanes(tr, p->focus.kind) ||
        (p->absent && p->focus.i == p->stand))
        return;
    p->id = trace_lane_who(tr, p->focus).id;
    p->kept = true;
    p->absent = false;
}

static void place_arrive(const struct trace *tr, struct place *p, int64_t by)
{
    (void)by;
    p->guest = 0; /* a detail lane that is gone */
    if (!p->kept)
        return;
    uint32_t i = trace_find_lane(tr, p->focus.kind, p->id);
    p->absent = i == NO_LANE;
    p->focus.i = p->stand = p->absent ? 0 : i;
}

static void each_place(struct view *v, void (*f)(const struct trace *, struct place *, int64_t by),
                       int64_t by)
{
    f(v->tr, &v->at, by);
    f(v->tr, &v->prompt.from, by);
    for (int i = 0; i < VIEW_UNDO; i++)
        f(v->tr, &v->trail.undo[i], by);
    for (size_t i = 0; i < sizeof v->trail.mark / sizeof *v->trail.mark; i++)
        f(v->tr, &v->trail.mark[i], by);
}

static void view_leave(struct view *v)
{
    view_guest(v, NO_LANE, 0); /* the reader has not pinned it, so it is dropped */
    each_place(v, place_leave, 0);
    for (int k = 0; k < LANE_BAND; k++) {
        struct lanes *l = &v->lanes[k];
        for (int i = 0; i < l->npin && l->naway < LANES_PINS; i++)
            l->away[l->naway++] = trace_lane_who(v->tr, (struct lane){l->kind, l->pin[i]}).id;
        l->npin = 0;
    }
}

static int64_t epoch_later(int64_t t, int64_t by)
{
    return time_sub(t, by) < 0 ? 0 : time_sub(t, by);
}

static void place_shift(const struct trace *tr, struct place *p, int64_t by)
{
    (void)tr;
    int64_t len = window_len(p->win);
    p->win.t0 = epoch_later(p->win.t0, by);
    p->win.t1 = time_add(p->win.t0, len);
    p->cursor = epoch_later(p->cursor, by);
}

unsigned view_exchange(struct view *v, const struct trace *tr, int64_t by)
{
    view_leave(v);
    each_place(v, place_shift, by);
    v->sel.t0 = epoch_later(v->sel.t0, by);
    v->sel.t1 = epoch_later(v->sel.t1, by);
    v->sel.stands = v->sel.stands && v->sel.t0 < v->sel.t1;
    for (int k = 0; k < LANE_BAND; k++)
        v->lanes[k].nopen = 0; /* strings have other numbers in the new trace */
    v->tr = tr;
    v->all_end = view_end(v);
    return view_anew(v);
}

/* The pins whose lanes exist now. */
static void pins_found(struct lanes *l, const struct trace *tr)
{
    int n = l->naway;
    l->naway = 0;
    for (int i = 0; i < n; i++) {
        uint32_t lane = trace_find_lane(tr, l->kind, l->away[i]);
        if (lane != NO_LANE && l->npin < LANES_PINS) {
            l->pin[l->npin++] = lane;
            l->rows_stale = true;
        } else {
            l->away[l->naway++] = l->away[i];
        }
    }
}

static void lanes_arrive(struct lanes *l, const struct trace *tr)
{
    struct lanes was = *l;
    lanes_free(l);
    *l = (struct lanes){.kind = was.kind,
                        .sort = was.sort,
                        .invert = was.invert,
                        .here = was.here,
                        .stale = true,
                        .group = was.group,
                        .nopen = was.nopen,
                        .rows_stale = true};
    memcpy(l->open, was.open, sizeof l->open);
    memcpy(l->away, was.away, sizeof l->away);
    l->naway = was.naway;
    pins_found(l, tr);
}

static void filter_anew(struct view *v)
{
    struct filter_error e;
    filter_free(v->filters.all);
    v->filters.all = v->filters.n ? filter_new(v->tr, v->filters.text, &e) : NULL;
    v->lanes[LANE_G].filter = v->filters.all;
    v->filters.done = !v->filters.all;
}

static void search_anew(struct view *v)
{
    char why[80];
    const struct search *was = v->search;
    struct search *s = was ? search_new(v->tr, was->query, why, sizeof why) : NULL;
    if (s) {
        s->hidden = was->hidden;
        s->landed = was->landed;
        s->typing = was->typing;
        if (!s->landed && (!was->done || s->typing)) { /* the jump is still to be made */
            s->jump = was->jump;
            s->origin = was->origin;
            s->at_too = was->at_too;
        }
        s->cur_t = NO_TIME;
    }
    search_free(v->search);
    v->search = s;
}

unsigned view_anew(struct view *v)
{
    each_place(v, place_arrive, 0);
    v->trail.shown.t1 = v->trail.shown.t0; /* its lane was a detail lane that is gone */
    for (int k = 0; k < LANE_BAND; k++) {
        lanes_arrive(&v->lanes[k], v->tr);
        v->trail.focus[k] = 0;
    }
    if (v->at.focus.kind < LANE_KINDS)
        v->trail.focus[v->at.focus.kind] = v->at.focus.i;
    const bool longest_first = v->items.longest_first;
    v->nbusiest = 0; /* lanes have other indices */
    life_forget(v);
    v->items.longest_first = longest_first;
    if (v->popup.kind == POPUP_SPAN)
        v->popup.kind = POPUP_NONE;
    filter_anew(v);
    search_anew(v);
    v->scr.recenter = true;
    move_settle(v);
    v->at.stand = v->at.focus.i;
    return v->filters.all || v->search ? VR_DRAW | VR_WORK : VR_DRAW;
}
