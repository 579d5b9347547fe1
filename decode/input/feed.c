/*
 * feed.c - see feed.h. feed_curl.c starts curl.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/base/clerk.h"
#include "decode/input/feed_priv.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"

#define GONE_NS INT64_C(3000000000)
#define REFUSAL_NS INT64_C(3000000000) /* so soon a server that sends no trace has said why */

enum {
    IN_SIZE = 65536,
    GROW_POLL_MS = 50,
    LATE = 10, /* times as long as was asked for, and LATE_S, the rest of it may take on a slow line */
    LATE_S = 300
};

/* ---- what a URL is ------------------------------------------------------------------------------------- */

static bool has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Returns whether it is "host:6060" or "host:6060/path": a port of digits after the first colon, and no file
 * of that name. */
static bool host_port(const char *s)
{
    const char *colon = strrchr(s, ']') ? strchr(strrchr(s, ']'), ':') : strchr(s, ':');
    if (!colon || !isdigit((unsigned char)colon[1]) || memchr(s, '/', (size_t)(colon - s)))
        return false;
    size_t n = strspn(colon + 1, "0123456789");
    return n <= 5 && (!colon[1 + n] || colon[1 + n] == '/' || colon[1 + n] == '?') && access(s, F_OK) != 0;
}

bool feed_is_url(const char *where)
{
    return has_prefix(where, "http://") || has_prefix(where, "https://") || has_prefix(where, "unix:") ||
           host_port(where);
}

const char *feed_shown(const char *where, char out[FEED_SHOWN])
{
    const char *host = strstr(where, "://") ? strstr(where, "://") + 3 : NULL, *at = NULL;
    size_t n = host ? strcspn(host, "/?#") : 0;
    for (size_t i = 0; i < n; i++)
        if (host[i] == '@')
            at = host + i;
    if (at)
        snprintf(out, FEED_SHOWN, "%.*s..%s", (int)(host - where), where, at);
    else
        snprintf(out, FEED_SHOWN, "%s", where);
    return out;
}

static bool ends_with(const char *s, size_t n, const char *end)
{
    size_t k = strlen(end);
    return n >= k && memcmp(s + n - k, end, k) == 0;
}

/* Append the missing part of "debug/pprof/trace" to a path. */
static const char *missing_path(const char *path, size_t n)
{
    if (ends_with(path, n, "/trace"))
        return "";
    if (ends_with(path, n, "/debug/pprof"))
        return "/trace";
    if (ends_with(path, n, "/debug/pprof/"))
        return "trace";
    return ends_with(path, n, "/") ? "debug/pprof/trace" : "/debug/pprof/trace";
}

enum err_code feed_url(const char *where, const struct feed_opts *o, char *out, size_t size, struct err *e)
{
    const char *scheme = strstr(where, "://") ? "" : "http://", *rest = where;
    if (has_prefix(where, "unix:"))
        rest = "localhost";
    const char *host = strstr(rest, "://") ? strstr(rest, "://") + 3 : rest;
    bool query = strchr(host, '?') != NULL;
    size_t n = strcspn(rest, "#");
    const char *more = query ? "" : missing_path(rest, n);
    char seconds[40] = "";
    if (!query)
        snprintf(seconds, sizeof seconds, "?seconds=%" PRIu64,
                 o->seconds ? o->seconds : (uint64_t)FEED_ENDLESS);
    for (const char *p = where; *p; p++)
        if ((unsigned char)*p <= 0x20 || *p == 0x7f)
            return err_set(e, ERR_ARG, ERR_NO_OFFSET, "a URL holds no blanks or control bytes");
    int len = snprintf(out, size, "%s%.*s%s%s", scheme, (int)n, rest, more, seconds);
    if (!*host || len < 0 || (size_t)len >= size)
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, *host ? "the URL is too long" : "the URL names no host");
    if (o->profile && !query) { /* the last word is another one */
        char *word = strstr(out, "/trace?");
        if (word)
            snprintf(word + 1, size - (size_t)(word + 1 - out), "%s%s", o->profile, seconds);
    }
    return ERR_OK;
}

/* ---- opening, closing ---------------------------------------------------------------------------------- */

