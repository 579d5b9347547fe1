/*
 * term.h - the terminal: keys in, cells out. No other part of the program knows curses.
 *
 * There is one terminal per process, since signals and curses belong to the process; a second term_open()
 * fails. However the program ends (term_close(), a signal, a crash), the terminal is left as it was found.
 *
 * term_wait() reports the signals that ask to leave (INT, TERM, HUP, QUIT). If a second one comes before
 * the first is obeyed, the terminal is restored and the program ends at once.
 */
#ifndef GOTOP_VIEWER_TERM_H
#define GOTOP_VIEWER_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/err.h"
#include "layout/cells/cells.h"
#include "viewer/term/charset.h"
#include "viewer/term/key.h"
#include "viewer/term/theme.h"

struct term;

struct term_opts {
    enum color_when color;
    enum palette palette;
    bool mouse;
    enum charset charset; /* CHARSET_UNSAID: ask the terminal */
};

/* term_open - take over the terminal: alternate screen, raw keys. Output goes to standard output. Keys come
 * from standard input, or from /dev/tty if that is no terminal. An unknown TERM is treated as an xterm, and
 * term_now() says so. ERR_IO: there is no terminal, or TERM=dumb; e->what says what to do instead. */
enum err_code term_open(struct term **out, const struct term_opts *o, struct err *e);
void term_close(struct term *t); /* NULL is allowed */
/* term_now - what is known of the terminal. It is asked when it is opened. */
struct term_now {
    bool utf8;          /* a grid may hold more than ASCII; if it was asked, true with its answer */
    bool awaits;        /* its answer has not come yet */
    enum ground ground; /* GROUND_UNKNOWN until it answers */
    const char *note;   /* a remark for the reader; NULL: none */
};
struct term_now term_now(const struct term *t);

void term_size(const struct term *t, int *w, int *h);
enum depth term_depth(const struct term *t);
/* term_palette - use other colours, or none (mono), from the next term_paint() on. */
void term_palette(struct term *t, enum palette p, bool mono);

/* What term_wait() found; keys may have come in any case. */
enum {
    TERM_RESIZE = 2,  /* term_size() has changed */
    TERM_PAINT = 4,   /* the screen's contents are lost: paint again */
    TERM_SUSPEND = 8, /* Ctrl-Z or SIGTSTP: call term_suspend() */
    TERM_LEAVE = 16   /* a signal, or the terminal was closed: see term_signal() */
};
/* term_wait - sleep until something happens, for at most timeout_ms; 0: don't sleep; -1: for ever. */
unsigned term_wait(struct term *t, int timeout_ms);
/* term_key - the next key that has arrived. It never blocks, but for the 25 ms that tell Esc from a
 * sequence. */
bool term_key(struct term *t, struct key_event *out);
/* term_forgive - the Ctrl-C that asked to leave has ended something else, so forget it. Returns false if it
 * was another signal. */
bool term_forgive(struct term *t);
int term_signal(const struct term *t); /* the signal that asked to leave; 0: none */

/* term_paint - show a grid; only changes are sent. cx, cy: the place of the terminal's cursor; -1: hidden. */
void term_paint(struct term *t, const struct grid *g, int cx, int cy);
/* term_redraw - the next term_paint() sends everything. */
void term_redraw(struct term *t);
/* term_suspend - give the terminal back, stop this process, and go on when continued. Returns false if it did
 * not stop, as no shell is there to continue it. */
bool term_suspend(struct term *t);
/* term_clipboard - ask the terminal to put text on its clipboard (OSC 52). Returns false if the text is too
 * long (74 KB encoded) or the terminal is known not to do it. */
bool term_clipboard(struct term *t, const char *text, size_t len);
/* term_written - bytes sent so far, where the system counts them (Linux); else 0. */
uint64_t term_written(const struct term *t);

#endif
