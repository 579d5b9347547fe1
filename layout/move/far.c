/* far.c - see far.h. */
#include "layout/move/far.h"

#include <stdio.h>
#include <string.h>

#include "layout/move/move.h"
#include "layout/move/search.h"
#include "layout/move/when.h"

const char *move_part(const struct view *v, char out[MOVE_PART])
{
    const struct trace_info *ti = trace_info(v->tr);
    char from[FMT_MAX], to[FMT_MAX];
    int64_t res = (ti->detail_t1 - ti->detail_t0) / 20 + 1;
    out[0] = 0;
    if (ti->bounded)
        snprintf(out, MOVE_PART, " in %.30s..%.30s (held in detail)", when_time(v->tr, ti->detail_t0, res, from),
                 when_time(v->tr, ti->detail_t1, res, to));
    return out;
}

bool far_can(const struct view *v, int dir)
{
    const struct trace_info *ti = trace_info(v->tr);
    return ti->bounded && ti->done && (dir > 0 ? ti->detail_t1 < ti->end : ti->detail_t0 > 0);
}

bool far_held(const struct view *v, int64_t t)
{
    const struct trace_info *ti = trace_info(v->tr);
    return !ti->bounded || ((t > ti->detail_t0 || !ti->detail_t0) && t < ti->detail_t1 &&
                            trace_held(v->tr, t, ti->detail_t1 + 1) != WANT_COMING);
}

void far_drop(struct view *v)
{
    v->far.look = NULL;
}

/* How much has been looked through, in per cent, what is just being read included. */
static int share(const struct view *v)
{
    const struct far *f = &v->far;
    const struct trace_info *ti = trace_info(v->tr);
    int64_t end = ti->end, at = f->edge, from = f->dir > 0 ? f->from : end - f->from, all, done;
    if (f->dir > 0 && !f->brought && ti->detail_t0 <= at && ti->detail_t1 > at)
        at = ti->detail_t1 < f->t1 ? ti->detail_t1 : f->t1;
    at = f->dir > 0 ? at : end - at;
    all = f->wraps ? end : end - from;
    done = f->wrapped ? end - from + at : at - from;
    return all <= 0 || done >= all ? 99 : done <= 0 ? 0 : (int)((double)done / (double)all * 100);
}

static void say(struct view *v)
{
    if (!v->prompt)
        view_message(v, false, "searching %d%%: %s (Esc stops)", share(v), v->far.what);
}

/* It came to nothing: a search that is made anew with the next part has nowhere to go any more. */
static void give_up(struct view *v)
{
    far_drop(v);
    if (v->search)
        v->search->jump = 0;
}

bool far_stop(struct view *v)
{
    int done = share(v);
    if (!v->far.look)
        return false;
    give_up(v);
    view_message(v, false, "stopped; %d%% of the trace was searched for %s", done, v->far.what);
    return true;
}

static unsigned over(struct view *v)
{
    give_up(v);
    return v->far.none[0] ? move_fail(v, "%s", v->far.none) : VR_DRAW;
}

/* Where a run in this direction is over. */
static int64_t limit(const struct view *v)
{
    const struct far *f = &v->far;
    return f->wrapped ? f->from : f->dir > 0 ? trace_info(v->tr)->end : f->least;
}

static unsigned next(struct view *v)
{
    struct far *f = &v->far;
    int64_t t0, t1, end = trace_info(v->tr)->end;
    if (f->dir > 0 && f->edge < f->least - 1)
        f->edge = f->least - 1;
    if (f->dir > 0 ? f->edge >= limit(v) || f->edge + 1 >= end : f->edge <= 0 || f->edge < limit(v)) {
        if (!f->wraps || f->wrapped)
            return over(v);
        f->wrapped = true;
        f->edge = f->dir > 0 ? f->least - 1 : end;
        if (f->dir > 0 ? f->edge >= f->from : f->edge < f->from || f->edge < f->least)
            return over(v);
    }
    if (!trace_stretch(v->tr, f->dir > 0 ? f->edge + 1 : f->edge, f->dir, &t0, &t1))
        return over(v);
    if (f->once)
        t1 = t0 + 1;
    else if (f->wrapped && f->dir > 0 && t1 > f->from)
        t1 = f->from + 1;
    if (trace_held(v->tr, t0, t1) == WANT_WIDE) { /* as little as can be */
        t0 = f->dir > 0 ? f->edge + 1 : f->edge - 1;
        t1 = t0 + 1;
    }
    f->t0 = t0;
    f->t1 = t1;
    f->brought = false;
    say(v);
    return VR_DRAW;
}

unsigned far_begin(struct view *v, const struct far *how, const char *what, const char *none)
{
    const struct trace_info *ti = trace_info(v->tr);
    struct far *f = &v->far;
    *f = *how;
    if (how->from < 0)
        f->from = f->edge = f->dir > 0 ? ti->detail_t1 : ti->detail_t0;
    f->at = v->at;
    snprintf(f->what, sizeof f->what, "%s", what);
    snprintf(f->none, sizeof f->none, "%s", none);
    return next(v);
}

/* Elsewhere now: what is shown there is to be held, not what is looked for. */
static bool moved_on(const struct view *v)
{
    const struct place *a = &v->at, *b = &v->far.at;
    return a->view != b->view || a->cursor != b->cursor || a->win.t0 != b->win.t0 || a->win.t1 != b->win.t1;
}

bool view_wants(struct view *v, int64_t *t0, int64_t *t1)
{
    const struct far *f = &v->far;
    if (!f->look || f->brought)
        return false;
    if (moved_on(v)) {
        far_stop(v);
        return false;
    }
    *t0 = f->t0;
    *t1 = f->t1;
    if (trace_held(v->tr, f->t0, f->t1) == WANT_COMING)
        say(v);
    return true;
}

unsigned far_went(struct view *v, enum far_saw saw)
{
    const struct trace_info *ti = trace_info(v->tr);
    struct far *f = &v->far;
    if (!f->look || saw == FAR_WORKING)
        return VR_DRAW | VR_WORK;
    if (saw == FAR_FOUND) {
        far_drop(v);
        return VR_DRAW;
    }
    if (saw == FAR_NOWHERE || f->once)
        return over(v);
    f->edge = f->dir > 0 ? ti->detail_t1 : ti->detail_t0;
    return next(v);
}

unsigned view_brought(struct view *v)
{
    const struct trace_info *ti = trace_info(v->tr);
    struct far *f = &v->far;
    if (!f->look || f->brought)
        return VR_NONE;
    bool reached = f->dir > 0 ? (ti->detail_t0 <= f->edge || !ti->detail_t0) && ti->detail_t1 > f->edge + 1
                              : ti->detail_t0 < f->edge;
    if (reached && f->dir < 0 &&
        ti->detail_t1 + 1 < f->edge) { /* too much at once: what lies just before comes first */
        reached = ti->detail_t1 >= f->t0 && ti->detail_t1 + 1 < f->t1;
        f->t0 = ti->detail_t1 + 1;
        if (reached && trace_held(v->tr, f->t0, f->t1) == WANT_WIDE)
            f->t0 = f->t1 - 1;
        if (reached)
            return VR_DRAW;
    }
    if (!reached) {
        give_up(v);
        return move_fail(v, "there is no memory to search further for %s", f->what);
    }
    f->brought = true;
    return far_went(v, f->look(v));
}
