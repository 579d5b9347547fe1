/*
 * export_out.c - see export_out.h. Plain output goes through stdio's buffer, gzip through zlib's; nothing else is
 * held. The gzip header has no time and no name: the same trace gives the same bytes.
 */
#include "triage/exports/export_out.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "decode/base/clerk.h"
#include "decode/base/mem.h"
#include "decode/base/utf8.h"
#include "triage/exports/outside.h"

#define OUT_BUFFER (1 << 16)

/* ---- the file ----------------------------------------------------------------------------------------------- */

/*
 * What a signal that ends us must not leave behind: files that aren't whole. Only signals that nobody else has taken are, and
 * only while there is such a file; the process ends by the signal as it would have.
 */
enum { UNFINISHED = 4 };
static char *_Atomic unfinished[UNFINISHED];
static char far_away[] = ""; /* stands for those of the clerk: they have no name here */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void on_end(int sig)
{
    clerk_end(); /* it puts away its own */
    for (int i = 0; i < UNFINISHED; i++) {
        const char *path = atomic_load(&unfinished[i]);
        if (path && *path) {
            unlink(path);
        }
    }
    signal(sig, SIG_DFL);
    raise(sig);
}

/* now: a handler instead of `was`, if that is what there is. */
static void hand_over(void (*was)(int), void (*now)(int))
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction a;
        if (!sigaction(ends[i], NULL, &a) && !(a.sa_flags & SA_SIGINFO) && a.sa_handler == was) {
            a = (struct sigaction){.sa_handler = now};
            sigaction(ends[i], &a, NULL);
        }
    }
}

static void begun(char *path)
{
    for (int i = 0; i < UNFINISHED; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished[i], &none, path)) {
            hand_over(SIG_DFL, on_end);
            return;
        }
    }
}

static void finished(const char *path)
{
    bool more = false;
    for (int i = 0; i < UNFINISHED; i++) {
        if (atomic_load(&unfinished[i]) == path) {
            atomic_store(&unfinished[i], NULL);
        }
        more |= atomic_load(&unfinished[i]) != NULL;
    }
    if (!more) {
        hand_over(on_end, SIG_DFL);
    }
}

/*
 * mkstemp(), and a signal that comes in between finds no file that on_end() doesn't know: it waits until both are done. This
 * thread alone has to hold it off, since the others take none (decode/base/thread.h).
 */
static int make_known(char *path)
{
    sigset_t ending, was;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        sigaddset(&ending, ends[i]);
    }
    pthread_sigmask(SIG_BLOCK, &ending, &was);
    int fd = mkstemp(path);
    if (fd >= 0) {
        begun(path);
    }
    int why = errno;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    errno = why;
    return fd;
}

/* A descriptor to write to; -1: errno says why. */
int out_target(struct out *o)
{
    struct stat st;
    if (!o->path) {
        return dup(STDOUT_FILENO);
    }
    if (lstat(o->path, &st) == 0 && !S_ISREG(st.st_mode)) {
        FILE *f = fopen(o->path, "wb"); /* a pipe, a device, a link: written through */
        int fd = f ? dup(fileno(f)) : -1;
        if (f) {
            fclose(f);
        }
        return fd;
    }
    size_t n = strlen(o->path);
    o->tmp = mem_alloc(n + sizeof ".XXXXXX");
    if (!o->tmp) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(o->tmp, o->path, n);
    memcpy(o->tmp + n, ".XXXXXX", sizeof ".XXXXXX");
    int fd = make_known(o->tmp);
    if (fd < 0) {
        mem_free(o->tmp);
        o->tmp = NULL;
    } else {
        mode_t mask = umask(0);
        umask(mask);
        (void)!fchmod(fd, 0666 & ~mask);
    }
    return fd;
}

static enum err_code open_failed(const struct out *o, struct err *e)
{
    if (errno == EFAULT) /* no fault is raised where the kernel reads pages of a mapped file that are gone */
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the trace became shorter while it was read: nothing is written");
    return err_set(e, errno == ENOMEM ? ERR_NOMEM : ERR_IO, ERR_NO_OFFSET, "can't write to %s: %s",
                   o->path ? o->path : "standard output", strerror(errno));
}

