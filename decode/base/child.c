/* child.c - see child.h. */
#include "decode/base/child.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 16 };
static struct {
    int sig;
    struct sigaction was;
} ours[MOST];
static int n;

void child_ignore(int sig)
{
    struct sigaction none = {.sa_handler = SIG_IGN};
    if (n < MOST && sigaction(sig, &none, &ours[n].was) == 0)
        ours[n++].sig = sig;
}

void child_signals(void)
{
    for (int i = 0; i < n; i++)
        (void)sigaction(ours[i].sig, &ours[i].was, NULL);
}

static bool from_somewhere(const char *path)
{
    return path[0] == '/' || strncmp(path, "./", 2) == 0;
}

static bool child_takes(const char *path)
{
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            return false;
    return from_somewhere(path);
}

bool child_name(const char *path, char *out, size_t size)
{
    const int len = snprintf(out, size, "%s%s", from_somewhere(path) ? "" : "./", path);
    return *path && len > 0 && (size_t)len < size && child_takes(out);
}
