/* serve.c - see serve.h. */
#include "triage/live/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum { TICK_MS = 200, BACKLOG = 16 };

struct client {
    int fd; /* -1: none */
    int64_t until;
    size_t asked; /* bytes of its request in `ask` */
    char ask[SERVE_ASKS + 1];
    char *answer; /* NULL: not yet */
    size_t n, sent;
};

struct serve {
    int fd;
    char at[80];
    pthread_t thread;
    bool on;
    struct client client[SERVE_CLIENTS];
    pthread_mutex_t mu;
    /* guarded by mu: */
    bool quit;
    struct text text;
};

int serve_listens = -1;

/* ---- the socket ---------------------------------------------------------------------------------------- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool port_of(const char *s, uint16_t *port)
{
    char *end;
    const unsigned long n = strtoul(s, &end, 10);
    *port = htons((uint16_t)n);
    return *s >= '0' && *s <= '9' && !*end && n <= 65535;
}

static bool address_of(const char *at, union address *a, socklen_t *len)
{
    char host[64];
    const char *colon = strrchr(at, ':');
    size_t n = colon ? (size_t)(colon - at) : 0;
    if (!colon || n >= sizeof host)
        return false;
    memcpy(host, at, n);
    host[n] = 0;
    memset(a, 0, sizeof *a);
    if (n > 2 && host[0] == '[' && host[n - 1] == ']') {
        host[n - 1] = 0;
        a->v6.sin6_family = AF_INET6;
        *len = sizeof a->v6;
        return inet_pton(AF_INET6, host + 1, &a->v6.sin6_addr) == 1 && port_of(colon + 1, &a->v6.sin6_port);
    }
    a->v4.sin_family = AF_INET;
    *len = sizeof a->v4;
    return inet_pton(AF_INET, !n || strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &a->v4.sin_addr) ==
               1 &&
           port_of(colon + 1, &a->v4.sin_port);
}

static void name_it(struct serve *s)
{
    union address a;
    socklen_t len = sizeof a;
    char host[INET6_ADDRSTRLEN] = "";
    if (getsockname(s->fd, &a.any, &len) != 0)
        return;
    if (a.any.sa_family == AF_INET6 && inet_ntop(AF_INET6, &a.v6.sin6_addr, host, sizeof host))
        snprintf(s->at, sizeof s->at, "[%s]:%u", host, ntohs(a.v6.sin6_port));
    else if (inet_ntop(AF_INET, &a.v4.sin_addr, host, sizeof host))
        snprintf(s->at, sizeof s->at, "%s:%u", host, ntohs(a.v4.sin_port));
}

static bool listens(struct serve *s, const union address *a, socklen_t len)
{
    const int on = 1;
    s->fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return s->fd >= 0 && setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
           bind(s->fd, &a->any, len) == 0 && listen(s->fd, BACKLOG) == 0;
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
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    for (int i = 0; i < SERVE_CLIENTS; i++)
        s->client[i].fd = -1;
    pthread_mutex_init(&s->mu, NULL);
    if (!listens(s, &a, len)) {
        err_set(e, ERR_IO, ERR_NO_OFFSET, "%s", strerror(errno));
        serve_close(s);
        return e->code;
    }
    name_it(s);
    serve_listens = s->fd;
    *out = s;
    return ERR_OK;
}

const char *serve_at(const struct serve *s)
{
    return s->at;
}

/* ---- one client ---------------------------------------------------------------------------------------- */

static void let_go(struct client *c)
{
    close(c->fd);
    mem_free(c->answer);
    c->answer = NULL;
    c->fd = -1;
}

static const char plain[] = "text/plain; charset=utf-8";

/* Makes the answer of a status, a type and a text; HEAD gets no text. */
static void answer(struct client *c, const char *status, const char *type, const char *p, size_t n)
{
    char head[300];
    const int k = snprintf(head, sizeof head,
                           "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                           "X-Content-Type-Options: nosniff\r\n\r\n",
                           status, type, n);
    if (strncmp(c->ask, "HEAD ", 5) == 0)
        n = 0;
    c->answer = mem_alloc((size_t)k + n + 1);
    if (!c->answer)
        return;
    memcpy(c->answer, head, (size_t)k);
    if (n)
        memcpy(c->answer + k, p, n);
    c->n = (size_t)k + n;
    c->sent = 0;
}

static void answer_text(struct client *c, const char *status, const char *text)
{
    answer(c, status, plain, text, strlen(text));
}