enum err_code out_open(struct out *o, const char *path, bool gzip, struct err *e)
{
    *o = (struct out){.path = path && strcmp(path, "-") != 0 ? path : NULL};
    int fd = o->path && clerk_on() ? outside_open(o) : out_target(o);
    if (o->far) {
        begun(far_away);
    }
    if (fd < 0) {
        return open_failed(o, e);
    }
    if (gzip) {
        o->z = gzdopen(fd, "wb");
        if (o->z) {
            gzbuffer(o->z, OUT_BUFFER);
        }
    } else {
        o->f = fdopen(fd, "wb");
        if (o->f) {
            setvbuf(o->f, NULL, _IOFBF, OUT_BUFFER);
        }
    }
    if (!o->z && !o->f) {
        int saved = errno ? errno : ENOMEM;
        close(fd);
        out_close(o, false, NULL);
        errno = saved;
        return open_failed(o, e);
    }
    return ERR_OK;
}

static void broke(struct out *o)
{
    int why = errno;
    if (o->z) {
        int z = Z_OK;
        gzerror(o->z, &z);
        if (z == Z_MEM_ERROR) {
            why = ENOMEM;
        }
    }
    if (!o->error) {
        o->error = why ? why : EIO;
    }
}

void out_write(struct out *o, const void *p, size_t n)
{
    const char *at = p;
    while (n && !o->error) {
        size_t part = n < (1u << 30) ? n : 1u << 30;
        errno = 0;
        bool ok = o->z ? gzwrite(o->z, at, (unsigned)part) == (int)part : fwrite(at, 1, part, o->f) == part;
        if (!ok) {
            broke(o);
        }
        at += part;
        n -= part;
    }
}

void out_text(struct out *o, const struct text *t)
{
    if (!text_ok(t) && !o->error) {
        o->error = ENOMEM;
    }
    out_write(o, t->p, t->n);
}

void out_printf(struct out *o, const char *fmt, ...)
{
    char buf[256]; /* our own words and numbers; names go by out_text() */
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof buf) {
        o->error = o->error ? o->error : EINVAL;
    } else {
        out_write(o, buf, (size_t)n);
    }
}

bool out_broken(const struct out *o)
{
    return o->error != 0;
}

int out_settle(struct out *o, bool keep)
{
    int why = 0;
    if (!o->tmp) {
        return 0;
    }
    if (keep && rename(o->tmp, o->path) != 0) {
        why = errno;
    }
    if (!keep || why) {
        unlink(o->tmp);
    }
    finished(o->tmp);
    mem_free(o->tmp);
    o->tmp = NULL;
    return why;
}

enum err_code out_close(struct out *o, bool keep, struct err *e)
{
    errno = 0;
    if (o->z && gzclose(o->z) != Z_OK && !o->error) {
        o->error = errno ? errno : EIO;
    }
    if (o->f && fclose(o->f) != 0 && !o->error) {
        o->error = errno ? errno : EIO;
    }
    o->z = NULL;
    o->f = NULL;
    const bool far = o->far != 0;
    const bool whole = keep && !o->error;
    int why = o->far ? outside_close(o, whole) : out_settle(o, whole);
    if (far) {
        finished(far_away);
    }
    if (whole) {
        o->error = why;
    }
    if (!o->error || o->error == EPIPE) {
        return ERR_OK;
    }
    errno = o->error;
    return open_failed(o, e);
}

/* ---- names -------------------------------------------------------------------------------------------------- */

void out_name(struct text *t, struct str s, const char *also)
{
    size_t i = 0, good = 0; /* bytes [good, i) are fine as they are */
    while (i < s.len) {
        uint32_t c = 0;
        size_t len = utf8_read(s.p + i, s.len - i, &c);
        bool replace = len == 1 && c && also && strchr(also, (int)c);
        if (len && !replace && !utf8_hidden(c)) {
            i += len;
            continue;
        }
        text_raw(t, s.p + good, i - good);
        if (replace) {
            text_raw(t, "_", 1);
        } else if (len <= 1) {
            text_add(t, "\\x%02x", (unsigned char)s.p[i]);
        } else {
            text_add(t, "\\u{%x}", c);
        }
        i += len ? len : 1;
        good = i;
    }
    text_raw(t, s.p + good, i - good);
}
