/*
 * view.h - what the reader looks at (window, cursor, view, search, pop-up) and every action on it.
 *
 * A view is plain state over one trace: no terminal, no key, no clock. The viewer maps keys to the
 * functions below; frame_draw() (layout/frame/frame.h) turns a view into cells. One view, one thread.
 *
 * Actions return what must happen next (enum refresh). An action that can't be done changes nothing, sets
 * the reason in v->msg and returns VR_BELL | VR_DRAW. `n` is a repeat count with a sign: negative goes
 * back, 0 means 1; it is ignored where repeating would change nothing.
 *
 * The cursor is a lane (focus) and a moment (cursor). It is always inside the window, and its lane is on
 * the screen.
 */
#ifndef GOTOP_LAYOUT_VIEW_H
#define GOTOP_LAYOUT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/model/alive.h"
#include "decode/trace.h"
#include "layout/move/request.h"
#include "layout/cells/glyphs.h"
#include "layout/cells/rich.h"
#include "layout/cells/window.h"
#include "triage/views.h"

/* enum refresh - flags: what must happen next. */
enum refresh {
    VR_NONE = 0,
    VR_DRAW = 1, /* the picture changed */
    VR_BELL = 2, /* the action failed; v->msg says why */
    VR_WORK = 4, /* call view_work() until it is done (a search over a big trace) */
    VR_QUIT = 8, /* view_quit() with nothing left to go back from */
    /* view_prompt_accept(): v->prompt.command holds a line that is no goto and may name an action */
    VR_COMMAND = 16,
    VR_YANK = 32 /* there is text for the clipboard: from view_yank() */
};

enum sort {
    SORT_ID,
    SORT_SEEN,
    SORT_RUNNING,
    SORT_RUNNABLE,
    SORT_WAITING,
    SORT_SYSCALL,
    SORT_NAME,
    SORT_COUNT
};
const char *sort_name(enum sort s);

enum popup_kind { POPUP_NONE, POPUP_SPAN, POPUP_LINES };
enum prompt_kind {
    PROMPT_NONE,
    PROMPT_COMMAND,
    PROMPT_SEARCH,
    PROMPT_FILTER,
    PROMPT_SLICE,
    PROMPT_MARK,
    PROMPT_MARK_GO
};

/* The rows of lanes or of a list, as drawn from above: row[i] is on lines [y[i], y[i + 1]). */
enum { VIEW_LISTED = 1000 };
struct listed {
    int n, y[VIEW_LISTED + 1];
    uint32_t row[VIEW_LISTED];
};

enum { VIEW_BUSY = 16, VIEW_UNDO = 128, VIEW_TEXT = 512, VIEW_MESSAGE = 4000 };

/* place - what undo restores */
struct place {
    struct window win;
    int64_t cursor;
    struct lane focus;
    uint32_t top; /* first visible row of the lanes */
    /* the focus's lane + 1, and its line: it stays there when other lanes come or go; derived */
    uint32_t lined;
    int line;
    uint32_t row; /* views of items: the row with the cursor */
    uint8_t view;
    bool exact;      /* a jump put the cursor on one span; else it covers the whole column */
    uint32_t guest;  /* goroutine lane + 1 where `cause` started: it stays on top; 0 = none */
    int64_t guest_t; /* when it was unblocked */
};

enum { LANES_PINS = 16, LANES_OPEN = 64 };

/* The lanes one view shows and their order; see lanes.h. */
struct lanes {
    enum lane_kind kind;
    uint32_t n;                    /* number of rows */
    uint32_t total;                /* number of lanes; more than n if only those alive in the window show */
    uint32_t *order;               /* all lanes, sorted; NULL = by index */
    uint32_t *group_end, ngroups;  /* of the order: end of each group of one name */
    bool named;                    /* the names are final */
    bool listed;                   /* row_lane holds the rows; else they are all lanes by index */
    uint32_t *row_lane;            /* row -> lane index */
    uint32_t *lane_row;            /* lane index -> row or NO_LANE */
    uint32_t nrow_lane, nlane_row; /* rows in use; lanes in lane_row */
    size_t cap_rows;               /* capacity of both, and of `more` */
    struct alive alive;            /* index of lifetimes */
    enum sort sort;
    bool invert;
    bool here;          /* only lanes alive in the window, and the one with the cursor */
    bool stale;         /* the order must be remade */
    struct window seen; /* the window row_lane was made for */
    uint32_t seen_keep;

