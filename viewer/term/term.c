/*
 * term.c - curses and raw bytes.
 *
 * Invariants. Only changes are sent: paint.c knows how in fewer bytes than curses, where the terminal takes the usual
 * sequences; elsewhere curses does it. With paint.c curses has an empty screen that it is asked to show when what is
 * there isn't known, and reads keys. Only grids are painted, and a grid holds no control characters (layout/draw/cells.h).
 */
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

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "decode/base/mem.h"
#include "viewer/term/base64.h"
#include "viewer/term/paint.h"
#include "viewer/term/signals.h"
#include "viewer/term/term_builtin.h"
#include "viewer/term/terms.h"

/* Asked once, where nothing stands yet: a character, three times more if CSI b repeats (some repeat ASCII alone); where
   is the cursor now? One that is two bytes of UTF-8 and two of Latin-1 as well tells which of them the terminal takes. */
#define ASK_REPEAT "\033[2;1H%s\033[3b\033[6n\033[2K"
#define REPEATED "2;5R"
#define NOT_REPEATED "2;2R"

enum { CLIPBOARD_MAX = 74 * 1024, QUEUE = 8 };

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
    cchar_t *row; /* one painted row */
    int row_cap;
    struct key_event queue[QUEUE]; /* keys decoded ahead */
    int queued;
    struct timespec clicked; /* last press of button 1, to see double clicks */
    int click_x, click_y;
    int io_fd; /* /proc/self/io, -1 = none */
    char note[96];
};

/* ---- capabilities ---------------------------------------------------------------------------------------- */

static char *capability(const char *name)
{
    char copy[16]; /* older curses want a char * */
    snprintf(copy, sizeof copy, "%s", name);
    return tigetstr(copy);
}

/* Everything that undoes what we switched on, as plain bytes. */
static void prepare_emergency(struct term *t)
{
    sig.fd = t->out_fd;
    sig.found = t->found;
    sig.leave_len = 0;
    if (t->sync)
        signals_leave_text("\033[?2026l");
    if (t->mouse)
        signals_leave_text("\033[?1006l\033[?1000l");
    signals_leave_text(capability("sgr0"));
    signals_leave_text(capability("rmkx"));
    signals_leave_text(capability("cnorm"));
    signals_leave_text(capability("rmcup"));
    sig.open = true;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static bool known_sync(const char *type)
{
    static const char *const kinds[] = {"xterm",   "tmux",    "foot",   "kitty", "alacritty", "wezterm",
                                        "ghostty", "contour", "mintty", "rio",   "iterm"};
    const char *sync = capability("Sync");
    if (sync && sync != (const char *)-1)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(type, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* Ask first: newterm() that fails leaks, and how to undo what it does must be known before. */
static SCREEN *try_system(struct term *t, const char *type)
{
    int result;
    if (setupterm(type, t->out_fd, &result) == ERR)
        return NULL;
    t->sync = known_sync(type);
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

/* The system knows its terminals best; where it doesn't know this one, what we carry. */
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

/* "xterm-256color" -> "xterm-direct", where the terminal says that it takes colours directly. */
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

/* Where there is no /dev: a terminal that can be read is one to read keys from. */
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
            return err_set(e, ERR_IO, ERR_NO_OFFSET, "there is no terminal to read keys from: use --headless");
    }
    t->in_fd = fileno(t->in);
    t->have_found = tcgetattr(t->in_fd, &t->found) == 0;
    return ERR_OK;
}

/* Raw enough that C-v, C-s and C-o arrive; signals stay with the terminal, so Ctrl-C and Ctrl-Z always work. */
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
        int fg = t->inks[s].fg, bg = t->inks[s].bg;
        if (d == DEPTH_TRUE)
            init_extended_pair(s + 1, fg, bg);
        else
            init_pair((short)(s + 1), (short)fg, (short)bg);
    }
}

