/*
 * key.c - names of keys, both ways.
 *
 * One table gives the named keys; everything else is a character with modifiers. Invariant: every code that
 * key_parse() or key_normal() returns is in normal form, so codes compare with ==.
 */
#include "viewer/term/key.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "decode/base/utf8.h"

struct key_row {
    keycode key;
    const char *name;
};

/* The first name of a key is the one that is printed. */
static const struct key_row rows[] = {
    {K_ENTER, "Enter"},
    {K_ENTER, "RET"},
    {K_ENTER, "Return"},
    {K_TAB, "Tab"},
    {K_BACKTAB, "BackTab"},
    {K_ESC, "Esc"},
    {K_ESC, "Escape"},
    {' ', "Space"},
    {' ', "SPC"},
    {K_BACKSPACE, "Backspace"},
    {K_BACKSPACE, "BS"},
    {K_BACKSPACE, "DEL"},
    {K_UP, "Up"},
    {K_DOWN, "Down"},
    {K_LEFT, "Left"},
    {K_RIGHT, "Right"},
    {K_HOME, "Home"},
    {K_END, "End"},
    {K_PGUP, "PgUp"},
    {K_PGUP, "PageUp"},
    {K_PGDN, "PgDn"},
    {K_PGDN, "PageDown"},
    {K_INSERT, "Insert"},
    {K_INSERT, "Ins"},
    {K_DELETE, "Delete"},
    {K_DELETE, "Del"},
    {'#', "Hash"},
    {'<', "Less"},
    {'>', "Greater"},
    {'|', "Bar"},
    {K_CLICK, "Click"},
    {K_DRAG, "Drag"},
    {K_RELEASE, "Release"},
    {K_DOUBLE, "DoubleClick"},
    {K_RIGHTCLICK, "RightClick"},
    {K_WHEELUP, "WheelUp"},
    {K_WHEELDOWN, "WheelDown"},
};
#define NROWS (sizeof rows / sizeof rows[0])

/* Returns the one character in exactly len bytes; 0: it is not one, or controls a terminal. */
static uint32_t one_character(const char *s, size_t len)
{
    uint32_t cp;
    return len && utf8_read(s, len, &cp) == len && cp >= 0x20 && (cp < 0x7f || cp >= 0xa0) ? cp : 0;
}

static bool named_key(const char *s, size_t len, keycode *out)
{
    for (size_t i = 0; i < NROWS; i++) {
        if (strlen(rows[i].name) == len && strncasecmp(rows[i].name, s, len) == 0) {
            *out = rows[i].key;
            return true;
        }
    }
    if (len >= 2 && len <= 3 && (s[0] == 'F' || s[0] == 'f')) {
        uint32_t n = 0;
        for (size_t i = 1; i < len; i++) {
            if (s[i] < '0' || s[i] > '9')
                return false;
            n = n * 10 + (uint32_t)(s[i] - '0');
        }
        if (n < 1 || n > 24)
            return false;
        *out = (keycode)K_F0 + n;
        return true;
    }
    return false;
}

keycode key_normal(keycode k)
{
    uint32_t base = K_BASE(k), mods = k & K_MODS;
    if (base == '\r' || base == '\n')
        return mods | K_ENTER; /* terminals send one or the other */
    if (base == '\t')
        return mods | K_TAB;
    if (base == 27)
        return mods | K_ESC;
    if (base == 127)
        return mods | K_BACKSPACE;
    if (base == 0)
        return mods | K_CTRL | ' ';
    if (base < 32) {
        uint32_t c = base | 0x40;
        return mods | K_CTRL | (c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    if (mods & K_CTRL) {
        if (base >= 'A' && base <= 'Z')
            base |= 0x20;
        if (base == 'm' || base == 'j')
            return (mods & ~K_CTRL) | K_ENTER;
        if (base == 'i')
            return (mods & ~K_CTRL) | K_TAB;
        if (base == '[')
            return (mods & ~K_CTRL) | K_ESC;
        if (base == '/')
            base = '_';
        if (base == '@')
            base = ' ';
        if (base == '?')
            return (mods & ~K_CTRL) | K_BACKSPACE;
    }
    if ((mods & K_SHIFT) && base == K_TAB)
        return (mods & ~K_SHIFT) | K_BACKTAB;
    return mods | base;
}

static void strip_brackets(const char **s, size_t *len)
{
    if (*len > 2 && (*s)[0] == '<' && (*s)[*len - 1] == '>') {
        ++*s;
        *len -= 2;
    }
}

bool key_parse(const char *s, size_t len, keycode *out)
{
    keycode mods = 0;
    strip_brackets(&s, &len);
    while (len > 2 && s[1] == '-' && strchr("CMAS", s[0])) {
        mods |= s[0] == 'C' ? K_CTRL : s[0] == 'S' ? K_SHIFT : K_ALT;
        s += 2;
        len -= 2;
    }
    strip_brackets(&s, &len);
    keycode base = one_character(s, len);
    if (!base && !named_key(s, len, &base))
        return false;
    if ((mods & K_SHIFT) && base < K_NAMED)
        return false; /* the shifted character is written instead */
    if ((mods & K_CTRL) && base < K_NAMED && base > 0x7f)
        return false;
    *out = key_normal(mods | base);
    return true;
}

const char *key_text(keycode k, char buf[KEY_NAME_MAX])
{
    uint32_t base = K_BASE(k);
    char one[8];
    const char *name = NULL;
    for (size_t i = 0; i < NROWS && !name; i++)
        if (rows[i].key == base && (base >= K_NAMED || base == ' '))
            name = rows[i].name;
    if (!name && base > K_F0 && base <= K_LAST) {
        snprintf(one, sizeof one, "F%u", (unsigned)(base - K_F0));
        name = one;
    }
    if (!name) {
        one[utf8_write(base <= 0x10ffff && base >= 0x20 ? base : '?', one)] = '\0';
        name = one;
    }
    snprintf(buf, KEY_NAME_MAX, "%s%s%s%s", k & K_CTRL ? "C-" : "", k & K_ALT ? "M-" : "",
             k & K_SHIFT ? "S-" : "", name);
    return buf;
}

bool key_is_mouse(keycode k)
{
    return K_BASE(k) >= K_CLICK && K_BASE(k) <= K_WHEELDOWN;
}

const char *key_eaten(keycode k)
{
    static const struct {
        keycode key;
        const char *why;
    } eaters[] = {
        {K_CTRL | 'a', "the prefix key of screen"},
        {K_CTRL | 'b', "the prefix key of tmux"},
        {K_CTRL | ' ', "a prefix key of many tmux set-ups, and of input methods"},
        {K_CTRL | 's', "it stops the output (flow control) on the way"},
        {K_CTRL | 'q', "it restarts the output (flow control) on the way"},
        {K_CTRL | 'z', "it suspends the program"},
        {K_CTRL | '\\', "it kills the program"},
        {K_CTRL | 'c', "it interrupts the program"},
        {K_CTRL | 'h', "many terminals send it for Backspace"},
        {K_CTRL | 'k', "tmux set-ups move between panes with it"},
        {K_F0 + 1, "many terminals open their own help"},
        {K_F0 + 10, "many terminals open their menu"},
        {K_F0 + 11, "many terminals go full screen"},
    };
    for (size_t i = 0; i < sizeof eaters / sizeof eaters[0]; i++)
        if (eaters[i].key == k)
            return eaters[i].why;
    if (K_BASE(k) >= K_UP && K_BASE(k) <= K_PGDN && (k & K_MODS))
        return "terminals and window managers take arrows with modifiers for themselves";
    return NULL;
}
