/*
 * tables.c - tables and findings in the viewer: made once the trace is loaded, and shown.
 */
#include "viewer/command/tables.h"

#include <string.h>

#include "layout/draw/draw.h"
#include "layout/move/move.h"
#include "layout/views/tri.h"

/* ---- working them out ---------------------------------------------------------------------------------- */

/* This is the message for what must wait for the tables. */
static const char soon[] = "the tables are not done yet";
static const char soon_walk[] = "the tables are not ready yet: gotop goes there when they are";

static bool pending(const struct app *a)
{
    return (app_has(a, DUE_LOAD) || app_has(a, DUE_TABLES)) && !a->tri.tg && !a->tri.trouble;
}

static void say_soon(struct app *a, const char *what)
{
    view_message(&a->view, false, "%s", what);
    a->view.msg.soon = SOON_TABLES;
}

static void triage_drop(struct app *a)
{
    findings_drop(a->finds);
    a->finds = NULL;
    triage_free(a->tg);
    a->tg = NULL;
}

static unsigned triage_trouble(struct app *a)
{
    app_set(a, DUE_TABLES, false);
    a->tri.trouble = "out of memory for the tables";
    a->finding_wish = 0;
    move_ready(&a->view);
    triage_drop(a);
    return VR_DRAW;
}

/* The findings are made. Open them if the reader has pressed no key; say that they are ready if one has. */
static void findings_show(struct app *a)
{
    char list[64], walk[64];
    int wish = a->finding_wish;
    a->finding_wish = 0;
    move_ready(&a->view);
    if (!a->key_came) {
        (void)view_switch(&a->view, VIEW_TRIAGE);
        a->view.trail.n = 0; /* the reader has done nothing yet */
    } else if (wish && !a->view.prompt.kind && !a->view.popup.kind) {
        (void)tri_walk(&a->view, wish);
        a->live.follows = false; /* the window stays where the finding is */
    } else if (a->hint && a->fs.n && a->view.at.view != VIEW_TRIAGE &&
               !(a->view.msg.text[0] && a->view.msg.error)) {
        bool one = a->fs.n == 1;
        keymap_key(a->km, app_keyview(a), ACT_VIEW_TRIAGE, list, sizeof list);
        keymap_key(a->km, app_keyview(a), ACT_FINDING_NEXT, walk, sizeof walk);
        view_message(&a->view, false, "%u finding%s ready: press %s to list %s, %s to go to %s", a->fs.n,
                     one ? " is" : "s are", list, one ? "it" : "them", walk, one ? "it" : "the first");
    }
    a->hint = false; /* only once */
}

void tables_drop(struct app *a)
{
    struct tri was = a->tri;
    tri_free(&a->tri);
    tri_init(&a->tri, a->tr);
    a->tri.finding = was.finding;
    a->tri.so_far = was.so_far;
    memcpy(a->tri.row, was.row, sizeof was.row);
    memcpy(a->tri.top, was.top, sizeof was.top);
    triage_drop(a);
}

/* Make the tables first, then the findings, which need them. */
static enum triage_state tables_step(struct app *a, int64_t budget_ns)
{
    if (!a->finds) {
        const enum triage_state st = triage_step(a->tg, budget_ns);
        if (st != TRIAGE_DONE)
            return st;
        if (!(a->finds = findings_begin(a->tg)))
            return TRIAGE_NOMEM;
        if (budget_ns < INT64_MAX)
            return TRIAGE_MORE;
    }
    return findings_step(a->finds, budget_ns) ? TRIAGE_DONE : TRIAGE_MORE;
}

static bool findings_of_job(struct app *a)
{
    struct err e;
    struct findings_job *j = a->finds;
    a->finds = NULL;
    return findings_end(j, &a->fs, &e) != ERR_OK;
}

unsigned app_triage(struct app *a, int64_t budget_ns)
{
    struct err e = {0};
    if (!app_has(a, DUE_TABLES))
        return VR_NONE;
    if (!a->tg && triage_new(a->tr, &a->tg, &e))
        return triage_trouble(a);
    const enum triage_state st = tables_step(a, budget_ns);
    a->tri.progress = triage_progress(a->tg);
    if (st == TRIAGE_MORE)
        return tri_shows(a->view.at.view) ? VR_DRAW : VR_NONE;
    if (st == TRIAGE_NOMEM || findings_of_job(a))
        return triage_trouble(a);
    app_set(a, DUE_TABLES, false);
    move_ready(&a->view);
    tri_ready(&a->tri, a->tg, &a->fs);
    a->view.nbusiest = rows_busiest(a->tg, a->view.busiest, VIEW_BUSY);
    findings_show(a);
    if (tri_makes(&a->view)) /* it makes more tables */
        app_add(a, DUE_VIEW);
    return VR_DRAW;
}

/* ---- before they are there ----------------------------------------------------------------------------- */

unsigned tables_walk(struct app *a, int n)
{
    if ((!pending(a) && !(a->follow && !a->tri.tg && !a->tri.trouble)) || a->tri.fs)
        return tri_walk(&a->view, n);
    a->finding_wish = n;
    say_soon(a, soon_walk);
    return VR_DRAW;
}

void tables_moved(struct app *a, const struct place *from)
{
    const struct place *at = &a->view.at;
    if (!a->finding_wish)
        return;
    if (at->view != from->view || at->cursor != from->cursor || at->win.t0 != from->win.t0 ||
        at->win.t1 != from->win.t1 || at->focus.kind != from->focus.kind || at->focus.i != from->focus.i) {
        a->finding_wish = 0;
        move_ready(&a->view);
    }
}

void tables_early(struct app *a, unsigned f)
{
    if ((f & VR_BELL) && pending(a) && tri_shows(a->view.at.view))
        say_soon(a, soon);
}
