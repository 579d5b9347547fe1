/*
 * say.c - see say.h.
 */
#include "triage/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/door.h"

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

int say_text(const char *command, const char *path, const struct text *t)
{
    FILE *f = path ? fopen(path, "wb") : stdout;
    if (!f) {
        return say_failed(command, path, "can't be written");
    }
    bool bad = t->n && fwrite(t->p, 1, t->n, f) != t->n;
    bad |= path ? fclose(f) != 0 : fflush(f) != 0;
    return bad && errno != EPIPE ? say_failed(command, path ? path : "standard output", "could not be written whole")
                                 : 0;
}
