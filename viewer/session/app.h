/*
 * app.h - the program without its terminal. It holds a trace, a view and a keymap; it takes keys and
 * actions, and draws a grid of cells.
 *
 * interactive.c drives it from a terminal, headless.c from a script. Both call app_key() and app_do(), so a
 * test sees what a reader sees. All calls come from one thread.
 *
 *     app_init()                          a trace, which may still be loading, and a keymap
 *     app_key(), app_do(), app_resize()   what happened; they return flags: what to do next
 *     app_step() while app_busy()         loading, tables, searches: a slice of a given time
 *     app_draw()                          app.grid, when the flags have asked for it
 *     app_free()
 */
#ifndef GOTOP_VIEWER_APP_H
#define GOTOP_VIEWER_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/trace.h"
#include "layout/frame/frame.h"
#include "layout/views/tri.h"
#include "triage/findings/findings.h"
#include "layout/move/view.h"
#include "viewer/keys/help.h"
#include "viewer/keys/keymap.h"
#include "viewer/term/theme.h"

/* What the caller has to do next: the flags of layout/move/view.h, and these, which need a terminal. */
enum app_refresh {
    AR_SUSPEND = 1 << 10, /* stop the process (Ctrl-Z) */
    AR_REDRAW = 1 << 11,  /* paint the whole screen again */
    AR_PALETTE = 1 << 12, /* app.colours has changed */
    AR_PICTURE = 1 << 15  /* write the screen as a picture: picture_write() */
};

/* Work that does not come from keys, in the order in which it is done. The first that is due is the phase. */
enum due {
    DUE_LOAD = 1,   /* trace_load() has more of the file to decode */
    DUE_TABLES = 2, /* triage_step() has more to count */
    DUE_VIEW = 4    /* view_work(): a search, an order, sums */
};

/* Lines typed behind ':', '/' and '\\', kept for the arrow keys. */
enum { APP_HISTORY = 16 };
struct app_typed {
    char line[3][APP_HISTORY][VIEW_TEXT];
    int n[3];
    int at; /* the line that is shown; < 0: the one being typed */
};

/* Where the command line asked to open. app_open() goes there once the trace is loaded; a key cancels it. */
struct app_open {
    int view; /* 0: none */
    const char *at, *lane, *filter;
    const char *filter_error; /* why the filter makes no sense (in view.message); NULL: it does */
};

struct app_colours {
    bool none;      /* the terminal has none: the palette action says so */
    bool by_ground; /* nobody chose a palette: it changes when the terminal tells its ground */
    enum palette palette;
};

/* How a running program is shown (app_live.h). All times are monotonic, in ns. */
struct app_live {
    const char *where;    /* the URL, file or pipe; borrowed */
    char title[200];      /* where, LIVE or HELD, how late: the title line's words */
    bool follows;         /* the window moves with the end of the trace */
    bool held;            /* the reader has moved, so the window stays */
    bool unseen;          /* nobody looks before the program ends: make no tables until then */
    int64_t window_ns;    /* the length of a window that follows */
    int64_t news_at;      /* when something last came; 0: not yet */
    int silent_s;         /* seconds without news that the title reports; 0: none */
    int late_s;           /* seconds that the data is late by, as the title reports; 0: none */
    bool late_reported;   /* a message has explained it */
    int64_t tables_next;  /* tables are not made again before this time */
    int64_t tables_until; /* the tables made last are shown until then */
    int drawn;            /* the view on the screen */
    bool still;           /* tables are being made again: the old ones stay on the screen */
};

struct pair; /* pair.h */

struct app {
    struct trace *tr;
    struct follow *follow; /* tr grows with a running program; NULL: tr is a finished file */
    struct pair *pair;     /* a second trace that a key shows; NULL: none */
    struct view view;
    struct triage *tg;          /* tables of the whole trace; NULL until they are counted */
    struct findings_job *finds; /* verdicts that are being made; NULL: none */
    struct findings fs;
    struct tri tri;
    unsigned due; /* of enum due */
    bool stale;   /* the trace has grown since the view was told */

    const struct keymap *km;
    struct keystate keys;
    struct app_typed typed;
    bool key_came;        /* the reader has pressed a key: gotop no longer moves by itself */
    int finding_wish;     /* findings to step by once they are made, < 0: back; 0: none */
    bool hint;            /* if a key came first, say when the findings are ready */
    bool quit_asked;      /* "leave?" has been asked */
    int press_x, press_y; /* where the mouse button went down, for dragging */

