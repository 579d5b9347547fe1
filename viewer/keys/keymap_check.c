/*
 * keymap_check.c - a keymap seen as a whole: what is bound, what no key reaches, the map as text.
 *
 * A binding of "any" works in a view unless the view's own ones answer its keys first, so everything here
 * asks the same question keymap_feed() does, over whole chords.
 */
#include "viewer/keys/keymap.h"

#include <string.h>

#include "viewer/keys/keymap_priv.h"

/* Returns the shortest binding of that view whose keys b's begin with, without b; with `longer`, also one
 * that begins with b's keys. NULL: there is none. */
static const struct binding *before(const struct keymap *km, enum keyview view, const struct binding *b,
                                    bool longer)
{
    const struct binding *found = NULL;
    for (size_t i = 0; (longer || b->nkeys > 1) && i < km->n; i++) {
        const struct binding *o = &km->b[i];
        if (o->keys[0] != b->keys[0] || o->view != view || o == b)
            continue;
        const bool is =
            binding_begins(b, o->keys, o->nkeys) || (longer && binding_begins(o, b->keys, b->nkeys));
        found = is && (!found || o->nkeys < found->nkeys) ? o : found;
    }
    return found;
}

/* Returns whether it can be typed in that view: the view hides none of any's keys by binding a part of them,
 * or by going on where they act. */
static bool typed(const struct keymap *km, enum keyview view, const struct binding *b)
{
    if (b->view != view && b->view != KEYVIEW_ANY)
        return false;
    return !before(km, (enum keyview)b->view, b, false) && (b->view == view || !before(km, view, b, true));
}

const char *keymap_key(const struct keymap *km, enum keyview view, enum action a, char *out, size_t size)
{
    const struct binding *best = NULL;
    unsigned best_cost = UINT32_MAX;
    for (size_t i = 0; i < km->n; i++) {
        const struct binding *b = &km->b[i];
        unsigned cost = 0;
        if (b->action != a || b->arg || !typed(km, view, b))
            continue;
        for (int k = 0; k < b->nkeys; k++) {
            char name[KEY_NAME_MAX];
            const keycode c = b->keys[k];
            cost += 2 + (unsigned)strlen(key_text(c, name)) +
                    (c & K_MODS || key_is_mouse(c) || c > K_F0 ? 100 : 0);
        }
        best = cost < best_cost ? b : best;
        best_cost = cost < best_cost ? cost : best_cost;
    }
    out[0] = '\0';
    return best ? binding_keys(best, out, size) : out;
}

const struct binding *keymap_next(const struct keymap *km, enum keyview view, enum action a, size_t *at)
{
    while (*at < km->n) {
        const struct binding *b = &km->b[(*at)++];
        if (b->action == a && typed(km, view, b))
            return b;
    }
    return NULL;
}

const struct binding *keymap_continues(const struct keymap *km, const struct keystate *st, size_t *at)
{
    while (*at < km->n) {
        const struct binding *b = &km->b[(*at)++];
        if (((st->in_view && b->view == st->view) || (st->in_any && b->view == KEYVIEW_ANY)) &&
            binding_begins(b, st->keys, st->n) && !before(km, (enum keyview)b->view, b, false))
            return b;
    }
    return NULL;
}

/* ---- check --------------------------------------------------------------------------------------------- */

struct check {
    const struct keymap *km;
    const struct file_say *say;
    int errors;
};

static void check_shadow(struct check *c, const struct binding *b)
{
    char chord[64], first[64];
    const struct binding *o = before(c->km, (enum keyview)b->view, b, false);
    if (!o)
        return;
    file_say(c->say, true, b->file, b->line,
             "'%s' can't be typed: '%s' is bound to %s (line %d) and acts at once",
             binding_keys(b, chord, sizeof chord), binding_keys(o, first, sizeof first),
             action_name(o->action), o->line);
    c->errors++;
}

static void check_eaten(struct check *c, const struct binding *b)
{
    char chord[64], name[KEY_NAME_MAX];
    for (int i = 0; i < b->nkeys; i++) {
        const char *why = key_eaten(b->keys[i]);
        if (why)
            file_say(c->say, false, b->file, b->line, "'%s' for %s may never arrive: %s, %s",
                     binding_keys(b, chord, sizeof chord), action_name(b->action), key_text(b->keys[i], name),
                     why);
    }
}

/* Returns whether every keyboard and terminal can send it: no modifier, function key or mouse. */
static bool plain_binding(const struct binding *b)
{
    for (int i = 0; i < b->nkeys; i++) {
        keycode k = b->keys[i];
        if ((k & K_MODS) || K_BASE(k) > K_F0 || key_is_mouse(k))
            return false;
    }
    return true;
}

static void check_reach(struct check *c, const char *file)
{
    enum { REACHED = 1, PLAINLY = 2 };
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        const struct binding *b;
        unsigned reach = 0;
        for (enum keyview v = 0; v < KEYVIEW_COUNT; v++)
            for (size_t at = 0; (b = keymap_next(c->km, v, a, &at)) != NULL;)
                reach |= REACHED | (plain_binding(b) ? PLAINLY : 0u);
        if (!reach) {
            file_say(c->say, true, file, 0, "no key reaches the action %s (%s)", action_name(a),
                     action_help(a));
            c->errors++;
        } else if (!(reach & PLAINLY)) {
            file_say(c->say, false, file, 0, "%s is reached by Ctrl, Alt, function keys or the mouse alone",
                     action_name(a));
        }
    }
}

int keymap_check(const struct keymap *km, const char *file, const struct file_say *say)
{
    struct check c = {km, say, 0};
    for (size_t i = 0; i < km->n; i++)
        check_shadow(&c, &km->b[i]);
    for (size_t i = 0; i < km->n; i++)
        check_eaten(&c, &km->b[i]);
    check_reach(&c, file);
    return c.errors;
}

/* ---- dump ---------------------------------------------------------------------------------------------- */

/* Write a key so that the parser reads it back: '#' would begin a comment. */
static const char *dump_key(keycode k, char buf[KEY_NAME_MAX])
{
    if (K_BASE(k) == '#') {
        snprintf(buf, KEY_NAME_MAX, "%s%s<Hash>", k & K_CTRL ? "C-" : "", k & K_ALT ? "M-" : "");
        return buf;
    }
    return key_text(k, buf);
}

static void dump_binding(const struct binding *b, FILE *f)
{
    char name[KEY_NAME_MAX];
    fprintf(f, "bind %s", keyview_name((enum keyview)b->view));
    for (int k = 0; k < b->nkeys; k++)
        fprintf(f, " %s", dump_key(b->keys[k], name));
    fprintf(f, " %s%s%s\n", action_name(b->action), b->arg ? " " : "", b->arg ? b->arg : "");
}

void keymap_dump(const struct keymap *km, FILE *f)
{
    const struct binding *b;
    for (enum keyview v = 0; v < KEYVIEW_COUNT; v++)
        for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++)
            for (size_t at = 0; (b = keymap_next(km, v, a, &at)) != NULL;)
                if (b->view == v)
                    dump_binding(b, f);
}
