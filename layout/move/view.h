/*
 * view.h - what the reader looks at (window, cursor, view, search, pop-up) and every action on it.
 *
 * A view is plain state over one trace: no terminal, no key, no clock. The viewer maps keys to the functions
 * below; frame_draw() (layout/frame/frame.h) turns a view into cells. One view, one thread.
 *
 * Actions return what must happen next (enum refresh). An action that can't be done changes nothing, leaves
 * the reason in v->msg and returns VR_BELL | VR_DRAW. `n` is a repeat count with a sign: negative goes
 * back, 0 is 1; where a second time would change nothing it is not looked at.
 *
 * The cursor is a lane (focus) and a moment (cursor). It is always inside the window, and its lane on the
 * screen.
 */
#ifndef GOTOP_LAYOUT_VIEW_H
#define GOTOP_LAYOUT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/model/alive.h"
#include "decode/trace.h"
#include "layout/move/request.h"
#include "layout/cells/glyphs.h"
#include "triage/activity/window.h"
#include "triage/views.h"

/* enum refresh - flags: what must happen next. */
enum refresh {
    VR_NONE = 0,
    VR_DRAW = 1,     /* the picture changed */
    VR_BELL = 2,     /* it could not be done; v->msg says why */
    VR_WORK = 4,     /* call view_work() until it is done (a search over a big trace) */
    VR_QUIT = 8,     /* view_quit() with nothing left to go back from */
    VR_COMMAND = 16, /* view_prompt_accept(): v->prompt.command holds a line that is no goto: an action? */
    VR_YANK = 32     /* there is text for the clipboard: view_yank()'s, or v->job.copied */
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
enum prompt_kind { PROMPT_NONE, PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_SLICE };

/* rows of a list as they were drawn: line y[i] is the first one of row first +
 * i, y[n] the first below them */
enum { VIEW_LISTED = 256 };
struct listed {
    int n, y[VIEW_LISTED + 1];
    uint32_t first;
};

enum { VIEW_BUSY = 40, VIEW_UNDO = 128, VIEW_TEXT = 512, VIEW_MESSAGE = 4000 };

/* place - what undo brings back */
struct place {
    struct window win;
    int64_t cursor;
    struct lane focus;
    uint32_t top; /* first row of the lanes that shows */
    uint32_t row; /* views of items: the row with the cursor */
    uint8_t view;
    bool exact; /* the cursor stands on one span, put there by a jump; else it means the whole column */
    bool kept, absent; /* epoch.c: id is that of the focus; it isn't in the detail, */
    uint32_t stand;    /* and this lane stands for it */
    uint64_t id;
    uint32_t guest;  /* goroutine lane + 1 that one came from by `cause`: it stays on top; 0 = none */
    int64_t guest_t; /* when it was woken */
};

enum { LANES_PINS = 16, LANES_OPEN = 64 };

/* which lanes one view shows, in which order; see lanes.h */
struct lanes {
    enum lane_kind kind;
    uint32_t n;                    /* rows */
    uint32_t total;                /* lanes there are; more than n if only those alive in the window show */
    uint32_t *order;               /* all lanes, sorted; NULL = by index */
    uint32_t *group_end, ngroups;  /* of the order: where each group of one name ends */
    bool named;                    /* by names that do not change any more */
    bool listed;                   /* the rows are those of row_lane; else all lanes by index */
    uint32_t *row_lane;            /* row -> lane index */
    uint32_t *lane_row;            /* lane index -> row or NO_LANE */
    uint32_t nrow_lane, nlane_row; /* rows in use; lanes that lane_row knows */
    size_t cap_rows;               /* of the two, and of more */
    struct alive alive;            /* which live when */
    enum sort sort;
    bool invert;
    bool here;          /* only lanes that live in the window, and the one with the cursor */
    bool stale;         /* the order must be made anew */
    struct window seen; /* what row_lane was made for */
    uint32_t seen_keep;

