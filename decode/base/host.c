/* host.c - see host.h. */
#include "decode/base/host.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* Returns the number after a word at the start of a line of the file ("" = the first line's); 0 = none. */
static uint64_t number_in(const char *path, const char *word)
{
    char line[128];
    unsigned long long v = 0;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, word, strlen(word)) &&
            sscanf(line + strlen(word), "%llu", &v) == 1) /* NOLINT(cert-err34-c): the kernel's */
            break;
    if (f)
        fclose(f);
    return v;
}

int64_t host_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns the lower of two limits; 0 is none. */
static uint64_t lower(uint64_t a, uint64_t b)
{
    return a && (!b || a < b) ? a : b;
}

/* Returns the least limit of a group and its ancestors. Ancestors above the mounted part are not visible.
 * Those that this host doesn't show are left out, as in a container that has the host's path and its own
 * group as the root. */
static uint64_t upwards(const char *folder, const char *group, const char *file)
{
    char path[8192], way[4096];
    uint64_t least = 0;
    if (snprintf(way, sizeof way, "%s", strstr(group, "/..") ? "" : group) >= (int)sizeof way)
        way[0] = 0;
    for (bool root = false; !root;) {
        root = !way[0];
        if (snprintf(path, sizeof path, "%s%s/%s", folder, way, file) < (int)sizeof path)
            least = lower(number_in(path, ""), least);
        char *slash = strrchr(way, '/');
        *(slash ? slash : way) = 0;
    }
    return least;
}

/* Returns whether "memory" is among the controllers of version 1, "a,b,c". */
static bool has_memory(const char *names)
{
    const char *const word = "memory";
    for (size_t n; *names; names += n + (names[n] == ',')) {
        n = strcspn(names, ",:");
        if (n == strlen(word) && memcmp(names, word, n) == 0)
            return true;
        if (names[n] == ':')
            break;
    }
    return false;
}

uint64_t host_group_memory(const char *list, const char *mounted)
{
    char line[4200], folder[4096];
    uint64_t least = 0;
    FILE *f = fopen(list, "re");
    while (f && fgets(line, sizeof line, f)) { /* "4:memory:/a/b", "0::/a/b" */
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group)
            continue;
        group[1 + strcspn(group + 1, "\n")] = 0;
        if (names[1] == ':')
            least = lower(upwards(mounted, group + 1, "memory.max"), least);
        else if (has_memory(names + 1) &&
                 snprintf(folder, sizeof folder, "%s/memory", mounted) < (int)sizeof folder)
            least = lower(upwards(folder, group + 1, "memory.limit_in_bytes"), least);
    }
    if (f)
        fclose(f);
    return lower(upwards(mounted, "", "memory.max"), least);
}

uint64_t host_memory(void)
{
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t have = number_in("/proc/meminfo", "MemAvailable:") * 1024,
             group = host_group_memory("/proc/self/cgroup", "/sys/fs/cgroup");
    if (!have && pages > 0 && size > 0) /* an old kernel or another system: count only free pages */
        have = (uint64_t)pages * (uint64_t)size;
    return group && group < have ? group : have;
}

void host_random(void *p, size_t n)
{
    if (!getentropy(p, n))
        return;
    FILE *f = fopen("/dev/urandom", "re"); /* an old kernel */
    size_t got = f ? fread(p, 1, n, f) : 0;
    if (f)
        fclose(f);
    struct timespec now = {0};
    for (; got < n; got++) {
        clock_gettime(CLOCK_REALTIME, &now);
        ((unsigned char *)p)[got] =
            (unsigned char)(((uint64_t)now.tv_nsec >> got % 8) ^ (uintptr_t)&now >> 8 ^ (uint64_t)getpid() ^
                            (uintptr_t)p >> 12);
    }
}

void host_heap(size_t large)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, (int)large);
#else
    (void)large;
#endif
}

void host_heap_keeps(void)
{
#ifdef __GLIBC__
    enum { AHEAD = 4 << 20, KEPT = 8 << 20 };
    (void)mallopt(M_TOP_PAD, AHEAD);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

void host_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int host_unnamed_file(const char *folder)
{
    enum { TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };
    struct statfs st;
    char path[4096];
    if (statfs(folder, &st))
        return -1;
    if ((int)st.f_type == TMPFS || (int)st.f_type == RAMFS) {
        errno = EMEDIUMTYPE;
        return -1;
    }
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || errno == ENOENT || errno == EACCES)
        return fd;
    if (snprintf(path, sizeof path, "%s/gotop-XXXXXX", folder) >= (int)sizeof path) /* no such files there */
        return -1;
    if ((fd = mkostemp(path, O_CLOEXEC)) >= 0)
        unlink(path);
    return fd;
}

uint64_t host_disk_free(int fd)
{
    struct statfs st;
    const uint64_t most = INT64_MAX;
    if (fstatfs(fd, &st) || st.f_bsize <= 0)
        return most;
    return (uint64_t)st.f_bavail > most / (uint64_t)st.f_bsize ? most
                                                               : (uint64_t)st.f_bavail * (uint64_t)st.f_bsize;
}

bool host_punch(int fd, uint64_t at, uint64_t n)
{
    return !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n);
}

static int statm = -1;

void host_mapped_begin(void)
{
    if (statm < 0)
        statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

uint64_t host_mapped(void)
{
    char text[128];
    unsigned long long all, held, files;
    ssize_t n = statm < 0 ? -1 : pread(statm, text, sizeof text - 1, 0);
    if (n <= 0)
        return 0;
    text[n] = 0;
    long page = sysconf(_SC_PAGESIZE);
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's */
    return sscanf(text, "%llu %llu %llu", &all, &held, &files) == 3 && page > 0 ? files * (uint64_t)page : 0;
}

void host_sort(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *ctx)
{
    if (n)
        qsort_r(v, n, size, cmp, ctx);
}

bool host_write_all(int fd, const void *p, size_t n)
{
    const char *at = p;
    while (n) {
        const ssize_t k = write(fd, at, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}
