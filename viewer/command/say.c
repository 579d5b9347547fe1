/*
 * say.c - see say.h.
 */
#include "viewer/command/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/door.h"
#include "layout/draw/cells.h"
#include "viewer/command/options.h"

void say_error(const char *path, const struct err *e)
{
    char name[512];
    str_safe(str_of(strcmp(path, "-") == 0 ? "standard input" : path), name, sizeof name);
    if (e->offset == ERR_NO_OFFSET)
        door_printf(stderr, "gotop: %s: %s\n", name, e->what);
    else
        door_printf(stderr, "gotop: %s: %s (offset %llu)\n", name, e->what, (unsigned long long)e->offset);
}

int finish_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE)
        return status;
    door_printf(stderr, "gotop: standard output: %s\n", errno ? strerror(errno) : "write error");
    return EXIT_UNREADABLE;
}
