/*
 * say.c - see say.h.
 */
#include "triage/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/door.h"
#include "triage/exports/export_out.h"

int say_failed(const char *command, const char *what, const char *why)
{
    struct text t = {0};
    text_clean(&t, what, strlen(what), 0);
    text_lit(&t, ": ");
    text_clean(&t, why, strlen(why), 0);
    door_printf(stderr, "gotop %s: %s\n", command, t.p ? t.p : "out of memory");
    text_free(&t);
    return 2;
}

/* What stood there before stays, unless all is written. */
static int say_file(const char *command, const char *path, const struct text *t)
{
    struct out o;
    struct err e;
    if (out_open(&o, path, false, &e)) {
        return say_failed(command, path, "can't be written");
    }
    out_write(&o, t->p, t->n);
    return out_close(&o, true, &e) ? say_failed(command, path, "could not be written whole") : 0;
}

int say_text(const char *command, const char *path, const struct text *t)
{
    if (path) {
        return say_file(command, path, t);
    }
    bool bad = t->n && fwrite(t->p, 1, t->n, stdout) != t->n;
    bad |= fflush(stdout) != 0;
    return bad && errno != EPIPE ? say_failed(command, "standard output", "could not be written whole") : 0;
}

int say_list(const char *command, struct text *t)
{
    int status = text_ok(t) ? say_text(command, NULL, t) : say_failed(command, "standard output", "out of memory");
    text_free(t);
    return status;
}

int say_usage(const char *command, const char *usage)
{
    struct text t = {0};
    text_raw(&t, usage, strlen(usage));
    return say_list(command, &t);
}
