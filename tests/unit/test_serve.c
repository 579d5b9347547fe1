/*
 * test_serve.c - whoever asks gets the text as it is now; who asks for something else, in another way, too
 * much, or nothing at all is told so or let go, and holds up nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "triage/live/serve.h"

static struct serve *s;

static int dial(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)atoi(strrchr(serve_at(s), ':') + 1))};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

/* What comes until the other side closes; it must within a time that no sound one needs. */
static char *hear(int fd)
{
    static char buf[1 << 20];
    size_t n = 0;
    ssize_t k = 1;
    while (k > 0 && n < sizeof buf - 1) {
        struct pollfd f = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&f, 1, 60000), 1);
        k = read(fd, buf + n, sizeof buf - 1 - n);
        n += k > 0 ? (size_t)k : 0;
    }
    buf[n] = 0;
    close(fd);
    return buf;
}

static char *ask(const char *text)
{
    const int fd = dial();
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return hear(fd);
}

static void put(const char *p, size_t n)
{
    struct text t = {0};
    text_raw(&t, p, n);
    serve_put(s, &t);
    assert_null(t.p);
}

static int begin(void **state)
{
    struct err e;
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(serve_open(":0", &s, &e), ERR_OK);
    assert_int_equal(strncmp(serve_at(s), "127.0.0.1:", 10), 0);
    assert_true(serve_listens >= 0);
    assert_int_equal(serve_begin(s, &e), ERR_OK);
    put("gotop_up 1\n", 11);
    return 0;
}

static int end(void **state)
{
    (void)state;
    serve_close(s);
    assert_int_equal(serve_listens, -1);
    return 0;
}

static void answers(void **state)
{
    (void)state;
    char *got = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
    assert_non_null(strstr(got, "Content-Type: text/plain; version=0.0.4"));
    assert_non_null(strstr(got, "\r\n\r\ngotop_up 1\n"));
    put("gotop_up 0\n", 11);
    assert_non_null(strstr(ask("GET /metrics?x HTTP/1.0\n\n"), "gotop_up 0"));
    got = ask("HEAD /metrics HTTP/1.1\r\n\r\n");
    assert_non_null(strstr(got, "Content-Length: 11"));
    assert_null(strstr(got, "gotop_up"));
    assert_non_null(strstr(ask("GET / HTTP/1.1\r\n\r\n"), "200 OK"));
    assert_non_null(strstr(ask("GET /metricsx HTTP/1.1\r\n\r\n"), "404 Not Found"));
    assert_non_null(strstr(ask("POST /metrics HTTP/1.1\r\n\r\n"), "405 Method"));
}

static void hostile(void **state)
{
    static char much[2 * SERVE_ASKS];
    (void)state;
    memset(much, 'a', sizeof much - 1);
    int fd = dial();
    (void)!write(fd, much, SERVE_ASKS);
    assert_non_null(strstr(hear(fd), "431"));
    fd = dial();
    assert_int_equal(write(fd, "GET /\0metrics\r\n\r\n", 18), 18);
    assert_int_equal(*hear(fd), 0);
    close(dial());
    /* Some say nothing: each gets its time, then the next one's turn comes. */
    int mute[4];
    for (int i = 0; i < 4; i++)
        mute[i] = dial();
    assert_non_null(strstr(ask("GET /metrics HTTP/1.1\r\n\r\n"), "gotop_up"));
    for (int i = 0; i < 4; i++)
        close(mute[i]);
}

/* A long text to somebody who reads it late is whole. */
static void long_text(void **state)
{
    enum { N = 900000 };
    char *p = malloc(N);
    (void)state;
    for (int i = 0; i < N; i++)
        p[i] = (char)('a' + i % 26);
    put(p, N);
    const int fd = dial();
    assert_int_equal(write(fd, "GET /metrics HTTP/1.1\r\n\r\n", 25), 25);
    poll(NULL, 0, 300);
    put("short\n", 6);
    const char *got = strstr(hear(fd), "\r\n\r\n");
    assert_non_null(got);
    assert_int_equal(strlen(got + 4), N);
    assert_memory_equal(got + 4, p, N);
    free(p);
}

static void places(void **state)
{
    static const char *const bad[] = {"9090",           "",       ":",       ":x", ":70000",
                                      "host.example:1", "[::1:9", "1.2.3:4", ":-1"};
    struct serve *x;
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(serve_open(bad[i], &x, &e), ERR_ARG);
        assert_null(x);
    }
    const int was = serve_listens;
    assert_int_equal(serve_open(serve_at(s), &x, &e), ERR_IO); /* it is taken */
    assert_non_null(strstr(e.what, "in use"));
    serve_listens = was;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(hostile),
                                       cmocka_unit_test(long_text), cmocka_unit_test(places)};
    return cmocka_run_group_tests(tests, begin, end);
}