static void start_colors(struct term *t, enum color_when when)
{
    t->depth = DEPTH_MONO;
    if (!has_colors() || start_color() == ERR)
        return;
    if (use_default_colors() == ERR)
        return; /* then mono: better than a wrong ground */
    bool rgb = tigetflag("RGB") > 0 || tigetnum("RGB") > 0;
    t->depth = theme_depth(when, COLORS, rgb);
    if (COLOR_PAIRS <= STYLE_COUNT)
        t->depth = DEPTH_MONO;
    set_colors(t);
}

/* Is a capability just that, or (NULL) is there none? */
static bool says(const char *name, const char *text)
{
    const char *is = capability(name);
    bool none = !is || is == (const char *)-1;
    return text ? !none && strcmp(is, text) == 0 : none;
}

static bool has_flag(const char *name)
{
    char copy[16];
    snprintf(copy, sizeof copy, "%s", name);
    return tigetflag(copy) > 0;
}

static int has_number(const char *name)
{
    char copy[16];
    snprintf(copy, sizeof copy, "%s", name);
    return tigetnum(copy);
}

/* Colour n as paint.c would say it? */
static bool says_color(const char *name, int n, const char *text)
{
    char *form = capability(name), *is = form && form != (char *)-1 ? tparm(form, n, 0, 0, 0, 0, 0, 0, 0, 0) : NULL;
    return is && strcmp(is, text) == 0;
}

/* Does the terminal take what paint.c sends? All of it, else curses paints. */
static bool own_painting(const struct term *t)
{
    const char *off = capability("sgr0");
    if (!off || off == (const char *)-1 || (!strstr(off, "\033[m") && !strstr(off, "\033[0m")))
        return false;
    if (!says("cup", "\033[%i%p1%d;%p2%dH") || !says("cuf", "\033[%p1%dC") || !says("el", "\033[K") ||
        !says("ech", "\033[%p1%dX"))
        return false;
    if (!says("bold", "\033[1m") || !says("dim", "\033[2m") || !says("rev", "\033[7m") || !says("smul", "\033[4m") ||
        !says("rmul", "\033[24m"))
        return false;
    if (!has_flag("am") || !has_flag("xenl") || has_number("xmc") > 0 || has_number("ncv") > 0)
        return false;
    switch (t->depth) {
    case DEPTH_256: return says_color("setaf", 100, "\033[38;5;100m") && says_color("setab", 100, "\033[48;5;100m");
    case DEPTH_16: return says_color("setaf", 9, "\033[91m") && says_color("setab", 1, "\033[41m");
    case DEPTH_8: return says_color("setaf", 3, "\033[33m") && says_color("setab", 3, "\033[43m");
    default: return true;
    }
}

static void start_mouse(struct term *t)
{
    if (!t->mouse)
        return;
    mouseinterval(0);
    mmask_t want = BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON3_PRESSED | BUTTON4_PRESSED;
#ifdef BUTTON5_PRESSED
    want |= BUTTON5_PRESSED;
#endif
    t->mouse = mousemask(want, NULL) != 0;
}

