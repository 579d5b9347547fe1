/*
 * keymap_load.c - where keymaps are found: a path, the user's folder, the installed folder, the built-in
 * copy.
 *
 * A name is tried in that order. A file that includes its own name means the next one in the order, so a
 * user's default.keys may begin with "include default" and change three lines.
 */
#include "viewer/keys/keymap.h"

#include <stdio.h>
#include <string.h>

#include "viewer/keys/keymap_builtin.h"
#include "viewer/keys/keymap_priv.h"
#include "triage/places.h"

enum { INCLUDE_DEPTH_MAX = 8 };

static enum err_code load_file(struct keymap *km, int place, const char *path, const struct file_say *say)
{
    char *text;
    size_t len;
    enum err_code rc = file_read(place, path, &text, &len, say);
    if (rc)
        return rc;
    rc = keymap_parse(km, text, len, path, say);
    mem_free(text);
    return rc;
}

static const char *builtin_text(const char *name)
{
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++)
        if (strcmp(b->name, name) == 0)
            return b->text;
    return NULL;
}

static enum err_code load_place(struct keymap *km, int place, const char *name, const char *path,
                                const struct file_say *say)
{
    if (place != PLACE_BUILTIN)
        return load_file(km, place, path, say);
    const char *text = builtin_text(name);
    return text ? keymap_parse(km, text, strlen(text), path, say) : ERR_IO;
}

static enum err_code load_name(struct keymap *km, const char *name, const char *includer,
                               const struct file_say *say)
{
    char path[PLACES_PATH];
    int first = 0;
    for (int p = 0; includer && p < PLACE_COUNT; p++)
        if (places_path(p, name, "keys", path) && strcmp(path, includer) == 0)
            first = p + 1;
    for (int p = first; p < PLACE_COUNT; p++) {
        if (!places_path(p, name, "keys", path))
            continue;
        enum err_code rc = load_place(km, p, name, path, say);
        if (rc != ERR_IO)
            return rc;
    }
    return ERR_IO;
}

enum err_code keymap_load_from(struct keymap *km, const char *name, const char *includer,
                               const struct file_say *say)
{
    if (km->depth >= INCLUDE_DEPTH_MAX) {
        file_say(say, true, includer ? includer : name, 0, "keymaps include each other more than %d deep",
                 INCLUDE_DEPTH_MAX);
        return ERR_FORMAT;
    }
    km->depth++;
    enum err_code rc = ERR_IO;
    bool is_path = strchr(name, '/') != NULL;
    if (!is_path)
        rc = load_name(km, name, includer, say);
    if (rc == ERR_IO && !includer)
        rc = load_file(km, PLACE_COUNT, name, say); /* a file in the current folder */
    if (rc == ERR_IO && includer && is_path) {      /* relative to the file that includes it */
        char path[PLACES_PATH];
        const char *slash = strrchr(includer, '/');
        int dir = slash && name[0] != '/' ? (int)(slash + 1 - includer) : 0;
        if (snprintf(path, sizeof path, "%.*s%s", dir, includer, name) < PLACES_PATH)
            rc = load_file(km, PLACE_COUNT, path, say);
    }
    km->depth--;
    return rc;
}

enum err_code keymap_load(struct keymap *km, const char *name, const struct file_say *say)
{
    static const struct file_say said = {0};
    enum err_code rc = keymap_load_from(km, name, NULL, say);
    if ((rc == ERR_OK || rc == ERR_FORMAT) && !km->n) {
        const char *text = builtin_text("default");
        file_say(say, false, name, 0, "it binds no key: those of the built-in default map hold");
        (void)keymap_parse(km, text, strlen(text), "default", say);
        (void)keymap_load_from(km, name, NULL, &said); /* a map that binds nothing may still unbind */
    }
    return rc;
}

void keymap_way_out(struct keymap *km)
{
    static const struct {
        keycode key;
        const char *line;
    } ways[] = {{'q', "bind any q back"}, {'Q', "bind any Q quit"}, {K_F0 + 10, "bind any F10 quit"}};
    static const struct file_say silent = {0};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bool taken = false; /* or there is a way out */
        for (size_t k = 0; k < km->n; k++)
            taken |=
                km->b[k].action == ACT_BACK || km->b[k].action == ACT_QUIT || km->b[k].keys[0] == ways[i].key;
        if (!taken) {
            (void)keymap_parse(km, ways[i].line, strlen(ways[i].line), "default", &silent);
            return;
        }
    }
}