    const struct filter *filter; /* goroutines: only those it shows; borrowed, NULL = all */
    uint64_t filter_seen;
    uint32_t pin[LANES_PINS]; /* always in the first rows */
    int npin;
    uint64_t away[LANES_PINS]; /* ids of pinned lanes that the trace shown now doesn't have */
    int naway;
    uint64_t *hidden;           /* a bit per lane, NULL = none */
    uint32_t nhidden, hidden_n; /* bits there are, bits set */
    uint32_t *only;             /* these lanes alone, in this order (related ones); NULL = no such wish */
    uint32_t nonly;
    bool group; /* goroutines of one start function stand together, as their first one if folded */
    uint32_t open[LANES_OPEN]; /* names of groups that are unfolded */
    int nopen;
    uint32_t *more;  /* per row: how many further lanes of its folded group don't show; see grouped */
    bool grouped;    /* the rows are made with more */
    bool rows_stale; /* the rows must be made anew */
    struct lanes_making *making; /* an order under way, see lanes_work() */
};

/* rows of the views that show no lanes; see items.h */
struct items {
    struct item *row;
    uint32_t n;
    size_t cap;
    size_t seen; /* how many things the model had */
    int view;
    bool longest_first;
    bool stale;
};

enum split { SPLIT_NONE, SPLIT_LOG, SPLIT_STACK, SPLIT_TABLE, SPLIT_COUNT }; /* what stands below the lanes */
enum { VIEW_FILTERS = 16, VIEW_LETTERS = 52 };

enum tabs { TABS_NAMES, TABS_NUMBERS, TABS_SHOWN, TABS_FORMS }; /* tabs.h */

struct search; /* search.h */
struct view;
struct filter;      /* filter.h */
struct evlog;       /* evlog.h */
struct sums;        /* sums.h */
struct idle_reason; /* idle_reason.h */
struct samples;     /* samples.h */
struct gstate;      /* gstate.h */
struct assisted;    /* gstate.h, too */
struct rich;        /* rich.h */
struct lines;       /* lines.h */
struct item;        /* items.h */
struct tri;         /* tri.h */
struct top;         /* top.h */
struct table;       /* table.h */
struct unfold;      /* unfold.h */
struct folded;      /* folded.h */
struct why;         /* why.h */
struct job;

/* ---- where: how one came to view.at ---- */

struct trail {
    struct place undo[VIEW_UNDO]; /* ring */
    int at, n, redo_n, kind;
    struct place mark[VIEW_LETTERS]; /* a..z, A..Z */
    uint64_t marked;                 /* bit per letter that is set */
    uint32_t focus[LANE_KINDS];      /* per kind: the lane that had the focus, for switching back */
    struct place from;               /* led: from a table there one came here; leaving goes back to it */
    bool led;
    struct { /* and this is what one came to see: while the cursor stays there, `W` is about it */
        struct lane lane;
        int64_t t0, t1, cursor; /* t1 <= t0: nothing */
    } shown;
};

/* ---- how it is shown: the screen, and what the reader chose ---- */

struct screen {
    int w, h;           /* view_resize() */
    int gutter, plot_w; /* columns of the lanes' names, of the time axis; derived */
    int rows;           /* lane rows on the screen; derived */
    int lane_h;         /* lines a lane takes, see plan.h; derived */
    enum tier tier;
    bool mono;      /* no colours: glyphs say what colours would */
    enum tabs tabs; /* how the views stand in the title, from column tabs_x on; TABS_FORMS: they don't. Set by
                       drawing */
    int tabs_x;
    struct listed listed; /* set by drawing */
    bool recenter;        /* the focus jumped: if it is off the screen, into its middle */
    bool names;           /* write functions' names into spans (default) */
    bool clock;           /* the ruler has times of day, where the trace tells them */
    bool grouped; /* many goroutines have been put into groups once: from then on it is the reader's choice */
    bool unfolded; /* below the goroutine with the cursor stand its regions, calls, samples */
    int unfold_n;  /* in so many lines; derived */
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
    size_t cut[VIEW_FILTERS]; /* where each but the first begins */
    int n;
    bool done; /* every goroutine is decided */
};

/* ---- what lies over it ---- */

struct popup {
    enum popup_kind kind;
    int top;          /* first line shown; drawing clamps it */
    int lines, rows;  /* lines in it, rows that show: set by drawing */
    struct lane lane; /* POPUP_SPAN: which span */
    int64_t t;
    const char *title; /* POPUP_LINES: the viewer's, must outlive the pop-up */
    const char *const *text;
    size_t ntext;
    const struct rich *rich; /* above them, in styles; NULL: nothing */
    struct {
        char text[VIEW_TEXT]; /* words that are looked for in them, "" = none */
        size_t hit, from;     /* the line that has them, from 1, 0 = none; where the prompt was opened, */
        int from_top;         /* and what showed then */
        bool show;            /* bring it into sight: drawing does */
        int line;             /* where it begins, in lines of the pop-up: set by drawing */
    } find;
};

struct prompt {
    enum prompt_kind kind;
    struct place from;       /* where a search prompt was opened: Esc comes back */
    char text[VIEW_TEXT];    /* UTF-8 */
    size_t len, at;          /* bytes; before which of them one types */
    char command[VIEW_TEXT]; /* see VR_COMMAND */
};

struct message {
    char text[VIEW_MESSAGE]; /* for the foot of the screen, in as many lines as it takes; safe text; empty =
                                none */
    bool error;
    bool cut;    /* a text that is shown is not shown whole: set by drawing */
    uint32_t of; /* it is a line about finding of - 1, of which view_read() says all; 0: that is all */
    /* it says that these are not there yet: void once they are */
    enum { SOON_NOT, SOON_LANES, SOON_TABLES } soon;
};

/* ---- what is being worked out, see view_work() ---- */

struct jobs {
    struct job *asked; /* what a key asked for (job.c); NULL: nothing */
    char *copied;      /* what view_work() says VR_YANK of: whoever takes it sets it to NULL */
    bool to_top;       /* an order is being made: when it is, to its first lane */
};

/* ---- caches: what was worked out, and can be again. NULL: nothing yet ---- */

struct cache {
    struct evlog *log;            /* events around the cursor */
    struct sums *sums;            /* of a range, see view_sums() */
    struct idle_reason *idle;     /* why the processor under the cursor was idle */
    struct samples *samples;      /* CPU samples by lane */
    struct gstate *gstate;        /* assists by goroutine */
    struct folded *folded;        /* what folded groups' goroutines do */
    struct lines *own;            /* lines of a pop-up that layout made */
    struct unfold *unfold;        /* regions, calls and samples of a goroutine */
    struct row_cache *rows;       /* rows as they were drawn (draw.c) */
    struct sums *busy;            /* of the window: the busiest goroutines below the processors */
    uint32_t busy_was[VIEW_BUSY]; /* as they stood when they were last known */
    int busy_wasn;
    int64_t busy_len;  /* of the window they were of */
    uint32_t ids_seen; /* so many goroutines were looked at: */
    int id_cols;       /* digits of the longest id among them */

