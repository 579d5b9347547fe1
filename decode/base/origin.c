/* origin.c - see origin.h. */
#include "decode/base/origin.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

/* More than the traces of a command line (JOINT_MAX). Beyond that, which only a test reaches, the oldest is
 * forgotten. */
enum { ORIGINS = 8192 };
struct origin {
    uint64_t dev, ino;
};
static struct origin noted[ORIGINS];
static size_t n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns false if it doesn't exist or is no regular file. path NULL: the file open as fd. */
static bool look(int fd, const char *path, struct origin *o)
{
    struct stat st;
    if ((path ? stat(path, &st) : fstat(fd, &st)) || !S_ISREG(st.st_mode))
        return false;
    *o = (struct origin){.dev = st.st_dev, .ino = st.st_ino};
    return true;
}

static bool has(const struct origin *o)
{
    for (size_t i = n < ORIGINS ? n : ORIGINS; i-- > 0;)
        if (noted[i].ino == o->ino && noted[i].dev == o->dev)
            return true;
    return false;
}

static void note(int fd, const char *path)
{
    struct origin o;
    if (!look(fd, path, &o))
        return;
    pthread_mutex_lock(&lock);
    if (!has(&o))
        memcpy(&noted[n++ % ORIGINS], &o, sizeof o);
    pthread_mutex_unlock(&lock);
}

static bool is_noted(int fd, const char *path)
{
    struct origin o;
    pthread_mutex_lock(&lock);
    const bool is = n && look(fd, path, &o) && has(&o);
    pthread_mutex_unlock(&lock);
    return is;
}

void origin_note(int fd)
{
    note(fd, NULL);
}

void origin_note_path(const char *path)
{
    if (path)
        note(-1, path);
}

bool origin_is(int fd)
{
    return is_noted(fd, NULL);
}

bool origin_is_path(const char *path)
{
    return is_noted(-1, path);
}
