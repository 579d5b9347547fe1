/*
 * bound.c - see bound.h.
 *
 * Standard output becomes a pipe, and a thread of gotop reads it, so no command need know. What comes after
 * the last line that fits is counted for a while. Then the pipe is shut, as when a reader has had enough.
 */
#include "viewer/command/bound.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"
#include "decode/base/thread.h"
#include "triage/options.h"
#include "viewer/command/cmdline.h"

enum { PIECE = 65536, COUNTED = 64 << 20 };

static struct bound {
    uint64_t bytes; /* 0: no bound was asked for */
    bool json, started, full, more, failed;
    bool gone;     /* the reader of the output has had enough, or nothing may be printed */
    int out, from; /* the real standard output; and the pipe that is there instead */
    pthread_t thread;
    char *held; /* not printed yet: the beginning of a line, or JSON */
    size_t n, cap;
    uint64_t printed, left; /* bytes */
} b = {.out = -1, .from = -1};

bool bound_take(const char *size)
{
    const bool ok = strcmp(size, "0") == 0 || options_size(size, &b.bytes);
    if (!ok)
        door_printf(stderr, "gotop: --bytes: its value is no size: 4000, 64K\n");
    return ok;
}

void bound_json(void)
{
    b.json = true;
}

static void bound_print(const char *p, size_t n)
{
    b.gone |= n && origin_is(b.out, NULL); /* bound_end() reports it */
    while (n && !b.gone) {
        const ssize_t put = write(b.out, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        b.failed |= put < 0 && errno != EPIPE;
        b.gone |= put <= 0;
        if (put <= 0)
            return;
        p += put;
        n -= (size_t)put;
        b.printed += (uint64_t)put;
    }
}

/* Print the first n bytes of what is held and keep the rest. */
static void bound_flush(size_t n)
{
    bound_print(b.held, n);
    memmove(b.held, b.held + n, b.n - n);
    b.n -= n;
}

static void take_output(const char *p, size_t n)
{
    const uint64_t room = b.bytes - b.printed - b.n;
    const size_t part = b.full || b.gone ? 0 : n < room ? n : (size_t)room;
    if (part && !mem_room(b.held, b.cap, b.n + part)) {
        b.failed = b.full = true;
        return;
    }
    memcpy(b.held + b.n, p, part);
    b.n += part;
    b.full |= part < n;
    b.left += n - part;
    size_t lines = b.json && !b.full ? 0 : b.n;
    while (lines && b.held[lines - 1] != '\n')
        lines--;
    if (!b.json)
        bound_flush(lines);
    if (b.full) { /* only the beginning of a line has room */
        b.left += b.n;
        b.n = 0;
    }
}

static void *bound_pump(void *arg)
{
    static char piece[PIECE];
    (void)arg;
    for (ssize_t n; (n = read(b.from, piece, sizeof piece)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || b.gone || b.left > COUNTED) {
            b.more = true;
            break;
        }
        take_output(piece, (size_t)n);
    }
    close(b.from);
    return NULL;
}

void bound_begin(bool printed)
{
    int ends[2];
    if (!b.bytes || !printed || origin_is(STDOUT_FILENO, NULL) || pipe(ends))
        return;
    b.out = dup(STDOUT_FILENO);
    b.from = ends[0];
    b.started = b.out >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 &&
                thread_start(&b.thread, NULL, bound_pump, NULL) == 0;
    close(ends[1]);
    if (!b.started && b.out >= 0)
        dup2(b.out, STDOUT_FILENO);
}

int bound_end(int status)
{
    if (!b.started)
        return status;
    (void)fflush(stdout);
    close(STDOUT_FILENO);
    pthread_join(b.thread, NULL);
    const bool refused = b.full && b.json;
    bound_flush(refused ? 0 : b.n); /* JSON, or a last line without its newline */
    const bool read_here = origin_is(b.out, NULL);
    if (read_here || b.failed)
        door_printf(stderr, "gotop: standard output: %s\n",
                    read_here ? "that file is read here" : "it could not be written");
    else if (refused)
        door_printf(stderr,
                    "gotop: the JSON has more than %" PRIu64 " bytes and can't be cut; --bytes 0 prints it\n",
                    b.bytes);
    else if (b.left && !b.gone)
        door_printf(stderr, "gotop: %s%" PRIu64 " bytes more are left out; --bytes 0 prints all\n",
                    b.more ? "more than " : "", b.left);
    mem_free(b.held);
    return read_here || b.failed || refused ? EXIT_UNREADABLE : status;
}
