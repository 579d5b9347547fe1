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
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"
#include "decode/input/feed_priv.h"

enum { CURL_CONNECT = 7, CURL_TIME = 28, CURL_REDIRECTS = 47 };
enum { TOKEN = 8192 + 32, TEXT = 32768 };

/* ---- its configuration --------------------------------------------------------------------------------- */

struct config {
    char text[TEXT];
    size_t n;
    bool bad; /* it is too long, or has a control character */
};

static void put_option(struct config *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_option(struct config *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(c->text + c->n, sizeof c->text - c->n, fmt, ap);
    va_end(ap);
    c->bad |= n < 0 || (size_t)n >= sizeof c->text - c->n;
    c->n += c->bad ? 0 : (size_t)n;
}

/* Quote the value, as curl's configuration needs it. */
static void put_value(struct config *c, const char *name, const char *value)
{
    if (!value)
        return;
    put_option(c, "%s = \"", name);
    for (const char *p = value; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            c->bad = true;
        put_option(c, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    }
    put_option(c, "\"\n");
}

/* child_name() makes sure that curl takes the value for a file: "-" would be standard input. */
static void put_file(struct config *c, const char *name, const char *path)
{
    char whole[4096];
    if (!path)
        return;
    if (!child_name(path, whole, sizeof whole))
        c->bad = true;
    put_value(c, name, whole);
}

/* A colon in a certificate's path must be escaped, because curl reads a password after it. */
static void put_cert(struct config *c, const char *path)
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

static enum err_code put_token(struct config *c, const char *path, struct err *e)
{
    char line[TOKEN - 32], header[TOKEN];
    FILE *f = fopen(path, "re");
    origin_note(f ? fileno(f) : -1, NULL);
    if (!f)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the token's file can't be read: %s", strerror(errno));
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    if (!got)
        return err_set(e, ERR_EMPTY, ERR_NO_OFFSET, "the token's file is empty");
    line[strcspn(line, "\r\n")] = 0;
    snprintf(header, sizeof header, "Authorization: Bearer %s", line);
    put_value(c, "header", header);
    explicit_bzero(line, sizeof line);
    explicit_bzero(header, sizeof header);
    return ERR_OK;
}

/* A header is "Name: value". It must not begin with "@", because curl would read a file of that name. */
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

static bool has_secret(const struct feed_opts *o)
{
    return o->nheaders || o->token_file || o->cert;
}

static enum err_code request_wrong(const struct feed_opts *o, struct err *e)
{
    for (int i = 0; i < o->nheaders; i++)
        if (!is_header(o->header[i]))
            return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                           "a header (-H) is 'NAME: VALUE'; no file is read for it");
    if (!is_method(o->method))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "a method (--method) is a word, as POST");
    return ERR_OK;
}

/* curl writes this after its own message, on a line of its own. A URL can't fake such a line, because no
 * header's value has a line feed. */
#define SAYS_STATUS "%{stderr}\\n[%{http_code}] %{redirect_url}"

static enum err_code config_make(struct config *c, const char *url, const struct feed_opts *o, struct err *e)
{
    bool secret = has_secret(o);
    enum err_code wrong = request_wrong(o, e);
    if (wrong)
        return wrong;
    put_value(c, "url", url);
    put_option(c, "globoff\nsilent\nshow-error\nno-buffer\nfail-with-body\n");
    put_option(c, "connect-timeout = %" PRIu64 "\nspeed-limit = 1\nspeed-time = %" PRIu64 "\n",
               o->connect_s ? o->connect_s : 10, o->stall_s ? o->stall_s : FEED_STALL_S);
    put_value(c, "proto", "=http,https");
    if (!secret)
        put_option(c, "location\nmax-redirs = 5\n");
    if (o->insecure)
        put_option(c, "insecure\n");
    put_file(c, "cacert", o->cacert);
    put_cert(c, o->cert);
    put_file(c, "key", o->key);
    put_file(c, "unix-socket", o->unix_socket);
    put_value(c, "request", o->method);
    put_value(c, "write-out", SAYS_STATUS);
    const char *const read[] = {o->cacert, o->cert, o->key};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        origin_note(-1, read[i]);
    for (int i = 0; i < o->nheaders; i++)
        put_value(c, "header", o->header[i]);
    enum err_code rc = o->token_file ? put_token(c, o->token_file, e) : ERR_OK;
    if (!rc && c->bad)
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET,
                     "the URL, a header or the token holds control bytes, or they are too long");
    return rc;
}

/* ---- a process of its own ------------------------------------------------------------------------------ */

enum { IN, OUT, SAID, FAILED, PIPES }; /* FAILED: errno, if curl can't be started */

/* The child of a process with several threads may call hardly anything before it is curl. */
static void become_curl(pid_t parent, int p[PIPES][2])
{
    static const char *const argv[] = {"curl", "-q", "--config", "-", NULL};
    sigset_t none;
    sigemptyset(&none);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* else it would notice gotop's end only when it writes */
#endif
    (void)setpgid(0, 0);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (getppid() == parent && dup2(p[IN][0], STDIN_FILENO) >= 0 && dup2(p[OUT][1], STDOUT_FILENO) >= 0 &&
        dup2(p[SAID][1], STDERR_FILENO) >= 0) {
        child_signals();
        (void)execvp(argv[0], (char *const *)(uintptr_t)argv);
    }
    (void)!write(p[FAILED][1], &errno, sizeof errno);
    for (;;)
        (void)raise(SIGKILL); /* not exit(), which would run gotop's handlers */
}

