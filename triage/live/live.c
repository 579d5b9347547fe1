/*
 * live.c - see live.h.
 */
#include "triage/live/live.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "triage/text.h"

enum { READ_SIZE = 1 << 20 };
#define ANSWER_WAIT_NS 3000000000LL

/* ---- the command line ------------------------------------------------------------------------------------------ */

const char live_usage[] = "WHERE is http://host:port, host:port, unix:/path, a path in front of /debug/pprof or a "
                          "whole path; a file that is being\n"
                          "written; or - for standard input.\n"
                          "  -H 'NAME: VALUE'     a header of the request; may be repeated\n"
                          "  --token-file FILE    its first line is sent as a bearer token\n"
                          "  --cacert FILE        who may vouch for the server\n"
                          "  --cert FILE          our certificate\n"
                          "  --key FILE           its key\n"
                          "  --insecure           don't check who the server is\n"
                          "  --unix-socket PATH   connect there\n"
                          "  --method NAME        GET (default), POST\n"
                          "  --seconds N          end after so long\n"
                          "  --connect-timeout N  give up after so many seconds without a connection (10)\n"
                          "  --stall-timeout N    give up after so many seconds without a byte (15)\n";

int live_say(const char *command, const char *what, const char *message)
{
    struct text t = {0};
    text_clean(&t, what, strlen(what), 0);
    text_lit(&t, ": ");
    text_clean(&t, message, strlen(message), 0);
    door_printf(stderr, "gotop%s%s: %s\n", command ? " " : "", command ? command : "", t.p ? t.p : "out of memory");
    text_free(&t);
    return 2;
}

bool live_ns(const char *s, int64_t *out)
{
    static const struct {
        const char *name;
        double ns;
    } unit[] = {{"ms", 1e6}, {"us", 1e3}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    double v = strtod(s, &end);
    if (end == s || !(v > 0)) {
        return false;
    }
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        if (strcmp(end, unit[i].name) == 0 && v * unit[i].ns < 9e18) {
            *out = (int64_t)(v * unit[i].ns);
            return true;
        }
    }
    return false;
}

static bool number(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(s, &end, 10);
    *out = n;
    return end != s && !*end && *s != '-' && !errno && n > 0 && n <= FEED_ENDLESS;
}

/* Options whose value is text that somebody else judges. */
static const char **text_option(struct feed_opts *f, const char *name)
{
    const struct {
        const char *name, **to;
    } row[] = {{"--token-file", &f->token_file},   {"--cacert", &f->cacert}, {"--cert", &f->cert}, {"--key", &f->key},
               {"--unix-socket", &f->unix_socket}, {"--method", &f->method}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (strcmp(name, row[i].name) == 0) {
            return row[i].to;
        }
    }
    return NULL;
}

static bool number_option(struct feed_opts *f, const char *name, const char *value, bool *good)
{
    uint64_t n = 0;
    *good = number(value, &n);
    if (strcmp(name, "--seconds") == 0) {
        f->seconds = n;
    } else if (strcmp(name, "--connect-timeout") == 0) {
        f->connect_s = (int)n;
    } else if (strcmp(name, "--stall-timeout") == 0) {
        f->stall_s = (int)n;
    } else {
        return false;
    }
    return true;
}

bool live_option(struct live_opts *o, const char *command, int argc, char **argv, int *i, int *status)
{
    const char *name = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
    bool good = true;
    if (strcmp(name, "--insecure") == 0) {
        o->feed.insecure = true;
        return true;
    }
    const char **to = text_option(&o->feed, name);
    if (!value) {
        return false;
    }
    if (strcmp(name, "-H") == 0) {
        good = o->feed.nheaders < FEED_HEADERS;
        if (good) {
            o->feed.header[o->feed.nheaders++] = value;
        }
    } else if (to) {
        *to = value;
    } else if (!number_option(&o->feed, name, value, &good)) {
        return false;
    }
    *i += 1;
    if (!good) {
        *status = live_say(command, name, "makes no sense with this value");
    }
    return true;
}

/* ---- the stream ------------------------------------------------------------------------------------------------ */

enum err_code live_open(struct live *l, const struct live_opts *o, struct err *e)
{
    if (!(l->buf = mem_alloc(READ_SIZE))) {
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    }
    l->st.max = host_memory() / 4; /* a generation that never ends */
    return feed_open(o->where, &o->feed, &l->feed, e);
}

