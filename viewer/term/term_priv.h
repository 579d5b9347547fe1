/*
 * term_priv.h - a terminal as the files of this room that know curses see it: term_open.c opens and closes it, term_keys.c reads
 * it, term.c paints it.
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

#include "viewer/term/paint.h"

/* Asked once, where nothing stands yet: a character, three times more if CSI b repeats (some repeat ASCII alone); where
   is the cursor now? One that is two bytes of UTF-8 and two of Latin-1 as well tells which of them the terminal takes. */
#define ASK_REPEAT "\033[2;1H%s\033[3b\033[6n\033[2K"
#define REPEATED "2;5R"
#define NOT_REPEATED "2;2R"

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
    int leave_signal;
    bool hung_up;
    struct ink inks[STYLE_COUNT];
    WINDOW *keys; /* a pad: reading keys from it draws nothing */
    bool own;     /* paint.c paints, not curses */
    struct painter paint;
    bool lost, asked;  /* what is shown isn't known; asked whether it repeats */
    bool utf8, unsaid; /* it takes UTF-8; nobody says whether it does */
    char partial[4];   /* the first bytes of a character, the rest of which has not arrived */
    int npartial;
    bool pasting;   /* what comes is pasted text */
    bool esc_alone; /* Esc came, and nothing behind it: perhaps it begins a key whose rest is late */
    cchar_t *row;   /* one painted row */
    int row_cap;
    struct key_event queue[QUEUE]; /* keys decoded ahead */
    int queued;
    struct timespec clicked; /* last press of button 1, to see double clicks */
    int click_x, click_y;
    int io_fd; /* /proc/self/io, -1 = none */
    char note[96];
};

/* term_take_size - ask how large the terminal is, and tell curses; what is shown isn't known from then on. */
void term_take_size(struct term *t);
/* What else than keys is asked for: the mouse, and that pasted text is told from keys. term_stop_input: none of it. */
void term_start_input(struct term *t);
void term_stop_input(struct term *t);
/* term_hand_over - give the terminal back, as it was found. */
void term_hand_over(struct term *t);
void term_put(struct term *t, const char *s, size_t n);

#endif
