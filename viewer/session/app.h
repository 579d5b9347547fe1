/*
 * app.h - the program without its terminal: a trace, a view, a keymap; keys and actions in, a grid of cells
 * out.
 *
 * interactive.c drives it from a terminal, headless.c from a script; both go through app_key() and app_do(),
 * so what a test sees is what a reader sees. One thread.
 */
#ifndef GOTOP_VIEWER_APP_H
#define GOTOP_VIEWER_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/trace.h"
#include "layout/frame/frame.h"
#include "layout/views/tri.h"
#include "triage/findings/findings.h"
#include "layout/move/view.h"
#include "triage/findings/findings.h"
#include "viewer/keys/actions.h"
#include "viewer/keys/help.h"
#include "viewer/keys/keymap.h"
#include "viewer/term/theme.h"

/* What must happen next: the flags of layout/move/view.h, and these, which only a terminal can do. */
enum app_refresh {
    AR_SUSPEND = 1 << 10, /* stop the process */
    AR_REDRAW = 1 << 11,  /* paint everything anew */
    AR_SOURCE = 1 << 13,  /* open app->source in an editor */
    AR_PICTURE = 1 << 15, /* picture_write() is wanted, where somebody looks at the screen */
    AR_PALETTE = 1 << 12  /* colours changed: app->palette, app->mono */
};

/* What there is to do besides keys: a queue in this order. The first that is queued is the phase the program
 * is in. */
enum due {
    DUE_LOAD = 1,   /* trace_load() has more of the file */
    DUE_TABLES = 2, /* triage_step() has more to count */
    DUE_VIEW = 4    /* view_work(): a search, an order, sums */
};

enum { APP_HISTORY = 16 };

struct pair; /* pair.h */

struct app {
    struct pair *pair; /* another trace below or above this one; NULL: it stands alone */
    struct trace *tr;
    struct view view;
    struct triage *tg;          /* the tables of views 1, 5, 6; NULL until the trace is loaded */
    struct findings_job *finds; /* while they are worked out */
    struct findings fs;
    struct tri tri;
    bool hint;    /* say when the tables are done, if a key has come before */
    int wish;     /* finding-next by so many once the tables are done, < 0 = back; 0 = no such wish */
    bool touched; /* a key has come: where the reader is, is up to the reader */
    const struct keymap *km;
    const char *note;  /* for the title line, until the first key; NULL = none */
    const char *name;  /* how the title shall name the trace, NULL = by its path */
    const char *label; /* of one of two traces, the same */
    struct keystate keys;
    enum action letter_for; /* mark, mark-go: the next key is its letter; ACT_NONE otherwise */
    bool show_debug;        /* the debug field is on */
    struct grid grid;
    bool utf8;           /* output may hold more than ASCII */
    enum tier utf8_tier; /* glyphs where it may */
    bool no_color;       /* there are none: the palette action says so */
    enum palette palette;
    bool by_ground; /* nobody chose it: it is that for the terminal's ground */
    bool mono;
    unsigned due; /* enum due: what is queued */
    bool stale;   /* it went on, and the view has not been told */
    struct follow
        *follow;        /* a program that is running; tr is its trace. NULL: a finished one. See app_live.h */
    bool following;     /* the window goes with its end */
    bool held;          /* a move has held it */
    bool unseen;        /* nobody looks on before it has ended: no tables until then */
    struct app *before; /* what was held of another process, before R; shown below; NULL: nothing */
    bool before_over;   /* it is to be let go */
    int64_t follow_ns;  /* and is so long */
    int64_t news_at;    /* monotonic: when something had come last; 0: not begun */
    int silent_s;       /* so long nothing has, in seconds, as the title says it; 0: not long */
    int late_s;         /* so late is what comes; 0: not to be told */
    bool late_told;     /* and why */
    int64_t tables_next;  /* monotonic: not before then are its tables worked out anew */
    int64_t tables_until; /* and so long those there are stand */
    int drawn;            /* the view that the screen shows */
    bool still;           /* it shows tables that are worked out anew */
    const char *where;    /* it runs there */
    char live_name[200];  /* the title's words for it */
    int open_view; /* where to open once the trace is loaded, if no key came first; 0, NULL = nowhere */
    const char *open_at, *open_lane, *open_filter;
    const char *open_wrong;   /* the filter asked for makes no sense: why (view.message) */
    const char *const *roots; /* "recorded=here": where sources are */
    int nroots;
    char source[4096]; /* AR_SOURCE: the file, and */
    uint64_t source_line;
    char slice_over[VIEW_TEXT]; /* a file that is there, named once as a slice's */
    void (*show)(void *arg);    /* draws now, before what takes long; NULL: nobody looks */
    void *show_arg;
    double ticks_per_second; /* --ticks-per-second, 0 = not given */
    int64_t took_ms;         /* reading all of it took so long; 0: nobody waited */
    bool asked;              /* whether to leave */
    double rate;             /* bytes decoded per second, for the title; 0 = unknown */
    int cursor_x, cursor_y;  /* where a terminal's own cursor stands, -1 = hidden; set by app_draw() */
    struct help help;
    char title[96];          /* of the help pop-up */
    const char *idle_footer; /* what its last line says instead of the keys, NULL: the keys */
    char debug[64];          /* shown in the title line if not empty */
    char footer[256];
    char *yank;                              /* VR_YANK: text for the clipboard; NULL before the first */
    int press_x, press_y;                    /* where the mouse button went down, for dragging */
    char history[3][APP_HISTORY][VIEW_TEXT]; /* lines typed behind ':', '/' and '\\' */
    int history_n[3], history_at;
};