    struct grid grid;
    int cursor_x, cursor_y; /* of the terminal's own cursor, -1: hidden; set by app_draw() */
    bool utf8;              /* output may hold more than ASCII */
    enum tier utf8_tier;    /* the glyphs to use then */
    struct app_colours colours;
    const char *name; /* the trace's name in the title; NULL: its path */
    const char *note; /* shown in the title until the first key; NULL: none */
    char footer[256]; /* the last line, made by app_draw() */
    char debug[64];   /* shown in the title unless empty */
    bool show_debug;  /* debug is filled in after each frame */
    int64_t took_ms;  /* how long loading took; 0: nobody waited for it */
    struct rich help; /* the text of its pop-up, and its title */
    char title[96];

    struct app_open open;
    struct app_live live;
    const char *const *roots; /* --source-root: where sources are on this host, "recorded=here"; borrowed */
    int nroots;
    char slice_over[VIEW_TEXT]; /* an existing file that was named once as a slice: the second time counts */
    char *yank;                 /* text for the clipboard (VR_YANK); owned; NULL before the first */
    void (*show)(void *arg);    /* draws at once, before something slow; NULL: nobody looks */
    void *show_arg;
    double ticks_per_second; /* --ticks-per-second; 0: not given */
};

/*
 * app_init - an app for an open trace, which may still be loading. The trace and the keymap are borrowed;
 * they must outlive it. Returns false when out of memory; app_free() is still to be called.
 */
bool app_init(struct app *a, struct trace *tr, const struct keymap *km, int w, int h);
void app_free(struct app *a);

/* app_open - go where app.open says. app_load() calls it when a finished trace is loaded. */
void app_open(struct app *a);

static inline bool app_has(const struct app *a, enum due what)
{
    return (a->due & what) != 0;
}

static inline void app_set(struct app *a, enum due what, bool on)
{
    a->due = on ? a->due | what : a->due & ~(unsigned)what;
}

static inline void app_add(struct app *a, enum due what)
{
    a->due |= what;
}

/* app_left - the view did something and returned flags: what it has left to do is due. Returns the flags. */
static inline unsigned app_left(struct app *a, unsigned flags)
{
    if (flags & VR_WORK)
        app_add(a, DUE_VIEW);
    return flags;
}

/* app_phase - the first work that is due (enum due); 0: none, the app waits for a key. */
unsigned app_phase(const struct app *a);
/*
 * app_step - do the first work that is due for about budget_ns. *flags says what to do next. Returns the
 * phase that it worked in. app_busy - there is more: call it again at once.
 */
unsigned app_step(struct app *a, int64_t budget_ns, unsigned *flags);
bool app_busy(const struct app *a);

/* The steps, one by one. */
/*
 * app_load - decode for about budget_ns. The view is told at the next key or frame. Returns false when the
 * trace is complete.
 */
bool app_load(struct app *a, int64_t budget_ns);
/*
 * app_triage - once the trace is loaded, make the tables and findings for about budget_ns. When they are
 * made, view 1 opens; if a key came first or the command line asked for another place, a message says that
 * they are ready. It also goes to the finding that was asked for meanwhile, unless the reader has moved
 * since. Returns refresh flags; DUE_TABLES says whether there is more to do.
 */
unsigned app_triage(struct app *a, int64_t budget_ns);
/* app_work - continue a search or another slow action of the view for about budget_ns. Returns refresh
 * flags. */
unsigned app_work(struct app *a, int64_t budget_ns);
unsigned app_resize(struct app *a, int w, int h);

/* app_key - one key: for a prompt, a chord, a count or an action. Returns refresh flags. */
unsigned app_key(struct app *a, const struct key_event *ev);
/* app_interruptible - Ctrl-C would end a prompt, a chord or a search. app_interrupt - end it. */
bool app_interruptible(const struct app *a);
unsigned app_interrupt(struct app *a);
/* app_do - one action. count 0: none was given; arg NULL: none. Returns refresh flags. */
unsigned app_do(struct app *a, enum action act, uint32_t count, const char *arg);
/* app_keyview - whose key bindings apply now. */
enum keyview app_keyview(const struct app *a);

/* app_still - the screen shows more than could be drawn now, since tables are being made again. */
bool app_still(const struct app *a);
/* app_draw - draw the screen into app.grid. Returns false when out of memory. */
bool app_draw(struct app *a);

#endif
