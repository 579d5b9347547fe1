/*
 * feed_http.c - fetches by plain HTTP and unix sockets without curl, which an empty container with a static
 * gotop doesn't have.
 *
 * A process of its own connects, sends the request, and hands on what comes, byte for byte. It reads no HTTP,
 * so that nothing outside the sandbox parses what a server sends; answer.h does that in this process. For
 * TLS, proxies, passwords in a URL and redirects curl is needed. The process ends when gotop does, as curl
 * would.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/input/answer.h"
#include "decode/input/feed_priv.h"

enum { PIECE = 65536, PLACES = 16, HOST_MAX = 300, OPENED = 1024 };
enum { CONNECT = 7, STALLED = 28, LOST = 56 }; /* exit statuses, which are curl's numbers */

struct place {
    int family;
    socklen_t n;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un path;
    } at;
};

struct dial { /* what the process needs */
    char host[HOST_MAX], port[8];
    struct place place[PLACES];
    int nplaces;
    int connect_ms, stall_ms;
    struct feed_text request;
};

/* ---- the request --------------------------------------------------------------------------------------- */

static bool set(const char *name)
{
    const char *v = getenv(name);
    return v && *v;
}

/* Whether no_proxy excepts this host. As with curl a name also excepts its subdomains, and "*" all hosts. */
static bool excepted(const char *host, size_t n)
{
    const char *list = getenv("no_proxy");
    list = list ? list : getenv("NO_PROXY");
    for (; list && *list; list += strspn(list, ", ")) {
        size_t k = strcspn(list, ", ");
        const char *name = list + (*list == '.');
        list += k;
        k = (size_t)(list - name);
        const bool ends = k && k <= n && strncasecmp(host + n - k, name, k) == 0;
        if ((k == 1 && *name == '*') || (ends && (k == n || host[n - k - 1] == '.')))
            return true;
    }
    return false;
}

bool feed_http_takes(const char *url, const struct feed_opts *o)
{
    const char *host = url + 7;
    if (strncmp(url, "http://", 7) != 0 || memchr(host, '@', strcspn(host, "/?#")))
        return false;
    const bool proxy = set("http_proxy") || set("all_proxy") || set("ALL_PROXY");
    return o->unix_socket || !proxy || excepted(host, strcspn(host, ":/?#"));
}

static void put_line(struct feed_text *t, const char *line)
{
    for (const char *p = line; *p; p++)
        t->bad |= (unsigned char)*p < 0x20 || *p == 0x7f;
    feed_put(t, "%s\r\n", line);
}

static bool has_header(const struct feed_opts *o, const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; i < o->nheaders; i++)
        if (strncasecmp(o->header[i], name, n) == 0 && o->header[i][n] == ':')
            return true;
    return false;
}

/* As with curl "Name:" alone means that this header is not sent. */
static bool is_empty(const char *header)
{
    const char *v = strchr(header, ':') + 1;
    return !v[strspn(v, " \t")];
}

static enum err_code request(struct feed_text *t, const char *url, const struct feed_opts *o, struct err *e)
{
    char token[FEED_TOKEN] = "";
    const char *at = url + 7, *path = at + strcspn(at, "/?#");
    const char *method = o->method ? o->method : "GET";
    enum err_code rc = feed_request_wrong(o, e);
    if (!rc && o->token_file)
        rc = feed_token(o->token_file, token, e);
    if (rc)
        return rc;
    feed_put(t, "%s %s%s HTTP/1.1\r\n", method, *path == '/' ? "" : "/", path);
    if (!has_header(o, "Host"))
        feed_put(t, "Host: %.*s\r\n", (int)(path - at), at);
    if (!has_header(o, "User-Agent"))
        feed_put(t, "User-Agent: gotop\r\n");
    if (!has_header(o, "Accept"))
        feed_put(t, "Accept: */*\r\n");
    for (int i = 0; i < o->nheaders; i++)
        if (!is_empty(o->header[i]))
            put_line(t, o->header[i]);
    if (*token)
        put_line(t, token);
    if (strcmp(method, "GET") != 0 && !has_header(o, "Content-Length"))
        feed_put(t, "Content-Length: 0\r\n");
    feed_put(t, "Connection: close\r\n\r\n");
    explicit_bzero(token, sizeof token);
    return t->bad ? err_set(e, ERR_ARG, ERR_NO_OFFSET, "%s", feed_bad_request) : ERR_OK;
}

