/*
 * kind.h - a view as an object: its rows, how to draw it, what it says about the thing under the cursor,
 * and how it answers keys. A new view is one file with such an object and one row in triage/views.def.
 */
#ifndef GOTOP_LAYOUT_KIND_H
#define GOTOP_LAYOUT_KIND_H

#include "layout/move/request.h"
#include "layout/move/plan.h"
#include "layout/cells/rich.h"
#include "layout/move/view.h"

struct text;       /* triage/text.h */
struct item_list;  /* items.c */
struct table_from; /* table.h */

struct view_kind {
    enum lane_kind lanes; /* kind of its rows; LANE_KINDS: it shows no lanes */
    enum plan_kind plan;  /* the screen rows it has and the order in which it drops them */
    enum plan_gutter gutter;
    bool states;                     /* shows curves of goroutines by state above its rows */
    bool table;                      /* is made from triage's tables and has no time axis */
    bool over;                       /* lies over the previous view; leaving it returns there */
    const struct item_list *items;   /* the list its rows come from; NULL: its rows are not items */
    const struct table_from *things; /* the source of its table (table.h); NULL: it is not a table */

    /* A list: the cursor moves over its rows (tri.h) and v->at.row holds its row. If `rows` is NULL, the
     * view is not a list and the other members are NULL. */
    uint32_t (*rows)(const struct view *v);
    void (*row)(struct grid *g, struct view *v, uint32_t row, int y, bool focus);
    /* head_lines returns the number of heading lines above `rows` rows; head draws them. titled handles a
     * mouse click on the last heading line. NULL: no heading. */
    int (*head_lines)(const struct view *v, int rows);
    void (*head)(struct grid *g, struct view *v, int y, int n);
    unsigned (*titled)(struct view *v, int x);
    /* detail - adds line 0 or 1 of the status, about a row if it is a list. NULL: no such line. */
    void (*detail)(struct text *t, const struct view *v, uint32_t row, int line);
    unsigned (*enter)(struct view *v);
    /* ready - whether the rows exist. NULL: as soon as triage's tables do. none - the text in their place
     * where there is nothing of the view's yet (has); soon - while it is being made. */
    bool (*ready)(const struct view *v);
    const char *none, *soon;

    bool (*has)(const struct view *v); /* whether its key leads to it; NULL: yes */
    /* needs - a bit per enum item_kind: where the trace has no such items, the view's key skips to a view
     * with content. 0: never empty. */
    unsigned needs;
    /* open - enter this view from another one. The caller has saved v->at; open changes it. Returns the
     * flags of view.h. */
    unsigned (*open)(struct view *v, int no);
    /* settle - restores the invariants of v->rows, at.row, at.top and focus. recenter: scroll the cursor's
     * row into sight. */
    void (*settle)(struct view *v, bool recenter);
    /* show - put the cursor on goroutine g at time t. NULL: in the goroutines' view. */
    void (*show)(struct view *v, uint32_t g, int64_t t);
    /* draw - draws everything between the ruler and the status. */
    void (*draw)(struct grid *g, struct view *v, const struct plan *p);
    /* speak - describes what the cursor is on; names take at most w columns. */
    void (*speak)(const struct view *v, int w, struct rich *out);
    /* read - adds everything the screen says about it to `out`, for a pop-up. NULL: what `speak`
     * says. */
    void (*read)(const struct view *v, struct rich *out);
    /* where - writes "which rows of how many" for the title. NULL: the title says nothing. */
    void (*where)(const struct view *v, const struct plan *p, char *out, size_t size);
    bool silent; /* nothing is said below its rows */
    /* status_most - returns the maximum number of status lines. NULL: the number in its plan. */
    int (*status_most)(const struct view *v);
    /* back_word - names what REQ_BACK would do now. NULL: nothing. */
    const char *(*back_word)(const struct view *v);
    /* pending, work - background work: whether there is any, and do some of it (VR_WORK while more
     * remains). */
    bool (*pending)(const struct view *v);
    unsigned (*work)(struct view *v, int64_t budget_ns);
    /* find - handles the text typed after '/', on every letter; "" on cancel. NULL: the trace is searched. */
    unsigned (*find)(struct view *v, const char *text);
    /* span - the lane and moment under the cursor, for the span pop-up. NULL: its rows are not spans. */
    bool (*span)(const struct view *v, struct lane *l, int64_t *t);
    /* about - the goroutine and time range to explain for the cursor's row. NULL: see why_here() below. */
    bool (*about)(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);
    /* touch - handles a mouse click on a cell outside its rows. Returns VR_NONE if nothing is there. NULL:
     * nothing ever is. */
    unsigned (*touch)(struct view *v, const struct plan *p, int x, int y);
    /* tsv - writes all rows for copying; false: there are none. NULL: what the cursor is on is copied. */
    bool (*tsv)(const struct view *v, struct text *t);
    /* the answers to requests; where NULL, `refusal` or `refuse` is the message */
    unsigned (*answer[REQS])(struct view *v, int n);
    const char *refuse, *refusal[REQS];
    const char *word[REQS]; /* footer words that differ from the usual ones */
};

