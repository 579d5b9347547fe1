/*
 * feed.c - see feed.h. feed_curl.c starts the client.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/input/feed_priv.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/origin.h"

enum {
    ZIPPED = 65536,
    GROW_POLL_MS = 50,
    LATE = 10, /* times as long as it was asked for, and so many seconds, the rest of it may take on a slow line */
    LATE_S = 300
};

/* ---- what a URL is -------------------------------------------------------------------------------------------- */

static bool has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* "host:6060" or "host:6060/path": a port of digits behind the first colon, and no such file. */
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

/* "debug/pprof/trace" behind a path: as much of it as isn't there. */
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
        snprintf(seconds, sizeof seconds, "?seconds=%" PRIu64, o->seconds ? o->seconds : (uint64_t)FEED_ENDLESS);
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

/* ---- opening, closing ------------------------------------------------------------------------------------------ */

/* It is read for so long: a file from now on, all else from its first byte. Beyond a week nobody waits. */
static void begun(struct feed *f)
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
    origin_note(f->fd);
    f->grows = S_ISREG(st.st_mode);
    if (!f->grows && !S_ISFIFO(st.st_mode))
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "is neither a file nor a pipe");
    const size_t n = strlen(path) + 1;
    char *copy = mem_alloc(n);
    if (!copy)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
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
    f->told = !rc && strstr(url, "seconds=");
    return rc ? rc : feed_curl(f, url, &with, e);
}