static enum err_code address(struct dial *d, const char *url, struct err *e)
{
    const char *at = url + 7;
    const size_t n = strcspn(at, "/?#");
    const char *end = *at == '[' ? memchr(at, ']', n) : NULL;
    const char *colon = end ? (end[1] == ':' ? end + 1 : NULL) : memchr(at, ':', n);
    const char *host = end ? at + 1 : at;
    const size_t len = end ? (size_t)(end - host) : colon ? (size_t)(colon - at) : n;
    const size_t digits = colon ? (size_t)(at + n - colon - 1) : 0;
    if (!len || len >= sizeof d->host || digits >= sizeof d->port ||
        (colon && strspn(colon + 1, "0123456789") != digits))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "the URL names no host and port that can be asked");
    snprintf(d->host, sizeof d->host, "%.*s", (int)len, host);
    snprintf(d->port, sizeof d->port, "%.*s", digits ? (int)digits : 2, digits ? colon + 1 : "80");
    return ERR_OK;
}

/* ---- where to ------------------------------------------------------------------------------------------ */

static void add_place(struct dial *d, const struct sockaddr *at, socklen_t n)
{
    if (d->nplaces == PLACES || n > sizeof d->place[0].at)
        return;
    struct place *p = &d->place[d->nplaces++];
    p->family = at->sa_family;
    p->n = n;
    memcpy(&p->at, at, n);
}

/* "localhost" is not looked up, because a container may have no /etc/hosts. */
static void add_loopback(struct dial *d)
{
    const uint16_t port = htons((uint16_t)atoi(d->port));
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    add_place(d, (struct sockaddr *)&v4, sizeof v4);
    add_place(d, (struct sockaddr *)&v6, sizeof v6);
}

/* Returns NULL, or why the host can't be found. */
static const char *resolve(struct dial *d)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *all = NULL;
    if (d->nplaces)
        return NULL;
    if (strcasecmp(d->host, "localhost") == 0) {
        add_loopback(d);
        return NULL;
    }
    const int rc = getaddrinfo(d->host, d->port, &hints, &all);
    if (rc)
        return rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc);
    for (const struct addrinfo *a = all; a; a = a->ai_next)
        add_place(d, a->ai_addr, a->ai_addrlen);
    freeaddrinfo(all);
    return d->nplaces ? NULL : "it has no address";
}

static bool socket_path(struct dial *d, const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof at.sun_path)
        return false;
    memcpy(at.sun_path, path, strlen(path) + 1);
    add_place(d, (struct sockaddr *)&at, sizeof at);
    return true;
}

/* ---- the process --------------------------------------------------------------------------------------- */

static void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *fmt, ...)
{
    char line[FEED_SAID];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n > 0)
        (void)!write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static int connected(const struct place *p, int64_t until, int *why)
{
    const int s = socket(p->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t n = sizeof *why;
    *why = 0;
    if (s < 0 || connect(s, &p->at.any, p->n) == 0)
        return s;
    *why = errno;
    if (*why == EINPROGRESS) {
        struct pollfd f = {s, POLLOUT, 0};
        const int64_t left = (until - host_now()) / 1000000;
        if (poll(&f, 1, left > 0 ? (int)left : 0) <= 0)
            *why = ETIMEDOUT;
        else if (getsockopt(s, SOL_SOCKET, SO_ERROR, why, &n) == 0 && !*why)
            return s;
    }
    close(s);
    return -1;
}

static int dialled(const struct dial *d)
{
    const int64_t until = host_now() + d->connect_ms * INT64_C(1000000);
    int why = 0;
    for (int i = 0; i < d->nplaces; i++) {
        const int s = connected(&d->place[i], until, &why);
        if (s >= 0)
            return s;
    }
    tell("can't connect to %s port %s: %s", d->host, d->port, strerror(why));
    _exit(why == ETIMEDOUT ? STALLED : CONNECT);
}

static void send_all(int s, const char *p, size_t n, int stall_ms)
{
    while (n) {
        const ssize_t k = write(s, p, n);
        struct pollfd f = {s, POLLOUT, 0};
        if (k < 0 && errno == EAGAIN && poll(&f, 1, stall_ms) > 0)
            continue;
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            tell("the request can't be sent: %s", strerror(errno));
            _exit(LOST);
        }
        p += k;
        n -= (size_t)k;
    }
}

