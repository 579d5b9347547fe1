/*
 * editor.c - see editor.h. One request at a time: line and path go one way, what became of it comes back.
 */
#include "viewer/session/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "decode/base/child.h"
#include "decode/base/door.h"

struct request {
    uint64_t line;
    char path[4096];
};

enum { COMMAND_MAX = 4096 };

static struct {
    pid_t pid;
    int to, from;
    const char *command;
    struct sigaction was_int, was_quit; /* when it was begun */
} helper;

static bool editor_whole(int fd, void *p, size_t n, bool out)
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

/* The shell splits the command as git does: it may hold words, quotes and options. The path is an argument,
 * so the shell never parses it. Signals are as gotop found them. */
static enum editor_end editor_run(const struct request *r)
{
    static const char behind[] = " \"$@\"";
    char line[32], script[COMMAND_MAX + sizeof behind];
    int status = -1;
    snprintf(line, sizeof line, "+%llu", (unsigned long long)r->line);
    snprintf(script, sizeof script, "%s%s", helper.command, behind);
    pid_t pid = fork();
    if (pid == 0) {
        child_signals();
        sigaction(SIGINT, &helper.was_int, NULL);
        sigaction(SIGQUIT, &helper.was_quit, NULL);
        execlp("sh", "sh", "-c", script, helper.command, line, r->path, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EDITOR_DONE : EDITOR_FAILED;
}

/* The request is one that gotop makes. */
static bool editor_sound(const struct request *r)
{
    return memchr(r->path, 0, sizeof r->path) && child_takes(r->path);
}

/* Wait for a key. Returns false when the viewer is gone or sends something else meanwhile. */
static bool editor_key_comes(int fd, int in)
{
    struct pollfd p[2] = {{fd, POLLIN, 0}, {in, POLLIN, 0}};
    while (poll(p, 2, -1) < 0)
        if (errno != EINTR)
            return false;
    return p[0].revents && !p[1].revents;
}

/* Text typed before the question is no answer to it, nor is what a terminal reports: that is longer than
 * one key. */
static bool editor_only_enter(int fd, int in)
{
    enum { REST_DS = 1 };
    struct termios was, one;
    char key[2] = "";
    if (tcgetattr(fd, &was))
        return false;
    one = was;
    one.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    one.c_iflag |= ICRNL;
    one.c_cc[VMIN] = 1;
    one.c_cc[VTIME] = 0;
    bool asked = tcsetattr(fd, TCSAFLUSH, &one) == 0;
    ssize_t n = asked && editor_key_comes(fd, in) ? read(fd, key, 1) : -1;
    one.c_cc[VMIN] = 0;
    one.c_cc[VTIME] = REST_DS;
    bool alone = n == 1 && tcsetattr(fd, TCSANOW, &one) == 0 && read(fd, key + 1, 1) == 0;
    tcsetattr(fd, TCSAFLUSH, &was);
    return alone && key[0] == '\n';
}

/* The reader decides at the terminal; the viewer can't. */
static bool editor_allowed(const struct request *r, int in)
{
    if (!isatty(STDIN_FILENO))
        return false;
    door_printf(stdout, "gotop: Enter opens %s, line %llu, in %.200s; another key does not\n", r->path,
                (unsigned long long)r->line, helper.command);
    fflush(stdout);
    return editor_only_enter(STDIN_FILENO, in);
}

static enum editor_end editor_answer(const struct request *r, int in)
{
    struct stat st;
    if (stat(r->path, &st) || !S_ISREG(st.st_mode))
        return EDITOR_FAILED;
    return editor_allowed(r, in) ? editor_run(r) : EDITOR_DECLINED;
}

/* The editor reads keys from the terminal, also where standard input is the trace. */
static void editor_take_keys(void)
{
    int tty = isatty(STDIN_FILENO) ? -1 : open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (tty >= 0)
        dup2(tty, STDIN_FILENO);
    else if (!isatty(STDIN_FILENO))
        dup2(STDOUT_FILENO, STDIN_FILENO);
}

static void editor_serve(int in, int out)
{
    struct request r;
    struct sigaction none = {.sa_handler = SIG_IGN}; /* Ctrl-C is meant for gotop or the editor */
    sigaction(SIGINT, &none, &helper.was_int);
    sigaction(SIGQUIT, &none, &helper.was_quit);
    signal(SIGPIPE, SIG_DFL);
    editor_take_keys();
    while (editor_whole(in, &r, sizeof r, false) && editor_sound(&r)) {
        enum editor_end end = editor_answer(&r, in);
        if (!editor_whole(out, &end, sizeof end, true))
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
    if (!e || !*e || strlen(e) > COMMAND_MAX || helper.pid)
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
        editor_serve(to[0], from[1]);
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

enum editor_end editor_open(const char *path, uint64_t line)
{
    static struct request r;
    enum editor_end end;
    memset(&r, 0, sizeof r);
    r.line = line;
    if (!helper.pid || strlen(path) >= sizeof r.path)
        return EDITOR_FAILED;
    memcpy(r.path, path, strlen(path));
    return editor_whole(helper.to, &r, sizeof r, true) && editor_whole(helper.from, &end, sizeof end, false)
               ? end
               : EDITOR_FAILED;
}

void editor_end(void)
{
    if (!helper.pid)
        return;
    close(helper.to); /* the helper ends when this closes */
    close(helper.from);
    while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR) {
    }
    helper.pid = 0;
}
