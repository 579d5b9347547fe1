/*
 * term_priv.h - a terminal as the files of this room that know curses see it: term_open.c opens and closes
 * it, term_keys.c reads it, term.c paints it.
 */
#ifndef GOTOP_VIEWER_TERM_PRIV_H
#define GOTOP_VIEWER_TERM_PRIV_H

#include "viewer/term/term.h"

#define NCURSES_WIDECHAR 1
#define term curses_term /* term.h of curses has a struct of that name, too */
#if __has_include(<ncursesw/curses.h>)
#include <ncursesw/curses.h>
#include <ncursesw/term.h>
#else
#include <curses.h>
#include <term.h>
#endif
#undef term

#include <termios.h>
#include <time.h>

/* Asked once, before the first picture: what is your ground? Then a character that is one in UTF-8 and two in
   Latin-1, or one in both: where is the cursor now? Terminals answer in order, so behind the second answer
   there is no first. */
#define ASK_GROUND "\033]11;?\033\\"
#define ASK_CURSOR "\033[2;1H%s\033[6n\033[2K"
#define CURSOR_UTF8 "2;2R"

enum { QUEUE = 8 };

struct term {
    SCREEN *screen;
    FILE *in, *out;
    bool own_in;
    int in_fd, out_fd;
    struct termios found; /* how the terminal was */
    bool have_found;
    bool away;        /* given back, for another program or while stopped */
    enum depth depth; /* what it can show */
    enum palette palette;
    bool mono, mouse, sync, in_tmux;
    bool pans; /* it can move the end of a row */
    bool ecma; /* it takes ECMA-48 sequences: it can be asked, and may bracket what is pasted */
    int leave_signal;
    bool hung_up;
    struct ink inks[STYLE_COUNT];
    short pair[STYLE_COUNT]; /* of curses; styles of the same colours have the same */
    WINDOW *keys;            /* a pad: reading keys from it draws nothing */
    bool lost, cursor;       /* what is shown isn't known; the terminal's own cursor is shown */
    bool awaiting;           /* asked, and it has not answered */
    enum ground ground;      /* what it answered */
    bool utf8, unsaid;       /* it takes UTF-8; nobody says whether it does */
    char partial[4];         /* the first bytes of a character, the rest of which has not arrived */
    int npartial;
    bool pasting;   /* what comes is pasted text */
    bool esc_alone; /* Esc came, and nothing behind it: perhaps it begins a key whose rest is late */
    cchar_t *row;   /* one painted row */
    int row_cap;
    char *known; /* the cells that curses has, of a grid of that size */
    int known_w, known_h;
    struct key_event queue[QUEUE]; /* keys decoded ahead */
    int queued;
    struct timespec clicked; /* last press of button 1, to see double clicks */
    int click_x, click_y;
    int io_fd; /* /proc/self/io, -1 = none */
    char note[96];
};

/* term_take_size - ask how large the terminal is, and tell curses; what is shown isn't known from then on. */
void term_take_size(struct term *t);
/* What else than keys is asked for: the mouse, and that pasted text is told from keys. term_stop_input: none
 * of it. */
void term_start_input(struct term *t);
void term_stop_input(struct term *t);
/* term_await - before the terminal is given back: an answer that is still to come would be taken for what was
 * typed. */
void term_await(struct term *t);
/* term_hand_over - give the terminal back, as it was found. */
void term_hand_over(struct term *t);
void term_put(struct term *t, const char *s, size_t n);
/* term_pan - g is about to be painted: what of it is shown already, elsewhere in its row, is moved there. */
void term_pan(struct term *t, const struct grid *g);

#endif
