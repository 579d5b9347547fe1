/*
 * test_answer.c - an HTTP answer as hostile as may be (decode/input/answer.h): however it is cut into pieces,
 * what is planted comes out, and nothing else; what is no HTTP is told; nothing is allocated.
 */
#include "decode/input/answer.h"
#include "tests/unit/decode_help.h"

struct planted {
    const char *bytes, *body, *to;
    int status;
    bool whole; /* before the connection ends; else behind it */
    bool ends;  /* whole at its end */
    const char *broken;
};

#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static const struct planted cases[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", "body", "", 200, true, true, NULL},
    {"HTTP/1.0 200 OK\r\n\r\nto the end", "to the end", "", 200, false, true, NULL},
    {CHUNKED "4\r\nbody\r\n0\r\n\r\n", "body", "", 200, true, true, NULL},
    {CHUNKED "1\r\nb\r\n3;x=y\r\nody\r\n0\r\nTrailer: t\r\n\r\n", "body", "", 200, true, true, NULL},
    {CHUNKED "00000004\r\nbody\r\n000\r\n\r\nHTTP/1.1 200 OK\r\n\r\nmore", "body", "", 200, true, true, NULL},
    {CHUNKED "4\r\nbod", "bod", "", 200, false, false, NULL},
    {CHUNKED "4\r\nbodyX\r\n0\r\n\r\n", "body", "", 200, false, false, "no HTTP"},
    {CHUNKED "nonsense", "", "", 200, false, false, "no HTTP"},
    {CHUNKED "-1\r\nbody", "", "", 200, false, false, "no HTTP"},
    {CHUNKED "fffffffffffffffff\r\nbody", "", "", 200, false, false, "no HTTP"},
    {CHUNKED "7fffffffffffffff\r\nbody", "body", "", 200, false, false, NULL},
    {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nbody", "", "", 0, false, false,
     "no HTTP"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody", "", "", 0, false, false,
     "no HTTP"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody", "body", "", 200, false, false, NULL},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLocation: /no\r\n\r\nHTTP/1.1 200 "
     "OK\r\nContent-Length: "
     "4\r\n\r\nbody",
     "body", "", 200, true, true, NULL},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nbytes", "", "", 0, false,
     false, ""},
    {"HTTP/1.1 302 Found\r\nlocation: http://else/?a=b\r\nContent-Length: 0\r\n\r\n", "", "http://else/?a=b",
     302, true, true, NULL},
    {"HTTP/1.1 302 Found\r\nX-Location: /no\r\nLocations: /no\r\nContent-Length: 0\r\n\r\n", "", "", 302,
     true, true, NULL},
    {"HTTP/1.1 302 Found\r\nLocation: /a\033[31m\r\nContent-Length: 0\r\n\r\n", "", "", 0, false, false,
     "no HTTP"},
    {"HTTP/1.1 302 Found\r\nLocation: /a b\r\nContent-Length: 0\r\n\r\n", "", "", 302, true, true, NULL},
    {"HTTP/1.1 204 No Content\r\n\r\n", "", "", 204, true, true, NULL},
    {"HTTP/1.1 500 Internal Server Error\r\nX-Go-Pprof: 1\r\n\r\nbusy\n", "busy\n", "", 500, false, true,
     NULL},
    {"HTTP/9.9 200 OK\r\n\r\n", "", "", 200, false, true, NULL},
    {"SSH-2.0-OpenSSH_9.2\r\n", "", "", 0, false, false, "no HTTP"},
    {"\x16\x03\x01\x02", "", "", 0, false, false, "no HTTP"},
    {"", "", "", 0, false, false, NULL},
    {"HTTP/1.1 2", "", "", 0, false, false, NULL},
    {"HTTP/1.1 200 OK\r\nX: y", "", "", 0, false, false, NULL},
};

/* All of it in pieces of so many bytes, the first of `first`. */
static void feed_pieces(const struct planted *p, size_t first, size_t step)
{
    struct answer a;
    char body[64] = "";
    uint8_t piece[256];
    const size_t n = strlen(p->bytes);
    size_t got = 0;
    answer_begin(&a);
    for (size_t at = 0, k = first; at < n; at += k, k = step) {
        k = k < n - at ? k : n - at;
        memcpy(piece, p->bytes + at, k);
        const size_t m = answer_take(&a, piece, k);
        assert_true(m <= k && got + m < sizeof body);
        memcpy(body + got, piece, m);
        got += m;
    }
    if (p->whole != a.whole)
        fail_msg("'%.60s' by %zu, %zu: %s", p->bytes, first, step, a.broken ? a.broken : "not as whole");
    answer_end(&a);
    body[got] = '\0';
    if (strcmp(body, p->body) != 0 || a.whole != p->ends || a.status != p->status ||
        strcmp(a.to, p->to) != 0 || !p->broken != !a.broken || (p->broken && !strstr(a.broken, p->broken)))
        fail_msg("'%.60s' by %zu, %zu: '%s', status %d, to '%s', %s, %s", p->bytes, first, step, body,
                 a.status, a.to, a.whole ? "whole" : "not whole", a.broken ? a.broken : "sound");
}

static void planted_answers(void **state)
{
    (void)state;
    const size_t live = mem_live();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t first = 1; first <= strlen(cases[i].bytes) + 1 && first < 256; first++) {
            feed_pieces(&cases[i], first, 255);
            feed_pieces(&cases[i], first, 1);
            feed_pieces(&cases[i], first, 7);
        }
    assert_true(mem_live() == live);
}

/* What never ends is ended: headers, answers before the answer. */
static void endless(void **state)
{
    (void)state;
    static const char *const more[] = {"X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n",
                                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                       "HTTP/1.1 100 Continue\r\n\r\n"};
    for (size_t i = 0; i < 3; i++) {
        struct answer a;
        char piece[100];
        size_t n = 0;
        answer_begin(&a);
        strcpy(piece, i < 2 ? "HTTP/1.1 200 OK\r\nX: " : "");
        while (!a.broken && n < 1 << 20) {
            assert_int_equal(answer_take(&a, (uint8_t *)piece, strlen(piece)), 0);
            n += strlen(piece);
            strcpy(piece, more[i]);
        }
        assert_non_null(a.broken);
        assert_true(n < 100000 && !a.whole);
    }
}

/* Bytes at random, and planted answers with some of them changed: no more comes out than goes in. */
static void nonsense(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        const struct planted *p = &cases[(size_t)round % (sizeof cases / sizeof *cases)];
        struct answer a;
        uint8_t bytes[256];
        size_t n = strlen(p->bytes), out = 0;
        memcpy(bytes, p->bytes, n);
        for (int k = 0; k < 3 && n; k++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            bytes[x % n] = (uint8_t)(x >> 32);
        }
        answer_begin(&a);
        for (size_t at = 0; at < n;) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            const size_t k = 1 + x % (n - at);
            const size_t m = answer_take(&a, bytes + at, k);
            assert_true(m <= k);
            out += m;
            at += k;
        }
        answer_end(&a);
        assert_true(out <= n && strlen(a.to) < sizeof a.to);
        for (const char *c = a.to; *c; c++)
            assert_true((unsigned char)*c > 0x20 && *c != 0x7f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_answers),
        cmocka_unit_test(endless),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
