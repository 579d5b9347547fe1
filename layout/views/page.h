/*
 * page.h - the parts of view 1, each in a box of the screen: the trace in small, the numbers, the work and
 * its tree. tri_findings.c puts them together with the findings.
 */
#ifndef GOTOP_LAYOUT_PAGE_H
#define GOTOP_LAYOUT_PAGE_H

#include "layout/views/tri_priv.h"

struct box {
    int x, y, w, h;
};
enum { PAGE_BESIDE = 22 }; /* columns of what stands behind a curve */
/* page_label - columns of what stands before a curve, a bar, a field, a title: all begin in one column. */
static inline int page_label(int w)
{
    return w < 60 ? 7 : 11;
}

/* page_axis - the columns of the whole trace in a box: where curves and marks stand. .w <= 0: it is too
 * narrow. */
struct box page_axis(struct box b);
/* page_strip - where in the trace a finding is, in these columns. */
void page_strip(struct grid *g, const struct view *v, const struct finding *f, struct box axis);
/* page_lanes - the goroutines that it is about, in the same columns: who waits, who has what is waited for.
 * Returns the lines used. */
int page_lanes(struct grid *g, const struct view *v, const struct finding *f, struct box b);

/* page_lane - a goroutine in the same columns, behind a word: what it is in most of a column; of one that
 * waits, what else it does in a part of it that can be seen. */
void page_lane(struct grid *g, const struct view *v, const char *role, uint32_t lane, struct box b);

/* page_procs - the processors in the same columns, the first ones: a line each, or more of a large room, part
 * of which it leaves. Returns the lines used. */
int page_procs(struct grid *g, const struct view *v, struct box b);

/* What fills the room that is left, once the tables are there: page_busiest - the goroutines of the program
 * that ran for longest, as page_lane(); page_places - the places at which most is waited; page_groups - the
 * program's goroutines by start function; page_all - all numbers. Return the lines used. */
int page_busiest(struct grid *g, const struct view *v, struct box b);
int page_places(struct grid *g, const struct view *v, struct box b);
int page_groups(struct grid *g, const struct view *v, struct box b);
int page_all(struct grid *g, const struct view *v, struct box b);

/* page_curves - at most .h lines of it (busy, queue, heap if it is recorded; each higher where there is room
 * for all). Returns the lines used. */
int page_curves(struct grid *g, const struct view *v, struct box b);

/* page_notes - what is wrong with the file, in at most .h lines; page_numbers - what else there is to know,
 * in one line. Return the lines used. */
int page_notes(struct grid *g, const struct view *v, struct box b);
int page_numbers(struct grid *g, const struct view *v, struct box b);
/* page_read - what is wrong with the file, and all numbers, as lines of w columns; page_read_numbers - the
 * numbers alone. */
void page_read(const struct view *v, struct lines *out, int w);
void page_read_numbers(const struct view *v, struct lines *out, int w);

/* page_state - the state in whose colour a part of somebody's time stands. */
enum state page_state(enum explain_cat cat);
/* page_counts - is it a work that counts: somebody waits for it, and it has a tree? */
bool page_counts(const struct work *w);
/* page_work_of - the work that a finding is about, else the first that counts; NULL: none. */
const struct work *page_work_of(const struct view *v, const struct finding *f);
/* page_work - a work, and where a usual and a slow piece spend their time; in one line only what it is.
 * Returns the lines used. */
int page_work(struct grid *g, const struct view *v, const struct work *w, struct box b);
/* page_tree - its branches, a line each; those at that function (string) stand
 * out. Returns the lines used. */
int page_tree(struct grid *g, const struct view *v, const struct work *w, uint32_t user, struct box b);

#endif
