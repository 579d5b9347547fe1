/*
 * serve_main.c - a server on loopback that behaves, or misbehaves, as a traced program's endpoint may.
 *
 *   serve MODE FILE [PAUSE_MS]     prints its port on the first line, serves until it is ended
 *
 * ok: the file, in eight pieces with a pause before each; stall: half of it, then nothing; break: half, then
 * the connection is closed within a chunk; busy: 500 with Go's reason; garbage: 200 and bytes that are no
 * trace; header: a header that never ends; close: nothing at all; moved: a redirect to /moved, which is ok;
 * token: ok for "Bearer secret", else 401; post: ok for a POST, else 405; slow: ok, a sixtieth of the file at
 * a time; again: the file over and over, its bytes from FILE's 17th on, as a program that goes on. FILE may
 * be gzip. rate: the file at PAUSE megabytes a second, as by a program that doesn't wait. When that is sent,
 * standard error says so, and how far behind the sender was at worst; so it does of the half of stall and
 * break. With SERVE_SOCKET=PATH in its environment it listens there, and prints 0. With SERVE_STEPS=FIFO it
 * waits for a byte from there before each piece, instead of a pause.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct body {
    unsigned char *p;
    size_t n;
};

static void put(int fd, const void *p, size_t n)
{
    const char *q = p;
    while (n) {
        ssize_t k = write(fd, q, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            _exit(0); /* the client has left: that is fine */
        q += k;
        n -= (size_t)k;
    }
}

static void say(int fd, const char *s)
{
    put(fd, s, strlen(s));
}

static void chunk(int fd, const unsigned char *p, size_t n)
{
    char head[32];
    snprintf(head, sizeof head, "%zx\r\n", n);
    say(fd, head);
    put(fd, p, n);
    say(fd, "\r\n");
}

