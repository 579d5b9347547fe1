/*
 * term_open.c - a terminal is opened, asked what it can do, and given back.
 */
#include "viewer/term/term_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "viewer/term/signals.h"
#include "viewer/term/term_builtin.h"
#include "viewer/term/terms.h"

/* ---- capabilities -------------------------------------------------------------------------------------- */

static char *capability(const char *name)
{
    char copy[16]; /* older versions of curses want a char * */
    snprintf(copy, sizeof copy, "%s", name);
    return tigetstr(copy);
}

static bool capability_is(const char *name, const char *text)
{
    const char *has = capability(name);
    return has && has != (const char *)-1 && strcmp(has, text) == 0;
}

/* The terminal understands the usual sequences, so it can be asked and drops what it does not know. */
static bool takes_ecma(void)
{
    return capability_is("cup", "\033[%i%p1%d;%p2%dH");
}

/* This is bracketed paste: marks around pasted text. */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

/* Prepare the bytes that undo everything that gotop has switched on. */
static void prepare_emergency(struct term *t)
{
    sig.fd = t->out_fd;
    sig.found = t->found;
    sig.leave_len = 0;
    if (t->ecma)
        signals_leave_text("\033[?2026l");
    if (t->mouse)
        signals_leave_text("\033[?1006l\033[?1000l");
    signals_leave_text(capability("sgr0"));
    signals_leave_text(capability("rmkx"));
    signals_leave_text(capability("cnorm"));
    signals_leave_text(capability("rmcup"));
    sig.open = true;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Look the terminal up first: newterm() leaks when it fails, and the bytes that undo its work must be known
 * before. */
static SCREEN *try_system(struct term *t, const char *type)
{
    int result;
    if (setupterm(type, t->out_fd, &result) == ERR)
        return NULL;
    t->ecma = takes_ecma();
    prepare_emergency(t);
    del_curterm(set_curterm(NULL));
    SCREEN *s = newterm(type, t->out, t->in);
    sig.open = s != NULL;
    return s;
}

static SCREEN *try_builtin(struct term *t, const char *type, const char *terminfo)
{
    const char *was = getenv("TERMINFO");
    char *keep = was ? strdup(was) : NULL;
    setenv("TERMINFO", terminfo, 1);
    SCREEN *s = try_system(t, type);
    if (keep)
        setenv("TERMINFO", keep, 1);
    else
        unsetenv("TERMINFO");
    free(keep);
    return s;
}

/* The host's terminfo knows its terminals best; if it lacks this one, gotop's own is used. */
static SCREEN *try_type(struct term *t, const char *type)
{
    SCREEN *s = try_system(t, type);
#ifdef GOTOP_STATIC
    for (const struct builtin_term *b = builtin_terms; !s && b->name; b++)
        if (strcmp(b->name, type) == 0)
            s = try_builtin(t, type, b->terminfo);
#endif
    return s;
}

/* Turn "xterm-256color" into "xterm-direct" if the terminal says that it takes direct colours. */
static SCREEN *try_direct(struct term *t, const char *type, enum color_when when)
{
    const char *says = getenv("COLORTERM");
    char direct[64];
    if (!says || (strcmp(says, "truecolor") != 0 && strcmp(says, "24bit") != 0))
        return NULL;
    if (theme_depth(when, 256, true) != DEPTH_TRUE || strlen(type) > 40)
        return NULL;
    snprintf(direct, sizeof direct, "%.*s-direct", (int)strcspn(type, "-"), type);
    return try_type(t, direct);
}

static SCREEN *open_screen(struct term *t, const char *type, enum color_when when)
{
    SCREEN *s = try_direct(t, type, when);
    if (!s && *type)
        s = try_type(t, type);
    if (s)
        return s;
    snprintf(t->note, sizeof t->note, "unknown terminal type %.16s", type);
    for (char *c = t->note; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
            *c = '?';
    s = try_type(t, "xterm-256color");
    return s ? s : try_builtin(t, TERM_BUILTIN_NAME, term_builtin);
}

/* Without /dev/tty, keys come from any terminal that can be read. */
static FILE *reading(int fd)
{
    int mode = fcntl(fd, F_GETFL), copy = mode >= 0 && (mode & O_ACCMODE) == O_RDWR ? dup(fd) : -1;
    FILE *f = copy < 0 ? NULL : fdopen(copy, "r+");
    if (!f && copy >= 0)
        close(copy);
    return f;
}

static enum err_code open_files(struct term *t, struct err *e)
{
    t->out = stdout;
    t->out_fd = STDOUT_FILENO;
    if (!isatty(t->out_fd))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "standard output is no terminal: use --headless");
    if (isatty(STDIN_FILENO)) {
        t->in = stdin;
    } else {
        t->in = fopen("/dev/tty", "r+e");
        if (!t->in)
            t->in = reading(t->out_fd);
        t->own_in = true;
        if (!t->in)
            return err_set(e, ERR_IO, ERR_NO_OFFSET,
                           "there is no terminal to read keys from: use --headless");
    }
    t->in_fd = fileno(t->in);
    t->have_found = tcgetattr(t->in_fd, &t->found) == 0;
    return ERR_OK;
}

/* Raw enough that C-v, C-s and C-o arrive. The terminal still makes signals, so Ctrl-C and Ctrl-Z always
 * work. */
static void raw_mode(struct term *t)
{
    struct termios tio;
    cbreak();
    noecho();
    nonl();
    if (tcgetattr(t->in_fd, &tio) == 0) {
        tio.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
        tio.c_lflag &= ~(tcflag_t)IEXTEN;
        tcsetattr(t->in_fd, TCSADRAIN, &tio);
    }
    def_prog_mode();
}

static void set_colors(struct term *t)
{
    enum depth d = t->mono ? DEPTH_MONO : t->depth;
    for (int s = 0; s < STYLE_COUNT; s++) {
        t->inks[s] = theme_ink(t->palette, d, (enum style)s);
        if (d == DEPTH_MONO)
            continue;
        int fg = t->inks[s].fg, bg = t->inks[s].bg, same = 0;
        while (same < s && (t->inks[same].fg != fg || t->inks[same].bg != bg))
            same++; /* styles that look the same share a pair */
        t->pair[s] = (short)(same + 1);
        if (same < s)
            continue;
        if (d == DEPTH_TRUE)
            init_extended_pair(s + 1, fg, bg);
        else
            init_pair((short)(s + 1), (short)fg, (short)bg);
    }
    if (d != DEPTH_MONO)
        bkgdset(' ' | COLOR_PAIR(t->pair[STYLE_NORMAL])); /* erased cells look like blanks */
}

static void start_colors(struct term *t, enum color_when when)
{
    t->depth = DEPTH_MONO;
    if (!has_colors() || start_color() == ERR)
        return;
    if (use_default_colors() == ERR)
        return; /* no colours are better than a wrong ground */
    bool rgb = tigetflag("RGB") > 0 || tigetnum("RGB") > 0;
    t->depth = theme_depth(when, COLORS, rgb);
    if (COLOR_PAIRS <= STYLE_COUNT)
        t->depth = DEPTH_MONO;
    set_colors(t);
}

/* Curses sends with each change of attributes which character set is meant. gotop never leaves the first one:
 * that part is cut off where curses keeps it. */
static void cut_charset(const char *name, const char *part)
{
    char *text = capability(name);
    const size_t n = strlen(part);
    if (text && text != (char *)-1 && strncmp(text, part, n) == 0 && text[n])
        memmove(text, text + n, strlen(text + n) + 1);
}

void term_start_input(struct term *t)
{
    t->pasting = false;
    t->esc_alone = false;
    if (t->ecma)
        term_put(t, PASTE_ON, sizeof PASTE_ON - 1);
    if (!t->mouse)
        return;
    mouseinterval(0);
    mmask_t want = BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON3_PRESSED | BUTTON4_PRESSED;
#ifdef BUTTON5_PRESSED
    want |= BUTTON5_PRESSED;
#endif
    t->mouse = mousemask(want, NULL) != 0;
}

void term_stop_input(struct term *t)
{
    if (t->ecma)
        term_put(t, PASTE_OFF, sizeof PASTE_OFF - 1);
    if (t->mouse)
        mousemask(0, NULL);
}

/* A console is black. It and old terminals may print a question as text. */
static bool asks_ground(void)
{
    const char *type = getenv("TERM");
    return !type || (strncmp(type, "linux", 5) != 0 && strncmp(type, "vt", 2) != 0);
}

/* Ask what the screen can do while it is empty: if a question is printed as text, the first picture covers
 * it. */
static void learn(struct term *t, const struct term_opts *o)
{
    char text[48];
    t->pans = t->ecma && capability_is("dch", "\033[%p1%dP") && capability_is("ich", "\033[%p1%d@") &&
              capability_is("sc", "\0337") && capability_is("rc", "\0338");
    t->utf8 = o->charset == CHARSET_UTF8 && charset_curses();
    t->unsaid = o->charset == CHARSET_UNSAID && charset_curses() && t->ecma;
    cut_charset("sgr", "%?%p9%t\033(0%e\033(B%;");
    cut_charset("sgr0", "\033(B");
    t->lost = true;
    refresh();
    if (!t->ecma)
        return;
    signals_leave_text(PASTE_OFF);
    if (asks_ground())
        term_put(t, ASK_GROUND, sizeof ASK_GROUND - 1);
    else
        t->ground = GROUND_DARK;
    int n = snprintf(text, sizeof text, ASK_CURSOR, t->utf8 || t->unsaid ? "\xc3\xa9" : "-");
    term_put(t, text, (size_t)n);
    t->awaiting = true;
}

static void switch_keys(struct term *t)
{
    t->keys = newpad(1, 1);
    if (!t->keys)
        t->keys = stdscr;
    keypad(t->keys, TRUE);
    nodelay(t->keys, TRUE);
}

static enum err_code start_screen(struct term *t, const char *type, const struct term_opts *o, struct err *e)
{
    set_escdelay(getenv("SSH_CONNECTION") || getenv("SSH_TTY") ? 100 : 25); /* a line may cut a key in two */
    t->palette = o->palette;
    t->mouse = o->mouse;
    sig.winch = sig.tstp = sig.cont = sig.leave = 0;
    signals_on();
    t->screen = open_screen(t, type, o->color);
    if (!t->screen) {
        signals_off();
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "curses can't use this terminal: use --headless");
    }
    set_term(t->screen);
    t->in_tmux = getenv("TMUX") != NULL;
    raw_mode(t);
    switch_keys(t);
    curs_set(0);
    typeahead(-1); /* a picture is sent whole; keys are looked for between pictures */
    start_colors(t, o->color);
    learn(t, o);
    term_start_input(t);
    return ERR_OK;
}

