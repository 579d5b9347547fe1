/*
 * watch_deeds.c - see watch.h: commands that are run and old captures that are removed, by the clerk where
 * there is a sandbox.
 *
 * What may be done is settled before it begins: the command's words, the folder, its bounds. A request can
 * name only a file that the clerk has written itself. Only files with a capture's name in that folder are
 * removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "decode/base/clerk.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/exports/outside.h"
#include "triage/live/watch.h"
#include "triage/say.h"

enum { CHILDREN = 8 };

static struct watch *watched;
static int deed_exec, deed_reap, deed_tidy;

/* ---- commands ------------------------------------------------------------------------------------------ */

static struct {
    pid_t pid; /* 0: none */
    char file[PATH_MAX];
} child[CHILDREN];

#define BLANKS " \t\n"
enum { WORDS = 64 };

/* Returns the next word of a command, and its length in *n; 0: there is none. */
static const char *next_word(const char *s, size_t *n)
{
    s += strspn(s, BLANKS);
    *n = strcspn(s, BLANKS);
    return s;
}

bool watch_command(const struct watch *w)
{
    size_t words = 0, n;
    for (const char *s = next_word(w->exec, &n); n; s = next_word(s + n, &n))
        words++;
    return words && words <= WORDS;
}

/* Returns a copy of a word with %f, %r and %% replaced, for mem_free(); NULL when out of memory. Sets
 * *named if it has the file's name. */
static char *word_of(const char *word, size_t n, const char *file, const char *reason, bool *named)
{
    struct text t = {0};
    for (const char *p = word; p < word + n; p++) {
        const char *with = p[0] != '%'   ? NULL
                           : p[1] == 'f' ? file
                           : p[1] == 'r' ? reason
                           : p[1] == '%' ? "%"
                                         : NULL;
        *named |= with == file;
        text_raw(&t, with ? with : p, with ? strlen(with) : 1);
        p += with != NULL;
    }
    return text_take(&t);
}

static void words_free(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++)
        mem_free(argv[i]);
    mem_free(argv);
}

/* Returns the words of the command, for words_free(); NULL when out of memory. */
static char **words_of(const char *exec, const char *file, const char *reason)
{
    char **argv = mem_zalloc((WORDS + 2) * sizeof *argv);
    bool named = false, ok = argv;
    size_t i = 0, n;
    for (const char *s = next_word(exec, &n); ok && n; s = next_word(s + n, &n))
        ok = (argv[i++] = word_of(s, n, file, reason, &named)) != NULL;
    if (ok && !named)
        ok = (argv[i] = word_of("%f", 2, file, reason, &named)) != NULL;
    if (ok)
        return argv;
    words_free(argv);
    return NULL;
}

/* Says that the command failed, by its first word, and why. */
static void failed(struct watch *w, const char *why)
{
    char name[PATH_MAX];
    size_t n;
    const char *s = next_word(w->exec, &n);
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    w->failed = say_failed("watch", name, why);
}

extern char **environ;

/* Runs the command for a file. Returns 0 or an errno; EBUSY: too many are running. */
static int spawn(const char *file, const char *reason)
{
    char name[PATH_MAX];
    posix_spawnattr_t attr;
    sigset_t none, usual;
    int i = 0;
    if (!child_name(file, name, sizeof name))
        return EINVAL;
    while (i < CHILDREN && child[i].pid > 0)
        i++;
    if (i == CHILDREN)
        return EBUSY;
    char **argv = words_of(watched->exec, name, reason);
    if (!argv)
        return ENOMEM;
    sigemptyset(&none);
    child_defaults(&usual);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    int rc = posix_spawnp(&child[i].pid, argv[0], NULL, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    words_free(argv);
    if (rc)
        child[i].pid = 0;
    snprintf(child[i].file, sizeof child[i].file, "%s", name);
    return rc;
}

/* Runs the command for "FILE\nREASON". The clerk (`made`) does so for files that it has written, and for
 * no others; without a clerk any file is gotop's own. */
static void exec_for(const char *text, bool made, struct clerk_said *said)
{
    char file[CLERK_TEXT];
    const size_t n = strcspn(text, "\n");
    snprintf(file, sizeof file, "%.*s", (int)n, text);
    said->error = !made || outside_made(file) ? spawn(file, text[n] ? text + n + 1 : "") : EACCES;
}

static void do_exec(const char *text, struct clerk_said *said)
{
    exec_for(text, true, said);
}

static void do_exec_here(const char *text, struct clerk_said *said)
{
    exec_for(text, false, said);
}

/* Finds a command that has ended: its file goes to said->text, its status to said->value. ECHILD: none
 * has. */
static void do_reap(const char *text, struct clerk_said *said)
{
    int status;
    (void)text;
    said->error = ECHILD;
    for (int i = 0; i < CHILDREN && said->error; i++) {
        if (child[i].pid <= 0 || waitpid(child[i].pid, &status, WNOHANG) != child[i].pid)
            continue;
        child[i].pid = 0;
        said->error = 0;
        said->value = status;
        snprintf(said->text, sizeof said->text, "%s", child[i].file);
    }
}

/* Does one of these, here or in the clerk. Returns false on an error. */
static bool done(int deed, clerk_deed *fn, const char *text, struct clerk_said *said)
{
    if (clerk_on())
        return clerk_ask(deed, text, said);
    *said = (struct clerk_said){.fd = {-1, -1}};
    fn(text, said);
    return !said->error;
}

void watch_run(struct watch *w, const char *file, const char *reason)
{
    static struct clerk_said said;
    char text[CLERK_TEXT];
    watch_reap(w, 0);
    snprintf(text, sizeof text, "%s\n%s", file, reason);
    if (done(deed_exec, do_exec_here, text, &said)) {
        w->runs++;
        return;
    }
    failed(w, said.error == EBUSY    ? "is still busy with the files before: not run for this one"
              : said.error == EINVAL ? "the file's name is no argument: not run for this one"
                                     : strerror(said.error));
}

void watch_reap(struct watch *w, int patience_ms)
{
    enum { STEP_MS = 50 };
    static struct clerk_said said;
    const int64_t until = host_now() + patience_ms * INT64_C(1000000);
    while (w->runs) {
        if (done(deed_reap, do_reap, "", &said)) {
            char why[CLERK_TEXT + 64];
            const int status = (int)said.value;
            w->runs--;
            if (WIFEXITED(status) && !WEXITSTATUS(status))
                continue;
            snprintf(why, sizeof why, "%s %d, for %s", WIFEXITED(status) ? "exited with" : "ended by signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), said.text);
            failed(w, why);
        } else if (host_now() >= until) {
            return;
        } else {
            poll(NULL, 0, STEP_MS);
        }
    }
}

/* ---- old files ----------------------------------------------------------------------------------------- */

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

void watch_tidy(struct watch *w)
{
    static struct clerk_said said;
    if (!w->files_max && !w->files_ns)
        return;
    if (!done(deed_tidy, do_tidy, "", &said))
        w->failed = say_failed("watch", w->dir, strerror(said.error));
    if (said.value) {
        struct text t = {.ascii = true};
        text_add(&t, "removed %d old file%s (--keep-files)", (int)said.value, said.value == 1 ? "" : "s");
        watch_note(w, live_wall_now(), &t);
    }
}

void watch_deeds(struct watch *w)
{
    watched = w;
    if (w->exec) {
        deed_exec = clerk_add(do_exec, NULL);
        deed_reap = clerk_add(do_reap, NULL);
    }
    if (w->files_max || w->files_ns)
        deed_tidy = clerk_add(do_tidy, NULL);
}