/* Set how long it is read: a file from now on, all else from its first byte. Nobody waits beyond a week. */
static void start_clock(struct feed *f)
{
    const int64_t s = INT64_C(1000000000);
    if (f->until || !f->seconds || f->seconds > FEED_ENDLESS)
        return;
    f->until = host_now() + (int64_t)f->seconds * s;
    f->most = f->until + (int64_t)f->seconds * LATE * s + LATE_S * s;
}

static enum err_code open_file(struct feed *f, const char *path, struct err *e)
{
    struct stat st;
    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->fd < 0 || fstat(f->fd, &st))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "can't open: %s", strerror(errno));
    f->own = true;
    origin_note(f->fd, NULL);
    f->is.grows = S_ISREG(st.st_mode);
    if (!f->is.grows && !S_ISFIFO(st.st_mode))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "is neither a file nor a pipe");
    const size_t n = strlen(path) + 1;
    char *copy = mem_alloc(n);
    if (!copy)
        return err_nomem(e);
    f->path = memcpy(copy, path, n);
    return ERR_OK;
}

static enum err_code open_url(struct feed *f, const char *where, const struct feed_opts *o, struct err *e)
{
    char url[8192];
    struct feed_opts with = *o;
    if (has_prefix(where, "unix:"))
        with.unix_socket = where + 5;
    enum err_code rc = feed_url(where, o, url, sizeof url, e);
    f->own = true;
    f->is.timed = !rc && strstr(url, "seconds=");
    return rc ? rc : feed_curl(f, url, &with, e);
}

enum err_code feed_open_near(struct feed *f, const char *where, const struct feed_opts *o, struct err *e)
{
    return feed_is_url(where) ? open_url(f, where, o, e) : open_file(f, where, e);
}

enum err_code feed_of(int fd, uint64_t limit, struct feed **out, struct err *e)
{
    struct feed *f = *out = mem_zalloc(sizeof *f);
    if (!f)
        return err_nomem(e);
    f->fd = fd;
    f->err_fd = -1;
    f->limit = limit;
    return ERR_OK;
}

enum err_code feed_of_bytes(const uint8_t *p, size_t n, bool deflated, uint64_t limit, struct feed **out,
                            struct err *e)
{
    if (feed_of(-1, limit, out, e))
        return e->code;
    (*out)->in = (struct feed_room){.p = (uint8_t *)(uintptr_t)p, .n = n};
    (*out)->checked = true;
    (*out)->packed = deflated ? "deflate" : unpack_packed(p, n);
    return unpacker_begin(&(*out)->unpacker, p, n, deflated, limit, e);
}

enum err_code feed_open(const char *where, const struct feed_opts *o, struct feed **out, struct err *e)
{
    static const struct feed_opts none;
    struct feed *f;
    *out = NULL;
    if (feed_of(-1, 0, &f, e))
        return ERR_NOMEM;
    f->seconds = o && !o->unasked ? o->seconds : 0;
    enum err_code rc = ERR_OK;
    if (strcmp(where, "-") == 0)
        origin_note(f->fd = STDIN_FILENO, NULL);
    else
        rc = (clerk_on() ? feed_open_far : feed_open_near)(f, where, o ? o : &none, e);
    if (!rc && f->is.grows)
        start_clock(f);
    if (rc)
        feed_close(f);
    else
        *out = f;
    return rc;
}

