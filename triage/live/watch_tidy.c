/*
 * watch_tidy.c - see watch.h: old captures are removed, by the clerk where there is a sandbox.
 *
 * The folder and its bounds are settled before it begins. Only files with a capture's name in that folder are
 * removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "decode/base/mem.h"
#include "triage/live/watch.h"
#include "triage/say.h"

static struct watch *watched;
static int deed_tidy;

enum { FILES = 65536, NAME_LEN = 256, MOMENT = 26 /* "gotop-20261121T235558.256Z" */ };

struct old {
    char name[NAME_LEN];
    uint64_t bytes;
    int64_t s; /* since 1970 */
};

/* Returns whether that is the name of a capture or of a file that goes with one. */
static bool is_capture(const char *name)
{
    static const char form[] = "gotop-00000000T000000.000Z";
    const size_t n = strlen(name);
    if (n < MOMENT + 4 || n >= NAME_LEN)
        return false;
    for (size_t i = 0; i < MOMENT; i++)
        if (form[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != form[i])
            return false;
    return strcmp(name + n - 4, ".txt") == 0 || (n > 6 && strcmp(name + n - 6, ".trace") == 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct old *)a)->name, ((const struct old *)b)->name);
}

/* Returns all captures in the folder, oldest first, for mem_free(); NULL with errno. */
static struct old *captures(DIR *d, size_t *n)
{
    struct old *v = NULL;
    size_t cap = 0;
    *n = 0;
    for (struct dirent *f; *n < FILES && (f = readdir(d));) {
        struct stat st;
        if (!is_capture(f->d_name) || fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        struct old *more = mem_grow(v, &cap, *n + 1, sizeof *v);
        if (!more) {
            mem_free(v);
            errno = ENOMEM;
            return NULL;
        }
        v = more;
        v[*n] = (struct old){.bytes = (uint64_t)st.st_size, .s = st.st_mtime};
        snprintf(v[(*n)++].name, sizeof v->name, "%s", f->d_name);
    }
    if (*n)
        qsort(v, *n, sizeof *v, by_name);
    return v;
}

/* Removes old captures by the bounds that were settled, and says in said->value how many. The newest
 * stays. */
static void do_tidy(const char *text, struct clerk_said *said)
{
    size_t n = 0;
    uint64_t sum = 0;
    (void)text;
    DIR *d = opendir(watched->dir);
    struct old *v = d ? captures(d, &n) : NULL;
    said->error = !d || (!v && n) ? errno : 0;
    const int64_t now = (int64_t)time(NULL);
    for (size_t i = 0; i < n; i++)
        sum += v[i].bytes;
    for (size_t i = 0; i < n && memcmp(v[i].name, v[n - 1].name, MOMENT) != 0; i++) {
        const bool old = watched->files_ns && now - v[i].s > watched->files_ns / 1000000000;
        if (!old && !(watched->files_max && sum > watched->files_max))
            continue;
        if (unlinkat(dirfd(d), v[i].name, 0) == 0) {
            sum -= v[i].bytes;
            said->value++;
        } else {
            said->error = errno;
        }
    }
    mem_free(v);
    if (d)
        closedir(d);
}

void watch_tidy_asked(struct watch *w)
{
    watched = w;
    if (w->files_max || w->files_ns)
        deed_tidy = clerk_add(do_tidy, NULL);
}

void watch_tidy(struct watch *w)
{
    static struct clerk_said said;
    if (!w->files_max && !w->files_ns)
        return;
    said = (struct clerk_said){.fd = {-1, -1}};
    if (clerk_on())
        (void)clerk_ask(deed_tidy, "", &said);
    else
        do_tidy("", &said);
    if (said.error)
        w->failed = say_failed("watch", w->dir, strerror(said.error));
    if (said.value) {
        struct text t = {.ascii = true};
        text_add(&t, "removed %d old file%s (--keep-files)", (int)said.value, said.value == 1 ? "" : "s");
        watch_note(w, live_wall_now(), &t);
    }
}
