/* serve.c - see serve.h. */
#include "triage/live/serve.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum { TICK_MS = 200, BACKLOG = 16, HEAD = 300 };

struct serve {
    int fd;
    char at[80];
    pthread_t thread;
    bool on;
    atomic_bool quit;
    pthread_mutex_t mu;
    struct text text; /* guarded by mu */
};

int serve_listens = -1;

/* ---- the socket ---------------------------------------------------------------------------------------- */

union address { /* the port is at the same place in both */
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Splits "HOST:PORT". HOST is an address of IPv4 or, in brackets, IPv6; without one it is loopback. */
static bool address_of(const char *at, union address *a, socklen_t *len)
{
    char host[64], *end;
    const char *colon = strrchr(at, ':');
    const bool six = *at == '[';
    const int n = snprintf(host, sizeof host, "%.*s", colon ? (int)(colon - at) - 2 * six : 0, at + six);
    const unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || n >= (int)sizeof host || (six && colon[-1] != ']') || !isdigit((unsigned char)colon[1]) ||
        *end || port > UINT16_MAX)
        return false;
    *a = (union address){.any.sa_family = six ? AF_INET6 : AF_INET};
    a->v4.sin_port = htons((uint16_t)port);
    *len = six ? sizeof a->v6 : sizeof a->v4;
    if (six)
        return inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1;
    return inet_pton(AF_INET, !n || strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &a->v4.sin_addr) ==
           1;
}

static void name_server(struct serve *s)
{
    union address a;
    socklen_t len = sizeof a;
    char host[INET6_ADDRSTRLEN] = "";
    const bool known = getsockname(s->fd, &a.any, &len) == 0, six = known && a.any.sa_family == AF_INET6;
    if (known &&
        inet_ntop(a.any.sa_family, six ? (void *)&a.v6.sin6_addr : &a.v4.sin_addr, host, sizeof host))
        snprintf(s->at, sizeof s->at, six ? "[%s]:%u" : "%s:%u", host, ntohs(a.v4.sin_port));
}

enum err_code serve_open(const char *at, struct serve **out, struct err *e)
{
    union address a;
    socklen_t len;
    *out = NULL;
    if (!address_of(at, &a, &len))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                       "is no place to listen at: :9090 (on loopback), 0.0.0.0:9090, [::1]:9090");
    struct serve *s = mem_zalloc(sizeof *s);
    if (!s)
        return err_nomem(e);
    pthread_mutex_init(&s->mu, NULL);
    const int on = 1;
    s->fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
        bind(s->fd, &a.any, len) || listen(s->fd, BACKLOG)) {
        err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", strerror(errno));
        serve_close(s);
        return e->code;
    }
    name_server(s);
    serve_listens = s->fd;
    *out = s;
    return ERR_OK;
}

const char *serve_at(const struct serve *s)
{
    return s->at;
}

/* ---- one client ---------------------------------------------------------------------------------------- */

/* Waits until the client can be read or written. Returns false when its time is over. */
static bool client_ready(int fd, short events, int64_t until)
{
    struct pollfd f = {.fd = fd, .events = events};
    const int64_t left = (until - host_now()) / 1000000;
    return left > 0 && poll(&f, 1, (int)left) == 1 && !(f.revents & (POLLERR | POLLNVAL));
}

/* Reads a request up to its blank line. Returns false when the client has gone, says nothing, or sends what
 * is no text; all of `ask` is used if it sends too much. */
static bool hear(int fd, char ask[SERVE_ASKS + 1], size_t *n, int64_t until)
{
    for (*n = 0; *n < SERVE_ASKS && client_ready(fd, POLLIN, until);) {
        const ssize_t k = read(fd, ask + *n, SERVE_ASKS - *n);
        if (k <= 0)
            return false;
        *n += (size_t)k;
        ask[*n] = 0;
        if (strlen(ask) < *n)
            return false;
        if (strstr(ask, "\r\n\r\n") || strstr(ask, "\n\n"))
            return true;
    }
    return *n == SERVE_ASKS;
}

static void send_all(int fd, const char *p, size_t n, int64_t until)
{
    while (n && client_ready(fd, POLLOUT, until)) {
        const ssize_t k = write(fd, p, n);
        if (k <= 0)
            return;
        p += k;
        n -= (size_t)k;
    }
}

static void answer(int fd, const char *ask, const char *status, const char *type, const char *text,
                   int64_t until)
{
    char head[HEAD];
    const int n = snprintf(head, sizeof head,
                           "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
                           "Connection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n",
                           status, type, strlen(text));
    send_all(fd, head, (size_t)n, until);
    if (strncmp(ask, "HEAD ", 5) != 0)
        send_all(fd, text, strlen(text), until);
}

/* Returns whether that path is asked for, up to a blank or a query. */
static bool asks_path(const char *ask, const char *path)
{
    const char *at = strchr(ask, ' ');
    const size_t n = strlen(path);
    return at && strncmp(at + 1, path, n) == 0 && (at[1 + n] == ' ' || at[1 + n] == '?');
}

static void serve_one(struct serve *s, int fd)
{
    char ask[SERVE_ASKS + 1] = "";
    size_t n;
    const int64_t until = host_now() + SERVE_MS * INT64_C(1000000);
    const char *status = "405 Method Not Allowed", *text = "GET and HEAD are answered\n";
    bool known = false;
    if (!hear(fd, ask, &n, until))
        return;
    pthread_mutex_lock(&s->mu); /* a new text waits for it */
    if (n == SERVE_ASKS) {
        status = "431 Request Header Fields Too Large";
        text = "that is too much\n";
    } else if (strncmp(ask, "GET ", 4) == 0 || strncmp(ask, "HEAD ", 5) == 0) {
        known = asks_path(ask, "/metrics");
        const bool root = asks_path(ask, "/");
        status = known || root ? "200 OK" : "404 Not Found";
        text = known ? s->text.p : root ? "gotop top --prometheus: /metrics\n" : "there is /metrics\n";
    }
    answer(fd, ask, status, known ? "text/plain; version=0.0.4" : "text/plain", text ? text : "", until);
    pthread_mutex_unlock(&s->mu);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static void *serve_main(void *arg)
{
    struct serve *s = arg;
    while (!s->quit) {
        const int fd = client_ready(s->fd, POLLIN, host_now() + TICK_MS * INT64_C(1000000))
                           ? accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)
                           : -1;
        if (fd < 0)
            continue;
        serve_one(s, fd);
        close(fd);
    }
    return NULL;
}

enum err_code serve_begin(struct serve *s, struct err *e)
{
    s->on = thread_start(&s->thread, NULL, serve_main, s) == 0;
    return s->on ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a thread to answer with can't be started");
}

void serve_put(struct serve *s, struct text *t)
{
    pthread_mutex_lock(&s->mu);
    struct text old = s->text;
    s->text = *t;
    pthread_mutex_unlock(&s->mu);
    text_free(&old);
    *t = (struct text){0};
}

void serve_close(struct serve *s)
{
    if (!s)
        return;
    s->quit = true;
    if (s->on)
        pthread_join(s->thread, NULL);
    if (s->fd >= 0)
        close(s->fd);
    text_free(&s->text);
    serve_listens = -1;
    mem_free(s);
}
