/*
 * keymap.h - key sequences to actions, read from text.
 *
 * The file format, a line each ('#' at the start of a word begins a comment):
 *
 *     bind <view|any> <key> [<key>...] <action> [argument]
 *     unbind <view|any> <key> [<key>...]
 *     include <name>
 *
 * Several keys in a row are a chord ("g g"). An argument is a number (it multiplies the count: "pan-left 4")
 * or, for actions that take text, that text ("goto 1.5s"). A later line replaces an earlier one for the same
 * keys. unbind takes the keys away with every chord they begin.
 *
 * A view's own bindings are asked first at every key, then those of any. Where no digit is bound by itself
 * digits are a count ("5 l"); where one is, the action "count" opens a count ("; 5 l").
 *
 * Memory: a keymap owns everything it hands out.
 */
#ifndef GOTOP_VIEWER_KEYMAP_H
#define GOTOP_VIEWER_KEYMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/base/err.h"
#include "triage/views.h"
#include "viewer/term/key.h"
#include "viewer/term/theme.h"

/* Everything a key can do. */
enum action {
    ACT_NONE, /* no action; also "unknown name" */
#define X(id, name, group, help, call) ACT_##id,
#include "viewer/keys/actions.def"
#undef X
    ACT_COUNT
};

const char *action_name(enum action a);
const char *action_group(enum action a); /* a heading of the help screen; the rows of a group are adjacent */
const char *action_help(enum action a);
/* action_find - by name, ACT_NONE if there is none. Only len bytes of name are read. */
enum action action_find(const char *name, size_t len);
/* action_complete - the action of exactly that name, or the only one that begins with it; else ACT_NONE. */
enum action action_complete(const char *name, size_t len);

#define KEYMAP_CHORD_MAX 6
#define KEYMAP_COUNT_MAX 100000

struct binding {
    enum action action;
    uint32_t times; /* numeric argument, else 1 */
    char *arg;      /* argument as text, NULL = none */
    uint8_t view;   /* enum keyview */
    uint8_t nkeys;
    keycode keys[KEYMAP_CHORD_MAX];
    int line; /* where it was defined */
    const char *file;
};

/* What a line of a map is for: any view (asked last), a view by its number or name, or pop-ups (stacks,
 * help, details). */
enum keyview { KEYVIEW_ANY = VIEW_NONE, KEYVIEW_POPUP = VIEW_END, KEYVIEW_COUNT };
const char *keyview_name(enum keyview v);

struct keymap;
struct keymap *keymap_new(void); /* NULL: out of memory */
void keymap_free(struct keymap *km);

/* keymap_load - add a map to km, by name or path. A word without '/' is looked up as NAME.keys: in the
 * user's folder ($XDG_CONFIG_HOME/gotop or ~/.config/gotop), the host's ($XDG_CONFIG_DIRS), the installed
 * one, the built-in copies. A file that includes its own name gets the next one of that list. Anything else
 * is a path. Returns ERR_IO if there is no such map, ERR_FORMAT if a line was wrong; the other lines are
 * obeyed. If a map binds nothing, the built-in default is used, without what the map unbinds, and `say` is
 * told. */
enum err_code keymap_load(struct keymap *km, const char *name, const struct file_say *say);
/* keymap_way_out - if a loaded map has no key that leaves, bind q, or Q or F10 if q is taken. */
void keymap_way_out(struct keymap *km);
/* keymap_parse - the same for text in memory; `file` names it in messages. */
enum err_code keymap_parse(struct keymap *km, const char *text, size_t len, const char *file,
                           const struct file_say *say);
/* keymap_check - look for what one can't see line by line: chords behind a shorter binding; actions that no
 * key reaches, or only Ctrl, Alt, function keys or the mouse; keys that programs on the way take. Returns
 * the number of errors (unreachable, shadowed); the rest are warnings. */
int keymap_check(const struct keymap *km, const char *file, const struct file_say *say);

/* This is the state of a key sequence; all zero: none is under way. */
struct keystate {
    uint8_t view;         /* enum keyview: where they are typed */
    bool in_view, in_any; /* a binding of the view, of any, may still come of the keys */
    uint32_t count;       /* 0: none */
    bool counting;        /* the next digits are a count */
    uint8_t n;            /* keys so far */
    keycode keys[KEYMAP_CHORD_MAX];
};
enum keyfeed { KEYFEED_NONE, KEYFEED_MORE, KEYFEED_HIT, KEYFEED_CANCEL };
/* keymap_feed - one more key in a view. HIT: *hit is the binding, *count the count (0: none typed), and the
 * state is zero again. MORE: a chord or a count is under way. NONE: nothing is bound there. CANCEL: Esc
 * ended a chord or a count. */
enum keyfeed keymap_feed(const struct keymap *km, struct keystate *st, enum keyview view, keycode key,
                         const struct binding **hit, uint32_t *count);
/* keystate_text - what has been typed so far ("12 g"), "" at rest. */
const char *keystate_text(const struct keystate *st, char *buf, size_t size);

/* keymap_key - the easiest way to type an action in a view, plain keys first; "": there is none. Returns
 * out. */
const char *keymap_key(const struct keymap *km, enum keyview view, enum action a, char *out, size_t size);
/* keymap_next - the next binding of an action that works in a view (its own, and any's that it does not
 * hide), in the order in which they were defined; *at is 0 before the first. KEYVIEW_ANY: those of any alone.
 * NULL: no more. keymap_continues - the next one that continues the chord under way. */
const struct binding *keymap_next(const struct keymap *km, enum keyview view, enum action a, size_t *at);
const struct binding *keymap_continues(const struct keymap *km, const struct keystate *st, size_t *at);
/* binding_keys - its keys as text, "g g"; returns buf. */
const char *binding_keys(const struct binding *b, char *buf, size_t size);
/* keymap_dump - the map as lines that keymap_parse() reads back to the same map. */
void keymap_dump(const struct keymap *km, FILE *f);

#endif