enum err_code term_open(struct term **out, const struct term_opts *o, struct err *e)
{
    *out = NULL;
    if (sig.open)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the terminal is already in use");
    const char *type = getenv("TERM");
    if (type && (strcmp(type, "dumb") == 0 || strcmp(type, "unknown") == 0))
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "TERM=%s can't show a screen: gotop report prints one page (of a running program: "
                       "gotop top), --linear a "
                       "line per move; or set TERM",
                       type);
    struct term *t = mem_zalloc(sizeof *t);
    if (!t)
        return err_nomem(e);
    t->io_fd = -1;
    enum err_code rc = open_files(t, e);
    if (!rc && !signals_pipe())
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "no pipe: %s", strerror(errno));
    if (!rc)
        rc = start_screen(t, type ? type : "", o, e);
    if (rc) {
        if (t->own_in && t->in)
            fclose(t->in);
        mem_free(t);
        return rc;
    }
    t->io_fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
    *out = t;
    return ERR_OK;
}

void term_close(struct term *t)
{
    if (!t)
        return;
    signals_removed();
    if (!t->hung_up && !t->away)
        term_hand_over(t);
    sig.open = false;
    if (!mem_ran_out())
        delscreen(t->screen); /* curses may lack memory */
    signals_off();
    if (t->own_in)
        fclose(t->in);
    if (t->io_fd >= 0)
        close(t->io_fd);
    mem_free(t->row);
    mem_free(t->known);
    mem_free(t);
}

struct term_now term_now(const struct term *t)
{
    return (struct term_now){t->utf8, t->awaiting, t->ground, t->note[0] ? t->note : NULL};
}

void term_size(const struct term *t, int *w, int *h)
{
    (void)t;
    *w = COLS > 0 ? COLS : 80;
    *h = LINES > 0 ? LINES : 24;
}

enum depth term_depth(const struct term *t)
{
    return t->mono ? DEPTH_MONO : t->depth;
}

void term_palette(struct term *t, enum palette p, bool mono)
{
    t->palette = p;
    t->mono = mono;
    set_colors(t);
    term_redraw(t);
}

int term_signal(const struct term *t)
{
    return t->leave_signal;
}
