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
#include "triage/sentence.h"

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

/* What stood there before stays, unless all is written. */
static int say_file(const char *command, const char *path, const struct text *t)
{
    struct out o;
    struct err e;
    if (out_open(&o, path, false, &e))
        return say_failed(command, "-o", e.what);
    out_write(&o, t->p, t->n);
    return out_close(&o, true, &e) ? say_failed(command, "-o", e.what) : 0;
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

int say_text(const char *command, const char *path, const struct text *t)
{
    if (path)
        return say_file(command, path, t);
    struct err e;
    if (say_out(t, &e) || !e.code)
        return 0;
    char why[sizeof e.what + 32];
    snprintf(why, sizeof why, "could not be written whole: %s", e.what);
    return say_failed(command, "standard output", why);
}

int say_list(const char *command, struct text *t)
{
    int status =
        text_ok(t) ? say_text(command, NULL, t) : say_failed(command, "standard output", "out of memory");
    text_free(t);
    return status;
}

/* ---- usage --------------------------------------------------------------------------------------------- */

static size_t columns;

void say_columns(size_t n)
{
    columns = n;
}

size_t say_width(void)
{
    return columns;
}

static size_t blanks(const char *s)
{
    return strspn(s, " ");
}

/* Where the words of a line begin that stand behind an option: two blanks and more are between them. */
static size_t hang_of(const char *s, size_t n)
{
    size_t at = blanks(s), hang = at;
    for (size_t i = at; i + 2 < n; i++) {
        if (s[i] == ' ' && s[i + 1] == ' ' && s[i + 2] != ' ') {
            hang = i + 2;
            break;
        }
    }
    return hang > at && hang <= columns / 2 ? hang : at ? at + 4 : 0;
}

static void pad(struct text *t, size_t n)
{
    while (n--)
        text_lit(t, " ");
}

/* A word, on a line of its own if there is no room behind what stands. */
static void put_word(struct text *t, size_t *used, size_t hang, const char *s, size_t n)
{
    if (*used + 1 + n > columns && *used > hang) {
        text_lit(t, "\n");
        pad(t, hang);
        *used = hang;
    } else if (*used > hang) {
        text_lit(t, " ");
        *used += 1;
    }
    text_raw(t, s, n);
    *used += n;
}

/* Adds a line that is too long. Returns what follows it. */
static const char *put_long(struct text *t, const char *s, size_t n)
{
    const size_t hang = hang_of(s, n);
    const char *end = s + n;
    size_t used = hang < n ? hang : n;
    text_raw(t, s, used);
    for (s += used;; s = end + 1 + hang, end += 1 + strcspn(end + 1, "\n")) {
        for (; s < end; s += strcspn(s, " \n") + blanks(s + strcspn(s, " \n")))
            put_word(t, &used, hang, s, strcspn(s, " \n"));
        if (!*end || !end[1] || end[1] == '\n' || blanks(end + 1) != hang)
            return end;
    }
}

void say_fitted(struct text *out, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        if (!columns || n <= columns) {
            text_raw(out, text, n);
            text += n;
        } else {
            text = put_long(out, text, n);
        }
        if (*text) {
            text_lit(out, "\n");
            text++;
        }
    }
}

/* Returns the column where a line continues: below its last column, if that leaves room. */
static size_t below(const char *s, size_t n)
{
    const size_t indent = blanks(s);
    size_t at = indent + 4;
    for (size_t i = indent + 2; i < n && i <= columns * 2 / 3; i++)
        if (s[i] != ' ' && s[i - 1] == ' ' && s[i - 2] == ' ')
            at = i;
    return at < columns * 2 / 3 ? at : indent;
}

void say_broken(struct text *out, const char *s)
{
    for (size_t n; *s; s += n + (s[n] == '\n')) {
        n = strcspn(s, "\n");
        text_fold(out, s, n, columns ? columns : n, columns ? below(s, n) : 0);
        text_raw(out, "\n", s[n] == '\n');
    }
}

int say_page(const char *command, const char *path, const struct text *t)
{
    struct text out = {0};
    if (path || !columns || !t->p)
        return say_text(command, path, t);
    say_broken(&out, t->p);
    out.failed |= t->failed;
    const int status = say_text(command, path, &out);
    text_free(&out);
    return status;
}
