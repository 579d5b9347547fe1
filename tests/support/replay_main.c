/*
 * replay_main.c - a server on loopback that plays days of a program, faster than time: the same second over
 * and over, with its clocks moved on, and at random one in which the world stands still.
 *
 *   replay SECONDS SEED EVERY PACE [BREAK]   prints its port, plays once from the first client on, then ends
 *
 * So many seconds of the program, of which one in EVERY on average has a stop of 5 ms (at least six apart: a
 * window is of three or four); PACE seconds in one of ours (0: as fast as they are taken). BREAK: one in so
 * many on average ends the connection, every other time within a second's bytes; the next client gets what
 * follows, from generation 1 on. For each standard error has a line: "planted N", "ended N", "broke N". A
 * client that leaves is an end.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "decode/v2/v2_raw.h"
#include "decode/write/v2_put.h"
#include "tests/support/tracegen.h"

enum { REQUESTS = 120, APART = 6 };
#define SECOND UINT64_C(1000000000)

/* A second: it ends as it begins, so any may follow it. */
static uint8_t *second(uint64_t stop_ns, size_t *n)
{
    struct tracegen_buf t = {0};
    tracegen_printf(&t, "go 1.23\nbatch m=7 t=1000\nProcStatus +1 p=0 running\n");
    for (int g = 1; g <= 3; g++)
        tracegen_printf(&t, "GoStatus +1 g=%d m=-1 waiting\n", g);
    uint64_t left = SECOND - 2000 - stop_ns;
    for (int i = 0; i < REQUESTS; i++) {
        const int g = 1 + i % 3, seq = 2 * (i / 3) + 1;
        const uint64_t step = left / REQUESTS;
        tracegen_printf(&t, "GoUnblock +%" PRIu64 " g=%d g_seq=%d stack=0\nGoStart +2000 g=%d g_seq=%d\n",
                        step / 2, g, seq, g, seq + 1);
        if (stop_ns && i == REQUESTS / 2)
            tracegen_printf(
                &t, "STWBegin +10 kind=\"GC mark termination\" stack=main.serve:10\nSTWEnd +%" PRIu64 "\n",
                stop_ns);
        tracegen_printf(&t, "GoBlock +%" PRIu64 " reason=\"network\" stack=main.serve:%d\n",
                        step - step / 2 - 2000, 20 + g);
    }
    tracegen_printf(&t, "endgen\n");
    uint8_t *p = tracegen_bytes((const char *)t.p, n);
    tracegen_free(&t);
    return p;
}

/* ---- to the client ------------------------------------------------------------------------------------- */

static int to = -1;
static bool gone;

static bool put(void *arg, const void *p, size_t n)
{
    const char *q = p;
    (void)arg;
    while (n && !gone) {
        ssize_t k = write(to, q, n);
        gone = k <= 0;
        q += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return !gone;
}

struct piece { /* what is sent at once, as a chunk */
    uint8_t p[1 << 16];
    size_t n;
};

static bool collect(void *arg, const void *p, size_t n)
{
    struct piece *c = arg;
    if (n > sizeof c->p - c->n)
        return false;
    memcpy(c->p + c->n, p, n);
    c->n += n;
    return true;
}

static void chunk(const void *p, size_t n)
{
    char head[32];
    put(NULL, head, (size_t)snprintf(head, sizeof head, "%zx\r\n", n));
    put(NULL, p, n);
    put(NULL, "\r\n", 2);
}

/* The second's batches as generation `gen`, so many seconds later. */
static void play(const uint8_t *data, size_t n, uint64_t gen, uint64_t at, struct piece *c)
{
    struct outlet out = {.write = collect, .arg = c};
    struct v2_raw_batch b;
    struct err e = {0};
    c->n = 0;
    for (const uint8_t *p = data + 16; (p = v2_raw_batch(data, n, p, &b, &e));) {
        b.gen = gen;
        b.time += at * SECOND;
        v2_put_batch(&out, &b);
    }
}

/* ---- the day ------------------------------------------------------------------------------------------- */

static uint64_t state;
static uint64_t chance(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % n;
}

static void hello(int s)
{
    char request[4096];
    size_t n = 0;
    gone = false;
    while ((to = accept(s, NULL, NULL)) < 0) {
    }
    while (n + 1 < sizeof request) {
        ssize_t k = read(to, request + n, sizeof request - 1 - n);
        if (k <= 0)
            break;
        n += (size_t)k;
        request[n] = '\0';
        if (strstr(request, "\r\n\r\n"))
            break;
    }
    static const char ok[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    put(NULL, ok, sizeof ok - 1);
}

static int listener(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 8) ||
        getsockname(s, (struct sockaddr *)&at, &len))
        exit(2);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    return s;
}

static void hang_up(bool well)
{
    if (well)
        put(NULL, "0\r\n\r\n", 5);
    shutdown(to, SHUT_WR);
    close(to);
    to = -1;
}

struct plan {
    uint64_t seconds, every, pace, breaks;
};

static void day(const struct plan *plan, int s, uint8_t *const sec[2], const size_t n[2])
{
    static struct piece c;
    struct timespec began;
    uint64_t gen = 0, last = 0, broke = 0;
    bool well = false;
    for (uint64_t i = 0; i < plan->seconds; i++) {
        if (to < 0) {
            hello(s);
            gen = 0;
            last = i;
            chunk(sec[0], 16);
        }
        if (!i)
            clock_gettime(CLOCK_MONOTONIC, &began);
        const bool breaks = plan->breaks && i - broke > 2 * APART && !chance(plan->breaks);
        const bool loud = !breaks && i - last >= APART && !chance(plan->every);
        play(sec[loud], n[loud], ++gen, i, &c);
        if (loud) {
            last = i;
            fprintf(stderr, "planted %" PRIu64 "\n", i);
        }
        if (breaks && i - last >= APART) {
            well = !well;
            if (!well)
                chunk(c.p, c.n / 2);
            fprintf(stderr, "%s %" PRIu64 "\n", well ? "ended" : "broke", i);
            hang_up(well);
            broke = i;
            continue;
        }
        chunk(c.p, c.n);
        if (gone) {
            fprintf(stderr, "left %" PRIu64 "\n", i);
            hang_up(false);
        }
        for (struct timespec now; plan->pace; poll(NULL, 0, 1)) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            if ((double)(now.tv_sec - began.tv_sec) + (double)(now.tv_nsec - began.tv_nsec) / 1e9 >=
                (double)(i + 1) / (double)plan->pace)
                break;
        }
    }
    if (to >= 0)
        hang_up(true);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return fprintf(stderr, "usage: replay SECONDS SEED EVERY PACE [BREAK]\n"), 2;
    const struct plan plan = {strtoull(argv[1], NULL, 10), strtoull(argv[3], NULL, 10),
                              strtoull(argv[4], NULL, 10), argc > 5 ? strtoull(argv[5], NULL, 10) : 0};
    size_t n[2];
    uint8_t *const sec[2] = {second(0, &n[0]), second(5000000, &n[1])};
    state = strtoull(argv[2], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    setlinebuf(stderr);
    day(&plan, listener(), sec, n);
    free(sec[0]);
    free(sec[1]);
    return 0;
}