    const struct filter *filter; /* goroutines: only those that pass; borrowed, NULL = all */
    uint64_t filter_seen;
    uint32_t pin[LANES_PINS]; /* always in the first rows */
    int npin;
    uint64_t *hidden;           /* a bit per lane, NULL = none */
    uint32_t nhidden, hidden_n; /* size in bits, number of bits set */
    uint32_t *only;             /* only these lanes, in this order (related ones); NULL = no restriction */
    uint32_t nonly;
    bool group; /* goroutines of one start function are adjacent; a folded group shows only its first */
    uint32_t open[LANES_OPEN]; /* names of unfolded groups */
    int nopen;
    uint32_t *more;              /* per row: the number of further lanes in its folded group; see grouped */
    bool grouped;                /* the rows were made with `more` */
    bool rows_stale;             /* the rows must be remade */
    struct lanes_making *making; /* an order in progress, see lanes_work() */
};

/* Rows of the views without lanes. */
struct items {
    struct item *row;
    uint32_t n;
    size_t seen; /* number of things in the model when the rows were made */
    int view;
    bool longest_first;
    bool stale;
};

enum split { SPLIT_NONE, SPLIT_LOG, SPLIT_STACK, SPLIT_COUNT }; /* what stands below the lanes */
enum { VIEW_FILTERS = 16 };

enum tabs { TABS_NAMES, TABS_NUMBERS, TABS_SHOWN, TABS_FORMS }; /* tabs.h */

/* What the reader chose for tables: 1 + the sort column per view and level (kinds, things; 0: the initial
 * one), and the cursor's place among the kinds while the things of one are shown. */
struct orders {
    int8_t sort[VIEW_END][2];
    bool invert[VIEW_END][2];
    uint32_t type_row, type_top;
};

struct search; /* search.h */
struct view;
struct filter;      /* filter.h */
struct evlog;       /* evlog.h */
struct idle_reason; /* idle_reason.h */
struct samples;     /* samples.h */
struct gstate;      /* gstate.h */
struct assisted;    /* gstate.h, too */
struct item;        /* item.h */
struct tri;         /* tri.h */
struct top;         /* top.h */
struct table;       /* table.h */
struct folded;      /* folded.h */
struct why;         /* why.h */
struct job;

/* ---- where: the trail to view.at ---- */

struct trail {
    struct place undo[VIEW_UNDO]; /* ring buffer */
    int at, n, redo_n, kind;
    struct place mark['z' - 'A' + 1]; /* by letter; .view is VIEW_NONE where none is set */
    uint32_t focus[LANE_KINDS];       /* per kind: the lane that had the focus, for switching views */
    bool led;                         /* a place in a table led here: leaving returns to it */
    struct { /* the thing that was opened: `W` explains it while the cursor stays on it */
        struct lane lane;
        int64_t t0, t1, cursor; /* t1 <= t0: nothing */
    } shown;
};

/* ---- how it is shown: the screen, and what the reader chose ---- */

struct screen {
    int w, h;           /* view_resize() */
    int gutter, plot_w; /* columns of the lanes' names, of the time axis; derived */
    int rows;           /* visible rows of lanes; derived */
    int lane_h;         /* lines per lane, see plan.h; derived */
    enum tier tier;
    bool mono; /* no colours: glyphs carry the meaning */
    /* the form of the views' names in the title, from column tabs_x on; TABS_FORMS: not shown. Set by
     * drawing */
    enum tabs tabs;
    int tabs_x;
    struct listed listed; /* set by drawing */
    bool recenter;        /* the focus jumped: if it is off the screen, scroll it to the middle */
    bool names;           /* write functions' names into spans (default) */
    bool clock;           /* the ruler shows times of day, if the trace has them */
    bool grouped;  /* goroutines were grouped automatically once; from then on only the reader changes it */
    bool unfolded; /* regions, calls and samples show below the goroutine with the cursor */
    int unfold_n;  /* number of those lines; derived */
    enum split split;
};

/* ---- what is selected ---- */

struct selection {
    bool going;  /* a range is being selected: from t0 to the cursor */
    bool stands; /* a range [t0,t1) is selected */
    int64_t t0, t1;
};

struct filters {
    struct filter *all;       /* NULL: none */
    char text[VIEW_TEXT];     /* all filters in one line */
    size_t cut[VIEW_FILTERS]; /* start of each filter but the first */
    int n;
    bool done; /* the filter is evaluated for every goroutine */
};

/* ---- what lies over it ---- */

