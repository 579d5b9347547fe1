/*
 * request.h - what a key can ask of any view. Each view answers in its own way (kind.h), or not at all.
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
    REQ_LAST, /* so far over rows: REQ_LANE answers these unless a view has its own answer */
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
/* view_do - sends a request to the view shown, n times (< 0: in the other direction, 0: once). While a
 * pop-up is open, requests that move over rows scroll it. An answer's n is never 0; that of REQ_LANE may be
 * REQ_FAR: to the end. Returns enum refresh. view_answers - whether the view answers the request at all. */
unsigned view_do(struct view *v, enum request d, int n);
_Bool view_answers(const struct view *v, enum request d);

#endif
