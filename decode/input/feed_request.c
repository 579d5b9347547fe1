/*
 * feed_request.c - what both HTTP clients of feed.c share: starting a process, checking a request, and the
 * messages about an answer that is no trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "decode/base/host.h"
#include "decode/base/origin.h"
#include "decode/input/feed_priv.h"

const char feed_bad_request[] = "the URL, a header or the token holds control bytes, or they are too long";

void feed_put(struct feed_text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(t->text + t->n, sizeof t->text - t->n, fmt, ap);
    va_end(ap);
    t->bad |= n < 0 || (size_t)n >= sizeof t->text - t->n;
    t->n += t->bad ? 0 : (size_t)n;
}

/* A header is "Name: value". It must not begin with "@", because curl would read a file of that name. */
static bool is_header(const char *s)
{
    const size_t n =
        strspn(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return n && s[n] == ':';
}

static bool is_method(const char *s)
{
    return !s || (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")]);
}

bool feed_secret(const struct feed_opts *o)
{
    return o->nheaders || o->token_file || o->cert;
}

enum err_code feed_request_wrong(const struct feed_opts *o, struct err *e)
{
    for (int i = 0; i < o->nheaders; i++)
        if (!is_header(o->header[i]))
            return err_set(e, ERR_ARG, ERR_NO_OFFSET,
                           "a header (-H) is 'NAME: VALUE'; no file is read for it");
    if (!is_method(o->method))
        return err_set(e, ERR_ARG, ERR_NO_OFFSET, "a method (--method) is a word, as POST");
    return ERR_OK;
}

enum err_code feed_token(const char *path, char header[FEED_TOKEN], struct err *e)
{
    char line[FEED_TOKEN - 32];
    FILE *f = fopen(path, "re");
    origin_note(f ? fileno(f) : -1);
    if (!f)
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the token's file can't be read: %s", strerror(errno));
    char *got = fgets(line, sizeof line, f);
    fclose(f);
    if (!got)
        return err_set(e, ERR_EMPTY, ERR_NO_OFFSET, "the token's file is empty");
    line[strcspn(line, "\r\n")] = 0;
    snprintf(header, FEED_TOKEN, "Authorization: Bearer %s", line);
    explicit_bzero(line, sizeof line);
    return ERR_OK;
}

void feed_note(struct feed *f, const char *url, const struct feed_opts *o)
{
    const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;
    f->is.stall_s = o->stall_s ? o->stall_s : FEED_STALL_S;
    f->is.by_socket = o->unix_socket != NULL;
    f->is.secret = feed_secret(o);
    snprintf(f->is.asked, sizeof f->is.asked, "%.*s", path ? (int)strcspn(path, "?#") : 1, path ? path : "/");
}

/* ---- a process of its own ------------------------------------------------------------------------------ */

enum { IN, OUT, SAID, FAILED, PIPES }; /* FAILED: errno, if the program can't be started */

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void be_client(const struct feed_client *c, pid_t parent, int p[PIPES][2])
{
    sigset_t none;
    sigemptyset(&none);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* else it would notice gotop's end only when it writes */
#endif
    (void)setpgid(0, 0);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (getppid() == parent && dup2(p[IN][0], STDIN_FILENO) >= 0 && dup2(p[OUT][1], STDOUT_FILENO) >= 0 &&
        dup2(p[SAID][1], STDERR_FILENO) >= 0)
        c->run(c->arg);
    (void)!write(p[FAILED][1], &errno, sizeof errno);
    for (;;)
        (void)raise(SIGKILL); /* not exit(), which would run gotop's handlers */
}

/* Wait until the child has become the program. Returns 0, or errno if it can't, and then it has ended. */
static int begun(pid_t pid, int p[PIPES][2])
{
    int why;
    close_end(&p[FAILED][1]);
    if (read(p[FAILED][0], &why, sizeof why) != sizeof why)
        return 0;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return why;
}

int feed_start(struct feed *f, const struct feed_client *c)
{
    int p[PIPES][2], why = 0;
    const pid_t parent = getpid();
    memset(p, -1, sizeof p);
    for (int i = 0; i < PIPES && !why; i++)
        why = pipe2(p[i], O_CLOEXEC) ? errno : 0;
    const pid_t pid = why ? -1 : fork();
    if (pid == 0)
        be_client(c, parent, p);
    why = why ? why : pid < 0 ? errno : begun(pid, p);
    if (!why) {
        f->pid = pid;
        f->fd = p[OUT][0];
        f->err_fd = p[SAID][0];
        fcntl(f->err_fd, F_SETFL, O_NONBLOCK);
        (void)host_write_all(p[IN][1], c->in, c->n); /* if it has ended already, its exit status says why */
        p[OUT][0] = p[SAID][0] = -1;
    }
    for (int i = 0; i < PIPES; i++) {
        close_end(&p[i][0]);
        close_end(&p[i][1]);
    }
    return why;
}

/* ---- what is said of an answer ------------------------------------------------------------------------- */

/* Returns the first line of what curl said, without its error number. */
const char *feed_first_line(char *s)
{
    s[strcspn(s, "\r\n")] = 0;
    char *behind = strncmp(s, "curl: (", 7) == 0 ? strstr(s, ") ") : NULL;
    return behind ? behind + 2 : s;
}

enum { HTTP_NOT_FOUND = 404 };

/* If the address was made from what the user typed, a message names both. */
enum err_code feed_refused(const struct feed *f, int http, const char *why, struct err *e)
{
    static const char usual[] = "/debug/pprof/trace";
    if (http != HTTP_NOT_FOUND || !f->is.asked[0])
        return err_set(e, ERR_IO, ERR_NO_OFFSET, "the server answered %d: %s", http, why);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "the server answered 404: %.60s; %.80s isn't there%s", why,
                   f->is.asked,
                   strcmp(f->is.asked, usual) == 0 ? ": is this the port of net/http/pprof?"
                                                   : " (a path that ends in ? is asked for as it is)");
}

enum err_code feed_moved(const struct feed *f, int http, const char *to, struct err *e)
{
    char shown[FEED_SHOWN];
    if (!*to)
        return err_set(e, ERR_IO, ERR_NO_OFFSET,
                       "the server answered %d, a redirect, and doesn't say where to", http);
    return err_set(e, ERR_IO, ERR_NO_OFFSET, "it has moved to %s: ask there%s", feed_shown(to, shown),
                   f->is.secret ? " (headers, tokens and certificates don't follow redirects)" : "");
}

enum err_code feed_no_socket(struct err *e)
{
    return err_set(e, ERR_IO, ERR_NO_OFFSET,
                   "can't connect to that socket: it is missing, is none, or nobody listens there");
}

enum err_code feed_stalled(const struct feed *f, struct err *e)
{
    return err_set(e, ERR_IO, ERR_NO_OFFSET,
                   "nothing came for %ds (--stall-timeout): it stands still, or is of Go 1.21 or older "
                   "(then: gotop record)",
                   f->is.stall_s);
}
