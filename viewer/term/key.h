/*
 * key.h - one key press as a number, and its name.
 *
 * A key is a Unicode code point or one of enum key_named, with modifiers or-ed in. Keys that a terminal
 * cannot tell apart have one code: C-m is Enter, C-i is Tab, C-[ is Esc, C-/ is C-_, and Ctrl ignores Shift
 * on letters. Mouse events are keys too, so that a keymap binds them like any other.
 *
 * Names (key_parse): a single character stands for itself; C-x M-x S-Up; Enter (RET), Tab, BackTab, Esc,
 * Space, Backspace, arrows, F1..F24 and so on, each also in angle brackets: <Space>, <C-Left>. <Hash> is '#',
 * which begins a comment in a keymap.
 */
#ifndef GOTOP_VIEWER_KEY_H
#define GOTOP_VIEWER_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t keycode;

#define K_CTRL 0x01000000u
#define K_ALT 0x02000000u
#define K_SHIFT 0x04000000u
#define K_PASTED 0x08000000u /* a character of pasted text: nobody pressed its key */
#define K_MODS (K_CTRL | K_ALT | K_SHIFT)
#define K_BASE(k) ((k) & ~K_MODS)

enum key_named {
    K_NAMED = 0x110000, /* the first code that is no character */
    K_ENTER = K_NAMED,
    K_TAB,
    K_BACKTAB,
    K_ESC,
    K_BACKSPACE,
    K_UP,
    K_DOWN,
    K_LEFT,
    K_RIGHT,
    K_HOME,
    K_END,
    K_PGUP,
    K_PGDN,
    K_INSERT,
    K_DELETE,
    K_CLICK,
    K_DRAG,
    K_RELEASE,
    K_DOUBLE,
    K_RIGHTCLICK,
    K_WHEELUP,
    K_WHEELDOWN,
    K_F0, /* F1 is K_F0 + 1 */
    K_LAST = K_F0 + 24
};

/* A key, and the cell under the mouse pointer (-1 for a key that is not the mouse's). */
struct key_event {
    keycode key;
    int x, y;
};

#define KEY_NAME_MAX 32
/*
 * key_parse - the key that a name stands for; false if it is none. Only len bytes are read.
 */
bool key_parse(const char *name, size_t len, keycode *out);
/* key_text - writes the name of a key ("C-x", "Space", "é") as key_parse() reads it. Returns buf. */
const char *key_text(keycode k, char buf[KEY_NAME_MAX]);
/* key_normal - the code for what a terminal sends: a control character becomes a named key, or Ctrl and a
 * letter. */
keycode key_normal(keycode k);
/* key_is_mouse - the key is an event of the mouse. */
bool key_is_mouse(keycode k);
/* key_eaten - why a key may never arrive ("tmux's prefix"); NULL: no reason is known. */
const char *key_eaten(keycode k);

#endif
