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
 * A map has one prefix tree per view and one for any; the view's is asked first at every key. Where no digit
 * is bound by itself digits are a count ("5 l"); where one is, the action "count" opens a count ("; 5 l").
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
#include "viewer/keys/actions.h"
#include "viewer/term/key.h"

#define KEYMAP_CHORD_MAX 6
#define KEYMAP_COUNT_MAX 100000

struct binding {
    enum action action;
    uint32_t times; /* numeric argument, else 1 */
    char *arg;      /* argument as text, NULL = none */
    uint8_t view;   /* enum keyview */
    uint8_t nkeys;
    keycode keys[KEYMAP_CHORD_MAX];
    uint32_t seq; /* order of definition */
    int line;     /* where it was bound */
    const char *file;
};

/*
 * What a map can be written for: any view (asked last), the views by their numbers and names, and what lies
 * over a view: stacks, help, details.
 */
enum keyview { KEYVIEW_ANY = VIEW_NONE, KEYVIEW_POPUP = VIEW_END, KEYVIEW_COUNT };
const char *keyview_name(enum keyview v);

/* Where problems go. error: the line was not obeyed; otherwise it is a warning.
 * line 0 = the map as a whole. */
struct keymap_say {
    void (*fn)(void *arg, bool error, const char *file, int line, const char *what);
    void *arg;
};

struct keymap;
struct keymap *keymap_new(void); /* NULL: out of memory */
void keymap_free(struct keymap *km);

/*
 * keymap_load - add a map by name or file to km. A word without '/' is looked up as NAME.keys in the user's
 * folder
 * ($XDG_CONFIG_HOME/gotop or ~/.config/gotop), the host's ($XDG_CONFIG_DIRS), the installed one, the built-in
 * copies; a file that includes its own name gets the next one of that list. Anything else is a path. Returns
 * ERR_IO if there is no such map, ERR_FORMAT if a line was wrong (all others are obeyed). Of a map that binds
 * nothing, as an empty file does, the built-in default holds, less what it unbinds; that is said.
 */
enum err_code keymap_load(struct keymap *km, const char *name, const struct keymap_say *say);
/* keymap_way_out - a map that leaves out how one leaves gets q for it, or Q or F10 if q is taken. Of a loaded
 * one. */
void keymap_way_out(struct keymap *km);
/* keymap_parse - the same for text in memory; file is what messages call it. */
enum err_code keymap_parse(struct keymap *km, const char *text, size_t len, const char *file,
                           const struct keymap_say *say);
/*
 * keymap_check - look for what a reader cannot see line by line: chords behind a shorter binding, actions no
 * key reaches, actions reached by Ctrl, Alt, function keys or the mouse alone, keys that get eaten on the
 * way. Returns the number of errors (unreachable, shadowed); the rest are warnings.
 */
int keymap_check(const struct keymap *km, const char *file, const struct keymap_say *say);

/* How far a key sequence has come. All zero = at rest. */
struct keystate {
    const void *in_view, *in_any; /* nodes of the two trees, NULL = left */
    uint32_t count;               /* 0 = none given */
    bool counting;                /* the next digits are a count */
    uint8_t n;                    /* keys so far, for the footer */
    keycode keys[KEYMAP_CHORD_MAX];
};
enum keyfeed { KEYFEED_NONE, KEYFEED_MORE, KEYFEED_HIT, KEYFEED_CANCEL };
/*
 * keymap_feed - one more key in a view. HIT: *hit is the binding and *count the count (0 = none typed), the
 * state is at rest again. MORE: a chord or a count is under way. NONE: nothing is bound there. CANCEL: Esc
 * gave up a chord or count.
 */
enum keyfeed keymap_feed(const struct keymap *km, struct keystate *st, enum keyview view, keycode key,
                         const struct binding **hit, uint32_t *count);
/* keystate_text - what has been typed so far ("12 g"), "" at rest. */
const char *keystate_text(const struct keystate *st, char *buf, size_t size);

/*
 * keymap_bindings - every binding that works in a view (its own, then any's where not hidden), sorted by
 * action and order of definition. view KEYVIEW_any gives any's alone. *out is one allocation, free with
 * mem_free().
 */
size_t keymap_bindings(const struct keymap *km, enum keyview view, const struct binding ***out);
/* keymap_continuations - bindings that go on from a chord under way, for a hint. Same ownership. */
size_t keymap_continuations(const struct keymap *km, const struct keystate *st, const struct binding ***out);
/* binding_keys - its keys as text, "g g"; returns buf. */
const char *binding_keys(const struct binding *b, char *buf, size_t size);
/* keymap_dump - the map as lines that keymap_parse() reads back to the same map. */
void keymap_dump(const struct keymap *km, FILE *f);

#endif
