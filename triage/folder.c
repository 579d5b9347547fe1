/*
 * folder.c - see folder.h.
 */
#include "triage/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/base/mem.h"
#include "decode/input/input.h"
#include "decode/input/zip.h"
#include "triage/exports/target.h"
#include "triage/text.h"

/* Adds the file of that name; in: the folder (sep: '/') or the archive (':') that it is in, or NULL. */
static bool folder_add(struct folder *f, const char *in, char sep, const char *name, size_t n)
{
    struct text t = {0};
    size_t a = in ? strlen(in) : 0;
    while (sep == '/' && a > 1 && in[a - 1] == '/')
        a--;
    text_raw(&t, in, a);
    text_raw(&t, &sep, in != NULL);
    text_raw(&t, name, n);
    char *path = text_take(&t);
    const bool ok = path && mem_add(f->file, f->cap, f->n, (struct folder_file){path, in != NULL});
    if (!ok)
        mem_free(path);
    return ok;
}

/* Returns whether a file of a folder is to be read: it is no pipe, to which perhaps nobody ever writes, and
 * not what the command prints into ("report DIR >DIR/page"). */
static bool to_be_read(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return true; /* whoever opens it says why that fails */
    return S_ISREG(st.st_mode) && !target_standard(&st);
}

/* Adds the traces of an archive, in its order. */
static bool add_members(struct folder *f, const char *path, const struct zip *z)
{
    struct zip_member m;
    struct dialect d;
    uint64_t pos = 0, spent = 0;
    bool ok = true;
    for (int looked = 0; ok && looked < ZIP_LOOKED && zip_next(z, &pos, &m); looked++)
        if (m.len && !memchr(m.name, '\0', m.len) && zip_apart(z, &m, &spent) && zip_trace(z, &m, &d))
            ok = folder_add(f, path, ':', m.name, m.len);
    return ok;
}

/* Replaces the file that was added last by its traces if it is an archive of several. What other files are is
 * found out when they are opened. */
static bool unfold(struct folder *f)
{
    const size_t at = f->n - 1;
    char *path = f->file[at].path;
    struct stat st;
    struct input in;
    struct zip z;
    struct err e;
    bool ok = true;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || !input_archive(path, &in))
        return true;
    if (zip_open(in.data, in.len, &z, &e) == ERR_OK)
        ok = add_members(f, path, &z);
    input_close(&in);
    if (ok && f->n > at + 2) {
        memmove(&f->file[at], &f->file[at + 1], (f->n - at - 1) * sizeof *f->file);
        f->file[f->n - 1].path = path;
    }
    if (ok && f->n > at + 1)
        mem_free(f->file[--f->n].path);
    return ok;
}

static int is_shown(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the files of a folder. If there are none, it adds the word as it is: whoever opens that says so. */
static bool add_word(struct folder *f, const char *word)
{
    struct dirent **e = NULL;
    const int n = scandir(word, &e, is_shown, by_name); /* -1: it is no folder */
    const size_t before = f->n;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        ok = ok && folder_add(f, word, '/', e[i]->d_name, strlen(e[i]->d_name));
        free(e[i]);
        if (ok && !to_be_read(f->file[f->n - 1].path))
            mem_free(f->file[--f->n].path);
        else
            ok = ok && unfold(f);
    }
    free(e);
    return ok && (f->n > before || (folder_add(f, NULL, '\0', word, strlen(word)) && unfold(f)));
}

bool folder_of(const char *const *words, int n, struct folder *out)
{
    bool ok = true;
    *out = (struct folder){0};
    for (int i = 0; ok && i < n; i++)
        ok = add_word(out, words[i]);
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
