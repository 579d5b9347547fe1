/*
 * keymap_check.c - a keymap seen as a whole: what is bound, what no key reaches, the map as text.
 *
 * A binding of "any" works in a view unless the view's own tree answers its keys first, so everything here
 * asks the same question keymap_feed() does, over whole chords.
 */
#include "viewer/keys/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/keys/keymap_priv.h"

struct list {
    const struct binding **v;
    size_t n, cap;
    bool failed;
};

static void list_add(struct list *l, const struct binding *b)
{
    const struct binding **v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *v);
    if (!v) {
        l->failed = true;
        return;
    }
    l->v = v;
    l->v[l->n++] = b;
}

/* b, of the tree of any, is hidden in a view by the view's own tree. */
static bool hidden_by(const struct keynode *view_root, const struct binding *b)
{
    const struct keynode *n = view_root;
    for (int i = 0; i < b->nkeys; i++) {
        n = keynode_kid(n, b->keys[i]);
        if (!n)
            return false;
        if (n->bound)
            return true;
    }
    return true; /* the view's chord continues where any's would act */
}

static void keymap_check_collect(struct list *l, const struct keynode *n, const struct keynode *over)
{
    if (n->bound && !(over && hidden_by(over, n->bound)))
        list_add(l, n->bound);
    if (n->bound)
        return; /* so a longer chord is never reached */
    for (const struct keynode *kid = n->kids; kid; kid = kid->hh.next)
        keymap_check_collect(l, kid, over);
}

static int by_action(const void *a, const void *b)
{
    const struct binding *x = *(const struct binding *const *)a, *y = *(const struct binding *const *)b;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int by_seq(const void *a, const void *b)
{
    const struct binding *x = *(const struct binding *const *)a, *y = *(const struct binding *const *)b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static size_t list_done(struct list *l, int (*cmp)(const void *, const void *), const struct binding ***out)
{
    if (l->failed || l->n == 0) {
        mem_free(l->v);
        *out = NULL;
        return 0;
    }
    qsort(l->v, l->n, sizeof *l->v, cmp);
    *out = l->v;
    return l->n;
}

size_t keymap_bindings(const struct keymap *km, enum keyview view, const struct binding ***out)
{
    struct list l = {0};
    if (view != KEYVIEW_ANY)
        keymap_check_collect(&l, &km->root[view], NULL);
    keymap_check_collect(&l, &km->root[KEYVIEW_ANY], view != KEYVIEW_ANY ? &km->root[view] : NULL);
    return list_done(&l, by_action, out);
}

size_t keymap_continuations(const struct keymap *km, const struct keystate *st, const struct binding ***out)
{
    struct list l = {0};
    (void)km;
    if (st->in_view)
        keymap_check_collect(&l, st->in_view, NULL);
    if (st->in_any)
        keymap_check_collect(&l, st->in_any, NULL);
    return list_done(&l, by_seq, out);
}

/* ---- check --------------------------------------------------------------------------------------------- */

struct check {
    const struct keymap *km;
    const struct keymap_say *say;
    int errors;
};

static void check_shadow(struct check *c, const struct keynode *n, const struct binding *before)
{
    char chord[64], first[64];
    if (n->bound && before) {
        keymap_report(c->say, true, n->bound->file, n->bound->line,
                      "'%s' can't be typed: '%s' is bound to %s (line %d) and acts at once",
                      binding_keys(n->bound, chord, sizeof chord), binding_keys(before, first, sizeof first),
                      action_name(before->action), before->line);
        c->errors++;
    }
    if (n->bound && !before)
        before = n->bound;
    for (const struct keynode *kid = n->kids; kid; kid = kid->hh.next)
        check_shadow(c, kid, before);
}

static void check_eaten(struct check *c, const struct keynode *n)
{
    char chord[64], name[KEY_NAME_MAX];
    for (int i = 0; n->bound && i < n->bound->nkeys; i++) {
        const char *why = key_eaten(n->bound->keys[i]);
        if (why)
            keymap_report(c->say, false, n->bound->file, n->bound->line,
                          "'%s' for %s may never arrive: %s, %s", binding_keys(n->bound, chord, sizeof chord),
                          action_name(n->bound->action), key_text(n->bound->keys[i], name), why);
    }
    for (const struct keynode *kid = n->kids; kid; kid = kid->hh.next)
        check_eaten(c, kid);
}

/* Every keyboard and terminal can send it: no modifier, function key or mouse. */
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
    unsigned char reach[ACT_COUNT] = {0};
    for (enum keyview v = 0; v < KEYVIEW_COUNT; v++) {
        const struct binding **b;
        size_t n = keymap_bindings(c->km, v, &b);
        for (size_t i = 0; i < n; i++)
            reach[b[i]->action] |= (unsigned char)(REACHED | (plain_binding(b[i]) ? PLAINLY : 0));
        mem_free(b);
    }
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        if (!reach[a]) {
            keymap_report(c->say, true, file, 0, "no key reaches the action %s (%s)", action_name(a),
                          action_help(a));
            c->errors++;
        } else if (!(reach[a] & PLAINLY)) {
            keymap_report(c->say, false, file, 0,
                          "%s is reached by Ctrl, Alt, function keys or the mouse alone", action_name(a));
        }
    }
}

int keymap_check(const struct keymap *km, const char *file, const struct keymap_say *say)
{
    struct check c = {km, say, 0};
    for (int v = 0; v < KEYVIEW_COUNT; v++)
        check_shadow(&c, &km->root[v], NULL);
    for (int v = 0; v < KEYVIEW_COUNT; v++)
        check_eaten(&c, &km->root[v]);
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

void keymap_dump(const struct keymap *km, FILE *f)
{
    for (enum keyview v = 0; v < KEYVIEW_COUNT; v++) {
        struct list l = {0};
        const struct binding **b;
        keymap_check_collect(&l, &km->root[v], NULL);
        size_t n = list_done(&l, by_action, &b);
        for (size_t i = 0; i < n; i++) {
            char name[KEY_NAME_MAX];
            fprintf(f, "bind %s", keyview_name(v));
            for (int k = 0; k < b[i]->nkeys; k++)
                fprintf(f, " %s", dump_key(b[i]->keys[k], name));
            fprintf(f, " %s%s%s\n", action_name(b[i]->action), b[i]->arg ? " " : "",
                    b[i]->arg ? b[i]->arg : "");
        }
        mem_free(b);
    }
}
