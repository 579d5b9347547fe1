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
#include "decode/base/thread.h"
#include "triage/text.h"

enum { READ_SIZE = 1 << 20, READ_MS = 100 };
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

struct live_reader {
    pthread_t thread;
    pthread_mutex_t mu;
    pthread_cond_t news, taken;
    bool on, quit; /* the thread runs; it shall end */
    struct feed *feed;
    FILE *raw;
    uint8_t *buf;
    uint64_t most; /* bytes of whole generations that nobody has taken */
    /* under mu: */
    struct stream in;
    bool ended;
    enum live_state how;
    struct err why;
};

/* What came is no trace: the server may have said why, in its status and in what follows. */
static void hear_why(struct live_reader *r, struct err *e)
{
    struct err said = {0};
    enum feed_state s = FEED_DATA;
    size_t n;
    int64_t until = live_wall_now() + ANSWER_WAIT_NS;
    while (s != FEED_END && s != FEED_FAILED && live_wall_now() < until)
        s = feed_read(r->feed, r->buf, READ_SIZE, READ_MS, &n, &said);
    if (s == FEED_FAILED)
        *e = said;
}

static uint64_t waiting_bytes(const struct stream *st)
{
    uint64_t n = 0;
    for (size_t i = 0, whole = stream_whole(st); i < whole; i++)
        n += st->gen[i].n;
    return n;
}

static void reader_over(struct live_reader *r, enum live_state how, const struct err *why)
{
    pthread_mutex_lock(&r->mu);
    stream_end(&r->in);
    r->ended = true;
    r->how = how;
    r->why = *why;
    pthread_cond_signal(&r->news);
    pthread_mutex_unlock(&r->mu);
}

/* n bytes have come. false: that was all. */
static bool reader_took(struct live_reader *r, size_t n)
{
    struct err e = {0};
    pthread_mutex_lock(&r->mu);
    size_t before = stream_whole(&r->in);
    enum err_code rc = stream_put(&r->in, r->buf, n, &e);
    int64_t now = live_wall_now();
    for (size_t i = before; i < stream_whole(&r->in); i++)
        r->in.gen[i].came_ns = now;
    if (stream_whole(&r->in) > before)
        pthread_cond_signal(&r->news);
    while (!r->quit && waiting_bytes(&r->in) > r->most)
        pthread_cond_wait(&r->taken, &r->mu);
    pthread_mutex_unlock(&r->mu);
    if (rc == ERR_NOT_TRACE)
        hear_why(r, &e);
    if (rc)
        reader_over(r, LIVE_FAILED, &e);
    return !rc;
}

static void *reader_main(void *arg)
{
    struct live_reader *r = arg;
    struct err e = {0};
    for (;;) {
        size_t n;
        pthread_mutex_lock(&r->mu);
        bool quit = r->quit;
        pthread_mutex_unlock(&r->mu);
        enum feed_state s = quit ? FEED_END : feed_read(r->feed, r->buf, READ_SIZE, READ_MS, &n, &e);
        if (s == FEED_WAIT)
            continue;
        if (s == FEED_DATA && r->raw && fwrite(r->buf, 1, n, r->raw) != n) {
            err_set(&e, ERR_IO, ERR_NO_OFFSET, "what was sent can't be written down: %s", strerror(errno));
            s = FEED_FAILED;
        }
        if (s == FEED_DATA) {
            if (!reader_took(r, n))
                return NULL;
            continue;
        }
        if (s == FEED_END && !quit && !r->in.known)
            err_set(&e, r->in.bytes ? ERR_TRUNCATED : ERR_EMPTY, r->in.bytes,
                    "it ended before a trace's header was complete");
        reader_over(r, e.code ? LIVE_FAILED : LIVE_END, &e);
        return NULL;
    }
}

static void condition(pthread_cond_t *c)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attr);
    pthread_condattr_destroy(&attr);
}

enum err_code live_open(struct live *l, const struct live_opts *o, struct err *e)
{
    struct live_reader *r = l->reader = mem_zalloc(sizeof *r);
    if (!r || !(r->buf = mem_alloc(READ_SIZE)))
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    pthread_mutex_init(&r->mu, NULL);
    condition(&r->news);
    condition(&r->taken);
    r->raw = l->raw;
    r->in.max = r->most = host_memory() / 4; /* a generation that never ends */
    enum err_code rc = feed_open(o->where, &o->feed, &r->feed, e);
    if (rc)
        return rc;
    r->on = thread_start(&r->thread, NULL, reader_main, r) == 0;
    return r->on ? ERR_OK : err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "a thread to read with can't be started");
}

void live_stop(struct live *l)
{
    struct live_reader *r = l->reader;
    if (!r)
        return;
    pthread_mutex_lock(&r->mu);
    r->quit = true;
    pthread_cond_signal(&r->taken);
    pthread_mutex_unlock(&r->mu);
    if (r->on)
        pthread_join(r->thread, NULL);
    r->on = false;
    feed_close(r->feed);
    r->feed = NULL;
}

void live_close(struct live *l)
{
    live_stop(l);
    if (l->reader) {
        stream_free(&l->reader->in);
        mem_free(l->reader->buf);
        mem_free(l->reader);
    }
    stream_free(&l->st);
    *l = (struct live){0};
}

const struct stream_gen *live_rest(const struct live *l)
{
    return l->ended && l->reader ? stream_rest(&l->reader->in) : NULL;
}

static void news_wait(struct live_reader *r, int timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!r->ended && !stream_whole(&r->in) && pthread_cond_timedwait(&r->news, &r->mu, &until) == 0) {
    }
}

enum live_state live_step(struct live *l, int timeout_ms, struct err *e)
{
    struct live_reader *r = l->reader;
    enum live_state s = LIVE_WAIT;
    pthread_mutex_lock(&r->mu);
    if (timeout_ms > 0)
        news_wait(r, timeout_ms);
    if (stream_whole(&r->in)) {
        s = LIVE_GEN;
        if (!stream_hand(&r->in, &l->st)) {
            err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for what came");
            s = LIVE_FAILED;
        }
        pthread_cond_signal(&r->taken);
    } else if (r->ended) {
        (void)stream_hand(&r->in, &l->st); /* its header */
        l->ended = true;
        s = r->how;
        if (s == LIVE_FAILED)
            *e = r->why;
    }
    l->ended |= s == LIVE_FAILED;
    pthread_mutex_unlock(&r->mu);
    return s;
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
