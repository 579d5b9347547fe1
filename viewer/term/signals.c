/*
 * signals.c - what happens to the terminal when a signal comes.
 *
 * Handlers only set flags and write a byte into a pipe that term_wait() watches. The exception is an
 * emergency (a crash, a second Ctrl-C, exit() in a library): then only system calls are used, with data
 * that was prepared before the terminal was touched.
 */
#include "viewer/term/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/clerk.h"

struct signals sig;

static const int leave_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
/* Nobody expects these signals: faults, and those that only another process sends. main.c has SIGBUS. */
static const int crash_signals[] = {
    SIGSEGV,   SIGABRT,   SIGFPE,  SIGILL,  SIGTRAP, SIGSYS, SIGALRM,
    SIGVTALRM, SIGPROF,   SIGUSR1, SIGUSR2, SIGXCPU, SIGIO,
#ifdef SIGPWR
    SIGPWR,    SIGSTKFLT,
#endif
};
#define NLEAVE (sizeof leave_signals / sizeof leave_signals[0])
#define NCRASH (sizeof crash_signals / sizeof crash_signals[0])
/* These are the handlers that were there before gotop's. */
static struct {
    int signal;
    struct sigaction was;
} taken[NLEAVE + NCRASH + 4];
static size_t ntaken;
static char crash_stack[32768]; /* a fault may mean that the stack is full */
static char doomed[CLERK_TEXT]; /* a file that is removed when gotop ends, or the clerk */
static int action_copy = -1, action_stop = -1;

void signals_removed(void)
{
    if (doomed[0])
        unlink(doomed);
    doomed[0] = '\0';
}

static void do_copy(const char *text, struct clerk_said *said)
{
    const char *dir = getenv("TMPDIR");
    (void)text;
    snprintf(said->text, sizeof said->text, "%s/gotop-XXXXXX", dir && dir[0] == '/' ? dir : "/tmp");
    said->fd[0] = doomed[0] ? -1 : mkostemp(said->text, O_CLOEXEC);
    said->error = said->fd[0] >= 0 ? 0 : doomed[0] ? EEXIST : errno;
    if (!said->error)
        memcpy(doomed, said->text, sizeof doomed);
}

int signals_copy(char *path, size_t size)
{
    struct clerk_said said;
    if (action_copy < 0 || (!clerk_ask(action_copy, "", &said) && !clerk_on()))
        do_copy("", &said);
    snprintf(path, size, "%s", said.text);
    return said.fd[0];
}

static void do_stop(const char *text, struct clerk_said *said)
{
    (void)text;
    said->error = kill(0, SIGTSTP) ? errno : 0; /* all but the clerk */
}

void signals_stop(void)
{
    struct clerk_said said;
    if (action_stop < 0 || !clerk_ask(action_stop, "", &said))
        kill(0, SIGTSTP);
}

void signals_actions(void)
{
    action_copy = clerk_add(do_copy, signals_removed);
    action_stop = clerk_add(do_stop, NULL);
}

static void emergency(void)
{
    signals_removed();
    if (!sig.open) {
        clerk_end();
        return;
    }
    sig.open = false;
    signal(SIGTTOU, SIG_IGN); /* gotop may be in the background now; the terminal is restored all the same */
    ssize_t n = write(sig.fd, sig.leave_text, sig.leave_len);
    (void)n;
    tcsetattr(sig.fd, TCSANOW, &sig.found);
    clerk_end(); /* this removes the file */
}

static void on_signal(int s)
{
    int saved = errno;
    if (s == SIGWINCH)
        sig.winch = 1;
    else if (s == SIGTSTP)
        sig.tstp = 1;
    else if (s == SIGCONT)
        sig.cont = 1;
    else if (sig.leave) {
        emergency();
        _exit(128 + s);
    } else {
        sig.leave = s;
    }
    ssize_t n = write(sig.pipe[1], "", 1);
    (void)n;
    errno = saved;
}

static void on_crash(int s, siginfo_t *info, void *context)
{
    static const char said[] = "\r\ngotop: ended by a fault or a signal\r\n";
    (void)context;
    emergency();
    ssize_t n = write(STDERR_FILENO, said, sizeof said - 1);
    (void)n;
    for (size_t i = 0; i < ntaken; i++)
        if (taken[i].signal == s)
            sigaction(s, &taken[i].was, NULL);
    if (info->si_code <= 0 || s == SIGABRT)
        raise(s); /* another process has sent it */
} /* returning repeats the fault, under the handler that was there before */

static void take_signal(int s, const struct sigaction *sa)
{
    const size_t i = ntaken++;
    taken[i].signal = s;
    sigaction(s, sa, &taken[i].was);
}

void signals_on(void)
{
    struct sigaction was;
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigfillset(&sa.sa_mask); /* a third signal must not end gotop before the terminal is restored */
    take_signal(SIGWINCH, &sa);
    take_signal(SIGTSTP, &sa);
    take_signal(SIGCONT, &sa);
    for (size_t i = 0; i < NLEAVE; i++)
        if (sigaction(leave_signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            take_signal(leave_signals[i], &sa); /* nohup is respected */
    sa.sa_handler = SIG_IGN;
    take_signal(SIGPIPE, &sa);
    stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack}, had;
    if (sigaltstack(NULL, &had) == 0 && had.ss_flags & SS_DISABLE)
        sigaltstack(&stack, NULL);
    static bool at_exit;
    if (!at_exit)
        at_exit = atexit(emergency) == 0;
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < NLEAVE; i++)
        sigaddset(&sa.sa_mask, leave_signals[i]);
    sa.sa_sigaction = on_crash;
    sa.sa_flags = SA_NODEFER | SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < NCRASH; i++)
        take_signal(crash_signals[i], &sa);
}

void signals_off(void)
{
    for (size_t i = 0; i < ntaken; i++)
        sigaction(taken[i].signal, &taken[i].was, NULL);
    ntaken = 0;
    close(sig.pipe[0]);
    close(sig.pipe[1]);
}

bool signals_pipe(void)
{
    if (pipe(sig.pipe) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(sig.pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(sig.pipe[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

void signals_leave_text(const char *s)
{
    size_t n = s && s != (const char *)-1 ? strlen(s) : 0;
    if (sig.leave_len + n > sizeof sig.leave_text)
        return;
    if (n)
        memcpy(sig.leave_text + sig.leave_len, s, n);
    sig.leave_len += n;
}
