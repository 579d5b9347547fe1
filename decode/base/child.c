/* child.c - see child.h. */
#include "decode/base/child.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/rows.h"

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

bool child_name(const char *path, char *out, size_t size)
{
    const bool from_somewhere = path[0] == '/' || strncmp(path, "./", 2) == 0;
    const int len = snprintf(out, size, "%s%s", from_somewhere ? "" : "./", path);
    return *path && len > 0 && (size_t)len < size &&
           !any_of(i, (size_t)len, (unsigned char)out[i] < 0x20 || out[i] == 0x7F);
}
