/*
 * kind.h - a view as an object: what its rows are, how it is drawn, what it says of what the cursor is on,
 * what it answers to a key. A new view is one file with such an object and one row in triage/views.def.
 */
#ifndef GOTOP_LAYOUT_KIND_H
#define GOTOP_LAYOUT_KIND_H

#include <stdio.h>

#include "layout/move/request.h"
#include "layout/move/plan.h"
#include "layout/cells/rich.h"
#include "layout/move/view.h"

struct lines;      /* lines.h */
struct text;       /* triage/text.h */
struct item_list;  /* items.h */
struct table_from; /* table.h */

struct view_kind {
    enum lane_kind lanes; /* what its rows are; LANE_KINDS: no lanes */
    enum plan_kind plan;  /* which rows a screen has, which it drops */
    enum plan_gutter gutter;
    bool states;                     /* curves of goroutines by state above its rows */
    bool table;                      /* made of triage's tables: no time axis */
    bool over;                       /* it lies over the view from which one came: leaving goes back there */
    const struct item_list *items;   /* its rows are things; NULL: they aren't */
    const struct table_from *things; /* the table is one of things, table.h; NULL: it isn't */

    /* A list: a cursor moves over its rows (tri.h), v->at.row. Without `rows` it is none, and the others are
     * NULL. */
    uint32_t (*rows)(const struct view *v);
    void (*row)(struct grid *g, struct view *v, uint32_t row, int y, bool focus);
    /* head, head_lines - what stands above so many rows; titled: the mouse points at the last line of that.
     * NULL: nothing. */
    int (*head_lines)(const struct view *v, int rows);
    void (*head)(struct grid *g, struct view *v, int y, int n);
    unsigned (*titled)(struct view *v, int x);
    /* detail - lines 0 and 1 of the status; lists: is line 1 a list, the most telling items first? NULL:
     * nothing, never. */
    void (*detail)(struct text *t, const struct view *v, uint32_t row, int line);
    bool (*lists)(const struct view *v, uint32_t row);
    unsigned (*enter)(struct view *v);
    /* ready - are they there, made of the trace alone, or (counted) of triage's tables, too? NULL: as soon as
     * those are. */
    bool (*ready)(const struct view *v);
    bool counted;

    bool (*has)(const struct view *v); /* does its key lead to it? NULL: yes */
    /* empty - the trace has nothing for it: the key of the first such view leads on to one that has. NULL:
     * never */
    bool (*empty)(const struct view *v);
    /* open - come here from another view: v->at is remembered already, and is
     * changed. The flags of view.h. */
    unsigned (*open)(struct view *v, int no);
    /* settle - keep the invariants of rows: v->rows, at.row, at.top, focus. recenter: bring the cursor's into
     * sight. */
    void (*settle)(struct view *v, bool recenter);
    /* show - bring goroutine g as it is at t under the cursor, here if it can be, else in the goroutines'
     * view. */
    void (*show)(struct view *v, uint32_t g, int64_t t);
    /* draw - what stands between the ruler and the status. */
    void (*draw)(struct grid *g, struct view *v, const struct plan *p);
    /* speak - about what the cursor is on; names take at most w columns. */
    void (*speak)(const struct view *v, int w, struct rich *out);
    /* read - all that the screen says of it, for a pop-up, in lines of w columns; NULL: what `speak` says. */
    void (*read)(const struct view *v, struct lines *out, int w);
    /* where - which rows of how many, for the title; NULL: nothing is said. */
    void (*where)(const struct view *v, const struct plan *p, char *out, size_t size);
    /* status_most - lines that its status takes at most; NULL: those of its plan. */
    int (*status_most)(const struct view *v);
    /* hold - it can't answer now (its tables are not there): say so. VR_NONE: it can. NULL: always. */
    unsigned (*hold)(struct view *v);
    /* back_word - what its REQ_BACK would do now; NULL: nothing. */
    const char *(*back_word)(const struct view *v);
    /* can - does it answer that as it is now? NULL: all that it has an answer for. */
    bool (*can)(const struct view *v, enum request d);
    /* pending, work - what it has to do beside drawing: is there more, go on with it (VR_WORK while there
     * is). */
    bool (*pending)(const struct view *v);
    unsigned (*work)(struct view *v, int64_t budget_ns);
    /* find - what is typed behind '/', letter by letter, "" when it is given up; NULL: it is searched for in
     * the trace. */
    unsigned (*find)(struct view *v, const char *text);
    /* span - a goroutine's, processor's or thread's lane and moment that the cursor is on, for the pop-up of
     * a span; NULL: its rows are no such thing. */
    bool (*span)(const struct view *v, struct lane *l, int64_t *t);
    /* about - the time of a goroutine that the row with the cursor is about, for an explanation; NULL: see
     * why_here(). */
    bool (*about)(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);
    /* touch - the mouse points at a cell that is none of its rows': take what is there. VR_NONE: nothing is.
     * NULL: never. */
    unsigned (*touch)(struct view *v, const struct plan *p, int x, int y);
    /* tsv - all rows, to be copied; false: there are none. NULL: what the cursor is on is copied. */
    bool (*tsv)(const struct view *v, FILE *f);
    unsigned (*copy)(struct view *v); /* the same of many rows, in slices: table_copy() */
    /* what keys do here; NULL: nothing, then `refusal` or `refuse` is said */
    unsigned (*answer[REQS])(struct view *v, int n);
    const char *refuse, *refusal[REQS];
    const char *word[REQS]; /* for the footer, where it isn't the usual one */
};