struct popup {
    enum popup_kind kind;
    int top;          /* first line shown; drawing clamps it */
    int lines, rows;  /* lines in it, visible rows: set by drawing */
    struct lane lane; /* POPUP_SPAN: the span */
    int64_t t;
    const char *title; /* POPUP_LINES: owned by others, as the text is, and must outlive the pop-up */
    const struct rich *text;
    struct {
        char text[VIEW_TEXT]; /* search words, "" = none */
        size_t hit, from;     /* matching paragraph, from 1, 0 = none; and that where the prompt was opened */
        int from_top;         /* `top` when the prompt was opened */
        bool show;            /* scroll it into sight when drawing */
        int line;             /* its first line in the pop-up: set by drawing */
    } find;
};

struct prompt {
    enum prompt_kind kind;
    struct place from;       /* place where a search prompt was opened: Esc returns there */
    char text[VIEW_TEXT];    /* UTF-8 */
    size_t len, at;          /* length and cursor, in bytes */
    char command[VIEW_TEXT]; /* see VR_COMMAND */
};

struct message {
    /* Text at the foot of the screen, on as many lines as it takes; safe to print; empty = none. */
    char text[VIEW_MESSAGE];
    bool error;
    bool cut; /* the text does not fit the screen: set by drawing */
    /* the message is one line about finding of - 1, and view_read() shows the rest; 0: it is complete */
    uint32_t of;
    /* the message says that these are not ready; it is cleared once they are */
    enum { SOON_NOT, SOON_LANES, SOON_TABLES } soon;
};

/* ---- work in progress, see view_work() ---- */

struct jobs {
    struct job *asked; /* the job a key requested (job.c); NULL: none */
    bool to_top;       /* go to the first lane when the order in progress is done */
};

/* ---- caches: results that can be recomputed; NULL: none yet ---- */

struct cache {
    struct evlog *log;        /* events around the cursor */
    struct idle_reason *idle; /* why the processor under the cursor was idle */
    struct samples *samples;  /* CPU samples by lane */
    struct gstate *gstate;    /* assists by goroutine */
    struct folded *folded;    /* states of folded groups' goroutines */
    struct rich own;          /* text of a pop-up made by layout, and its title */
    char own_title[96];

    /* scratch of drawing, reused from frame to frame */
    int64_t *edges;
    struct extent *extents;
    int scratch_w;
    struct shares *cols; /* columns of the row being drawn */
};

struct view {
    const struct trace *tr;
    int64_t all_end; /* the last view_end(): a window that reached it follows it */
    int64_t torn;    /* damaged trace: start of the first gap in a processor's record; else INT64_MAX */
    int64_t beyond;  /* the time axis extends at least to here, even past the trace's end; 0 = to its end */

    struct place at; /* the place shown now */
    struct trail trail;
    struct screen scr;

    struct selection sel; /* what is selected */
    struct filters filters;

    struct popup popup; /* what lies over it */
    struct prompt prompt;
    struct message msg;

    struct lanes lanes[LANE_KINDS]; /* what the views show */
    struct items items;
    /* the program's goroutines that ran most in the whole trace, for below the processors: rows_busiest() */
    uint32_t busiest[VIEW_BUSY];
    int nbusiest;
    struct search *search;       /* NULL: none yet */
    struct asked *asked;         /* the SQL query and its answer, sql_view.h; NULL: none yet */
    const struct rich *compared; /* with another trace; owned by the viewer; NULL: not (yet) */
    struct table *table;         /* table of the last table view shown; NULL: none yet */
    struct table *coming;        /* the one being found, which replaces it when it has rows; NULL: none */
    struct orders orders;
    /* views 1, 5, 6, 10: triage's tables and positions in them; owned by the viewer; NULL = none */
    struct tri *tri;
    struct top *top; /* view 11; NULL: none yet */
    struct why *why; /* the last explanation requested; NULL: none yet */

    struct jobs job;
    struct cache cache;
};

/* view_init - shows the whole trace, view of processors, cursor at the start. tr must outlive the view.
 * Returns false when out of memory. */
bool view_init(struct view *v, const struct trace *tr);
void view_free(struct view *v);
/* view_resize - sets the screen's size. Call it before the first action and on every change. Any size >=
 * 1x1. */
unsigned view_resize(struct view *v, int w, int h);
/* view_loaded - call it after trace_load() decoded more. A window that showed everything still does. */
unsigned view_loaded(struct view *v);
/* view_anew - decoding restarted (trace_info.epoch): drop everything derived from the trace. */
unsigned view_anew(struct view *v);
/* view_follow - shows the window and moment of another view over another trace, and its lane if this view
 * has it; else the focus stays. Makes no undo step. */
void view_follow(struct view *v, struct window w, int64_t t, struct lane l);
/* view_exchange - replaces the trace by another one of the same program, which starts `by` ns later. Places
 * keep their moment, and their lanes by id. */
