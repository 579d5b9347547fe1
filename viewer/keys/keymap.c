/*
 * keymap.c - the actions, the bindings, the line parser, and feeding keys.
 *
 * A map is a list of bindings. Some hundred are looked through at every key: a hand types slower than that. A
 * binding whose beginning is bound, too, can't be reached: keymap_check() says so.
 */
#include "viewer/keys/keymap.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/utf8.h"
#include "decode/trace.h"
#include "viewer/keys/keymap_priv.h"

static const struct {
    const char *name, *group, *help;
} rows[ACT_COUNT] = {
    [ACT_NONE] = {"none", "", "nothing"},
#define X(id, n, g, h, call) [ACT_##id] = {n, g, h},
#include "viewer/keys/actions.def"
#undef X
};

const char *action_name(enum action a)
{
    return rows[a].name;
}

const char *action_group(enum action a)
{
    return rows[a].group;
}

const char *action_help(enum action a)
{
    return rows[a].help;
}

enum action action_find(const char *name, size_t len)
{
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++)
        if (strlen(rows[a].name) == len && memcmp(rows[a].name, name, len) == 0)
            return a;
    return ACT_NONE;
}

enum action action_complete(const char *name, size_t len)
{
    enum action found = action_find(name, len);
    if (found != ACT_NONE || len == 0)
        return found;
    for (enum action a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        if (strncmp(rows[a].name, name, len) != 0)
            continue;
        if (found != ACT_NONE)
            return ACT_NONE;
        found = a;
    }
    return found;
}

static const char *const view_names[KEYVIEW_COUNT] = {
    [KEYVIEW_ANY] = "any",
    [KEYVIEW_POPUP] = "popup",
#define X(ID, name, object, key) [VIEW_##ID] = name,
#include "triage/views.def"
#undef X
};

const char *keyview_name(enum keyview v)
{
    return v < KEYVIEW_COUNT ? view_names[v] : "?";
}

/* Returns the view of that name; KEYVIEW_COUNT: there is none. */
static enum keyview keyview_find(const char *name, size_t len)
{
    enum keyview v = 0;
    while (v < KEYVIEW_COUNT && (strlen(view_names[v]) != len || memcmp(view_names[v], name, len) != 0))
        v++;
    return v;
}

/* ---- the list ------------------------------------------------------------------------------------------ */

struct keymap *keymap_new(void)
{
    return mem_zalloc(sizeof(struct keymap));
}

void keymap_free(struct keymap *km)
{
    if (!km)
        return;
    for (size_t i = 0; i < km->n; i++)
        mem_free(km->b[i].arg);
    mem_free(km->b);
    while (km->files) {
        struct mapfile *f = km->files;
        km->files = f->next;
        mem_free(f);
    }
    mem_free(km);
}

bool binding_begins(const struct binding *b, const keycode *keys, int n)
{
    return b->nkeys >= n && memcmp(b->keys, keys, (size_t)n * sizeof *keys) == 0;
}

/* Take away the view's binding of these keys, or every one that they begin. Returns whether there was one. */
static bool keymap_remove(struct keymap *km, enum keyview view, const keycode *keys, int nkeys, bool prefix)
{
    const size_t had = km->n;
    size_t n = 0;
    for (size_t i = 0; i < had; i++) {
        struct binding *b = &km->b[i];
        if (b->view == view && binding_begins(b, keys, nkeys) && (prefix || b->nkeys == nkeys))
            mem_free(b->arg);
        else
            km->b[n++] = *b;
    }
    km->n = n;
    return n < had;
}

