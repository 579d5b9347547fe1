/*
 * places.c - the search path for files that users may write: their configuration directory, the host's,
 * then what was installed with the program, then the built-in copy.
 */
#include "triage/places.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/mem.h"
#include "decode/base/origin.h"

/* Finds the k-th of a list of folders, separated by colons. */
static bool folder_of(const char *list, int k, char out[PLACES_PATH])
{
    for (; list && k > 0; k--)
        list = strchr(list, ':') ? strchr(list, ':') + 1 : NULL;
    const int len = list ? (int)strcspn(list, ":") : 0;
    const int n = len && *list == '/' ? snprintf(out, PLACES_PATH, "%.*s/gotop", len, list) : -1;
    return n > 0 && n < PLACES_PATH;
}

bool places_folder(int place, char out[PLACES_PATH])
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME"), *dirs = getenv("XDG_CONFIG_DIRS");
    if (place >= PLACE_HOST)
        return place < PLACE_INSTALLED &&
               folder_of(dirs && *dirs ? dirs : "/etc/xdg", place - PLACE_HOST, out);
    if (config && config[0] == '/')
        return folder_of(config, 0, out);
    const int n = home && home[0] ? snprintf(out, PLACES_PATH, "%s/.config/gotop", home) : -1;
    return n > 0 && n < PLACES_PATH;
}

bool places_share(char out[PLACES_PATH])
{
    ssize_t n = readlink("/proc/self/exe", out, PLACES_PATH - 1);
    out[n > 0 ? n : 0] = '\0';
    for (int up = 0; up < 2 && strrchr(out, '/'); up++)
        *strrchr(out, '/') = '\0';
    const size_t len = strlen(out);
    return n > 0 && snprintf(out + len, PLACES_PATH - len, "/share/gotop") < (int)(PLACES_PATH - len);
}

bool places_path(int place, const char *name, const char *suffix, char out[PLACES_PATH])
{
    int n = -1;
    char folder[PLACES_PATH];
    if (place == PLACE_BUILTIN)
        n = snprintf(out, PLACES_PATH, "built-in %s.%s", name, suffix);
    else if (place == PLACE_INSTALLED && places_share(folder))
        n = snprintf(out, PLACES_PATH, "%s/keymaps/%s.%s", folder, name, suffix);
    else if (places_folder(place, folder))
        n = snprintf(out, PLACES_PATH, "%s/%s.%s", folder, name, suffix);
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
    bool bad = fstat(fd, &st) != 0 ||
               !(S_ISREG(st.st_mode) || (named && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))));
    bool foreign =
        !bad && place < PLACE_INSTALLED && geteuid() == 0 && (st.st_uid != 0 || (st.st_mode & S_IWOTH));
    if (bad || foreign) {
        fclose(f);
        return foreign ? ERR_ARG : ERR_IO;
    }
    origin_note(fd, NULL);
    *text = mem_alloc(PLACES_FILE_MAX + 1);
    *len = *text ? fread(*text, 1, PLACES_FILE_MAX + 1, f) : 0;
    bad = ferror(f) || *len > PLACES_FILE_MAX;
    fclose(f);
    if (!*text || !bad)
        return *text ? ERR_OK : ERR_NOMEM;
    mem_free(*text);
    return ERR_IO;
}

void places_list(const char *suffix, void (*f)(void *arg, const char *name), void *arg)
{
    char folder[PLACES_PATH], name[256];
    for (int place = 0; place < PLACE_INSTALLED; place++) {
        DIR *d = places_folder(place, folder) ? opendir(folder) : NULL;
        for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
            const char *dot = strrchr(e->d_name, '.');
            if (!dot || dot == e->d_name || strcmp(dot + 1, suffix) != 0)
                continue;
            snprintf(name, sizeof name, "%.*s", (int)(dot - e->d_name), e->d_name);
            f(arg, name);
        }
        if (d)
            closedir(d);
    }
}
