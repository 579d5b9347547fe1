/*
 * page.h - the parts of view 1, each in a box of the screen: an overview of the trace, the numbers, the
 * work and its tree. tri_findings.c combines them with the findings.
 */
#ifndef GOTOP_LAYOUT_PAGE_H
#define GOTOP_LAYOUT_PAGE_H

#include "layout/views/tri.h"
#include "triage/text.h"

struct box {
    int x, y, w, h;
};
enum { PAGE_BESIDE = 22 }; /* columns for the text after a curve */
/* page_label - the width of the label before a curve, a bar, a field or a title, so that all start in one
 * column. */
static inline int page_label(int w)
{
    return w < 60 ? 7 : 11;
}

/* page_axis - the part of a box that is the time axis of the whole trace, for curves and marks. .w <= 0:
 * too narrow. */
struct box page_axis(struct box b);
/* page_strip - draws on the axis where in the trace a finding is. */
void page_strip(struct grid *g, const struct view *v, const struct finding *f, struct box axis);
/* page_strip_whole - whether it marks all of the finding that is known, and not an example alone. */
bool page_strip_whole(const struct view *v, const struct finding *f);
/* page_lanes - draws the goroutines of a finding while its example goes on, below a line that says when that
 * is: those that wait and the holders. Returns the lines used. */
int page_lanes(struct grid *g, struct view *v, const struct finding *f, struct box b);

/* page_lane - draws a goroutine on an axis of that time, after the word `role`. */
void page_lane(struct grid *g, struct view *v, const char *role, uint32_t lane, struct window time,
               struct box b);

/* page_procs - draws the first processors on the axis, one line each, or more where there is much room; it
 * does not use all of it. Returns the lines used. */
int page_procs(struct grid *g, struct view *v, struct box b);

/* Parts that fill the remaining room once the tables are ready. page_busiest - the program's goroutines
 * that ran longest, as page_lane(). page_places - the places with the most waiting. page_groups - the
 * program's goroutines by start function, and the runtime's own where there is much room. page_all - all
 * numbers. They return the lines used. */
int page_busiest(struct grid *g, struct view *v, struct box b);
int page_places(struct grid *g, struct view *v, struct box b);
int page_groups(struct grid *g, struct view *v, struct box b);
int page_all(struct grid *g, struct view *v, struct box b);

/* page_curves - draws the curves in at most .h lines (busy, queue, heap if recorded; each taller if there
 * is room for all). Returns the lines used. */
int page_curves(struct grid *g, const struct view *v, struct box b);

/* page_notes - lists the file's problems in at most .h lines. page_numbers - the other important numbers in
 * one line. They return the lines used. */
int page_notes(struct grid *g, const struct view *v, struct box b);
int page_numbers(struct grid *g, const struct view *v, struct box b);
/* page_read - adds the file's problems and all numbers, a paragraph each. page_read_numbers - the numbers
 * alone. */
void page_read(const struct view *v, struct rich *out);
void page_read_numbers(const struct view *v, struct rich *out);

/* page_state - the state whose colour stands for this category of time. */
enum state page_state(enum explain_cat cat);
/* page_counts - whether this work counts: somebody waits for it, and it has a tree. */
bool page_counts(const struct work *w);
/* page_work_of - the work of a finding, else the first that counts; NULL: none. */
const struct work *page_work_of(const struct view *v, const struct finding *f);
/* page_work - draws a work, with where a usual and a slow piece spend their time; in one line only the work
 * itself. Returns the lines used. */
int page_work(struct grid *g, const struct view *v, const struct work *w, struct box b);
/* page_tree - draws its branches, a line each; those at function `user` (a string) are highlighted. Returns
 * the lines used. */
int page_tree(struct grid *g, const struct view *v, const struct work *w, uint32_t user, struct box b);

#endif