/* Wait until the child has become curl. Returns 0, or errno if it can't, and then it has ended. */
static int curl_started(pid_t pid, int p[PIPES][2])
{
    int why;
    feed_shut(&p[FAILED][1]);
    if (read(p[FAILED][0], &why, sizeof why) != sizeof why)
        return 0;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return why;
}

/* Start curl, which reads this configuration. Returns 0, or errno. */
static int curl_start(struct feed *f, const struct config *c)
{
    int p[PIPES][2], why = 0;
    const pid_t parent = getpid();
    memset(p, -1, sizeof p);
    for (int i = 0; i < PIPES && !why; i++)
        why = pipe2(p[i], O_CLOEXEC) ? errno : 0;
    const pid_t pid = why ? -1 : fork();
    if (pid == 0)
        become_curl(parent, p);
    why = why ? why : pid < 0 ? errno : curl_started(pid, p);
    if (!why) {
        f->pid = pid;
        f->fd = p[OUT][0];
        f->err_fd = p[SAID][0];
        fcntl(f->err_fd, F_SETFL, O_NONBLOCK);
        (void)host_write_all(p[IN][1], c->text, c->n); /* if it has ended already, its exit status says why */
        p[OUT][0] = p[SAID][0] = -1;
    }
    for (int i = 0; i < PIPES; i++) {
        feed_shut(&p[i][0]);
        feed_shut(&p[i][1]);
    }
    return why;
}

/* Note what is asked: of a URL its path, as what is behind "?" may be secret. */
static void note_asked(struct feed *f, const char *url, const struct feed_opts *o)
{
    const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;
    f->is.stall_s = o->stall_s ? (int)o->stall_s : FEED_STALL_S;
    f->is.by_socket = o->unix_socket != NULL;
    f->is.secret = has_secret(o);
    snprintf(f->is.asked, sizeof f->is.asked, "%.*s", path ? (int)strcspn(path, "?#") : 1, path ? path : "/");
}

enum err_code feed_curl(struct feed *f, const char *url, const struct feed_opts *o, struct err *e)
{
    struct config *c = mem_zalloc(sizeof *c);
    enum err_code rc = c ? config_make(c, url, o, e) : err_nomem(e);
    note_asked(f, url, o);
    const int why = rc ? 0 : curl_start(f, c);
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

/* ---- what is said of an answer ------------------------------------------------------------------------- */

/* Returns the first line of what curl said, without its error number. */
static const char *first_line(char *s)
{
    s[strcspn(s, "\r\n")] = 0;
    char *behind = strncmp(s, "curl: (", 7) == 0 ? strstr(s, ") ") : NULL;
    return behind ? behind + 2 : s;
}

enum { HTTP_NOT_FOUND = 404 };

/* If the address was made from what the user typed, a message names both. */
static enum err_code server_refused(const struct feed *f, int http, const char *why, struct err *e)
{
    static const char usual[] = "/debug/pprof/trace";
    if (http != HTTP_NOT_FOUND || !f->is.asked[0])
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the server answered %d: %s", http, why);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "the server answered 404: %.60s; %.80s isn't there%s", why,
                   f->is.asked,
                   strcmp(f->is.asked, usual) == 0 ? ": is this the port of net/http/pprof?"
                                                   : " (a path that ends in ? is asked for as it is)");
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
                       *to ? there : "an address", f->said[0] ? first_line(f->said) : "curl says no more");
    if (!*to)
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "the server answered %d, a redirect, and doesn't say where to", http);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "it has moved to %s: ask there%s", there,
                   f->is.secret ? " (headers, tokens and certificates don't follow redirects)" : "");
}

enum err_code feed_curl_end(struct feed *f, struct err *e)
{
    const char *to;
    const int status = feed_wait(f, false);
    int http = http_status(f->said, &to), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (http >= 400)
        return server_refused(f, http, f->nbody ? first_line(f->body) : "no reason given", e);
    if (http >= 300)
        return redirected(f, http, code, to, e);
    if (code == 18 || code == 52 || code == 56) /* less came than was promised, nothing at all, or no more */
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the connection broke: the program may have ended (%s)",
                       f->said[0] ? first_line(f->said) : "curl says no more");
    if (code == CURL_CONNECT && f->is.by_socket)
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "can't connect to that socket: it is missing, is none, or nobody listens there");
    if (code == CURL_TIME && strstr(f->said, "too slow"))
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "nothing came for %ds (--stall-timeout): it stands still, or is of Go 1.21 or older "
                       "(then: gotop record)",
                       f->is.stall_s);
    if (code)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "%s",
                       f->said[0] ? first_line(f->said) : "curl was ended by a signal");
    return ERR_OK;
}
