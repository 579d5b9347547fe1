/*
 * request.h - what a key can ask of a view, whatever it shows: each view answers in its own way (kind.h), or
 * doesn't.
 */
#ifndef GOTOP_LAYOUT_REQUEST_H
#define GOTOP_LAYOUT_REQUEST_H

enum request {
    REQ_PAN,
    REQ_PAGE,
    REQ_CURSOR,
    REQ_START,
    REQ_END, /* in time: eighths, windows, columns; the ends */
    REQ_ZOOM,
    REQ_ZOOM_ALL,
    REQ_FIT,
    REQ_CENTER,
    REQ_LANE, /* over rows */
    REQ_LANE_PAGE,
    REQ_FIRST,
    REQ_LAST, /* so far over rows: REQ_LANE answers, unless a view says otherwise */
    REQ_SPAN,
    REQ_SAME,
    REQ_GC,
    REQ_CAUSE,
    REQ_EFFECT,
    REQ_SWAP, /* to what is in the trace */
    REQ_SELECT,
    REQ_DETAILS,
    REQ_SORT,
    REQ_INVERT,
    REQ_HERE,
    REQ_BACK, /* one level up within the view */
    REQS
};

enum { REQ_FAR = 1 << 30 };

struct view;
/*
 * view_do - make a request of the view shown, n times (< 0: the other way, 0: once). While a pop-up is open
 * what moves over rows scrolls that. An answer is never asked 0 times; REQ_LANE may be asked REQ_FAR times:
 * to the end. Returns enum refresh. view_answers - does it answer that at all?
 */
unsigned view_do(struct view *v, enum request d, int n);
_Bool view_answers(const struct view *v, enum request d);

#endif
