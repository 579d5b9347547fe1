/*
 * feed_curl.c - the curl program as the HTTP client of feed.c.
 *
 * Its whole configuration goes through a pipe (curl's --config -), so that tokens and headers are in no list
 * of processes. It is started without a shell, and with -q first, so that the user's own configuration
 * changes nothing. It has a process group of its own, because only gotop is to act on Ctrl-C; and when gotop
 * ends, for whatever reason, it ends too. It follows redirects only if the request has no secret, which
 * another server would get.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/input/feed_priv.h"
#include "decode/base/child.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"

enum { CURL_CONNECT = 7, CURL_TIME = 28, CURL_REDIRECTS = 47 };

/* Quote the value, as curl's configuration needs it. */
static void put_value(struct feed_text *c, const char *name, const char *value)
{
    if (!value)
        return;
    feed_put(c, "%s = \"", name);
    for (const char *p = value; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            c->bad = true;
        feed_put(c, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    }
    feed_put(c, "\"\n");
}

/* child_name() makes sure that curl takes the value for a file: "-" would be standard input. */
static void put_file(struct feed_text *c, const char *name, const char *path)
{
    char whole[4096];
    if (!path)
        return;
    if (!child_name(path, whole, sizeof whole))
        c->bad = true;
    put_value(c, name, whole);
}

/* A colon in a certificate's path must be escaped, because curl reads a password after it. */
static void put_cert(struct feed_text *c, const char *path)
{
    char plain[2 * 4096];
    size_t n = 0;
    for (const char *p = path; p && *p && n + 2 < sizeof plain; p++) {
        if (*p == ':' || *p == '\\')
            plain[n++] = '\\';
        plain[n++] = *p;
    }
    plain[n] = 0;
    put_file(c, "cert", path ? plain : NULL);
}

static enum err_code put_token(struct feed_text *c, const char *path, struct err *e)
{
    char header[FEED_TOKEN];
    enum err_code rc = feed_token(path, header, e);
    if (!rc)
        put_value(c, "header", header);
    explicit_bzero(header, sizeof header);
    return rc;
}

/* curl writes this after its own message, on a line of its own. A URL can't fake such a line, because no
 * header's value has a line feed. */
#define SAYS_STATUS "%{stderr}\\n[%{http_code}] %{redirect_url}"

static enum err_code config_make(struct feed_text *c, const char *url, const struct feed_opts *o,
                                 struct err *e)
{
    bool secret = feed_secret(o);
    enum err_code wrong = feed_request_wrong(o, e);
    if (wrong)
        return wrong;
    put_value(c, "url", url);
    feed_put(c, "globoff\nsilent\nshow-error\nno-buffer\nfail-with-body\n");
    feed_put(c, "connect-timeout = %d\nspeed-limit = 1\nspeed-time = %d\n", o->connect_s ? o->connect_s : 10,
             o->stall_s ? o->stall_s : FEED_STALL_S);
    put_value(c, "proto", "=http,https");
    if (!secret)
        feed_put(c, "location\nmax-redirs = 5\n");
    if (o->insecure)
        feed_put(c, "insecure\n");
    put_file(c, "cacert", o->cacert);
    put_cert(c, o->cert);
    put_file(c, "key", o->key);
    put_file(c, "unix-socket", o->unix_socket);
    put_value(c, "request", o->method);
    put_value(c, "write-out", SAYS_STATUS);
    const char *const read[] = {o->cacert, o->cert, o->key};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        origin_note_path(read[i]);
    for (int i = 0; i < o->nheaders; i++)
        put_value(c, "header", o->header[i]);
    enum err_code rc = o->token_file ? put_token(c, o->token_file, e) : ERR_OK;
    if (!rc && c->bad)
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s", feed_bad_request);
    return rc;
}

/* The child of a process with several threads may call hardly anything before it is curl. */
static void become_curl(const void *arg)
{
    static const char *const argv[] = {"curl", "-q", "--config", "-", NULL};
    (void)arg;
    child_signals();
    (void)execvp(argv[0], (char *const *)(uintptr_t)argv);
}

enum err_code feed_curl(struct feed *f, const char *url, const struct feed_opts *o, struct err *e)
{
    struct feed_text *c = mem_zalloc(sizeof *c);
    enum err_code rc = c ? config_make(c, url, o, e) : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    feed_note(f, url, o);
    const int why = rc ? 0 : feed_start(f, &(struct feed_client){become_curl, NULL, c->text, c->n});
    if (why)
        rc = err_set(
            e, ERR_IO, ERR_NO_OFFSET,
            why == ENOENT
                ? "the curl program fetches URLs, and isn't there: install it, or pipe a trace in (gotop -)"
                : "can't start curl: %s",
            strerror(why));
    if (c)
        explicit_bzero(c, sizeof *c); /* the token */
    mem_free(c);
    return rc;
}

/* Cut SAYS_STATUS off what curl said. Returns the HTTP status, and sets *to to a redirect's URL, or "". */
static int http_status(char *said, const char **to)
{
    char *at = strstr(said, "\n["), *end;
    *to = "";
    if (!at)
        return 0;
    *at = 0;
    const int status = (int)strtol(at + 2, &end, 10);
    if (end[0] == ']' && end[1] == ' ') {
        end[2 + strcspn(end + 2, "\r\n")] = 0;
        *to = end + 2;
    }
    return status;
}

/* Whether curl's exit status says that the server sent less than it promised, nothing at all, or no more. */
static bool broke_off(int code)
{
    return code == 18 || code == 52 || code == 56;
}

/* Say why a redirect was not followed. code: curl's exit status. */
static enum err_code redirected(struct feed *f, int http, int code, const char *to, struct err *e)
{
    char shown[FEED_SHOWN];
    const char *there = feed_shown(to, shown);
    if (code == CURL_REDIRECTS)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "it redirects again and again%s%s",
                       *to ? ", at last to " : "", there);
    if (code)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "it redirects (%d) to %s, which can't be fetched: %s", http,
                       *to ? there : "an address",
                       f->said[0] ? feed_first_line(f->said) : "curl says no more");
    return feed_moved(f, http, to, e);
}

enum err_code feed_curl_end(struct feed *f, struct err *e)
{
    const char *to;
    const int status = feed_wait(f, false);
    int http = http_status(f->said, &to), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (http >= 400)
        return feed_refused(f, http, f->nbody ? feed_first_line(f->body) : "no reason given", e);
    if (http >= 300)
        return redirected(f, http, code, to, e);
    if (broke_off(code))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the connection broke: the program may have ended (%s)",
                       f->said[0] ? feed_first_line(f->said) : "curl says no more");
    if (code == CURL_CONNECT && f->is.by_socket)
        return feed_no_socket(e);
    if (code == CURL_TIME && strstr(f->said, "too slow"))
        return feed_stalled(f, e);
    if (code)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "%s",
                       f->said[0] ? feed_first_line(f->said) : "curl was ended by a signal");
    return ERR_OK;
}
