/*
 * patience.c - a thread that only sleeps, writes a line and looks for the key q, while the caller's thread
 * works.
 *
 * Keys must arrive without Enter, so the terminal's settings change while the line is shown. What is typed
 * may be meant for another program of the pipeline, one that asks for a password or whether to trust a
 * host. So that program has a moment to read it, and only what nobody has read by then is read here.
 */
#include "viewer/term/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "decode/base/door.h"
#include "decode/base/host.h"
#include "decode/base/mem.h"
#include "decode/base/thread.h"

enum { FIRST_MS = 333, LINE_MS = 1000, COURTESY_MS = 50 };

struct patience {
    pthread_t thread;
    int over[2]; /* a pipe that becomes readable once it is over */
    const char *what;
    void (*leave)(void);
    bool left;
    char typed[PATIENCE_TYPED];
    size_t ntyped;
};

/* ---- the terminal, taken and given back ---------------------------------------------------------------- */

/* There is one, since signals belong to the process. */
static struct {
    volatile sig_atomic_t taken;
    int fd;
    struct termios found;
} tty;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP, SIGSEGV, SIGABRT,   SIGFPE,  SIGILL,
                             SIGSYS, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGTRAP, SIGVTALRM, SIGPROF, SIGIO};
enum { NENDING = sizeof ending / sizeof *ending };
static struct sigaction before[NENDING];

static void give_back(void)
{
    if (tty.taken && tcgetpgrp(tty.fd) == getpgrp())
        tcsetattr(tty.fd, TCSANOW, &tty.found);
    tty.taken = 0;
}

/* Restore the terminal, then let the signal do what it does without gotop. */
static void on_end(int s)
{
    give_back();
    raise(s);
}

static bool take(void)
{
    tty.fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (tty.fd < 0)
        return false;
    if (tcgetpgrp(tty.fd) != getpgrp() || tcgetattr(tty.fd, &tty.found) || !(tty.found.c_lflag & ICANON)) {
        close(tty.fd);
        return false;
    }
    struct termios keys = tty.found;
    keys.c_lflag &= ~(tcflag_t)ICANON;
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    tty.taken = 1;
    struct sigaction sa = {.sa_handler = on_end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_RESTART)};
    for (int i = 0; i < NENDING; i++) {
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &sa, NULL);
    }
    tcsetattr(tty.fd, TCSANOW, &keys);
    return true;
}

static void untake(void)
{
    give_back();
    for (int i = 0; i < NENDING; i++)
        sigaction(ending[i], &before[i], NULL);
    close(tty.fd);
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

static bool is_over(const struct patience *p, int ms)
{
    struct pollfd f = {.fd = p->over[0], .events = POLLIN};
    return poll(&f, 1, ms) > 0;
}

/* Read what no other program has read. Returns true if there is a q in it. */
static bool take_keys(struct patience *p)
{
    char got[32];
    const ssize_t n = read(tty.fd, got, sizeof got);
    for (ssize_t i = 0; i < n; i++) {
        if (got[i] == 'q' || got[i] == 'Q')
            return true;
        if (p->ntyped + 1 < sizeof p->typed)
            p->typed[p->ntyped++] = got[i];
    }
    return false;
}

/* Sleep until `until` (host_now()). Returns true when the waiting is over. Without keys it only sleeps. */
static bool wait_until(struct patience *p, int64_t until, bool *keys)
{
    for (int64_t left; (left = until - host_now()) > 0;) {
        struct pollfd f[2] = {{.fd = p->over[0], .events = POLLIN},
                              {.fd = *keys ? tty.fd : -1, .events = POLLIN}};
        if (poll(f, 2, (int)(left / 1000000) + 1) < 0 && errno != EINTR)
            return true;
        if (f[0].revents)
            return true;
        if (f[1].revents & (POLLHUP | POLLERR | POLLNVAL) || !tty.taken)
            *keys = false; /* the terminal is gone, or was given back when gotop was stopped */
        else if (f[1].revents && is_over(p, COURTESY_MS))
            return true;
        else if (f[1].revents && take_keys(p))
            return p->left = true;
    }
    return false;
}

static void *run(void *arg)
{
    struct patience *p = arg;
    int seconds = 0;
    if (is_over(p, FIRST_MS))
        return NULL;
    bool keys = p->leave && take();
    const bool taken = keys;
    int64_t next = host_now();
    do {
        char line[80];
        snprintf(line, sizeof line, "gotop: %s (%ds, %s leaves)", p->what, seconds++, keys ? "q" : "Ctrl-C");
        door_status(line);
        next += (int64_t)LINE_MS * 1000000;
    } while (!wait_until(p, next, &keys));
    if (taken)
        untake();
    door_wipe();
    if (p->left)
        p->leave();
    return NULL;
}

struct patience *patience_begin(const char *what, void (*leave)(void))
{
    struct patience *p = isatty(STDERR_FILENO) ? mem_zalloc(sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->what = what;
    p->leave = leave;
    if (pipe2(p->over, O_CLOEXEC) == 0) {
        if (!thread_start(&p->thread, NULL, run, p))
            return p;
        close(p->over[0]);
        close(p->over[1]);
    }
    mem_free(p);
    return NULL;
}

bool patience_end(struct patience *p, char *typed)
{
    typed[0] = '\0';
    if (!p)
        return false;
    close(p->over[1]);
    pthread_join(p->thread, NULL);
    close(p->over[0]);
    const bool left = p->left;
    memcpy(typed, p->typed, sizeof p->typed);
    mem_free(p);
    return left;
}
