/* host.c - see host.h. */
#include "decode/base/host.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* The number behind a word that a line of the file begins with ("" = the first line's); 0 = it has none. */
static uint64_t number_in(const char *path, const char *word)
{
    char line[128];
    unsigned long long v = 0;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, word, strlen(word)) && sscanf(line + strlen(word), "%llu", &v) == 1)
            break;
    if (f)
        fclose(f);
    return v;
}

uint64_t host_memory(void)
{
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t have = number_in("/proc/meminfo", "MemAvailable:") * 1024,
             group = number_in("/sys/fs/cgroup/memory.max", "");
    if (!have && pages > 0 && size > 0) /* an old kernel, another system: what lies bare */
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
        ((unsigned char *)p)[got] = (unsigned char)((now.tv_nsec >> got % 8) ^ (uintptr_t)&now >> 8 ^
                                                    (uint64_t)getpid() ^ (uintptr_t)p >> 12);
    }
}

void host_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
