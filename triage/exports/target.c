/*
 * target.c - see target.h.
 */
#include "triage/exports/target.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"
#include "decode/base/rows.h"
#include "triage/exports/outside.h"

/* ---- signals ------------------------------------------------------------------------------------------- */

/* Signals that end the process must not leave incomplete files. Only signals without another handler are
 * caught, and only while there is such a file; the process then ends by the signal as it would have. */
enum { UNFINISHED = 4 };
static char *_Atomic unfinished[UNFINISHED];
static char far_away[] = ""; /* stands for the clerk's files, which have no name here */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void on_end(int sig)
{
    clerk_end(); /* the clerk removes its own */
    for (int i = 0; i < UNFINISHED; i++) {
        const char *path = atomic_load(&unfinished[i]);
        if (path && *path)
            unlink(path);
    }
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Installs the handler `now` for each signal whose handler is `was`. */
static void hand_over(void (*was)(int), void (*now)(int))
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction a;
        if (!sigaction(ends[i], NULL, &a) && !(a.sa_flags & SA_SIGINFO) && a.sa_handler == was) {
            a = (struct sigaction){.sa_handler = now};
            sigaction(ends[i], &a, NULL);
        }
    }
}

static void begun(char *path)
{
    for (int i = 0; i < UNFINISHED; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished[i], &none, path)) {
            hand_over(SIG_DFL, on_end);
            return;
        }
    }
}

