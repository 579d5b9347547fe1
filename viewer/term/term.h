/*
 * term.h - the terminal: keys in, cells out. The only part of the program that knows curses.
 *
 * There is one terminal per process (signals and curses are process-wide); a second term_open() fails.
 * However the program ends - term_close(), a signal, a crash - the terminal is left as it was found.
 *
 * Signals that ask to leave (INT, TERM, HUP, QUIT) are reported by term_wait(); a second one of them, while
 * the first has not been obeyed, restores the terminal and ends the program at once.
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
    enum charset charset; /* CHARSET_UNSAID: the terminal is asked */
    const char *typed;    /* keys from before the terminal was ours, NULL = none */
};

/*
 * term_open - take the terminal over: alternate screen, raw keys. Output goes to standard output, keys come
 * from standard input, or from /dev/tty where that is no terminal. An unknown TERM is taken for an xterm
 * (term_note() says so). ERR_IO: there is no terminal, or TERM=dumb; e->what says what to do instead.
 */
enum err_code term_open(struct term **out, const struct term_opts *o, struct err *e);
void term_close(struct term *t);             /* NULL is allowed */
const char *term_note(const struct term *t); /* a remark for the reader, NULL = none */
/* term_utf8 - may a grid hold more than ASCII? Where the terminal had to be asked this becomes true with its
 * answer. */
bool term_utf8(const struct term *t);
/* term_ground - what the terminal said that its ground is. It is asked when opened; GROUND_UNKNOWN until it
 * answers. */
enum ground term_ground(const struct term *t);

void term_size(const struct term *t, int *w, int *h);
enum depth term_depth(const struct term *t);
/* term_palette - change colours; mono: use none. The next term_paint() shows it. */
void term_palette(struct term *t, enum palette p, bool mono);

/* What term_wait() found. */
enum {
    TERM_KEY = 1,     /* keys may be there: ask term_key() until it says false */
    TERM_RESIZE = 2,  /* term_size() has changed */
    TERM_PAINT = 4,   /* the screen is lost: paint it anew */
    TERM_SUSPEND = 8, /* Ctrl-Z or SIGTSTP: call term_suspend() */
    TERM_LEAVE = 16   /* a signal or a closed terminal asks to end: see term_signal() */
};
/* term_wait - sleep until something happens, at most timeout_ms (0 = just look, -1 = for ever). */
unsigned term_wait(struct term *t, int timeout_ms);
/* term_key - the next key that has arrived; never blocks (but for the 25 ms
 * that tell Esc from a sequence). */
bool term_key(struct term *t, struct key_event *out);
/* term_forgive - it was Ctrl-C that asked to leave, and it has been taken for something else. false: it was
 * not. */
bool term_forgive(struct term *t);
int term_signal(const struct term *t); /* the signal that asked to leave, 0 = none */

/* term_paint - show a grid; only what changed is sent. cx, cy: where the cursor stands, -1 = hidden. */
void term_paint(struct term *t, const struct grid *g, int cx, int cy);
/* term_redraw - the next term_paint() sends everything. */
void term_redraw(struct term *t);
/* term_suspend - give the terminal back, stop this process, and go on when continued. */
void term_suspend(struct term *t);
/* term_lend - give the terminal to another program while run(arg) runs it, then paint anew. Returns what
 * run() does. */
bool term_lend(struct term *t, bool (*run)(void *arg), void *arg);
/* term_clipboard - ask the terminal to take text as its clipboard (OSC 52). false: too long (over 74 KB
 * encoded), or one that is known to take none. */
bool term_clipboard(struct term *t, const char *text, size_t len);
/* term_written - bytes sent so far, where the system counts them (Linux); else 0. For the debug field. */
uint64_t term_written(const struct term *t);

#endif