bool feed_is_file(const struct feed *f)
{
    struct stat st;
    return fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* From now on no more is read. */
static void close_fd(struct feed *f)
{
    if (f->own)
        feed_shut(&f->fd);
    f->fd = -1;
}

void feed_close(struct feed *f)
{
    if (!f)
        return;
    close_fd(f);
    feed_shut(&f->err_fd);
    (void)feed_wait(f, true);
    unpacker_end(&f->unpacker);
    mem_free(f->in.cap ? f->in.p : NULL); /* without room for more they are the caller's */
    mem_free((char *)(uintptr_t)f->path);
    mem_free(f);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Keep the beginning of what curl says, which is little. At its end nobody waits for more. */
static void read_said(struct feed *f)
{
    char some[256];
    ssize_t n = 1;
    while (f->err_fd >= 0 && (n = read(f->err_fd, some, sizeof some)) > 0)
        for (ssize_t i = 0; i < n && f->nsaid + 1 < sizeof f->said; i++)
            f->said[f->nsaid++] = some[i];
    if (n == 0)
        feed_shut(&f->err_fd);
}

static enum feed_state data_ended(struct feed *f, struct err *e)
{
    close_fd(f);
    if (!f->pid && !f->far)
        return FEED_END;
    if (f->err_fd >= 0) {
        fcntl(f->err_fd, F_SETFL, 0); /* to its end, which comes with the client's */
        read_said(f);
    }
    feed_shut(&f->err_fd);
    return feed_curl_end(f, e) ? FEED_FAILED : FEED_END;
}

/* stopped - FEED_DATA until the seconds are over. */
static enum feed_state stopped(struct feed *f, struct err *e)
{
    if (!f->until || host_now() < (f->is.timed ? f->most : f->until))
        return FEED_DATA;
    close_fd(f);
    if (!f->is.timed)
        return FEED_END;
    err_set(e, ERR_IO, f->got, "it was asked for %" PRIu64 " s of trace, and has not ended since",
            f->seconds);
    return FEED_FAILED;
}

/* Say that the name stands for another file, or this file holds another trace: what was read stays, and the
 * name can be opened again. */
static enum feed_state another(const struct feed *f, const char *what, struct err *e)
{
    err_set(e, ERR_APART, f->got, "%s: what came before is shown", what);
    return FEED_FAILED;
}

/* Returns whether the file still begins as it did. A file that was truncated and rewritten may already be as
 * long as before. */
static bool begins_so(const struct feed *f)
{
    char now[sizeof f->body];
    return pread(f->fd, now, f->nbody, 0) == (ssize_t)f->nbody && !memcmp(now, f->body, f->nbody);
}

/* Whether it is still the same file. FEED_DATA: it is, as far as it goes. */
static enum feed_state same_file(struct feed *f, struct err *e)
{
    struct stat here;
    if (fstat(f->fd, &here) == 0 && (uint64_t)here.st_size < f->got)
        return another(f, "the file became shorter", e);
    return begins_so(f) ? FEED_DATA : another(f, "the file was written anew", e);
}

/* A file's end is its end so far, unless another one has its name. Where none has it, one may come: it was
 * moved away, to be replaced. */
static enum feed_state data_grown(struct feed *f, int timeout_ms, struct err *e)
{
    struct stat now, here;
    const bool there = stat(f->path, &now) == 0;
    if (fstat(f->fd, &here) == 0 && (uint64_t)here.st_size > f->got)
        return FEED_WAIT;
    if (there && (now.st_ino != here.st_ino || now.st_dev != here.st_dev))
        return another(f, "another file has its name", e);
    f->gone_ns = there ? 0 : f->gone_ns ? f->gone_ns : host_now();
    if (!there && host_now() - f->gone_ns > GONE_NS) {
        err_set(e, ERR_IO, f->got, "the file is gone: what came before is shown");
        return FEED_FAILED;
    }
    poll(NULL, 0, timeout_ms < GROW_POLL_MS ? timeout_ms : GROW_POLL_MS);
    return FEED_WAIT;
}

static void note_body(struct feed *f, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n && f->nbody + 1 < sizeof f->body; i++)
        f->body[f->nbody++] = (char)p[i];
}

/* Read from the descriptor. */
static enum feed_state read_some(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e)
{
    struct pollfd pfd[2] = {{f->fd, POLLIN, 0}, {f->err_fd, POLLIN, 0}};
    to->n = 0;
    f->nsent = 0;
    if (f->fd < 0)
        return FEED_END;
    if (!f->is.grows) {
        const enum feed_state over = stopped(f, e);
        if (over != FEED_DATA)
            return over;
        int ready = poll(pfd, f->err_fd >= 0 ? 2 : 1, timeout_ms);
        if (ready > 0 && pfd[1].revents)
            read_said(f);
        if (ready <= 0 || !pfd[0].revents)
            return FEED_WAIT;
    } else if (same_file(f, e) == FEED_FAILED) {
        return FEED_FAILED;
    }
    ssize_t got = read(f->fd, to->p, to->cap);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return FEED_WAIT;
    if (got < 0) {
        err_set(e, ERR_IO, f->got, "can't read: %s", strerror(errno));
        return FEED_FAILED;
    }
    if (got == 0 && f->is.grows) { /* everything there was read */
        const enum feed_state over = stopped(f, e);
        return over == FEED_DATA ? data_grown(f, timeout_ms, e) : over;
    }
    if (got == 0)
        return data_ended(f, e);
    start_clock(f);
    f->got += (uint64_t)got;
    to->n = f->nsent = (size_t)got;
    f->sent = to->p;
    note_body(f, to->p, to->n);
    return FEED_DATA;
}

/* Read more bytes behind those at hand. */
static enum feed_state read_in(struct feed *f, int timeout_ms, struct err *e)
{
    struct feed_room more = {.p = f->in.p + f->in.n, .cap = f->in.cap - f->in.n};
    const enum feed_state s = read_some(f, &more, timeout_ms, e);
    f->in.n += more.n;
    return s;
}

/* Returns whether a server's first bytes are no trace's: they say why there is none, and its status, which
 * comes at their end, that it is so. */
static bool feed_refusal(struct feed *f)
{
    const bool is = (f->pid || f->far) && f->fd >= 0 && !unpack_packed(f->in.p, f->in.n) &&
                    memcmp(f->in.p, "go", f->in.n < 2 ? f->in.n : 2) != 0 && f->in.n < f->in.cap;
    f->odd_ns = is && !f->odd_ns ? host_now() : f->odd_ns;
    return is && host_now() - f->odd_ns < REFUSAL_NS;
}

/* Detect by the first bytes whether the input is compressed. FEED_DATA: that is done; there may be too few
 * bytes for anything else. */
static enum feed_state look_at_head(struct feed *f, int timeout_ms, struct err *e)
{
    if (!f->in.p && !(f->in.p = mem_alloc(f->in.cap = IN_SIZE))) {
        err_nomem(e);
        return FEED_FAILED;
    }
    const enum feed_state s = read_in(f, timeout_ms, e);
    f->nsent = 0;
    if (s == FEED_FAILED || (s != FEED_END && !unpack_sure(f->in.p, f->in.n)) || !f->in.n || feed_refusal(f))
        return s == FEED_DATA ? FEED_WAIT : s;
    f->checked = true;
    f->sent = f->in.p;
    f->nsent = f->in.n;
    f->packed = unpack_packed(f->in.p, f->in.n);
    return f->packed && unpacker_begin(&f->unpacker, f->in.p, f->in.n, false, f->limit, e) ? FEED_FAILED
                                                                                           : FEED_DATA;
}

/* Unpack the bytes in the buffer; read more first if it is empty. */
static enum feed_state read_packed(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e)
{
    enum feed_state s = FEED_DATA;
    if (f->damage.code) {
        *e = f->damage;
        return FEED_FAILED;
    }
    if (f->at == f->in.n) {
        f->at = f->in.n = 0;
        s = read_in(f, timeout_ms, e);
    }
    if (s != FEED_DATA && s != FEED_END) /* at the end more may still be within */
        return s;
    struct unpack_piece io = {f->in.p + f->at, f->in.n - f->at, to->p, to->cap};
    const enum unpack_state is = unpacker_step(&f->unpacker, &io, &f->damage);
    f->at = is == UNPACK_OVER ? f->in.n : f->in.n - io.n; /* padding is read to its end */
    to->n = to->cap - io.room;
    if (to->n)
        return FEED_DATA;
    if (!f->damage.code && is == UNPACK_MORE && s == FEED_END)
        (void)unpacker_torn(&f->unpacker, &f->damage);
    *e = f->damage;
    return e->code ? FEED_FAILED : s == FEED_END ? FEED_END : FEED_WAIT;
}

/* The first bytes of what is not compressed. */
static enum feed_state hand_on(struct feed *f, struct feed_room *to)
{
    const size_t rest = f->in.n - f->at, n = rest < to->cap ? rest : to->cap;
    memcpy(to->p, f->in.p + f->at, n);
    f->at += n;
    to->n = n;
    return FEED_DATA;
}

enum feed_state feed_read(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e)
{
    to->n = f->nsent = 0;
    if (!f->checked) {
        const enum feed_state s = look_at_head(f, timeout_ms, e);
        if (s != FEED_DATA)
            return s;
    }
    if (f->packed)
        return read_packed(f, to, timeout_ms, e);
    return f->at < f->in.n ? hand_on(f, to) : read_some(f, to, timeout_ms, e);
}

const uint8_t *feed_sent(const struct feed *f, size_t *n)
{
    *n = f->nsent;
    return f->sent;
}

size_t feed_held(const struct feed *f)
{
    return unpacker_held(&f->unpacker);
}

const char *feed_packed(const struct feed *f)
{
    return f->packed;
}