enum err_code feed_open(const char *where, const struct feed_opts *o, struct feed **out, struct err *e)
{
    static const struct feed_opts none;
    *out = NULL;
    struct feed *f = mem_zalloc(sizeof *f);
    if (!f)
        return err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
    f->fd = f->err_fd = -1;
    f->seconds = o && !o->unasked ? o->seconds : 0;
    enum err_code rc = ERR_OK;
    if (strcmp(where, "-") == 0)
        origin_note(f->fd = STDIN_FILENO);
    else
        rc = feed_is_url(where) ? open_url(f, where, o ? o : &none, e) : open_file(f, where, e);
    if (!rc && f->grows)
        begun(f);
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

void feed_close(struct feed *f)
{
    if (!f)
        return;
    if (f->own && f->fd >= 0)
        close(f->fd);
    if (f->err_fd >= 0)
        close(f->err_fd);
    if (f->pid > 0) {
        kill(f->pid, SIGTERM);
        while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (f->zipped)
        inflateEnd(&f->z);
    mem_free(f->in.p);
    mem_free((char *)(uintptr_t)f->path);
    mem_free(f);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* What curl says is little: the beginning of it is kept. At its end nobody waits for more. */
static void hear(struct feed *f)
{
    char some[256];
    ssize_t n = 1;
    while (f->err_fd >= 0 && (n = read(f->err_fd, some, sizeof some)) > 0)
        for (ssize_t i = 0; i < n && f->nsaid + 1 < sizeof f->said; i++)
            f->said[f->nsaid++] = some[i];
    if (n == 0) {
        close(f->err_fd);
        f->err_fd = -1;
    }
}

static enum feed_state ended(struct feed *f, struct err *e)
{
    if (f->own)
        close(f->fd);
    f->fd = -1;
    if (!f->pid)
        return FEED_END;
    if (f->err_fd >= 0)
        fcntl(f->err_fd, F_SETFL, 0); /* to its end, which comes with curl's */
    hear(f);
    return feed_curl_end(f, e) ? FEED_FAILED : FEED_END;
}

/* stopped - the seconds are over. FEED_DATA: they are not. */
static enum feed_state stopped(struct feed *f, struct err *e)
{
    if (!f->until || host_now() < (f->told ? f->most : f->until))
        return FEED_DATA;
    if (f->own)
        close(f->fd);
    f->fd = -1;
    if (!f->told)
        return FEED_END;
    err_set(e, ERR_IO, f->got, "it was asked for %" PRIu64 " s of trace, and has not ended since", f->seconds);
    return FEED_FAILED;
}

/* A file's end is its end so far; is it still the same file? */
static enum feed_state grown(struct feed *f, int timeout_ms, struct err *e)
{
    struct stat now, here;
    if (fstat(f->fd, &here) || here.st_nlink == 0 || stat(f->path, &now) || now.st_ino != here.st_ino ||
        now.st_dev != here.st_dev) {
        err_set(e, ERR_IO, f->got, "the file is gone or another one has its name: what came before is shown");
        return FEED_FAILED;
    }
    if ((uint64_t)here.st_size < f->got) {
        err_set(e, ERR_IO, f->got, "the file became shorter: what came before is shown");
        return FEED_FAILED;
    }
    if ((uint64_t)here.st_size == f->got)
        poll(NULL, 0, timeout_ms < GROW_POLL_MS ? timeout_ms : GROW_POLL_MS);
    return FEED_WAIT;
}

/* From the descriptor, as it comes. */
static enum feed_state read_some(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e)
{
    struct pollfd pfd[2] = {{f->fd, POLLIN, 0}, {f->err_fd, POLLIN, 0}};
    to->n = 0;
    if (f->fd < 0)
        return FEED_END;
    if (!f->grows) {
        const enum feed_state over = stopped(f, e);
        if (over != FEED_DATA)
            return over;
        int ready = poll(pfd, f->err_fd >= 0 ? 2 : 1, timeout_ms);
        if (ready > 0 && pfd[1].revents)
            hear(f);
        if (ready <= 0 || !pfd[0].revents)
            return FEED_WAIT;
    }
    ssize_t got = read(f->fd, to->p, to->cap);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return FEED_WAIT;
    if (got < 0) {
        err_set(e, ERR_IO, f->got, "can't read: %s", strerror(errno));
        return FEED_FAILED;
    }
    if (got == 0 && f->grows) { /* all that is there was read */
        const enum feed_state over = stopped(f, e);
        return over == FEED_DATA ? grown(f, timeout_ms, e) : over;
    }
    if (got == 0)
        return ended(f, e);
    begun(f);
    f->got += (uint64_t)got;
    to->n = (size_t)got;
    for (size_t i = 0; i < to->n && f->nbody + 1 < sizeof f->body; i++)
        f->body[f->nbody++] = (char)to->p[i];
    return FEED_DATA;
}

/* The first bytes that came say that they are gzip. */
static bool zip_begin(struct feed *f, const struct feed_room *came)
{
    f->in = (struct feed_room){.p = mem_alloc(ZIPPED), .cap = ZIPPED};
    if (!f->in.p || inflateInit2(&f->z, 15 + 16) != Z_OK)
        return false;
    f->zipped = true;
    f->in.n = came->n < ZIPPED ? came->n : ZIPPED;
    memcpy(f->in.p, came->p, f->in.n);
    return true;
}

/* Inflate what is at hand; more of it is read first if there is none. */
static enum feed_state read_zipped(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e)
{
    to->n = 0;
    if (f->at == f->in.n) {
        enum feed_state s = read_some(f, &f->in, timeout_ms, e);
        f->at = 0;
        if (s != FEED_DATA)
            return s;
    }
    f->z.next_in = f->in.p + f->at;
    f->z.avail_in = (uInt)(f->in.n - f->at);
    f->z.next_out = to->p;
    f->z.avail_out = (uInt)(to->cap < 1u << 30 ? to->cap : 1u << 30);
    int rc = inflate(&f->z, Z_NO_FLUSH);
    f->at = f->in.n - f->z.avail_in;
    to->n = (size_t)(f->z.next_out - to->p);
    if (rc == Z_STREAM_END && inflateReset(&f->z) == Z_OK) /* another member may follow */
        rc = Z_OK;
    if (rc == Z_OK || rc == Z_BUF_ERROR)
        return to->n ? FEED_DATA : FEED_WAIT;
    err_set(e, ERR_FORMAT, f->got, "the gzip data is damaged here");
    return FEED_FAILED;
}

enum feed_state feed_read(struct feed *f, struct feed_room *to, int timeout_ms, struct err *e)
{
    if (f->zipped)
        return read_zipped(f, to, timeout_ms, e);
    struct feed_room first = *to;
    if (!f->looked && first.cap > ZIPPED)
        first.cap = ZIPPED;
    enum feed_state s = read_some(f, &first, timeout_ms, e);
    to->n = first.n;
    if (s != FEED_DATA || f->looked)
        return s;
    f->looked = true;
    if (to->n < 2 || to->p[0] != 0x1f || to->p[1] != 0x8b)
        return s;
    if (!zip_begin(f, to)) {
        err_set(e, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
        return FEED_FAILED;
    }
    return read_zipped(f, to, 0, e);
}
