/*
 * folder.c - see folder.h.
 */
#include "triage/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/base/mem.h"

static bool add(struct folder *f, const char *folder, const char *name)
{
    size_t a = folder ? strlen(folder) : 0;
    const size_t b = strlen(name);
    while (a > 1 && folder[a - 1] == '/')
        a--;
    char *path = mem_alloc(a + b + 2);
    if (!path || !mem_room(f->file, f->cap, f->n + 1)) {
        mem_free(path);
        return false;
    }
    if (folder)
        memcpy(path, folder, a);
    path[a] = '/';
    memcpy(path + a + (folder != NULL), name, b + 1);
    f->file[f->n++] = (struct folder_file){path, folder != NULL};
    return true;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct folder_file *)a)->path, ((const struct folder_file *)b)->path);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The files of an open folder. */
static bool add_all(struct folder *f, const char *path, DIR *d)
{
    const size_t from = f->n;
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        ok = add(f, path, e->d_name);
        if (ok && is_folder(f->file[f->n - 1].path))
            mem_free(f->file[--f->n].path);
    }
    if (f->n > from)
        qsort(f->file + from, f->n - from, sizeof *f->file, by_path);
    return ok;
}

bool folder_of(char *const *words, int n, struct folder *out)
{
    bool ok = true;
    *out = (struct folder){0};
    for (int i = 0; ok && i < n; i++) {
        DIR *d = is_folder(words[i]) ? opendir(words[i]) : NULL;
        ok = d ? add_all(out, words[i], d) : add(out, NULL, words[i]);
        if (d)
            closedir(d);
    }
    if (!ok)
        folder_free(out);
    return ok;
}

void folder_free(struct folder *f)
{
    for (size_t i = 0; i < f->n; i++)
        mem_free(f->file[i].path);
    mem_free(f->file);
    *f = (struct folder){0};
}

bool folder_skips(const struct folder_file *f, enum err_code why)
{
    return f->listed && (why == ERR_NOT_TRACE || why == ERR_EMPTY);
}