void live_close(struct live *l)
{
    feed_close(l->feed);
    stream_free(&l->st);
    mem_free(l->buf);
    *l = (struct live){0};
}

/* What came is no trace: the server may have said why, in its status and in what follows. */
static void hear_why(struct live *l, struct err *e)
{
    struct err said = {0};
    enum feed_state s = FEED_DATA;
    size_t n;
    int64_t until = live_wall_now() + ANSWER_WAIT_NS;
    while (s != FEED_END && s != FEED_FAILED && live_wall_now() < until) {
        s = feed_read(l->feed, l->buf, READ_SIZE, 100, &n, &said);
    }
    if (s == FEED_FAILED) {
        *e = said;
    }
}

static enum live_state live_over(struct live *l, enum feed_state s)
{
    l->ended = true;
    stream_end(&l->st);
    return s == FEED_END ? LIVE_END : LIVE_FAILED;
}

enum live_state live_step(struct live *l, int timeout_ms, struct err *e)
{
    size_t n, before = stream_whole(&l->st);
    enum feed_state s = feed_read(l->feed, l->buf, READ_SIZE, timeout_ms, &n, e);
    if (s == FEED_END && !l->st.known) {
        err_set(e, l->st.bytes ? ERR_TRUNCATED : ERR_EMPTY, l->st.bytes,
                "it ended before a trace's header was complete");
        return live_over(l, FEED_FAILED);
    }
    if (s == FEED_END || s == FEED_FAILED) {
        return live_over(l, s);
    }
    if (s == FEED_WAIT) {
        return LIVE_WAIT;
    }
    if (l->raw && fwrite(l->buf, 1, n, l->raw) != n) {
        err_set(e, ERR_IO, ERR_NO_OFFSET, "what was sent can't be written down: %s", strerror(errno));
        return live_over(l, FEED_FAILED);
    }
    enum err_code rc = stream_put(&l->st, l->buf, n, e);
    if (rc) {
        if (rc == ERR_NOT_TRACE) {
            hear_why(l, e);
        }
        return live_over(l, FEED_FAILED);
    }
    int64_t now = live_wall_now();
    for (size_t i = before; i < stream_whole(&l->st); i++) {
        l->st.gen[i].came_ns = now;
    }
    return stream_whole(&l->st) > before ? LIVE_GEN : LIVE_DATA;
}

enum err_code live_load(struct live *l, size_t i, size_t n, const struct trace_opts *o, struct loaded *out,
                        uint8_t **mem, struct err *e)
{
    size_t len;
    *out = (struct loaded){0};
    if (!(*mem = stream_join(&l->st, i, n, &len))) {
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for the generations that are looked at");
    }
    enum err_code rc = load_mem(*mem, len, o, out, e);
    if (rc) {
        mem_free(*mem);
        *mem = NULL;
        return rc;
    }
    const struct trace_info *ti = trace_info(out->tr);
    struct stream_gen *last = &l->st.gen[i + n - 1];
    last->t0 = n > 1 && last[-1].t1 ? last[-1].t1 : ti->first_ns;
    last->t1 = ti->first_ns + ti->end;
    return ERR_OK;
}

/* ---- signals, the wall clock ----------------------------------------------------------------------------------- */

static void hold(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(how, &set, NULL);
}

void live_stop_hold(void)
{
    hold(SIG_BLOCK);
}

void live_stop_release(void)
{
    hold(SIG_UNBLOCK);
}

bool live_stop_asked(void)
{
    sigset_t set;
    return sigpending(&set) == 0 && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM));
}

int64_t live_wall_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

void live_stamp(int64_t wall_ns, bool for_name, char *out, size_t size)
{
    time_t s = (time_t)(wall_ns / 1000000000);
    struct tm tm;
    char date[40] = "";
    if (gmtime_r(&s, &tm)) {
        (void)strftime(date, sizeof date, for_name ? "%Y%m%dT%H%M%S" : "%Y-%m-%dT%H:%M:%S", &tm);
    }
    snprintf(out, size, "%s.%03dZ", date, (int)(wall_ns / 1000000 % 1000));
}
