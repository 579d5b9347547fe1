/*
 * tri_priv.h - what the tri_*.c files share. A view is a row of functions; tri.c calls them by the view's number.
 */
#ifndef GOTOP_LAYOUT_TRI_PRIV_H
#define GOTOP_LAYOUT_TRI_PRIV_H

#include "layout/tri.h"
#include "layout/when.h"
#include "layout/wrap.h"
#include "triage/text.h"

struct tri_view {
    uint32_t (*rows)(const struct view *v);
    bool (*skip)(const struct view *v, uint32_t row);          /* a heading: no cursor here; NULL = none */
    void (*head)(struct grid *g, struct view *v, int y, int n); /* above the rows */
    int (*head_lines)(const struct view *v, int rows);
    void (*row)(struct grid *g, struct view *v, uint32_t row, int y, bool focus);
    void (*detail)(struct text *t, const struct view *v, uint32_t row, int line); /* lines 0 and 1 of the status */
    unsigned (*enter)(struct view *v);
};

extern const struct tri_view tri_findings, tri_groups, tri_waits;

/* ---- flame: rows are not a list, so it has its own of all ---- */
unsigned flame_move(struct view *v, int n);
unsigned flame_side(struct view *v, int n);
unsigned flame_zoom(struct view *v, int n);
unsigned flame_kind(struct view *v, int n);
unsigned flame_back(struct view *v);
void flame_draw(struct grid *g, struct view *v, int y, int rows);
void flame_detail(struct text *t, const struct view *v, int line);
void flame_free(struct flame *f);
/* flame_build - begin the tree, and go on for a moment; flame_work goes on. true: nothing more to do. */
bool flame_build(struct tri *t, int64_t t0, int64_t t1);
bool flame_work(struct tri *t, int64_t budget_ns);

/* ---- groups ---- */
unsigned groups_side(struct view *v, int n);
unsigned groups_range(struct view *v);
unsigned groups_sort(struct view *v, int n);
unsigned groups_back(struct view *v);
bool groups_order(struct tri *t);

/* ---- waits ---- */
bool waits_list(struct tri *t);
unsigned waits_side(struct view *v, int n);

/* ---- helpers ---- */

/* tri_say - printf into the grid, clipped to w columns; returns the column behind. */
int tri_say(struct grid *g, int x, int y, int w, enum style s, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* tri_cell - a text right-aligned in w columns at x. */
void tri_cell(struct grid *g, int x, int y, int w, enum style s, const char *text);
/* tri_name - a function's string, shortened from the left, at x in w columns. */
void tri_name(struct grid *g, const struct view *v, int x, int y, int w, enum style s, uint32_t name);
/* tri_goto - one undo step: the window [t0,t1) with room around it, the cursor at t0 on a lane. */
unsigned tri_goto(struct view *v, struct lane l, int64_t t0, int64_t t1);
/* tri_evidence - to where a finding points; its goroutine has the focus as soon as it is held. */
unsigned tri_evidence(struct view *v, const struct finding *f);
/* tri_set_row - the cursor to a row that is none to skip, forward first; keeps it on the screen when drawn. */
void tri_set_row(struct view *v, uint32_t row);
struct lane tri_g(uint32_t g);
/* tri_dur - as triage writes durations (rounded, not cut), so that a number is the same in a row and below. */
char *tri_dur(const struct trace *tr, int64_t ns, char out[FMT_MAX]);

#endif