enum err_code term_open(struct term **out, const struct term_opts *o, struct err *e)
{
    *out = NULL;
    if (sig.open)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the terminal is already in use");
    const char *type = getenv("TERM");
    if (type && (strcmp(type, "dumb") == 0 || strcmp(type, "unknown") == 0))
        return err_set(
            e, ERR_IO, ERR_NO_OFFSET,
            "TERM=%s can't show a screen: gotop report prints one page, --linear a line per move; or set TERM", type);
    struct term *t = mem_zalloc(sizeof *t);
    if (!t)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    t->io_fd = -1;
    enum err_code rc = open_files(t, e);
    if (!rc && !signals_pipe())
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "no pipe: %s", strerror(errno));
    if (rc) {
        if (t->own_in && t->in)
            fclose(t->in);
        mem_free(t);
        return rc;
    }
    set_escdelay(25);
    t->palette = o->palette;
    t->mouse = o->mouse;
    sig.winch = sig.tstp = sig.cont = sig.leave = 0;
    signals_on();
    t->screen = open_screen(t, type ? type : "", o->color);
    if (!t->screen) {
        signals_off();
        close(sig.pipe[0]);
        close(sig.pipe[1]);
        if (t->own_in)
            fclose(t->in);
        mem_free(t);
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "curses can't use this terminal: use --headless");
    }
    set_term(t->screen);
    t->in_tmux = getenv("TMUX") != NULL;
    raw_mode(t);
    t->keys = newpad(1, 1);
    if (!t->keys)
        t->keys = stdscr;
    keypad(t->keys, TRUE);
    nodelay(t->keys, TRUE);
    curs_set(0);
    start_colors(t, o->color);
    t->own = t->keys != stdscr && own_painting(t);
    t->utf8 = o->charset == CHARSET_UTF8 && (t->own || charset_curses());
    t->unsaid = o->charset == CHARSET_UNSAID && (t->own || (charset_curses() && says("cup", "\033[%i%p1%d;%p2%dH")));
    t->lost = true;
    t->paint.depth = t->depth;
    t->paint.sync = t->sync;
    t->paint.bce = has_flag("bce");
    t->paint.shift = says("dch", "\033[%p1%dP") && says("ich", "\033[%p1%d@");
    t->paint.scroll = says("csr", "\033[%i%p1%d;%p2%dr") && says("ind", "\n") && says("ri", "\033M");
    start_mouse(t);
    t->io_fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
    *out = t;
    return ERR_OK;
}

void term_close(struct term *t)
{
    if (!t)
        return;
    signals_removed();
    if (!t->hung_up && !t->away) {
        if (t->mouse)
            mousemask(0, NULL);
        curs_set(1);
        endwin();
        if (t->have_found)
            tcsetattr(t->in_fd, TCSADRAIN, &t->found);
    }
    sig.open = false;
    if (!mem_ran_out())
        delscreen(t->screen); /* it trusts what curses had no memory for */
    signals_off();
    if (t->own_in)
        fclose(t->in);
    if (t->io_fd >= 0)
        close(t->io_fd);
    close(sig.pipe[0]);
    close(sig.pipe[1]);
    mem_free(t->row);
    paint_free(&t->paint);
    mem_free(t);
}

const char *term_note(const struct term *t)
{
    return t->note[0] ? t->note : NULL;
}

