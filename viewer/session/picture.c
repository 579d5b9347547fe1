/*
 * picture.c - see picture.h. A file that is there is never written over.
 */
#include "viewer/session/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "layout/move/move.h"
#include "triage/exports/target.h"
#include "viewer/command/svg.h"

enum { NUMBERS = 1000, NAME = 32 };

/* Opens a new file; errno is EEXIST where there is one, which the clerk allows if it made it itself. */
static enum err_code picture_new(struct out_target *t, const char *name, struct err *e)
{
    struct stat st;
    if (clerk_on()) {
        if (lstat(name, &st) != 0)
            return target_open(t, name, false, e);
        errno = EEXIST;
        return target_failed(name, e);
    }
    *t = (struct out_target){.fd = -1, .own = true, .made = true};
    snprintf(t->to, sizeof t->to, "%s", name);
    t->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return t->fd < 0 ? target_failed(name, e) : ERR_OK;
}

static bool picture_print(struct app *a, const struct out_target *t)
{
    const int fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    svg_print(&a->grid, a->colours.palette, f);
    const bool wrong = ferror(f);
    return fclose(f) == 0 && !wrong;
}

unsigned picture_write(struct app *a)
{
    char name[NAME] = "";
    struct out_target t;
    struct err e = {0};
    enum err_code rc = ERR_IO;
    errno = EEXIST;
    for (int i = 1; rc && errno == EEXIST && i < NUMBERS; i++) {
        snprintf(name, sizeof name, "gotop-%d.svg", i);
        rc = picture_new(&t, name, &e);
    }
    if (!rc) {
        const bool whole = target_begin(&t) && picture_print(a, &t);
        if (!target_close(&t, whole) || !whole)
            rc = target_failed(name, &e);
    }
    return rc ? move_fail(&a->view, "%s", e.what)
              : view_message(&a->view, false, "this screen as a picture: %s", name);
}
