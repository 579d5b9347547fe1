/*
 * say.c - see say.h.
 */
#include "triage/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/door.h"
#include "decode/input/feed.h"
#include "triage/exports/export_out.h"
#include "triage/text.h"

int say_failed(const char *command, const char *what, const char *why)
{
    struct text t = {0};
    char shown[FEED_SHOWN];
    const char *name = strstr(what, "://") ? feed_shown(what, shown) : what;
    text_say(&t, NULL, t_clean(name), ": ", t_clean(why));
    door_printf(stderr, "gotop%s%s: %s\n", command ? " " : "", command ? command : "",
                t.p ? t.p : "out of memory");
    text_free(&t);
    return 2;
}

bool say_out(const struct text *t, struct err *e)
{
    *e = (struct err){0};
    if (!text_ok(t)) {
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
        return false;
    }
    if (target_may(NULL, e)) {
        err_set(e, ERR_ARG, ERR_NO_OFFSET, "that file is read here");
        return false;
    }
    bool whole = !t->n || fwrite(t->p, 1, t->n, stdout) == t->n;
    whole &= fflush(stdout) == 0;
    if (!whole && errno != EPIPE)
        err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", strerror(errno));
    return whole;
}

int say_list(const char *command, struct text *t)
{
    return say_answer(command, true, NULL, t);
}

/* ---- narrow terminals ---------------------------------------------------------------------------------- */

static size_t columns;

void say_columns(size_t n)
{
    columns = n;
}

size_t say_width(size_t most)
{
    return columns && columns < most ? columns : most;
}

/* Returns the column where a line continues: below its last column, if that leaves room. */
static size_t column_below(const char *s, size_t n, size_t width)
{
    const size_t indent = strspn(s, " ");
    size_t at = indent ? indent + 4 : 0;
    for (size_t i = indent + 2; i < n && i <= width * 2 / 3; i++)
        if (s[i] != ' ' && s[i - 1] == ' ' && s[i - 2] == ' ')
            at = i;
    return at < width * 2 / 3 ? at : indent;
}

void say_fitted(struct text *out, const char *s, size_t width)
{
    for (size_t n; *s; s += n + (s[n] == '\n')) {
        n = strcspn(s, "\n");
        text_fold(out, s, n, width, column_below(s, n, width));
        text_raw(out, "\n", s[n] == '\n');
    }
}

void say_help(struct text *out, const char *s)
{
    enum { WIDEST = 110 };
    say_fitted(out, s, say_width(WIDEST));
}

int say_answer(const char *command, bool json, const char *path, struct text *t)
{
    struct text fitted = {.failed = t->failed};
    struct out o;
    struct err e = {0};
    char why[sizeof e.what + 32];
    const bool fits = !json && !path && columns && t->p;
    if (fits)
        say_fitted(&fitted, t->p, columns);
    const struct text *said = fits ? &fitted : t;
    if (path && !out_open(&o, path, false, &e)) { /* its old content stays unless all is written */
        out_text(&o, said);
        (void)out_close(&o, ERR_OK, &e);
    } else if (!path && !say_out(said, &e)) {
        snprintf(why, sizeof why, "could not be written whole: %s", e.what);
    }
    text_free(&fitted);
    text_free(t);
    return !e.code ? 0 : say_failed(command, path ? "-o" : "standard output", path ? e.what : why);
}