unsigned view_exchange(struct view *v, const struct trace *tr, int64_t by);
/* view_end - the end of the time axis: the trace's end, or an estimate of it while the trace loads (>= what
 * is decoded). */
int64_t view_end(const struct view *v);
/* view_message - sets the message line, printf-like; "" clears it. Control bytes become '?'.
 * Returns VR_DRAW. */
unsigned view_message(struct view *v, bool error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- moving in time ---- */
/* view_pan - pans by n eighths, in whole columns; at the trace's ends only the cursor moves. */
unsigned view_pan(struct view *v, int n);
unsigned view_page(struct view *v, int n); /* by n windows */
/* moves the cursor by n columns; the window follows at its edges */
unsigned view_cursor(struct view *v, int n);
unsigned view_zoom(struct view *v, int n); /* n > 0: zooms in 2^n times at the cursor */
unsigned view_zoom_all(struct view *v, int n);
unsigned view_center(struct view *v, int n); /* moves the cursor to the middle */
unsigned view_start(struct view *v, int n);
unsigned view_finish(struct view *v, int n); /* to the end of the trace */
unsigned view_at(struct view *v, int64_t t); /* moves the cursor to t; the window follows */
unsigned view_range(struct view *v, int64_t t0, int64_t t1);

/* ---- moving over lanes ---- */
/* focuses the lane, switching views if needed; keeps the time */
unsigned view_focus(struct view *v, struct lane l);
/* view_switch - shows that view, keeping time and focus as far as possible. If that view, or one that its
 * key leads to, is shown already, shows the next one of that key. */
unsigned view_switch(struct view *v, int no);
unsigned view_show(struct view *v, int no); /* shows exactly that view */

/* ---- moving over spans ---- */
unsigned view_same(struct view *v, int n); /* next / previous span of the lane, of the same state */
unsigned view_gc(struct view *v, int n);   /* next / previous start of a GC cycle or stop-the-world */
/* jumps to the goroutine that unblocked this one, at that moment */
unsigned view_cause(struct view *v);
/* view_cause_word - what view_cause leads to: "woken by", or "created by" (before the first unblock); NULL:
 * the trace does not say. */
const char *view_cause_word(const struct view *v);
/* view_effect - jumps to the goroutine that this one unblocked next, at that moment. VR_WORK: view_work()
 * continues looking. */
unsigned view_effect(struct view *v);

/* ---- the rest ---- */
unsigned view_undo(struct view *v, int n);
unsigned view_redo(struct view *v, int n);
unsigned view_select(struct view *v, int n); /* starts a range at the cursor, ends it there, drops it */
/* view_selected - gets the selected range, or the one being selected, which reaches to the cursor; the
 * caller passes the interval of its column in *t0, *t1. Returns false, and keeps these, if there is none. */
bool view_selected(const struct view *v, int64_t *t0, int64_t *t1);
unsigned view_enter(struct view *v); /* toggles the stack pop-up of the span under the cursor */
/* view_message_open - whether a text of several lines covers the footer: it closes before the view is
 * left. */
bool view_message_open(const struct view *v);
/* view_back - Esc: one step back, whichever applies: closes what lies over the view, drops what is marked
 * in it (a range, search marks, a lane on top), or returns to the table that led here or the view below.
 * Never returns VR_QUIT. view_quit - q: closes what lies over the view, else returns VR_QUIT.
 * view_quit_word - what q would do now, in a word (NULL: VR_QUIT). view_drop_word - which mark Esc would
 * drop, in a word (NULL: none). */
unsigned view_back(struct view *v);
unsigned view_quit(struct view *v);
const char *view_quit_word(const struct view *v);
const char *view_drop_word(const struct view *v);
bool view_searching(const struct view *v); /* whether a search is in progress */
unsigned view_clock(struct view *v);       /* toggles times of day on the ruler */
unsigned view_tier(struct view *v, int n); /* next tier of glyphs */
/* view_yank - writes what is under the cursor, or the pop-up's text, unshortened; from a table, all rows as
 * TSV (*rows). Without VR_YANK there is nothing to copy. */
unsigned view_yank(struct view *v, struct text *t, bool *rows);
/* view_popup_text - opens a pop-up with a text (help); title and text must outlive it. */
unsigned view_popup_text(struct view *v, const char *title, const struct rich *text);
/* view_popup_span - opens the pop-up of the span under the cursor; returns false if there is none.
 * view_popup_follow - after an action that started at `from`: an open span pop-up moves to the span now under
 * the cursor, and closes if there is none. */
bool view_popup_span(struct view *v);
void view_popup_follow(struct view *v, const struct place *from);
/* view_popup_scroll - scrolls by n lines. While a pop-up is open the viewer maps lane movement to this. */
unsigned view_popup_scroll(struct view *v, int n);

/* view_goto - goes to the target on a line (goto.h): "1.25s", "50%", "1.2s..1.3s", "g123", "p4", "m7". */
unsigned view_goto(struct view *v, const char *line);

/* ---- prompt: ':' and '/' share one line. While v->prompt is set the viewer sends text here. ---- */
unsigned view_prompt(struct view *v, enum prompt_kind k);
unsigned view_prompt_put(struct view *v, uint32_t codepoint);
/* view_prompt_edit - erases the character before the cursor (an empty line closes), the one under it (at the
 * line's end the one before), the word before it, all before it, or all from it on; or moves the cursor. */
enum prompt_edit {
    EDIT_ERASE,
    EDIT_DELETE,
    EDIT_ERASE_WORD,
    EDIT_CLEAR,
    EDIT_KILL,
    EDIT_LEFT,
    EDIT_RIGHT,
    EDIT_HOME,
    EDIT_END
};
unsigned view_prompt_edit(struct view *v, enum prompt_edit e);
/* view_prompt_accept - runs the line: a goto, a search, or VR_COMMAND. For a slice v->prompt.command is its
 * file. */
unsigned view_prompt_accept(struct view *v);

/* ---- search: see search.h. Starts at the prompt's place or here; jumps to a hit. ---- */
unsigned view_search(struct view *v, const char *text);
unsigned view_search_next(struct view *v, int n); /* by time from the cursor, n < 0 back */
/* how long a key press works on a new task before it returns */
enum { VIEW_AT_ONCE_NS = 15000000 };
/* view_work - does pending work for about budget_ns (INT64_MAX: until it is done). VR_WORK while more
 * remains. */
unsigned view_work(struct view *v, int64_t budget_ns);
/* view_pending - whether the drawn picture was incomplete and view_work() has work that no action
 * announced. */
bool view_pending(const struct view *v);

/* ---- filters (filter.h), marks, pins, sums ---- */
/* adds a filter; an error message shows its position */
unsigned view_filter(struct view *v, const char *text);
unsigned view_filter_pop(struct view *v); /* removes the last one */
unsigned view_filter_clear(struct view *v);
unsigned view_mark(struct view *v, const char *letter); /* marks this place */
unsigned view_mark_go(struct view *v, const char *letter);
unsigned view_pin(struct view *v); /* toggles whether the lane with the cursor stays on top */
/* view_guest - keeps goroutine g on top, marked at t, until the next guest, undo or Esc; NO_LANE: removes
 * it. */
void view_guest(struct view *v, uint32_t g, int64_t t);
unsigned view_hide(struct view *v);     /* hides the lane with the cursor */
unsigned view_show_all(struct view *v); /* drops pins, hidden and related lanes, and the filter */
unsigned view_group(struct view *v);    /* toggles grouping of goroutines by start function */
/* view_fold - folds or unfolds the group with the cursor. In one of several views of a key: goes to the
 * previous one. */
unsigned view_fold(struct view *v);
/* view_unfold - toggles rows with the regions, calls and samples of the goroutine under the cursor. */
unsigned view_unfold(struct view *v);
unsigned view_related(struct view *v); /* toggles showing only creator, created, wakers and woken */
/* view_why - explains the time of what is under the cursor: a span, a range, a task, a finding. */
unsigned view_why(struct view *v);
/* view_sums - shows what goroutines did in the selected range, or the window, by start function: view 11. */
unsigned view_sums(struct view *v);
unsigned view_life(struct view *v); /* shows the whole life of the goroutine under the cursor */
/* view_read - shows everything the screen says about what the cursor is on, unshortened; or the message. */
unsigned view_read(struct view *v);
/* shows the next split below the lanes: log, stack, none */
unsigned view_split(struct view *v, int n);
/* view_line_row - the row shown on line i of the lanes. view_row_line - the line of a row, or -1. */
uint32_t view_line_row(const struct view *v, int i);
int view_row_line(const struct view *v, uint32_t row);

/* view_span_here - the span that status line and pop-up describe, and its lane *l. false: none. */
bool view_span_here(const struct view *v, struct lane *l, struct span *s);
/* view_span_longest - finds the longest span overlapping [t0,t1) in which its lane does something. Returns
 * false if there is none. */
bool view_span_longest(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct span *s);
/* view_column - the cursor's column and its interval */
int view_column(const struct view *v, int64_t *t0, int64_t *t1);

#endif