    /* scratch of drawing, reused from frame to frame */
    int64_t *edges;
    struct extent *extents;
    int scratch_w;
    struct shares *cols; /* of the row that is drawn */
};

struct view {
    const struct trace *tr;
    int64_t all_end; /* view_end() as last seen: a window that reached it follows it */
    int64_t torn;    /* of a damaged trace: when it first tells nothing of a processor; else INT64_MAX */
    int64_t beyond;  /* the time axis reaches so far at least, though the trace doesn't; 0 = as far as that */

    struct place at; /* where: what is shown now */
    struct trail trail;
    struct screen scr;

    struct selection sel; /* what is selected */
    struct filters filters;

    struct popup popup; /* what lies over it */
    struct prompt prompt;
    struct message msg;

    struct lanes lanes[LANE_KINDS]; /* what the views show */
    struct items items;
    struct search *search; /* NULL: none yet */
    struct asked *asked;   /* what was asked in SQL, sql_view.h; NULL: nothing yet */
    const struct lines
        *compared;       /* with another trace, for the view that shows it; the viewer's; NULL: not (yet) */
    struct table *table; /* of the last view of things that was shown; NULL: none yet */
    struct tri *tri; /* views 1, 5, 6, 10: the tables and where one is in them; the viewer's; NULL = none */
    struct top *top; /* view 11; NULL: none yet */
    struct why *why; /* the explanation last asked for; NULL: none yet */