bool term_utf8(const struct term *t)
{
    return t->utf8;
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

/* ---- waiting and keys ------------------------------------------------------------------------------------ */

static void take_size(struct term *t)
{
    struct winsize ws;
    if (ioctl(t->out_fd, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0 && ws.ws_col > 0) {
        int w = ws.ws_col > 2000 ? 2000 : ws.ws_col, h = ws.ws_row > 1000 ? 1000 : ws.ws_row;
        resizeterm(h, w);
        t->lost = true;
    }
}

static unsigned take_signals(struct term *t)
{
    char drop[64];
    unsigned what = 0;
    while (read(sig.pipe[0], drop, sizeof drop) > 0) {
    }
    if (sig.winch) {
        sig.winch = 0;
        take_size(t);
        what |= TERM_RESIZE;
    }
    if (sig.tstp) {
        sig.tstp = 0;
        what |= TERM_SUSPEND;
    }
    if (sig.cont) { /* continued behind our back (kill -STOP): nobody knows what the terminal looks like now */
        sig.cont = 0;
        reset_prog_mode();
        term_redraw(t);
        what |= TERM_PAINT;
    }
    if (sig.leave) {
        t->leave_signal = sig.leave;
        what |= TERM_LEAVE;
    }
    return what;
}

bool term_forgive(struct term *t)
{
    if (t->leave_signal != SIGINT || t->hung_up)
        return false;
    t->leave_signal = 0;
    sig.leave = 0;
    return true;
}

unsigned term_wait(struct term *t, int timeout_ms)
{
    struct pollfd fds[2] = {{.fd = t->in_fd, .events = POLLIN}, {.fd = sig.pipe[0], .events = POLLIN}};
    if (t->queued)
        timeout_ms = 0;
    int n = poll(fds, 2, timeout_ms);
    unsigned what = take_signals(t);
    if (t->queued)
        what |= TERM_KEY;
    if (n <= 0)
        return what;
    if (fds[0].revents & POLLIN)
        what |= TERM_KEY;
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        t->hung_up = true; /* even where SIGHUP is ignored */
    if (t->hung_up) {
        if (!t->leave_signal)
            t->leave_signal = SIGHUP;
        what |= TERM_LEAVE;
    }
    return what;
}

/* Extended keys have names in terminfo: kUP5 is Ctrl-Up, kRIT3 Alt-Right. */
static keycode extended_key(int code)
{
    static const struct {
        const char *name;
        keycode key;
    } bases[] = {
        {"kUP", K_UP},   {"kDN", K_DOWN},  {"kLFT", K_LEFT}, {"kRIT", K_RIGHT}, {"kHOM", K_HOME},
        {"kEND", K_END}, {"kNXT", K_PGDN}, {"kPRV", K_PGUP}, {"kDC", K_DELETE}, {"kIC", K_INSERT},
    };
    const char *name = keyname(code);
    for (size_t i = 0; name && i < sizeof bases / sizeof bases[0]; i++) {
        size_t n = strlen(bases[i].name);
        if (strncmp(name, bases[i].name, n) != 0)
            continue;
        int m = name[n] >= '2' && name[n] <= '8' && !name[n + 1] ? name[n] - '1' : 0;
        if (!m)
            continue;
        return bases[i].key | (m & 1 ? K_SHIFT : 0) | (m & 2 ? K_ALT : 0) | (m & 4 ? K_CTRL : 0);
    }
    return 0;
}

static bool mouse_key(struct term *t, struct key_event *ev)
{
    MEVENT m;
    if (getmouse(&m) != OK)
        return false;
    ev->x = m.x;
    ev->y = m.y;
    if (m.bstate & BUTTON1_PRESSED) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t ms = (int64_t)(now.tv_sec - t->clicked.tv_sec) * 1000 + (now.tv_nsec - t->clicked.tv_nsec) / 1000000;
        ev->key = ms < 400 && m.x == t->click_x && m.y == t->click_y ? K_DOUBLE : K_CLICK;
        t->clicked = now;
        t->click_x = m.x;
        t->click_y = m.y;
        return true;
    }
    if (m.bstate & BUTTON1_RELEASED) {
        ev->key = m.x == t->click_x && m.y == t->click_y ? K_RELEASE : K_DRAG;
        return true;
    }
    ev->key = m.bstate & BUTTON3_PRESSED ? K_RIGHTCLICK : m.bstate & BUTTON4_PRESSED ? K_WHEELUP : K_WHEELDOWN;
    return true;
}

static keycode curses_key(int code)
{
    static const struct {
        int code;
        keycode key;
    } map[] = {
        {KEY_UP, K_UP},
        {KEY_DOWN, K_DOWN},
        {KEY_LEFT, K_LEFT},
        {KEY_RIGHT, K_RIGHT},
        {KEY_HOME, K_HOME},
        {KEY_FIND, K_HOME},
        {KEY_END, K_END},
        {KEY_SELECT, K_END},
        {KEY_PPAGE, K_PGUP},
        {KEY_NPAGE, K_PGDN},
        {KEY_IC, K_INSERT},
        {KEY_DC, K_DELETE},
        {KEY_BACKSPACE, K_BACKSPACE},
        {KEY_ENTER, K_ENTER},
        {KEY_BTAB, K_BACKTAB},
        {KEY_A1, K_HOME},
        {KEY_A3, K_PGUP},
        {KEY_C1, K_END},
        {KEY_C3, K_PGDN},
        {KEY_SLEFT, K_LEFT | K_SHIFT},
        {KEY_SRIGHT, K_RIGHT | K_SHIFT},
        {KEY_SR, K_UP | K_SHIFT},
        {KEY_SF, K_DOWN | K_SHIFT},
        {KEY_SHOME, K_HOME | K_SHIFT},
        {KEY_SEND, K_END | K_SHIFT},
        {KEY_SPREVIOUS, K_PGUP | K_SHIFT},
        {KEY_SNEXT, K_PGDN | K_SHIFT},
    };
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
        if (map[i].code == code)
            return map[i].key;
    if (code > KEY_F0 && code <= KEY_F(24))
        return (keycode)(K_F0 + (code - KEY_F0));
    return extended_key(code);
}

static void push_key(struct term *t, keycode k)
{
    if (t->queued < QUEUE)
        t->queue[t->queued++] = (struct key_event){k, -1, -1};
}

/*
 * What has arrived next: a key that curses knows by its number (KEY_CODE_YES), or a character (OK). Curses is asked for
 * bytes and we put characters together, so that they are the same in every locale. What is no UTF-8 is dropped. ERR:
 * nothing, or a part of a character.
 */
static int read_key(struct term *t, uint32_t *c)
{
    for (;;) {
        int k = wgetch(t->keys), width;
        if (k == ERR)
            return ERR;
        *c = (uint32_t)k;
        if (k > 0xff)
            return KEY_CODE_YES;
        if (k < 0x80) {
            t->npartial = 0;
            return OK;
        }
        if ((k & 0xc0) == 0xc0)
            t->npartial = 0; /* another one begins */
        else if (!t->npartial)
            continue;
        t->partial[t->npartial++] = (char)k;
        unsigned char first = (unsigned char)t->partial[0];
        if (t->npartial < (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2))
            continue;
        uint32_t at = 0, n = (uint32_t)t->npartial;
        *c = str_next((struct str){t->partial, n}, &at, &width);
        t->npartial = 0;
        if (at == n && *c >= 0xa0)
            return OK;
    }
}

/* The answer to ASK_REPEAT. */
static void take_answer(struct term *t, const char *text)
{
    bool repeats = strcmp(text, REPEATED) == 0;
    if (repeats)
        t->paint.rep = true;
    if (t->unsaid && (repeats || strcmp(text, NOT_REPEATED) == 0))
        t->utf8 = true;
    t->unsaid = false;
}

/*
 * Esc has arrived, and something right behind it: Alt with a key, or a sequence that terminfo does not know. Such
 * a sequence is dropped whole, lest its letters act as keys.
 */
static keycode after_escape(struct term *t)
{
    uint32_t c;
    int rc = read_key(t, &c);
    if (rc == ERR)
        return K_ESC;
    if (rc == KEY_CODE_YES) {
        keycode k = curses_key((int)c);
        return k ? K_ALT | k : 0;
    }
    if (c == 27) {
        push_key(t, K_ESC);
        return K_ESC;
    }
    if (c != '[' && c != 'O')
        return key_normal(K_ALT | (keycode)c);
    uint32_t first = c;
    char text[8] = "";
    int n = 0;
    while (read_key(t, &c) == OK) {
        if (n < (int)sizeof text - 1)
            text[n] = c < 0x80 ? (char)c : '?';
        n++;
        if (c == 'R' && n < (int)sizeof text)
            take_answer(t, text);
        if (n > 32 || (c >= 0x40 && c <= 0x7e && !(n == 1 && c == '[')))
            return 0;
    }
    return n == 0 ? K_ALT | (keycode)first : 0;
}

bool term_key(struct term *t, struct key_event *out)
{
    if (t->queued) {
        *out = t->queue[0];
        memmove(t->queue, t->queue + 1, (size_t)--t->queued * sizeof t->queue[0]);
        return true;
    }
    for (;;) {
        uint32_t c;
        errno = 0;
        int rc = read_key(t, &c);
        *out = (struct key_event){0, -1, -1};
        if (rc == ERR) {
            if (errno == EIO)
                t->hung_up = true;
            return false;
        }
        if (rc == KEY_CODE_YES && c == KEY_RESIZE)
            continue;
        if (rc == KEY_CODE_YES && c == KEY_MOUSE) {
            if (mouse_key(t, out))
                return true;
            continue;
        }
        out->key = rc == KEY_CODE_YES ? curses_key((int)c) : c == 27 ? after_escape(t) : key_normal((keycode)c);
        if (out->key)
            return true;
    }
}

/* ---- painting -------------------------------------------------------------------------------------------- */

static void put_bytes(struct term *t, const char *s, size_t n)
{
    while (n > 0) {
        ssize_t w = write(t->out_fd, s, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return;
        s += w;
        n -= (size_t)w;
    }
}

static attr_t cell_attrs(const struct ink *k, uint16_t flags)
{
    attr_t a = A_NORMAL;
    if (k->attrs & INK_BOLD)
        a |= A_BOLD;
    if (k->attrs & INK_DIM)
        a |= A_DIM;
    if (k->attrs & INK_UNDERLINE)
        a |= A_UNDERLINE;
    if (!(k->attrs & INK_REVERSE) != !(flags & CELL_REVERSE))
        a |= A_REVERSE;
    if (flags & CELL_BOLD)
        a |= A_BOLD;
    if (flags & CELL_UNDERLINE)
        a |= A_UNDERLINE;
    return a;
}

static int fill_row(struct term *t, const struct grid *g, int y, int w)
{
    bool mono = term_depth(t) == DEPTH_MONO;
    int n = 0;
    for (int x = 0; x < w; x++) {
        const struct cell *c = &g->cells[(size_t)y * (size_t)g->w + (size_t)x];
        if (c->flags & CELL_TAIL)
            continue;
        uint32_t glyph = c->glyph;
        if ((c->flags & CELL_WIDE) && x + 1 >= w)
            glyph = ' '; /* its right half would stand outside */
        enum style s = c->style < STYLE_COUNT ? (enum style)c->style : STYLE_NORMAL;
        wchar_t text[2] = {glyph >= 0x20 ? (wchar_t)glyph : L' ', 0};
        setcchar(&t->row[n++], text, cell_attrs(&t->inks[s], c->flags), (short)(mono ? 0 : s + 1), NULL);
    }
    return n;
}

static void ask(struct term *t)
{
    char text[48];
    int n = snprintf(text, sizeof text, ASK_REPEAT, t->utf8 || t->unsaid ? "\xc3\xa9" : "-");
    if (!t->asked)
        put_bytes(t, text, (size_t)n);
    t->asked = true;
}

static void paint_by_curses(struct term *t, const struct grid *g, int cx, int cy)
{
    if (t->unsaid)
        ask(t);
    int w = g->w < COLS ? g->w : COLS, h = g->h < LINES ? g->h : LINES;
    if (t->row_cap < w) {
        cchar_t *row = mem_resize(t->row, (size_t)w * sizeof *row);
        if (!row)
            return; /* the old picture stays */
        t->row = row;
        t->row_cap = w;
    }
    if (g->w < COLS || g->h < LINES)
        erase();
    for (int y = 0; y < h; y++)
        mvadd_wchnstr(y, 0, t->row, fill_row(t, g, y, w));
    if (t->lost)
        clearok(curscr, TRUE);
    t->lost = false;
    if (cx >= 0)
        move(cy, cx);
    if (t->sync)
        put_bytes(t, "\033[?2026h", 8);
    refresh();
    if (t->sync)
        put_bytes(t, "\033[?2026l", 8);
}

/* Clear the terminal, and know that it is clear. */
static bool start_blank(struct term *t)
{
    if (t->sync)
        put_bytes(t, "\033[?2026h", 8);
    clearok(curscr, TRUE);
    wnoutrefresh(stdscr);
    doupdate();
    t->paint.depth = term_depth(t);
    ask(t);
    return paint_blank(&t->paint, COLS, LINES);
}

void term_paint(struct term *t, const struct grid *g, int cx, int cy)
{
    if (t->hung_up)
        return;
    if (cx < 0 || cy < 0 || cx >= COLS || cy >= LINES)
        cx = cy = -1;
    curs_set(cx >= 0 ? 1 : 0);
    if (!t->own) {
        paint_by_curses(t, g, cx, cy);
        return;
    }
    if ((t->lost || t->paint.w != COLS || t->paint.h != LINES) && !start_blank(t))
        return;
    t->lost = !paint_grid(&t->paint, g, t->inks, cx, cy);
    if (!t->lost)
        put_bytes(t, t->paint.out, t->paint.n);
}

void term_redraw(struct term *t)
{
    t->lost = true;
}

/* Give the terminal back, as it was found. */
static void hand_over(struct term *t)
{
    if (t->mouse)
        mousemask(0, NULL);
    curs_set(1);
    endwin();
    if (t->have_found)
        tcsetattr(t->in_fd, TCSADRAIN, &t->found);
    sig.open = false;
    t->away = true;
}

static void take_back(struct term *t)
{
    if (sig.leave)
        return; /* killed while we were stopped: the terminal is someone else's */
    t->away = false;
    sig.open = true;
    sig.tstp = sig.cont = 0;
    reset_prog_mode();
    take_size(t);
    start_mouse(t);
    term_redraw(t);
}

void term_suspend(struct term *t)
{
    struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
    sigset_t set, old;
    hand_over(t);
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, &old);
    sigaction(SIGTSTP, &stop, &ours);
    kill(0, SIGTSTP); /* the whole pipeline, as Ctrl-Z would; we stop here */
    sigaction(SIGTSTP, &ours, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    take_back(t);
}

bool term_lend(struct term *t, bool (*run)(void *arg), void *arg)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
    hand_over(t);
    sigaction(SIGINT, &ignore, &old_int); /* Ctrl-C in the other program is for the other program */
    sigaction(SIGQUIT, &ignore, &old_quit);
    bool ok = run(arg);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    take_back(t);
    return ok;
}

/* ---- clipboard ------------------------------------------------------------------------------------------- */

bool term_clipboard(struct term *t, const char *text, size_t len)
{
    size_t need = (len + 2) / 3 * 4;
    const char *name = getenv("TERM");
    if (need > CLIPBOARD_MAX || !name || strncmp(name, "linux", 5) == 0 || strncmp(name, "vt", 2) == 0)
        return false;
    char *buf = mem_alloc(need + 32);
    if (!buf)
        return false;
    size_t n = base64_write(text, len, buf);
    put_bytes(t, "\033]52;c;", 7);
    put_bytes(t, buf, n);
    put_bytes(t, "\a", 1);
    if (t->in_tmux) { /* tmux takes the one form or passes on the other, as its configuration says */
        put_bytes(t, "\033Ptmux;\033\033]52;c;", 15);
        put_bytes(t, buf, n);
        put_bytes(t, "\a\033\\", 3);
    }
    mem_free(buf);
    return true;
}

uint64_t term_written(const struct term *t)
{
    char buf[256];
    ssize_t n = t->io_fd < 0 ? -1 : pread(t->io_fd, buf, sizeof buf - 1, 0);
    if (n <= 0)
        return 0;
    buf[n] = '\0';
    const char *at = strstr(buf, "wchar:");
    return at ? strtoull(at + 6, NULL, 10) : 0;
}
