/*
 * term_keys.c - what a terminal sends: keys, the mouse, its answers; and the signals about it.
 */
#include "viewer/term/term_priv.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/utf8.h"
#include "viewer/term/signals.h"

/* ---- waiting and keys ---------------------------------------------------------------------------------- */

void term_take_size(struct term *t)
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
        term_take_size(t);
        what |= TERM_RESIZE;
    }
    if (sig.tstp) {
        sig.tstp = 0;
        what |= TERM_SUSPEND;
    }
    /* Another process has continued gotop (kill -CONT), so the screen's contents are unknown. */
    if (sig.cont) {
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
    if (n <= 0)
        return what;
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
    enum { DOUBLE_NS = 400000000 };
    MEVENT m;
    if (getmouse(&m) != OK)
        return false;
    ev->x = m.x;
    ev->y = m.y;
    if (m.bstate & BUTTON1_PRESSED) {
        const int64_t now = host_now();
        ev->key = now - t->clicked < DOUBLE_NS && m.x == t->click_x && m.y == t->click_y ? K_DOUBLE : K_CLICK;
        t->clicked = now;
        t->click_x = m.x;
        t->click_y = m.y;
        return true;
    }
    if (m.bstate & BUTTON1_RELEASED) {
        ev->key = m.x == t->click_x && m.y == t->click_y ? K_RELEASE : K_DRAG;
        return true;
    }
    ev->key = m.bstate & BUTTON3_PRESSED   ? K_RIGHTCLICK
              : m.bstate & BUTTON4_PRESSED ? K_WHEELUP
                                           : K_WHEELDOWN;
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

/* Read the next key that curses knows (KEY_CODE_YES) or the next character (OK). Curses gives bytes and
 * they are put together here, so that characters are the same in every locale. Bytes that are not UTF-8 are
 * dropped. ERR: nothing has come, or only a part of a character. */
static int read_key(struct term *t, uint32_t *c)
{
    for (;;) {
        int k = wgetch(t->keys);
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
            t->npartial = 0; /* another character begins */
        else if (!t->npartial)
            continue;
        t->partial[t->npartial++] = (char)k;
        unsigned char first = (unsigned char)t->partial[0];
        if (t->npartial < (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2))
            continue;
        const size_t n = (size_t)t->npartial;
        t->npartial = 0;
        if (utf8_read(t->partial, n, c) == n && *c >= 0xa0) /* control characters can be searched for, too */
            return OK;
    }
}

enum { REST_MS = 300 };

/* Read the next character of what may be a sequence. On a slow line it may come later. */
static int read_rest(struct term *t, uint32_t *c, int ms)
{
    int rc = read_key(t, c);
    if (rc == ERR && poll(&(struct pollfd){.fd = t->in_fd, .events = POLLIN}, 1, ms) > 0)
        rc = read_key(t, c);
    return rc;
}

/* Read the answer to ASK_CURSOR. */
static void take_answer(struct term *t, const char *text)
{
    if (t->unsaid && strcmp(text, CURSOR_UTF8) == 0)
        t->utf8 = true;
    t->unsaid = false;
    t->awaiting = false;
}

/* Returns the key of a sequence after Esc and '[' or 'O', which is the same on nearly every terminal. 0: no
 * key that gotop knows. */
static keycode sequence_key(uint32_t first, const char *text)
{
    static const char finals[] = "ABCDHFZ";
    static const keycode by_final[] = {K_UP, K_DOWN, K_RIGHT, K_LEFT, K_HOME, K_END, K_BACKTAB};
    static const keycode by_number[] = {0, K_HOME, K_INSERT, K_DELETE, K_END, K_PGUP, K_PGDN, K_HOME, K_END};
    const size_t n = strlen(text);
    const char last = n ? text[n - 1] : 0, *semi = strchr(text, ';');
    const int number =
        text[0] >= '1' && text[0] <= '8' && (text[1] == ';' || text[1] == '~') ? text[0] - '0' : 0;
    const int m = semi && semi[1] >= '2' && semi[1] <= '8' && semi + 3 == text + n ? semi[1] - '1' : 0;
    keycode k = 0;
    if (last == '~')
        k = by_number[number];
    else if (first == 'O' && n == 1 && last >= 'P' && last <= 'S')
        k = (keycode)(K_F0 + 1 + (last - 'P'));
    else if (last && strchr(finals, last) && (n == 1 || number == 1))
        k = by_final[strchr(finals, last) - finals];
    return !k ? 0 : k | (m & 1 ? K_SHIFT : 0) | (m & 2 ? K_ALT : 0) | (m & 4 ? K_CTRL : 0);
}

/* Read what follows Esc and '[' or 'O' to its end: a key, a mark around pasted text, an answer; anything
 * else is dropped whole (*key is 0), so that its letters don't act as keys. Returns false when nothing
 * follows. */
static bool sequence(struct term *t, uint32_t first, keycode *key)
{
    char text[8] = "";
    uint32_t c;
    int n = 0, rc;
    *key = 0;
    while ((rc = read_rest(t, &c, REST_MS)) == OK) {
        if (n < (int)sizeof text - 1)
            text[n] = c < 0x80 ? (char)c : '?';
        n++;
        if (c == 'R' && n < (int)sizeof text)
            take_answer(t, text);
        if (n > 32 || (c >= 0x40 && c <= 0x7e && !(n == 1 && c == '['))) {
            if (strcmp(text, "200~") == 0 || strcmp(text, "201~") == 0)
                t->pasting = text[2] == '0';
            else if (n < (int)sizeof text)
                *key = sequence_key(first, text);
            return true;
        }
    }
    if (rc == KEY_CODE_YES)
        push_key(t, curses_key((int)c));
    return n > 0;
}

/* After Esc and ']' or 'P', read to its end what only a terminal's answer can be (its colours, its name),
 * however long it is: its bytes are no keys. It ends with its terminator, at an Esc or a key that is none of
 * it, or where nothing more comes. One that says nothing of the ground is dropped. Returns false when it is
 * no answer: *next, if not 0, was typed after it. */
static bool string_answer(struct term *t, uint32_t kind, uint32_t *next)
{
    char text[32];
    size_t len = 0;
    uint32_t c, was = 0;
    int rc;
    *next = 0;
    if ((kind != ']' && kind != 'P') || read_key(t, &c) != OK)
        return false;
    if (c >= 0x80 || !strchr(kind == ']' ? "0123456789" : "01>!+$", (int)c)) {
        *next = c;
        return false;
    }
    do {
        if (len < sizeof text - 1 && c >= 0x20)
            text[len++] = c < 0x80 ? (char)c : '?';
        was = c;
        rc = sig.leave ? ERR : read_rest(t, &c, REST_MS);
    } while (rc == OK && c != 7 && was != 27);
    keycode key = 0;
    if (rc == KEY_CODE_YES)
        key = curses_key((int)c);
    else if (rc == OK && was == 27 && c != '\\' && !((c == '[' || c == 'O') && sequence(t, c, &key)))
        key = K_ALT | key_normal((keycode)c);
    if (key)
        push_key(t, key);
    text[len] = '\0';
    const enum ground g = kind == ']' ? ground_of(text) : GROUND_UNKNOWN;
    if (g != GROUND_UNKNOWN) /* late, where something in between answers the other question itself */
        t->ground = g;
    return true;
}

/* Esc came alone, and now '[' or 'O' with more right behind it: a slow line has cut a key in two. It
 * becomes that key or is dropped; Esc has already acted, which changes nothing. A hand types one key at a
 * time. */
static keycode late_rest(struct term *t, uint32_t first)
{
    enum { TOGETHER_MS = 30, OLD_MOUSE = 3 };
    uint32_t c;
    keycode key;
    if (read_rest(t, &c, TOGETHER_MS) != OK)
        return key_normal((keycode)first);
    if (c >= 0x80 || !strchr(first == 'O' ? "ABCDHFPQRSM" : "ABCDHFZMI<[0123456789", (int)c) || !c) {
        push_key(t, key_normal((keycode)c));
        return key_normal((keycode)first);
    }
    if (first == '[' && c == 'M') {
        for (int i = 0; i < OLD_MOUSE && read_rest(t, &c, REST_MS) != ERR; i++)
            ;
        return 0;
    }
    ungetch((int)c);
    (void)sequence(t, first, &key);
    return key;
}

/* Esc with something right behind it is Alt with a key, or a sequence that terminfo does not know. Such a
 * sequence is dropped whole, so that its letters don't act as keys. */
static keycode after_escape(struct term *t)
{
    uint32_t c;
    keycode key;
    int rc = read_rest(t, &c, t->pasting ? REST_MS : 0); /* the end mark of pasted text, on a slow line */
    t->esc_alone = rc == ERR;
    if (rc == ERR)
        return K_ESC;
    if (rc == KEY_CODE_YES) {
        keycode k = curses_key((int)c);
        return k ? K_ALT | k : 0;
    }
    if (c == 27) {
        push_key(t, K_ESC);
        t->esc_alone = true;
        return K_ESC;
    }
    uint32_t first = c, next;
    if (string_answer(t, first, &next))
        return 0;
    if (next)
        push_key(t, key_normal((keycode)next));
    if (c != '[' && c != 'O')
        return key_normal(K_ALT | (keycode)c);
    return sequence(t, first, &key) ? key : K_ALT | (keycode)first;
}

/* Handle a character other than Esc. */
static keycode character(struct term *t, uint32_t c)
{
    bool late = t->esc_alone && !t->pasting && (c == '[' || c == 'O');
    t->esc_alone = false;
    return late ? late_rest(t, c) : key_normal((keycode)c);
}

/* In pasted text only characters count. Esc alone ends it, since the end mark may be lost. */
static keycode pasted(struct term *t, keycode k)
{
    if (!t->pasting)
        return k;
    t->pasting = k != K_ESC;
    return k < K_NAMED ? K_PASTED | k : k == K_ESC ? k : 0;
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
        out->key = rc == KEY_CODE_YES ? curses_key((int)c) : c == 27 ? after_escape(t) : character(t, c);
        t->esc_alone = t->esc_alone && out->key == K_ESC;
        out->key = pasted(t, out->key);
        if (out->key)
            return true;
    }
}

void term_await(struct term *t)
{
    enum { LATE_MS = 100 };
    struct key_event drop;
    for (int i = 0; t->awaiting && i < 8 && !t->hung_up; i++) {
        if (poll(&(struct pollfd){.fd = t->in_fd, .events = POLLIN}, 1, LATE_MS) <= 0)
            break;
        t->queued = 0;
        while (term_key(t, &drop))
            ;
    }
    t->awaiting = false;
}
