/*
 * feed_request.c - what both HTTP clients of feed.c have in common: what may be asked, and what is said of an
 * answer that is no trace.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/origin.h"
#include "decode/input/feed_priv.h"

const char feed_bad_request[] = "the URL, a header or the token holds control bytes, or they are too long";

/* "Name: value". What begins with "@" curl would read from a file. */
static bool is_header(const char *s)
{
    const size_t n =
        strspn(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return n && s[n] == ':';
}

static bool is_method(const char *s)
{
    return !s || (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")]);
}

bool feed_secret(const struct feed_opts *o)
{
    return o->nheaders || o->token_file || o->cert;
}

enum err_code feed_request_wrong(const struct feed_opts *o, struct err *e)
{
    for (int i = 0; i < o->nheaders; i++)
        if (!is_header(o->header[i]))
            return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                           "a header (-H) is 'NAME: VALUE'; no file is read for it");
    if (!is_method(o->method))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "a method (--method) is a word, as POST");
    return ERR_OK;
}

enum err_code feed_token(const char *path, char header[FEED_TOKEN], struct err *e)
{
    char line[FEED_TOKEN - 32];
    FILE *f = fopen(path, "re");
    origin_note(f ? fileno(f) : -1);
    if (!f)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the token's file can't be read: %s", strerror(errno));
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    if (!got)
        return err_set(e, ERR_EMPTY, ERR_NO_OFFSET, "the token's file is empty");
    line[strcspn(line, "\r\n")] = 0;
    snprintf(header, FEED_TOKEN, "Authorization: Bearer %s", line);
    explicit_bzero(line, sizeof line);
    return ERR_OK;
}

/* The path of a URL: what is behind "?" may be secret. */
void feed_note_path(struct feed *f, const char *url)
{
    const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;
    snprintf(f->asked, sizeof f->asked, "%.*s", path ? (int)strcspn(path, "?#") : 1, path ? path : "/");
}

/* The first line, without curl's own number of the error. */
const char *feed_first_line(char *s)
{
    s[strcspn(s, "\r\n")] = 0;
    char *behind = strncmp(s, "curl: (", 7) == 0 ? strstr(s, ") ") : NULL;
    return behind ? behind + 2 : s;
}

enum { HTTP_NOT_FOUND = 404 };

/* What was asked for isn't what was typed: where that isn't there, both are said. */
enum err_code feed_refused(const struct feed *f, int http, const char *why, struct err *e)
{
    static const char usual[] = "/debug/pprof/trace";
    if (http != HTTP_NOT_FOUND || !f->asked[0])
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the server answered %d: %s", http, why);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "the server answered 404: %.60s; %.80s isn't there%s", why,
                   f->asked,
                   strcmp(f->asked, usual) == 0 ? ": is this the port of net/http/pprof?"
                                                : " (a path that ends in ? is asked for as it is)");
}

enum err_code feed_moved(const struct feed *f, int http, const char *to, struct err *e)
{
    char shown[FEED_SHOWN];
    if (!*to)
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "the server answered %d, a redirect, and doesn't say where to", http);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "it has moved to %s: ask there%s", feed_shown(to, shown),
                   f->secret ? " (headers, tokens and certificates don't follow redirects)" : "");
}

enum err_code feed_no_socket(struct err *e)
{
    return err_set(e, ERR_IO, ERR_NO_OFFSET,
                   "can't connect to that socket: it is missing, is none, or nobody listens there");
}

enum err_code feed_stalled(const struct feed *f, struct err *e)
{
    return err_set(e, ERR_IO, ERR_NO_OFFSET,
                   "nothing came for %ds (--stall-timeout): it stands still, or is of Go 1.21 or older "
                   "(then: gotop record)",
                   f->stall_s);
}
