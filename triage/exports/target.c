/*
 * target.c - see target.h.
 */
#include "triage/exports/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "decode/base/host.h"
#include "decode/base/origin.h"
#include "decode/base/rows.h"
#include "triage/exports/outside.h"

/* ---- names --------------------------------------------------------------------------------------------- */

/* Replaces the last name of a path. Returns false if it gets too long. */
static bool path_beside(const char *path, const char *name, char out[PATH_MAX])
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
    if (!path_beside("", path, to))
        return false;
    for (int i = 0; i < LINKS; i++) {
        const ssize_t n = readlink(to, link, sizeof link - 1);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT; /* no link, or nothing */
        link[n] = 0;
        if (!path_beside(link[0] == '/' ? "" : to, link, here))
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

static enum err_code target_refused(const char *path, struct err *e)
{
    return err_set(e, ERR_ARG, ERR_NO_OFFSET, "can't write to %s: that file is read here: give another one",
                   tail(path));
}

enum err_code target_may(const char *path, struct err *e)
{
    return origin_is(STDOUT_FILENO, path) ? target_refused(path, e) : ERR_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Makes a file without a name in the folder of t->to: whatever ends the process, nothing is left of it.
 * Returns its descriptor, or -1 with errno. */
static int open_unnamed(const struct out_target *t)
{
    char folder[PATH_MAX];
    if (!path_beside(t->to, ".", folder) || access("/proc/self/fd", X_OK)) /* by which it gets its name */
        return -1;
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/* Gives the file its name, in place of one that has it: by a third name, since a link replaces nothing. */
static bool take_name(const struct out_target *t)
{
    char file[40], name[40], tmp[PATH_MAX];
    uint32_t some;
    snprintf(file, sizeof file, "/proc/self/fd/%d", t->fd);
    if (linkat(AT_FDCWD, file, AT_FDCWD, t->to, AT_SYMLINK_FOLLOW) == 0)
        return true;
    host_random(&some, sizeof some);
    snprintf(name, sizeof name, ".gotop-%08x", (unsigned)some);
    if (errno != EEXIST || !path_beside(t->to, name, tmp) ||
        linkat(AT_FDCWD, file, AT_FDCWD, tmp, AT_SYMLINK_FOLLOW))
        return false;
    if (rename(tmp, t->to) == 0)
        return true;
    const int why = errno;
    unlink(tmp);
    errno = why;
    return false;
}

bool target_standard(const struct stat *st)
{
    struct stat is;
    return any_of(
        i, 2, fstat(STDOUT_FILENO + (int)i, &is) == 0 && is.st_ino == st->st_ino && is.st_dev == st->st_dev);
}

/* Returns whether a new file can replace it: it can get its owner and mode, and there are no other names. */
static bool stands_in(struct out_target *t, const char *path, const struct stat *st)
{
    enum { BITS = 0777 };
    struct stat there;
    if (st->st_nlink != 1 || target_standard(st) || !target_leads(path, t->to) || stat(t->to, &there) ||
        there.st_ino != st->st_ino || there.st_dev != st->st_dev)
        return false;
    const int fd = open_unnamed(t), old = t->fd;
    const bool alike =
        fd >= 0 && fchown(fd, st->st_uid, st->st_gid) == 0 && fchmod(fd, st->st_mode & BITS) == 0;
    if (fd >= 0)
        close(alike ? old : fd);
    t->fd = alike ? fd : old;
    return alike;
}

/* Opens a file that doesn't exist, perhaps the target of a link. */
static enum err_code open_fresh(struct out_target *t, const char *path, bool grows, struct err *e)
{
    struct stat st;
    if (target_leads(path, t->to) && lstat(t->to, &st) == 0)
        errno = EEXIST; /* it was created meanwhile */
    if (errno != ENOENT)
        return target_failed(path, e);
    t->fd = grows ? -1 : open_unnamed(t);
    if (grows || (t->fd < 0 && (errno == EOPNOTSUPP || access("/proc/self/fd", X_OK)))) {
        t->fd = open(t->to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        t->own = t->made = true;
    }
    return t->fd >= 0 ? ERR_OK : target_failed(path, e);
}

/* Lets the clerk open it. Only this process knows which files were read. */
static enum err_code open_far(struct out_target *t, const char *path, bool grows, struct err *e)
{
    const enum err_code rc = outside_open(t, path, grows, e);
    if (rc || !t->own || !origin_is(t->fd, NULL))
        return rc;
    target_close(t, false);
    return target_refused(path, e);
}

enum err_code target_open(struct out_target *t, const char *path, bool grows, struct err *e)
{
    struct stat st;
    *t = (struct out_target){.fd = -1};
    enum err_code rc = target_may(path, e);
    if (rc)
        return rc;
    if (path && clerk_on())
        return open_far(t, path, grows, e);
    t->fd = path ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : dup(STDOUT_FILENO);
    if (t->fd < 0)
        return path && errno == ENOENT ? open_fresh(t, path, grows, e) : target_failed(path, e);
    if (!path || fstat(t->fd, &st) || !S_ISREG(st.st_mode))
        return ERR_OK;            /* a pipe or a device: there is nothing to truncate */
    if (origin_is(t->fd, NULL)) { /* another one had the name before */
        close(t->fd);
        return target_refused(path, e);
    }
    t->own = grows || !stands_in(t, path, &st);
    if (t->own)
        t->to[0] = '\0';
    return ERR_OK;
}

bool target_begin(struct out_target *t)
{
    if (t->own && !t->truncated && ftruncate(t->fd, 0))
        return false;
    return t->truncated = true;
}

/* Removes a file that was made here and is empty. */
static void remove_empty(const struct out_target *t)
{
    struct stat st, named;
    if (t->made && fstat(t->fd, &st) == 0 && !st.st_size && lstat(t->to, &named) == 0 &&
        named.st_ino == st.st_ino && named.st_dev == st.st_dev)
        (void)unlink(t->to);
}

bool target_close(struct out_target *t, bool keep)
{
    int why = 0;
    if (t->fd < 0)
        return true;
    if (keep && (!target_begin(t) || (t->to[0] && !t->made && !take_name(t))))
        why = errno;
    else if (!keep && t->own && t->truncated)
        (void)!ftruncate(t->fd, 0);
    if (!keep || why)
        remove_empty(t);
    if (close(t->fd) && !why)
        why = errno;
    if (t->far) {
        const int far = outside_close(t, keep && !why);
        why = why ? why : far;
    }
    t->fd = -1;
    errno = why;
    return !why;
}