/* Pass on all that comes, until the server ends or gotop reads no more. */
static void hand_on(int s, int stall_ms)
{
    static char piece[PIECE];
    for (;;) {
        struct pollfd f[2] = {{s, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
        const int ready = poll(f, 2, stall_ms);
        if (f[1].revents & (POLLERR | POLLNVAL))
            _exit(0);
        if (ready == 0) {
            tell("too slow");
            _exit(STALLED);
        }
        const ssize_t n = ready > 0 ? read(s, piece, sizeof piece) : -1;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0) {
            tell("%s", strerror(errno));
            _exit(LOST);
        }
        if (n == 0)
            _exit(0);
        for (ssize_t at = 0, k; at < n; at += k)
            if ((k = write(STDOUT_FILENO, piece + at, (size_t)(n - at))) < 0) {
                if (errno != EINTR)
                    _exit(0);
                k = 0;
            }
    }
}

/* This is the child of a process with several threads, so it may call only what is safe in a signal
 * handler. */
static void fetch(const void *arg)
{
    struct dial *d = (struct dial *)(uintptr_t)arg; /* the child has its own copy */
    struct sigaction usual = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
    for (int sig = 1; sig < 32; sig++) /* gotop's handlers would act on its data */
        if (sig != SIGKILL && sig != SIGSTOP)
            (void)sigaction(sig, sig == SIGPIPE ? &ignored : &usual, NULL);
    for (int fd = STDERR_FILENO + 1; fd < OPENED; fd++)
        close(fd);
    const char *why = resolve(d);
    if (why) {
        tell("can't connect: %s isn't found: %s", d->host, why);
        _exit(CONNECT);
    }
    const int s = dialled(d);
    send_all(s, d->request.text, d->request.n, d->stall_ms);
    explicit_bzero(d->request.text, sizeof d->request.text);
    hand_on(s, d->stall_ms);
}

enum err_code feed_http(struct feed *f, const char *url, const struct feed_opts *o, struct err *e)
{
    struct dial *d = mem_zalloc(sizeof *d);
    if (!d)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    feed_note(f, url, o);
    f->is.http = true;
    d->connect_ms = 1000 * (o->connect_s ? o->connect_s : 10);
    d->stall_ms = 1000 * f->is.stall_s;
    enum err_code rc = o->unix_socket ? ERR_OK : address(d, url, e);
    if (!rc && o->unix_socket && !socket_path(d, o->unix_socket))
        rc = err_set(e, ERR_ARG, ERR_NO_OFFSET, "the socket's path is too long");
    if (!rc)
        rc = request(&d->request, url, o, e);
    /* Names are looked up here, because the child of a process with several threads must not do that. */
    const char *why = rc || f->alone ? NULL : resolve(d);
    if (why)
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "can't connect: %.100s isn't found: %s", d->host, why);
    const int no = rc ? 0 : feed_start(f, &(struct feed_client){fetch, d, "", 0});
    if (no)
        rc = err_set(e, ERR_IO, ERR_NO_OFFSET, "can't start a process: %s", strerror(no));
    explicit_bzero(d, sizeof *d); /* the token */
    mem_free(d);
    return rc;
}

/* ---- the end of it ------------------------------------------------------------------------------------- */

enum err_code feed_http_end(struct feed *f, struct err *e)
{
    struct answer *a = f->answer;
    const bool enough = a->whole || a->broken;
    const int status = feed_wait(f, enough || a->status >= 300),
              code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (a->status >= 400)
        return feed_refused(f, a->status, f->nbody ? feed_first_line(f->body) : "no reason given", e);
    if (a->status >= 300 && a->to[0] && !f->is.secret)
        return err_set(e, ERR_APART, ERR_NO_OFFSET, "it has moved");
    if (a->status >= 300)
        return feed_moved(f, a->status, a->to, e);
    if (a->broken)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "what the server answers can't be read: %s", a->broken);
    if (a->whole)
        return ERR_OK;
    if (code == CONNECT && f->is.by_socket)
        return feed_no_socket(e);
    if (code == STALLED && strstr(f->said, "too slow"))
        return feed_stalled(f, e);
    if (code == CONNECT || code == STALLED)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", f->said);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "the connection broke: the program may have ended (%s)",
                   f->said[0] ? f->said
                   : a->begun ? "it was closed within the answer"
                              : "Empty reply: it was closed without an answer");
}
