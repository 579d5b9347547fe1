/*
 * term_priv.h - the terminal as the files that know curses see it: term_open.c opens and closes it,
 * term_keys.c reads it, term.c paints it.
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

/* Two questions, asked once before the first picture. The first is about the ground. The second prints a
 * character that is one in UTF-8 and two in Latin-1 (or one in both), and asks where the cursor is.
 * Terminals answer in order, so most often the ground is known once the second answer has come. */
#define ASK_GROUND "\033]11;?\033\\"
#define ASK_CURSOR "\033[2;1H%s\033[6n\033[2K"
#define CURSOR_UTF8 "2;2R"

enum { QUEUE = 8 };

struct term {
    SCREEN *screen;
    FILE *in, *out;
    bool own_in;
    int in_fd, out_fd;
    struct termios found; /* the settings before gotop */
    bool have_found;
    bool away;        /* restored, for another program or while stopped */
    enum depth depth; /* the colours it can show */
    enum palette palette;
    bool mono, mouse, in_tmux;
    bool pans; /* it can move the end of a row */
    bool ecma; /* it takes ECMA-48 sequences: it can be asked, and may mark pasted text */
    int leave_signal;
    bool hung_up;
    struct ink inks[STYLE_COUNT];
    short pair[STYLE_COUNT]; /* of curses; styles that look the same share one */
    WINDOW *keys;            /* a pad, since reading keys from it draws nothing */
    bool lost, cursor;       /* the screen's contents are unknown; the terminal's cursor is shown */
    bool awaiting;           /* its answer has not come yet */
    enum ground ground;      /* its answer */
    bool utf8, unsaid;       /* it takes UTF-8; the environment does not say whether it does */
    char partial[4];         /* the first bytes of a character whose other bytes have not arrived */
    int npartial;
    bool pasting;   /* pasted text is arriving */
    bool esc_alone; /* Esc came alone; the rest of its key may still come */
    cchar_t *row;   /* one row for curses */
    size_t row_cap;
    char *known; /* a copy of the cells that curses has, and their size */
    int known_w, known_h;
    struct axis known_axis;
    struct key_event queue[QUEUE]; /* keys decoded ahead */
    int queued;
    int64_t clicked; /* host_now() of the last press of button 1, to recognize double clicks */
    int click_x, click_y;
    int io_fd; /* /proc/self/io; -1: none */
    char note[96];
};

/* term_take_size - ask the terminal for its size and tell curses. The screen's contents count as unknown. */
void term_take_size(struct term *t);
/* term_start_input - ask for the mouse and for marks around pasted text. term_stop_input - no longer. */
void term_start_input(struct term *t);
void term_stop_input(struct term *t);
/* term_await - before the terminal is restored, wait for answers: the next program would read them as
 * keys. */
void term_await(struct term *t);
/* term_hand_over - restore the terminal to what it was. */
void term_hand_over(struct term *t);
void term_put(struct term *t, const char *s, size_t n);
/* term_pan - before g is painted, move what stands elsewhere in its row already. */
void term_pan(struct term *t, const struct grid *g);

#endif
