/*
 * outside.c - see outside.h. The part below "the clerk" runs in the clerk and must not trust its requests.
 */
#include "triage/exports/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "decode/base/rows.h"

enum { FILES = 8, FOLDERS = 40, OPEN = 4, OWN = 64 };
enum { WRITTEN_ITSELF = 16 }; /* of a target (target.h) */

struct ident {
    dev_t dev;
    ino_t ino;
    struct timespec changed; /* of a file: another one may get its number */
};
static struct {
    const char *path;
    bool grows;
} file[FILES];
static struct ident folder[FOLDERS];
static unsigned nfiles, nfolders;
static int action_open = -1, action_close, action_may;

static struct ident ident_of(const struct stat *st)
{
    return (struct ident){st->st_dev, st->st_ino, S_ISDIR(st->st_mode) ? (struct timespec){0} : st->st_ctim};
}

static bool same_ident(struct ident a, struct ident b)
{
    return a.dev == b.dev && a.ino == b.ino && a.changed.tv_sec == b.changed.tv_sec &&
           a.changed.tv_nsec == b.changed.tv_nsec;
}

/* ---- the clerk ----------------------------------------------------------------------------------------- */

static struct far {
    struct out_target to;
    char path[CLERK_TEXT];
    bool used;
} far[OPEN];
static struct ident own[OWN]; /* the last files created here, as they were then */
static unsigned nown;

/* Checks that the file is directly in one of the folders, with a name that isn't hidden. Returns 0 or an
 * errno. */
static int in_folder(const char *path)
{
    char up[CLERK_TEXT];
    struct stat st;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!*name || *name == '.')
        return EACCES;
    snprintf(up, sizeof up, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (stat(up, &st) != 0)
        return errno;
    return any_of(i, nfolders, same_ident(folder[i], ident_of(&st))) ? 0 : EACCES;
}

/* Returns whether a path is that name, or for a file that grows a later one of it: PATH.2 and so on. */
static bool is_named(const char *path, const char *name, bool grows)
{
    const size_t n = strlen(name);
    const char *more = strncmp(path, name, n) == 0 ? path + n : " ";
    return !*more || (grows && *more == '.' && more[1] && !more[1 + strspn(more + 1, "0123456789")]);
}

/* Returns 0 or an errno. */
static int refuse_path(const char *path, bool grows)
{
    struct stat st;
    if (any_of(i, nfiles, file[i].grows == grows && is_named(path, file[i].path, grows)))
        return 0;
    const int why = grows ? EACCES : in_folder(path);
    if (why)
        return why;
    return lstat(path, &st) == 0 && !any_of(i, OWN, same_ident(own[i], ident_of(&st))) ? EEXIST : 0;
}

static void do_may(const char *path, struct clerk_said *said)
{
    said->error = refuse_path(path, false);
}

/* Opens a file: "+PATH" if it grows, else "=PATH". */
static void do_open(const char *how, struct clerk_said *said)
{
    const unsigned i = find_first(k, OPEN, !far[k].used);
    const bool grows = *how == '+';
    const char *path = how + (*how != '\0');
    said->error = i == OPEN ? EMFILE : refuse_path(path, grows);
    if (said->error)
        return;
    struct far *f = &far[i];
    struct err e = {0};
    snprintf(f->path, sizeof f->path, "%s", path);
    said->code = (int)target_open(&f->to, f->path, grows, &e);
    said->error = said->code ? EIO : 0;
    memcpy(said->text, e.what, sizeof e.what);
    if (said->code)
        return;
    said->fd[0] = fcntl(f->to.fd, F_DUPFD_CLOEXEC, 0);
    said->value = (int)i | (f->to.own ? WRITTEN_ITSELF : 0);
    f->to.own = false; /* its process empties it */
    f->used = true;
}

/* Closes a file: with "0+" the first of them takes its name, with "0-" it goes. */
static void do_close(const char *which, struct clerk_said *said)
{
    const int i = *which - '0';
    const bool keep = which[1] == '+';
    if (i < 0 || i >= OPEN || !far[i].used) {
        said->error = EINVAL;
        return;
    }
    said->error = target_close(&far[i].to, keep) ? 0 : errno;
    struct stat st;
    if (keep && !said->error && lstat(far[i].path, &st) == 0 && S_ISREG(st.st_mode))
        own[nown++ % OWN] = ident_of(&st);
    far[i].used = false;
}

static void drop_all(void)
{
    for (int i = 0; i < OPEN; i++)
        if (far[i].used)
            (void)target_close(&far[i].to, false);
}

/* ---- this process -------------------------------------------------------------------------------------- */

static void add_actions(void)
{
    if (action_open >= 0)
        return;
    action_open = clerk_add(do_open, drop_all);
    action_close = clerk_add(do_close, NULL);
    action_may = clerk_add(do_may, NULL);
}

void outside_file(const char *path, bool grows)
{
    add_actions();
    if (nfiles == FILES)
        return;
    file[nfiles].path = path;
    file[nfiles++].grows = grows;
}

void outside_folder(const char *path)
{
    struct stat st;
    add_actions();
    if (nfolders < FOLDERS && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        folder[nfolders++] = ident_of(&st);
}

enum err_code outside_open(struct out_target *t, const char *path, bool grows, struct err *e)
{
    struct clerk_said said;
    char how[CLERK_TEXT + 1];
    snprintf(how, sizeof how, "%c%s", grows ? '+' : '=', path);
    if (!clerk_ask(action_open, how, &said))
        return said.code ? err_set(e, (enum err_code)said.code, ERR_NO_OFFSET, "%.199s", said.text)
                         : target_failed(path, e);
    t->fd = said.fd[0];
    t->own = said.value & WRITTEN_ITSELF;
    t->far = (int)(said.value & ~WRITTEN_ITSELF) + 1;
    return ERR_OK;
}

int outside_close(struct out_target *t, bool keep)
{
    struct clerk_said said;
    const char which[] = {(char)('0' + t->far - 1), keep ? '+' : '-', '\0'};
    t->far = 0;
    (void)clerk_ask(action_close, which, &said);
    return said.error;
}

int outside_may(const char *path)
{
    struct clerk_said said;
    return !clerk_on() || clerk_ask(action_may, path, &said) ? 0 : said.error;
}
