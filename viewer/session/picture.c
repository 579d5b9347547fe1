/*
 * picture.c - see picture.h. A file that is there is never written over.
 */
#include "viewer/session/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layout/move/move.h"
#include "viewer/command/svg.h"

enum { NUMBERS = 1000, NAME = 32 };

static unsigned picture_failed(struct app *a, const char *name)
{
    return move_fail(&a->view, "%s can't be written: %s", name, strerror(errno));
}

unsigned picture_write(struct app *a)
{
    char name[NAME] = "gotop-1.svg";
    int fd = -1;
    for (int i = 1; fd < 0 && i < NUMBERS && (i == 1 || errno == EEXIST); i++) {
        snprintf(name, sizeof name, "gotop-%d.svg", i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        const unsigned flags = picture_failed(a, name);
        if (fd >= 0)
            close(fd);
        return flags;
    }
    svg_print(&a->grid, a->colours.palette, f);
    const bool wrong = ferror(f);
    if (fclose(f) != 0 || wrong)
        return picture_failed(a, name);
    return view_message(&a->view, false, "this screen as a picture: %s", name);
}
