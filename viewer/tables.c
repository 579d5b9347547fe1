/*
 * tables.c - triage between the trace's end and the reader, and what keys mean in the views of its tables.
 */
#include "viewer/tables.h"

#include "layout/items.h"
#include "layout/tri.h"

/* ---- working them out ------------------------------------------------------------------------------------ */

static void triage_trouble(struct app *a, const char *what)
{
    a->triaging = false;
    a->tri.trouble = what;
    triage_free(a->tg);
    a->tg = NULL;
}

/* The tables are there: show them to who has just come, tell those who are under way. */
static void triage_show(struct app *a)
{
    char key[64];
    if (!tri_ready(&a->tri, a->tg, &a->fs)) return;
    if (!a->touched) {
        (void)view_switch(&a->view, VIEW_TRIAGE);
        a->view.undo_n = 0; /* nothing the reader did */
    } else if (a->hint && !a->view.message[0] && a->fs.n) {
        help_key(a->km, app_keyview(a), ACT_VIEW_TRIAGE, key, sizeof key);
        view_message(&a->view, false, "%u finding%s: %s shows them", a->fs.n, a->fs.n == 1 ? "" : "s", key);
    }
}

unsigned app_triage(struct app *a, int64_t budget_ns)
{
    struct err e = {0};
    if (!a->triaging) return VR_NONE;
    if (!a->tg && triage_new(a->tr, &a->tg, &e)) {
        triage_trouble(a, "out of memory for the tables");
        return VR_DRAW;
    }
    enum triage_state st = triage_step(a->tg, budget_ns);
    a->tri.progress = triage_progress(a->tg);
    if (st == TRIAGE_MORE) return tri_shows(a->view.at.view) ? VR_DRAW : VR_NONE;
    if (st == TRIAGE_NOMEM || findings_of(a->tg, &a->fs, &e)) {
        triage_trouble(a, "out of memory for the tables");
        return VR_DRAW;
    }
    a->triaging = false;
    triage_show(a);
    return VR_DRAW;
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

unsigned tables_do(struct app *a, enum action act, int n, bool counted)
{
    struct view *v = &a->view;
    if (v->popup || !tri_shows(v->at.view)) return TABLES_NOT_MINE;
    switch (act) {
    case ACT_LANE_UP: return tri_move(v, -n);
    case ACT_LANE_DOWN: return tri_move(v, n);
    case ACT_LANE_PAGE_UP: return tri_page(v, -n);
    case ACT_LANE_PAGE_DOWN: return tri_page(v, n);
    case ACT_LANE_FIRST: case ACT_GOTO_START: return tri_first(v);
    case ACT_LANE_LAST: case ACT_GOTO_END: return tri_last(v);
    case ACT_PAN_LEFT: case ACT_CURSOR_LEFT: case ACT_PAGE_LEFT: case ACT_SPAN_PREV: return tri_side(v, -n);
    case ACT_PAN_RIGHT: case ACT_CURSOR_RIGHT: case ACT_PAGE_RIGHT: case ACT_SPAN_NEXT: return tri_side(v, n);
    case ACT_SELECT: return tri_range(v);
    case ACT_DETAILS: case ACT_FIT: case ACT_SWAP: return tri_enter(v);
    case ACT_SORT: return tri_sort(v, counted ? n : 1);
    case ACT_SORT_INVERT: return tri_invert(v);
    case ACT_ZOOM_IN: return tri_zoom(v, n);
    case ACT_ZOOM_OUT: return tri_zoom(v, -n);
    case ACT_ZOOM_ALL: return tri_zoom(v, 0);
    case ACT_CLOSE: case ACT_BACK:
        if (v->message[0] || v->prompt) return TABLES_NOT_MINE;
        n = (int)tri_back(v);
        return (unsigned)n & VR_QUIT ? TABLES_NOT_MINE : (unsigned)n;
    case ACT_CAUSE: case ACT_EFFECT: case ACT_SAME_NEXT: case ACT_SAME_PREV: case ACT_CENTER: case ACT_HERE:
    case ACT_GC_NEXT: case ACT_GC_PREV:
        view_message(v, true, "Enter opens the lanes first");
        return VR_DRAW | VR_BELL;
    default: return TABLES_NOT_MINE;
    }
}

unsigned tables_details(struct app *a)
{
    struct view *v = &a->view;
    const struct range *r;
    char who[VIEW_MESSAGE];
    unsigned f = view_enter(v);
    if ((v->at.view != VIEW_GC && v->at.view != VIEW_TASKS) || v->at.row >= v->items.n || v->popup) return f;
    const struct item *i = &v->items.row[v->at.row];
    if (i->kind == ITEM_TASK || i->kind == ITEM_REGION) {
        tri_task(&a->tri, i->kind == ITEM_REGION, i->index, who, sizeof who);
        if (who[0]) view_message(v, false, "%s", who);
    }
    if (i->kind != ITEM_STW || i->index >= trace_ranges(a->tr, RANGE_STW, &r)) return f;
    tri_stop(a->tr, &r[i->index], who, sizeof who);
    view_message(v, false, "%s", who[0] ? who : "no processor had to be waited for");
    return f;
}