static const char OK[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

static int steps = -1;

static void pieces(int fd, struct body b, int n, int pause_ms)
{
    char step;
    for (int i = 0; i < n; i++) {
        size_t from = b.n * (size_t)i / (size_t)n, to = b.n * (size_t)(i + 1) / (size_t)n;
        if (steps >= 0)
            (void)!read(steps, &step, 1);
        else
            poll(NULL, 0, pause_ms);
        if (to > from)
            chunk(fd, b.p + from, to - from);
    }
}

static void serve_ok(int fd, struct body b, int n, int pause_ms)
{
    say(fd, OK);
    pieces(fd, b, n, pause_ms);
    say(fd, "0\r\n\r\n");
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void serve_rate(int fd, struct body b, int megabytes)
{
    const size_t step = 65536;
    const double rate = (megabytes > 0 ? megabytes : 1) * 1e6, began = now_s();
    double worst = 0;
    say(fd, OK);
    for (size_t at = 0; at < b.n; at += step) {
        double early = began + (double)at / rate - now_s();
        if (early > 0.001)
            poll(NULL, 0, (int)(early * 1000));
        worst = -early > worst ? -early : worst;
        chunk(fd, b.p + at, b.n - at < step ? b.n - at : step);
    }
    say(fd, "0\r\n\r\n");
    fprintf(stderr, "sent %zu bytes in %.2f s, behind by at most %.0f ms\n", b.n, now_s() - began,
            worst * 1000);
}

static void serve_half(int fd, struct body b, bool stall)
{
    char head[32];
    say(fd, OK);
    snprintf(head, sizeof head, "%zx\r\n", b.n);
    say(fd, head);
    put(fd, b.p, b.n / 2);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    fprintf(stderr, "sent %zu bytes\n", b.n / 2);
    if (stall)
        poll(&end, 1, -1); /* till the client hangs up */
}

static void serve_header(int fd)
{
    say(fd, "HTTP/1.1 200 OK\r\n");
    for (;;)
        say(fd, "X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n");
}

static void answer(int fd, const char *mode, const char *request, struct body b, int pause_ms)
{
    if (!strcmp(mode, "stall") || !strcmp(mode, "break")) {
        serve_half(fd, b, mode[0] == 's');
    } else if (!strcmp(mode, "busy")) {
        say(fd, "HTTP/1.1 500 Internal Server Error\r\nX-Go-Pprof: 1\r\nConnection: close\r\n\r\n"
                "Could not enable tracing: tracing is already enabled\n");
    } else if (!strcmp(mode, "garbage")) {
        say(fd,
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>\033[31mthis is \302\233no trace</html>\n");
    } else if (!strcmp(mode, "header")) {
        serve_header(fd);
    } else if (!strcmp(mode, "moved") && !strstr(request, "GET /moved")) {
        say(fd, "HTTP/1.1 302 Found\r\nLocation: /moved\r\nConnection: close\r\n\r\n");
    } else if (!strcmp(mode, "token") && !strstr(request, "Authorization: Bearer secret\r\n")) {
        say(fd, "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\nwho are you?\n");
    } else if (!strcmp(mode, "post") && strncmp(request, "POST ", 5) != 0) {
        say(fd, "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\npost it\n");
    } else if (!strcmp(mode, "rate")) {
        serve_rate(fd, b, pause_ms);
    } else if (!strcmp(mode, "again")) {
        say(fd, OK);
        chunk(fd, b.p, 16);
        for (;;)
            pieces(fd, (struct body){b.p + 16, b.n - 16}, 8, pause_ms);
    } else if (strcmp(mode, "close") != 0) {
        serve_ok(fd, b, strcmp(mode, "slow") == 0 ? 60 : 8, pause_ms);
    }
}

static void client(int fd, const char *mode, struct body b, int pause_ms)
{
    char request[8192];
    size_t n = 0;
    while (n + 1 < sizeof request) {
        ssize_t k = read(fd, request + n, sizeof request - 1 - n);
        if (k <= 0)
            break;
        n += (size_t)k;
        request[n] = 0;
        if (strstr(request, "\r\n\r\n"))
            break;
    }
    request[n] = 0;
    answer(fd, mode, request, b, pause_ms);
}

static struct body slurp(const char *path)
{
    struct body b = {0};
    struct stat st;
    FILE *f = fopen(path, "rb");
    void *p = f && !fstat(fileno(f), &st) && st.st_size > 0
                  ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(f), 0)
                  : MAP_FAILED;
    if (p != MAP_FAILED)
        b = (struct body){p, (size_t)st.st_size};
    if (f)
        fclose(f);
    return b;
}

/* Where it listens; *port: 0 for a socket with a path. */
static int listener(const char *path, int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un here = {.sun_family = AF_UNIX};
    socklen_t len = sizeof at;
    int s = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (path)
        snprintf(here.sun_path, sizeof here.sun_path, "%s", path);
    if (s < 0 ||
        bind(s, path ? (struct sockaddr *)&here : (struct sockaddr *)&at, path ? sizeof here : sizeof at) ||
        listen(s, 8))
        return -1;
    *port = 0;
    if (!path && getsockname(s, (struct sockaddr *)&at, &len))
        return -1;
    if (!path)
        *port = ntohs(at.sin_port);
    return s;
}

int main(int argc, char **argv)
{
    struct body b = argc >= 3 ? slurp(argv[2]) : (struct body){0};
    int port, s = listener(getenv("SERVE_SOCKET"), &port);
    if (getenv("SERVE_STEPS"))
        steps = open(getenv("SERVE_STEPS"), O_RDWR); /* so that it has no end */
    if (b.n < 16 || s < 0 || (getenv("SERVE_STEPS") && steps < 0)) {
        fprintf(stderr, "usage: serve MODE FILE [PAUSE_MS]\n");
        return 2;
    }
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    printf("%d\n", port);
    fflush(stdout);
    for (;;) {
        int fd = accept(s, NULL, NULL);
        if (fd >= 0 && fork() == 0) {
            client(fd, argv[1], b, argc > 3 ? atoi(argv[3]) : 0);
            shutdown(fd, SHUT_WR);
            _exit(0);
        }
        if (fd >= 0)
            close(fd);
    }
}
