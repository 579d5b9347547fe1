/*
 * watch_tidy.c - see watch.h: old captures are removed, by the clerk where there is a sandbox.
 *
 * The folder and its bounds are settled before it begins. Only files with a capture's name in that folder are
 * removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "triage/live/watch.h"
#include "triage/say.h"

static struct watch *watched;
static int deed_tidy;

enum { MOMENT = 26 /* "gotop-20261121T235558.256Z" */ };

/* Whether that is the name of a capture or of a file that goes with one. */
static int is_capture(const struct dirent *f)
{
    static const char form[] = "gotop-00000000T000000.000Z";
    const char *name = f->d_name;
    const size_t n = strlen(name);
    if (n < MOMENT + 4)
        return 0;
    for (size_t i = 0; i < MOMENT; i++)
        if (form[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != form[i])
            return 0;
    return strcmp(name + n - 4, ".txt") == 0 || (n > 6 && strcmp(name + n - 6, ".trace") == 0);
}

/* The bytes of a capture, or the seconds since 1970 at which it was written; 0: it is no file. */
static int64_t told_of(int dir, const struct dirent *f, bool bytes)
{
    struct stat st;
    if (fstatat(dir, f->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
        return 0;
    return bytes ? (int64_t)st.st_size : (int64_t)st.st_mtime;
}

/* Removes old captures by the bounds that were settled, and says in said->value how many. The newest
 * stays. */
static void do_tidy(const char *text, struct clerk_said *said)
{
    const struct watch *w = watched;
    const int64_t now = (int64_t)time(NULL);
    struct dirent **v = NULL;
    int64_t sum = 0;
    (void)text;
    const int dir = open(w->o.out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int n = dir < 0 ? -1 : scandir(w->o.out, &v, is_capture, alphasort); /* the oldest first */
    said->error = n < 0 ? errno : 0;
    for (int i = 0; i < n; i++)
        sum += told_of(dir, v[i], true);
    for (int i = 0; i < n && memcmp(v[i]->d_name, v[n - 1]->d_name, MOMENT) != 0; i++) {
        const int64_t bytes = told_of(dir, v[i], true), s = told_of(dir, v[i], false);
        const bool old = w->o.keep_files.ns && now - s > w->o.keep_files.ns / 1000000000;
        if (!s || (!old && !(w->o.keep_files.bytes && (uint64_t)sum > w->o.keep_files.bytes)))
            continue;
        if (unlinkat(dir, v[i]->d_name, 0) == 0) {
            sum -= bytes;
            said->value++;
        } else {
            said->error = errno;
        }
    }
    for (int i = 0; i < n; i++)
        free(v[i]);
    free(v);
    if (dir >= 0)
        close(dir);
}

void watch_tidy_asked(struct watch *w)
{
    watched = w;
    if (w->o.keep_files.bytes || w->o.keep_files.ns)
        deed_tidy = clerk_add(do_tidy, NULL);
}

void watch_tidy(struct watch *w)
{
    static struct clerk_said said;
    if (!w->o.keep_files.bytes && !w->o.keep_files.ns)
        return;
    said = (struct clerk_said){.fd = {-1, -1}};
    if (clerk_on())
        (void)clerk_ask(deed_tidy, "", &said);
    else
        do_tidy("", &said);
    if (said.error)
        w->failed = say_failed("watch", w->o.out, strerror(said.error));
    if (said.value) {
        struct text t = {.ascii = true};
        text_add(&t, "removed %d old file%s (--keep-files)", (int)said.value, said.value == 1 ? "" : "s");
        watch_note(w, live_wall_now(), &t);
    }
}
