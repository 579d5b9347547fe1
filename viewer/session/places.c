/*
 * places.c - the search path for what users may write: the configuration directory, then what was installed with the
 * program, then the built-in copy.
 */
#include "viewer/session/places.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/mem.h"

bool places_path(int place, const char *name, const char *suffix, char out[PLACES_PATH])
{
    int n = -1;
    if (place == PLACE_USER) {
        const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
        if (config && config[0] == '/')
            n = snprintf(out, PLACES_PATH, "%s/gotop/%s.%s", config, name, suffix);
        else if (home && home[0])
            n = snprintf(out, PLACES_PATH, "%s/.config/gotop/%s.%s", home, name, suffix);
    } else if (place == PLACE_INSTALLED) { /* PREFIX/bin/gotop has its maps in PREFIX/share/gotop/keymaps */
        char exe[PLACES_PATH];
        ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
        if (len > 0) {
            exe[len] = '\0';
            for (int up = 0; up < 2; up++) {
                char *slash = strrchr(exe, '/');
                if (slash)
                    *slash = '\0';
            }
            n = snprintf(out, PLACES_PATH, "%s/share/gotop/keymaps/%s.%s", exe, name, suffix);
        }
    } else {
        n = snprintf(out, PLACES_PATH, "built-in %s.%s", name, suffix);
    }
    return n > 0 && n < PLACES_PATH;
}

enum err_code places_read(int place, const char *path, char **text, size_t *len)
{
    struct stat st;
    bool named = place == PLACE_COUNT; /* by its path: a pipe will do, and we wait for it */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (named ? 0 : O_NONBLOCK));
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f && fd >= 0)
        close(fd);
    if (!f)
        return ERR_IO;
    bool bad =
        fstat(fd, &st) != 0 || !(S_ISREG(st.st_mode) || (named && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))));
    bool foreign = !bad && place == PLACE_USER && geteuid() == 0 && (st.st_uid != 0 || (st.st_mode & S_IWOTH));
    if (bad || foreign) {
        fclose(f);
        return foreign ? ERR_ARG : ERR_IO;
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
        if (got == 0 || at > PLACES_FILE_MAX)
            break;
    }
    bad = ferror(f) || at > PLACES_FILE_MAX;
    fclose(f);
    if (bad) {
        mem_free(buf);
        return ERR_IO;
    }
    *text = buf;
    *len = at;
    return ERR_OK;
}
