/*
 * say.c - see say.h.
 */
#include "viewer/command/say.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/input/feed.h"
#include "layout/cells/cells.h"
#include "viewer/command/cmdline.h"

void say_error(const char *path, const struct err *e)
{
    char name[512], shown[FEED_SHOWN];
    str_safe(str_of(strcmp(path, "-") == 0 ? "standard input" : feed_shown(path, shown)), name, sizeof name);
    if (e->offset == ERR_NO_OFFSET)
        door_printf(stderr, "gotop: %s: %s\n", name, e->what);
    else
        door_printf(stderr, "gotop: %s: %s (offset %llu)\n", name, e->what, (unsigned long long)e->offset);
}

/* A write has failed, and stdio does not keep why: perhaps the reader of a pipe has gone. */
static bool reader_gone(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}

int finish_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE || (!errno && reader_gone()))
        return status;
    door_printf(stderr, "gotop: standard output: %s\n", errno ? strerror(errno) : "write error");
    return EXIT_UNREADABLE;
}
