/*
 * peak_main.c - peak COMMAND..: runs it and prints on standard error "peak: N KiB, exit N" (or "signal N"):
 * the most memory it held at once, as the kernel counts it. Its own exit status is the command's.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage ru;
    int status = 0;
    if (argc < 2)
        return 127;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &ru) != pid)
        return 127;
    fprintf(stderr, "peak: %ld KiB, %s %d\n", ru.ru_maxrss, WIFSIGNALED(status) ? "signal" : "exit",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
