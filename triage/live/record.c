/*
 * record.c - `gotop record`: fetch a running program's trace into a file, every byte as sent.
 *
 * The file gets its name only once it is a trace with something in it. What came before a broken connection
 * counts, since it may be all there is of a program's last seconds. A trace has CPU samples only while a
 * CPU profile runs: --cpu asks for one at the same time and discards it.
 */
#include <unistd.h>

#include "decode/base/door.h"
#include "triage/exports/export_out.h"
#include "triage/live/live.h"
#include "triage/say.h"

enum { STEP_MS = 200, PIECE = 1 << 20, DEFAULT_S = 5 };

struct record {
    struct options opt;
    struct feed_opts beside; /* the request of --cpu */
    struct feed *feed, *profile;
    struct out out;
    uint8_t head[16];
    size_t nhead;
    uint64_t bytes; /* as they were sent */
    bool broke;     /* the connection broke, and what came is a trace */
};

static uint8_t buf[PIECE];

static const struct command command = {
    "record", CMD_RECORD,
    "usage: gotop record [options] -o FILE WHERE\nWrites a trace of a running program to a file as it was "
    "sent: 5 seconds, or --seconds N. WHERE can be no file.\n",
    LIVE_TAIL};

/* Returns whether a whole header has come, and is a trace's; with `trace` false, that it is none. */
static bool header_is(const struct record *r, bool trace)
{
    struct dialect d;
    struct err other;
    return r->nhead == sizeof r->head && (dialect_tell(r->head, r->nhead, &d, &other) == ERR_OK) == trace;
}

/* Takes n bytes that were unpacked into buf. They are written as they were sent, unless they are no trace. */
static void take_bytes(struct record *r, size_t n)
{
    size_t nsent;
    const uint8_t *sent = feed_sent(r->feed, &nsent);
    for (size_t i = 0; i < n && r->nhead < sizeof r->head; i++)
        r->head[r->nhead++] = buf[i];
    r->bytes += nsent;
    if (!header_is(r, false))
        out_write(&r->out, sent, nsent);
}

/* The profile is discarded, but must be read. */
static void drain(struct record *r)
{
    struct err ignored;
    struct feed_room room = {.p = buf, .cap = PIECE};
    enum feed_state s = FEED_DATA;
    while (r->profile && s == FEED_DATA)
        s = feed_read(r->profile, &room, 0, &ignored);
    if (s == FEED_END || s == FEED_FAILED) {
        feed_close(r->profile);
        r->profile = NULL;
    }
}

static enum err_code receive(struct record *r, struct err *e)
{
    bool talk = !r->opt.quiet && isatty(STDERR_FILENO);
    enum feed_state s = FEED_WAIT;
    while (s != FEED_END && s != FEED_FAILED && !live_stop_asked() && !r->out.error && !header_is(r, false)) {
        struct feed_room room = {.p = buf, .cap = PIECE};
        s = feed_read(r->feed, &room, STEP_MS, e);
        take_bytes(r, s == FEED_DATA ? room.n : 0);
        drain(r);
        if (talk) {
            char line[60];
            snprintf(line, sizeof line, "recording %.1f MB ", (double)r->bytes * 1e-6);
            door_status(line);
        }
    }
    door_wipe();
    struct dialect d;
    if (s != FEED_FAILED)
        return dialect_tell(r->head, r->nhead, &d, e);
    r->broke = header_is(r, true);
    return r->broke ? ERR_OK : e->code;
}

/* Says what was recorded: all, or what came before the connection broke. Returns the exit status. */
static int say_recorded(const struct record *r, const struct err *e)
{
    if (r->broke) {
        char why[sizeof e->what + 80];
        snprintf(why, sizeof why, "%s; what came before, %.1f MB, is kept", e->what, (double)r->bytes * 1e-6);
        return say_failed("record", r->opt.path, why);
    }
    if (!r->opt.quiet) {
        const char *packed = feed_packed(r->feed);
        door_printf(stderr, "gotop record: %.1f MB%s%s%s\n", (double)r->bytes * 1e-6, packed ? " of " : "",
                    packed ? packed : "", packed ? ", as it was sent" : "");
    }
    return 0;
}

int record_main(int argc, char **argv)
{
    struct record r = {0};
    struct err e = {0};
    int status = live_parse(&command, argc, argv, &r.opt);
    if (status < 0 && !r.opt.out)
        status = options_lack(&command, "-o FILE");
    if (status >= 0)
        return status;
    if (!r.opt.feed.seconds) {
        r.opt.feed.seconds = DEFAULT_S;
        r.opt.feed.unasked = true;
    }
    if (!r.opt.feed.stall_s) /* before Go 1.22 the first byte may come only at the end */
        r.opt.feed.stall_s = r.opt.feed.seconds + FEED_STALL_S;
    if (!feed_is_url(r.opt.path))
        return say_failed("record", r.opt.path, "is no URL: what is a file already can be copied");
    r.beside = r.opt.feed;
    r.beside.profile = "profile";
    live_shut(&r.opt, r.opt.cpu ? &r.beside : NULL);
    live_stop_hold(true);
    if (feed_open(r.opt.path, &r.opt.feed, &r.feed, &e) ||
        (r.opt.cpu && feed_open(r.opt.path, &r.beside, &r.profile, &e)) ||
        out_open(&r.out, r.opt.out, false, &e)) {
        status = say_failed("record", r.opt.path, e.what);
    } else {
        const enum err_code rc = out_close(&r.out, receive(&r, &e), &e);
        status = rc ? say_failed("record", r.opt.path, e.what) : say_recorded(&r, &e);
        live_stop_tell("record", r.opt.path);
    }
    feed_close(r.feed);
    feed_close(r.profile);
    return status;
}