/* Add a binding. Its argument is owned from now on. */
static bool keymap_put(struct keymap *km, struct binding *b)
{
    if (!mem_room(km->b, km->cap, km->n + 1)) {
        mem_free(b->arg);
        return false;
    }
    (void)keymap_remove(km, (enum keyview)b->view, b->keys, b->nkeys, false);
    km->b[km->n++] = *b;
    return true;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

struct line {
    struct keymap *km;
    const char *file;
    int no;
    const struct file_say *say;
    const char *p, *end;
    bool bad;
};

static struct str next_word(struct line *l)
{
    while (l->p < l->end && isspace((unsigned char)*l->p))
        l->p++;
    struct str w = {l->p, 0};
    if (l->p < l->end && *l->p == '#')
        l->p = l->end;
    while (l->p < l->end && !isspace((unsigned char)*l->p))
        l->p++;
    w.len = w.p < l->end && *w.p == '#' ? 0 : (uint32_t)(l->p - w.p);
    return w;
}

#define complain(l, ...) (file_say((l)->say, true, (l)->file, (l)->no, __VA_ARGS__), (l)->bad = true)
#define SHOW(w) (int)((w).len > 60 ? 60 : (w).len), (w).p

static bool read_view(struct line *l, enum keyview *v)
{
    struct str w = next_word(l);
    *v = keyview_find(w.p, w.len);
    if (*v < KEYVIEW_COUNT)
        return true;
    if (w.len == 0)
        complain(l, "a view is missing (or 'any')");
    else
        complain(l, "unknown view '%.*s'", SHOW(w));
    return false;
}

/* Read keys up to a word that is not a key; *rest is that word. A word that is both is the action. */
static int read_keys(struct line *l, keycode *keys, struct str *rest)
{
    int n = 0;
    for (;;) {
        *rest = next_word(l);
        keycode k;
        if (rest->len == 0 || action_find(rest->p, rest->len) != ACT_NONE)
            break;
        if (!key_parse(rest->p, rest->len, &k))
            break;
        if (n == KEYMAP_CHORD_MAX) {
            complain(l, "more than %d keys in a row", KEYMAP_CHORD_MAX);
            return -1;
        }
        keys[n++] = k;
    }
    if (n == 0) {
        if (rest->len == 0)
            complain(l, "a key is missing ('#' begins a comment)");
        else
            complain(l, "'%.*s' is no key", SHOW(*rest));
        return -1;
    }
    return n;
}

static char *copy_text(const char *s, size_t len)
{
    char *p = mem_alloc(len + 1);
    if (p) {
        memcpy(p, s, len);
        p[len] = '\0';
    }
    return p;
}

/* Read the words after the action, as one text. Returns false when out of memory. */
static bool read_arg(struct line *l, struct binding *b)
{
    struct str first = next_word(l), w = first, last = first;
    if (first.len == 0)
        return true;
    while ((w = next_word(l)).len)
        last = w;
    b->arg = copy_text(first.p, (size_t)(last.p + last.len - first.p));
    if (!b->arg)
        return false;
    char *end;
    unsigned long n = strtoul(b->arg, &end, 10);
    if (*end == '\0' && isdigit((unsigned char)b->arg[0]))
        b->times = n == 0 ? 1 : n > KEYMAP_COUNT_MAX ? KEYMAP_COUNT_MAX : (uint32_t)n;
    return true;
}

static enum err_code line_bind(struct line *l)
{
    struct binding b = {.times = 1, .line = l->no, .file = l->file};
    enum keyview v;
    struct str act;
    if (!read_view(l, &v))
        return ERR_FORMAT;
    int n = read_keys(l, b.keys, &act);
    if (n < 0)
        return ERR_FORMAT;
    b.view = (uint8_t)v;
    b.nkeys = (uint8_t)n;
    b.action = action_find(act.p, act.len);
    if (b.action == ACT_NONE) {
        if (act.len == 0)
            complain(l, "an action is missing behind the keys");
        else
            complain(l, "unknown action '%.*s'", SHOW(act));
        return ERR_FORMAT;
    }
    return read_arg(l, &b) && keymap_put(l->km, &b) ? ERR_OK : ERR_NOMEM;
}

static enum err_code line_unbind(struct line *l)
{
    keycode keys[KEYMAP_CHORD_MAX];
    enum keyview v;
    struct str rest;
    if (!read_view(l, &v))
        return ERR_FORMAT;
    int n = read_keys(l, keys, &rest);
    if (n < 0)
        return ERR_FORMAT;
    if (rest.len) {
        complain(l, "'%.*s' is no key", SHOW(rest));
        return ERR_FORMAT;
    }
    if (!keymap_remove(l->km, v, keys, n, true))
        file_say(l->say, false, l->file, l->no, "nothing was bound there");
    return ERR_OK;
}

static enum err_code line_include(struct line *l)
{
    struct str w = next_word(l);
    if (w.len == 0 || next_word(l).len) {
        complain(l, "include takes one name");
        return ERR_FORMAT;
    }
    char *name = copy_text(w.p, w.len);
    if (!name)
        return ERR_NOMEM;
    enum err_code rc = keymap_load_from(l->km, name, l->file, l->say);
    if (rc == ERR_IO)
        complain(l, "there is no keymap '%s'", name);
    mem_free(name);
    return rc == ERR_NOMEM ? rc : rc ? ERR_FORMAT : ERR_OK;
}

static enum err_code line_obey(struct line *l)
{
    struct str w = next_word(l);
    if (w.len == 0)
        return ERR_OK;
    if (!utf8_plain(l->p, (size_t)(l->end - l->p))) {
        complain(l, "the line holds control characters, or bytes that are no UTF-8");
        return ERR_FORMAT;
    }
    if (str_is(w, "bind"))
        return line_bind(l);
    if (str_is(w, "unbind"))
        return line_unbind(l);
    if (str_is(w, "include"))
        return line_include(l);
    complain(l, "a line begins with bind, unbind or include, not '%.*s'", SHOW(w));
    return ERR_FORMAT;
}

enum err_code keymap_parse(struct keymap *km, const char *text, size_t len, const char *file,
                           const struct file_say *say)
{
    size_t flen = strlen(file) + 1;
    struct mapfile *mf = mem_alloc(sizeof *mf + flen);
    if (!mf)
        return ERR_NOMEM;
    memcpy(mf->name, file, flen);
    mf->next = km->files;
    km->files = mf;

    enum err_code worst = ERR_OK;
    const char *p = text, *end = text + len;
    for (int no = 1; p < end; no++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        struct line l = {km, mf->name, no, say, p, nl ? nl : end, false};
        enum err_code rc = line_obey(&l);
        if (rc == ERR_NOMEM)
            return rc;
        if (rc)
            worst = rc;
        p = nl ? nl + 1 : end;
    }
    return worst;
}

/* ---- feeding ------------------------------------------------------------------------------------------- */

static bool feed_digit(struct keystate *st, keycode key)
{
    if (key < '0' || key > '9')
        return false;
    uint32_t c = st->count * 10 + (key - '0');
    st->count = c > KEYMAP_COUNT_MAX ? KEYMAP_COUNT_MAX : c;
    st->counting = true;
    return true;
}

/* Digits are a count unless one begins a chord; then the action "count" opens a count. */
static bool digits_count(const struct keymap *km, enum keyview view)
{
    for (size_t i = 0; i < km->n; i++) {
        const struct binding *b = &km->b[i];
        if ((b->view == view || b->view == KEYVIEW_ANY) && b->keys[0] >= '0' && b->keys[0] <= '9')
            return false;
    }
    return true;
}

/* Returns the view's binding of these keys; *on: they begin longer ones. */
static const struct binding *keymap_at(const struct keymap *km, enum keyview view, const keycode *keys, int n,
                                       bool *on)
{
    const struct binding *at = NULL;
    *on = false;
    for (size_t i = 0; i < km->n; i++) {
        const struct binding *b = &km->b[i];
        if (b->view != view || !binding_begins(b, keys, n))
            continue;
        at = b->nkeys == n ? b : at;
        *on |= b->nkeys > n;
    }
    return at;
}

enum keyfeed keymap_feed(const struct keymap *km, struct keystate *st, enum keyview view, keycode key,
                         const struct binding **hit, uint32_t *count)
{
    const bool rest = st->n == 0;
    bool v_on = false, a_on = false;
    const struct binding *v = NULL, *a = NULL;
    if (rest && (st->counting || digits_count(km, view)) && feed_digit(st, key))
        return KEYFEED_MORE;
    st->view = (uint8_t)(rest ? view : st->view);
    st->keys[st->n] = key;
    if (rest || st->in_view)
        v = keymap_at(km, (enum keyview)st->view, st->keys, st->n + 1, &v_on);
    if (rest || st->in_any)
        a = keymap_at(km, KEYVIEW_ANY, st->keys, st->n + 1, &a_on);

    const struct binding *b = v ? v : v_on ? NULL : a; /* the view's chord hides a shorter binding of any */
    if (b && b->action == ACT_COUNT_PREFIX) {
        *st = (struct keystate){0};
        st->counting = true;
        return KEYFEED_MORE;
    }
    if (b) {
        *hit = b;
        *count = st->count;
        *st = (struct keystate){0};
        return KEYFEED_HIT;
    }
    if (v_on || a_on) {
        st->in_view = v_on;
        st->in_any = a_on && !a;
        st->n++;
        return KEYFEED_MORE;
    }
    bool under_way = !rest || st->counting;
    *st = (struct keystate){0};
    return under_way && (key == K_ESC || key == (K_CTRL | 'g')) ? KEYFEED_CANCEL : KEYFEED_NONE;
}

static const char *keys_text(const keycode *keys, int n, size_t at, char *buf, size_t size)
{
    char name[KEY_NAME_MAX];
    for (int i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? " " : "", key_text(keys[i], name));
    return buf;
}

const char *keystate_text(const struct keystate *st, char *buf, size_t size)
{
    const int at = snprintf(buf, size, st->count ? "%u" : st->counting ? "count:" : "%.0u", st->count);
    return keys_text(st->keys, st->n, (size_t)at, buf, size);
}

const char *binding_keys(const struct binding *b, char *buf, size_t size)
{
    return keys_text(b->keys, b->nkeys, 0, buf, size);
}