#define X(ID, name, object, key) extern const struct view_kind kind_##object;
#include "triage/views.def"
#undef X

/* KIND_COPIED - rows that are copied at most: SQL gives more. */
enum { KIND_COPIED = 20000 };
enum { KIND_DIGITS = VIEW_LOG }; /* the views before this one have their number as their key */
/* kind_of - the view with this number (enum view_no); the processors' view for an unknown number. kind_here
 * - the view v shows. */
const struct view_kind *kind_of(int view);
const struct view_kind *kind_here(const struct view *v);
/* kind_name - the name that keymaps and `:` use. kind_key - the view whose key leads to this one, usually
 * itself. Pressing the key repeatedly cycles through its views: kind_next is the following one, kind_before
 * the preceding one. kind_opens - the one it leads to first: for which the trace has something, or itself.
 * kind_find - the view with this name, or VIEW_NONE. */
const char *kind_name(int view);
int kind_key(int view);
int kind_next(const struct view *v);
int kind_before(const struct view *v);
int kind_opens(const struct view *v, int key);
int kind_find(const char *name, size_t len);

/* kind_leads - records that a table led to the view shown, by something other than a view's key, so that
 * leaving goes back to the table. kind_led - the name of that table, or NULL if no table led here or a
 * view's key was pressed since. kind_return - goes back to the table and the row that was left. */
void kind_leads(struct view *v, const struct place *from);
const char *kind_led(const struct view *v);
unsigned kind_return(struct view *v);
/* kind_under - the number of view_undo() steps back to the view below this one; 0: there is none. */
int kind_under(const struct view *v);
/* kind_listed - records that this row is drawn on so many lines from y on; called in order from the first
 * visible row. kind_row_y - the first of them; -1: it does not show. view_listed - the distance in rows
 * between screen line y and the cursor's row; false: that line has no row. */
void kind_listed(struct view *v, uint32_t row, int y, int lines);
int kind_row_y(const struct view *v, uint32_t row);
bool view_listed(const struct view *v, int y, int64_t *by);

/* why_here - gets the goroutine and interval that `W` explains: the selected range of the goroutine under the
 * cursor; in a list the task, region, thing or finding of the row, or its longest wait; the thing whose table
 * row led to the lane, while the cursor stays on it; else the span under the cursor. false: there is no
 * goroutine. */
bool why_here(const struct view *v, uint32_t *g, int64_t *t0, int64_t *t1);

/* Answers of views of lanes. Views with a time axis share those about time in their tables. */
#define ANSWER_TIME \
    [REQ_PAN] = view_pan, [REQ_PAGE] = view_page, [REQ_CURSOR] = view_cursor, [REQ_START] = view_start, \
    [REQ_END] = view_finish, [REQ_ZOOM] = view_zoom, [REQ_ZOOM_ALL] = view_zoom_all, \
    [REQ_CENTER] = view_center, [REQ_GC] = view_gc, [REQ_SELECT] = view_select
/* kind_show - puts the cursor on goroutine g at time t, in this view if possible, else in the goroutines'
 * view. */
void kind_show(struct view *v, uint32_t g, int64_t t);

#endif
