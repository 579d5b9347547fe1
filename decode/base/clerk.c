/*
 * clerk.c - see clerk.h. Whole messages through a socket pair; descriptors come with the answer.
 *
 * The clerk is in the process group of the command line and leaves signals to this process. It handles only
 * one: the kernel's, when this process has died while an action waits for something else (opening a pipe
 * waits for its reader).
 */
#include "decode/base/clerk.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "decode/base/child.h"

enum { ACTIONS = 16 };
static struct {
    clerk_action *action[ACTIONS];
    void (*end[ACTIONS])(void);
    int n;
} book;

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static atomic_int line = -1; /* our end of the socket pair */
static atomic_int pid;       /* its end */
static atomic_bool busy;     /* an action that may wait for others is running */

struct request {
    int action;
    char text[CLERK_TEXT];
};

int clerk_add(clerk_action *action, void (*end)(void))
{
    if (book.n == ACTIONS)
        return ACTIONS;
    book.action[book.n] = action;
    book.end[book.n] = end;
    return book.n++;
}

bool clerk_on(void)
{
    return line >= 0;
}

int clerk_fd(void)
{
    return line;
}

/* ---- the clerk ----------------------------------------------------------------------------------------- */

union with_fds {
    struct cmsghdr head;
    char room[CMSG_SPACE(CLERK_FDS * sizeof(int))];
};

/* Send an answer, and with it the descriptors that there are, one after the other. */
static bool send_answer(int to, struct clerk_said *said)
{
    static union with_fds c;
    int fd[CLERK_FDS], fds = 0;
    for (int i = 0; i < CLERK_FDS; i++)
        if (said->fd[i] >= 0)
            fd[fds++] = said->fd[i];
    struct iovec v = {said, sizeof *said};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    if (fds) {
        const size_t n = (size_t)fds * sizeof *fd;
        memset(&c, 0, sizeof c);
        m.msg_control = &c;
        m.msg_controllen = (socklen_t)CMSG_SPACE(n);
        c.head.cmsg_level = SOL_SOCKET;
        c.head.cmsg_type = SCM_RIGHTS;
        c.head.cmsg_len = (socklen_t)CMSG_LEN(n);
        memcpy(CMSG_DATA(&c.head), fd, n);
    }
    ssize_t k;
    while ((k = sendmsg(to, &m, 0)) < 0 && errno == EINTR) {
    }
    for (int i = 0; i < fds; i++)
        close(fd[i]);
    return k == (ssize_t)sizeof *said;
}

static void woken(int sig)
{
    (void)sig; /* a waiting call was interrupted */
}

static void leave_signals(pid_t parent)
{
    static const int others[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        child_ignore(others[k]);
    struct sigaction wake = {.sa_handler = woken};
    (void)sigaction(SIGUSR2, &wake, NULL);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGUSR2);
#endif
    if (getppid() != parent)
        _exit(0);
}

/* Close descriptors that others wait to see closed. */
static void keep_only(int to)
{
    enum { OPENED = 256 };
    for (int fd = STDERR_FILENO + 1; fd < OPENED; fd++)
        if (fd != to)
            close(fd);
}

static void serve(int in)
{
    static struct request r;
    static struct clerk_said said;
    for (;;) {
        const ssize_t n = read(in, &r, sizeof r);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof r || r.action < 0 || r.action >= book.n)
            break;
        r.text[sizeof r.text - 1] = '\0';
        said = (struct clerk_said){.fd = {-1, -1}};
        book.action[r.action](r.text, &said);
        if (!send_answer(in, &said))
            break;
    }
    for (int i = 0; i < book.n; i++)
        if (book.end[i])
            book.end[i]();
    _exit(0);
}

bool clerk_begin(void)
{
    int s[2];
    const pid_t us = getpid();
    if (!book.n || clerk_on())
        return true;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        keep_only(s[1]);
        leave_signals(us);
        serve(s[1]);
    }
    const int why = errno;
    close(s[1]);
    if (child > 0) {
        pid = child;
        line = s[0];
        return true;
    }
    close(s[0]);
    errno = why;
    return false;
}

/* ---- this process -------------------------------------------------------------------------------------- */

/* Replace the clerk's numbers of descriptors by those that came. */
static void take_fds(struct clerk_said *said, const struct msghdr *m)
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(m);
    size_t fds = 0;
    for (int i = 0; i < CLERK_FDS; i++) {
        fds += said->fd[i] >= 0;
        said->fd[i] = -1;
    }
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(said->fd, CMSG_DATA(c), fds * sizeof *said->fd);
}

static void ask_clerk(int action, const char *text, struct clerk_said *said)
{
    static struct request r;
    static struct clerk_said a;
    static union with_fds c;
    struct iovec v = {&a, sizeof a};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c};
    ssize_t n;
    memset(&r, 0, sizeof r);
    r.action = action;
    memcpy(r.text, text, strlen(text));
    while ((n = write(line, &r, sizeof r)) < 0 && errno == EINTR) {
    }
    while (n == (ssize_t)sizeof r && (n = recvmsg(line, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        n = (ssize_t)sizeof r;
    if (n != (ssize_t)sizeof a)
        return;
    *said = a;
    take_fds(said, &m);
}

bool clerk_ask(int action, const char *text, struct clerk_said *said)
{
    *said = (struct clerk_said){.error = EPIPE, .fd = {-1, -1}};
    if (strlen(text) >= CLERK_TEXT)
        said->error = ENAMETOOLONG;
    else if (clerk_on()) {
        pthread_mutex_lock(&one);
        busy = true;
        ask_clerk(action, text, said);
        busy = false;
        pthread_mutex_unlock(&one);
    }
    errno = said->error;
    return !said->error;
}

void clerk_end(void)
{
    const int to = atomic_exchange(&line, -1), its = atomic_exchange(&pid, 0);
    if (to < 0)
        return;
    const bool waits = busy; /* the clerk waits for something: it ends when this process has */
    close(to);
    while (!waits && waitpid(its, NULL, 0) < 0 && errno == EINTR) {
    }
}