    struct jobs job;
    struct cache cache;
};

/* view_init - the whole trace, processors, cursor at the start. tr must outlive it. false: out of memory. */
bool view_init(struct view *v, const struct trace *tr);
void view_free(struct view *v);
/* view_resize - tell the screen's size, before the first action and whenever it changes. Any size >= 1x1. */
unsigned view_resize(struct view *v, int w, int h);
/* view_loaded - tell that trace_load() went on. A window that showed all keeps showing all. */
unsigned view_loaded(struct view *v);
/* view_anew - decoding began anew (trace_info.epoch): what was made of the trace is void. */
unsigned view_anew(struct view *v);
/* view_follow - show what another view over another trace shows: that window and moment, that lane (the one
 * that has the cursor, or one of the view's). No step to undo. */
void view_follow(struct view *v, struct window w, int64_t t, struct lane l);
/* view_exchange - from now on show another trace of the same program, which begins `by` ns later: places keep
 * their moment and their lanes by id. */
unsigned view_exchange(struct view *v, const struct trace *tr, int64_t by);
/* view_end - the end of the time axis: the trace's, or while it loads an
 * estimate of it (>= what is decoded). */
int64_t view_end(const struct view *v);
/* view_message - set the message line, printf-like; "" clears. Control bytes become '?'. */
void view_message(struct view *v, bool error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- moving in time ---- */
/* view_pan - by n eighths, in whole columns; at the trace's ends the cursor moves on alone. */
unsigned view_pan(struct view *v, int n);
unsigned view_page(struct view *v, int n);   /* by n windows */
unsigned view_cursor(struct view *v, int n); /* the cursor by n columns; the window follows at its edges */
unsigned view_zoom(struct view *v, int n);   /* n > 0: in, 2^n times, at the cursor */
unsigned view_zoom_all(struct view *v, int n);
unsigned view_center(struct view *v, int n); /* the cursor into the middle */
unsigned view_start(struct view *v, int n);
unsigned view_finish(struct view *v, int n); /* to the end of the trace */
unsigned view_at(struct view *v, int64_t t); /* cursor to t, window follows */
unsigned view_range(struct view *v, int64_t t0, int64_t t1);

/* ---- moving over lanes ---- */
unsigned view_focus(struct view *v, struct lane l); /* there, changing the view if need be; time stays */
/* view_switch - to that view; time and focus stay as far as they can. Where it is shown, or one that its key
 * leads to: to the next one of these. */
unsigned view_switch(struct view *v, int no);
unsigned view_show(struct view *v, int no); /* to that very one */

/* ---- moving over spans ---- */
unsigned view_same(struct view *v, int n); /* next / previous span of the lane, of the same state */
unsigned view_gc(struct view *v, int n);   /* next / previous start of a GC cycle or stop-the-world */
unsigned view_cause(struct view *v);       /* who woke this goroutine: to the waker, at that moment */
/* view_cause_word - what that key leads to: "woken by", "created by" (before its first wake-up); NULL: the
 * trace names nobody. */
const char *view_cause_word(const struct view *v);
/* view_effect - to whom this one woke next, at that moment; VR_WORK: view_work() goes on
 * looking. */
unsigned view_effect(struct view *v);

/* ---- the rest ---- */
unsigned view_undo(struct view *v, int n);
unsigned view_redo(struct view *v, int n);
unsigned view_select(struct view *v, int n); /* begin a range at the cursor, end it there, drop it */
/* view_selected - [*t0,*t1) becomes the selected range, one that is being selected as well; false: there is
 * none. */
bool view_selected(const struct view *v, int64_t *t0, int64_t *t1);
unsigned view_enter(struct view *v); /* stack pop-up of the span under the cursor; again: close */
/* view_message_open - a text of several lines lies over the footer: closing comes before leaving. */
bool view_message_open(const struct view *v);
/*
 * view_back - Esc: one step back, whatever it is: what lies over the view closes, what is marked in it goes
 * (a range, search marks, a lane on top), a table one came from returns, or the view below. Never VR_QUIT.
 * view_quit - q: back from what lies over the view; from the view itself VR_QUIT. view_quit_word,
 * view_drop_word - what q would do now (NULL: VR_QUIT), and what mark Esc would take away (NULL: none), in a
 * word.
 */
unsigned view_back(struct view *v);
unsigned view_quit(struct view *v);
const char *view_quit_word(const struct view *v);
const char *view_drop_word(const struct view *v);
bool view_searching(const struct view *v); /* a search is under way */
unsigned view_clock(struct view *v);       /* times of day on the ruler; again: since the start */
unsigned view_tier(struct view *v, int n); /* next tier of glyphs */
/*
 * view_yank - what is under the cursor as text, or what the pop-up shows: whole, never shortened; of a table
 * of things all rows as TSV. *out: from mem_alloc(), the caller's; NULL without VR_YANK.
 */
unsigned view_yank(struct view *v, char **out);
/* view_lines - open a pop-up with lines (help); title and lines must outlive it. */
unsigned view_lines(struct view *v, const char *title, const char *const *lines, size_t n);
/*
 * view_popup_span - open the pop-up of the span that the cursor is on; false: there is none.
 * view_popup_follow - tell where the cursor was before an action: one that is open is now that of what the
 * cursor is on, and closes where there is none.
 */
bool view_popup_span(struct view *v);
void view_popup_follow(struct view *v, const struct place *from);
/* view_popup_scroll - by n lines. While a pop-up is open the viewer maps lane movement to this. */
unsigned view_popup_scroll(struct view *v, int n);
unsigned view_popup_page(struct view *v, int n);

/* view_goto - go to what a line names (goto.h): "1.25s", "50%", "1.2s..1.3s", "g123", "p4", "m7". */
unsigned view_goto(struct view *v, const char *line);

/* ---- prompt: ':' and '/' share one line. While v->prompt is set the viewer hands text here. ---- */
unsigned view_prompt(struct view *v, enum prompt_kind k);
unsigned view_prompt_put(struct view *v, uint32_t codepoint);
unsigned view_prompt_erase(struct view *v);  /* the character before the cursor; at an empty line: close */
unsigned view_prompt_delete(struct view *v); /* the one under it; at the line's end the one before */
unsigned view_prompt_kill(struct view *v);   /* all from the cursor on */
unsigned view_prompt_move(struct view *v, int n); /* by n characters, at most to an end */
unsigned view_prompt_erase_word(struct view *v);
unsigned view_prompt_clear(struct view *v); /* all before the cursor */
/* view_prompt_accept - goto, or VR_COMMAND; or search; a slice: v->prompt.command is its file. */
unsigned view_prompt_accept(struct view *v);

/* ---- search: see search.h. Starts from the prompt or here; jumps when done. ---- */
unsigned view_search(struct view *v, const char *text);
unsigned view_search_next(struct view *v, int n); /* by time from the cursor, n < 0 back */
enum { VIEW_AT_ONCE_NS = 15000000 };              /* so long a key goes on at once with what it begins */
/* view_work - go on with pending work for about budget_ns (INT64_MAX: to its end). VR_WORK while there is
 * more. */
unsigned view_work(struct view *v, int64_t budget_ns);
/* view_pending - what was drawn is not complete: there is work for view_work(),
 * though no action has said so. */
bool view_pending(const struct view *v);

/* ---- filters (filter.h), marks, pins, sums ---- */
unsigned view_filter(struct view *v, const char *text); /* one more; a mistake is shown with its place */
unsigned view_filter_pop(struct view *v);               /* the last one goes */
unsigned view_filter_clear(struct view *v);
unsigned view_mark(struct view *v, int letter); /* a..z, A..Z: remember this place */
unsigned view_mark_go(struct view *v, int letter);
unsigned view_pin(struct view *v); /* the lane with the cursor: always on top; again: not */
/* view_guest - keep goroutine g on top, marked at t, until the next guest, undo or Esc; NO_LANE: none any
 * more. */
void view_guest(struct view *v, uint32_t g, int64_t t);
unsigned view_hide(struct view *v);     /* the lane with the cursor */
unsigned view_show_all(struct view *v); /* no pins, nothing hidden, no related ones, no filter */
unsigned view_group(struct view *v);    /* goroutines by start function, folded; again: one by one */
/* view_fold - unfold or fold the group with the cursor; in one of several views behind a key: to the one
 * before it. */
unsigned view_fold(struct view *v);
/* view_unfold - rows of the goroutine under the cursor: regions, calls, samples; again: none. */
unsigned view_unfold(struct view *v);
unsigned view_related(struct view *v); /* only creator, created, wakers, woken; again: all */
/* view_why - where the time of what is here went: a span, a range, a task, a finding. */
unsigned view_why(struct view *v);
unsigned view_sums(struct view *v); /* what happened in the selected range (or the window) */
unsigned view_life(struct view *v); /* the whole life of the goroutine under the cursor */
/* view_read - what the screen says of what the cursor is on, nothing left out; a message, too. */
unsigned view_read(struct view *v);
unsigned view_split(struct view *v, int n); /* next thing below the lanes: log, stack, table, nothing */
/* view_line_row - the row that line i of the lanes shows; view_row_line - the line of a row, -1: none. */
uint32_t view_line_row(const struct view *v, int i);
int view_row_line(const struct view *v, uint32_t row);
/* view_line_y - how far below the first lane's line i of the lanes stands. view_y_line - the line there. */
int view_line_y(const struct view *v, int i);
int view_y_line(const struct view *v, int y);

/* view_span_here - the span that status line and pop-up speak of. false: none. *l: its lane. */
bool view_span_here(const struct view *v, struct lane *l, struct span *s);
/* view_span_longest - of those that overlap [t0,t1) the longest one in which its lane does something. false:
 * none. */
bool view_span_longest(const struct view *v, struct lane l, int64_t t0, int64_t t1, struct span *s);
/* view_column - the column of the cursor and its interval. */
int view_column(const struct view *v, int64_t *t0, int64_t *t1);

#endif
