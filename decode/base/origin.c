/* origin.c - see origin.h. */
#include "decode/base/origin.h"

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decode/base/rows.h"

#ifndef STATX_BTIME /* musl before 1.2.5 lacks it: the part of the kernel's struct that we read */
#define STATX_BTIME 0x800u
struct statx {
    uint32_t stx_mask, skipped[19];
    struct {
        int64_t tv_sec;
        uint32_t tv_nsec, skipped;
    } stx_btime;
    uint64_t rest[20];
};
#define statx(dir, path, flags, mask, x) syscall(SYS_statx, dir, path, flags, mask, x)
_Static_assert(sizeof(struct statx) == 256 && offsetof(struct statx, stx_btime) == 80, "as the kernel's");
#endif

/* These are more than the traces of a command line (JOINT_MAX). Beyond that, which only a test reaches, the
 * oldest is forgotten. */
enum { ORIGINS = 8192 };
struct origin {
    uint64_t dev, ino;
    int64_t made_s; /* made_ns 0 and made_s 0: unknown */
    uint32_t made_ns;
};
static struct origin noted[ORIGINS];
static size_t n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns false if it doesn't exist or is no regular file. path NULL: the file open as fd. */
static bool read_origin(int fd, const char *path, struct origin *o)
{
    struct stat st;
    if ((path ? stat(path, &st) : fstat(fd, &st)) || !S_ISREG(st.st_mode))
        return false;
    *o = (struct origin){.dev = st.st_dev, .ino = st.st_ino};
    struct statx x;
    if (statx(path ? AT_FDCWD : fd, path ? path : "", path ? 0 : AT_EMPTY_PATH, STATX_BTIME, &x) == 0 &&
        x.stx_mask & STATX_BTIME) {
        o->made_s = x.stx_btime.tv_sec;
        o->made_ns = x.stx_btime.tv_nsec;
    }
    return true;
}

static bool is_same_file(const struct origin *a, const struct origin *b)
{
    const bool dated = (a->made_s || a->made_ns) && (b->made_s || b->made_ns);
    return a->ino == b->ino && a->dev == b->dev &&
           (!dated || (a->made_s == b->made_s && a->made_ns == b->made_ns));
}

static bool has(const struct origin *o)
{
    return any_of(i, n < ORIGINS ? n : ORIGINS, is_same_file(&noted[i], o));
}

void origin_note(int fd, const char *path)
{
    struct origin o;
    if (!read_origin(fd, path, &o))
        return;
    pthread_mutex_lock(&lock);
    if (!has(&o))
        memcpy(&noted[n++ % ORIGINS], &o, sizeof o);
    pthread_mutex_unlock(&lock);
}

bool origin_is(int fd, const char *path)
{
    struct origin o;
    pthread_mutex_lock(&lock);
    const bool is = n && read_origin(fd, path, &o) && has(&o);
    pthread_mutex_unlock(&lock);
    return is;
}