#define X(ID, name, object, key) extern const struct view_kind kind_##object;
#include "triage/views.def"
#undef X

enum { KIND_DIGITS = VIEW_LOG }; /* the first views have their number as their key */
/* kind_of - by number (enum view_no); the processors' for a number that there is not. kind_here - of the view
 * shown. */
const struct view_kind *kind_of(int view);
const struct view_kind *kind_here(const struct view *v);
/* kind_name - as keymaps and `:` name it. kind_key - the view whose key leads to it, itself of most: the key
 * again leads from the one shown to kind_next, and so round; kind_before: the other way. kind_find - by name;
 * VIEW_NONE: there is none. */
const char *kind_name(int view);
int kind_key(int view);
int kind_next(const struct view *v);
int kind_before(const struct view *v);
int kind_find(const char *name, size_t len);

/*
 * kind_leads - something other than a view's key led here from there: from a table to lanes? Then leaving
 * them goes back. kind_led - the name of that table; NULL: none led to what is shown, or a view was asked for
 * since. kind_return - back to it, to the row that was left.
 */
void kind_leads(struct view *v, const struct place *from);
const char *kind_led(const struct view *v);
unsigned kind_return(struct view *v);
/* kind_under - so many steps of view_undo() back is the view over which this
 * one lies; 0: it lies over none. */
int kind_under(const struct view *v);
/*
 * kind_listed - a list draws that row, which takes so many lines: rows from the first one on that shows.
 * view_listed - how far the row in that line of the screen is from the one with the cursor; false: no row of
 * a list is there.
 */
void kind_listed(struct view *v, uint32_t row, int y, int lines);
bool view_listed(const struct view *v, int y, int64_t *by);

/* What views of lanes answer, and others of the time axis where the time is concerned: for their tables. */
#define ANSWER_TIME \
    [REQ_PAN] = view_pan, [REQ_PAGE] = view_page, [REQ_CURSOR] = view_cursor, [REQ_START] = view_start, \
    [REQ_END] = view_finish, [REQ_ZOOM] = view_zoom, [REQ_ZOOM_ALL] = view_zoom_all, \
    [REQ_CENTER] = view_center, [REQ_GC] = view_gc, [REQ_SELECT] = view_select
/* kind_show - `show` of views that leave it to the goroutines' one. */
void kind_show(struct view *v, uint32_t g, int64_t t);

#endif
