/*
 * why_here.c - see why_here.h.
 */
#include "layout/views/why_here.h"

#include "layout/move/record.h"
#include "layout/views/items.h"
#include "layout/views/table.h"

static bool of_item(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct item *i = kind_here(v)->items && v->items.n
                               ? &v->items.row[v->at.row < v->items.n ? v->at.row : v->items.n - 1]
                               : NULL;
    const struct region *r;
    if (!i || (i->kind != ITEM_TASK && i->kind != ITEM_REGION))
        return false;
    if (i->kind == ITEM_TASK) {
        const struct task *k;
        *g = i->index < trace_tasks(v->tr, &k) ? workpiece_of_task(v->tr, i->index).g : NO_LANE;
    } else {
        *g = i->index < trace_regions(v->tr, &r) ? r[i->index].g : NO_LANE;
    }
    *t0 = i->t0;
    *t1 = i->t1;
    return *g != NO_LANE;
}

static bool of_thing(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct table *t = v->table;
    if (!table_ready(v) || v->at.row >= t->nrows)
        return false;
    const struct thing *x = table_thing(t, t->row[v->at.row]);
    *g = x->g;
    *t0 = x->t0;
    *t1 = x->t1;
    return !x->untimed && x->g < trace_nlanes(v->tr, LANE_G) && x->t1 > x->t0;
}

static bool of_finding(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct findings *fs = v->tri ? v->tri->fs : NULL;
    if (!fs || v->at.row >= fs->n)
        return false;
    const struct finding *f = &fs->f[v->at.row];
    *g = f->lane.kind == LANE_G ? f->lane.i : NO_LANE;
    *t0 = f->t0;
    *t1 = f->t1;
    return *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
}

/* Who comes to a goroutine's lane from a table came for a thing: it stays what is asked about until the
 * cursor leaves. */
static bool of_shown(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    if (!v->trail.led || v->sel.stands || v->trail.shown.lane.kind != LANE_G || v->at.focus.kind != LANE_G ||
        v->at.focus.i != v->trail.shown.lane.i || v->at.cursor != v->trail.shown.cursor)
        return false;
    *g = v->trail.shown.lane.i;
    *t0 = v->trail.shown.t0;
    *t1 = v->trail.shown.t1;
    return *t1 > *t0;
}

bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    struct lane l;
    struct span s;
    if (v->at.view == VIEW_TRIAGE)
        return of_finding(v, g, t0, t1);
    if (kind_here(v)->about)
        return kind_here(v)->about(v, g, t0, t1) && *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
    if (kind_here(v)->things)
        return of_thing(v, g, t0, t1);
    if (of_item(v, g, t0, t1))
        return *t1 > *t0;
    if (kind_here(v)->items || kind_here(v)->table || !view_span_here(v, &l, &s))
        return false;
    if (!v->sel.stands && record_untimed(v, &s))
        return false;
    if (of_shown(v, g, t0, t1))
        return *g < trace_nlanes(v->tr, LANE_G);
    *g = l.kind == LANE_G ? l.i : s.who;
    *t0 = v->sel.stands ? v->sel.t0 : s.t0;
    *t1 = v->sel.stands ? v->sel.t1 : s.t1;
    return *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
}
