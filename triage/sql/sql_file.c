/*
 * sql_file.c - SQLite over a descriptor. What gotop writes is opened by somebody else
 * (triage/exports/target.h), so SQLite gets no names: its main file is that descriptor, and there are no
 * others.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "triage/sql/sql_priv.h"

struct file {
    sqlite3_file base;
    int fd;
};

static int fd_of(sqlite3_file *f)
{
    return ((struct file *)(void *)f)->fd;
}

static int f_close(sqlite3_file *f)
{
    (void)f; /* its owner closes it */
    return SQLITE_OK;
}

static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    char *p = to;
    while (n > 0) {
        const ssize_t got = pread(fd_of(f), p, (size_t)n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SQLITE_IOERR_READ;
        if (got == 0) {
            memset(p, 0, (size_t)n); /* as SQLite asks for */
            return SQLITE_IOERR_SHORT_READ;
        }
        p += got, at += got, n -= (int)got;
    }
    return SQLITE_OK;
}

static int f_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    const char *p = from;
    while (n > 0) {
        const ssize_t put = pwrite(fd_of(f), p, (size_t)n, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 && errno != ENOSPC ? SQLITE_IOERR_WRITE : SQLITE_FULL;
        p += put, at += put, n -= (int)put;
    }
    return SQLITE_OK;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return ftruncate(fd_of(f), (off_t)size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size)
{
    struct stat st;
    if (fstat(fd_of(f), &st))
        return SQLITE_IOERR_FSTAT;
    *size = st.st_size;
    return SQLITE_OK;
}

/* Nobody else has the file: there is nothing to lock, and what ends before it is whole is thrown away. */
static int f_int(sqlite3_file *f, int how)
{
    (void)f, (void)how;
    return SQLITE_OK;
}

static int f_reserved(sqlite3_file *f, int *is)
{
    (void)f;
    *is = 0;
    return SQLITE_OK;
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
    (void)f, (void)op, (void)arg;
    return SQLITE_NOTFOUND;
}

static int f_none(sqlite3_file *f)
{
    (void)f;
    return 0;
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = f_close,
                                           .xRead = f_read,
                                           .xWrite = f_write,
                                           .xTruncate = f_truncate,
                                           .xSync = f_int,
                                           .xFileSize = f_size,
                                           .xLock = f_int,
                                           .xUnlock = f_int,
                                           .xCheckReservedLock = f_reserved,
                                           .xFileControl = f_control,
                                           .xSectorSize = f_none,
                                           .xDeviceCharacteristics = f_none};

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *to, int how, int *did)
{
    struct file *f = (struct file *)(void *)to;
    (void)name;
    f->base.pMethods = NULL;
    if (!(how & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    f->base.pMethods = &methods;
    f->fd = *(const int *)v->pAppData;
    if (did)
        *did = how;
    return SQLITE_OK;
}

static int v_delete(sqlite3_vfs *v, const char *name, int sync)
{
    (void)v, (void)name, (void)sync;
    return SQLITE_OK;
}

static int v_access(sqlite3_vfs *v, const char *name, int how, int *is)
{
    (void)v, (void)name, (void)how;
    *is = 0;
    return SQLITE_OK;
}

static int v_path(sqlite3_vfs *v, const char *name, int n, char *to)
{
    (void)v;
    sqlite3_snprintf(n, to, "%s", name);
    return SQLITE_OK;
}

const char *sql_file(int fd)
{
    static sqlite3_vfs vfs;
    static int of;
    const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    if (!usual)
        return NULL;
    of = fd;
    if (!vfs.zName) {
        vfs = *usual;
        vfs.iVersion = 1;
        vfs.szOsFile = sizeof(struct file);
        vfs.pNext = NULL;
        vfs.zName = "gotop";
        vfs.pAppData = &of;
        vfs.xOpen = v_open;
        vfs.xDelete = v_delete;
        vfs.xAccess = v_access;
        vfs.xFullPathname = v_path;
    }
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : NULL;
}
