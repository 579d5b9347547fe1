/* why.c - see why.h. */
#include "layout/move/why.h"

#include <string.h>

#include "layout/move/items.h"
#include "layout/views/table.h"
#include "layout/move/move.h"
#include "triage/findings/explain_text.h"

#define LINES 400
#define BUDGET 500000 /* spans: an answer within a moment */

static bool of_item(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    const struct item *i =
        kind_here(v)->items && v->items.n ? &v->items.row[v->at.row < v->items.n ? v->at.row : v->items.n - 1] : NULL;
    const struct task *k;
    const struct region *r;
    if (!i || (i->kind != ITEM_TASK && i->kind != ITEM_REGION))
        return false;
    if (i->kind == ITEM_TASK) {
        *g = i->index < trace_tasks(v->tr, &k) ? k[i->index].g : NO_LANE;
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
    return x->g < trace_nlanes(v->tr, LANE_G) && x->t1 > x->t0;
}

bool why_here(struct view *v, uint32_t *g, int64_t *t0, int64_t *t1)
{
    struct lane l;
    struct span s;
    if (kind_here(v)->things)
        return of_thing(v, g, t0, t1);
    if (of_item(v, g, t0, t1))
        return *t1 > *t0;
    if (kind_here(v)->items || !view_span_here(v, &l, &s))
        return false;
    *g = l.kind == LANE_G ? l.i : s.who;
    *t0 = v->selected ? v->sel0 : s.t0;
    *t1 = v->selected ? v->sel1 : s.t1;
    return *g < trace_nlanes(v->tr, LANE_G) && *t1 > *t0;
}

bool why_text(const struct view *v, uint32_t g, int64_t t0, int64_t t1, struct lines *out)
{
    struct explain_tree x;
    struct text t = {0}, head = {.ticks = !trace_info(v->tr)->has_clock};
    struct explainer *e = explain_new(v->tr);
    bool ok = e && explain_tree_init(&x, v->tr);
    if (ok) {
        explain_budget(e, BUDGET);
        ok = explain_add(e, &x, g, t0, t1);
        explain_tree_sort(&x);
        t.ticks = head.ticks;
        explain_text(&t, &x, LINES);
        text_who(&head, v->tr, g);
        text_lit(&head, ", ");
        text_dur(&head, t0);
        text_lit(&head, "..");
        text_dur(&head, t1);
        text_lit(&head, ", ");
        text_dur(&head, t1 - t0);
        text_add(&head, "%s", x.cut ? "; some waits are not followed to their end" : "");
        ok = ok && text_ok(&t) && text_ok(&head);
        explain_tree_free(&x);
    }
    for (char *s = ok ? t.p : NULL, *e2; s && *s; s = e2 + 1) {
        if (s == t.p)
            lines_add(out, "%s", head.p);
        e2 = strchr(s, '\n');
        if (!e2)
            break;
        *e2 = 0;
        lines_add(out, "%s", s);
    }
    explain_free(e);
    text_free(&t);
    text_free(&head);
    return ok;
}
