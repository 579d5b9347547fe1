/*
 * spill.c - see spill.h.
 *
 * No range is used twice: released ranges are punched out of the file, so that they take no room on the
 * disk, and offsets do not run out.
 */
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int fd;
    bool tried, forbidden;
    atomic_bool works;
    char why[96];
    uint64_t end, bytes; /* offset after all ranges used so far; bytes in use now */
    uint64_t most;       /* most bytes it may take: others use the disk too */
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

/* Reserve the next n bytes of the file on the disk for the caller. Needs the lock. */
static bool reserve(size_t n)
{
    int rc = file.bytes + n > file.most ? ENOSPC : posix_fallocate(file.fd, (off_t)file.end, (off_t)n);
    if (rc && atomic_exchange(&file.works, false))
        snprintf(file.why, sizeof file.why, "the temporary file can't grow: %s", strerror(rc));
    if (rc)
        return false;
    file.end += n;
    file.bytes += n;
    return true;
}

bool spill_take(size_t n, uint64_t *at)
{
    if (file.fd < 0 || file.forbidden)
        return false;
    pthread_mutex_lock(&lock);
    *at = file.end;
    const bool ok = reserve(n);
    pthread_mutex_unlock(&lock);
    return ok;
}

bool spill_more(uint64_t at, size_t n)
{
    pthread_mutex_lock(&lock);
    const bool ok = at == file.end && reserve(n);
    pthread_mutex_unlock(&lock);
    return ok;
}

void spill_give(uint64_t at, size_t n)
{
    pthread_mutex_lock(&lock);
    file.bytes -= n;
    pthread_mutex_unlock(&lock);
    host_punch(file.fd, at, n);
}

uint64_t spill_bytes(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = file.bytes;
    pthread_mutex_unlock(&lock);
    return n;
}