static void finished(const char *path)
{
    bool more = false;
    for (int i = 0; i < UNFINISHED; i++) {
        if (atomic_load(&unfinished[i]) == path)
            atomic_store(&unfinished[i], NULL);
        more |= atomic_load(&unfinished[i]) != NULL;
    }
    if (!more)
        hand_over(on_end, SIG_DFL);
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* Replaces the last name of a path. Returns false if it gets too long. */
static bool beside(const char *path, const char *name, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0,
              n = snprintf(out, PATH_MAX, "%.*s%s", folder, path, name);
    if (n >= 0 && n < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

bool target_leads(const char *path, char to[PATH_MAX])
{
    enum { LINKS = 40 };
    char link[PATH_MAX], here[PATH_MAX];
    if (!beside("", path, to))
        return false;
    for (int i = 0; i < LINKS; i++) {
        const ssize_t n = readlink(to, link, sizeof link - 1);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT; /* no link, or nothing */
        link[n] = 0;
        if (!beside(link[0] == '/' ? "" : to, link, here))
            return false;
        memcpy(to, here, sizeof here);
    }
    errno = ELOOP;
    return false;
}

/* ---- what may be written ------------------------------------------------------------------------------- */

/* Shows only the end of a long name, to leave room for the reason. */
static const char *tail(const char *path)
{
    enum { SHOWN = 100 };
    const size_t n = path ? strlen(path) : 0;
    return !path ? "standard output" : n > SHOWN ? path + n - SHOWN : path;
}

enum err_code target_failed(const char *path, struct err *e)
{
    return err_set(e, errno == ENOMEM ? ERR_NOMEM : ERR_IO, ERR_NO_OFFSET, "can't write to %s: %s",
                   tail(path), strerror(errno));
}

static enum err_code refused(const char *path, struct err *e)
{
    return err_set(e, ERR_ARG, ERR_NO_OFFSET, "can't write to %s: that file is read here: give another one",
                   tail(path));
}

enum err_code target_may(const char *path, struct err *e)
{
    return (path ? origin_is_path(path) : origin_is(STDOUT_FILENO)) ? refused(path, e) : ERR_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Creates a file beside t->to with these mode bits, less the umask if `usual`. Signals are blocked until
 * on_end() knows the file. Only this thread has to block them, since the others take none
 * (decode/base/thread.h). */
static int make_new(struct out_target *t, mode_t bits, bool usual)
{
    enum { TRIES = 16, NAME = 240 }; /* so much of its name, so that what is put behind it has room */
    sigset_t ending, was;
    int fd = -1;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&ending, ends[i]);
    pthread_sigmask(SIG_BLOCK, &ending, &was);
    const mode_t mask = usual ? 0 : umask(0);
    for (int i = 0; i < TRIES && fd < 0 && (i == 0 || errno == EEXIST); i++) {
        const char *slash = strrchr(t->to, '/');
        uint32_t some;
        char name[NAME_MAX + 1];
        host_random(&some, sizeof some);
        snprintf(name, sizeof name, "%.*s.%08x", NAME, slash ? slash + 1 : t->to, (unsigned)some);
        fd = beside(t->to, name, t->tmp) ? open(t->tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, bits) : -1;
    }
    int why = errno;
    if (!usual)
        umask(mask);
    if (fd >= 0)
        begun(t->tmp);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    errno = why;
    return fd;
}

static void forget_new(struct out_target *t)
{
    if (t->tmp)
        finished(t->tmp);
    mem_free(t->tmp);
    mem_free(t->to);
    t->tmp = t->to = NULL;
}

/* Creates the new file that will be renamed to t->to. Returns false with errno if that is impossible. */
static bool open_new(struct out_target *t, const char *to, mode_t bits, bool usual)
{
    t->tmp = mem_alloc(PATH_MAX);
    t->to = mem_alloc(strlen(to) + 1);
    int fd = -1;
    if (t->tmp && t->to) {
        memcpy(t->to, to, strlen(to) + 1);
        fd = make_new(t, bits, usual);
    } else {
        errno = ENOMEM;
    }
    if (fd < 0) {
        const int why = errno;
        forget_new(t);
        errno = why;
        return false;
    }
    t->fd = fd;
    return true;
}

bool target_standard(const struct stat *st)
{
    struct stat is;
    return any_of(
        i, 2, fstat(STDOUT_FILENO + (int)i, &is) == 0 && is.st_ino == st->st_ino && is.st_dev == st->st_dev);
}

/* Whether a new file can replace this one: it can get its owner and mode, and the file has no other names. */
static bool stands_in(struct out_target *t, const char *path, const struct stat *st)
{
    enum { BITS = 0777 };
    char to[PATH_MAX];
    struct stat there, made;
    const int old = t->fd;
    if (st->st_nlink != 1 || target_standard(st) || !target_leads(path, to) || stat(to, &there) ||
        there.st_ino != st->st_ino || there.st_dev != st->st_dev ||
        !open_new(t, to, st->st_mode & BITS, false))
        return false;
    bool alike = fstat(t->fd, &made) == 0 && made.st_mode == (st->st_mode & (S_IFMT | BITS));
    if (alike && (made.st_uid != st->st_uid || made.st_gid != st->st_gid))
        alike = fchown(t->fd, st->st_uid, st->st_gid) == 0;
    if (alike) {
        close(old);
        return true;
    }
    unlink(t->tmp);
    close(t->fd);
    forget_new(t);
    t->fd = old;
    return false;
}

/* Opens a file that doesn't exist, perhaps the target of a link. */
static enum err_code open_fresh(struct out_target *t, const char *path, struct err *e)
{
    enum { USUAL = 0666 };
    char to[PATH_MAX];
    struct stat st;
    if (target_leads(path, to) && lstat(to, &st) == 0)
        errno = EEXIST; /* it was created meanwhile */
    if (errno != ENOENT)
        return target_failed(path, e);
    return open_new(t, to, USUAL, true) ? ERR_OK : target_failed(path, e);
}

/* Lets the clerk open it; only this process knows which files were read. */
static enum err_code open_far(struct out_target *t, const char *path, struct err *e)
{
    const enum err_code rc = outside_open(t, path, e);
    if (rc)
        return rc;
    begun(far_away);
    if (!t->own || !origin_is(t->fd))
        return ERR_OK;
    target_close(t, false);
    return refused(path, e);
}

enum err_code target_open(struct out_target *t, const char *path, struct err *e)
{
    struct stat st;
    *t = (struct out_target){.fd = -1};
    enum err_code rc = target_may(path, e);
    if (rc)
        return rc;
    if (path && clerk_on())
        return open_far(t, path, e);
    t->fd = path ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : dup(STDOUT_FILENO);
    if (t->fd < 0)
        return path && errno == ENOENT ? open_fresh(t, path, e) : target_failed(path, e);
    if (!path || fstat(t->fd, &st) || !S_ISREG(st.st_mode))
        return ERR_OK;      /* a pipe or a device: there is nothing to truncate */
    if (origin_is(t->fd)) { /* another one had the name before */
        close(t->fd);
        return refused(path, e);
    }
    errno = 0;
    t->own = !stands_in(t, path, &st);
    if (t->own && errno == ENOMEM) { /* nothing in the way of a new file */
        close(t->fd);
        errno = ENOMEM;
        return target_failed(path, e);
    }
    return ERR_OK;
}

bool target_begin(struct out_target *t)
{
    if (t->own && !t->begun && ftruncate(t->fd, 0))
        return false;
    return t->begun = true;
}

bool target_close(struct out_target *t, bool keep)
{
    int why = 0;
    if (t->fd < 0)
        return true;
    if (keep && !target_begin(t))
        why = errno;
    else if (!keep && t->own && t->begun)
        (void)!ftruncate(t->fd, 0);
    if (close(t->fd) && !why)
        why = errno;
    if (t->far) {
        finished(far_away);
        const int far = outside_close(t, keep && !why);
        why = why ? why : far;
    }
    if (t->tmp && keep && !why && rename(t->tmp, t->to))
        why = errno;
    if (t->tmp && (!keep || why))
        unlink(t->tmp);
    forget_new(t);
    t->fd = -1;
    errno = why;
    return !why;
}