/*
 * app_init - an app over an open trace, which may still be loading, and a keymap; both must outlive it.
 * false: out of memory.
 */
bool app_init(struct app *a, struct trace *tr, const struct keymap *km, int w, int h);
void app_free(struct app *a);

/* app_open - go where the command line said, once there is something to go to; app_load() does it for a
 * finished trace. */
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

/* app_phase - what it is doing: the first of what is queued; 0: nothing, it waits for a key. */
unsigned app_phase(const struct app *a);
/*
 * app_step - do the first of what is queued, for about budget_ns: what a loop calls between keys. *flags:
 * what must happen next. Returns the phase it was in. app_busy - call it again at once.
 */
unsigned app_step(struct app *a, int64_t budget_ns, unsigned *flags);
bool app_busy(const struct app *a);

/* The steps, one by one. */
/*
 * app_load - decode for about budget_ns; the view hears of it at the next key or picture.
 * false: the trace is complete.
 */
bool app_load(struct app *a, int64_t budget_ns);
/*
 * app_triage - once the trace is loaded: work out the tables for about budget_ns. When they are done view 1
 * is shown, unless a key has come before or the command line asked for another place; then a message says so.
 * A finding asked for in the meantime is gone to, unless something else moved since. Returns refresh flags;
 * DUE_TABLES says whether there is more to do.
 */
unsigned app_triage(struct app *a, int64_t budget_ns);
/* app_work - go on with a search for about budget_ns. Returns refresh flags. */
unsigned app_work(struct app *a, int64_t budget_ns);
unsigned app_resize(struct app *a, int w, int h);

/* app_key - one key press: prompt, chord, count or action. Returns refresh flags. */
unsigned app_key(struct app *a, const struct key_event *ev);
/* app_interruptible - is something under way that Ctrl-C ends: a prompt, a chord, a search? app_interrupt -
 * end it. */
bool app_interruptible(const struct app *a);
unsigned app_interrupt(struct app *a);
/* app_do - one action. count 0 = none given; arg NULL = none. */
unsigned app_do(struct app *a, enum action act, uint32_t count, const char *arg);
/* app_keyview - whose bindings apply now. */
enum keyview app_keyview(const struct app *a);
/* app_utf8 - the terminal turned out to take UTF-8: finer glyphs from now on. */
void app_utf8(struct app *a);

/* app_still - what is on the screen says more than what could be drawn yet. */
bool app_still(const struct app *a);
/* app_draw - the screen as cells, in a->grid. false: out of memory. */
bool app_draw(struct app *a);

#endif
