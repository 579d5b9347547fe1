/* spill.c - see spill.h. Of the file's ranges those are listed that are free; what is behind `end` was never
 * handed out. */
#include "decode/base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/host.h"

struct hole {
    uint64_t at, n;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int fd;
    bool tried, forbidden;
    atomic_bool works;
    char why[96];
    uint64_t end, bytes;
    uint64_t most;     /* so long it may become: others use the disk, too */
    struct hole *hole; /* ascending, none next to another */
    size_t nholes, cap;
} file = {.fd = -1};

void spill_forbid(void)
{
    file.forbidden = true;
}

bool spill_open(void)
{
    const char *dirs[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    if (file.forbidden || file.tried)
        return file.fd >= 0 && !file.forbidden;
    file.tried = true;
    host_mapped_begin();
    snprintf(file.why, sizeof file.why, "no folder for a temporary file");
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs && file.fd < 0; i++)
        if (dirs[i] && dirs[i][0] == '/') {
            file.fd = host_unnamed_file(dirs[i]);
            if (file.fd < 0)
                snprintf(file.why, sizeof file.why, "no temporary file: %s",
                         errno == EMEDIUMTYPE ? "its folder is in memory" : strerror(errno));
        }
    if (file.fd >= 0)
        file.why[0] = 0;
    file.most = file.fd >= 0 ? host_disk_free(file.fd) / 8 * 7 : 0;
    atomic_store(&file.works, file.fd >= 0);
    return file.fd >= 0;
}

const char *spill_why(void)
{
    return file.forbidden ? "temporary files are forbidden (--no-spill)" : file.why;
}

bool spill_works(void)
{
    return atomic_load(&file.works);
}

int spill_fd(void)
{
    return file.fd;
}

/* The n bytes from `at` on become the disk's. */
static bool reserve(uint64_t at, size_t n)
{
    int rc = at + n > file.most ? ENOSPC : posix_fallocate(file.fd, (off_t)at, (off_t)n);
    if (rc && atomic_exchange(&file.works, false))
        snprintf(file.why, sizeof file.why, "the temporary file can't grow: %s", strerror(rc));
    return !rc;
}

static void hole_cut(size_t i, uint64_t n)
{
    struct hole *h = &file.hole[i];
    h->at += n;
    h->n -= n;
    if (!h->n)
        memmove(h, h + 1, (--file.nholes - i) * sizeof *h);
}

/* n bytes at a hole's start, or at the end of the file. Under the lock. */
static bool taken(size_t n, uint64_t at, bool hole, size_t i)
{
    if (!reserve(at, n))
        return false;
    if (hole)
        hole_cut(i, n);
    else
        file.end += n;
    file.bytes += n;
    return true;
}

bool spill_take(size_t n, uint64_t *at)
{
    if (file.fd < 0 || file.forbidden)
        return false;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < file.nholes && file.hole[i].n < n)
        i++;
    const bool hole = i < file.nholes;
    *at = hole ? file.hole[i].at : file.end;
    const bool ok = taken(n, *at, hole, i);
    pthread_mutex_unlock(&lock);
    return ok;
}

bool spill_more(uint64_t at, size_t n)
{
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < file.nholes && file.hole[i].at < at)
        i++;
    const bool hole = i < file.nholes && file.hole[i].at == at && file.hole[i].n >= n;
    const bool ok = (hole || at == file.end) && taken(n, at, hole, i);
    pthread_mutex_unlock(&lock);
    return ok;
}

/* A hole becomes known; for want of memory its bytes are lost, not wrong. */
static void hole_add(uint64_t at, uint64_t n)
{
    size_t i = 0;
    while (i < file.nholes && file.hole[i].at < at)
        i++;
    bool left = i && file.hole[i - 1].at + file.hole[i - 1].n == at;
    bool right = i < file.nholes && at + n == file.hole[i].at;
    if (left) {
        file.hole[i - 1].n += n + (right ? file.hole[i].n : 0);
        if (right)
            hole_cut(i, file.hole[i].n);
    } else if (right) {
        file.hole[i].at = at;
        file.hole[i].n += n;
    } else {
        if (file.nholes == file.cap) {
            size_t cap = file.cap ? file.cap * 2 : 64;
            struct hole *h = realloc(file.hole, cap * sizeof *h);
            if (!h)
                return;
            file.hole = h;
            file.cap = cap;
        }
        memmove(&file.hole[i + 1], &file.hole[i], (file.nholes++ - i) * sizeof *file.hole);
        file.hole[i] = (struct hole){at, n};
    }
    struct hole *last = &file.hole[file.nholes - 1];
    if (last->at + last->n == file.end) {
        file.end = last->at;
        file.nholes--;
    }
}

void spill_give(uint64_t at, size_t n)
{
    pthread_mutex_lock(&lock);
    file.bytes -= n;
    if (host_punch(file.fd, at, n)) /* else nobody gets it again, for it is no zeros */
        hole_add(at, n);
    pthread_mutex_unlock(&lock);
}

uint64_t spill_bytes(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = file.bytes;
    pthread_mutex_unlock(&lock);
    return n;
}
