/*
 * keymap_load.c - where keymaps are found: a path, the user's folder, the installed folder, the built-in copy.
 *
 * A name is tried in that order. A file that includes its own name means the next one in the order, so a user's
 * default.keys may begin with "include default" and change three lines.
 */
#include "viewer/keymap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "viewer/keymap_builtin.h"
#include "viewer/keymap_priv.h"

enum { PLACE_USER, PLACE_INSTALLED, PLACE_BUILTIN, PLACE_COUNT };
enum { PATH_SIZE = 4096, MAP_BYTES_MAX = 1 << 20, INCLUDE_DEPTH_MAX = 8 };

/* Where NAME.keys would be; false: no such place here. */
static bool place_path(int place, const char *name, char out[PATH_SIZE])
{
    int n = -1;
    if (place == PLACE_USER) {
        const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
        if (config && config[0] == '/') n = snprintf(out, PATH_SIZE, "%s/gotop/%s.keys", config, name);
        else if (home && home[0]) n = snprintf(out, PATH_SIZE, "%s/.config/gotop/%s.keys", home, name);
    } else if (place == PLACE_INSTALLED) { /* PREFIX/bin/gotop has its maps in PREFIX/share/gotop/keymaps */
        char exe[PATH_SIZE];
        ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
        if (len > 0) {
            exe[len] = '\0';
            for (int up = 0; up < 2; up++) {
                char *slash = strrchr(exe, '/');
                if (slash) *slash = '\0';
            }
            n = snprintf(out, PATH_SIZE, "%s/share/gotop/keymaps/%s.keys", exe, name);
        }
    } else {
        n = snprintf(out, PATH_SIZE, "built-in %s.keys", name);
    }
    return n > 0 && n < PATH_SIZE;
}

/* Read a file whole. ERR_IO: it isn't there or can't be read. */
static enum err_code read_whole(const char *path, char **text, size_t *len)
{
    struct stat st;
    FILE *f = fopen(path, "re");
    if (!f) return ERR_IO;
    if (fstat(fileno(f), &st) != 0 || S_ISDIR(st.st_mode)) {
        fclose(f);
        return ERR_IO;
    }
    size_t cap = 0, at = 0;
    char *buf = NULL;
    for (;;) {
        char *more = mem_grow(buf, &cap, at + 4096, 1);
        if (!more) {
            mem_free(buf);
            fclose(f);
            return ERR_NOMEM;
        }
        buf = more;
        size_t got = fread(buf + at, 1, cap - at, f);
        at += got;
        if (got == 0 || at > MAP_BYTES_MAX) break;
    }
    bool bad = ferror(f) || at > MAP_BYTES_MAX;
    fclose(f);
    if (bad) {
        mem_free(buf);
        return ERR_IO;
    }
    *text = buf;
    *len = at;
    return ERR_OK;
}

static enum err_code load_file(struct keymap *km, const char *path, const struct keymap_say *say)
{
    char *text;
    size_t len;
    enum err_code rc = read_whole(path, &text, &len);
    if (rc) return rc;
    rc = keymap_parse(km, text, len, path, say);
    mem_free(text);
    return rc;
}

static const char *builtin_text(const char *name)
{
    for (const struct builtin_keymap *b = builtin_keymaps; b->name; b++)
        if (strcmp(b->name, name) == 0) return b->text;
    return NULL;
}

static enum err_code load_place(struct keymap *km, int place, const char *name, const char *path,
                                const struct keymap_say *say)
{
    if (place != PLACE_BUILTIN) return load_file(km, path, say);
    const char *text = builtin_text(name);
    return text ? keymap_parse(km, text, strlen(text), path, say) : ERR_IO;
}

static enum err_code load_name(struct keymap *km, const char *name, const char *includer,
                               const struct keymap_say *say)
{
    char path[PATH_SIZE];
    int first = 0;
    for (int p = 0; includer && p < PLACE_COUNT; p++)
        if (place_path(p, name, path) && strcmp(path, includer) == 0) first = p + 1;
    for (int p = first; p < PLACE_COUNT; p++) {
        if (!place_path(p, name, path)) continue;
        enum err_code rc = load_place(km, p, name, path, say);
        if (rc != ERR_IO) return rc;
    }
    return ERR_IO;
}

enum err_code keymap_load_from(struct keymap *km, const char *name, const char *includer,
                               const struct keymap_say *say)
{
    if (km->depth >= INCLUDE_DEPTH_MAX) {
        keymap_report(say, true, includer ? includer : name, 0, "keymaps include each other more than %d deep",
                      INCLUDE_DEPTH_MAX);
        return ERR_FORMAT;
    }
    km->depth++;
    enum err_code rc = ERR_IO;
    bool is_path = strchr(name, '/') != NULL;
    if (!is_path) rc = load_name(km, name, includer, say);
    if (rc == ERR_IO && !includer) rc = load_file(km, name, say); /* a file in the current folder */
    if (rc == ERR_IO && includer && is_path) { /* relative to the file that includes it */
        char path[PATH_SIZE];
        const char *slash = strrchr(includer, '/');
        int dir = slash && name[0] != '/' ? (int)(slash + 1 - includer) : 0;
        if (snprintf(path, sizeof path, "%.*s%s", dir, includer, name) < PATH_SIZE) rc = load_file(km, path, say);
    }
    km->depth--;
    return rc;
}

enum err_code keymap_load(struct keymap *km, const char *name, const struct keymap_say *say)
{
    return keymap_load_from(km, name, NULL, say);
}