/* Returns the path that is asked for, up to a blank or a query. */
static bool asks_for(const struct client *c, const char *path)
{
    const char *at = strchr(c->ask, ' ');
    const size_t n = strlen(path);
    return at && strncmp(at + 1, path, n) == 0 && (at[1 + n] == ' ' || at[1 + n] == '?');
}

static void understand(struct serve *s, struct client *c)
{
    if (strncmp(c->ask, "GET ", 4) != 0 && strncmp(c->ask, "HEAD ", 5) != 0) {
        answer_text(c, "405 Method Not Allowed", "GET and HEAD are answered\n");
    } else if (asks_for(c, "/metrics")) {
        pthread_mutex_lock(&s->mu);
        answer(c, "200 OK", "text/plain; version=0.0.4; charset=utf-8", s->text.p, s->text.n);
        pthread_mutex_unlock(&s->mu);
    } else if (asks_for(c, "/")) {
        answer_text(c, "200 OK", "gotop top --prometheus: /metrics\n");
    } else {
        answer_text(c, "404 Not Found", "there is /metrics\n");
    }
}

/* Returns false when the client has gone or sends too much. */
static bool hear(struct serve *s, struct client *c)
{
    char rest[512];
    const ssize_t n =
        c->answer ? read(c->fd, rest, sizeof rest) : read(c->fd, c->ask + c->asked, SERVE_ASKS - c->asked);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    if (n == 0)
        return c->answer && c->sent < c->n; /* it may have closed only its own side */
    if (c->answer)
        return true;
    c->asked += (size_t)n;
    c->ask[c->asked] = 0;
    if (strlen(c->ask) < c->asked)
        return false; /* there is no text */
    if (strstr(c->ask, "\r\n\r\n") || strstr(c->ask, "\n\n"))
        understand(s, c);
    else if (c->asked == SERVE_ASKS)
        answer_text(c, "431 Request Header Fields Too Large", "that is too much\n");
    return c->asked < SERVE_ASKS || c->answer;
}

static bool tell(struct client *c)
{
    const ssize_t n = write(c->fd, c->answer + c->sent, c->n - c->sent);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)n;
    return c->sent < c->n;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static void greet(struct serve *s)
{
    for (int i = 0; i < SERVE_CLIENTS; i++) {
        struct client *c = &s->client[i];
        if (c->fd >= 0)
            continue;
        const int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        c->fd = fd;
        c->until = host_now() + SERVE_MS * INT64_C(1000000);
        c->asked = c->n = c->sent = 0;
    }
}

static bool quits(struct serve *s)
{
    pthread_mutex_lock(&s->mu);
    const bool quit = s->quit;
    pthread_mutex_unlock(&s->mu);
    return quit;
}

/* While all places are taken, new clients wait to be accepted. */
static void *serve_main(void *arg)
{
    struct serve *s = arg;
    while (!quits(s)) {
        struct pollfd f[SERVE_CLIENTS + 1];
        bool room = false;
        for (int i = 0; i < SERVE_CLIENTS; i++) {
            const struct client *c = &s->client[i];
            f[i] = (struct pollfd){.fd = c->fd, .events = (short)(POLLIN | (c->answer ? POLLOUT : 0))};
            room |= c->fd < 0;
        }
        f[SERVE_CLIENTS] = (struct pollfd){.fd = room ? s->fd : -1, .events = POLLIN};
        if (poll(f, SERVE_CLIENTS + 1, TICK_MS) < 0 && errno != EINTR)
            return NULL;
        for (int i = 0; i < SERVE_CLIENTS; i++) {
            struct client *c = &s->client[i];
            if (c->fd < 0)
                continue;
            bool stays = host_now() < c->until && !(f[i].revents & (POLLERR | POLLNVAL));
            if (stays && (f[i].revents & (POLLIN | POLLHUP)))
                stays = hear(s, c);
            if (stays && c->answer)
                stays = tell(c);
            if (!stays)
                let_go(c);
        }
        greet(s);
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
    pthread_mutex_lock(&s->mu);
    s->quit = true;
    pthread_mutex_unlock(&s->mu);
    if (s->on)
        pthread_join(s->thread, NULL);
    for (int i = 0; i < SERVE_CLIENTS; i++)
        if (s->client[i].fd >= 0)
            let_go(&s->client[i]);
    if (s->fd >= 0)
        close(s->fd);
    text_free(&s->text);
    serve_listens = -1;
    mem_free(s);
}
