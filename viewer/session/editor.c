/* editor.c - see editor.h. One request at a time: line and path go one way, the exit status comes back. */
#include "viewer/session/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
    uint64_t line;
    char path[4096];
};

static struct {
    pid_t pid;
    int to, from;
    const char *command;
} helper;

static bool whole(int fd, void *p, size_t n, bool out)
{
    for (size_t i = 0; i < n;) {
        ssize_t k = out ? write(fd, (char *)p + i, n - i) : read(fd, (char *)p + i, n - i);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        i += (size_t)k;
    }
    return true;
}

/* The command may hold words; the path never meets the shell's grammar. */
static int run(const char *command, const struct request *r)
{
    char line[32];
    int status = -1;
    snprintf(line, sizeof line, "+%llu", (unsigned long long)r->line);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execlp("sh", "sh", "-c", "exec $0 \"$@\"", command, line, r->path, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Keys for the editor: where standard input is the trace, from the terminal. */
static void take_keys(void)
{
    int tty = isatty(STDIN_FILENO) ? -1 : open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (tty >= 0)
        dup2(tty, STDIN_FILENO);
    else if (!isatty(STDIN_FILENO))
        dup2(STDOUT_FILENO, STDIN_FILENO);
}

static void serve(int in, int out)
{
    struct request r;
    signal(SIGINT, SIG_IGN); /* for gotop, or for the editor */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    take_keys();
    while (whole(in, &r, sizeof r, false)) {
        r.path[sizeof r.path - 1] = '\0';
        int status = r.path[0] != '-' ? run(helper.command, &r) : -1; /* no option */
        if (!whole(out, &status, sizeof status, true))
            break;
    }
    _exit(0);
}

void editor_begin(void)
{
    int to[2], from[2];
    const char *e = getenv("VISUAL");
    if (!e || !*e)
        e = getenv("EDITOR");
    if (!e || !*e || helper.pid)
        return;
    helper.command = e;
    if (pipe2(to, O_CLOEXEC) != 0)
        return;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return;
    }
    helper.pid = fork();
    if (helper.pid == 0) {
        close(to[1]);
        close(from[0]);
        serve(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    helper.to = to[1];
    helper.from = from[0];
    if (helper.pid > 0)
        return;
    close(helper.to);
    close(helper.from);
    helper.pid = 0;
}

const char *editor_name(void)
{
    return helper.command;
}

bool editor_open(const char *path, uint64_t line)
{
    static struct request r;
    int status = -1;
    memset(&r, 0, sizeof r);
    r.line = line;
    if (!helper.pid || strlen(path) >= sizeof r.path)
        return false;
    memcpy(r.path, path, strlen(path));
    if (!whole(helper.to, &r, sizeof r, true) || !whole(helper.from, &status, sizeof status, false))
        return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void editor_end(void)
{
    if (!helper.pid)
        return;
    close(helper.to); /* it ends at that */
    close(helper.from);
    while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR) {
    }
    helper.pid = 0;
}
