/*
 * hooks.c - linked into every program of `make coverage`, so that what a program ran is written down however
 * it ends.
 *
 * The counters are written when a process ends, into files that it opens then: the sandbox would be in the
 * way, a child that leaves by _exit() or becomes another program writes none, and an allocator that still
 * refuses would make libgcov give up.
 */
#include <dlfcn.h>
#include <stdlib.h>

void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
int __real_execvp(const char *file, char *const *argv);
int __wrap_execvp(const char *file, char *const *argv);
void __wrap_sandbox_enter(unsigned needs, int argc, char *const *argv);

void __wrap_sandbox_enter(unsigned needs, int argc, char *const *argv)
{
    (void)needs, (void)argc, (void)argv;
}

int __wrap_execvp(const char *file, char *const *argv)
{
    __gcov_dump();
    return __real_execvp(file, argv);
}

/* From 128 on a signal's handler leaves: it may have interrupted anything. */
void __wrap__exit(int status)
{
    if (status < 128)
        __gcov_dump();
    __real__exit(status);
}

static void granted(void)
{
    union {
        void *p;
        void (*call)(void);
    } end = {dlsym(RTLD_DEFAULT, "failing_end")};
    if (end.p)
        end.call();
}

/* The first to be registered is the last to be called, and what writes the counters comes behind all of
 * these. */
__attribute__((constructor)) static void begin(void)
{
    (void)atexit(granted);
}
