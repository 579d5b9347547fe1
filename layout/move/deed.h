/*
 * deed.h - what a key can ask of a view, whatever it shows: each view answers in its own way (kind.h), or
 * doesn't.
 */
#ifndef GOTOP_LAYOUT_DEED_H
#define GOTOP_LAYOUT_DEED_H

enum deed {
    DEED_PAN,
    DEED_PAGE,
    DEED_CURSOR,
    DEED_START,
    DEED_END, /* in time: eighths, windows, columns; the ends */
    DEED_ZOOM,
    DEED_ZOOM_ALL,
    DEED_FIT,
    DEED_CENTER,
    DEED_LANE,
    DEED_LANE_PAGE,
    DEED_FIRST,
    DEED_LAST, /* over rows */
    DEED_SPAN,
    DEED_SAME,
    DEED_GC,
    DEED_CAUSE,
    DEED_EFFECT,
    DEED_SWAP, /* to what is in the trace */
    DEED_SELECT,
    DEED_DETAILS,
    DEED_SORT,
    DEED_INVERT,
    DEED_HERE,
    DEED_BACK, /* one level up within the view */
    DEEDS
};

struct view;
/*
 * view_do - ask the view shown for a deed, n times (< 0: the other way, 0: once). While a pop-up is open what
 * moves over rows scrolls that. Returns enum refresh. view_answers - does it answer that at all?
 */
unsigned view_do(struct view *v, enum deed d, int n);
_Bool view_answers(const struct view *v, enum deed d);

#endif
